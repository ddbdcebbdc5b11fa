"""The options that engines know, and since when."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from market import flaglists, schema
from market.catalog import load
from market.engine import Engine, Release, engines
from market.flags import FlagList, Standing, unknown_values
from market.paths import PROJECT
from market.source import decode, read_file
from market.yamldoc import Document, parse

NAMES = flaglists.names()


def document(name: str) -> Document:
    file, problems = read_file(PROJECT, f"{flaglists.FOLDER}/{name}.yaml")
    assert file and not problems
    text, problems = decode(file)
    assert text and not problems
    found, problems = parse(text)
    assert found and not problems
    return found


@cache
def listed(id: str) -> FlagList:
    catalog, _ = load(PROJECT)
    found = flaglists.flags_of(engines(catalog.data["engines"].data)[id])
    assert found is not None
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_list_is_of_its_schema(name: str) -> None:
    found = document(name)
    assert list(schema.validate(found, "flags")) == []
    assert found.data["engine"] == name
    assert found.data["parent"] is None or found.data["parent"] in NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_list_names_each_option_once_and_only_its_own_snapshots(name: str) -> None:
    data = document(name).data
    spelled = [one for entry in data["flags"] for one in (*entry["names"], *entry.get("negative", ()))]
    assert sorted(spelled) == sorted(set(spelled))
    texts = [one["version"] for one in data["snapshots"]]
    marks = ("since", "until", "refused", "deprecated")
    used = {entry[key] for entry in data["flags"] for key in marks if key in entry}
    choices = [one for entry in data["flags"] for one in entry.get("choices", ()) if isinstance(one, dict)]
    used |= {choice[key] for choice in choices for key in marks if key in choice}
    assert used <= set(texts)
    order = [Release(text).compare(Release(after)) for text, after in pairwise(texts)]
    assert set(order) <= {-1}


def test_every_list_belongs_to_an_engine_of_the_catalog() -> None:
    catalog, _ = load(PROJECT)
    assert set(NAMES) <= set(engines(catalog.data["engines"].data))


@pytest.mark.parametrize(("engine", "spelling", "version", "expected"), [
    ("llama-cpp", "--load-mode", "b9725", Standing.TOO_NEW),
    ("llama-cpp", "--load-mode", "b10000", Standing.UNSURE),
    ("llama-cpp", "--load-mode", "b10156", Standing.KNOWN),
    ("llama-cpp", "--load-mode", "b99999", Standing.KNOWN),
    ("llama-cpp", "--mlock", "b9093", Standing.KNOWN),
    ("llama-cpp", "--mlock", "b10500", Standing.UNSURE),
    ("llama-cpp", "--mlock", "b11046", Standing.GONE),
    ("llama-cpp", "--draft-max", "b9310", Standing.REFUSED),
    ("llama-cpp", "--draft-max", "b8740", Standing.KNOWN),
    ("llama-cpp", "-c", "b8740", Standing.KNOWN),
    ("beellama-cpp", "--spec-dflash-cross-ctx", "0.1.2", Standing.KNOWN),
    ("beellama-cpp", "--spec-dflash-cross-ctx", "0.4.0", Standing.GONE),
    ("beellama-cpp", "--kv-tail-tokens", "0.3.0", Standing.TOO_NEW),
    ("beellama-cpp", "--draft-max", "0.1.2", Standing.KNOWN),
    ("vllm", "--swap-space", "0.12.0", Standing.KNOWN),
    ("vllm", "--swap-space", "0.21.0", Standing.GONE),
    ("vllm", "--spec-method", "0.20.2", Standing.TOO_NEW),
    ("vllm", "--max_model_len", "0.21.0", Standing.KNOWN),
    ("vllm", "--attention-config.flash_attn_version", "0.21.0", Standing.KNOWN),
])  # fmt: skip
def test_standing(engine: str, spelling: str, version: str, expected: Standing) -> None:
    found = listed(engine)
    flag = found.find(spelling)
    assert flag is not None
    assert found.standing(flag, Release(version)) is expected


def test_a_fork_is_not_said_to_have_dropped_what_its_parent_dropped() -> None:
    found, flag = listed("buun-llama-cpp"), listed("buun-llama-cpp").find("--mlock")
    assert flag is not None
    assert found.standing(flag, Release("c9c52d7", "2026-10-05")) is Standing.UNSURE
    new = found.find("--spec-draft-sampling")
    assert new is not None
    assert found.standing(new, Release("316e88e", "2026-05-22")) is Standing.TOO_NEW


def test_a_build_of_the_parent_itself_is_judged_by_its_date() -> None:
    found = listed("llama-cpp-mtp")
    assert found.covers(Release("ad27757", "2026-05-21"))
    assert not found.covers(Release("ad27757"))
    assert not listed("buun-llama-cpp").covers(Release("316e88e", "2026-05-22"))
    assert not listed("llama-cpp").covers(Release("b8740"))
    flag = found.find("--mlock")
    assert flag is not None
    assert found.standing(flag, Release("c0ffee1", "2026-09-20")) is Standing.GONE


def test_values() -> None:
    upstream, fork = listed("llama-cpp"), listed("beellama-cpp")
    kind, cache = upstream.find("--spec-type"), fork.find("-ctk")
    assert kind is not None
    assert cache is not None
    assert unknown_values(upstream, kind, ["draft-mtp,ngram-mod"], Release("b9310")) == ()
    assert unknown_values(upstream, kind, ["draft-mtp"], Release("b9093")) == (("draft-mtp", True),)
    assert unknown_values(upstream, kind, ["dflash"], Release("b9310")) == (("dflash", True),)
    assert unknown_values(upstream, kind, ["dflash"], Release("b8000")) == (("dflash", False),)
    assert unknown_values(fork, cache, ["turbo3", "q4_0"], Release("0.1.2")) == ()
    assert unknown_values(fork, cache, ["kvarn4"], Release("0.3.0")) == (("kvarn4", True),)
    assert unknown_values(fork, cache, ["turbo9"], Release("0.3.0")) == (("turbo9", False),)


def test_what_was_meant() -> None:
    found = listed("llama-cpp")
    assert found.similar("--no-contxt-shift") == "--no-context-shift"
    assert found.similar("--ctx_size") == "--ctx-size"
    assert found.similar("--xyzzy") == ""


def test_an_engine_without_a_list_has_none() -> None:
    assert flaglists.flags_of(Engine("unmute", ("unmute",), {}, {})) is None
