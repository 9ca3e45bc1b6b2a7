"""Random pairs of programs, the second a new version of the first, with a stream for both."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypothesis import assume
from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import read
from tests.engine.replay import Compiled, runnable
from tests.random_mixtures import mixtures
from tests.strategies import Case, cases

_RULE = re.compile(r"^(\w+)\(.*:-")
_DECLARED = re.compile(r"^(?:input|static|function) (\w+)\(")


@dataclass(frozen=True)
class Pair:
    """Two versions of a program, the facts that arrive, and the tick after which the rules are changed."""

    old: str
    new: str
    case: Case
    cut: int

    def __str__(self) -> str:
        return f"{self.old}\n---- changed after tick {self.cut} to\n{self.new}\n----\n{self.case}"

    @property
    def programs(self) -> tuple[Compiled, Compiled] | None:
        """Both programs, if they can be run."""
        old, new = (runnable(read(Source(text))) for text in (self.old, self.new))
        return None if old is None or new is None else (old, new)


@st.composite
def possible_pairs(draw: st.DrawFn) -> Pair:
    """Programs that can be run, the second as the first with queries and rules added, dropped and changed."""
    case = draw(cases(latest=9, most=25) | mixtures(latest=9, most=25))
    old, new = case.text, new_version(draw, case.text)
    if draw(st.booleans()):
        old, new = new, old
    cut = draw(st.integers(-1, case.until))
    found = Pair(old, new, case, cut)
    assume(found.programs is not None)
    return found


def new_version(draw: st.DrawFn, text: str) -> str:
    """Another version of a program."""
    change = st.sampled_from([_edited, _edited, _edited, _with_more, _with_other_names])
    return draw(change)(draw, text)


def _edited(draw: st.DrawFn, text: str) -> str:
    """The program with one to three statements changed."""
    lines = text.split("\n")
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from([n for n, line in enumerate(lines) if line]))
        lines[place] = draw(st.sampled_from([_shifted, _shifted, _shifted, _shorter, _gone, _delayed]))(
            draw, lines[place]
        )
    return "\n".join(lines)


def _shifted(draw: st.DrawFn, line: str) -> str:
    """A line with another number."""
    found = [*re.finditer(r"(?<![\w.])\d+(?![\w.]|\.\d)", line)]
    if not found or not _RULE.match(line):
        return line
    number = draw(st.sampled_from(found))
    value = int(number[0]) + draw(st.sampled_from([-1, 1, 2]))
    return f"{line[: number.start()]}{max(0, value)}{line[number.end() :]}"


def _shorter(draw: st.DrawFn, line: str) -> str:
    """A rule without one of its literals."""
    if not _RULE.match(line):
        return line
    head, _, body = line.rstrip(".").partition(" :- ")
    literals = re.split(r", (?![^(]*\))", body)
    if len(literals) < 2:
        return line
    literals.pop(draw(st.integers(0, len(literals) - 1)))
    return f"{head} :- {', '.join(literals)}."


def _gone(_draw: st.DrawFn, line: str) -> str:
    return "" if _RULE.match(line) or line.startswith("query") else line


def _delayed(draw: st.DrawFn, line: str) -> str:
    """An input with another delay, or a query of another kind."""
    if line.startswith("query"):
        return line.rstrip(".") + draw(st.sampled_from([" critical.", ' "words".']))
    return re.sub(r"delay \d", f"delay {draw(st.integers(0, 3))}", line)


def _with_more(draw: st.DrawFn, text: str) -> str:
    """The program with the rules and queries of another one, whose predicates have names of their own."""
    other = draw(cases(latest=3, most=2)).text
    known = {found[1] for line in text.split("\n") if (found := _DECLARED.match(line))}
    more = []
    for line in other.split("\n"):
        declared = _DECLARED.match(line)
        name = re.match(r"(?:delay )?(\w+)\(", line)
        if (declared and declared[1] in known) or (line.startswith("delay") and name and name[1] in known):
            continue
        if name and name[1] in known and not _RULE.match(line):
            continue  # facts of a static predicate that is there already
        more.append(re.sub(r"\b([PQ])(\d?)\(", r"N\1\2(", line))
    return "\n".join([text, *more])


def _with_other_names(draw: st.DrawFn, text: str) -> str:
    """The program with other names of variables and inner predicates, and its lines in another order."""
    queries = set(re.findall(r"^query (\w+)\(", text, re.MULTILINE))
    for name in sorted(set(re.findall(r"^(\w+)\(.*:-", text, re.MULTILINE)) - queries - {"Path", "Root"}):
        text = re.sub(rf"\b{name}\(", f"Inner{name}(", text)
    lines = text.split("\n")
    rules = [line for line in lines if _RULE.match(line)]
    order = iter(draw(st.permutations(rules)))
    return "\n".join(next(order) if _RULE.match(line) else line for line in lines)
