"""antelog/cli/show/endings.py: a signal asks the follower to stop, and breaks nothing off."""

from __future__ import annotations

import io
import os
import signal

import pytest
from pyarrow import csv

from antelog.cli.show.endings import stoppable


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
