"""`one per …`: which columns of an input, together with its time, are taken by one fact only."""

from __future__ import annotations

from antelog.diagnostics import Diagnostic, Note, Span
from antelog.language import syntax
from antelog.language.checks.suggestions import did_you_mean


def slot_of(declaration: syntax.Input, found: list[Diagnostic]) -> tuple[int, ...] | None:
    """The positions of the columns of an input's slot; what is wrong with them is added to `found`."""
    if declaration.one_per is None:
        return None
    columns = [column.name for column in declaration.columns]
    objects = columns[:-1]
    if not declaration.one_per and "tick" in objects:
        found.append(_two_meanings(declaration))
    first: dict[str, Span] = {}
    for name in declaration.one_per:
        if name.text in first:
            note = Note("first named here", first[name.text])
            message = f"`one per` names the column {name.text} twice"
            found.append(Diagnostic("E108", message, name.span, "Name each column once.", (note,)))
        elif name.text not in objects:
            found.append(_no_such_column(name, declaration.name, columns))
        first.setdefault(name.text, name.span)
    if first.keys() == set(objects):
        found.append(_excludes_nothing(declaration))
    return tuple(i for i, name in enumerate(objects) if name in first)


def _two_meanings(declaration: syntax.Input) -> Diagnostic:
    column = next(c for c in declaration.columns if c.name == "tick")
    message = "`one per tick` means one fact at each tick, so no column can be called tick"
    return Diagnostic("E108", message, column.span, "Give this column another name.")


def _no_such_column(name: syntax.Name, predicate: str, columns: list[str]) -> Diagnostic:
    *objects, time = columns or ["time"]
    if name.text == time:
        message = f"{time} is the time of {predicate}, and is part of every slot"
        hint = "Write `one per tick` if there is at most one fact at each time; else name other columns only."
        return Diagnostic("E108", message, name.span, hint)
    message = f"{predicate} has no column named {name.text}"
    if name.text == "tick":
        message, hint = "`tick` need not be named: the time is part of every slot", "Remove it."
        return Diagnostic("E108", message, name.span, hint)
    hint = did_you_mean(name.text, objects)
    if not hint:
        hint = (
            f"Its columns are {', '.join(objects)}." if objects else f"It has no column but its time, {time}."
        )
    return Diagnostic("E108", message, name.span, hint)


def _excludes_nothing(declaration: syntax.Input) -> Diagnostic:
    message = f"`one per` leaves out no column of {declaration.name}, so no fact excludes another"
    hint = "The same fact given twice counts once anyway: name fewer columns, or remove `one per`."
    names = declaration.one_per
    span = Span(names[0].span.start, names[-1].span.end) if names else declaration.name_span
    return Diagnostic("W110", message, span, hint)
