"""Names: unknown ones, wrong numbers of arguments, queries without rules, lone variables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from antelog.diagnostics import Diagnostic, Note, Span, problem
from antelog.language import syntax
from antelog.language.checks.refinements import declared_twice
from antelog.language.checks.suggestions import did_you_mean, similar
from antelog.language.functions import ARITHMETIC, BUILT_IN, CALENDAR, OF_ONE
from antelog.language.graph import reachable
from antelog.language.literals.comparison import calculations_in
from antelog.language.moments import timed
from antelog.language.parser import Parsed
from antelog.language.printer import general_text, general_variables, to_text
from antelog.language.syntax import Calculation, Call, Constant, Term, Variable, variable_of
from antelog.language.syntax_errors import AGGREGATE
from antelog.language.vocabulary import PredicateKind, Vocabulary


def check_names(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds predicates that are neither declared nor derived, and are likely misspelt."""
    predicates = vocabulary.predicates.values()
    known = {p.name: p.arity for p in predicates if p.declared or p.kind is PredicateKind.DERIVED}
    seen: set[str] = set()
    for rule in parsed.document.rules:
        for atom, _ in syntax.atoms_of(rule):
            name, predicate = atom.predicate, vocabulary[atom.predicate]
            if name in seen or name in parsed.unread or name in known:
                continue
            seen.add(name)
            near = similar(name, [other for other, arity in known.items() if arity == len(atom.terms)])
            if not near:
                continue
            columns = ", ".join(predicate.columns)
            small, others = name.lower(), [each.lower() for each in near]
            if any(small.startswith(each) or each.startswith(small) for each in others):
                kind, known_as = "W108.alike", " and ".join(near)
            else:
                kind, known_as = "E201.alike", " or ".join(near)
            yield problem(kind, atom.name_span, name=name, near=known_as, first=near[0], columns=columns)


