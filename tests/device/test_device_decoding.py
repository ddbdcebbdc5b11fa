"""Decoding: the verdicts of Go itself, the shape of the report, and that nothing makes it raise."""

from __future__ import annotations

import gzip
import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from market.device.entry import nul_path, read_entry
from market.device.godecode import GoType, Kind, MapOf, SliceOf, Struct, decode, fold
from market.device.gojson import MAX_DEPTH
from market.device.gunzip import GzipError, gunzip
from market.device.shapes import APPLICATIONS, CATALOG, HASH, INFO, INFO_GEN_A, TAXONOMY

# What encoding/json of Go 1.26 accepted and refused into the structs of the market's syncer.
ACCEPTED = (
    '{"last_updated":"2026-01-02T03:04:05Z"}',
    '{"last_updated":"2026-01-02T03:04:05.123Z"}',
    '{"last_updated":"2026-01-02T03:04:05.123456789+02:00"}',
    '{"last_updated":"2026-01-02T3:04:05Z"}',
    '{"last_updated":"2026-01-02T03:04:05,5Z"}',
    '{"last_updated":"0000-02-29T00:00:00Z"}',
    '{"last_updated":"2026-01-02T03:04:05+24:00"}',
    '{"last_updated":"2026-01-02T03:04:05-00:60"}',
    '{"last_updated":"2024-02-29T00:00:00Z"}',
    '{"last_updated":null}',
    "null",
    "{}",
    " {} \n",
    '{"hash":"\\ud800"}',
    '{"hash":"\\/"}',
    '{"HASH":"x"}',
    '{"hash":null}',
    '{"other":{"deep":[1,{}]}}',
    '{"data":null}',
    '{"data":{"apps":{"a":null,"b":5,"c":"x"}}}',
    '{"data":{"apps":{"a":{"n":1e-999}}}}',
    '{"data":{"apps":{"a":{"n":99999999999999999999}}}}',
    '{"data":{"tops":[{"rank":1}]}}',
    '{"data":{"tops":[{"rank":-0}]}}',
    '{"data":{"tops":[{"rank":9223372036854775807}]}}',
    '{"data":{"tops":[{"rank":-9223372036854775808}]}}',
    '{"data":{"tops":[{"rank":null}]}}',
    '{"data":{"tops":[null]}}',
    '{"data":{"tops":null}}',
    '{"data":{"latest":[null,"a"]}}',
    '{"data":{"tags":{"AI":null}}}',
    '{"data":{"tags":{"AI":{"title":null,"sort":null}}}}',
    '{"data":{"tags":{"AI":{"title":{"a":[1]}}}}}',
    '{"data":{"recommends":{"r":{"data":null}}}}',
    '{"data":{"topics":{"t":{"data":{"fr":null}}}}}',
    '{"stats":{"a":[{}]}}',
)

