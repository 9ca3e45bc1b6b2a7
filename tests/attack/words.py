"""Words of 100,000 letters in every view: the page, alerts, tables, pictures and notebooks.

A view of them takes a fraction of a second; one that looks at a text again for each letter takes hours.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec

import antelog
from antelog import Engine
from antelog.watch.alerts.alert import Alert, AlertSetup, queries_of
from antelog.watch.alerts.letters import routes_of
from antelog.watch.web.api import API, of_answer
from antelog.watch.web.export import of_view
from antelog.watch.web.live_board import EngineReader, LiveBoard
from antelog.watch.web.views import PARTS
from antelog.watch.web.views.context import ViewContext
from tests.attack.findings import Attempt, command
from tests.watch.alerts.lines import letters

PATIENCE = 5.0  # seconds of the processor for a view, on a machine that has other work
_LETTERS = 100_000
_MANY = 1_000
_PROGRAM = f"""\
tick 1 minute.
input R(d, v, time) delay 1.
H(X, V, T) :- R(X, V, T), R(X, W, T+1), W != V.
query H(X, V, T) alert 50% "{"{V} " * _MANY}".
"""
_START = 29_000_000  # a tick of the year 2025


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Each word in each view; `count` at most."""
    made = (
        Attempt(f"{view} of {name} ({seed})", partial(_look, text, look), PATIENCE)
        for name, text in _WORDS.items()
        for view, look in _VIEWS.items()
    )
    yield from (each for _, each in zip(range(count), made, strict=False))


_WORDS = {
    "letters": "x",
    "digits": "7",
    "words": "a ",
    "numbers": "1 ",
    "comparisons": "T + 1 >= 12345, ",
    "conditions": " where T < 1",
    "atoms": "R(a, 1), ",
    "opened": "(",
    "closed": ") ",
    "quotes": '"',
    "slashes": "\\",
    "quoted": '\\"',
    "negations": "not R(",
    "markup": "<b>&",
    "braces": "{answer}",
    "lines": "\n",
    "blanks": " ",
    "controls": "\x1b[",
    "turned": "a\u202e",
    "signs": "é漢😀",
}


class _Shown:
    """An engine with one open answer and one confirmed answer about a word, and a page of it."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.program = antelog.parse(_PROGRAM)
        self.engine = Engine(self.program)
        rows = [("a", word, _START), ("b", word, _START - 1), ("b", "other", _START)]
        self.changes = self.engine.advance(_START, {"R": rows})
        self.live = LiveBoard(EngineReader(Engine(self.program), self.program))
        reader = self.live.reader
        assert isinstance(reader, EngineReader)
        reader.tell(_START, self.changes)
        self.live.take_some()
        assert self.live.board.open
        assert self.live.board.decided


def _look(text: str, look: Callable[[_Shown], object]) -> None:
    look(_Shown((text * _LETTERS)[:_LETTERS]))


def _part(name: str, shown: _Shown) -> None:
    scene = ViewContext(shown.live.board)
    for about in [each.id for each in shown.live.board.open.values()] if name == "answer" else [""]:
        assert PARTS[name](scene, about) is not None


def _found(shown: _Shown) -> None:
    """The answers whose text has a word: the search of the page."""
    API["now"](shown.live, {"text": [shown.word], "sort": ["name"]})


def _api(shown: _Shown) -> None:
    for view in API.values():
        msgspec.json.encode(view(shown.live, {}))
    for answer in shown.live.board.open.values():
        msgspec.json.encode(of_answer(shown.live, answer))


def _exports(shown: _Shown) -> None:
    for view in PARTS:
        for form in ("csv", "html"):
            of_view(shown.live, view, form, {})


def _alerts(shown: _Shown) -> None:
    alerts = (
        Alert(
            "webhook:@a",
            ("possible", "confirmed"),
            ("H V=*x*a*1*",),
            "{V}: {because} {evidence} {waits_for} {answer}" * _MANY,
        ),
        Alert("slack:@a", ("possible", "confirmed")),
    )
    queries = queries_of(shown.program.plan, chances=False)
    routes = routes_of(AlertSetup(alerts, queries, "p.alog", shown.program.plan.timescale))
    for answer in (*shown.live.board.open.values(), *shown.live.board.decided.values()):
        assert letters(routes, answer.line)


def _tried(form: str, shown: _Shown) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rules, facts = Path(folder, "p.alog"), Path(folder, "R.json")
        rules.write_text(_PROGRAM, encoding="utf-8")
        facts.write_bytes(
            b"\n".join(
                msgspec.json.encode({"d": "a", "v": shown.word, "time": _START + at}) for at in range(2)
            )
        )
        done = command("try", rules, "--input", f"R={facts}", "--format", form)
        assert done.exit_code == 0, done.stderr[:300]
        assert "H" in done.stdout


def _drawn(shown: _Shown) -> None:
    antelog.draw(shown.changes, program=shown.program)._repr_mimebundle_()
    antelog.draw(shown.engine, answer={"X": "a"})._repr_mimebundle_()


def _noted(shown: _Shown) -> None:
    antelog.show(shown.changes, program=shown.program)._repr_html_()
    antelog.show(shown.engine)._repr_html_()


_VIEWS: dict[str, Callable[[_Shown], object]] = {
    **{f"the page's {name}": partial(_part, name) for name in PARTS},
    "the page's search": _found,
    "the API": _api,
    "exports": _exports,
    "alerts": _alerts,
    "try --format table": partial(_tried, "table"),
    "try --format jsonl": partial(_tried, "jsonl"),
    "draw": _drawn,
    "show": _noted,
}
