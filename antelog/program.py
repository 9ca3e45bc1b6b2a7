"""The public `Program`: rules that were read, checked and compiled."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from os import PathLike
from types import MappingProxyType
from typing import Any

from msgspec import structs

from antelog.arrow.grammar import no_reading
from antelog.compile import PATTERN_LIMIT, Plan, compile_program
from antelog.compile.nodes.plan import TimeReading
from antelog.compile.show.explain import plan_html, plan_text
from antelog.diagnostics import Diagnostic, Source, warnings_of
from antelog.errors import DataError, ProgramError
from antelog.functions import FUNCTIONS, FunctionsGiven, UserFunction, code_digest, matched
from antelog.given import NAMED, NUMBER, PATH, POSITIVE, TEXT, ArgumentKind, checked, optional
from antelog.language import Checked, read_whole
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.program_files import read_text
from antelog.language.syntax import Document, number
from antelog.theme import BOTH, CODE


@dataclass(frozen=True)
class Program:
    """A program that can be run: its rules, the plan they compile to, its warnings, and its functions."""

    document: Document
    plan: Plan
    warnings: tuple[Diagnostic, ...]
    functions: Mapping[str, UserFunction] = field(default_factory=dict, hash=False)

    @property
    def source(self) -> Source:
        return self.document.source

    def with_times(
        self,
        units: Mapping[str, str] = MappingProxyType({}),
        zones: Mapping[str, str] = MappingProxyType({}),
        formats: Mapping[str, str] = MappingProxyType({}),
    ) -> Program:
        """The program with times of these inputs read otherwise than it says.

        Numbers count `s`, `ms`, `us` or `ns` since 1970, or are `ticks`; what has no offset is of a zone such
        as `Europe/Berlin`; texts have a format, as `strptime` has it. Raises DataError if that does not fit.
        """
        if not (units or zones or formats):
            return self
        names = [source.name for source in self.plan.inputs]
        found = {each.input: each for each in self.plan.readings}
        for what, given in (("unit", units), ("zone", zones), ("form", formats)):
            for name, value in given.items():
                if name not in names:
                    raise DataError(f"the program has no input {name}. {did_you_mean(name, names)}".rstrip())
                if (wrong := no_reading(what, value)) is not None:
                    raise DataError(f"{wrong[0]}. {wrong[1]}".rstrip())
                if self.plan.tick is None:
                    said = f"times have a {what} where a tick has a length; declare it: `tick 10 minutes.`"
                    raise DataError(said)
                found[name] = structs.replace(found.get(name, TimeReading(name)), **{what: value})
        return replace(self, plan=structs.replace(self.plan, readings=tuple(found.values())))

    def __str__(self) -> str:
        """The plan, as text."""
        return plan_text(self.plan)

    def _repr_html_(self) -> str:
        """For notebooks: the rules in colours, and the plan."""
        from antelog.language.highlighting import highlighted  # noqa: PLC0415 - only notebooks need Pygments

        # The notebook's own colours; elsewhere, such as are readable on light and on dark.
        colours = " ".join(
            f".antelog-rules .{name} {{ color: var(--jp-mirror-editor-{theirs}-color, {BOTH[CODE[part]]}); }}"
            for name, (theirs, part) in _PARTS.items()
        )
        return f"<style>{colours}</style>{highlighted(self.source.text)}{plan_html(self.plan)}"


_PARTS = {
    "k": ("keyword", "keyword"),
    "nf": ("def", "name"),
    "nv": ("variable-2", "other"),
    "s": ("number", "value"),
    "m": ("number", "value"),
    "c1": ("comment", "comment"),
}
"""The parts of a program by Pygments' classes: the names of notebooks and of the theme for each."""


def _limit(value: Any) -> int | float:
    return number(float(value) if isinstance(value, float) else operator.index(value))


_LIMITS = ArgumentKind(
    "a dictionary from the names of limits to numbers",
    lambda given: (
        NAMED.fits(given)
        and all((type(v) is int or NUMBER.fits(v)) and isfinite(_limit(v)) for v in given.values())
    ),
)


@checked(text=TEXT, name=TEXT, limits=_LIMITS, functions=optional(FUNCTIONS), pattern_limit=POSITIVE)
def parse(
    text: str,
    *,
    name: str = "<text>",
    limits: Mapping[str, int | float] = MappingProxyType({}),
    functions: FunctionsGiven | None = None,
    pattern_limit: int = PATTERN_LIMIT,
) -> Program:
    """The program a text contains, with the files that it includes.

    `name` is what messages call it; if it is a path, those of included files begin there. `limits` gives
    values to the program's limits, in place of its own, and `functions` are those that it declares: a list of
    them, or the path of a file of Python that has them; without, it can be looked at, but not run. A program
    that needs more than `pattern_limit` patterns for one predicate is refused. Raises ProgramError with
    everything that is wrong, DataError for a limit that the program does not have, and FunctionError for
    functions that do not fit.
    """
    values = {each: _limit(value) for each, value in limits.items()}
    found = read_whole(Source(text, name, values=values))
    refuse_unknown(found)
    return compiled(found, functions, pattern_limit)


def refuse_unknown(found: Checked) -> None:
    """Raises DataError if a value is given to a limit that a correct program does not have."""
    known = [each.name for each in found.document.limits]
    unknown = [each for each in found.document.source.values if each not in known]
    if unknown and found.ok:
        hint = did_you_mean(unknown[0], known) or f"It has {', '.join(known) or 'none'}."
        raise DataError(f"the program has no limit {unknown[0]}. {hint}")


@checked(path=PATH, limits=_LIMITS, functions=optional(FUNCTIONS), pattern_limit=POSITIVE)
def load(
    path: str | PathLike[str],
    *,
    limits: Mapping[str, int | float] = MappingProxyType({}),
    functions: FunctionsGiven | None = None,
    pattern_limit: int = PATTERN_LIMIT,
) -> Program:
    """The program in a file. Raises ProgramFileError if it cannot be read, ProgramError as `parse`."""
    return parse(
        read_text(path), name=str(path), limits=limits, functions=functions, pattern_limit=pattern_limit
    )


def compiled(
    checked: Checked, functions: FunctionsGiven | None = None, pattern_limit: int = PATTERN_LIMIT
) -> Program:
    """Compiles a checked program. Raises ProgramError with everything that is wrong."""
    found = compile_program(checked, pattern_limit)
    if found.plan is None:
        raise ProgramError(found.diagnostics, checked.document.source)
    arities = {each.name: len(each.columns) for each in checked.document.functions}
    given = {} if functions is None else matched(arities, functions)
    called = [each for each in found.plan.functions if each.name in given]
    coded = tuple(structs.replace(each, code=code_digest(given[each.name])) for each in called)
    plan = structs.replace(found.plan, coded=coded)
    return Program(checked.document, plan, warnings_of(found.diagnostics), given)
