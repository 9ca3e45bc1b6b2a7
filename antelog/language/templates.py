"""Texts with names in braces, `turbine {X} is hot`: the words of queries, and the templates of alerts."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from antelog.language.checks.suggestions import did_you_mean

CHANCE, SO_FAR, DECIDED_BY = "chance", "so_far", "decided_by"
LINE_NAMES = (CHANCE, SO_FAR, DECIDED_BY)  # in braces, beside the variables of a query
MANY = "n"  # in braces, in the words for several answers
UNKNOWN = "?"  # the text of an open variable, and of an unknown chance

_LONGEST_ADDRESS = 2_000  # browsers and mail programs cut longer ones


class TemplateError(Exception):
    def __init__(self, message: str, hint: str) -> None:
        self.message, self.hint = message, hint
        super().__init__(f"{message}. {hint}")


@dataclass(frozen=True)
class Template:
    """Pieces of text, each before the name of a value; the last one may have no name."""

    pieces: tuple[tuple[str, str | None], ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for _, name in self.pieces if name is not None)

    def filled(self, values: Mapping[str, str]) -> str:
        """Replaces names by values, or by nothing if they have none; braces in values stay."""
        return "".join(f"{before}{values.get(name or '', '')}" for before, name in self.pieces)

    def address(self, values: Mapping[str, str]) -> str:
        """Fills in values with the signs of an address escaped; too long a one is empty."""
        found = self.filled({name: quote(value, "", errors="replace") for name, value in values.items()})
        return found if len(found) <= _LONGEST_ADDRESS else ""


def template_of(text: str, known: Sequence[str]) -> Template:
    """Parses a text in which `known` names may stand. Raises TemplateError."""
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        message = f"`{text}` has a brace too many or too few"
        raise TemplateError(message, "Write {{ or }} for a brace itself.") from None
    for _, name, form, conversion in parsed:
        if name is not None and (name not in known or form or conversion):
            hint = did_you_mean(name, known) or (
                f"Write {'one of ' if len(known) > 1 else ''}{', '.join(known) or 'nothing'} in braces."
            )
            raise TemplateError(f"`{{{name}}}` stands for nothing here", hint)
    return Template(tuple((before, name) for before, name, _, _ in parsed))