REFUSED = (
    '{"last_updated":"2026-01-02T03:04:05+25:00"}',
    '{"last_updated":"2026-01-02T03:04:05-00:61"}',
    '{"last_updated":"2026-01-02T03:04:60Z"}',
    '{"last_updated":"2026-01-02T24:00:00Z"}',
    '{"last_updated":"2026-02-29T00:00:00Z"}',
    '{"last_updated":"1900-02-29T00:00:00Z"}',
    '{"last_updated":"2026-04-31T00:00:00Z"}',
    '{"last_updated":"2026-13-01T00:00:00Z"}',
    '{"last_updated":"2026-00-01T00:00:00Z"}',
    '{"last_updated":"2026-01-00T00:00:00Z"}',
    '{"last_updated":"2026-01-02t03:04:05z"}',
    '{"last_updated":"2026-01-02 03:04:05Z"}',
    '{"last_updated":"2026-01-02T03:04:05"}',
    '{"last_updated":"2026-01-02T03:04:05.Z"}',
    '{"last_updated":"2026-01-02T03:04:05+0200"}',
    '{"last_updated":"2026-01-02T03:04Z"}',
    '{"last_updated":"2026-01-02"}',
    '{"last_updated":"2026-1-2T03:04:05Z"}',
    '{"last_updated":""}',
    '{"last_updated":"2026-01-02T03:04:05\\u005a"}',
    '{"last_updated":" 2026-01-02T03:04:05Z"}',
    '{"last_updated":1796022000}',
    '{"last_updated":{}}',
    '{"last_updated":[]}',
    '{"last_updated":true}',
    "[]",
    '"x"',
    "7",
    "{} {}",
    "{}x",
    "\ufeff{}",
    "",
    "{",
    '{"hash"}',
    '{"hash":}',
    '{"hash":"a",}',
    "{'hash':\"a\"}",
    '{"hash":NaN}',
    '{"hash":"a\tb"}',
    '{"hash":"a\\qb"}',
    '{"hash":"\\u12"}',
    '{"hash":tru}',
    '{"haſh":1}',
    '{"hash":1}',
    '{"hash":"a","hash":{}}',
    '{"hash":{},"hash":"a"}',
    '{"data":[]}',
    '{"data":"x"}',
    '{"DATA":{"TAGS":[]}}',
    '{"data":{"apps":{"a":{"n":1e999}}}}',
    '{"data":{"tops":[{"rank":1.0}]}}',
    '{"data":{"tops":[{"rank":1e2}]}}',
    '{"data":{"tops":[{"rank":01}]}}',
    '{"data":{"tops":[{"rank":9223372036854775808}]}}',
    '{"data":{"tops":[{"rank":true}]}}',
    '{"data":{"tops":[{"APPID":1}]}}',
    '{"data":{"tops":["a"]}}',
    '{"data":{"latest":[1]}}',
    '{"data":{"latest":{}}}',
    '{"data":{"tags":{"AI":[]}}}',
    '{"data":{"tags":{"AI":{"title":"AI"}}}}',
    '{"data":{"tags":{"AI":{"sort":"7"}}}}',
    '{"data":{"tags":{"AI":{"sort":7.5}}}}',
    '{"data":{"recommends":{"r":{"data":[]}}}}',
    '{"data":{"recommends":{"r":{"updated_at":1}}}}',
    '{"data":{"topics":{"t":{"data":{"fr":{"isdelete":"false"}}}}}}',
    '{"data":{"topics":{"t":{"data":{"fr":{"isdelete":0}}}}}}',
    '{"data":{"topics":{"t":{"data":[]}}}}',
    '{"data":{"topic_lists":{"l":{"title":"x"}}}}',
    '{"data":{"topic_lists":{"l":{"content":["x"]}}}}',
    '{"data":{"pages":{"p":{"content":[]}}}}',
    '{"stats":[]}',
    '{"version":"1","Version":2}',
)

PATIENT = settings(deadline=None)
"""No time limit for one example: the machine may be busy."""
TYPES: tuple[GoType, ...] = (HASH, INFO, INFO_GEN_A, CATALOG, TAXONOMY, APPLICATIONS, MapOf(Kind.ANY))


@pytest.mark.parametrize("text", ACCEPTED)
def test_go_accepts(text: str) -> None:
    assert decode(text.encode(), INFO).faults == ()


@pytest.mark.parametrize("text", REFUSED)
def test_go_refuses(text: str) -> None:
    faults = decode(text.encode(), INFO).faults
    assert faults
    assert all(fault.path.startswith("$") and fault.message and fault.why for fault in faults)


def test_values_are_gos() -> None:
    text = b'{"HASH":"a","hash":null,"data":{"tops":[{"APPID":"x","rank":2}],"latest":[null]}}'
    value = decode(text, INFO).value
    assert value["hash"] == "a"
    assert value["data"]["tops"] == [{"appId": "x", "appid": "", "rank": 2}]
    assert value["data"]["latest"] == [""]
    assert value["data"]["tags"] == {}


def test_duplicate_keys_merge_structs_and_maps_and_replace_elements() -> None:
    text = b'{"data":{"apps":{"a":1}},"data":{"apps":{"b":{"c":1,"c":2}},"tags":{"t":{"sort":1},"t":{"name":"n"}}}}'
    value = decode(text, INFO).value["data"]
    assert value["apps"] == {"a": 1, "b": {"c": 2}}
    assert (value["tags"]["t"]["sort"], value["tags"]["t"]["name"]) == (0, "n")


def test_text_is_gos() -> None:
    kind = MapOf(Kind.STRING)
    text = b'{"pair":"\\ud83d\\ude00","lone":"\\ud800x","bad":"\xff","slash":"\\/\\u00e9"}'
    expected = {"pair": "😀", "lone": "\ufffdx", "bad": "\ufffd", "slash": "/é"}
    assert decode(text, kind).value == expected


def test_large_whole_numbers_are_floats_as_in_go() -> None:
    value = decode(b"[9007199254740993, 900719925474099, 1.5]", SliceOf(Kind.ANY)).value
    assert value == [9007199254740992.0, 900719925474099, 1.5]


