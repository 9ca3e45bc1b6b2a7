"""Letters to receivers: which changes each one gets, in which words, and in which form."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from importlib.util import find_spec
from typing import Any

from antelog.answers import name_in
from antelog.engine.step.wording import LOST, SEEN, meaning, unseen_since
from antelog.escaping import shown
from antelog.forecast.columns import LIKELY, UNLIKELY
from antelog.forecast.reports.words import percent
from antelog.language.durations import ticks_in_words
from antelog.language.moments import Timescale, moment
from antelog.language.syntax import SEVERITIES
from antelog.language.templates import Template, TemplateError, template_of
from antelog.lazily import brought_by
from antelog.lines import LABEL, LogLine, amount_text, amounts_so_far, awaited, literals_of
from antelog.program import Program
from antelog.watch.alerts import alert as alerts
from antelog.watch.alerts import receivers
from antelog.watch.board.feed_program import filled_runbook, group_name, key_column

_PARTS = ("query", "answer", "others", "tick", "change")
_KEY_BYTES = 16
FIRING, RESOLVED = "firing", "resolved"
_SHOWN = 20  # the alerts that a letter about several lists, at most
_OPEN_FOR = 24 * 3600.0  # seconds for which Alertmanager lets an open answer fire without further news
DEFAULT = "{words}: {summary}"
# The names that a template may have in braces, in addition to variables of answers.
NAMES = (
    *("words", "severity", "query", "answer", "change", "chance", "summary", "tick", "by"),
    *("evidence", "waits_for", "so_far", "because", "lost", "key", "runbook"),
)
_LONGEST = 4_000  # receivers refuse messages that are much longer


# ---- words ----


def alert_template(text: str, queries: Sequence[alerts.AlertQuery]) -> Template:
    """Parses a template; an empty one is the default. Raises AlertError for unknown names."""
    known = (*NAMES, *sorted({name for each in queries for name in each.variables}))
    try:
        return template_of(text or DEFAULT, known)
    except TemplateError as error:
        raise alerts.AlertError("template", reason=error.message, hint=error.hint) from None


def kind_of_line(line: LogLine) -> str:
    """Names the kind of a change; of one that was lost from sight it is `lost`."""
    return SEEN if line["change"] == SEEN else meaning(line)


def within_limit(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


class ChangeTexts:
    """The values that templates are filled with: those of one change at a time."""

    def __init__(self, queries: dict[str, alerts.AlertQuery], timescale: Timescale | None = None) -> None:
        self.queries, self.timescale = queries, timescale
        self._line: LogLine | None = None
        self._key, self._values_of_line = "", dict[str, str]()

    def query(self, line: LogLine) -> alerts.AlertQuery:
        """Finds the query of a line, or makes one that the program no longer has."""
        name = line["query"]
        return self.queries.get(name) or alerts.AlertQuery(name, (), {}, "confirmed")

    def of(self, line: LogLine, key: str) -> dict[str, str]:
        """Returns the value of each name; those of the last line are kept, as each receiver asks for them."""
        if self._line is not line or self._key != key:
            self._line, self._key, self._values_of_line = line, key, self._made(line, key)
        return self._values_of_line

    def _made(self, line: LogLine, key: str) -> dict[str, str]:
        answer, chance = self._values(line), line.get("chance")
        explanation = (line.get("explanations") or [{}])[0]
        listed = within_limit(", ".join(f"{name} = {within_limit(value)}" for name, value in answer.items()))
        values = {
            "words": line.get("text") or f"{line['query']} {listed}",
            "severity": self.query(line).severity,
            "query": line["query"],
            "answer": listed,
            "change": kind_of_line(line),
            "chance": "" if chance is None else percent(chance),
            "summary": self._summary(line),
            "tick": self._time(line["tick"]),
            "by": "" if (by := line.get("decided_by")) is None else self._time(by),
            "evidence": self._literals(explanation.get("evidence")),
            "waits_for": self._awaited(explanation),
            "so_far": ", ".join(map(amount_text, amounts_so_far(explanation).values())),
            "because": self._literals(line.get("because")),
            "lost": self._literals(line.get(LOST)),
            "key": key,
            "runbook": self.runbook(line),
        }
        return {name: shown(within_limit(value)) for name, value in {**answer, **values}.items()}

    def runbook(self, line: LogLine) -> str:
        query = self.query(line)
        known = line["answer"], query.ticks, self.timescale
        return filled_runbook(query.runbook, *known) if query.runbook else ""

    def _summary(self, line: LogLine) -> str:
        change, chance, decided = line["change"], line.get("chance"), line.get("decided_by")
        if change == SEEN:
            what = "; what became of it is not known" if line.get(LOST) else ", and no longer likely"
            return (f"ended by {line['by']}" if "by" in line else "seen again") + what
        parts = [] if meaning(line) == LOST else ["no longer likely" if change == UNLIKELY else change]
        if line.get(LOST):
            since, unseen = self._time(unseen_since(line)), self._literals(line[LOST])
            parts.append(f"lost from sight since {since}: nobody could see {unseen}")
            if len(parts) == 1:
                return parts[0]
        parts += [] if chance is None else [percent(chance)]
        parts += [] if decided is None else [f"decided by {self._time(decided)}"]
        said = ", ".join(parts)
        waits_for = self._awaited((line.get("explanations") or [{}])[0])
        if change == LIKELY and waits_for:
            said += f", waits for {waits_for}"
        if line.get("because"):
            said += f", because of {self._literals(line['because'])}"
        return said

    def _values(self, line: LogLine) -> dict[str, str]:
        ticks, others = self.query(line).ticks, line.get("others") or ()
        return {
            name: "all others" if name in others
            else ticks_in_words(value, ticks[name], self.timescale)
            if name in ticks and isinstance(value, int)
            else alerts.as_text(value)
            for name, value in line["answer"].items()
        }  # fmt: skip

    def _time(self, tick: int) -> str:
        return moment(tick, self.timescale)

    def _awaited(self, explanation: Mapping[str, Any]) -> str:
        return ", ".join(each.text(self._time) for each in awaited(explanation))

    def _literals(self, literals: Sequence[str] | None) -> str:
        return ", ".join(each.text(self._time) for each in literals_of(literals))


# ---- routes ----


@dataclass(frozen=True)
class Route:
    """A receiver, the changes that it gets, and their template."""

    receiver: receivers.Receiver
    choice: alerts.Choice
    template: Template
    texts: ChangeTexts
    setup: alerts.AlertSetup

    @property
    def every(self) -> float:
        """Seconds until more of a group are sent; none for Alertmanager, which groups by itself."""
        return 0.0 if self.receiver.kind == receivers.ALERTMANAGER else self.setup.every

    def group_of(self, line: LogLine) -> str:
        return group_name(line["query"], line["answer"], self.texts.query(line).key)

    def severity_of(self, line: LogLine) -> str:
        return self.texts.query(line).severity

    def link_to(self, line: LogLine) -> str:
        """Returns the address of the answer on the page, without a token; empty if there is no page."""
        if not self.setup.link:
            return ""
        path = "inputs" if line["query"] == alerts.SILENT_INPUT else f"answer/{name_in(line)}"
        return f"{self.setup.link.rstrip('/')}/{path}"


def setup_of(wanted: Sequence[alerts.Alert], program: Program, *, chances: bool = True) -> alerts.AlertSetup:
    """Checks alerts against a program, whose answers may have `chances`. Raises AlertError."""
    queries = alerts.queries_of(program.plan, chances=chances)
    for alert in wanted:
        receiver = receivers.receiver_of(alert.to)
        kind = receiver.brought
        needed, hint = ("httpx", brought_by("watch")) if kind is None else (kind.package, kind.install)
        if receiver.kind != receivers.COMMAND and needed and find_spec(needed) is None:
            raise alerts.AlertError("package", kind=receiver.kind, package=needed, hint=hint)
        receivers.checked(receiver)
        alert_template(alert.template, queries)
        alerts.choice_of(alert, queries)
        if {LIKELY, UNLIKELY} & {*alert.on}:
            if all(each.alert is None for each in program.plan.queries):
                raise alerts.AlertError("never-likely-without-alert")
            if not chances:
                raise alerts.AlertError("never-likely-without-chances")
    plan, name = program.plan, program.source.name
    return alerts.AlertSetup(tuple(wanted), queries, name, plan.timescale, key=key_column(plan))


def routes_of(setup: alerts.AlertSetup) -> tuple[Route, ...]:
    named = receivers.named_apart([receivers.receiver_of(alert.to) for alert in setup.alerts])
    texts = ChangeTexts({each.name: each for each in setup.queries}, setup.timescale)
    found = []
    for receiver, alert in zip(named, setup.alerts, strict=True):
        choice = alerts.choice_of(alert, setup.queries)
        template = alert_template(alert.template, setup.queries)
        found.append(Route(receiver, choice, template, texts, setup))
    return tuple(found)


# ---- letters ----


@dataclass(frozen=True)
class Letter:
    """Alerts on their way to a receiver: `body` is JSON; letters `about` the same thing stay in order."""

    key: str
    body: str
    about: str
    number: int = field(default=0, compare=False)  # in the outbox


@dataclass(frozen=True)
class AlertItem:
    """A change as an alert, firing or resolved, with when its answer began to fire, and when it was read."""

    line: LogLine
    status: str
    since: float
    at: float


@dataclass(frozen=True)
class AlertGroup:
    """The alerts of a group that are sent together; `beyond` counts older ones that had no room."""

    name: str
    items: tuple[AlertItem, ...]
    beyond: int = 0

    @property
    def count(self) -> int:
        return len(self.items) + self.beyond

    def worst(self, route: Route) -> AlertItem:
        """Picks the most severe alert that fires, else a resolved, else a `good` one; the latest."""

        def rank(item: AlertItem) -> tuple[bool, bool, int]:
            severity = route.severity_of(item.line)
            return severity == alerts.GOOD, item.status == RESOLVED, SEVERITIES.index(severity)

        latest = {name_in(each.line): each for each in self.items}
        return min(reversed(latest.values()), key=rank)


@dataclass(frozen=True)
class StillFiring:
    """The answers of a query in a group that fire: how many, and since when."""

    since: float
    count: int


def letter_of(route: Route, group: AlertGroup, firing: Mapping[str, StillFiring]) -> Letter:
    """Writes some alerts as a letter; `firing` has the answers of their group that fire, by query."""
    worst, keys = group.worst(route), [key_of(each.line) for each in group.items]
    key = keys[0] if len(keys) == 1 else _hash(keys)
    text, link = _text(route, group, worst, key), route.link_to(worst.line)
    runbook = route.texts.runbook(worst.line)
    body: object
    if route.receiver.kind == receivers.SLACK:
        body = _slack("\n".join(filter(None, [text, link, runbook])))
    elif route.receiver.kind == receivers.ALERTMANAGER:
        body = [_of_alertmanager(route, each, firing.get(each.line["query"])) for each in group.items]
    else:
        latest = [{"status": each.status, **each.line} for each in group.items[-_SHOWN:]]
        body = {
            "key": key,
            "text": text,
            "program": route.setup.program,
            "status": worst.status,
            "group": group.name,
            "severity": route.severity_of(worst.line),
            "count": group.count,
            "still_firing": sum(each.count for each in firing.values()),
            **({"link": link} if link else {}),
            **({"runbook": runbook} if runbook else {}),
            # Without severity and words, which the letter has itself.
            **{name: value for name, value in worst.line.items() if name not in LABEL},
            **({"alerts": latest} if group.count > 1 else {}),
        }
    together = route.every or route.receiver.kind == receivers.ALERTMANAGER
    about = group.name if together else name_in(worst.line)
    return Letter(key, json.dumps(body, ensure_ascii=False), about)


def key_of(line: LogLine) -> str:
    """Hashes a change: a receiver that keeps the keys it has seen recognises repeats."""
    return _hash([line.get(part) for part in _PARTS])


def _hash(parts: Sequence[object]) -> str:
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=_KEY_BYTES).hexdigest()


def _text(route: Route, group: AlertGroup, item: AlertItem, key: str) -> str:
    """Fills the template for one alert; of several it begins with their number."""
    text = route.template.filled(route.texts.of(item.line, key))
    if group.count > 1:
        kinds = Counter(kind_of_line(each.line) for each in group.items)
        parts = [f"{number:,} {kind}" for kind, number in kinds.items()]
        parts += [f"{group.beyond:,} before"] if group.beyond else []
        text = f"{group.count:,} alerts of {shown(group.name)} ({', '.join(parts)}), such as {text}"
    return within_limit(text)


def _slack(text: str) -> dict[str, object]:
    """Makes a plain message: no mentions and no previews of links, whatever a fact contains."""
    text = escape(text, quote=False)
    return {"text": text, "mrkdwn": False, "link_names": False, "unfurl_links": False, "unfurl_media": False}


def _of_alertmanager(route: Route, item: AlertItem, still: StillFiring | None) -> dict[str, Any]:
    """Writes an alert for Alertmanager; it fires as long as an answer with the same labels does."""
    line, values = item.line, route.texts.of(item.line, key_of(item.line))
    labels = {"alertname": line["query"], "query": line["query"], "severity": route.severity_of(line)}
    if line["query"] == alerts.SILENT_INPUT:  # each input and slot has labels of its own
        labels |= {name: str(value) for name, value in line["answer"].items()}
        still = StillFiring(item.since, 1) if item.status == FIRING else None
    elif route.setup.key is not None and route.texts.query(line).key is not None:
        labels[re.sub(r"[^a-zA-Z0-9_]|^(?=\d)", "_", route.setup.key)] = route.group_of(line)
    ends = {}
    if still is not None or item.status == RESOLVED:
        ends = {"endsAt": _moment(item.at + (0.0 if still is None else _OPEN_FOR))}
    link = route.link_to(line)
    return {
        "labels": labels,
        "annotations": {
            "summary": values["words"],
            "description": within_limit(route.template.filled(values)),
            **({"runbook_url": values["runbook"]} if values["runbook"] else {}),
        },
        "startsAt": _moment(item.since if still is None else min(item.since, still.since)),
        **ends,
        **({"generatorURL": link} if link else {}),
    }


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
