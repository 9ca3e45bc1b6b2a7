"""Names cut in the middle where there is no room for them: names of devices differ at their ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from unicodedata import east_asian_width

_DOTS = "…"
_BEGIN = 0.35  # the part of a label that is its beginning, where it is cut before a difference
_WIDTHS = {
    "ijlI .,:;!'|`": 3.4, "ftr()[]/1": 4.4, '-_"?*s{}': 5.7, "CDGHNOQU": 8.9, "ABKPRSTVXYZ&$+<=>~": 7.9,
    "w…": 10, "mM": 10.6, "W@%": 11.8,
}  # fmt: skip
"""Widths of characters in Inter at 12 pixels. Most other fonts are narrower."""
_OF = {character: width for characters, width in _WIDTHS.items() for character in characters}
_NARROWEST = min(_OF.values())


def width_of(text: str) -> float:
    return sum(map(_width, text))


def fits(text: str, room: float) -> bool:
    """Whether a label fits into pixels; of a very long one only the length counts."""
    return len(text) * _NARROWEST <= room and width_of(text) <= room


def _width(character: str) -> float:
    if character in _OF:
        return _OF[character]
    if east_asian_width(character) in "WF":
        return 12.5
    return 8.3 if character.isupper() else 7.1


def site_of(key: str) -> str:
    """The site in the name of a device, before its last slash: `plant/hall` of `plant/hall/fan-01`."""
    return key.rpartition("/")[0]


def cut_apart(texts: Iterable[str], room: float) -> dict[str, str]:
    """Each of these texts as a label that fits into pixels; different texts have different labels."""
    found = {text: cut(text, room) for text in texts}
    for alike in _alike(found):
        found |= _apart(alike, room)
    for number, text in enumerate((text for alike in _alike(found) for text in alike), 1):
        found[text] = f"{_begin(text, room - width_of(f'{_DOTS}{number}'))}{_DOTS}{number}"
    return found


def cut(text: str, room: float) -> str:
    """A text cut in the middle, if it is wider than the room."""
    if fits(text, room):
        return text
    each = (room - width_of(_DOTS)) / 2
    begin = _begin(text, each)
    end = _begin(text[::-1], room - width_of(_DOTS) - width_of(begin))[::-1]
    return f"{begin.rstrip()}{_DOTS}{end.lstrip()}"


def _alike(found: dict[str, str]) -> list[list[str]]:
    by_label: dict[str, list[str]] = {}
    for text, short in found.items():
        by_label.setdefault(short, []).append(text)
    return [texts for texts in by_label.values() if len(texts) > 1]


def _apart(texts: Sequence[str], room: float) -> dict[str, str]:
    """Labels with the beginning of texts, and the rest from where they begin to differ."""
    differ = _common(texts)
    begin = _begin(texts[0], _BEGIN * room)
    left = room - width_of(begin) - width_of(_DOTS)
    found = {}
    for text in texts:
        rest = text[differ:]
        whole = fits(rest, left)
        rest = rest if whole else cut(rest, left)  # of which the end may differ as well
        # What is before the difference fills the room that is left.
        before = _begin(text[len(begin) : differ][::-1], left - width_of(rest))[::-1] if whole else ""
        found[text] = f"{begin}{_DOTS}{before}{rest}"
    for alike in _alike(found):
        if _common(alike) > differ and len(alike) < len(texts):
            found |= _apart(alike, room)
    return found


def _common(texts: Sequence[str]) -> int:
    """The number of characters at the beginning of texts that are the same in all."""
    shortest = min(texts, key=len)
    return next((n for n, each in enumerate(shortest) if any(t[n] != each for t in texts)), len(shortest))


def _begin(text: str, room: float) -> str:
    """As much of the beginning of a text as there is room for."""
    widths = accumulate(map(_width, text[: max(int(room / _NARROWEST), 0) + 1]))
    return text[: sum(1 for width in widths if width <= room)]
