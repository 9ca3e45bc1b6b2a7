"""antelog/cli/show/{diagnostics,set_aside,terminal}.py: counts, mistakes, plans and progress in words."""

import io
import os
import signal

import click
import pytest
from pyarrow import csv
from rich.console import Console
from rich.text import Text

from antelog.cli.show import terminal
from antelog.cli.show.endings import ending_in_words, stoppable
from antelog.cli.show.terminal import print_diagnostics, wrapped, wrapped_text
from antelog.diagnostics import Diagnostic, Source, Span
from antelog.errors import DataError


def _console(*, terminal: bool = False) -> Console:
    return Console(
        file=io.StringIO(), force_terminal=terminal, width=100, color_system="standard" if terminal else None
    )


def _shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_diagnostics_are_the_same_with_colours_and_without() -> None:
    source = Source("A(X, T) :- B(X, T).", "p.alog")
    found = Diagnostic("E401", "something is wrong", Span(0, 1), "Mend it.")
    plain, coloured = _console(), _console(terminal=True)
    print_diagnostics([found], source, plain)
    print_diagnostics([found], source, coloured)
    assert "p.alog:1:1: error E401" in _shown(plain)
    assert _shown(plain).endswith("1 error\n")
    assert "\x1b[" not in _shown(plain)
    assert "\x1b[1;31merror E401" in _shown(coloured)


def test_what_is_quick_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    for patience, bars in [(60.0, 0), (0.0, 1)]:
        console = _console(terminal=True)
        monkeypatch.setattr(terminal, "_PATIENCE", patience)
        monkeypatch.setattr(terminal, "_BETWEEN", 0.0)
        monkeypatch.setattr(terminal, "to_stderr", lambda console=console: console)
        with terminal.progress_bar("facts", 10, results=False) as report:
            report(5)
        assert ("50%" in _shown(console)) == bool(bars)


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


def _failed() -> DataError:
    """An error of ours in place of two others, the inner one with a stack of Java's."""
    try:
        try:
            java = ValueError("Path does not exist")
            java._stackTrace = "\tat org.apache.spark.Job"  # type: ignore[attr-defined]
            java.add_note("what Java said as it started")
            raise java
        except ValueError:
            raise KeyError("gone") from None
    except KeyError:
        try:
            raise DataError("there is no such file") from None
        except DataError as error:
            return error


@pytest.mark.parametrize("debug", [False, True])
def test_what_is_behind_an_error_is_told_if_it_is_asked_for(
    debug: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    context = click.Context(click.Command("run"))
    with pytest.raises(click.exceptions.Exit) as ended, ending_in_words(context, debug=debug):
        raise _failed()
    assert ended.value.exit_code == 1
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "error: there is no such file"
    assert said[1:] == (
        [
            "KeyError: 'gone'",
            "ValueError: Path does not exist",
            "\tat org.apache.spark.Job",
            "what Java said as it started",
        ]
        if debug
        else []
    )


def _interrupted() -> None:
    try:
        raise KeyboardInterrupt(signal.SIGTERM)
    finally:
        try:
            raise ConnectionError("Answer from Java side is empty")
        except ConnectionError as error:
            raise DataError(str(error)) from None


def test_what_fails_in_tidying_up_after_an_interruption_is_not_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    context = click.Context(click.Command("run"))
    with pytest.raises(click.exceptions.Exit) as ended, ending_in_words(context):
        _interrupted()
    assert (ended.value.exit_code, capsys.readouterr().err) == (143, "Stopped.\n")


class Told(io.BytesIO):
    """A file during whose reading the process is told to end."""

    told = False

    def read(self, size: int | None = -1) -> bytes:
        if not self.told:
            os.kill(os.getpid(), signal.SIGTERM)
        self.told = True
        return super().read(size)


def test_a_file_that_is_being_read_is_read_to_its_end() -> None:
    with stoppable() as stopping:
        assert csv.read_csv(Told(b"x,time\nd1,1\n")).num_rows == 1
        assert stopping()


def test_a_second_signal_interrupts() -> None:
    with stoppable() as stopping:
        signal.raise_signal(signal.SIGINT)
        assert stopping()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_says_nothing_by_itself(number: signal.Signals, capsys: pytest.CaptureFixture[str]) -> None:
    """It may come while another line is being written."""
    with stoppable("stopping after this batch; once more stops at once") as stop_requested:
        assert not stop_requested()
        signal.raise_signal(number)
        assert not capsys.readouterr().err
        assert stop_requested()
        assert stop_requested()
        assert capsys.readouterr().err == "stopping after this batch; once more stops at once\n"
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
