"""antelog/watch/alerts/alert.py: which changes are alerts."""

from pathlib import Path
from typing import Any

import pytest

from antelog.watch.alerts.alert import Alert, AlertError, alerts_in, choice_of
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


@pytest.mark.parametrize(
    ("where", "malf", "total"),
    [
        (("Malf",), True, False),
        (("X=wt2",), True, False),
        (("Malf X=wt*",), True, False),
        (("Malf X!=wt*",), False, False),
        (("Malf X=wt* T=7",), True, False),
        (("T>=7 T<8",), True, False),
        (("T>7",), False, False),
        (("V<=90",), False, True),
        (("Total City='New*' V>=89.5",), False, True),
        (("City>5",), False, False),
        (("chance>=84%",), True, False),
        (("chance>0.84",), False, False),
        (("Total", "X=wt2"), True, True),
        (("Total", "X=wt3"), False, True),
    ],
)
def test_where(where: tuple[str, ...], malf: bool, total: bool) -> None:
    choice = choice_of(Alert("x", (), where), QUERIES)
    assert choice.fits(line()) == malf
    assert choice.fits(line("confirmed", "Total", **TOTAL)) == total


def test_open_and_true() -> None:
    choice = choice_of(Alert("x", (), ("X=any", "X=true")), QUERIES)
    found = [
        choice.fits(line(answer={"X": value, "T": 1})) for value in (None, True, "any", "true", False, 1)
    ]
    assert found == [True, True, True, True, False, False]


@pytest.mark.parametrize(
    ("on", "where", "said"),
    [
        (("likly",), (), "no changes of the kind `likly`. Did you mean likely"),
        ((), ("Malv X=a",), "no query `Malv`. Did you mean Malf"),
        ((), ("Malf City=a",), "no answer in question has `City`. They have T, X, chance."),
        ((), ("Malf Y",), "`Y` compares nothing"),
        ((), ("Malf X>b",), "`b` is not a number"),
        ((), ("chance=1",), "hardly ever equal"),
        ((), ("chance>9x%",), "`9x%` is not a number"),
        ((), ("",), "a condition is empty"),
        ((), ("X='a",), "a quote that does not end"),
    ],
)
def test_refused(on: tuple[str, ...], where: tuple[str, ...], said: str) -> None:
    with pytest.raises(AlertError) as caught:
        choice_of(Alert("x", on, where), QUERIES)
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing but alerts"),
        ("alert = 3", "nothing but alerts"),
        ("alert = [3]", "nothing but alerts"),
        ("[[alert]]\nto='x'\n[more]", "nothing but alerts"),
        ("[[alert]]\nto", "alerts.toml: Expected"),
        ("[[alert]]\nwhere = ['X=1']", "alert 1: it does not say who gets it"),
        ("[[alert]]\nto = 'x'\n[[alert]]\nto = 3", "alert 2: `to` is something else. It has to be a text."),
        ("[[alert]]\nto = 'x'\non = 'likely'", "`on` is something else. It has to be a list of texts"),
        ("[[alert]]\nto = 'x'\non = [1]", "`on` is something else"),
        ("[[alert]]\nto = 'x'\ntemplat = 'x'", "it cannot have `templat`. Did you mean template?"),
    ],
)
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
