"""Whatever a market sends, the device reports it and does not break."""

from __future__ import annotations

import copy
import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from market.device.chart import inspect
from market.device.report import plain_lines
from market.device.state import Row
from market.device.sync import Options
from market.device.transport import Reply, undo_encoding
from market.device.verify import verify_market

if TYPE_CHECKING:
    from tests.device.conftest import Ask, SmallMarket

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10**20)
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.sampled_from(["", "appone", "1.0.0", "\0", "[", "[{}]", '[{"type":"Topic","id":[]}]', "a,b"]),
    lambda child: (
        st.lists(child, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "name", "version", "title", "content", "data", "apps"]) | st.text(max_size=4),
            child,
            max_size=4,
        )
    ),
    max_leaves=8,
)
DOCUMENTS = ("info", "details", "catalog", "taxonomy", "applications")
PATIENT = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@dataclass(frozen=True, slots=True)
class Direct:
    """A market asked without a network."""

    ask: Ask

    def get(self, path: str, query: Mapping[str, str]) -> Reply:
        return self._reply("GET", path, dict(query), b"")

    def post(self, path: str, body: bytes) -> Reply:
        return self._reply("POST", path, {}, body)

    def _reply(self, method: str, path: str, query: dict[str, str], body: bytes) -> Reply:
        answer = self.ask(method, f"{path}?{urlencode(query)}", {}, body)
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return undo_encoding(Reply(method, path, answer.status, headers, answer.body), 10**7)


def replace_somewhere(draw: Callable[[st.SearchStrategy[Any]], Any], value: Any) -> Any:
    """Put an arbitrary value, or an arbitrary key, at an arbitrary place of a document."""
    children = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    if not children or draw(st.integers(0, 4)) == 0:
        return draw(ANYTHING)
    key = draw(st.sampled_from(children))
    value[key] = replace_somewhere(draw, value[key])
    if isinstance(value, dict) and draw(st.booleans()):
        value[draw(st.text(max_size=5))] = draw(ANYTHING)
    return value


@PATIENT
@given(data=st.data())
def test_no_document_breaks_the_device(
    data: st.DataObject, small_market: SmallMarket, direct: Callable[..., Ask]
) -> None:
    market = copy.deepcopy(small_market)
    for name in data.draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=3)):
        spoiled = replace_somewhere(data.draw, getattr(market, name))
        setattr(market, name, spoiled if isinstance(spoiled, dict) else {})
    options = Options(pauses=(0.0, 0.0))
    result = verify_market(Direct(direct(market)), "noise", ("genA", "genB", "v2"), options, lambda _: None)
    assert result.passed == (not result.deviations)
    assert all(line.isprintable() for line in plain_lines(result))


@PATIENT
@given(body=st.binary(max_size=100), status=st.sampled_from([200, 404]), zipped=st.booleans())
def test_no_bytes_break_the_device(
    body: bytes, status: int, zipped: bool, small_market: SmallMarket, direct: Callable[..., Ask]
) -> None:
    market = copy.deepcopy(small_market)
    for path in ("/api/v1/appstore/info", "/api/v2/catalog", "/api/v1/applications/info"):

        def spoil(request: Any, answer: Any) -> Any:
            answer.body, answer.status = body, status
            answer.headers |= {"Content-Encoding": "gzip"} if zipped else {}
            return answer

        market.spoil(path, spoil)
    options = Options(pauses=(0.0, 0.0))
    result = verify_market(Direct(direct(market)), "noise", ("genA", "v2"), options, lambda _: None)
    assert not result.passed


ROW = Row("970545dc", "appone", "1.0.0", {"categories": ["LLM Chat"]})
EDITS = st.lists(st.tuples(st.integers(0, 100_000), st.binary(max_size=8)), min_size=1, max_size=6)


def edited(data: bytes, edits: list[tuple[int, bytes]]) -> bytes:
    for at, new in edits:
        place = at % (len(data) + 1)
        data = data[:place] + new + data[place + len(new) :]
    return data


@PATIENT
@given(edits=EDITS, cut=st.integers(0, 2000), inside=st.booleans())
def test_no_chart_breaks_the_device(
    edits: list[tuple[int, bytes]], cut: int, inside: bool, small_market: SmallMarket
) -> None:
    tgz = small_market.charts["appone-1.0.0.tgz"]
    if inside:
        tgz = gzip.compress(edited(gzip.decompress(tgz), edits), 1)
    else:
        tgz = edited(tgz, edits)[: max(len(tgz) - cut, 0)]
    title, faults = inspect(tgz, ROW)
    assert isinstance(title, str)
    assert all(fault.path.startswith("appone-1.0.0.tgz") for fault in faults)


@PATIENT
@given(text=st.text(alphabet="{}[]:-, \n&*!|>'\"abc0123metadataversionname.#%@\t", max_size=80))
def test_no_manifest_breaks_the_device(text: str, small_market: SmallMarket) -> None:
    market = copy.deepcopy(small_market)
    market.files["appone"]["OlaresManifest.yaml"] = text.encode()
    market.repack()
    assert inspect(market.charts["appone-1.0.0.tgz"], ROW)[1]
