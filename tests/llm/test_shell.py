"""Start scripts of containers, read without running them."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market import shell

PRINTABLE = st.text(st.characters(min_codepoint=1, max_codepoint=0x2FF, exclude_characters="\x85"), max_size=12)
PIECES = st.sampled_from([
    "a", " ", "\n", "\\\n", "'", '"', "$", "$A", "${A", "${A:-b}", "${B:=c}", "$(x)", "`y`", "#", ";", "&&", "||", "|",
    "(", ")", "A=1", "B+=2", "C=(", "export ", "if ", "then ", "fi", "for x in ", "done", "<<EOF\n", "EOF\n", ">f",
    "\\", "{", "}", "exec ", "llama-server", "--x", "$@", "$1", "${A[@]}", "$'\\n'", "\t", "é", "set -- ",
])  # fmt: skip


def words(script: str, **variables: str | None) -> list[list[str]]:
    return [[word.text for word in command.words] for command in shell.commands(script, variables)]


@given(st.lists(PRINTABLE.filter(bool), min_size=1, max_size=6))
def test_it_reads_simple_commands_as_shlex_does(arguments: list[str]) -> None:
    if "=" in arguments[0] or arguments[0] in shell._LEADING | shell._OPENING | shell._CLOSING | shell._HEADERS:
        return  # an assignment or a reserved word, which shlex does not know
    if arguments[0] in shell._DECLARING or arguments[:2] == ["set", "--"]:
        return
    quoted = shlex.join(arguments)
    assert words(quoted) == [shlex.split(quoted)] == [arguments]


@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_text_makes_it_fail(script: str) -> None:
    for command in shell.commands(script, {"A": "x y", "B": None}, ("sh", "one")):
        assert command.words
        assert all(0 <= word.line <= script.count("\n") for word in command.words)


@given(st.text(max_size=200))
def test_no_characters_make_it_fail(script: str) -> None:
    shell.commands(script)


@pytest.mark.parametrize(("script", "expected"), [
    ("exec a --b  c", [["exec", "a", "--b", "c"]]),
    ("a \\\n  --b \\\n  c", [["a", "--b", "c"]]),
    ("a # b\nc", [["a"], ["c"]]),
    ("a#b", [["a#b"]]),
    ("a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]),
    ('a "b\\"c" "d\\$e" "f\\g"', [["a", 'b"c', "d$e", "f\\g"]]),
    ("a; b && c || d | e &", [["a"], ["b"], ["c"], ["d"], ["e"]]),
    ("a > out 2>&1 < in b", [["a", "b"]]),
    ("cat <<EOF > f\nexec nothing\nEOF\na", [["cat"], ["a"]]),
    ("cat <<-'E'\n\tx\n\tE\na", [["cat"], ["a"]]),
    ("if [ -f x ]; then a; else b; fi", [["[", "-f", "x", "]"], ["a"], ["b"]]),
    ("while true; do sleep 1; done; a", [["true"], ["sleep", "1"], ["a"]]),
    ("for f in 1 2; do echo $f; done", [["echo", "$f"]]),
    ("f() { a; }; b", [["f"], ["a"], ["b"]]),
    ("a $'x\\ny'", [["a", "x\ny"]]),
    ("a ''", [["a", ""]]),
    ("", []),
])  # fmt: skip
def test_commands(script: str, expected: list[list[str]]) -> None:
    assert words(script) == expected


@pytest.mark.parametrize(("script", "expected"), [
    ("X=1; a $X", ["a", "1"]),
    ("X=1 a", ["a"]),
    ('X="b c"; a $X "$X"', ["a", "b", "c", "b c"]),
    ("a ${X:-d} ${N:-d}", ["a", "x", "d"]),
    ("a ${E:-d} ${E-d}.", ["a", "d", "."]),
    (": ${N:=5}; a $N", ["a", "5"]),
    ("a ${X:+--flag} ${E:+--none}", ["a", "--flag"]),
    ("a ${N:-${X:-d}}", ["a", "x"]),
    ("A=(--b 'c d'); A+=(--e); a \"${A[@]}\"", ["a", "--b", "c d", "--e"]),
    ("A=(\n --b\n 1 # why\n)\na ${A[*]}", ["a", "--b", "1"]),
    ("P=/m; P=$P/x; a $P", ["a", "/m/x"]),
    ("S=-a; S+=' -b'; a $S", ["a", "-a", "-b"]),
    ('set -- --b "c d"; a "$@"', ["a", "--b", "c d"]),
    ("export Y=2; a $Y", ["a", "2"]),
    ("a pre${X}post", ["a", "prexpost"]),
])  # fmt: skip
def test_variables(script: str, expected: list[str]) -> None:
    assert words(script, X="x", E="")[-1] == expected


@pytest.mark.parametrize(("script", "unknown"), [
    ("a $N", "N"),
    ("a ${N}", "N"),
    ("a $SECRET", "SECRET"),
    ("a $(nproc)", "$(nproc)"),
    ('a "`nproc`"', "`nproc`"),
    ("a ${X%.gguf}", "${X%.gguf}"),
    ("a $((1 + 1))", "$((1 + 1))"),
    ("for f in x; do a $f; done", "f"),
    ("if b; then X=2; fi; a $X", "X"),
    ("b && X=2; a $X", "X"),
])  # fmt: skip
def test_what_only_running_could_tell(script: str, unknown: str) -> None:
    command = next(one for one in shell.commands(script, {"X": "x", "SECRET": None}) if one.words[0].text == "a")
    assert command.words[1].unknown == (unknown,)


def test_words_know_their_lines_and_commands_their_variables() -> None:
    command = shell.commands("\nHF=1 exec a \\\n  --b \\\n  c\n", {"X": "x"})[0]
    assert [(word.text, word.line) for word in command.words] == [("exec", 1), ("a", 1), ("--b", 2), ("c", 3)]
    assert command.environment == {"HF": "1", "X": "x"}


def test_a_long_script_takes_no_long_time() -> None:
    assert len(shell.commands("a 'b' \"$C\" ${D:-e};" * 5000)) == 5000
    assert shell.commands("a" * 90_000)[0].words[0].text == "a" * 90_000
    assert shell.commands("$(" * 40_000)
