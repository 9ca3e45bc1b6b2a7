"""antelog/files/records.py: rows whose values have line breaks in quotes."""

import csv
import gzip
import re
import tracemalloc
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.files import records
from antelog.files.records import Unclosed
from tests.files.reading import read, record_blocks, rows_of

NOTE = "input R(note: text, n: number, time).\nA(X, T) :- R(X, N, T).\nquery A(X, T).\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_break_in_quotes_belongs_to_the_value(temp: Path, end: str) -> None:
    lines = [
        "note,n,time",
        '"note',
        "EVIL,99,0",
        '",1,0',
        "plain,2,0",
        '"x ""y""',
        '",3,"',
        '0"',
        "z,4",
        "u,5,0",
    ]
    rows, bad = read(temp, end.join(lines) + end, NOTE, "R")
    assert rows == [
        (f"note{end}EVIL,99,0{end}", 1, 0, 0),
        ("plain", 2, 0, 0),
        (f'x "y"{end}', 3, 0, 0),
        ("u", 5, 0, 0),
    ]
    assert bad == [(9, "has 2 values, not 3")]


def test_names_of_columns_may_have_line_breaks_and_the_first_row_too(temp: Path) -> None:
    program = "input R(note: text, n: number, time).\nA(X, T) :- R(X, N, T).\nquery A(X, T).\n"
    assert read(temp, '"the, text";"the\ncount";"at\n"\na;1;0\n', program, "R") == ([("a", 1, 0, 0)], [])
    assert read(temp, '"a, b\n";1;0\nc;x;0\n', program, "R") == (
        [("a, b\n", 1, 0, 0)],
        [(3, "value `x` of column n is not a number")],
    )


@pytest.mark.parametrize(
    ("rest", "said", "left"),
    [
        ('"never,1,0\nEVIL,99,0\n', (3, "; it takes the lines up to 4 with it"), []),
        ('"never,1,0\nEVIL,99,0', (3, "; it takes the lines up to 4 with it"), []),
        ('b,2,"0', (3, ""), []),
        ('"b', (3, ""), []),
        ('"b\n\n', (3, "; it takes the lines up to 4 with it"), []),
        ('"x\ny",2,"0\nEVIL,99,0\n', (4, "; it takes the lines up to 5 with it"), []),
        # A quote that stands alone within a value closes nothing: it may be one that was to open another.
        ('"never,1,0\n"note\nEVIL,99,0\n",1,0\nc,3,0\n', (3, "; it takes the lines up to 6 with it"), ["c"]),
        ('"torn"note\nEVIL,99,0\n",1,0\nc,3,0\n', (3, "; it takes the lines up to 5 with it"), ["c"]),
        ('"5" pipe",1,0\nc,3,0\n', (3, ""), ["c"]),
    ],
)  # fmt: skip
def test_of_a_quote_that_is_not_closed_nothing_is_admitted(
    temp: Path, rest: str, said: tuple[int, str], left: list[str]
) -> None:
    rows, bad = read(temp, "note,n,time\na,1,0\n" + rest, NOTE, "R")
    assert [row[0] for row in rows] == ["a", *left]
    assert bad == [(said[0], "has a quote that is not closed" + said[1])]


def test_spaces_behind_a_closing_quote_are_left_as_they_are(temp: Path) -> None:
    assert read(temp, 'note,n,time\n"a" ,"1" , 0\n', NOTE, "R") == ([("a ", 1, 0, 0)], [])


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
@pytest.mark.parametrize("closed", [True, False])
def test_a_row_with_an_open_quote_has_a_largest_size(
    temp: Path, size: int, closed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "LARGEST", 64)
    inner = 'x ""y"" " z,1,0\r\n' * 30
    content = f'note,n,time\r\na,1,0\r\nb,"{inner}' + ('",0\r\nc,3,0\r\n' if closed else "")
    temp.write_bytes(content.encode())
    found = list(cut(temp, content, size))
    last = (34, ["c", "3", "0"]) if closed else None
    assert [each for each in found if not isinstance(each[1], Unclosed)] == [
        (1, ["note", "n", "time"]),
        (2, ["a", "1", "0"]),
        *([last] if last else []),
    ]
    (row,) = [each for _, each in found if isinstance(each, Unclosed)]
    assert (row.line, row.last, row.large) == (3, 33 if closed else 32, closed)
    assert row.text.startswith('b,"x ""y"" " z,1,0')


def test_a_quote_that_is_never_closed_takes_no_room(temp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LARGEST", 1 << 20)
    packed = temp.with_suffix(".csv.gz")
    with gzip.open(packed, "wb", compresslevel=1) as file:
        file.write(b'note,n,time\na,1,0\n"never\n')
        for _ in range(30):
            file.write(b"EVIL,99,0\n" * 100_000)
    tracemalloc.start()
    try:
        rows, bad = rows_of(packed, NOTE, "R")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert rows == [("a", 1, 0, 0)]
    assert bad == [(3, "has a quote that is not closed; it takes the lines up to 3000003 with it")]
    assert peak < 10 << 20


def by_characters(text: str) -> Iterator[tuple[str, list[str] | None]]:
    """The rows of a text as one reads them, each with its values, if no quote in it is left open."""
    text += "" if text.endswith("\n") or not text else "\n"
    at = 0
    while at < len(text):
        begun, values, orderly, ended = at, list[str](), True, False
        while not ended:
            value = ""
            if text[at] == '"':
                at += 1
                while (
                    not (closed := re.compile('"( *)(?=[,\r\n])').match(text, at))
                    or text[at : at + 2] == '""'
                ):
                    if at == len(text):
                        yield text[begun:], None
                        return
                    step = 2 if text[at : at + 2] == '""' else 1
                    orderly &= step == 2 or text[at] != '"'
                    value += text[at]
                    at += step
                value += closed[1]
                at = closed.end()
            while text[at] not in ",\r\n":
                value += text[at]
                at += 1
            values.append(value)
            ended = text[at] != ","
            at += 2 if text[at : at + 2] == "\r\n" else 1
        yield text[begun:at], values if orderly else None


def cut(path: Path, text: str, size: int) -> Iterator[tuple[int, list[str] | Unclosed]]:
    path.write_bytes(text.encode())
    with path.open("rb") as file:
        for grammar, each in record_blocks(file, path, size):
            if isinstance(each, Unclosed):
                yield each.line, each
            else:
                yield from ((row.line, row.values) for row in grammar.rows(each))


TEXTS = st.text('"",\n\r a', max_size=40).map(lambda text: "x,\n" + text)


@given(TEXTS, st.sampled_from([1, 2, 3, 100]), st.booleans())
def test_rows_are_what_a_look_at_each_character_finds(text: str, size: int, small: bool) -> None:
    expected = list(by_characters(text))
    lines = list(accumulate((len(row.splitlines()) for row, _ in expected), initial=1))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        if small:
            patch.setattr(records, "LARGEST", 8)
        found = list(cut(Path(folder, "t.csv"), text, size))
    assert len(found) == len(expected)
    for (line, values), (row, wanted), first in zip(found, expected, lines, strict=False):
        if isinstance(values, Unclosed):
            assert wanted is None or (small and len(row) > 8)
            assert first <= line <= values.last == first + max(0, len(row.splitlines()) - 1)
        else:
            assert (line, values) == (first, wanted)
            assert values == (next(csv.reader([row.rstrip("\r\n")])) or [""])
