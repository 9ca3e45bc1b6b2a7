"""The layout of programs: one layout, the same meaning, every comment in its order."""

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.diagnostics import Source, Span
from antelog.language import syntax
from antelog.language.parser import cut, parse, same_but_for_layout
from antelog.language.printer import to_text
from antelog.workbench.formatting import WIDTH, laid_out, words_in
from tests.docs.pages import ROOT, Block, all_blocks
from tests.language.documents import DOCUMENTS
from tests.random_mixtures import mixtures
from tests.strategies import Case
from tests.tables import cases

EXAMPLES = sorted([*ROOT.glob("examples/*/*.alog"), *ROOT.glob("docs/**/*.alog")])
BLOCKS = [block for block in all_blocks() if block.language == "antelog"]
FREE = ("∧", "% a comment")  # programs with these words are not laid out on the pages


def formatted(text: str) -> str:
    found = laid_out(Source(text))
    assert found.errors == ()
    return found.text


def comments(text: str) -> list[str]:
    return [text[each.start : each.end].rstrip() for each in cut(text).comments]


def problems(text: str) -> list[str]:
    return [each.message for each in parse(Source(text)).diagnostics]


def judge(text: str) -> None:
    once = formatted(text)
    assert formatted(once) == once
    assert same_but_for_layout(text, once)
    assert parse(Source(once)).document == parse(Source(text)).document
    assert problems(once) == problems(text)
    assert comments(once) == comments(text)
    assert "\n\n\n" not in once
    assert not re.search(r"[ \t]$", once, re.MULTILINE)


# ---- what is written already ----


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_laid_out(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    judge(text)
    assert formatted(text) == text


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_programs_on_pages_are_laid_out(block: Block) -> None:
    found = laid_out(Source(block.text))
    if not found.errors:
        judge(block.text)
    if not any(word in block.text for word in FREE):
        assert found.text == block.text


@pytest.mark.parametrize("path", sorted(ROOT.glob("tests/errors/*.alog")), ids=lambda path: path.stem)
def test_wrong_programs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = laid_out(Source(text))
    if found.errors:
        assert found.text == text
        assert {each.code for each in found.errors} <= {"E001", "E002", "E003"}
    else:
        judge(text)


# ---- any program ----


@given(DOCUMENTS)
def test_any_syntax_tree(document: syntax.Document) -> None:
    judge(to_text(document))


@given(mixtures(), st.randoms(use_true_random=False))
def test_comments_anywhere(case: Case, random: Random) -> None:
    judge(_scattered(case.text, random))


def _scattered(text: str, random: Random) -> str:
    """Writes other spaces, line breaks and comments between the words of a program."""
    found, count = "", 0
    for each in cut(text).statements:
        words = [word.text for word in words_in(cut(text).text, Span(each.start, each.end))]
        for index, word in enumerate(words):
            found += word
            if word == ".." or words[index + 1 : index + 2] == [".."]:
                continue  # a range stays on its line
            kind = random.randrange(12)
            found += {0: f" % note {count}\n", 1: f"\n  % note {count}\n", 2: "\n", 3: "   "}.get(kind, " ")
            count += 1
        found += random.choice(["", "\n", "\n\n\n", f" % note {count}\n", f"\n\n% note {count}\n\n"])
        count += 1
    return found


# ---- how it looks, beyond what the examples show ----


@cases(__file__, "looks")
def test_how_it_looks(text: str, wanted: str) -> None:
    assert formatted(text) == wanted
    assert formatted(wanted) == wanted


def test_long_bodies_have_a_line_for_each_literal() -> None:
    literals = [f"Reading(X, V{i}, T+{i})" for i in range(8)]
    lines = formatted(f"Trend(X, T) :- {', '.join(literals)}.").splitlines()
    assert lines[0] == "Trend(X, T) :-"
    assert [line.strip(" ,.") for line in lines[1:]] == literals
    lines = formatted(f"{', '.join(literals)} -> Trend(X, T).").splitlines()
    assert [line.strip(" ,.") for line in lines] == [*literals, "-> Trend(X, T)"]


def test_long_declarations_are_filled() -> None:
    columns = ", ".join(f"column_{i}" for i in range(20))
    text = formatted(f"input Reading({columns}, time) delay 20 minutes, one per column_0 and column_1.")
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text.splitlines()[1].startswith("    column_")


def test_line_ends_stay() -> None:
    assert formatted("A(T):-B(T). % c\r\nquery A(T).\r\n") == "A(T) :- B(T).  % c\r\nquery A(T).\r\n"


def test_a_limit_of_another_file() -> None:
    assert formatted("A(T):-B(T..T+patience minutes).") == "A(T) :- B(T..T + patience minutes).\n"
