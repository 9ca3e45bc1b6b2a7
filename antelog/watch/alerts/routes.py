"""Which letters a change of the feed gives: one for each receiver that is to be told of it.

routes = routes_of(wanted)
letters(routes, line)      [("slack:@slack.url", letter)], or nothing
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from antelog.watch.alerts.alert import Line, Wanted
from antelog.watch.alerts.choosing import Choice, choice_of
from antelog.watch.alerts.letters import Letter, key_of, letter_of
from antelog.watch.alerts.receivers import Receiver, named_apart, receiver_of
from antelog.watch.alerts.wording import Template, Words, template_of


@dataclass(frozen=True)
class Route:
    """A receiver, what it is told of, and how."""

    receiver: Receiver
    choice: Choice
    template: Template
    words: Words
    program: str


def routes_of(wanted: Wanted) -> tuple[Route, ...]:
    """A route for each alert. Raises AlertError."""
    receivers = named_apart([receiver_of(alert.to) for alert in wanted.alerts])
    words = Words({each.name: each for each in wanted.queries}, wanted.tick)
    return tuple(
        Route(
            receiver,
            choice_of(alert, wanted.queries),
            template_of(alert.template, wanted.queries),
            words,
            wanted.program,
        )
        for receiver, alert in zip(receivers, wanted.alerts, strict=True)
    )


def letters(routes: Sequence[Route], line: Line) -> list[tuple[str, Letter]]:
    """The letters about a line of the feed, each with the name of its receiver."""
    if "change" not in line:
        return []
    found = []
    for route in routes:
        if route.choice.fits(line):
            text = route.template.filled(route.words.of(line, key_of(line)))
            found.append((route.receiver.name, letter_of(line, text, route.receiver, route.program)))
    return found
