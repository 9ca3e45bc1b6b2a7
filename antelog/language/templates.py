"""Texts with names in braces, `turbine {X} is hot`: the words of queries, and the templates of alerts."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from antelog.language.checks.suggestions import did_you_mean

CHANCE, SO_FAR, DECIDED_BY = "chance", "so_far", "decided_by"
LINE_NAMES = (CHANCE, SO_FAR, DECIDED_BY)  # in braces, beside the variables of a query
UNKNOWN = "?"  # the text of an open variable, and of an unknown chance


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


def template_of(text: str, known: Sequence[str]) -> Template:
    """Parses a text in which `known` names may stand. Raises TemplateError."""
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        message = f"`{text}` has a brace too many or too few"
        raise TemplateError(message, "Write {{ or }} for a brace itself.") from None
    for _, name, form, conversion in parsed:
        if name is not None and (name not in known or form or conversion):
            hint = did_you_mean(name, known) or f"Write one of {', '.join(known)} in braces."
            raise TemplateError(f"`{{{name}}}` stands for nothing here", hint)
    return Template(tuple((before, name) for before, name, _, _ in parsed))
