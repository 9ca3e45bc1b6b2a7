"""The content of a file of tests: cases, with facts that come and what is expected of the answers.

program: turbines.alog                  if it has another name than the file
cases:
- name: a third hot reading decides
  facts:
  - Temp(wt2, high, 0)
  - Temp(wt2, high, 1)
  - Temp(wt2, high, 2) @ 3
  expect:
  - at: 1
    open:
    - Malf(wt2, 0):
        awaits: Temp(wt2, high, 2)
        if_silent: rejected at 3
  - at: 3
    confirmed: Malf(wt2, 0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from yaml.nodes import MappingNode, Node, ScalarNode

from antelog.diagnostics import Diagnostic, Source
from antelog.errors import AntelogError, ProgramError
from antelog.language import read_whole
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.program_files import read_text
from antelog.program import Program, compiled, refuse_unknown
from antelog.workbench.testing.cases import ExpectationReader, RuleCase, number_in
from antelog.workbench.testing.marked import EXAMPLE, MISFIT, MarkedEntry, MarkedFile, ScalarText, read
from antelog.workbench.testing.texts import Fact, ProgramTexts

ENDING = ".test.yaml"
_FILE = ("program", "functions", "model", "arrival", "set", "facts", "cases")
_CASE = ("name", "facts", "expect", "set", "model", "arrival")


@dataclass(frozen=True, eq=False)
class Suite:
    """A file of tests: its cases, its program, and everything that is wrong with either.

    `path` is that of the program, `others` are the files it rests on: functions, models and facts.
    """

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
    def problems(self) -> list[Diagnostic]:
        return self.file.problems

    @property
    def wrong(self) -> bool:
        return bool(self.problems or self.program_error)

    @property
    def program_files(self) -> tuple[Path, ...]:
        """The program, and the files that it includes."""
        source = self.program_error.source if self.program_error else None
        source = source or (self.program.source if self.program else None)
        included = () if source is None else source.included
        own = () if self.path is None else (self.path,)
        return (*own, *(Path(each.name) for each in included))

    def position(self, node: Node) -> tuple[int, int]:
        return self.file.source.position(self.file.span(node).start)


@dataclass(frozen=True)
class Given:
    """Values of limits and a file with functions, given by a command to all programs; is coverage wanted?"""

    limits: Mapping[str, int | float] = field(default_factory=dict, hash=False)
    functions: Path | None = None
    coverage: bool = True


def read_suite(path: Path, given: Given | None = None) -> Suite:
    """Reads a file of tests and its program. All that is wrong with either is in what comes back."""
    file = read(path)
    if file.root is None:
        return Suite(file)
    return _SuiteReading(file, path, given or Given()).suite()


class _SuiteReading:
    """The reading of one file."""

    def __init__(self, file: MarkedFile, path: Path, given: Given) -> None:
        self._file, self._path, self._given = file, path, given
        self._loaded: dict[tuple[tuple[str, float], ...], ProgramTexts | None] = {}
        self._error: ProgramError | None = None
        self._functions: Path | None = None
        self._program: Path | None = None
        self._others: list[Path] = []

    def suite(self) -> Suite:
        file = self._file
        assert file.root is not None
        if not isinstance(file.root, MappingNode):
            file.error(file.root, "a file of tests begins with `cases:`", f"Write {EXAMPLE}")
            return Suite(file)
        found = file.entries(file.root, "a file of tests", _FILE)
        self._program = self._program_path(found.get("program"))
        self._functions = self._given.functions or self._path_of(found.get("functions"), "the functions")
        limits = self._limits(found.get("set"))
        texts = self._texts(limits, found.get("set")) if self._program else None
        if "cases" not in found and not file.problems:
            file.error(file.root, "it has no cases", f"Write {EXAMPLE}")
        cases: list[RuleCase] = []
        names: dict[str, Node] = {}
        for node in file.items(found["cases"].value) if "cases" in found else ():
            case = self._case(node, found, limits, names)
            cases += [case] if case is not None else []
        if "cases" in found and not cases and not file.problems and texts is not None:
            file.error(found["cases"].key, "it has no cases", f"Write {EXAMPLE}")
        program = None if texts is None else texts.program
        return Suite(file, self._program, program, tuple(cases), self._error, tuple(self._others))

    # ---- the program ----

    def _program_path(self, entry: MarkedEntry | None) -> Path | None:
        if entry is not None:
            return self._path_of(entry, "the program")
        path = self._path.with_name(self._path.name.removesuffix(ENDING) + ".alog")
        if self._path.name.endswith(ENDING) and path.is_file():
            return path
        near = sorted(each.name for each in self._path.parent.glob("*.alog"))
        hint = f"Name it: `program: {near[0] if near else 'rules.alog'}`."
        self._others.append(path)  # it may come, which `--watch` waits for
        message = f"there is no program {path.name} beside it"
        if self._file.root is not None:
            self._file.error(self._file.root, message, hint)
        return None

    def _path_of(self, entry: MarkedEntry | None, what: str) -> Path | None:
        """A path, which begins at the folder of the file."""
        text = None if entry is None else self._file.text(entry)
        if entry is None or text is None:
            return None
        path = self._path.parent / text
        if not text or not holds(path, Path.is_file):
            near = sorted(each.name for each in path.parent.glob(f"*{path.suffix}")) if text else []
            hint = did_you_mean(path.name, near) or "A path begins at the folder of this file."
            self._file.error(entry.value, f"there is no file {path} for {what}", hint)
            self._others.append(path)
            return None
        self._others.append(path)
        return path

    def _limits(self, entry: MarkedEntry | None) -> dict[str, int | float]:
        found: dict[str, int | float] = {}
        if entry is None:
            return found
        if not isinstance(entry.value, MappingNode):
            self._file.error(entry.value, "`set` has to be a mapping", "Write `set:` and below it `hot: 85`.")
            return found
        for each in self._file.pairs(entry.value):
            name = str(each.key.value)
            value = self._file.value(self._file.scalar(each.value, f"`{name}`"), number_in)
            found |= {name: value} if value is not None else {}
        return found

    def _texts(self, limits: Mapping[str, int | float], entry: MarkedEntry | None) -> ProgramTexts | None:
        """The program with values of its limits, those of the command too; None if it cannot be used."""
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
                where = self._file.root if entry is None else entry.value
                assert where is not None
                message, _, hint = str(error).partition(". ")
                self._file.error(where, message, hint or "See the program, and what it needs.", MISFIT)
                return None
            self._loaded[key] = ProgramTexts(program)
        return self._loaded[key]

    # ---- a case ----

    def _case(
        self,
        node: Node,
        around: Mapping[str, MarkedEntry],
        limits: Mapping[str, int | float],
        names: dict[str, Node],
    ) -> RuleCase | None:
        """A case; None if the program cannot be used, or the case is none."""
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
            hint = "Say in a few words what it shows: `name: …`."
            self._file.error(node, "this case has no name", hint)
            return None
        text = self._file.text(entry)
        name = " ".join((text or "").split())
        if text == "":
            self._file.error(entry.key, "this name is empty", "Say in a few words what the case shows.")
        elif name in names:
            self._file.error(entry.value, f"two cases have the name `{name}`", "Say how they differ.")
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
                    hint = "Write each fact on a line of its own, behind a dash."
                    self._file.error(node, "a list cannot be a fact", hint)
        return tuple(facts), tuple(files)

    def _fact_files(self, texts: ProgramTexts, node: MappingNode) -> Iterator[tuple[str, Path]]:
        known = [*texts.inputs, *texts.statics]
        for each in self._file.pairs(node):
            name = str(each.key.value)
            if name not in known:
                hint = "A text with a colon and a space in it has to stand in single quotes."
                if "(" not in name:
                    hint = did_you_mean(name, known) or f"It has {', '.join(known) or 'none'}."
                self._file.error(each.key, f"the program has no input {name}", hint, MISFIT)
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
