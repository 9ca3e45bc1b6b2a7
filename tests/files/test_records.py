"""antelog/files/records.py: blocks of whole lines, and rows whose values have line breaks in quotes."""

import re
from collections.abc import Iterator
from itertools import accumulate
from operator import itemgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.files import records
from antelog.files.records import Block, RowSplitter, grammar_of
from tests.files.reading import read, rows_of

NOTE = "input R(note: text, n: number, time).\nA(X, T) :- R(X, N, T).\nquery A(X, T).\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_break_in_quotes_belongs_to_the_value(temp: Path, end: str) -> None:
    text = 'note,n,time\n"note\nEVIL,99,0\n",1,0\nplain,2,0\n"x ""y""\n",3,"\n0"\nz,4\nu,5,0\n'
    rows, bad = read(temp, text.replace("\n", end), NOTE, "R")
    assert rows == [
        (f"note{end}EVIL,99,0{end}", 1, 0, 0),
        ("plain", 2, 0, 0),
        (f'x "y"{end}', 3, 0, 0),
        ("u", 5, 0, 0),
    ]
    assert bad == [(9, "has 2 values, not 3")]


def test_names_of_columns_may_have_line_breaks_and_the_first_row_too(temp: Path) -> None:
    assert read(temp, '"the, text";"the\ncount";"at\n"\na;1;0\n', NOTE, "R") == ([("a", 1, 0, 0)], [])
    assert read(temp, '"a, b\n";1;0\nc;x;0\n', NOTE, "R") == (
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
        ('"x\ny",2,"0\nEVIL,99,0\n', (3, "; it takes the lines up to 5 with it"), []),
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


OPEN = "has a quote that is not closed within 1,000 lines or 1 MiB"


@pytest.mark.parametrize("size", [7, 1000, 1 << 20])
def test_a_quote_that_stays_open_costs_the_lines_up_to_it(temp: Path, size: int) -> None:
    content = 'note,n,time\na,1,0\n"two\nlines","stray,0\n' + "good,1,0\n" * 3000 + '"b",2,0\n'
    found = [each for each in cut(content, size) if each[1] != [""]]
    assert [each for each in found if each[1] is None] == [(3, None), (4, None)]
    assert [(line, values) for line, values in found if values and values != ["good", "1", "0"]] == [
        (1, ["note", "n", "time"]), (2, ["a", "1", "0"]), (3005, ["b", "2", "0"])
    ]  # fmt: skip
    assert len(found) == 3000 + 5
    temp.write_text(content, encoding="utf-8")
    rows, bad = rows_of(temp, NOTE, "R")
    assert (len(rows), bad) == (3002, [(3, OPEN), (4, OPEN)])


@pytest.mark.parametrize("size", [1 << 15, 1 << 22])
def test_a_line_with_a_quote_has_at_most_1_mib(size: int) -> None:
    long = "x" * (1 << 20)
    content = f'note,n,time\na,1,0\n"{long}",2,0\n"{long}\nb,3,0\n"c",4,0\n{long},5,0\n'
    found = list(cut(content, size))
    assert [line for line, values in found if values is None] == [3, 4]
    assert [values[1] for _, values in found if values and values != [""]] == ["n", "1", "3", "4", "5"]


def test_a_line_that_has_no_end_takes_no_room() -> None:
    rows = RowSplitter(7, grammar_of(","))
    lost = [each for _ in range(40) for block in rows.feed(b'"' + b"x" * 50_000) for each in block.lost]
    assert ([each.line for each in lost], rows.held) == ([7], None)
    (block,) = rows.feed(b"x\nb,2,0\n")
    assert (block.first, block.data, rows.line, rows.held) == (7, b"\nb,2,0\n", 9, 0)


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


def blocks(splitter: RowSplitter, text: str, size: int) -> Iterator[Block]:
    data = text.encode()
    for at in range(0, len(data), size):
        yield from splitter.feed(data[at : at + size])
    yield from splitter.end()


def cut(text: str, size: int) -> Iterator[tuple[int, list[str] | None]]:
    """The rows with their lines; None for one that is lost, or is none."""
    grammar = grammar_of(",")
    for block in blocks(RowSplitter(1, grammar), text, size):
        rows = [(row.line, row.values) for row in grammar.rows(block)]
        yield from sorted([*rows, *((each.line, None) for each in block.lost)], key=itemgetter(0))


@pytest.mark.parametrize("size", [1, 3, 5])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_that_is_too_long_is_lost(size: int, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LONGEST", 10)
    splitter = RowSplitter()
    found = [*blocks(splitter, end.join(["a", "x" * 50, "b", "y" * 20, "c", ""]), size)]
    assert [line for each in found for line in each.data.splitlines()] == [b"a", b"", b"b", b"", b"c"]
    assert [each.line for block in found for each in block.lost] == [2, 4]
    assert (splitter.line, splitter.held) == (6, 0)


TEXTS = st.text('"",\n\r a', max_size=40)


@given(TEXTS, st.sampled_from([1, 2, 3, 100]))
def test_rows_are_what_a_look_at_each_character_finds(text: str, size: int) -> None:
    expected = list(by_characters(text))
    lines = accumulate((len(row.splitlines()) for row, _ in expected), initial=1)
    found = list(cut(text, size))
    assert len(found) == len(expected)
    for (line, values), (row, wanted), first in zip(found, expected, lines, strict=False):
        if wanted is None:
            assert values is None
            assert first <= line < first + len(row.splitlines())
        else:
            assert (line, values) == (first, wanted)


@given(TEXTS, st.sampled_from([1, 2, 3, 7]), st.sampled_from([1, 2, 5]))
def test_what_is_lost_does_not_depend_on_how_bytes_come(text: str, size: int, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "LARGEST", 8)
        patch.setattr(records, "MOST_LINES", most)
        rows, whole = (
            [each for each in cut(text.replace("\r", ""), n) if each[1] != [""]] for n in (size, 1000)
        )
    assert rows == whole
