"""antelog/cli/run/pipeline.py: a pipeline that is asked to stop by a signal."""

import signal

import pytest

from antelog.cli.run.pipeline import stop_requests


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_says_nothing_by_itself(number: signal.Signals, capsys: pytest.CaptureFixture[str]) -> None:
    """It may come while another line is being written."""
    with stop_requests() as stop_requested:
        assert not stop_requested()
        signal.raise_signal(number)
        assert not capsys.readouterr().err
        assert stop_requested()
        assert stop_requested()
        assert capsys.readouterr().err == "stopping after this batch; once more stops at once\n"
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
