"""antelog/workbench/lsp: names, completions and data, without a process."""

from pathlib import Path

import pytest

from antelog.diagnostics import Source
from antelog.language import read
from antelog.workbench.lsp.completing import Completer, cursor_at
from antelog.workbench.lsp.mentions import mention_at, mentions_of
from antelog.workbench.lsp.near_data import data_files, example_of, file_of
from antelog.workbench.lsp.session import OpenText, Session, analysed

PROGRAM = """tick 1 minute.
limit hot = 90.
input Temp(device, value: number, time) delay 2 minutes, one per device.
Hot(X, T) :- Temp(X, V, T), V > hot, not Off(X, T..T + 5 minutes), count(Temp(X, _, T-9..T)) > 2.
query Hot(X, T) critical "{X} is hot {chance}".
"""


def names(kind: str) -> list[str]:
    return [each.name for each in mentions_of(PROGRAM) if each.kind.value == kind]


def test_names_by_their_kind() -> None:
    assert names("limit") == ["hot"]
    assert names("constant") == ["hot"]
    assert names("predicate") == ["Temp", "Hot", "Temp", "Off", "Temp", "Hot"]
    assert names("column") == ["device", "value", "time", "device"]
    assert names("variable") == [*"XT", *"XVT", "V", *"XTT", *"XTT", *"XT", "X"]


def test_a_name_is_found_at_both_its_ends() -> None:
    at = PROGRAM.index("Off(")
    for offset in range(at, at + 4):
        found = mention_at(PROGRAM, offset)
        assert found is not None
        assert found.name == "Off"
    assert mention_at(PROGRAM, at - 1) is None


def session_with(text: str, folder: Path) -> Session:
    path = str(folder / "rules.alog")
    session = Session()
    session.put(OpenText(path, Path(path).as_uri(), 1, text))
    found = analysed(path, session.snapshot)
    assert found is not None
    session.keep(found)
    return session


def labels(typed: str, folder: Path) -> set[str]:
    """What is offered behind a text that is typed below the program."""
    path = str(folder / "rules.alog")
    session = session_with(PROGRAM, folder)
    session.put(OpenText(path, Path(path).as_uri(), 2, PROGRAM + typed))
    items = Completer(session.snapshot, path).items(len(PROGRAM + typed))
    return {each.label for each in items}


@pytest.mark.parametrize(
    ("typed", "some", "none"),
    [
        ("", {"input", "query", "Hot"}, {"not", "Temp"}),
        ("Cold(X, T) ", {":-"}, {"Temp"}),
        (
            "Cold(X, T) :- ",
            {"Temp", "Hot", "not", "last", "count", "distance_km", "X", "T", "hot"},
            {"input"},
        ),
        ("Cold(X, T) :- Te", {"Temp"}, {"input"}),
        ("Cold(X, T) :- Temp(", {"wt1", "wt2", "X", "T"}, {"Temp", "20"}),
        ("Cold(X, T) :- Temp(X, ", {"20", "95.5"}, {"wt1"}),
        ("Cold(X, T) :- count(", {"Temp"}, {"input"}),
        ("query ", {"Hot"}, {"Temp"}),
        ("query Hot(X, T) ", {"critical", "alert", "given"}, {"Hot"}),
        ('query Hot(X, T) "the {', {"X", "T", "chance", "decided_by"}, {"Hot"}),
        ("delay ", {"Temp"}, {"Hot"}),
        ("input Wind(mast, speed: ", {"number", "text"}, {"mast"}),
        ("input Wind(mast, speed, time) ", {"delay", "one per", "every"}, {"mast"}),
        ("input Wind(mast, speed, time) one per ", {"mast", "speed", "tick"}, {"time"}),
        ("% a comment", set(), {"input", "Hot"}),
    ],
)
def test_completions(typed: str, some: set[str], none: set[str], tmp_path: Path) -> None:
    (tmp_path / "Temp.csv").write_text("device,value,time\nwt1,20,0\nwt2,95.5,1\n", "utf-8")
    found = labels(typed, tmp_path)
    assert some <= found
    assert not none & found


def test_a_place_in_a_call() -> None:
    text = "P(X, T) :- Q(f(a, b), "
    cursor = cursor_at(text, len(text))
    assert cursor is not None
    assert [(each.name, each.argument) for each in cursor.calls] == [("Q", 1)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("temps.csv", "device;value;time\nwt 1;20;2026-01-01T00:00\n"),
        ("readings.jsonl", '{"device": "wt 1", "value": 20, "time": "2026-01-01T00:00"}\n'),
    ],
)
def test_data_near_a_program(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "broken.jsonl").write_text("{", "utf-8")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n", "utf-8")
    predicate = read(Source(PROGRAM)).vocabulary["Temp"]
    file = file_of(predicate, data_files(tmp_path))
    assert file is not None
    assert file.path.name == name
    assert example_of(predicate, file) == 'Temp("wt 1", 20, "2026-01-01T00:00")'


def test_a_file_belongs_to_what_includes_it(tmp_path: Path) -> None:
    (tmp_path / "main.alog").write_text('include "parts/limits.alog".\nquery P(T).\n', "utf-8")
    (tmp_path / "parts").mkdir()
    part = tmp_path / "parts" / "limits.alog"
    part.write_text("limit hot = 90.\n", "utf-8")
    session = Session()
    session.folders = (str(tmp_path),)
    session.put(OpenText(str(part), part.as_uri(), 1, "limit hot = 91.\n"))
    assert session.snapshot.root_of(str(part)) == str(tmp_path / "main.alog")
    files = session.snapshot.files(str(tmp_path / "main.alog"))
    assert [each.text for each in files][1:] == ["limit hot = 91.\n"]


def test_a_predicate_is_offered_as_its_rules_call_it(tmp_path: Path) -> None:
    session = session_with(PROGRAM, tmp_path)
    path = str(tmp_path / "rules.alog")
    session.put(OpenText(path, Path(path).as_uri(), 2, f"{PROGRAM}Cold(X, T) :- "))
    items = Completer(session.snapshot, path, snippets=True).items(len(PROGRAM) + len("Cold(X, T) :- "))
    found = {each.label: (each.insert_text, each.detail) for each in items}
    assert found["Hot"] == ("Hot(${1:X}, ${2:T})", "Hot(X, T)")
    assert found["Temp"] == ("Temp(${1:Device}, ${2:Value}, ${3:T})", "Temp(device, value: number, time)")
