"""YAML in which every scalar is a text, also `on`, `10:30` and `1_000`, and has its place in the file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TypeVar

import yaml
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from antelog.diagnostics import Diagnostic, Note, Source, Span, problem
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.printer import listed

MOST_LETTERS = 500_000
MOST_ITEMS = 200_000  # the most items of all lists; aliases can repeat a list

Found = TypeVar("Found")


class MisfitError(Exception):
    """A text does not have the form that it needs, or does not fit the program."""

    def __init__(self, *problems: Diagnostic) -> None:
        super().__init__(*problems)
        self.problems = problems


@dataclass(frozen=True, eq=False)
class MarkedEntry:
    key: ScalarNode
    value: Node


@dataclass(eq=False)
class MarkedFile:
    """A file of YAML, its root (None: it is empty or no YAML), and the mistakes found so far."""

    source: Source
    root: Node | None = None
    problems: list[Diagnostic] = field(default_factory=list)
    _items: int = 0

    def error(self, where: Node | Span, name: str, /, **values: object) -> None:
        """Notes a mistake at a place: no YAML (E801), another form (E802), or a misfit to the program."""
        self.problems.append(problem(name, self.span(where), **values))

    def value(self, text: ScalarText | None, reader: Callable[[ScalarText], Found]) -> Found | None:
        """Reads a text with a reader, or notes the mistake."""
        if text is None:
            return None
        try:
            return reader(text)
        except MisfitError as error:
            self.problems += error.problems
            return None

    def span(self, where: Node | Span) -> Span:
        """The place of a node, or of its first line if it has several."""
        if isinstance(where, Span):
            return where
        text, start, end = self.source.text, where.start_mark.index, where.end_mark.index
        if isinstance(where, CollectionNode) or "\n" in text[start:end]:
            line = text.find("\n", start)
            end = min(end, len(text) if line < 0 else line)
        start = min(start, max(0, len(text) - 1))
        return Span(start, max(end, min(start + 1, len(text))))

    def within(self, node: ScalarNode, span: Span) -> Span:
        """The place in the file of a stretch of a scalar."""
        at = _places(self.source.text[node.start_mark.index : node.end_mark.index], node.value)
        if at is None or not node.value:
            return self.span(node)
        first = min(span.start, len(node.value) - 1)
        last = min(max(span.end - 1, first), len(node.value) - 1)
        begin = node.start_mark.index
        return Span(begin + at[first], begin + at[last] + 1)

    def scalar(self, node: Node, what: str) -> ScalarText | None:
        """The text of a scalar; notes a mistake if it is a list or a mapping."""
        if isinstance(node, ScalarNode):
            return ScalarText(self, node, node.value)
        kind = "a list" if isinstance(node, SequenceNode) else "a mapping"
        has_colon = isinstance(node, MappingNode) and not node.flow_style
        self.error(node, "E802.text-with-colon" if has_colon else "E802.no-text", what=what, kind=kind)
        return None

    def text(self, entry: MarkedEntry) -> str | None:
        """The text of an entry's value; notes a mistake if it is a list or a mapping."""
        found = self.scalar(entry.value, f"`{entry.key.value}`")
        return None if found is None else found.text

    def items(self, node: Node) -> list[Node]:
        """The items of a list; a scalar or a mapping is a list of one, an empty value has no items."""
        if isinstance(node, SequenceNode):
            self._items += len(node.value)
            if self._items > MOST_ITEMS:
                self.error(node, "E801.many-items", most=MOST_ITEMS)
                node.value.clear()
            return list(node.value)
        return [] if isinstance(node, ScalarNode) and not node.value and not node.style else [node]

    def listed(self, entry: MarkedEntry) -> Iterator[Node]:
        """The items of a list; notes a mistake for each empty one."""
        for each in self.items(entry.value):
            if isinstance(each, ScalarNode) and not each.value.strip():
                self.error(each, "E802.empty-item", name=entry.key.value)
            else:
                yield each

    def entries(self, node: Node, what: str, known: Collection[str]) -> dict[str, MarkedEntry]:
        """The entries of a mapping by their keys; notes mistakes for unknown and repeated ones."""
        found: dict[str, MarkedEntry] = {}
        if not isinstance(node, MappingNode):
            self.error(node, "E802.no-mapping", what=what, known=quoted(known))
            return found
        for each in self.pairs(node):
            name = str(each.key.value)
            if name not in known:
                hint = did_you_mean(name, known) or f"There are {quoted(known)}."
                self.error(each.key, "E802.unknown-key", what=what, name=name, hint=hint)
            else:
                found[name] = each
        return found

    def pairs(self, node: MappingNode) -> Iterator[MarkedEntry]:
        """The entries of a mapping; notes mistakes for repeated keys."""
        seen: dict[str, ScalarNode] = {}
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                self.error(key, "E802.key")
            elif key.value in seen:
                note = Note("it is here, too", self.span(seen[key.value]))
                self.problems.append(problem("E802.key-twice", self.span(key), (note,), key=key.value))
            else:
                seen[key.value] = key
                yield MarkedEntry(key, value)