def check_taken_names(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds variables of queries with the name of a column with timestamps."""
    for query in parsed.document.queries if vocabulary.tick is not None else ():
        terms = query.atom.terms
        places = vocabulary.times_of(query.atom.predicate) | {len(terms) - 1}
        times = {timed(name): name for i, t in enumerate(terms) if i in places and (name := variable_of(t))}
        for term in terms:
            if (name := variable_of(term)) in times:
                yield problem("E205.timestamps", term.span, name=name, time=times[name])


def check_arities(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds atoms with more or fewer arguments than their predicate has columns."""
    atoms = [each for rule in parsed.document.rules for each in syntax.all_atoms(rule)]
    atoms += [each for query in parsed.document.queries for each in (query.atom, *query.given)]
    for atom in atoms:
        predicate = vocabulary.predicates.get(atom.predicate)
        if predicate is None:
            continue
        if predicate.temporal and not atom.terms:
            yield problem("E202.no-arguments", atom.span, name=atom.predicate)
            continue
        if len(atom.terms) == predicate.arity:
            continue
        plural = "argument" if predicate.arity == 1 else "arguments"
        message = f"{atom.predicate} has {predicate.arity} {plural}, not {len(atom.terms)}"
        hint = f"Its columns: {', '.join(predicate.columns) or 'none'}."
        if len(atom.terms) < predicate.arity:
            hint += " Write `_` for a value that does not matter."
        elif not predicate.temporal:
            hint += " It is static, so it has no time."
        where = "declared here" if predicate.declared else "first used here"
        yield Diagnostic("E202", message, atom.span, hint, (Note(where, predicate.span),))


def check_queries(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds queries without rules, repeated queries, and programs without queries."""
    document = parsed.document
    first: dict[str, syntax.Query] = {}
    derived = [p.name for p in vocabulary.predicates.values() if p.kind is PredicateKind.DERIVED]
    for query in document.queries:
        name = query.atom.predicate
        if name in first:
            note = Note("first asked for here", first[name].span)
            yield problem("E101.asked-twice", query.span, (note,), name=name)
        first.setdefault(name, query)
        if not vocabulary.is_derived(name):
            if name not in parsed.unread:
                yield _not_derived(name, query.atom.span, vocabulary, [*derived, *sorted(parsed.unread)])
        elif query.atom.terms and isinstance(query.atom.terms[-1], syntax.Anonymous):
            asked = to_text(syntax.Atom(name, (*query.atom.terms[:-1], syntax.Variable("T"))))
            yield problem("E203.open-time", query.atom.terms[-1].span, asked=asked)
    if not first and not parsed.diagnostics:
        end = len(document.source.text.rstrip())
        hint = "Add a rule, and a query for what it derives, such as `query Malf(X, T).`"
        if derived:
            hint = f"Add a query, such as `query {general_text(derived[-1], vocabulary[derived[-1]].arity)}.`"
        yield Diagnostic("E204", "the program asks for nothing", Span(max(0, end - 1), end), hint)


def check_windows(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds windows that are declared twice, or not for a predicate with rules."""
    first: dict[str, syntax.Query | syntax.Window] = {}
    derived = [p.name for p in vocabulary.predicates.values() if p.kind is PredicateKind.DERIVED]
    queries_first = sorted(parsed.document.windows, key=lambda each: isinstance(each, syntax.Window))
    for each in queries_first:
        before = first.setdefault(each.name, each)
        if isinstance(each, syntax.Query):
            continue
        if before is not each:
            hint = "Keep one of them: a predicate has one window."
            yield declared_twice(f"the window of {each.name}", each.span, before.span, hint)
        elif not vocabulary.is_derived(each.name) and each.name not in parsed.unread:
            found = _not_derived(each.name, each.name_span, vocabulary, [*derived, *sorted(parsed.unread)])
            hint = "A window is for a predicate whose rules rest on themselves."
            yield replace(found, hint=found.hint if each.name not in vocabulary.predicates else hint)


def _not_derived(name: str, span: Span, vocabulary: Vocabulary, derived: list[str]) -> Diagnostic:
    known = vocabulary.predicates.get(name)
    if known is None:
        message = f"no rule derives {name}"
        hint = did_you_mean(name, derived) or f"Write a rule for it: `{name}(…) :- …`"
    elif known.kind is PredicateKind.STATIC:
        message = f"{name} is static: it has no answers over time"
        hint = f"Use {name} in a rule whose head has a time, and ask for that head."
    else:
        message = f"{name} is an input: its facts are given, not derived"
        hint = did_you_mean(name, derived)
        if not hint:
            seen = f"Seen{name}({', '.join(general_variables(known.arity))})"
            rule = f"{seen} :- {general_text(name, known.arity)}."
            hint = f"To ask for its facts all the same, write `{rule}` and `query {seen}.`"
    return Diagnostic("E203", message, span, hint)


def check_unused(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds rules and declarations of the main file that no query needs, if all statements could be read."""
    own = len(parsed.document.source.text)
    queried = [q.atom.predicate for q in parsed.document.queries]
    if not queried or parsed.diagnostics or not all(map(vocabulary.is_derived, queried)):
        return
    needs: dict[str, set[str]] = {}
    for rule in parsed.document.rules:
        needed = needs.setdefault(rule.head.predicate, set())
        needed.update(atom.predicate for atom, _ in syntax.atoms_of(rule))
    looked_at = {atom.predicate for query in parsed.document.queries for atom in query.given}
    reached = looked_at | reachable(needs, *queried)
    seen: set[str] = set()
    for rule in parsed.document.rules:
        name = rule.head.predicate
        is_known = name in seen or rule.span.start > own
        if name not in reached and vocabulary.is_derived(name) and not is_known:
            seen.add(name)
            yield problem("W101.rules", rule.head.name_span, name=name)
    for predicate in vocabulary.predicates.values():
        is_own = predicate.declared and predicate.span.start <= own
        if is_own and predicate.name not in reached and predicate.kind is not PredicateKind.DERIVED:
            yield problem("W102.declaration", predicate.span, kind=predicate.kind.value, name=predicate.name)
    for limit in parsed.document.limits:
        if limit.name not in parsed.used_limits and limit.span.start <= own:
            terms = (term for rule in parsed.document.rules for term in _terms(rule))
            near = similar(limit.name, {str(t.value) for t in terms if isinstance(t, Constant)})
            hint = "Write the name in place of a number, or remove the declaration."
            hint = f"Did you mean it by `{near[0]}`, which is a text?" if near else hint
            yield problem("W102.limit", limit.name_span, name=limit.name, hint=hint)


def check_lone_variables(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    for rule in parsed.document.rules:
        terms = [term for term in _terms(rule) if variable_of(term)]
        count = Counter(map(variable_of, terms))
        repeated = [name for name in count if name and count[name] > 1]
        like_values = {id(term) for term in _like_values(rule, vocabulary)}
        for term in terms:
            name = variable_of(term)
            if name is None or count[name] > 1:
                continue
            if near := did_you_mean(name, repeated):
                yield problem("W105.once", term.span, name=name, near=near)
            elif id(term) in like_values:
                yield problem("W109.once", term.span, name=name)


def check_small_variables(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds texts that are likely meant as variables: called as their column, and in the head too."""
    for rule in parsed.document.rules:
        heads = {term.value for term in rule.head.terms if isinstance(term, Constant)}
        for atom, _ in syntax.atoms_of(rule):
            predicate = vocabulary[atom.predicate]
            columns = predicate.columns if predicate.declared else ()
            for term, column in zip(atom.terms, columns, strict=False):
                name = term.value if isinstance(term, Constant) else None
                if isinstance(name, str) and name in heads and column.lower().startswith(name):
                    yield problem("W109.small-letter", term.span, name=name, variable=name.capitalize())


_WORD = re.compile(r"[A-Z][a-z]{2,}|[A-Z]{4,}")


def _like_values(rule: syntax.Rule, vocabulary: Vocabulary) -> Iterator[Variable]:
    """Yields variables that look like texts, in columns with other names."""
    for atom, is_negated in syntax.atoms_of(rule):
        if is_negated:  # those under `not` alone are warned of anyway
            continue
        predicate = vocabulary[atom.predicate]
        columns = predicate.columns if predicate.declared else ()
        for term, column in zip(atom.terms, columns, strict=False):
            if isinstance(term, Variable) and _WORD.fullmatch(term.name):
                alike = term.name.lower() in column.lower() or column.lower() in term.name.lower()
                if not alike and not similar(term.name, [column]):
                    yield term


def _terms(rule: syntax.Rule) -> Iterator[Term]:
    yield from rule.head.terms
    for literal in rule.body:
        yield from literal.operands


# ---- functions ----


def check_calls(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    for rule in parsed.document.rules:
        for literal in rule.body:
            condition = literal.function if isinstance(literal, Call) else None
            for each in calculations_in(literal):
                if each.function not in ARITHMETIC and each.function not in CALENDAR:
                    yield from _call_problems(each, vocabulary, condition=each is condition)


def _call_problems(call: Calculation, vocabulary: Vocabulary, *, condition: bool) -> Iterator[Diagnostic]:
    name, function = call.function, vocabulary.functions.get(call.function)
    if function is None:
        near = AGGREGATE
        if name not in {"mean", "average"}:
            near = did_you_mean(name, [*vocabulary.functions, *OF_ONE])
        parameters = ", ".join(f"x{i + 1}" for i in range(len(call.arguments)))
        hint = f"{near}\nIf it is written in Python, declare `function {name}({parameters}) -> number.`"
        yield Diagnostic("E206", f"there is no function {name}", call.span, hint.strip())
        return
    note = () if name in BUILT_IN else (Note("declared here", function.span),)
    example = f"{function.name}({', '.join(function.parameters)})"
    wanted, given = len(function.parameters), len(call.arguments)
    if given != wanted:
        count = "1 argument" if wanted == 1 else f"{wanted} arguments"
        yield problem("E207.arguments", call.span, note, name=name, count=count, given=given, example=example)
    if condition and function.gives is not None:
        gives = function.gives.value
        yield problem("E207.no-condition", call.span, note, name=name, gives=gives, example=example)
    elif not condition and function.gives is None:
        more = "." if note == () else f", or declare `function {example} -> number.`"
        yield problem("E207.no-value", call.span, note, name=name, example=example, more=more)


# ---- inputs that chances look at ----


def check_covariates(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds atoms behind `given` that are not of inputs, or have no values whose latest one could be used."""
    inputs = [p.name for p in vocabulary.predicates.values() if p.kind is PredicateKind.INPUT]
    for query, atom in ((each, atom) for each in parsed.document.queries for atom in each.given):
        known = vocabulary.predicates.get(atom.predicate)
        if known is None or known.kind is not PredicateKind.INPUT:
            declared = f"Declare it, as in `input {to_text(atom)}.`" if known is None else "Name an input."
            hint = did_you_mean(atom.predicate, inputs) or declared
            yield problem("E117.no-input", atom.name_span, name=atom.predicate, hint=hint)
        elif len(atom.terms) == known.arity:  # any other number is reported elsewhere
            yield from _looked_at(query, atom)


def _looked_at(query: syntax.Query, atom: syntax.Atom) -> Iterator[Diagnostic]:
    *columns, time = atom.terms
    asked = query.atom.terms
    for term in columns:
        if not isinstance(term, Variable | Constant | syntax.Anonymous):
            yield problem("E117.no-variable", term.span, term=to_text(term))
            return
    if not asked or time != asked[-1]:
        wanted = to_text(syntax.Atom(atom.predicate, (*columns, asked[-1] if asked else Variable("T"))))
        yield problem("E117.time", time.span, wanted=wanted)
    elif not any(isinstance(term, Variable) and term not in asked for term in columns):
        yield problem("E117.nothing", atom.span, atom=to_text(atom))
