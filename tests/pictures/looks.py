"""What can be read off an SVG: its texts, and how often each colour occurs."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

NAMESPACE = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    """All texts of a picture, in the order of its elements."""
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter(f"{NAMESPACE}text")]


def marks(svg: str, kind: str) -> list[ElementTree.Element]:
    """The paths of all marks of a kind, such as `symbol` or `rect`."""
    return [
        path
        for group in ElementTree.fromstring(svg).iter(f"{NAMESPACE}g")
        if f"mark-{kind} role-mark" in group.get("class", "")
        for path in group.iter(f"{NAMESPACE}path")
    ]


def colours(svg: str) -> Counter[str]:
    """How often each colour occurs."""
    every = (each.get(what, "") for each in ElementTree.fromstring(svg).iter() for what in ("fill", "stroke"))
    return Counter(colour for colour in every if colour.startswith("#"))
