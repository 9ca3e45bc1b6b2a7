"""Facets: filters with a list of values, and how many answers each of these would show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from antelog.watch.board.selection import KINDS, SEVERITIES, STATES
from antelog.watch.web.views.context import ViewContext

Counts = Mapping[str, Mapping[str, int]]
"""The number of answers with each value of each facet."""
_TITLES = {"kind": "Became", "severity": "Severity", "query": "Query", "prefix": "", "state": "Chance"}
_ORDERS: Mapping[str, Sequence[str]] = {"kind": KINDS, "severity": SEVERITIES, "state": STATES}
_PREFIXES = 8


@dataclass(frozen=True)
class Facet:
    """A filter with the values to choose from, how many answers each has, and which are chosen."""

    name: str
    title: str
    choices: Sequence[str]
    counts: Mapping[str, int]
    chosen: Collection[str]


def facets(scene: ViewContext, counts: Counts) -> Iterator[Facet]:
    """The filters of which there is something to choose."""
    for name, title in _TITLES.items():
        if (counted := counts.get(name)) is None:
            continue
        chosen = {*scene.given.get(name, ())} - {""}
        values: Sequence[str]
        if name in _ORDERS:
            values = [each for each in _ORDERS[name] if counted.get(each) or each in chosen]
        elif name == "query":
            values = sorted({*counted, *chosen})
        else:
            most = [] if len(counted) > 4 * _PREFIXES else Counter(counted).most_common(_PREFIXES)
            values = sorted({*dict(most), *chosen})
        if len(values) > 1 or chosen:
            yield Facet(name, title or scene.key_name, values, counted, chosen)
