"""SLD-resolution: follows queries, and the relations they ask for, down to facts and asked literals.

A query with a declared window may rest on itself: its patterns are found in rounds, until there is nothing
new. Goals too far apart for the window are left out, so recursion that moves through time comes to an end.

    P(X, T) :- Q(X, T), B(X, T).    Q(X, T) :- A(X, T+1).    Q(X, T) :- C(X, T).
    P: A(X, T+1), B(X, T)    and    C(X, T), B(X, T)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from msgspec.structs import replace

from antelog.compile.comparisons import possible
from antelog.compile.literals import AnyLiteral, Atom, Comparison
from antelog.compile.literals.terms import Substitution, Time, variable_in
from antelog.compile.nodes.patterns import Earliest, Pattern, apart, arranged, from_zero, readable, suffixed
from antelog.compile.patterns.subsume import Antichain, Budget, TooMuchWorkError, condense, minimal
from antelog.compile.rules.clauses import (
    Clause,
    Clauses,
    EvidenceFrame,
    asked_clause,
    frames_of,
    query_clause,
    undecided,
)
from antelog.language import Checked
from antelog.language.graph import components

ANSWER = "<answer>"  # the time of the query's answer in the bounds that a window sets to loose times


@dataclass(frozen=True, slots=True)
class Spanned:
    """A pattern with the span of its goals before and after its time; only goals tied to it count."""

    pattern: Pattern
    first: int
    last: int


_TO_FIT, _TO_RENAME, _TO_BUILD = 4, 4, 7  # steps to try a pattern, to rename a literal, to build with it
Choice: TypeAlias = Sequence[Spanned] | None  # the patterns there are for a goal; None if it is an input fact


def combinations(
    clause: Clause, choices: Sequence[Choice], frame: EvidenceFrame | None, work: Budget
) -> Iterator[Spanned]:
    """Yields a pattern for each fitting choice of patterns for the derived goals of a clause."""
    known = Substitution()
    derived = [i for i, choice in enumerate(choices) if choice is not None]
    if not derived:
        built = _build(clause, {}, known, frame, work)
        if built is not None:
            yield built
        return
    work.spend(_TO_RENAME * sum(len(each.pattern.literals) for i in derived for each in choices[i] or ()))
    # No other pattern, and not the clause, has their variables.
    options = [
        [Spanned(suffixed(f"~{i}").pattern(each.pattern), each.first, each.last) for each in choices[i] or ()]
        for i in derived
    ]
    chosen: dict[int, Spanned] = {}
    stack = [(known.mark(), iter(options[0]))]
    while stack:
        mark, remaining = stack[-1]
        known.undo(mark)
        spanned = next(remaining, None)
        position = derived[len(stack) - 1]
        if spanned is None:
            stack.pop()
            continue
        work.spend(_TO_FIT)
        pattern, goal = spanned.pattern, clause.facts[position]
        columns = [*zip(pattern.answer, goal.arguments, strict=True)]
        # The answer's time names its variable, then the first column that has it: those come last.
        if all(known.equate(*each) for each in (*columns[::-1], (pattern.time, goal.time))):
            chosen[position] = spanned
            if len(stack) == len(derived):
                built = _build(clause, chosen, known, frame, work)
                if built is not None:
                    yield built
            else:
                stack.append((known.mark(), iter(options[len(stack)])))


def _build(
    clause: Clause,
    chosen: Mapping[int, Spanned],
    known: Substitution,
    frame: EvidenceFrame | None,
    work: Budget,
) -> Spanned | None:
    """Replaces the derived goals of a clause; None if it can hold at no time or is too wide."""
    span = _span(clause, chosen)
    if frame is not None and max(-span[0], span[1]) > frame.width:
        return None
    parts = [chosen[i].pattern for i in sorted(chosen)]
    work.spend(_TO_BUILD * (5 + sum(len(source.literals) for source in (clause, *parts))))
    first = earliest_of([*clause.earliest, *(each for part in parts for each in part.earliest)], known)
    if first is None:
        return None
    sources: list[Clause | Pattern] = [clause, *parts]
    conditions: list[AnyLiteral] = [c.replaced(known) for source in sources for c in source.conditions]
    if frame is not None:
        conditions += (limit.replaced(known) for limit in _limits(clause, chosen, frame))
    if not possible([each for each in conditions if isinstance(each, Comparison)], first):
        return None
    stated: list[AnyLiteral] = []
    for i, goal in enumerate(clause.facts):
        stated += chosen[i].pattern.stated if i in chosen else (goal,)
    stated += (each for each in clause.stated if not isinstance(each, Atom))
    literals = arranged((*(each.replaced(known) for each in stated), *conditions))
    head = clause.head.replaced(known)
    earliest = tuple(Earliest(variable, tick) for variable, tick in first.items())
    pattern = readable().pattern(Pattern(head.arguments, head.time, undecided(literals), earliest))
    return Spanned(condense(from_zero(pattern), work), *span)


def _span(clause: Clause, chosen: Mapping[int, Spanned]) -> tuple[int, int]:
    """Returns the span of the goals before and after the head, with those of the chosen patterns."""
    first = last = 0
    for i, time in enumerate(clause.body_times):
        offset = time.after(clause.head.time)
        if offset is not None:
            spanned = chosen.get(i)
            first = min(first, offset + (spanned.first if spanned else 0))
            last = max(last, offset + (spanned.last if spanned else 0))
    return first, last


def _limits(clause: Clause, chosen: Mapping[int, Spanned], frame: EvidenceFrame) -> Iterator[Comparison]:
    """Yields comparisons that keep goals whose times are not tied to the head's in the frame."""
    for i, time in enumerate(clause.body_times):
        if time.after(clause.head.time) is None:
            spanned = chosen.get(i)
            yield Comparison(Time(ANSWER, frame.first), "<=", time + (spanned.first if spanned else 0))
            yield Comparison(time + (spanned.last if spanned else 0), "<=", Time(ANSWER, frame.last))


