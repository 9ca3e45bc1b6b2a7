"""Facets: filters with a list of values, and how many answers each of these would show."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

_TEXTS = {"over": "at or over its threshold", "below": "below it", "none": "without a chance"}


@dataclass(frozen=True)
class Facet:
    """A filter with its values, how many answers each has, and which are chosen."""

    name: str
    title: str
    values: Sequence[FacetValue]


@dataclass(frozen=True)
class FacetValue:
    value: str
    text: str
    count: int
    chosen: bool
    kind: str = ""


def facet(
    name: str, title: str, values: Sequence[str], counts: Mapping[str, int], chosen: Collection[str]
) -> Facet:
    """A facet; the values of severities and kinds are its classes, too."""
    shown = [
        FacetValue(each, _TEXTS.get(each, each), counts.get(each, 0), each in chosen, _class(name, each))
        for each in values
    ]
    return Facet(name, title, shown)


def _class(name: str, value: str) -> str:
    return value if name in ("severity", "kind") else ""
