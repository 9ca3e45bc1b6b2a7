"""What a terminal acts on when it is told to show it."""

import unicodedata

OBEYED = [
    chr(number)
    for number in range(0x3000)  # beyond that there are none
    if (unicodedata.category(chr(number)) == "Cc" and chr(number) not in "\n\t")
    or unicodedata.bidirectional(chr(number))
    in {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    or number in (0x200E, 0x200F, 0x061C)
]
"""Control characters but for line ends and tabs, and those that turn the direction of text."""


def obeyed(text: str) -> list[str]:
    """The characters of a text that a terminal acts on."""
    return [character for character in text if character in OBEYED]
