"""antelog/run/checks.py: settings that do not fit one another, or their program."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import antelog
from antelog.files.naming import Form
from antelog.run.address import Files, Standard
from antelog.run.checks import conflicts, misfits, resolved
from antelog.run.settings import Settings

RULES = """{}input Temp(device, level, time). input On(device, time: s). static Site(device, place).
A(X, T) :- Temp(X, high, T), On(X, T), Site(X, here). query A(X, T)."""
TICKS, MINUTES = (
    antelog.parse(RULES.replace(": s", "").format("")),
    antelog.parse(RULES.format("tick 1 minute. ")),
)
CSV = Files("a.csv", Form.CSV)


def said(settings: Settings, program: antelog.Program = TICKS) -> list[str]:
    return [f"{each.settings[0]}: {each.message}. {each.hint}" for each in misfits(program.plan, settings)]


def test_settings_that_fit() -> None:
    maps = {"device": "id", "Temp.device": "sensor", "Site.place": "a.b", "came": "meta.at"}
    assert said(Settings(inputs={"Temp": CSV}, statics={"Site": CSV}, map=maps, arrival="came")) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"inputs": {"Tmp": CSV}}, "input.Tmp: the program has no input Tmp. Did you mean Temp?"),
        ({"inputs": {"Site": CSV}}, "It is a static predicate: give it under static, Site=a.csv."),
        ({"group_by": "On"}, "group_by: the program has no static relation On of a device and its group."),
        ({"statics": {"On": CSV}}, "static.On: the program has no static predicate On. It is an input"),
        ({"inputs": {"A": CSV}}, "The rules derive it from others."),
        ({"map": {"devise": "x"}}, "map: no input of the program has a column devise. Did you mean"),
        ({"map": {"Temp.place": "x"}}, "input.Temp: Temp has no column place. There are device, level"),
        ({"map": {"Tmp.device": "x"}}, "input.Tmp: the program has no input Tmp. Did you mean Temp?"),
        ({"time_units": {"": "ms"}}, "time_unit: the program does not say how long a tick is"),
        ({"time_units": {"Tmep": "ms"}}, "input.Tmep: the program has no input Tmep. Did you mean Temp?"),
        ({"clock": "processing"}, "clock: the program does not say how long a tick is, and the wall clock"),
        ({"idle": "3s"}, "idle: the program does not say how long a tick is, and the wall clock"),
        ({"most": 9}, "most: the program declares no chances"),
        ({"min_chance": 0.1}, "Give a model, or `learn`, or declare a `chance` in the program."),
        ({"until": "soon"}, "is not a whole number"),
        ({"since": "1970-01-01"}, "declare it: `tick 10 minutes"),
    ],
)  # fmt: skip
def test_settings_the_program_has_no_use_for(given: Mapping[str, Any], message: str) -> None:
    (found,) = said(Settings(**given))
    assert message in found


def test_a_program_with_units_and_ticks() -> None:
    found = resolved(
        MINUTES, Settings(time_units={"": "ms", "Temp": "us"}, until="1970-01-01 00:25", since=3)
    )
    assert [found.program.plan.counting(name).unit for name in ("Temp", "On")] == ["us", "ms"]
    assert (found.settings.first, found.settings.last) == (3, 25)
    assert resolved(MINUTES, Settings()).program is MINUTES


def told(runner: str, **given: Any) -> list[str]:
    show = conflicts(Settings().changed(given), runner)
    return [". ".join(each.sentences(lambda name: f"--{name.replace('_', '-')}")) for each in show]


def test_conflicts_in_the_words_of_their_user() -> None:
    assert told("try", only=("confirmed",), snapshots=True) == [
        "--only selects changes. Leave it out, or leave out --snapshots."
    ]
    (message,) = told("score", map={"device": "@key"})
    assert message == (
        "device=@key: keys and times of messages are read on Spark. Use `antelog run`, or leave out this "
        "--map."
    )
    right = {"program": "p.alog", "inputs": {"Temp": CSV}}
    assert told("watch", **right) == []
    assert told("watch", **right, outputs=(Files("b.csv", Form.CSV),), form="table") == [
        "--output has JSON lines. Leave out --format table."
    ]
    assert told("watch", **right, alert_on=("likely",)) == [
        "--alert-on, --alert-where and --alert-template need an --alert. Give one, or leave them out."
    ]
    both = {"Temp": Standard(), "On": Standard()}
    assert told("watch", program="p.alog", inputs=both) == [
        "standard input can be the source of one input only. Give files for the others."
    ]
    assert told("watch", program="p.alog") == [
        "there is nothing to follow. Give it with --input: Temp=readings.csv"
    ]


def test_the_page_of_a_pipeline_needs_explanations() -> None:
    said = [each.message for each in conflicts(Settings(page=True, explanations=0), "run")]
    assert "the page shows what answers rest on, and $explanations 0 leaves that out" in said
    assert not any("page" in each.message for each in conflicts(Settings(page=True, explanations=1), "run"))


# ---- files that would be overwritten ----


@pytest.fixture
def there(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for name in ("temp.csv", "rules.alog", "in/one.csv", "m.model"):
        (tmp_path / name).write_text("x\n")
    return tmp_path


def overwriting(runner: str, output: Path | None = None, **given: Any) -> list[str]:
    found = conflicts(Settings().changed(given), runner, output)
    sentences = (each.sentences(lambda name: f"--{name}")[0] for each in found)
    return [sentence for sentence in sentences if "overwrite" in sentence or "go to" in sentence]


def csv(path: Path) -> Files:
    return Files(str(path), Form.CSV)


@pytest.mark.parametrize("runner", ["try", "watch", "run", "learn", "score"])
def test_an_output_is_no_file_that_is_read(there: Path, runner: str) -> None:
    temp, model = there / "temp.csv", there / "m.model"
    (there / "soft.csv").symlink_to(temp)
    (there / "hard.csv").hardlink_to(temp)
    inputs = {"Temp": csv(temp)}
    for name in ("temp.csv", "soft.csv", "hard.csv", "./in/../temp.csv"):
        (message,) = overwriting(runner, inputs=inputs, rejects=csv(there / name))
        assert message == f"--rejects {there / name} is where Temp comes from, which it would overwrite"
        assert overwriting(runner, there / name, inputs=inputs)
        assert overwriting(runner, inputs=inputs, outputs=(csv(there / name),))
        assert overwriting(runner, statics={"Site": csv(temp)}, outputs=(csv(there / name),))
        assert overwriting(runner, inputs=inputs, state=there / name)
    assert "the rules" in overwriting(runner, there / "rules.alog", program=there / "rules.alog")[0]
    assert "the model" in overwriting(runner, model, model=model)[0]
    assert temp.read_text() == "x\n"


def test_an_output_is_no_file_of_a_folder_by_whatever_link(there: Path) -> None:
    (there / "hard.csv").hardlink_to(there / "in" / "one.csv")
    (there / "out.csv").write_text("x\n")
    (there / "in" / "two.csv").symlink_to(there / "out.csv")
    (there / "in" / "gone.csv").symlink_to(there / "nowhere.csv")
    (there / "folder").symlink_to(there / "in")
    for source in (there / "in", there / "in" / "*.csv", there / "folder", there / "folder" / "*.csv"):
        inputs = {"Temp": Files(str(source), Form.CSV, folder=True)}
        for name in ("hard.csv", "out.csv", "folder/one.csv", "in/one.csv"):
            assert overwriting("watch", inputs=inputs, outputs=(csv(there / name),))
        assert overwriting("watch", inputs=inputs, outputs=(csv(there / "in" / "new.csv"),))
        for name in ("temp.csv", "new.csv", "in/below/new.csv"):
            assert not overwriting("watch", inputs=inputs, outputs=(csv(there / name),))


def test_outputs_are_files_of_their_own(there: Path) -> None:
    one, other = csv(there / "new.csv"), csv(there / "in" / ".." / "new.csv")
    assert overwriting("run", outputs=(one, other))[0].startswith("two outputs go to")
    assert overwriting("run", outputs=(one,), rejects=other)[0].startswith("--output and --rejects go to")
    assert overwriting("watch", outputs=(one,), state=there / "new.csv")
    assert not overwriting("run", outputs=(one,), rejects=csv(there / "others.csv"))
