"""antelog/cli/run/settings.py: settings as texts."""

import pytest

from antelog.cli.run.settings import Settings, at_least, duration, master, trigger
from antelog.run.values import SettingError


def test_a_setting_belongs_to_one_group() -> None:
    changed = Settings().changed({"lag": 3, "stream": True, "buckets": 5})
    assert (changed.timing.lag, changed.flow.stream, changed.cluster.buckets) == (3, True, 5)
    assert changed.changed({"lag": None}) == Settings().changed({"stream": True, "buckets": 5})


def test_durations_are_those_of_spark() -> None:
    assert (trigger("10s"), trigger("once"), duration("1.5 hours")) == (
        "10000 milliseconds", "once", "5400000 milliseconds",
    )  # fmt: skip
    for text, message in [("often", "is not a duration"), ("10us", "shorter than a millisecond")]:
        with pytest.raises(SettingError, match=message):
            duration(text)
    with pytest.raises(SettingError, match=r"Did you mean once\?"):
        trigger("onze")


def test_what_is_too_little_or_elsewhere() -> None:
    assert (at_least(1, 1), master("local[2]")) == (1, "local[2]")
    with pytest.raises(SettingError, match="1 is the least"):
        at_least(1, 0)
    with pytest.raises(SettingError, match="is a Spark Connect server"):
        master("sc://host")
