"""antelog/language/program_files.py: programs in several files."""

import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from antelog import Program, ProgramError, load, parse
from antelog.compile import to_json
from antelog.diagnostics import Source
from antelog.diagnostics import to_json as as_json
from antelog.language import read, read_whole
from antelog.language.printer import to_text
from antelog.language.program_files import MOST_FILES
from antelog.program import compiled

MAIN = 'include "parts/fleet.alog".\nHot(X, T) :- Temp(X, V, T), V >= hot, Known(X).\nquery Hot(X, T).\n'
FLEET = 'include "units.alog".\ninclude "../known.alog".\ninput Temp(device, value: number, time) delay 1.\n'
KNOWN = 'include "parts/units.alog".\nstatic Known(x).\nKnown(a).\n'


@pytest.fixture
def main(tmp_path: Path) -> Path:
    files = {"main": MAIN, "parts/fleet": FLEET, "known": KNOWN, "parts/units": "limit hot = 90."}
    for name, text in files.items():
        path = tmp_path / f"{name}.alog"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "main.alog"


def whole() -> Program:
    body = "".join(
        line + "\n"
        for text in ("limit hot = 90.", KNOWN, FLEET, MAIN)
        for line in text.splitlines()
        if not line.startswith("include")
    )
    return parse(body)


def refused(path: Path) -> str:
    with pytest.raises(ProgramError) as error:
        load(path)
    return str(error.value).replace(f"{path.parent}/", "")


def test_paths_begin_at_the_file_that_includes_and_files_count_once(main: Path) -> None:
    program = load(main)
    assert [Path(each.name).name for each in program.source.included] == [
        "fleet.alog", "units.alog", "known.alog",
    ]  # fmt: skip
    assert to_json(program.plan) == to_json(whole().plan)
    assert to_json(load(main, limits={"hot": 80}).plan) != to_json(program.plan)


def test_what_other_programs_need_is_not_warned_of(main: Path) -> None:
    unused = "limit cold = 5.\ninput Wind(device, time).\nCold(X, T) :- Temp(X, V, T), V <= 3.\n"
    (main.parent / "parts" / "units.alog").write_text(f"limit hot = 90.\n{unused}", encoding="utf-8")
    assert load(main).warnings == ()
    main.write_text(MAIN + unused, encoding="utf-8")
    (main.parent / "parts" / "units.alog").write_text("limit hot = 90.", encoding="utf-8")
    assert [each.code for each in load(main).warnings] == ["W102", "W102", "W101"]


def test_a_text_begins_at_the_working_folder(main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(main.parent)
    assert to_json(parse(MAIN).plan) == to_json(whole().plan)
    monkeypatch.chdir("/")
    assert to_json(parse(MAIN, name=str(main)).plan) == to_json(whole().plan)


def test_a_source_needs_no_files_once_it_was_read(main: Path) -> None:
    source = load(main).source
    for each in main.parent.rglob("*.alog"):
        each.unlink()
    assert to_json(compiled(read(source)).plan) == to_json(whole().plan)


def test_includes_are_printed(main: Path) -> None:
    assert to_text(load(main).document).startswith(MAIN.splitlines()[0] + "\n")
    assert to_text(read(Source(FLEET)).document) == FLEET


def test_errors_name_their_files(main: Path) -> None:
    main.write_text(MAIN.replace("V >= hot", "V >= "), encoding="utf-8")
    (main.parent / "known.alog").write_text(KNOWN.replace("Known(x)", "Temp(x)"), encoding="utf-8")
    said = refused(main)
    assert "main.alog:2:34: error E001" in said
    assert "known.alog:2:8: error E101 (declared-twice): Temp is declared twice" in said
    assert "first declared here (parts/fleet.alog, line 3):" in said
    assert "     3 | input Temp(device, value: number, time) delay 1.\n       |       ^^^^" in said
    checked = read_whole(Source(main.read_text(encoding="utf-8"), str(main)))
    found = as_json(checked.diagnostics, checked.document.source)
    assert [(Path(each.get("file", "main.alog")).name, each["line"]) for each in found][:2] == [
        ("main.alog", 2), ("known.alog", 2),
    ]  # fmt: skip


def test_a_circle_is_an_error_with_its_way(main: Path) -> None:
    (main.parent / "known.alog").write_text('include "main.alog".\n' + KNOWN, encoding="utf-8")
    said = refused(main)
    assert "known.alog:1:9: error E115 (bad-include): main.alog includes itself: " in said
    assert "main.alog → parts/fleet.alog → known.alog → main.alog" in said
    main.write_text('include "./main.alog".', encoding="utf-8")
    assert "main.alog includes itself: main.alog → main.alog" in refused(main)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("parts/fleed.alog", "there is no file parts/fleed.alog\n"),
        ("parts", "parts cannot be read: is not a file"),
        ("latin.alog", "latin.alog is not UTF-8 text, see byte 2"),
        ("a\\u0000b", "cannot be read: "),
        ("x" * 300, "cannot be read: File name too long"),
    ],
)
def test_what_cannot_be_read_is_said_at_its_place(main: Path, path: str, reason: str) -> None:
    (main.parent / "latin.alog").write_bytes(b"% \xe9")
    main.write_text(f'include "{path}".\nP(X, T) :- Unknown(X, T, .\n{MAIN}', encoding="utf-8")
    said = refused(main)
    assert reason in said
    assert said.startswith("main.alog:1:9: error E115 (bad-include): ")
    assert "error E001" in said
    assert ("Did you mean fleet.alog?" in said) == (path == "parts/fleed.alog")


def test_there_is_a_limit(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 1):
        text = f'include "{number + 1}.alog".'
        (tmp_path / f"{number}.alog").write_text(text, encoding="utf-8")
    said = refused(tmp_path / "0.alog")
    assert (
        f"{MOST_FILES - 1}.alog:1:9: error E003 (too-large): there are more than {MOST_FILES} files" in said
    )


def test_files_that_all_include_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real path of each is asked for once, and the first circles are said."""
    names = [f"{number}.alog" for number in range(30)]
    for name in names:
        (tmp_path / name).write_text("\n".join(f'include "{each}".' for each in names), encoding="utf-8")
    asked = Mock(side_effect=os.path.realpath)
    monkeypatch.setattr(os.path, "realpath", asked)
    said = refused(tmp_path / names[0])
    assert asked.call_count <= len(names) + 1
    assert 1 <= said.count("error E115") <= 20
