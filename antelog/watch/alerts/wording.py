"""The text of an alert: a template filled with the values of a change.

    {words}: {summary}      turbine wt2 is about to shut down: likely, 84 %, decided by 10

`{words}` are those of the program, or else the query and its answer, such as `Malf X = wt2, T = 7`. `{X}`
is the value of the variable X. Braces within values are not replaced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from antelog.engine.step.wording import LOST, SEEN, meaning, unseen_since
from antelog.escaping import shown
from antelog.forecast.columns import LIKELY, UNLIKELY
from antelog.forecast.reports.words import percent
from antelog.language.durations import ticks_in_words
from antelog.language.moments import Timescale, moment
from antelog.language.templates import Template, TemplateError, template_of
from antelog.lines import amount_text, amounts_so_far, awaited, literals_of
from antelog.watch.alerts.alert import AlertError, AlertQuery, Line
from antelog.watch.alerts.choosing import as_text

DEFAULT = "{words}: {summary}"
NAMES = (
    "words",
    "severity",
    "query",
    "answer",
    "change",
    "chance",
    "summary",
    "tick",
    "by",
    "evidence",
    "waits_for",
    "so_far",
    "because",
    "lost",
    "key",
)
"""The names that a template may have in braces, in addition to variables of answers."""

_LONGEST = 4_000
"""Receivers refuse messages that are much longer."""


def alert_template(text: str, queries: Sequence[AlertQuery]) -> Template:
    """Parses a template; an empty one is the default. Raises AlertError for unknown names."""
    known = (*NAMES, *sorted({name for each in queries for name in each.variables}))
    try:
        return template_of(text or DEFAULT, known)
    except TemplateError as error:
        raise AlertError(f"a template is wrong: {error.message}", error.hint) from None


def kind_of_line(line: Line) -> str:
    """The kind of a change in a word; one that was lost from sight is `lost`."""
    return SEEN if line["change"] == SEEN else meaning(line)


def within_limit(text: str) -> str:
    """A message of a length that receivers take."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


class ChangeTexts:
    """The texts of changes of some queries, with the times of ticks (None: unknown)."""

    def __init__(self, queries: dict[str, AlertQuery], timescale: Timescale | None = None) -> None:
        self.queries, self.timescale = queries, timescale
        self._line: Line | None = None
        self._key, self._values_of_line = "", dict[str, str]()

    def query(self, line: Line) -> AlertQuery:
        """The query of a line; one that the program no longer has, too."""
        name = line["query"]
        return self.queries.get(name) or AlertQuery(name, (), {}, "confirmed")

    def of(self, line: Line, key: str) -> dict[str, str]:
        """The values of all names a template may have; several receivers ask for those of a line in turn."""
        if self._line is not line or self._key != key:
            self._line, self._key, self._values_of_line = line, key, self._made(line, key)
        return self._values_of_line

    def _made(self, line: Line, key: str) -> dict[str, str]:
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
        }
        return {name: shown(within_limit(value)) for name, value in {**answer, **values}.items()}

    def _summary(self, line: Line) -> str:
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

    def _values(self, line: Line) -> dict[str, str]:
        ticks, others = self.query(line).ticks, line.get("others") or ()
        return {
            name: "all others" if name in others
            else ticks_in_words(value, ticks[name], self.timescale)
            if name in ticks and isinstance(value, int)
            else as_text(value)
            for name, value in line["answer"].items()
        }  # fmt: skip

    def _time(self, tick: int) -> str:
        return moment(tick, self.timescale)

    def _awaited(self, explanation: Mapping[str, Any]) -> str:
        return ", ".join(each.text(self._time) for each in awaited(explanation))

    def _literals(self, literals: Sequence[str] | None) -> str:
        return ", ".join(each.text(self._time) for each in literals_of(literals))
