"""Lines of a feed, and the queries they are about, for the tests of alerts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from antelog.lines import LogLine
from antelog.watch.alerts import letters as module
from antelog.watch.alerts.alert import Alert, AlertQuery, AlertSetup
from tests.watch import lines

QUERIES = (
    AlertQuery("Malf", ("X", "T"), {"T": "time"}, "likely", runbook="https://wiki.example/{X}"),
    AlertQuery("Total", ("City", "V"), {}, "confirmed"),
)


def group_of(route: module.Route, *changes: LogLine, status: str = module.FIRING) -> module.AlertGroup:
    items = tuple(module.AlertItem(each, status, 0.0, 0.0) for each in changes)
    return module.AlertGroup(route.group_of(changes[0]), items)


def letters(routes: Sequence[module.Route], change: LogLine) -> list[tuple[str, module.Letter]]:
    """The letters about a change, each with the name of its receiver."""
    found = [route for route in routes if "change" in change and route.choice.fits(change)]
    fires = change.get("change") not in ("confirmed", "rejected")
    firing = {change["query"]: module.StillFiring(0.0, 1)} if fires and found else {}
    return [
        (route.receiver.name, module.letter_of(route, group_of(route, change), firing)) for route in found
    ]


def letter_to(to: str, change: LogLine, template: str = "Take care") -> module.Letter:
    alert = Alert(to, on=(change["change"],), template=template)
    ((_, letter),) = letters(module.routes_of(AlertSetup((alert,), QUERIES, "p.alog")), change)
    return letter


def line(
    change: str = "likely", query: str = "Malf", /, chance: float | None = None, text: str = "", **more: Any
) -> Any:
    """A change about the answer at 8, as a program writes it, but for what is given in place of the usual."""
    answer = more.get("answer", {})
    device, about = answer.get("X"), answer.get("T", 7)
    device = device if isinstance(device, str) else "wt2"
    if change in ("confirmed", "rejected"):
        found = lines.decided(change, device, about, about + 1, query=query, text=text)
    else:
        chance = chance or (0.5 if change == "unlikely" else 0.84)
        kind = "possible" if change == "closed" else change
        found = lines.possible(device, about, about + 1, chance, query=query, text=text, change=kind)
    return found | {"change": change} | more
