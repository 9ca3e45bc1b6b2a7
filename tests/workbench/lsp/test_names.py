"""antelog/workbench/lsp: names, completions and data, without a process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import Position, PositionEncodingKind

from antelog.diagnostics import Source
from antelog.language import read
from antelog.workbench.lsp.completing import Completer
from antelog.workbench.lsp.navigating import Places, mention_at, mentions_of
from antelog.workbench.lsp.session import OpenText, Session, Snapshot, analysed
from antelog.workbench.lsp.verdicts import data_files, example_of, file_of
from tests.tables import cases

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


def test_a_window_names_a_predicate() -> None:
    text = "On(X, T) :- Up(X, T). window On 20 minutes."
    found = [m for m in mentions_of(text) if m.name == "On"]
    assert [(m.kind.value, m.defines) for m in found] == [("predicate", True), ("predicate", False)]


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


@cases(__file__, "completions")
def test_completions(typed: str, some: list[str], none: list[str], tmp_path: Path) -> None:
    (tmp_path / "Temp.csv").write_text("device,value,time\nwt1,20,0\nwt2,95.5,1\n", "utf-8")
    found = labels(typed, tmp_path)
    assert {*some} <= found
    assert not {*none} & found


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


def test_a_predicate_is_offered_as_its_rules_call_it(tmp_path: Path) -> None:
    session = session_with(PROGRAM, tmp_path)
    path = str(tmp_path / "rules.alog")
    session.put(OpenText(path, Path(path).as_uri(), 2, f"{PROGRAM}Cold(X, T) :- "))
    items = Completer(session.snapshot, path, snippets=True).items(len(PROGRAM) + len("Cold(X, T) :- "))
    found = {each.label: (each.insert_text, each.detail) for each in items}
    assert found["Hot"] == ("Hot(${1:X}, ${2:T})", "Hot(X, T)")
    assert found["Temp"] == ("Temp(${1:Device}, ${2:Value}, ${3:T})", "Temp(device, value: number, time)")


TEXTS = st.text(st.sampled_from("aä€😀\n\r\t %"), max_size=30)


@given(TEXTS, st.sampled_from(list(PositionEncodingKind)))
def test_there_and_back(text: str, encoding: PositionEncodingKind) -> None:
    places = Places(Snapshot({}), encoding)
    for offset in range(len(text) + 1):
        back = places.offset(text, places.position(text, offset))
        # Between the signs of a line's end there is no place.
        assert back == offset or (text[back : offset + 1] == "\r\n" and back == offset - 1)


@pytest.mark.parametrize(
    ("encoding", "character"),
    [(PositionEncodingKind.Utf8, 6), (PositionEncodingKind.Utf16, 3), (PositionEncodingKind.Utf32, 2)],
)
def test_units(encoding: PositionEncodingKind, character: int) -> None:
    places, text = Places(Snapshot({}), encoding), "a\nä😀b"
    assert places.position(text, 4) == Position(1, character)
    assert places.offset(text, Position(1, character)) == 4


def test_places_that_are_not_there() -> None:
    places, text = Places(Snapshot({})), "ab\r\ncd"
    assert places.offset("😀b", Position(0, 1)) == 0  # half of a character
    assert [places.offset(text, Position(*each)) for each in ((0, 9), (9, 0), (1, 9))] == [2, 6, 6]


def messages(*contents: bytes) -> bytes:
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(each), each) for each in contents)


def served(given: bytes) -> subprocess.CompletedProcess[bytes]:
    """The server, given something before it is asked to begin and to end."""
    asked = messages(
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}',
        b'{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}',
        b'{"jsonrpc": "2.0", "method": "exit"}',
    )
    command = [sys.executable, "-m", "antelog", "lsp"]
    return subprocess.run(command, input=given + asked, capture_output=True, check=False)


@pytest.mark.parametrize(
    ("header", "error"),
    [
        (b"Content-Type: text\r\n\r\n{}", "a message has no Content-Length"),
        (b"{}\r\n\r\n", "a message has no Content-Length"),
        (b"Content-Length: -5\r\n\r\n{}", "is '-5', which is not a number of bytes"),
        (b"Content-Length: many\r\n\r\n{}", "is 'many', which is not a number of bytes"),
        (b"Content-Length: 3000000000\r\n\r\n{}", "is '3000000000'; 100,000,000 bytes are the most"),
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}", "100,000,000 bytes are the most"),
    ],
)
def test_a_header_without_a_length_ends_it(header: bytes, error: str) -> None:
    done = served(header)
    assert (done.returncode, b'"id"' in done.stdout) == (1, False)
    assert error in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_what_is_broken_is_said_in_a_line() -> None:
    """The server goes on with the next message."""
    broken = messages(b"{nope", b"[" * 100_000, b"[1]", b'{"jsonrpc": "2.0"}')
    small = b"content-length: 35\n\n" + b'{"jsonrpc": "2.0", "method": "$/a"}'
    done = served(b"Content-Length: 0\r\n\r\n" + small + broken)
    assert done.returncode == 0
    assert b'"id": 1' in done.stdout or b'"id":1' in done.stdout
    printed = done.stderr.decode()
    for error in ("JSONDecodeError: ", "RecursionError: ", "AttributeError: "):
        assert f"Unable to handle message: {error}" in printed
    assert "Unable to deserialize message: TypeError" in printed
    assert "Traceback" not in printed
