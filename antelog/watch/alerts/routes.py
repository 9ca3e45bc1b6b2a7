"""Routes: which receiver gets which changes, in which words, and in which group.

for route in routes_of(setup):
    route.choice.fits(line)      whether the receiver gets this change
    route.group_of(line)         wt2: the value of the program's key
"""

from __future__ import annotations

from dataclasses import dataclass

from antelog.answers import name_in
from antelog.language.templates import Template
from antelog.watch.alerts.alert import SILENT_INPUT, AlertSetup, Line
from antelog.watch.alerts.choosing import Choice, choice_of
from antelog.watch.alerts.receivers import ALERTMANAGER, Receiver, named_apart, receiver_of
from antelog.watch.alerts.wording import ChangeTexts, alert_template
from antelog.watch.board.feed_program import group_name


@dataclass(frozen=True)
class Route:
    """A receiver, the changes it gets, and their template."""

    receiver: Receiver
    choice: Choice
    template: Template
    texts: ChangeTexts
    setup: AlertSetup

    @property
    def every(self) -> float:
        """The seconds until more of a group are sent; Alertmanager groups by itself."""
        return 0.0 if self.receiver.kind == ALERTMANAGER else self.setup.every

    def group_of(self, line: Line) -> str:
        """The group of the answer of a line."""
        return group_name(line["query"], line["answer"], self.texts.query(line).key)

    def severity_of(self, line: Line) -> str:
        return self.texts.query(line).severity

    def link_to(self, line: Line) -> str:
        """The address of the answer on the page, without its token; nothing if there is no page."""
        if not self.setup.link:
            return ""
        if line["query"] == SILENT_INPUT:
            return f"{self.setup.link.rstrip('/')}/inputs"
        return f"{self.setup.link.rstrip('/')}/answer/{name_in(line)}"


def routes_of(setup: AlertSetup) -> tuple[Route, ...]:
    """A route for each alert. Raises AlertError."""
    receivers = named_apart([receiver_of(alert.to) for alert in setup.alerts])
    texts = ChangeTexts({each.name: each for each in setup.queries}, setup.timescale)
    return tuple(
        Route(
            receiver,
            choice_of(alert, setup.queries),
            alert_template(alert.template, setup.queries),
            texts,
            setup,
        )
        for receiver, alert in zip(receivers, setup.alerts, strict=True)
    )
