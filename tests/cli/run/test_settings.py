"""antelog/cli/run/{jdbc_urls,settings,variables}.py: settings as texts, variables and secrets in them."""

import pytest

from antelog.cli.arguments.setting_error import SettingError
from antelog.cli.run.jdbc_urls import apart
from antelog.cli.run.settings import Settings, at_least, duration, master, trigger
from antelog.cli.run.variables import filled


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


def test_variables_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORE_KEY", "a$b")
    assert filled("x-${STORE_KEY}-$STORE_KEY") == "x-a$b-$STORE_KEY"
    with pytest.raises(SettingError, match=r"no variable STORE_KEZ. Did you mean STORE_KEY\?"):
        filled("${STORE_KEZ}")


@pytest.mark.parametrize(
    ("url", "left", "options"),
    [
        ("jdbc:h2:mem", "jdbc:h2:mem", {}),
        ("jdbc:h2://h/d?user=a&password=%24x&ssl=1", "jdbc:h2://h/d?ssl=1", {"user": "a", "password": "$x"}),
        ("jdbc:mysql://a:b%40c@h/d", "jdbc:mysql://h/d", {"user": "a", "password": "b@c"}),
        ("jdbc:sqlserver://h;a=d;password={x;y}", "jdbc:sqlserver://h;a=d", {"password": "x;y"}),
        ("jdbc:oracle:thin:a/b@h:1521/d", "jdbc:oracle:thin:@h:1521/d", {"user": "a", "password": "b"}),
    ],
)  # fmt: skip
def test_no_password_stays_in_an_address(url: str, left: str, options: dict[str, str]) -> None:
    assert apart(url, str) == (left, tuple(options.items()))


def test_variables_are_filled_in_last() -> None:
    """A password that looks like part of an address is none."""
    found = apart("jdbc:h2://h/d?password=$P", lambda text: text.replace("$P", "x&user=y"))
    assert found == ("jdbc:h2://h/d", (("password", "x&user=y"),))
