"""antelog/cli/arguments/maps.py: `--map` is compared with the program, and is the same for all commands."""

from typing import Any

import click
import pytest

import antelog
from antelog.cli.arguments.maps import maps_of, misfits
from antelog.cli.main import main

PLAN = antelog.parse(
    "input Temp(device, level, time). static Site(device, place).\n"
    "A(X, T) :- Temp(X, high, T), Site(X, here). query A(X, T)."
).plan


def given(*maps: tuple[str, str]) -> dict[str, Any]:
    return {"maps": maps, "arrival": "came"}


def test_columns_of_all_and_of_one() -> None:
    maps = given(("device", "id"), ("Temp.device", "sensor"), ("Site.place", "a.b"), ("came", "meta.at"))
    assert maps_of(PLAN, maps) == dict(maps["maps"])


@pytest.mark.parametrize(
    ("column", "name", "said"),
    [
        ("devise", "x", "no input of the program has a column devise. Did you mean device?"),
        ("Temp.place", "x", "Temp has no column place. There are device, level, time, came."),
        ("Tmp.device", "x", "the program has no input Tmp. Did you mean Temp?"),
        ("device", "@key", "on Spark: `antelog run`"),
    ],
)
def test_what_the_program_does_not_have(column: str, name: str, said: str) -> None:
    with pytest.raises(click.BadParameter) as error:
        maps_of(PLAN, given((column, name)))
    assert said in str(error.value)


def test_on_spark_messages_have_keys() -> None:
    assert list(misfits(PLAN, ["device", "Site.device", "arrival"], "arrival")) == []


@pytest.mark.parametrize("command", ["try", "watch", "draw", "learn", "score", "run"])
def test_all_commands_have_it(command: str) -> None:
    found = main.get_command(click.Context(main), command)
    assert found is not None
    (option,) = (each for each in found.params if each.name == "maps")
    assert isinstance(option, click.Option)
    assert (option.opts, option.multiple, option.metavar) == (["--map"], True, "COLUMN=NAME")