def earliest_of(conditions: Iterable[Earliest], known: Substitution) -> dict[str, int] | None:
    """Returns the first tick of every time variable; None if a fixed time is before its own."""
    first: dict[str, int] = {}
    for each in conditions:
        time = known.time(Time(each.variable, 0))
        tick = each.tick - time.offset
        if time.variable is not None:
            first[time.variable] = max(first.get(time.variable, tick), tick)
        elif tick > 0:
            return None
    return first


def framed(pattern: Pattern, offset: int, work: Budget) -> Pattern | None:
    """Puts a frame around the pattern's own time plus an offset; None if that leaves no room."""
    known = Substitution()
    known.bind_time(ANSWER, pattern.time + offset)
    placed = replace(pattern, literals=arranged(literal.replaced(known) for literal in pattern.literals))
    if not possible(placed.comparisons, {e.variable: e.tick for e in pattern.earliest}):
        return None
    # Literals may be needless that were not while the answer's time was unknown.
    return condense(replace(placed, literals=undecided(placed.literals)), work)


LITERALS_EACH = 10  # the most literals of a predicate for each pattern that the limit allows
LITERALS_OF_ALL = 20  # the most literals of all predicates together: a chain of rules may grow with each
Reason: TypeAlias = Literal["alike", "recurs", "combining"]


@dataclass(eq=False)
class TooManyPatternsError(Exception):
    """A predicate has more patterns than the limit allows, or finding them takes too many steps."""

    predicate: str
    sizes: Mapping[int, tuple[tuple[str, int], ...]]  # by rule the predicates of the body with their patterns
    literals: int | None = None  # the most that these may have together, if literals are too many
    reason: Reason | None = None  # if steps are too many: what takes them
    reached: int = 0  # of a predicate that recurs, how many ticks away its patterns have come


@dataclass(eq=False)
class EndlessError(Exception):
    """Recursion that no window ends; `rules` lead from the predicate back to itself."""

    predicate: str
    rules: tuple[int, ...]
    framed: bool


