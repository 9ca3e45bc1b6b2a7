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