def test_paths_lead_to_the_fault() -> None:
    text = b'{"data":{"tags":{"LLM \\"Chat\\"":{"sort":"7"}},"tops":[{},{"rank":1.5}]}}'
    found = {fault.path: fault.message for fault in decode(text, INFO).faults}
    assert found == {
        '$.data.tags["LLM \\"Chat\\""].sort': 'expected int, found string "7"',
        "$.data.tops[1].rank": "expected a whole number (Go int), found number 1.5",
    }


def test_keys_fold_as_in_go() -> None:
    assert fold("ha\u017fh") == fold("HASH") == "HASH"
    assert fold("ran\u212a") == "RANK"
    assert fold("é") == "é"


def test_depth_has_a_limit() -> None:
    kind = SliceOf(Kind.ANY)
    assert decode(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, kind).faults == ()
    for text in (b"[" * 100_000, b'{"a":' * 100_000, b"[" * 300 + b"]" * 300):
        assert "nested deeper" in decode(text, kind).faults[0].message


def test_an_open_string_costs_no_time() -> None:
    assert decode(b'{"a":"' + b"x\\n" * 500_000, HASH).faults


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["2026-01-02T03:04:05Z", "AI", "\0"]),
    lambda child: (
        st.lists(child, max_size=4)
        | st.dictionaries(st.text(max_size=5), child, max_size=4)
        | st.dictionaries(
            st.sampled_from(["data", "apps", "tags", "items", "title", "sort", "hash", "id", "price", "paid"]),
            child,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@pytest.mark.parametrize("kind", TYPES, ids=range(len(TYPES)))
@PATIENT
@given(value=JSON_VALUES)
def test_no_json_value_raises(kind: GoType, value: object) -> None:
    decoded = decode(json.dumps(value).encode(), kind)
    if isinstance(kind, Struct):
        assert set(decoded.value) == set(kind.fields)


NEARLY_JSON = st.text(alphabet='{}[]",:0123e.-+\\u ntrfals', max_size=60).map(str.encode)


@pytest.mark.parametrize("kind", TYPES, ids=range(len(TYPES)))
@PATIENT
@given(data=st.binary(max_size=200) | NEARLY_JSON)
def test_no_bytes_raise(kind: GoType, data: bytes) -> None:
    decoded = decode(data, kind)
    refused = any(fault.message.startswith("not JSON") for fault in decoded.faults)
    assert refused != is_json(data)


def is_json(data: bytes) -> bool:
    """Ask Python's reader, which differs from Go's in NaN and Infinity, in bytes that are not UTF-8."""
    try:
        json.loads(data.decode("utf-8", "replace"), parse_constant=refuse)
    except ValueError:
        return False
    return True


def refuse(name: str) -> None:
    raise ValueError(name)


SIMPLE_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**14), 10**14)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda child: st.lists(child, max_size=4) | st.dictionaries(st.text(max_size=5), child, max_size=4),
)


@PATIENT
@given(value=st.dictionaries(st.text(max_size=5), SIMPLE_VALUES), escaped=st.booleans())
def test_any_takes_every_value_unchanged(value: dict[str, object], escaped: bool) -> None:
    decoded = decode(json.dumps(value, ensure_ascii=escaped).encode(), MapOf(Kind.ANY))
    assert decoded.faults == ()
    assert decoded.value == value


@PATIENT
@given(
    detail=st.dictionaries(
        st.sampled_from(["price", "title", "subCharts", "requiredCPU", "entrances", "TITLE"]) | st.text(), JSON_VALUES
    )
)
def test_no_detail_raises(detail: dict[str, object]) -> None:
    entry, faults = read_entry(detail, "$")
    assert set(entry) <= set(detail)
    assert faults
    nul_path(detail, "$")


@PATIENT
@given(data=st.binary(max_size=5000), cut=st.integers(0, 40))
def test_gunzip_gives_all_or_nothing(data: bytes, cut: int) -> None:
    packed = gzip.compress(data)
    assert gunzip(packed + packed, 10_000) == data + data
    if cut:
        with pytest.raises(GzipError):
            gunzip(packed[:-cut] if cut < len(packed) else b"", 10_000)


@PATIENT
@given(data=st.binary(max_size=200))
def test_gunzip_refuses_noise(data: bytes) -> None:
    with pytest.raises(GzipError):
        gunzip(data, 1000)


def test_gunzip_bomb_takes_no_memory() -> None:
    bomb = gzip.compress(bytes(200 * 1024**2), 1)
    tracemalloc.start()
    try:
        with pytest.raises(GzipError, match="more than 1048576 bytes"):
            gunzip(bomb, 1024**2)
        assert tracemalloc.get_traced_memory()[1] < 16 * 1024**2
    finally:
        tracemalloc.stop()
