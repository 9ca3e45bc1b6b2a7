"""antelog/escaping.py: data that a terminal, a page or a spreadsheet would obey is shown, and not obeyed."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.errors import DataError, ProgramError
from antelog.escaping import cell, in_html, json_in_html, json_text, ready, shown, shown_lines, tag, text
from antelog.program import parse
from tests.broken_lines import OBEYED, obeyed

ROOT = Path(__file__).resolve().parent.parent


def test_what_is_obeyed_is_shown_as_its_number() -> None:
    for character in OBEYED:
        assert shown(f"a{character}b") == f"a\\u{ord(character):04x}b"
        assert shown_lines(f"a{character}b") == shown(f"a{character}b")
        assert not obeyed(json_text({character: [character]}))
        assert json.loads(json_text({character: [character]})) == {character: [character]}
        assert not obeyed(in_html(character))


def test_the_rest_stays_as_it_is() -> None:
    text = "Wärter 温度 درجة ~ \\u001b 😀"
    assert shown(text) == shown_lines(text) == text
    assert shown(shown("\x1b")) == "\\u001b"
    assert shown("a\n\tb") == "a\\u000a\\u0009b"
    assert shown_lines("a\n\tb") == "a\n\tb"
    assert json_text({"X": text}) == json.dumps({"X": text}, ensure_ascii=False)
    assert json_text("ä\x9b", ascii_only=True) == '"\\u00e4\\u009b"'


def test_json_in_a_page() -> None:
    value = {"<!--<script>": "</script>\u2028\u2029\x9b", "a": [1.5, None]}
    written = json_in_html(value)
    assert not re.search("[<\u2028\u2029]", written)
    assert json.loads(written) == value
    assert in_html("<b>&\u202e") == "&lt;b&gt;&amp;\\u202e"


@pytest.mark.parametrize(
    "text", ["=1+1", "+a", "-a", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-1-1", "=", "'=1", "\uff1d1"]
)
def test_cells_that_a_spreadsheet_would_compute(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=1", "-5", "+5", "-1.5e3", "-.5", "5.", "'a", "wt2,high,-1", "1e-3"])
def test_other_cells(text: str) -> None:
    assert cell(text) == text


def test_errors_can_be_shown() -> None:
    assert str(DataError("a\x1b[2J\nb")) == "a\\u001b[2J\\u000ab"


def test_a_program_in_a_message() -> None:
    text = 'input A(x, time).\nP(X, T) :- A("\x1b\u202e", T), A(\x9b, T).\nquery P(X, T).\n'
    with pytest.raises(ProgramError) as caught:
        parse(text, name="\x1b.alog")
    lines = str(caught.value).split("\n")
    assert not obeyed("".join(lines))
    assert lines[0].startswith("\\u001b.alog:2:")
    # The carets stand below what is meant, behind what is longer than it was.
    ((excerpt, carets),) = [(a, b) for a, b in pairwise(lines) if set(b) == {*" |^"}]
    assert excerpt[carets.index("^") : carets.rindex("^") + 1] == "\\u009b"


def test_commands_show_through_one_door() -> None:
    doors = re.compile(r"click\.echo\(|\.print\((?!\)|\")|\bConsole\([^)]|\.write\(")
    found = {
        path.relative_to(ROOT).as_posix(): doors.findall(path.read_text(encoding="utf-8"))
        for path in ROOT.glob("antelog/cli/**/*.py")
    }
    assert {name: there for name, there in found.items() if there} == {
        "antelog/cli/stopping.py": [".write("],  # a line of its own
        "antelog/cli/show/endings.py": [".write("],
        "antelog/cli/commands/format_.py": [".write("],  # a program, as it is given
        "antelog/cli/serving.py": [".write("],  # into a feed
        "antelog/cli/commands/state.py": [".write("],  # a folder
        "antelog/cli/commands/watch.py": [".print(", ".write("],
        "antelog/cli/show/terminal.py": [*["click.echo("] * 2, "Console(s", "Console(h", ".print("],
        "antelog/cli/show/listing.py": [".write("] * 3,  # lines of JSON, and of `shown_lines`
        "antelog/cli/run/pipeline.py": [".write("] * 2,  # into a feed, and by Spark
    }


def test_a_plan_can_be_shown() -> None:
    program = parse('input A(x, time).\nP(X, T) :- A(X, T), A("\x9b\u202e", T).\nquery P(X, T).\n')
    assert not obeyed(str(program))
    assert "\\u009b\\u202e" in str(program)


# ---- markup: whatever data contains, it stays text ----


def test_elements() -> None:
    assert tag("p", "a", tag("b", "c"), None, ["d", 1200]) == "<p>a<b>c</b>d1,200</p>"
    assert tag("input", name="x", checked=True, disabled=False, value=None) == '<input name="x" checked>'
    found = tag("a", href="?x=1&y", class_="row", data_id="3")
    assert found == '<a href="?x=1&amp;y" class="row" data-id="3"></a>'


@given(st.text())
def test_texts_and_values_never_become_markup(data: str) -> None:
    found = tag("p", data, title=data)
    assert found.count("<") == 2
    assert found.count(">") == 2
    assert found.count('"') == 2


def test_markup_is_put_in_as_it_is() -> None:
    assert text(ready("<b>"), "<b>") == "<b>&lt;b&gt;"
    assert hasattr(text("a"), "__html__")