@dataclass(frozen=True)
class ScalarText:
    """A part of a scalar, which begins at a letter of its text."""

    file: MarkedFile
    node: ScalarNode
    text: str
    start: int = 0

    def misfit(self, span: Span, name: str, /, **values: object) -> MisfitError:
        """The error for a stretch of the text that does not fit the program."""
        stretch = self.file.within(self.node, Span(span.start + self.start, span.end + self.start))
        return MisfitError(problem(name, stretch, **values))

    def wrong(self, name: str, /, **values: object) -> MisfitError:
        """The error for a text of another form."""
        return MisfitError(problem(name, self.file.span(self.node), **values))

    def part(self, first: int, last: int) -> ScalarText:
        """A stretch of the text, stripped of blanks."""
        found = self.text[first:last]
        blanks = len(found) - len(found.lstrip())
        return ScalarText(self.file, self.node, found.strip(), self.start + first + blanks)


def _places(raw: str, value: str) -> list[int] | None:
    """For each letter of a scalar its place in the file; None if these are not known."""
    if raw == value:
        return list(range(len(value)))
    found, at = [], 0
    for letter in value:
        while at < len(raw) and raw[at] != letter and not (letter.isspace() and raw[at].isspace()):
            at += 1
        if at == len(raw):
            return None
        found.append(at)
        at += 1
    return found


def quoted(names: Collection[str], word: str = "and") -> str:
    return listed([f"`{each}`" for each in names], word)


def read(path: str | PathLike[str]) -> MarkedFile:
    """Reads a file; if it cannot be read or is not YAML, it has a problem and no root."""
    name = str(path)
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        wrong = problem("E801.unreadable", Span(0, 0), why=getattr(error, "strerror", None) or error)
        if isinstance(error, UnicodeDecodeError):
            wrong = problem("E801.encoding", Span(0, 0), byte=error.start)
        return MarkedFile(Source("", name), None, [wrong])
    return parse(text, name)


def parse(text: str, name: str) -> MarkedFile:
    found = MarkedFile(Source(text, name))
    if len(text) > MOST_LETTERS:
        found.error(Span(0, 1), "E801.many-letters", most=MOST_LETTERS)
        return found
    try:
        found.root = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = 0 if mark is None else min(mark.index, max(0, len(text) - 1))
        message = error.problem or error.context or "this is not YAML"
        found.error(Span(at, at + 1), "E801.yaml", message=message, hint=_remedy(text, at, message))
    except ReaderError as error:
        at = min(error.position, max(0, len(text) - 1))
        found.error(Span(at, at + 1), "E801.character", number=ord(text[at]))
    except RecursionError:
        found.error(Span(0, 1), "E801.nested")
    except (ValueError, OverflowError, AttributeError) as error:  # of an escape such as \UFFFFFFFF
        found.error(Span(0, 1), "E801.escape", error=error)
    else:
        if found.root is None:
            found.error(Span(0, 0), "E802.empty", example=EXAMPLE)
        elif (wrong := next(_unwritable(found.root), None)) is not None:
            found.error(wrong, "E801.unwritable")
            found.root = None
    return found


EXAMPLE = "a list of cases:\ncases:\n- name: a short name\n  facts:\n  - …\n  expect:\n  - …"


def _unwritable(root: Node) -> Iterator[ScalarNode]:
    """The scalars with half a character or a zero, which only escapes can make."""
    pending, seen = [root], set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, ScalarNode):
            if any(each == "\0" or "\ud800" <= each <= "\udfff" for each in node.value):
                yield node
        else:
            pending += [part for each in node.value for part in (each if isinstance(each, tuple) else [each])]


def _remedy(text: str, at: int, message: str) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : (text.find("\n", at) + 1 or len(text) + 1) - 1]
    if "\t" in line[: at - text.rfind("\n", 0, at)]:
        return "YAML is indented with spaces. Replace the tab."
    if "mapping values are not allowed" in message:
        return "A colon and a space make a key. Are they part of a text, write that in single quotes."
    if "chomping" in message or line.strip().partition(":")[2].strip()[:1] in (">", "|"):
        return "`>` and `|` begin a text of several lines. Write `over 50%`, or put it into quotes."
    if text[at : at + 1] in ("%", "@", "`"):
        return f"A text may not begin with `{text[at]}`. Write it in single quotes."
    if "document" in message:
        return "Put all cases into one list; a line `---` begins another document."
    return "Look at the indent, at brackets and at quotes; when in doubt, write a text in single quotes."
