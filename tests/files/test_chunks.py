"""antelog/files/chunks.py: of several faults of a row the first is told, and rows of inputs are counted."""

from pathlib import Path

import antelog
from antelog.files import Rejects, tables
from antelog.run.reading import wanted_of

RULES = "input Temp(x: text, n: number, time). static Site(x: text, n: number).\n"
PLAN = antelog.parse(RULES + "Hot(X, T) :- Temp(X, N, T), Site(X, N). query Hot(X, T).").plan


def test_the_first_fault_of_a_row_is_told(temp: Path) -> None:
    temp.write_text("x,n,time\na,1,0\nb,many,never\n,2,0\n", encoding="utf-8")
    rejects = Rejects()
    (table,) = tables(temp, wanted_of(PLAN, "Temp"), rejects)
    assert table.column("x").to_pylist() == ["a"]
    assert [(each.line, each.detail) for each in rejects.first] == [
        (3, "value `many` of column n is not a number"),
        (4, "column x is empty"),
    ]
    assert rejects.tally == {"malformed": 2}


def test_background_facts_are_none_of_those_that_arrive(temp: Path) -> None:
    temp.write_text("x,n\na,1\nb,many\n", encoding="utf-8")
    rejects = Rejects()
    (table,) = tables(temp, wanted_of(PLAN, "Site"), rejects)
    assert (table.num_rows, rejects.counts.total(), rejects.tally.total()) == (1, 1, 0)


def test_columns_that_are_taken_in_their_order_are_noted(temp: Path) -> None:
    temp.write_text("degrees,battery,when\n9,98,0\n", encoding="utf-8")  # their values fit, and are others
    rejects = Rejects()
    list(tables(temp, wanted_of(PLAN, "Temp"), rejects))
    (note,) = rejects.notes
    assert note.endswith(
        "none of its columns has a name of Temp(x, n, time), so they are taken in that order; "
        "--map says which is which"
    )
    temp.write_text("x,n,time\n9,98,0\n", encoding="utf-8")
    list(tables(temp, wanted_of(PLAN, "Temp"), plain := Rejects()))
    assert plain.notes == []
