"""antelog/run/values.py: values of settings as texts."""

from pathlib import Path

import pytest

from antelog.forecast.columns import KINDS
from antelog.run.options import Runner, several
from antelog.run.values import (
    SettingError,
    chance,
    duration,
    length_of,
    master,
    one_of,
    sides,
    token,
    trigger,
    whole,
)


def kinds(text: str) -> object:
    return several("kind", *KINDS).read(text, Runner("try"))


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("30 seconds", 30_000_000),
        ("10s", 10_000_000),
        (" 1.5 hours ", 5_400_000_000),
        ("10", None),
        ("soon", None),
    ],
)
def test_lengths(text: str, microseconds: int | None) -> None:
    assert length_of(text) == microseconds


def test_durations_are_of_a_millisecond_or_more() -> None:
    assert (trigger("10s"), trigger("once"), duration("1.5 hours")) == (
        "10000 milliseconds", "once", 5_400_000_000,
    )  # fmt: skip
    for text, message in [("often", "is not a duration"), ("10us", "shorter than a millisecond")]:
        with pytest.raises(SettingError, match=message):
            duration(text)
    with pytest.raises(SettingError, match=r"Did you mean once\?"):
        trigger("onze")


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (whole(1), "0", "0 is too little. 1 is the least."),
        (whole(0, 9), "10", "10 is too much. 9 is the most."),
        (whole(2), "two", "`two` is not a whole number. 2 is the least."),
        (chance, "5", "5.0 is not a chance. Write one from 0 to 1, like 0.01."),
        (chance, "nan", "nan is not a chance."),
        (chance, "likely", "`likely` is not a chance."),
        (kinds, "possible,confirmd", "there is no kind `confirmd`. Did you mean confirmed?"),
        (one_of("clock", ("arrival", "event")), "evnt", "there is no clock `evnt`. Did you mean event?"),
        (one_of("clock", ("arrival", "event")), "wall", "The clocks are arrival, event."),
        (master, "sc://host", "is a Spark Connect server"),
    ],
)
def test_values_that_are_none(read, text: str, message: str) -> None:  # type: ignore[no-untyped-def]  # many readers
    with pytest.raises(SettingError) as error:
        read(text)
    assert message in str(error.value)


def test_values() -> None:
    assert (whole(1)("1"), chance("0.5"), master("local[2]")) == (1, 0.5, "local[2]")
    assert kinds("possible, confirmed") == ("possible", "confirmed")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("X=wt2", ("X", "wt2")),
        (" X = wt2 ", ("X", "wt2")),
        ("Temp=kafka://h/t?format=json", ("Temp", "kafka://h/t?format=json")),
        ("X", ("X", "")),
        ("=wt2", ("", "wt2")),
    ],
)
def test_the_first_equals_sign_counts(text: str, found: tuple[str, str]) -> None:
    assert sides(text) == found


def test_an_error_does_not_tell_the_secret() -> None:
    error = SettingError("`jdbc:postgresql://h/d?password=hunter2` lacks a table", "Name one.")
    assert "hunter2" not in str(error)
    assert str(error).endswith("lacks a table. Name one.")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("0123456789abcdef", "seen by everybody"),
        ("@", "seen by everybody"),
        ("@missing", "missing cannot be read: No such file"),
        ("@short", "@short is not a token: it has 16 letters"),
        ("$NOT_THERE", "is not a token"),
    ],
)
def test_texts_that_are_no_tokens(
    given: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("short").write_text("secret")
    with pytest.raises(SettingError, match=said.replace("$", r"\$")):
        token(given)
