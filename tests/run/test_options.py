"""antelog/run/{options,settings}.py: one declaration yields a flag, a key of TOML and a keyword argument."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

import antelog
from antelog.cli.arguments.flags import flags
from antelog.diagnostics import Source
from antelog.errors import ArgumentError, ProgramError
from antelog.run.config import parse_config
from antelog.run.options import Arity, Runner, flag, keywords, option, options_of, takes, whole_number, words
from antelog.run.settings import EngineSettings, Settings

RUNNER = Runner("watch")


@dataclass(frozen=True, kw_only=True)
class More(Settings):
    patience: int = option(3, whole_number(1, "TICKS"), "The ticks to wait.", on=("watch",))


@dataclass(frozen=True, kw_only=True)
class Small:
    lag: int = option(1, whole_number(0), "The lag.", on=())
    colour: str | None = option(None, words("colour", "red", "green"), "The colour.", on=("watch",))
    loud: bool = flag(False, "Loud.", on=("watch",))
    names: Sequence[str] = option(
        (), words("name", "a", "b"), "Names.", name="name", on=("watch",), arity=Arity.MANY
    )


@click.command()
@flags(RUNNER, settings=More)
def patient(settings: More) -> None:
    click.echo(f"{settings.patience} {sorted(settings.given)}")


def test_one_more_field_is_a_flag() -> None:
    assert CliRunner().invoke(patient, ["--patience", "7"]).output == "7 ['patience']\n"
    assert CliRunner().invoke(patient, []).output == "3 []\n"
    said = CliRunner().invoke(patient, ["--patience", "0"]).output
    assert "Invalid value for '--patience': 0 is too little. 1 is the least." in said
    assert "--patience TICKS" in CliRunner().invoke(patient, ["--help"]).output
    assert "[default: 3]" in CliRunner().invoke(patient, ["--help"]).output


def test_one_more_field_is_a_key_of_toml() -> None:
    found = parse_config(Source("patience = 7\nlag = 2", "p.toml"), More, RUNNER)
    assert found.values == {"patience": 7, "lag": 2}
    with pytest.raises(ProgramError) as error:
        parse_config(Source("patence = 7\npatience = 0", "p.toml"), More, RUNNER)
    assert [(each.message, each.hint) for each in error.value.diagnostics] == [
        ("a pipeline has no setting `patence`", "There are " + ", ".join(keys()) + "."),
        ("`patience`: 0 is too little", "1 is the least."),
    ]


def keys() -> list[str]:
    return [each.name for each in options_of(More, "watch") if each.in_file]


def test_one_more_field_is_a_keyword() -> None:
    assert keywords(More, "follow", {"patience": 7}).patience == 7
    with pytest.raises(ArgumentError, match=r"follow: patience is 'soon', of type str; give a whole number"):
        keywords(More, "follow", {"patience": "soon"})
    with pytest.raises(TypeError, match=r"follow\(\) has no option patence. Did you mean patience\?"):
        keywords(More, "follow", {"patence": 7})


@takes(Small)
def run(program: str, inputs: int, options: Small) -> str:
    return f"{program} {inputs} {options.lag} {options.colour}"


def test_a_function_takes_the_fields_as_keywords() -> None:
    assert run("p", 2, lag=3, colour="red") == "p 2 3 red"
    assert run("p", 2) == "p 2 1 None"
    assert list(inspect.signature(run).parameters) == ["program", "inputs", "lag", "colour", "loud", "names"]
    with pytest.raises(TypeError, match=r"run\(\) has no option lagg. Did you mean lag\?"):
        run("p", 2, lagg=3)  # type: ignore[call-arg]  # that is the point


def test_options_belong_to_commands() -> None:
    assert [each.flag for each in options_of(Small, "watch")] == ["--colour", "--loud", "--name"]
    assert [each.attribute for each in options_of(Small)] == ["lag", "colour", "loud", "names"]


def test_tab_suggests_words() -> None:
    @click.command()
    @flags(RUNNER, small=Small)
    def command(small: Small) -> None:
        """Nothing."""

    complete = ShellComplete(command, {}, "x", "_X")
    assert [each.value for each in complete.get_completions(["--colour"], "r")] == ["red"]
    assert [each.value for each in complete.get_completions([], "--lo")] == ["--loud"]


def test_no_two_options_share_a_name() -> None:
    for name in ("attribute", "name"):
        found = [getattr(each, name) for each in options_of(Settings)]
        assert sorted(found) == sorted(set(found))


def test_engines_have_the_settings_as_keywords() -> None:
    """With the defaults of the struct, which has all of them."""
    declared = inspect.signature(antelog.Engine.__init__).parameters
    known = {each.attribute: each.default for each in options_of(EngineSettings)}
    assert declared.keys() - {"self", "program", "static", "arrival"} == known.keys()
    same = {name: each.default for name, each in declared.items() if name in known and name != "only"}
    assert same == {name: known[name] for name in same}


def test_a_replay_has_the_settings_as_keywords() -> None:
    names = inspect.signature(antelog.replay).parameters
    assert {"until", "map", "model", "only", "limit", "static"} < set(names)


def test_given_settings_are_known() -> None:
    changed = Settings().changed({"lag": 1, "program": Path("p.alog")})
    assert changed.given == {"lag", "program"}
    assert changed.changed({"stream": True}).given == {"lag", "program", "stream"}