class Resolver:
    def __init__(self, clauses: Mapping[str, Sequence[Clause]], limit: int) -> None:
        self._clauses = clauses
        self._limit = limit
        self._literals = 0
        self._known: dict[tuple[str, EvidenceFrame | None], tuple[Spanned, ...]] = {}
        self._reached: dict[tuple[str, EvidenceFrame | None], int] = {}
        self.work = Budget(limit)

    def answers(self, query: Clause, frame: EvidenceFrame | None) -> tuple[Pattern, ...]:
        """Returns the minimal patterns of a query, a clause with one goal."""
        name = query.facts[0].predicate
        try:
            choice = self._patterns_of(name, frame) if name in self._clauses else None
            if choice is not None and frame is not None:
                choice = tuple(s for s in choice if frame.first <= s.first and s.last <= frame.last)
            found = [each.pattern for each in combinations(query, [choice], None, self.work)]
            if frame is not None:
                offset = query.facts[0].time.offset - query.head.time.offset
                found = [p for p in (framed(p, offset, self.work) for p in found) if p is not None]
            return minimal(found, self.work)
        except TooMuchWorkError:
            raise self._too_much(name, frame) from None

    def _too_much(self, name: str, frame: EvidenceFrame | None) -> TooManyPatternsError:
        reached = self._reached.get((name, frame))
        reason: Reason = "recurs" if reached is not None else "alike" if self.work.alike else "combining"
        return TooManyPatternsError(name, self._sizes(name, frame), None, reason, reached or 0)

    def _patterns_of(self, predicate: str, frame: EvidenceFrame | None) -> tuple[Spanned, ...]:
        """Returns the patterns of a predicate; with a frame, those no wider than it on either side."""
        needs: dict[str, list[str]] = {}
        waiting = [predicate]
        while waiting:
            name = waiting.pop()
            if name not in needs and (name, frame) not in self._known:
                needs[name] = [a.predicate for c in self._clauses[name] for a in self._derived(c)]
                waiting += needs[name]
        among = {name: [n for n in needed if n in needs] for name, needed in needs.items()}
        for members in components(among):
            try:
                if len(members) == 1 and members[0] not in among[members[0]]:
                    self._once(members[0], frame)
                else:
                    self._until_nothing_new(members, frame)
            except TooMuchWorkError:
                raise self._too_much(members[0], frame) from None
        return self._known[predicate, frame]

    def _derived(self, clause: Clause) -> Iterator[Atom]:
        return (atom for atom in clause.facts if atom.predicate in self._clauses)

    def _once(self, name: str, frame: EvidenceFrame | None) -> None:
        """Finds the patterns of a predicate that does not rest on itself."""
        search = _Search(frame, self._limit, self.work)
        found = [
            each
            for clause in self._clauses[name]
            for each in self._tried(search, clause, self._choices(clause, frame))
        ]
        if frame is None:
            self._known[name, frame] = tuple(
                Spanned(p, 0, 0) for p in minimal((each.pattern for each in found), self.work)
            )
        else:
            ordered = sorted(found, key=lambda each: (each.last - each.first, len(each.pattern.stated)))
            self._known[name, frame] = tuple(each for each in ordered if search.keeps(name, each))

    def _tried(self, search: _Search, clause: Clause, choices: Sequence[Choice]) -> Iterator[Spanned]:
        """Yields the patterns of a clause; raises TooManyPatternsError once there are too many."""
        key = name, frame = clause.head.predicate, search.frame
        for spanned in combinations(clause, choices, frame, self.work):
            if search.exceeds(spanned):
                raise TooManyPatternsError(name, self._sizes(name, frame), search.literals_allowed)
            self._literals += len(spanned.pattern.stated)
            allowed = LITERALS_OF_ALL * self._limit
            if self._literals > allowed:
                raise TooManyPatternsError(name, self._sizes(name, frame), allowed)
            if key in self._reached:
                self._reached[key] = max(self._reached[key], -spanned.first, spanned.last)
            yield spanned

    def _choices(self, clause: Clause, frame: EvidenceFrame | None) -> list[Choice]:
        return [self._known.get((atom.predicate, frame)) for atom in clause.facts]

    def _until_nothing_new(self, members: list[str], frame: EvidenceFrame | None) -> None:
        """Finds the patterns of predicates that rest on each other, in rounds."""
        self._reached |= dict.fromkeys(((name, frame) for name in members), 0)
        inside = {
            name: [c for c in self._clauses[name] if any(atom.predicate in members for atom in c.facts)]
            for name in members
        }
        _check_recursion(inside, frame)
        rounds = _rounds(inside, 0 if frame is None else frame.width)
        search = _Search(frame, self._limit, self.work)
        old: dict[str, list[Spanned]] = {name: [] for name in members}
        new: dict[str, list[Spanned]] = {name: [] for name in members}
        for name in members:
            for clause in self._clauses[name]:
                if clause not in inside[name]:
                    new[name] += self._fresh(search, clause, self._choices(clause, frame))
        while any(new.values()):
            rounds -= 1
            if rounds < 0:
                raise EndlessError(members[0], _loop(members[0], inside), framed=True)
            found: dict[str, list[Spanned]] = {name: [] for name in members}
            for name in members:
                for clause in inside[name]:
                    for choices in self._with_new(clause, old, new, frame):
                        found[name] += self._fresh(search, clause, choices)
            for name in members:
                old[name] += new[name]
            new = found
        for name in members:
            self._known[name, frame] = tuple(old[name])

    def _fresh(self, search: _Search, clause: Clause, choices: Sequence[Choice]) -> list[Spanned]:
        return [
            each for each in self._tried(search, clause, choices) if search.keeps(clause.head.predicate, each)
        ]

    def _with_new(
        self,
        clause: Clause,
        old: dict[str, list[Spanned]],
        new: dict[str, list[Spanned]],
        frame: EvidenceFrame | None,
    ) -> Iterator[list[Choice]]:
        """Yields choices for the goals of a clause of which one is new, and those before it are old."""
        choices = self._choices(clause, frame)
        recursive = [i for i, atom in enumerate(clause.facts) if atom.predicate in new]
        for position in recursive:
            for i in recursive:
                name = clause.facts[i].predicate
                choices[i] = (
                    old[name] if i < position else new[name] if i == position else old[name] + new[name]
                )
            yield list(choices)

    def _sizes(self, name: str, frame: EvidenceFrame | None) -> dict[int, tuple[tuple[str, int], ...]]:
        return {
            clause.rule: tuple(
                (atom.predicate, len(self._known.get((atom.predicate, frame), ())))
                for atom in self._derived(clause)
            )
            for clause in self._clauses[name]
        }


