"""antelog/files/setting_aside.py: where rows go that cannot be used, and inputs without a usable row."""

import json
from pathlib import Path

import pytest

import antelog
from antelog.errors import AntelogError, DataError
from antelog.files import Reject, Rejects, rejects_to, tables
from antelog.files.setting_aside import Usable
from antelog.run.reading import wanted_of
from tests.files.reading import HEADER, TEMP


def late(line: int) -> Reject:
    return Reject("a.csv", line, "Temp", "late", f"is about tick {line}, and arrived at 99", f"Temp({line})")


LACKS = Reject("a.csv", 2, "Temp", "malformed", "lacks x", "{}")


def test_rejects_as_json_lines(temp: Path, tmp_path: Path) -> None:
    temp.write_text(HEADER + "wt2,91\n")
    out = tmp_path / "rejects.jsonl"
    with rejects_to(out, strict=False) as rejects:
        assert list(tables(temp, wanted_of(antelog.parse(TEMP).plan, "Temp"), rejects)) == []
    found = {"file": str(temp), "line": 2, "predicate": "Temp", "reason": "malformed"}
    assert json.loads(out.read_text()) == {**found, "detail": "has 2 values, not 4", "row": "wt2,91"}


@pytest.mark.parametrize(
    ("name", "message"), [("out.csv.gz", "ends in .csv or .jsonl"), ("no/out.csv", "cannot be written")]
)
def test_rejects_that_cannot_be_written(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(AntelogError, match=message), rejects_to(tmp_path / name, strict=False):
        pass


def test_of_several_reasons_the_most_frequent_is_shown() -> None:
    rejects = Rejects()
    rejects.came("Temp", "a.csv", 3)
    rejects.add([LACKS, late(3), late(4)])
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
    rejects.add([LACKS])
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


def test_memory_is_bounded_and_long_rows_are_cut() -> None:
    usable = Usable("a.csv", 3_000)
    for i in range(3_000):
        usable.add(Reject("a.csv", i, "Temp", "malformed", "lacks " + "x" * i, "y" * 1_000))
    assert len(usable.examples) == 1_000
    with pytest.raises(DataError) as error:
        usable.check()
    assert str(error.value).endswith("as in line 0: " + "y" * 200 + "…")
