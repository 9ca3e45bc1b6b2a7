"""antelog/run/following.py: the notes at the start of a run that follows its sources."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import pytest

import antelog
from antelog.files.naming import Form
from antelog.run.address import Files
from antelog.run.following import FollowedRun, RunOutput
from antelog.run.settings import Settings

DENIES = "{}input Beat(x, time). Silent(X, T) :- Beat(X, T), not Beat(X, T+1). query Silent(X, T)."
HEARS = "input Beat(x, time). Heard(X, T) :- Beat(X, T). query Heard(X, T)."


@pytest.mark.parametrize(
    ("program", "options", "noted"),
    [
        (DENIES.format(""), {}, True),
        (DENIES.format("tick 1 second. "), {}, False),
        (DENIES.format("tick 1 second. "), {"clock": "event"}, True),
        (DENIES.format("tick 1 second. "), {"clock": "event", "once": True}, False),
        (HEARS, {}, False),
    ],
)
def test_a_run_says_if_what_silence_decides_waits_for_facts(
    program: str, options: Any, noted: bool, tmp_path: Path
) -> None:
    (tmp_path / "b.csv").write_text("x,time\n")
    notes: list[str] = []
    inputs = {"Beat": Files(str(tmp_path / "b.csv"), Form.CSV, False)}
    settings = Settings(inputs=inputs, **options)
    run = FollowedRun(antelog.parse(program), settings, {}, None, False, notes.append, lambda: None)
    with ExitStack() as stack:
        run.follower(RunOutput(None, lambda _: "", cast(Any, None)), stack)
    assert any("once a later fact has come" in note for note in notes) == noted
