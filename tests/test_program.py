"""antelog/program.py: programs from texts and files, with what is odd or wrong about them."""

from pathlib import Path

import pytest

import antelog
from antelog.errors import ProgramError, ProgramFileError

RULES = "Hot(X, T) :- Temp(X, T), Temp(X, T+1).\nquery Hot(X, T).\n"


def test_a_text_and_a_file_give_the_same(tmp_path: Path) -> None:
    path = tmp_path / "p.alog"
    path.write_bytes(b"\xef\xbb\xbf" + RULES.encode())
    loaded, parsed = antelog.load(path), antelog.parse(RULES)
    assert loaded.plan == parsed.plan
    assert (loaded.source.name, parsed.source.name) == (str(path), "<text>")
    assert [query.name for query in parsed.plan.queries] == ["Hot"]


def test_what_is_odd_is_a_warning_and_what_is_wrong_an_error() -> None:
    odd = antelog.parse("input Wind(x, time).\n" + RULES)
    assert [each.code for each in odd.warnings] == ["W102"]
    with pytest.raises(ProgramError) as caught:
        antelog.parse("Hot(X, T) :- Temp(Y, T).\nquery Hot(X, T).", name="p.alog")
    assert "p.alog:1:5: error E401" in str(caught.value)


def test_a_program_of_too_many_patterns_is_refused() -> None:
    rules = "\n".join(f"A(X, T) :- P{i}(X, T)." for i in range(4)) + "\nquery A(X, T)."
    assert len(antelog.parse(rules, pattern_limit=4).plan.relation("A").patterns) == 4
    with pytest.raises(ProgramError):
        antelog.parse(rules, pattern_limit=3)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ProgramFileError, match="cannot be read"):
        antelog.load(tmp_path / "gone.alog")
    (tmp_path / "latin.alog").write_bytes(b"% \xe4\n")
    with pytest.raises(ProgramFileError, match="is not UTF-8 text, see byte 2"):
        antelog.load(tmp_path / "latin.alog")
