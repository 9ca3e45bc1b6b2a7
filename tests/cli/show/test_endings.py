"""antelog/cli/show/endings.py: an error in words, and what was behind it if that is asked for."""

from __future__ import annotations

import io
import os
import signal

import click
import pytest
from pyarrow import csv

from antelog.cli.show.endings import behind, ending_in_words, stoppable
from antelog.cli.stopping import Terminated
from antelog.errors import DataError


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


def test_a_text_is_told_once() -> None:
    error = DataError("twice")
    error.__context__ = ValueError("twice")
    assert [*behind(error)] == []


def _interrupted() -> None:
    try:
        raise Terminated
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