class _Search:
    """The search for the patterns of a predicate, or of several that rest on each other, within a limit."""

    def __init__(self, frame: EvidenceFrame | None, limit: int, work: Budget) -> None:
        self.frame = frame
        self._work, self._limit = work, limit
        self._patterns, self._literals = limit, LITERALS_EACH * limit
        self._kept: dict[str, Antichain] = {}
        self._spans: dict[int, tuple[int, int]] = {}

    def exceeds(self, spanned: Spanned) -> bool:
        """Counts a pattern and its literals; returns whether they are too many."""
        self._patterns -= 1
        self._literals -= len(spanned.pattern.stated)
        return min(self._patterns, self._literals) < 0

    @property
    def literals_allowed(self) -> int | None:
        """The limit of literals, if it is exceeded; None if another limit is."""
        return None if self._patterns < 0 else LITERALS_EACH * self._limit

    def keeps(self, name: str, spanned: Spanned) -> bool:
        """Adds a pattern of a predicate, unless one with a span no wider makes it needless."""

        def no_wider(pattern: Pattern) -> bool:
            first, last = self._spans[id(pattern)]
            return spanned.first <= first and last <= spanned.last

        kept = self._kept.setdefault(name, Antichain(self._work))
        added = kept.add(spanned.pattern, no_wider)
        if added:
            self._spans[id(spanned.pattern)] = (spanned.first, spanned.last)
        return added


