"""antelog/files/setting_aside.py: an input without a usable row is an error with the most frequent reason."""

import pytest

from antelog.errors import DataError
from antelog.files import Reject, Rejects
from antelog.files.setting_aside import Usable, kind_of


def late(line: int) -> Reject:
    return Reject("a.csv", line, "Temp", "late", f"is about tick {line}, and arrived at 99", f"Temp({line})")


def test_of_several_reasons_the_most_frequent_is_told() -> None:
    rejects = Rejects()
    rejects.came("Temp", "a.csv", 3)
    rejects.add([Reject("a.csv", 2, "Temp", "malformed", "lacks x", "{}"), late(3), late(4)])
    with pytest.raises(DataError) as error:
        rejects.require_use()
    assert str(error.value) == (
        "a.csv: none of its 3 rows can be used: mostly (2): is about tick 3, and arrived at 99, "
        "as in line 3: Temp(3)"
    )


def test_each_predicate_counts_by_itself() -> None:
    rejects = Rejects()
    rejects.came("Site", "b.csv", 1)
    rejects.came("Temp", "a.csv", 1)
    rejects.add([Reject("a.csv", 2, "Temp", "malformed", "lacks x", "{}")])
    with pytest.raises(DataError, match=r"^a\.csv: its only row cannot be used: lacks x, as in line 2"):
        rejects.require_use()


def test_rows_that_only_came_at_the_wrong_time_are_no_error() -> None:
    rejects = Rejects()
    rejects.came("Temp", "a.csv", 2)
    rejects.add([late(2), late(3)])
    rejects.require_use()
    assert rejects.usable["Temp"].warning() == (
        "a.csv: 2 of 2 rows were set aside: is about tick 2, and arrived at 99, as in line 2: Temp(2)"
    )
    rejects.came("Temp", "a.csv", 2)
    assert rejects.usable["Temp"].warning() is None


def test_one_row_of_use_is_enough_and_so_is_no_row() -> None:
    rejects = Rejects()
    rejects.came("Temp", "a.csv", 2)
    rejects.came("Site", "b.csv", 0)
    rejects.add([late(2)])
    rejects.require_use()


def test_reasons_are_alike_whatever_the_values_are() -> None:
    assert kind_of("value `a 1` of column x is not a number") == kind_of(
        "value `b` of column x is not a number"
    )
    assert kind_of("lacks x") != kind_of("lacks y")


def test_memory_is_bounded_and_long_rows_are_cut() -> None:
    usable = Usable()
    usable.came("a.csv", 3_000)
    for i in range(3_000):
        usable.add(Reject("a.csv", i, "Temp", "malformed", "lacks " + "x" * i, "y" * 1_000))
    assert len(usable.examples) == 1_000
    with pytest.raises(DataError) as error:
        usable.check()
    assert str(error.value).endswith("as in line 0: " + "y" * 200 + "…")
