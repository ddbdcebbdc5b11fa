"""A bounded run of the mutator; the long one is `python -m tests.fuzz.mutator`."""

from __future__ import annotations

import pytest
from tests.fuzz.mutator import MEMORY_MIB, SLOW_SECONDS, run

INPUTS = 600


@pytest.mark.parametrize("app", ["llamacppqwen36a3bone", "vllmgemma426ba4bvisionone"])
@pytest.mark.parametrize("seed", [11, 12])
def test_no_mutated_input_breaks_the_reader_or_the_rules(app: str, seed: int) -> None:
    tally = run(app, INPUTS, seed)
    assert tally.failures == []
    assert tally.inputs >= INPUTS
    assert len(tally.rules) > 10, "the mutations hardly break anything"
    assert tally.slowest < SLOW_SECONDS
    assert tally.memory_mib < 3 * MEMORY_MIB, "the test process itself, with everything it has imported"
