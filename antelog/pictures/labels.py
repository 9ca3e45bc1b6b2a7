"""Labels of rows: their widths, and the cut of one that is too wide.

For the text of an answer: its approximate width in pixels, as a reader may have other fonts, and a Vega
expression that cuts it in the middle, since an answer begins with its values, and ends with its time.

    Temp(wt2, high, 2024-03-01 14:20)    Temp(wt2, hi…01 14:20)
"""

from __future__ import annotations

from unicodedata import east_asian_width

FONT_SIZE = 12
ROOM = 14
"""The pixels between a label and what stands beside it, on both sides together."""
_WIDTHS = {
    "ijlI .,:;!'|`": 3.4, "ftr()[]/1": 4.4, '-_"?*s{}': 5.7, "CDGHNOQU": 8.9, "ABKPRSTVXYZ&$+<=>~": 7.9,
    "w…": 10, "mM": 10.6, "W@%": 11.8,
}  # fmt: skip
"""Those of Inter at 12 pixels; other fonts are narrower, if anything."""
_OF = {character: width for characters, width in _WIDTHS.items() for character in characters}


def width_of(text: str) -> float:
    """The approximate width of a label in pixels."""
    return sum(map(_width, text))


def _width(character: str) -> float:
    if character in _OF:
        return _OF[character]
    if east_asian_width(character) in "WF":
        return 12.5
    return 8.3 if character.isupper() else 7.1


def cut(font_size: int) -> str:
    """Vega's expression for a label that fits its margin; `datum.each` is how wide its characters are."""
    room = f"(margin - {ROOM}) / datum.each * {FONT_SIZE / font_size:.3f}"
    return f"truncate(datum.label, max(6, floor({room})), 'center', '…')"
