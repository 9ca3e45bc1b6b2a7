"""antelog/watch/alerts/wording.py: alerts in words, of which no value of a fact is a template."""

from typing import Any

import pytest

from antelog.language.moments import Timescale
from antelog.watch.alerts.alert import AlertError
from antelog.watch.alerts.letters import NAMES, ChangeTexts, alert_template, within_limit
from tests.lines import lines_of
from tests.watch.alerts.lines import QUERIES, line
from tests.watch.lines import PROGRAM

MINUTES = 60_000_000
NOON = 28_532_880  # 2024-04-01 12:00, in minutes


def said(template: str, change: Any, tick: int | None = None) -> str:
    words = ChangeTexts({each.name: each for each in QUERIES}, None if tick is None else Timescale(tick))
    return within_limit(alert_template(template, QUERIES).filled(words.of(change, "k3y")))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (line(), "Malf X = wt2, T = 7: likely, 84 %, decided by 10, waits for Temp(wt2, high, 8)"),
        (line("unlikely", chance=0.5), "Malf X = wt2, T = 7: no longer likely, 50 %, decided by 10"),
        (line("confirmed"), "Malf X = wt2, T = 7: confirmed"),
        (line("rejected"),
         "Malf X = wt2, T = 7: rejected, because of Temp(wt2, high, 8)"),
        (line("confirmed", "Total", answer={"City": None, "V": 1.5}), "Total City = any, V = 1.5: confirmed"),
        (line("confirmed", others=["X"]), "Malf X = all others, T = 7: confirmed"),
        (line("confirmed", explanations=[]), "Malf X = wt2, T = 7: confirmed"),
        (line("confirmed", text="turbine wt2 shuts down"), "turbine wt2 shuts down: confirmed"),
    ],
)  # fmt: skip
def test_usual_words(change: Any, text: str) -> None:
    assert said("", change) == text


def test_times_are_times() -> None:
    change = line(answer={"X": "wt2", "T": NOON}) | {"answer": {"X": NOON, "T": NOON}}
    assert said("{X} {T} {tick} {by} {evidence} {waits_for}", change, MINUTES) == (
        f"{NOON} 2024-04-01 12:00 2024-04-01 12:01 2024-04-01 12:03 "
        "Temp(wt2, high, 2024-04-01 12:00) Temp(wt2, high, 2024-04-01 12:01)"
    )


def test_every_name_stands_for_something() -> None:
    rules = PROGRAM.replace("Hot(X, T+1).", "count(Temp(X, high, T..T+2)) >= 3.")
    facts = [("Temp", ("wt2", "high", tick), tick) for tick in (7, 8)]
    change = next(each for each in lines_of(rules, facts, 8) if each["change"] == "likely")
    change["because"] = change["lost"] = ["not P(1)"]
    found = {name: said(f"{{{name}}}", change) for name in NAMES}
    assert all(found.values())
    assert (found["key"], found["because"], found["chance"]) == ("k3y", "not P(1)", "80 %")
    assert (found["waits_for"], found["so_far"]) == ("count(Temp(wt2, high, 7..9)) >= 3 (2 so far)", "2")


def test_variables_of_other_queries_are_empty() -> None:
    assert said("{City}{X}!", line()) == "wt2!"


def test_facts_are_text() -> None:
    hostile = line(answer={"X": "{query}{{\x1b[2J\n", "T": 7})
    assert said("{X} {{x}}", hostile) == "{query}{{\\u001b[2J\\u000a {x}"


def test_long_texts_are_cut() -> None:
    text = said("{X}", line(answer={"X": "x" * 10_000, "T": 7}))
    assert (len(text), text[-1]) == (4_000, "…")


@pytest.mark.parametrize(
    ("template", "said_of_it"),
    [
        ("{queri}", "a template is wrong: `{queri}` stands for nothing here. Did you mean query?"),
        ("{Z}", "Write one of words, severity, query, answer"),
        ("{query.__class__}", "stands for nothing"),
        ("{query!r}", "stands for nothing"),
        ("{query:>9}", "stands for nothing"),
        ("{}", "stands for nothing"),
        ("{query", "a brace too many or too few"),
        ("}", "a brace too many or too few"),
    ],
)
def test_refused(template: str, said_of_it: str) -> None:
    with pytest.raises(AlertError) as caught:
        alert_template(template, QUERIES)
    assert said_of_it in str(caught.value)
