"""antelog/watch/alerts/alert.py: which changes are alerts."""

from pathlib import Path
from typing import Any

import pytest

from antelog.watch.alerts.alert import Alert, AlertError, alerts_in, choice_of
from tests.tables import cases
from tests.watch.alerts.lines import QUERIES, line

TOTAL: Any = {"answer": {"City": "New York", "V": 90}}


@pytest.mark.parametrize(
    ("on", "reported"),
    [
        ((), {("Malf", "likely"), ("Total", "confirmed")}),
        (("rejected",), {("Malf", "rejected"), ("Total", "rejected")}),
        (
            ("likely", "unlikely"),
            {("Malf", "likely"), ("Malf", "unlikely"), ("Total", "likely"), ("Total", "unlikely")},
        ),
    ],
)
def test_kinds(on: tuple[str, ...], reported: set[tuple[str, str]]) -> None:
    choice = choice_of(Alert("x", on), QUERIES)
    kinds = ("possible", "likely", "unlikely", "confirmed", "rejected")
    found = {(q.name, kind) for q in QUERIES for kind in kinds if choice.fits(line(kind, q.name))}
    assert found == reported


def test_other_queries_are_not_reported() -> None:
    assert not choice_of(Alert("x"), QUERIES).fits(line("likely", "Other"))


@cases(__file__, "where")
def test_where(where: list[str], malf: bool, total: bool) -> None:
    choice = choice_of(Alert("x", (), tuple(where)), QUERIES)
    assert choice.fits(line()) == malf
    assert choice.fits(line("confirmed", "Total", **TOTAL)) == total


def test_open_and_true() -> None:
    choice = choice_of(Alert("x", (), ("X=any", "X=true")), QUERIES)
    found = [
        choice.fits(line(answer={"X": value, "T": 1})) for value in (None, True, "any", "true", False, 1)
    ]
    assert found == [True, True, True, True, False, False]


@cases(__file__, "refused")
def test_refused(on: list[str], where: list[str], said: str) -> None:
    with pytest.raises(AlertError) as caught:
        choice_of(Alert("x", tuple(on), tuple(where)), QUERIES)
    assert said in str(caught.value)


# ---- alerts in a file ----


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("alerts.toml")


def test_alerts(path: Path) -> None:
    text = (
        '[[alert]]\nto = "slack:@a"\n[[alert]]\nto = "command:cat"\non = ["likely", "confirmed"]\n'
        'where = ["Malf X=wt*"]\ntemplate = "{X}"\n'
    )
    path.write_text(text, encoding="utf-8")
    assert alerts_in(path) == (
        Alert("slack:@a"),
        Alert("command:cat", ("likely", "confirmed"), ("Malf X=wt*",), "{X}"),
    )


@cases(__file__, "refused_in_a_file")
def test_refused_in_a_file(path: Path, text: str, said: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(AlertError) as caught:
        alerts_in(path)
    assert said in str(caught.value)


def test_what_cannot_be_read(path: Path) -> None:
    with pytest.raises(AlertError, match=r"alerts\.toml: cannot be read: No such file"):
        alerts_in(path)
    path.write_bytes(b"\xff")
    with pytest.raises(AlertError, match="it is not a text"):
        alerts_in(path)
