"""The language at a glance, on top of its page: each line can be read, and no construct is missing."""

import re
from functools import cache
from importlib.resources import files

from lark import Lark

from antelog.diagnostics import Source
from antelog.language.parser import parse
from tests.constructs import GRAMMAR
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## At a glance\n")[2].partition("\n## ")[0]
LINES = re.findall(r"^\| `([^`]+)` \|", SECTION, re.MULTILINE)


def test_each_line_is_a_statement() -> None:
    for line in LINES:
        parsed = parse(Source(line))
        assert parsed.diagnostics == (), line
        assert len(parsed.document.statements) > 0, line  # `or` and `in` stand for several


@cache
def _grammar() -> Lark:
    text = files("antelog.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", maybe_placeholders=False)


def test_no_construct_is_missing() -> None:
    trees = [_grammar().parse(line) for line in LINES]
    shown = {str(node.data) for tree in trees for node in tree.iter_subtrees()}
    # What has no node of its own: those that stand for one of several others.
    inlined = {name for name in GRAMMAR if name.startswith("_")} | {"start", "literal", "argument"}
    inlined |= {"condition", "sum", "product", "factor"}
    assert {*GRAMMAR} - shown - inlined == set()


def test_all_words_of_the_language_stand_there() -> None:
    words = {
        "abs", "round", "floor", "minute", "hour", "weekday", "day", "month", "count", "sum", "avg",
        "min", "max",
    }  # fmt: skip
    words |= {":-", "->", "not", "last", "per", "distinct", "≠", "!="}
    assert {word for word in words if word not in SECTION} == set()
