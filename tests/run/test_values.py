"""antelog/run/values.py: values of settings as texts."""

from pathlib import Path

import pytest

from antelog.run.values import SettingError, duration, length_of, token, trigger


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
    ("given", "said"),
    [
        ("0123456789abcdef", "seen by everybody"),
        ("@", "seen by everybody"),
        ("@missing", "missing cannot be read: No such file"),
        ("@short", "@short is not a token: one has 16 letters"),
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
