"""Files of tests: cases, with facts that come and expected answers; docs/testing.md has their format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from yaml.nodes import MappingNode, Node, ScalarNode

from antelog.diagnostics import Source
from antelog.errors import AntelogError, ProgramError
from antelog.language import read_whole, syntax
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.program_files import read_text
from antelog.program import Program, compiled, refuse_unknown
from antelog.run.source_settings import ValueSettings
from antelog.run.values import SettingError, number
from antelog.workbench.testing.marked import EXAMPLE, Found, MarkedEntry, MarkedFile, ScalarText, quoted, read
from antelog.workbench.testing.texts import Fact, ProgramTexts

STATES = ("open", "confirmed", "rejected", "never")
OPEN, CONFIRMED, REJECTED, NEVER = STATES
NOTHING_ELSE = "nothing else"


@dataclass(frozen=True)
class ExpectedChance:
    """An expected chance: compared with `low` by a sign, or between `low` and `high`."""

    sign: str
    low: float
    high: float | None
    text: str


@dataclass(frozen=True)
class LiteralList:
    """The literals expected in an explanation, with their texts; if `only`, there are no others."""

    literals: tuple[tuple[str, tuple[syntax.Literal, ...]], ...]
    only: bool


@dataclass(frozen=True)
class ExpectedAnswer:
    """An answer that is expected in a state, perhaps with details, as lines of the log have them."""

    state: str
    text: str
    answer: syntax.Atom
    node: Node = field(compare=False, repr=False)
    lists: Mapping[str, LiteralList] = field(default_factory=dict)
    so_far: float | None = None
    if_silent: tuple[str, int] | None = None
    decided_by: int | None = None
    chance: ExpectedChance | None = None


@dataclass(frozen=True)
class Expectation:
    """The answers expected at a tick (None: at the end), all there are in `alone`; and facts set aside."""

    at: int | None
    answers: tuple[ExpectedAnswer, ...]
    alone: tuple[str, ...]
    recorded: bool
    set_aside: tuple[Fact, ...]
    node: Node = field(compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class RuleCase:
    """A case: facts, files with facts of a predicate and their column of arrivals, and what is expected."""

    name: str
    texts: ProgramTexts
    facts: tuple[Fact, ...]
    files: tuple[tuple[str, Path], ...]
    expected: tuple[Expectation, ...]
    model: str | None
    arrival: str
    node: MappingNode


# ---- expectations in a file ----

_EXPECTED = ("at", *STATES, "nothing_else", "set_aside", "recorded")
_LISTS = ("awaits", "evidence", "because", "lost")
_DETAILS = (*_LISTS, "so_far", "if_silent", "decided_by", "chance")
_OF_STATE: Mapping[str, tuple[str, ...]] = {
    OPEN: ("awaits", "evidence", "so_far", "if_silent", "decided_by", "chance"),
    CONFIRMED: ("evidence", "lost"),
    REJECTED: ("because", "evidence", "awaits", "lost"),
}
_YES, _NO = ("yes", "true", "on"), ("no", "false", "off")
_CHANCE = re.compile(
    r"(?P<sign><=|>=|<|>|over|above|more than|under|below|less than|at least|at most)?\s*"
    r"(?P<low>\d+(?:\.\d+)?)\s*%(?:\s*(?:to|-|\.\.)\s*(?P<high>\d+(?:\.\d+)?)\s*%)?\Z",
    re.ASCII,
)
_SIGNS = {
    **dict.fromkeys((">", "over", "above", "more than"), ">"),
    **dict.fromkeys(("<", "under", "below", "less than"), "<"),
    **dict.fromkeys((">=", "at least"), ">="),
    **dict.fromkeys(("<=", "at most"), "<="),
}
_SILENT = re.compile(r"(confirmed|rejected)\s+at\s+(?=\S)")


class ExpectationReader:
    def __init__(self, file: MarkedFile, texts: ProgramTexts) -> None:
        self._file, self._texts = file, texts

    def expected(self, entry: MarkedEntry) -> Iterator[Expectation]:
        for node in self._file.listed(entry):
            found = self._file.entries(node, "an expectation", _EXPECTED)
            if not isinstance(node, MappingNode):
                continue
            at = self._value(found, "at", self._texts.moment)
            answers = [a for state in STATES if state in found for a in self._answers(state, found[state])]
            alone = self._alone(found["nothing_else"]) if "nothing_else" in found else ()
            set_aside = tuple(self._set_aside(found)) if "set_aside" in found else ()
            recorded = "recorded" in found and self._flag(found["recorded"])
            if "at" in found and at is None:
                continue
            if not found.keys() - {"at", "recorded"}:
                self._file.error(node, "E802.nothing-expected", states=quoted(STATES, "or"))
            yield Expectation(at, tuple(answers), alone, recorded, set_aside, node)

    def _value(
        self, found: Mapping[str, MarkedEntry], name: str, read: Callable[[ScalarText], Found]
    ) -> Found | None:
        text = self._file.scalar(found[name].value, f"`{name}`") if name in found else None
        return self._file.value(text, read)

    def _flag(self, entry: MarkedEntry) -> bool:
        text = (self._file.text(entry) or "no").lower()
        if text not in (*_YES, *_NO):
            self._file.error(entry.value, "E802.flag", name=entry.key.value)
        return text in _YES

    def _alone(self, entry: MarkedEntry) -> tuple[str, ...]:
        """Reads `nothing_else`: the queries that have no other answers."""
        found: list[str] = []
        for node in self._file.listed(entry):
            item = self._file.scalar(node, "an item of `nothing_else`")
            text = "no" if item is None else item.text
            if text.lower() in _YES:
                found += self._texts.queries
            elif text in self._texts.queries:
                found.append(text)
            elif text.lower() not in _NO:
                hint = did_you_mean(text, self._texts.queries)
                hint = hint or f"Write `yes` for all, or some of {', '.join(self._texts.queries)}."
                self._file.error(node, "E803.query", name=text, hint=hint)
        return tuple(dict.fromkeys(found))

    def _set_aside(self, found: Mapping[str, MarkedEntry]) -> Iterator[Fact]:
        entry = found["set_aside"]
        if "at" in found:
            self._file.error(entry.key, "E802.aside-with-tick")
        for node in self._file.listed(entry):
            fact = self._file.value(self._file.scalar(node, "an item of `set_aside`"), self._texts.fact)
            if fact is not None and fact.predicate in self._texts.inputs:
                yield fact
            elif fact is not None:
                self._file.error(node, "E803.static-aside", name=fact.predicate)

    def _answers(self, state: str, entry: MarkedEntry) -> Iterator[ExpectedAnswer]:
        for node in self._file.listed(entry):
            pairs: list[tuple[ScalarNode, Node | None]] = []
            if isinstance(node, ScalarNode):
                pairs = [(node, None)]
            elif isinstance(node, MappingNode):
                pairs = [(each.key, each.value) for each in self._file.pairs(node)]
            else:
                self._file.error(node, "E802.list-answer")
            for key, value in pairs:
                answer = self._file.value(ScalarText(self._file, key, key.value), self._texts.answer)
                if answer is not None:
                    expected = ExpectedAnswer(state, " ".join(key.value.split()), answer, key)
                    yield expected if value is None else self._with_details(expected, value)

    def _with_details(self, expected: ExpectedAnswer, node: Node) -> ExpectedAnswer:
        if isinstance(node, ScalarNode) and not node.value:
            return expected
        state, known = expected.state, _OF_STATE.get(expected.state, ())
        if not known:
            self._file.error(node, "E802.more-of-never")
            return expected
        found = self._file.entries(node, "an expected answer", _DETAILS)
        for name in [each for each in found if each not in known]:
            key, may = found.pop(name).key, quoted(known)
            self._file.error(key, "E802.detail", state=state, name=name, known=may)
        return replace(
            expected,
            lists={name: self._literals(found[name]) for name in _LISTS if name in found},
            so_far=self._value(found, "so_far", _number_in),
            if_silent=self._value(found, "if_silent", self._if_silent),
            decided_by=self._value(found, "decided_by", self._texts.moment),
            chance=self._value(found, "chance", _chance),
        )

    def _literals(self, entry: MarkedEntry) -> LiteralList:
        found: list[tuple[str, tuple[syntax.Literal, ...]]] = []
        only = False
        for node in self._file.listed(entry):
            text = self._file.scalar(node, "a literal")
            if text is not None and text.text.strip() == NOTHING_ELSE:
                only = True
            elif text is not None and (literals := self._file.value(text, self._texts.literal)) is not None:
                found.append((" ".join(text.text.split()), literals))
        return LiteralList(tuple(found), only)

    def _if_silent(self, given: ScalarText) -> tuple[str, int]:
        found = _SILENT.match(given.text)
        if found is None:
            raise given.wrong("E802.fate", text=given.text)
        return found[1], self._texts.moment(given.part(found.end(), len(given.text)))


def _number_in(given: ScalarText) -> int | float:
    try:
        return number(given.text)
    except SettingError as error:
        raise given.wrong("E802.advice", message=error.message, hint=error.hint) from None


def _chance(given: ScalarText) -> ExpectedChance:
    text = " ".join(given.text.split())
    found = _CHANCE.match(text)
    low = 0.0 if found is None else float(found["low"]) / 100
    high = None if found is None or not found["high"] else float(found["high"]) / 100
    if found is None or low > 1 or (found["sign"] and high is not None) or not low <= (high or 1) <= 1:
        raise given.wrong("E802.chance", text=text)
    return ExpectedChance(_SIGNS.get(found["sign"] or "", "="), low, high, text)


# ---- files ----

ENDING = ".test.yaml"
_FILE = ("program", "functions", "model", "arrival", "set", "facts", "cases")
_CASE = ("name", "facts", "expect", "set", "model", "arrival")


@dataclass(frozen=True, eq=False)
class Suite:
    """A file of tests: cases, the program at `path`, other files it needs, and the errors in all of them."""

    file: MarkedFile
    path: Path | None = None
    program: Program | None = None
    cases: tuple[RuleCase, ...] = ()
    program_error: ProgramError | None = None
    others: tuple[Path, ...] = ()

    @property
    def name(self) -> str:
        return self.file.source.name

    @property
    def wrong(self) -> bool:
        return bool(self.file.problems or self.program_error)

    @property
    def program_files(self) -> tuple[Path, ...]:
        source = self.program_error.source if self.program_error else None
        source = source or (self.program.source if self.program else None)
        included = () if source is None else source.included
        own = () if self.path is None else (self.path,)
        return (*own, *(Path(each.name) for each in included))

    def position(self, node: Node) -> tuple[int, int]:
        return self.file.source.position(self.file.span(node).start)


def read_suite(path: Path, given: ValueSettings | None = None) -> Suite:
    """Reads a file of tests and its program; the suite has the errors in either."""
    file = read(path)
    if not isinstance(file.root, MappingNode):
        if file.root is not None:
            file.error(file.root, "E802.no-root", example=EXAMPLE)
        return Suite(file)
    return _SuiteReading(file, file.root, path, given or ValueSettings()).suite()


class _SuiteReading:
    def __init__(self, file: MarkedFile, root: MappingNode, path: Path, given: ValueSettings) -> None:
        self._file, self._root, self._path, self._given = file, root, path, given
        self._loaded: dict[tuple[tuple[str, float], ...], ProgramTexts | None] = {}
        self._error: ProgramError | None = None
        self._functions: Path | None = None
        self._program: Path | None = None
        self._others: list[Path] = []

    def suite(self) -> Suite:
        file, found = self._file, self._file.entries(self._root, "a file of tests", _FILE)
        self._program = self._program_path(found.get("program"))
        self._functions = self._given.functions or self._path_of(found.get("functions"), "the functions")
        limits = self._limits(found.get("set"))
        texts = self._texts(limits, found.get("set")) if self._program else None
        if "cases" not in found and not file.problems:
            file.error(self._root, "E802.no-cases", example=EXAMPLE)
        cases: list[RuleCase] = []
        names: dict[str, Node] = {}
        for node in file.items(found["cases"].value) if "cases" in found else ():
            case = self._case(node, found, limits, names)
            cases += [case] if case is not None else []
        if "cases" in found and not cases and not file.problems and texts is not None:
            file.error(found["cases"].key, "E802.no-cases", example=EXAMPLE)
        program = None if texts is None else texts.program
        return Suite(file, self._program, program, tuple(cases), self._error, tuple(self._others))

    def _program_path(self, entry: MarkedEntry | None) -> Path | None:
        if entry is not None:
            return self._path_of(entry, "the program")
        path = self._path.with_name(self._path.name.removesuffix(ENDING) + ".alog")
        if self._path.name.endswith(ENDING) and path.is_file():
            return path
        near = sorted(each.name for each in self._path.parent.glob("*.alog"))
        self._others.append(path)  # it may come, which `--watch` waits for
        first = near[0] if near else "rules.alog"
        self._file.error(self._root, "E802.program", name=path.name, near=first)
        return None

    def _path_of(self, entry: MarkedEntry | None, what: str) -> Path | None:
        """Reads a path, which begins at the folder of the file."""
        text = None if entry is None else self._file.text(entry)
        if entry is None or text is None:
            return None
        path = self._path.parent / text
        if not text or not holds(path, Path.is_file):
            near = sorted(each.name for each in path.parent.glob(f"*{path.suffix}")) if text else []
            hint = did_you_mean(path.name, near) or "A path begins at the folder of this file."
            self._file.error(entry.value, "E802.file", path=path, what=what, hint=hint)
            self._others.append(path)
            return None
        self._others.append(path)
        return path

    def _limits(self, entry: MarkedEntry | None) -> dict[str, int | float]:
        found: dict[str, int | float] = {}
        if entry is None:
            return found
        if not isinstance(entry.value, MappingNode):
            self._file.error(entry.value, "E802.limits")
            return found
        for each in self._file.pairs(entry.value):
            name = str(each.key.value)
            value = self._file.value(self._file.scalar(each.value, f"`{name}`"), _number_in)
            found |= {name: value} if value is not None else {}
        return found

    def _texts(self, limits: Mapping[str, int | float], entry: MarkedEntry | None) -> ProgramTexts | None:
        """Compiles the program with values of its limits; None if it cannot be used."""
        key = tuple(sorted(limits.items()))
        if key not in self._loaded:
            assert self._program is not None
            self._loaded[key] = None
            try:
                text, name = read_text(self._program), str(self._program)
                document = read_whole(Source(text, name)).document
                known = {each.name for each in document.limits}
                given = {name: value for name, value in self._given.limits.items() if name in known}
                checked = read_whole(Source(text, name, values={**limits, **given}))
                refuse_unknown(checked)
                program = compiled(checked, self._functions if any(document.functions) else None)
            except ProgramError as error:
                self._error = error
                return None
            except AntelogError as error:
                where = self._root if entry is None else entry.value
                message, _, hint = str(error).partition(". ")
                hint = hint or "See the program, and what it needs."
                self._file.error(where, "E803.advice", message=message, hint=hint)
                return None
            self._loaded[key] = ProgramTexts(program)
        return self._loaded[key]

    def _case(
        self,
        node: Node,
        around: Mapping[str, MarkedEntry],
        limits: Mapping[str, int | float],
        names: dict[str, Node],
    ) -> RuleCase | None:
        file = self._file
        found = file.entries(node, "a case", _CASE)
        if not isinstance(node, MappingNode):
            return None
        name = self._name(node, found.get("name"), names)
        texts, values = None, {**limits, **self._limits(found.get("set"))}
        if self._program is not None and self._error is None:
            texts = self._texts(values, found.get("set"))
        if texts is None or name is None:
            return None
        entries = {**around, **found}
        model = self._file.text(entries["model"]) if "model" in entries else None
        if model not in (None, "learn"):
            path = self._path_of(entries["model"], "the model")
            model = None if path is None else str(path)
        arrival = self._file.text(entries["arrival"]) if "arrival" in entries else None
        facts, files = self._facts(texts, around.get("facts"), found.get("facts"))
        reader = ExpectationReader(file, texts)
        expected = tuple(reader.expected(found["expect"])) if "expect" in found else ()
        return RuleCase(name, texts, facts, files, expected, model, arrival or "arrival", node)

    def _name(self, node: Node, entry: MarkedEntry | None, names: dict[str, Node]) -> str | None:
        if entry is None:
            self._file.error(node, "E802.no-name")
            return None
        text = self._file.text(entry)
        name = " ".join((text or "").split())
        if text == "":
            self._file.error(entry.key, "E802.empty-name")
        elif name in names:
            self._file.error(entry.value, "E802.name-twice", name=name)
        elif text is not None:
            names[name] = entry.value
            return name
        return None

    def _facts(
        self, texts: ProgramTexts, *entries: MarkedEntry | None
    ) -> tuple[tuple[Fact, ...], tuple[tuple[str, Path], ...]]:
        facts: list[Fact] = []
        files: list[tuple[str, Path]] = []
        for entry in entries:
            for node in () if entry is None else self._file.listed(entry):
                if isinstance(node, ScalarNode):
                    fact = self._file.value(ScalarText(self._file, node, node.value), texts.fact)
                    facts += [fact] if fact is not None else []
                elif isinstance(node, MappingNode):
                    files += self._fact_files(texts, node)
                else:
                    self._file.error(node, "E802.list-fact")
        return tuple(facts), tuple(files)

    def _fact_files(self, texts: ProgramTexts, node: MappingNode) -> Iterator[tuple[str, Path]]:
        known = [*texts.inputs, *texts.statics]
        for each in self._file.pairs(node):
            name = str(each.key.value)
            if name not in known:
                hint = "A text with a colon and a space in it has to stand in single quotes."
                if "(" not in name:
                    hint = did_you_mean(name, known) or f"It has {', '.join(known) or 'none'}."
                self._file.error(each.key, "E803.input", name=name, hint=hint)
                continue
            path = self._path_of(each, f"the facts of {name}")
            if path is not None:
                yield name, path


def holds(path: Path, test: Callable[[Path], bool]) -> bool:
    """Whether a path passes a test; one that cannot be looked at does not."""
    try:
        return test(path)
    except (OSError, ValueError):
        return False
