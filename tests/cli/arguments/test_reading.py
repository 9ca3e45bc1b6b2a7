"""antelog/cli/arguments/{reading,setting_error}.py: texts that are read, and those that cannot be."""

import click
import pytest

from antelog.cli.arguments.reading import SECRET_SHOWN, Read, equation, sides
from antelog.run.values import SettingError


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


@pytest.mark.parametrize("text", ["X", "X=", "=wt2", " = "])
def test_neither_side_may_be_missing(text: str) -> None:
    assert equation("X=wt2")("X=a=b") == ("X", "a=b")
    with pytest.raises(SettingError, match="lacks a name or a value"):
        equation("X=wt2")(text)


def test_what_cannot_be_read_is_a_usage_error() -> None:
    type_ = Read("X=VALUE", equation("X=wt2"))
    assert type_.convert("X=1", None, None) == ("X", "1")
    with pytest.raises(click.BadParameter, match="`X` lacks a name or a value"):
        type_.convert("X", None, None)


def test_a_secret_on_the_command_line_is_noted() -> None:
    type_, context = Read("URL", str), click.Context(click.Command("run"))
    type_.convert("kafka://h/t", None, context)
    assert SECRET_SHOWN not in context.meta
    type_.convert("jdbc:postgresql://h/d?password=hunter2", None, context)
    assert context.meta[SECRET_SHOWN]


def test_an_error_does_not_tell_the_secret() -> None:
    error = SettingError("`jdbc:postgresql://h/d?password=hunter2` lacks a table", "Name one.")
    assert "hunter2" not in str(error)
    assert str(error).endswith("lacks a table. Name one.")