def _check_recursion(inside: Mapping[str, list[Clause]], frame: EvidenceFrame | None) -> None:
    """Raises EndlessError unless there is a window, and the rules tie the times of head and goal."""
    for name, clauses in inside.items():
        for clause in clauses:
            for atom in clause.facts:
                loose = atom.predicate in inside and atom.time.variable != clause.head.time.variable
                if frame is None or loose:
                    raise EndlessError(name, _loop(name, inside), framed=False)


def _rounds(inside: Mapping[str, list[Clause]], width: int) -> int:
    """Returns after how many rounds recursion counts as endless: through time, one for each goal in reach."""
    rules = [clause for clauses in inside.values() for clause in clauses]
    # Within one tick, new variables in a recursive goal mean ever longer chains, unless they are needless.
    chains = any(
        atom.predicate in inside
        and atom.time == clause.head.time
        and not set(atom.arguments) <= set(clause.head.arguments)
        for clause in rules
        for atom in clause.facts
    )
    return 2 * len(rules) + 50 + (0 if chains else len(inside) * (2 * width + 1))


def _loop(start: str, inside: Mapping[str, list[Clause]]) -> tuple[int, ...]:
    """Returns the rules of a shortest loop from a predicate back to itself."""
    came: dict[str, tuple[str, int]] = {}
    waiting = [start]
    for name in waiting:
        for clause in inside[name]:
            for atom in clause.facts:
                if atom.predicate in inside and atom.predicate not in came:
                    came[atom.predicate] = (name, clause.rule)
                    waiting.append(atom.predicate)
    name, rule = came[start]
    rules = [rule]
    while name != start:
        name, rule = came[name]
        rules.append(rule)
    return tuple(reversed(rules))


@dataclass(frozen=True, eq=False)
class Request:
    """A relation to resolve: its name, whether a query asks for it, and its clause."""

    name: str
    by_query: bool
    clause: Clause

    @property
    def predicate(self) -> str:
        return self.clause.facts[0].predicate

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of its answers, without the time."""
        return tuple(name for a in self.clause.head.arguments if (name := variable_in(a)) is not None)


Resolved: TypeAlias = Mapping[Request, tuple[Pattern, ...]]
Failed: TypeAlias = Mapping[Request, EndlessError | TooManyPatternsError]


def relations_of(
    checked: Checked, clauses: Clauses, limit: int, more: Iterable[Request] = ()
) -> tuple[Resolved, Failed, int]:
    """Resolves queries, what they ask for, and `more`; returns patterns, failures, and searches given up."""
    vocabulary, queries = checked.vocabulary, tuple(checked.document.queries)
    resolver, frames = Resolver(clauses, limit), frames_of(checked)
    waiting = [Request(q.atom.predicate, True, query_clause(q, vocabulary)) for q in queries]
    waiting += (each for each in more if each.name not in {request.name for request in waiting})
    seen = {request.name for request in waiting}
    resolved = dict[Request, tuple[Pattern, ...]]()
    failed = dict[Request, EndlessError | TooManyPatternsError]()
    for request in waiting:
        try:
            found = resolver.answers(request.clause, frames.get(request.predicate))
        except (EndlessError, TooManyPatternsError) as error:
            failed[request] = error
            continue
        time = request.clause.head.time.variable
        patterns = tuple(apart(pattern, request.variables, time) for pattern in found)
        resolved[request] = patterns
        for each in (reference for pattern in patterns for reference in pattern.asked_for):
            if each.name not in seen:
                seen.add(each.name)
                clause = asked_clause(each.predicate, each.kept, vocabulary)
                waiting.append(Request(each.name, False, clause))
    return resolved, failed, resolver.work.given_up
