"""antelog/watch/alerts/letters.py: each receiver gets its lines, in its own words."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from antelog import Program, parse
from antelog.answers import name_of
from antelog.language.moments import Timescale
from antelog.lazily import brought_by
from antelog.watch.alerts import letters as module
from antelog.watch.alerts.alert import Alert, AlertError, AlertQuery, AlertSetup
from tests.lines import lines_of
from tests.tables import cases
from tests.watch.alerts.lines import QUERIES, group_of, letter_to, letters, line
from tests.watch.lines import PROGRAM

ALERTS = (
    Alert("slack:@a", template="{X} is hot"),
    Alert("command:cat", on=("likely", "confirmed"), where=("X=wt*",)),
    Alert("command:cat", on=("confirmed",)),
)
ROUTES = module.routes_of(AlertSetup(ALERTS, QUERIES, "p.alog"))


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (line("likely"), ["slack:@a", "command:cat"]),
        (line("confirmed"), ["command:cat", "command:cat #2"]),
        (line("confirmed", answer={"X": "p1", "T": 1}), ["command:cat #2"]),
        (line("possible"), []),
        ({"status": {"tick": 8}}, []),
        ({"head": {"segment": 1, "open": []}}, []),
        ({"reject": {"input": "Temp", "reason": "late"}}, []),
    ],
)
def test_who_gets_a_change(change: Any, names: list[str]) -> None:
    assert [name for name, _ in letters(ROUTES, change)] == names


def test_in_their_words() -> None:
    found = dict(letters(ROUTES, line()))
    assert json.loads(found["slack:@a"].body)["text"].startswith("wt2 is hot\n")
    assert json.loads(found["command:cat"].body)["text"].startswith("Malf X = wt2, T = 7: likely")
    assert {letter.key for letter in found.values()} == {module.key_of(line())}


@cases(__file__, "others")
def test_another_change_has_another_key(more: Any) -> None:
    assert module.key_of(line()) != module.key_of(line() | more)


@pytest.mark.parametrize("to", ["webhook:@x", "command:cat"])
def test_a_letter_is_the_line_and_more(to: str) -> None:
    letter = letter_to(to, line(text="turbine wt2 stops", severity="info"))
    assert json.loads(letter.body) == {
        "key": letter.key, "text": "Take care", "program": "p.alog", "status": "firing", "group": "Malf",
        "severity": "info", "count": 1, "still_firing": 1, "runbook": "https://wiki.example/wt2", **line(),
    }  # fmt: skip


def test_slack_gets_a_text_that_calls_nobody() -> None:
    message = json.loads(letter_to("slack:@x", line(), "<!channel> & <http://evil>").body)
    assert message["text"].startswith("&lt;!channel&gt; &amp; &lt;http://evil&gt;\n")
    assert (message["mrkdwn"], message["unfurl_links"], message["link_names"]) == (False, False, False)


def _route(to: str, **more: Any) -> module.Route:
    queries = (replace(QUERIES[0], severity="critical", key="X"),)
    (route,) = module.routes_of(AlertSetup((Alert(to),), queries, "p.alog", key="device no.", **more))
    return route


def test_a_link_opens_the_answer_and_has_no_token() -> None:
    route = _route("webhook:@x", link="https://plant.example/turbines/")
    body = json.loads(module.letter_of(route, group_of(route, line()), {}).body)
    name = name_of("Malf", {"X": "wt2", "T": 7})
    assert body["link"] == f"https://plant.example/turbines/answer/{name}"
    assert body["runbook"] == "https://wiki.example/wt2"
    slack = _route("slack:@x", link="http://127.0.0.1:8080")
    text = json.loads(module.letter_of(slack, group_of(slack, line()), {}).body)["text"]
    assert text.endswith(f"\nhttp://127.0.0.1:8080/answer/{name}\nhttps://wiki.example/wt2")


def test_several_go_as_one_that_says_how_many() -> None:
    route = _route("webhook:@x")
    group = group_of(route, line(), line(tick=9, answer={"X": "wt2", "T": 8}), line("rejected", tick=9))
    body = json.loads(
        module.letter_of(route, replace(group, beyond=1000), {"Malf": module.StillFiring(0.0, 2)}).body
    )
    assert body["text"].startswith(
        "1,003 alerts of wt2 (2 likely, 1 rejected, 1,000 before), such as Malf X = wt2"
    )
    assert (body["group"], body["count"], body["still_firing"], body["severity"]) == (
        "wt2",
        1003,
        2,
        "critical",
    )
    assert [(each["status"], each["change"], each["tick"]) for each in body["alerts"]] == [
        ("firing", "likely", 8),
        ("firing", "likely", 9),
        ("firing", "rejected", 9),
    ]


def test_a_letter_is_resolved_if_all_in_it_are() -> None:
    route = _route("webhook:@x")
    group = group_of(route, line("rejected"), status=module.RESOLVED)
    assert json.loads(module.letter_of(route, group, {}).body)["status"] == "resolved"
    both = replace(group, items=(*group.items, *group_of(route, line()).items))
    assert json.loads(module.letter_of(route, both, {}).body)["status"] == "firing"


def test_alertmanager_gets_labels_annotations_and_times() -> None:
    route = _route("alertmanager:@x", link="http://127.0.0.1:8080")
    (alert,) = json.loads(
        module.letter_of(
            route, group_of(route, line(text="wt2 stops")), {"Malf": module.StillFiring(0.0, 1)}
        ).body
    )
    assert alert["labels"] == {
        "alertname": "Malf", "query": "Malf", "severity": "critical", "device_no_": "wt2",
    }  # fmt: skip
    assert alert["annotations"]["summary"] == "wt2 stops"
    assert alert["annotations"]["runbook_url"] == "https://wiki.example/wt2"
    assert alert["annotations"]["description"].startswith("wt2 stops: likely, 84 %")
    assert (alert["startsAt"], alert["endsAt"]) == ("1970-01-01T00:00:00.000Z", "1970-01-02T00:00:00.000Z")
    assert alert["generatorURL"].startswith("http://127.0.0.1:8080/answer/")


def test_for_alertmanager_an_alert_ends_with_the_last_of_its_answers() -> None:
    route = _route("alertmanager:@x")
    group = group_of(route, line("rejected"), status=module.RESOLVED)
    (ended,) = json.loads(module.letter_of(route, group, {}).body)
    assert ended["endsAt"] == "1970-01-01T00:00:00.000Z"
    (goes_on,) = json.loads(module.letter_of(route, group, {"Malf": module.StillFiring(0.0, 1)}).body)
    assert goes_on["endsAt"] == "1970-01-02T00:00:00.000Z"
    (confirmed,) = json.loads(module.letter_of(route, group_of(route, line("confirmed")), {}).body)
    assert "endsAt" not in confirmed  # nothing ends it: Alertmanager does, after a while


# ---- words ----

MINUTES = 60_000_000
NOON = 28_532_880  # 2024-04-01 12:00, in minutes


def said(template: str, change: Any, tick: int | None = None) -> str:
    words = module.ChangeTexts(
        {each.name: each for each in QUERIES}, None if tick is None else Timescale(tick)
    )
    return module.within_limit(module.alert_template(template, QUERIES).filled(words.of(change, "k3y")))


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
    found = {name: said(f"{{{name}}}", change) for name in module.NAMES}
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


@cases(__file__, "refused")
def test_refused_templates(template: str, said_of_it: str) -> None:
    with pytest.raises(AlertError) as caught:
        module.alert_template(template, QUERIES)
    assert said_of_it in str(caught.value)


# ---- checks before the start ----

TEXT = "input P(x, time). Q(X, T) :- P(X, T). "
PLAIN, LIKELY = parse(TEXT + "query Q(X, T)."), parse(TEXT + "query Q(X, T) alert 80%.", name="p.alog")


def test_what_is_wanted() -> None:
    alerts = (Alert("command:cat"), Alert("command:cat", on=("rejected",)))
    assert module.setup_of(alerts, LIKELY) == AlertSetup(
        alerts,
        (
            AlertQuery("Q", ("X", "T"), {"T": "time"}, "likely", "warning", "X"),
            AlertQuery("silent input", ("input", "slot"), {}, "silent", "warning", "input"),
        ),
        "p.alog",
        None,
        key="x",
    )
    assert module.setup_of(alerts, LIKELY, chances=False).queries[0].usual == "confirmed"


def test_files_are_looked_at(tmp_path: Path) -> None:
    Path(tmp_path, "a").write_text("http://localhost/", encoding="utf-8")
    assert module.setup_of([Alert(f"webhook:@{tmp_path / 'a'}")], PLAIN).alerts
    with pytest.raises(AlertError, match="cannot be read"):
        module.setup_of([Alert(f"webhook:@{tmp_path / 'b'}")], PLAIN)


@pytest.mark.parametrize(
    ("alert", "program", "said"),
    [
        (Alert("slack:https://x"), PLAIN, "into a file"),
        (Alert("command:cat", on=("likly",)), LIKELY, "Did you mean likely"),
        (Alert("command:cat", where=("R",)), PLAIN, "no query `R`"),
        (Alert("command:cat", template="{z}"), PLAIN, "stands for nothing"),
        (Alert("command:cat", on=("unlikely",)), PLAIN, "no query has an alert. Write it behind a query"),
    ],
)
def test_refused_setups(alert: Alert, program: Program, said: str) -> None:
    with pytest.raises(AlertError) as caught:
        module.setup_of([alert], program)
    assert said in str(caught.value)


def test_alerts_of_chances_need_chances() -> None:
    with pytest.raises(AlertError, match=r"there are no chances\. Give a --model"):
        module.setup_of([Alert("command:cat", on=("likely",))], LIKELY, chances=False)


def test_a_missing_library_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(tmp_path, "a").write_text("http://localhost/", encoding="utf-8")
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with pytest.raises(
        AlertError, match=rf"webhook needs the package httpx.*{re.escape(brought_by('watch'))}"
    ):
        module.setup_of([Alert(f"webhook:@{tmp_path / 'a'}")], PLAIN)
    assert module.setup_of([Alert("command:cat")], PLAIN).alerts  # commands need none
