"""antelog/cli/show/wrapping.py: lines that fit a terminal."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from antelog.cli.show import terminal
from antelog.cli.show.wrapping import wrapped, wrapped_text


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("error: short", 40, ["error: short"]),
        ("error: one that is too long for a line", 20, ["error: one that is", "  too long for a", "  line"]),
        ("  further in than the others", 22, ["  further in than the", "  others"]),
        ("the page: http://127.0.0.1:8000/?token=abcdefghijklmnopqrstuvwxyz", 30, [
            "the page:", "  http://127.0.0.1:8000/?token=abcdefghijklmnopqrstuvwxyz",
        ]),
        ("   2 | Malf(X, T) :- Temp(X, high, T), not Cool(Y, T).", 20, [
            "   2 | Malf(X, T) :- Temp(X, high, T), not Cool(Y, T).",
        ]),
        ("two lines\n\nand one between", 40, ["two lines", "", "and one between"]),
        ("a word 漢字漢字漢字漢字漢字 of two columns a letter", 24, [
            "a word", "漢字漢字漢字漢字漢字", "of two columns a", "letter",
        ]),
    ],
)  # fmt: skip
def test_messages(text: str, width: int, lines: list[str]) -> None:
    assert [line.strip() for line in wrapped(text, width).split("\n")] == [line.strip() for line in lines]


def test_the_first_line_may_have_something_in_front() -> None:
    assert wrapped("no such option", 14) == "no such option"
    assert wrapped("no such option", 14, len("Error: ")) == "no such\n  option"


def test_literals_stay_whole_and_begin_below_one_another() -> None:
    line = Text.assemble("    ", ("● Temp(a, 0)", "green"), "  ", ("○ Temp(a, 1)", "yellow"))
    found = list(wrapped_text(line, 30, 4))
    assert [part.plain for part in found] == ["    ● Temp(a, 0)  ○ Temp(a, 1)"]
    found = list(wrapped_text(line, 26, 4))
    assert [part.plain for part in found] == ["    ● Temp(a, 0)", "    ○ Temp(a, 1)"]
    assert [span.style for part in found for span in part.spans] == ["green", "yellow"]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_only_what_a_terminal_shows_is_wrapped(monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool) -> None:
    said = io.StringIO()
    console = Console(file=said, width=30, force_terminal=is_terminal)
    monkeypatch.setattr(terminal, "to_stderr", lambda: console)
    text = "error: temp.csv cannot be read: it is a folder"
    assert terminal.for_stderr(text) == (
        "error: temp.csv cannot be\n  read: it is a folder" if is_terminal else text
    )
