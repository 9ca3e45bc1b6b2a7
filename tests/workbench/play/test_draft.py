"""antelog/workbench/play/draft.py: tables fit an edited program, and nothing of a file is lost."""

from pathlib import Path

import pytest

from antelog.errors import DataError
from antelog.workbench.play.draft import LARGEST, Draft, DraftFiles, Sheet, as_csv, fitted, sheet_of

SHEET = Sheet(("device", "level", "time"), (("wt2", "high", "0"),))


@pytest.mark.parametrize(
    ("sheet", "wanted", "columns"),
    [
        (None, ("device", "time"), ("device", "time", "arrival")),
        (Sheet(), ("device", "time"), ("device", "time", "arrival")),
        (SHEET, ("device", "level", "time"), ("device", "level", "time")),
        (SHEET, ("time", "device", "level"), ("device", "level", "time")),
        (SHEET, ("turbine", "level", "time"), ("turbine", "level", "time")),
        (SHEET, ("device", "level", "state", "time"), ("device", "level", "time", "state")),
        (SHEET, ("device", "time"), ("device", "level", "time")),
        (Sheet(("a", "arrival", "time")), ("b", "c", "time"), ("b", "arrival", "time", "c")),
    ],
)
def test_a_table_fits_the_program(sheet: Sheet | None, wanted: tuple[str, ...], columns: object) -> None:
    found = fitted(sheet, wanted, ("arrival",))
    assert found.columns == columns
    assert found.rows == (() if sheet is None else sheet.rows)


def test_what_is_saved_is_read_again_as_it_was(tmp_path: Path) -> None:
    files = DraftFiles(tmp_path / "new.alog", {"Temp": tmp_path / "new.csv"})
    assert files.read() == Draft("", {"Temp": Sheet()})
    rows = (('a "quoted", one', "high", "1"), ("two\nlines", "", "2"), ("Ü", "=1+1", "3"))
    draft = Draft("query P(T).\r\n% the end", {"Temp": Sheet(("device", "level", "time"), rows)})
    assert files.save(draft) == files.names
    assert files.read() == draft


def test_rows_that_are_empty_are_not_saved(tmp_path: Path) -> None:
    files = DraftFiles(None, {"Temp": tmp_path / "Temp.csv"})
    files.save(Draft("", {"Temp": Sheet(("a", "time"), (("x", "1"), ("", " "), ("y",)))}))
    assert (tmp_path / "Temp.csv").read_text() == "a,time\nx,1\ny,\n"
    assert [each.name for each in tmp_path.iterdir()] == ["Temp.csv"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe\x00", "is no text in UTF-8"),
        (b'a,b\n"x,1\n', "is no CSV"),
        (b"a,time\n" + b"x,1\n" * (LARGEST + 1), "5,001 rows"),
    ],
)
def test_a_file_that_is_no_table(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "Temp.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=said):
        DraftFiles(None, {"Temp": path}).read()


def test_a_mark_at_the_beginning_of_a_file_is_no_part_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "Temp.csv"
    path.write_bytes("\ufeffdevice,time\nwt2,1\n".encode())
    assert DraftFiles(None, {"Temp": path}).read().tables["Temp"].columns == ("device", "time")


def test_csv_of_nothing() -> None:
    assert sheet_of("", "x.csv") == Sheet()
    assert as_csv(("a",), []) == "a\n"
