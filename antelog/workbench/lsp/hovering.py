"""Descriptions of names, in Markdown: predicates with their deadlines and a fact, limits, functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from antelog.compile.show.summary import summaries, ticks_text
from antelog.language import syntax
from antelog.language.durations import long_duration_text
from antelog.language.functions import BUILT_IN
from antelog.language.printer import general_variables, to_text, value_text
from antelog.language.vocabulary import Predicate, PredicateKind, Signature, Vocabulary
from antelog.workbench.lsp.navigating import NameKind, NamePlaces
from antelog.workbench.lsp.near_data import data_files, example_of, file_of
from antelog.workbench.lsp.session import Analysis

_MOST_RULES = 6


def described(found: NamePlaces, analysis: Analysis | None) -> str | None:
    """A description of a name, in Markdown."""
    kind, name = found.mention.kind, found.mention.name
    if kind is NameKind.LIMIT and analysis:
        limits = [_code(to_text(each)) for each in analysis.checked.document.limits if each.name == name]
        return "\n".join(
            line for code in limits for line in (*code, f"`--set {name}=…` gives it another value")
        )
    if kind is NameKind.COLUMN and analysis:
        return "\n".join(_column(found.mention.owner, name, analysis))
    if kind is NameKind.VARIABLE:
        return f"variable `{name}`: what it stands for holds within this statement"
    if kind is NameKind.FILE:
        return f"the statements of `{name}` belong to this program"
    if kind is not NameKind.PREDICATE:
        return None
    if analysis is None:
        return f"`{name}`"
    signature = analysis.checked.vocabulary.functions.get(name) or BUILT_IN.get(name)
    predicate = analysis.checked.vocabulary.predicates.get(name)
    if signature is not None and predicate is None:
        return "\n".join(_function(signature, Path(found.file.name).parent))
    return "\n".join(_predicate(predicate, analysis)) if predicate is not None else f"`{name}`"


def _code(text: str) -> list[str]:
    return ["```antelog", text, "```"]


def _predicate(predicate: Predicate, analysis: Analysis) -> Iterator[str]:
    vocabulary, document = analysis.checked.vocabulary, analysis.checked.document
    declarations = (s for s in document.statements if isinstance(s, syntax.Input | syntax.Static))
    declared = [each for each in declarations if each.name == predicate.name]
    rules = [each for each in document.rules if each.head.predicate == predicate.name]
    yield from _code("\n".join(map(to_text, declared)) or call_of(predicate, document))
    if predicate.kind is PredicateKind.INPUT:
        yield from _input(predicate, vocabulary)
    elif predicate.kind is PredicateKind.STATIC:
        facts = sum(not each.body for each in rules)
        yield f"background, without time; {facts} {'fact' if facts == 1 else 'facts'} in the program"
    rules = [each for each in rules if each.body]
    if rules:
        yield f"derived by {len(rules)} {'rule' if len(rules) == 1 else 'rules'}:"
        yield from _code("\n".join(map(to_text, rules[:_MOST_RULES])))
    query = next((q for q in document.queries if q.atom.predicate == predicate.name), None)
    if query is not None:
        yield from _code(to_text(query))
        plan = analysis.compiled.plan if analysis.compiled else None
        summary = next(summaries(plan, predicate.name), None) if plan else None
        for name, text in summary.lines if summary else ():
            yield f"- *{name}* {text}"
    file = file_of(predicate, data_files(Path(analysis.root).parent))
    example = example_of(predicate, file) if file is not None and not rules else None
    if file is not None and example is not None:
        yield f"\na fact of `{file.path.name}`: `{example}`"


def call_of(predicate: Predicate, document: syntax.Document) -> str:
    """A predicate with columns and types, `Temp(device, value: number, time)`, or as rules call it."""
    if not predicate.declared:
        return f"{predicate.name}({', '.join(arguments_of(predicate, document))})"
    types = [*predicate.types, *[None] * predicate.arity]
    columns = [f"{c}: {t.value}" if t else c for c, t in zip(predicate.columns, types, strict=False)]
    return f"{predicate.name}({', '.join(columns)})"


def arguments_of(predicate: Predicate, document: syntax.Document) -> list[str]:
    """Variables for the columns of a predicate: those of its first rule, or such as go with the columns."""
    names = [each.capitalize() for each in predicate.columns]
    if not predicate.declared:
        names = general_variables(predicate.arity)
        head = next((each.head for each in document.rules if each.head.predicate == predicate.name), None)
        for at, term in enumerate(head.terms if head and len(head.terms) == len(names) else ()):
            names[at] = term.name if isinstance(term, syntax.Variable) else names[at]
    return [*names[:-1], "T"] if predicate.temporal else names


def _input(predicate: Predicate, vocabulary: Vocabulary) -> Iterator[str]:
    schedule = predicate.schedule
    yield "input" if predicate.declared else "input without a declaration: no delay, columns by position"
    yield f"- {_late(schedule.bound, vocabulary)}"
    for each in schedule.refinements:
        pattern = ", ".join("_" if value is None else value_text(value) for value in each.pattern)
        yield f"- `{predicate.name}({pattern})`: {_late(each.delay, vocabulary)}"
    if predicate.slot is not None:
        names = [predicate.columns[i] for i in predicate.slot]
        yield f"- at most one fact for each {' and '.join(names) or 'tick'}{' and tick' if names else ''}"
    if schedule.gap is not None:
        yield f"- a fact is expected every {_length(schedule.gap, vocabulary)}"


def _late(ticks: int, vocabulary: Vocabulary) -> str:
    if not ticks:
        return "facts come in time, or are set aside"
    return f"facts may come {_length(ticks, vocabulary)} late"


def _length(ticks: int, vocabulary: Vocabulary) -> str:
    if vocabulary.tick is None:
        return ticks_text(ticks)
    return f"{long_duration_text(ticks * vocabulary.tick)} ({ticks_text(ticks)})"


def _column(owner: str, name: str, analysis: Analysis) -> Iterator[str]:
    predicate = analysis.checked.vocabulary.predicates.get(owner)
    if predicate is None or name not in predicate.columns:
        yield f"column `{name}`"
        return
    at = predicate.columns.index(name)
    kind = predicate.types[at] if at < len(predicate.types) else None
    time = predicate.temporal and at == predicate.arity - 1
    yield f"column `{name}` of `{owner}`: {'the time' if time else kind.value if kind else 'of any type'}"
    file = file_of(predicate, data_files(Path(analysis.root).parent))
    values = file.column(name)[:5] if file else []
    if file and values:
        yield f"\nin `{file.path.name}`: {', '.join(f'`{each}`' for each in values)}, …"


def _function(signature: Signature, folder: Path) -> Iterator[str]:
    types = [t.value if t else None for t in signature.types]
    columns = [f"{c}: {t}" if t else c for c, t in zip(signature.parameters, types, strict=True)]
    gives = f" -> {signature.gives.value}" if signature.gives else ""
    yield from _code(f"function {signature.name}({', '.join(columns)}){gives}.")
    if signature.name in BUILT_IN:
        yield "a function of the language"
        return
    yield "a function in Python, which `--functions FILE.py` gives; it is not run here"
    # A file of Python is read, and never run.
    for path in sorted(folder.glob("*.py"))[:50]:
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == signature.name:
                gives = f" -> {ast.unparse(node.returns)}" if node.returns else ""
                text = f"# {path.name}\ndef {node.name}({ast.unparse(node.args)}){gives}: …"
                yield from ["```python", text, "```"]
                text = ast.get_docstring(node) or ""
                yield from [text] if text else []
                return
