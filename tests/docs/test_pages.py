"""Every program in the documentation does what the page says of it."""

import re
import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from lark import Lark

from antelog import Program, ProgramError, parse
from antelog.diagnostics import CATALOGUE, Source
from antelog.language import parser
from antelog.workbench.testing.results import run_suite
from antelog.workbench.testing.suite import read_suite
from tests.cli.trying import diagnostics
from tests.constructs import GRAMMAR
from tests.docs import stages
from tests.docs.pages import ROOT, Block, all_blocks, blocks, whole

BLOCKS = all_blocks()
PROGRAMS = [block for block in BLOCKS if block.language == "antelog"]
PIPELINES = [
    block
    for block in BLOCKS
    if block.language == "toml" and not any(mark in block.text for mark in ("[[alert]]", "[language-server."))
]
# Those of the tutorial have programs of their own, and are walked through.
SUITES = [b for b in BLOCKS if b.page in ("testing.md", "diagnostics.md") and "cases:" in b.text]
ENTRIES = re.split(
    r"^## ", (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8"), flags=re.MULTILINE
)[1:]


def codes(text: str, name: str = "<text>") -> set[str]:
    """The codes of all that is wrong or odd about a program."""
    try:
        return {d.code for d in parse(text, name=name).warnings}
    except ProgramError as error:
        return {d.code for d in error.diagnostics}


@pytest.mark.parametrize("block", PROGRAMS, ids=str)
def test_programs(block: Block, tmp_path: Path) -> None:
    if block.file is not None and "query " not in block.text:
        return  # others include it
    for other in PROGRAMS:
        if other.file is not None and other.page == block.page:
            (tmp_path / other.file).write_text(other.text, encoding="utf-8")
    name = str(tmp_path / "block.alog")
    text = whole(block)
    assert codes(text, name) == ({block.code} if block.code else set())
    if block.code is None:
        assert isinstance(parse(text, name=name), Program)


@pytest.mark.parametrize("block", PIPELINES, ids=str)
def test_pipelines(block: Block, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "turbines" / "turbines.alog", tmp_path)
    folder = block.page.rpartition("/")[
        0
    ]  # the pages of a folder share their programs; the own ones come last
    for other in sorted(PROGRAMS, key=lambda other: other.page == block.page):
        if other.file is not None and (
            other.page == block.page or (folder and other.page.startswith(folder))
        ):
            (tmp_path / other.file).write_text(other.text, encoding="utf-8")
    (tmp_path / "readings").mkdir()
    shutil.copy(ROOT / "examples" / "turbines" / "Temp.csv", tmp_path / "readings")
    found = diagnostics(block.text, folder=tmp_path)
    assert {d.code for d in found} == ({block.code} if block.code else set())


@pytest.mark.parametrize("block", SUITES, ids=str)
def test_files_of_tests(block: Block, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "turbines" / "turbines.alog", tmp_path)
    path = tmp_path / "turbines.test.yaml"
    path.write_text(block.text, encoding="utf-8")
    result = run_suite(read_suite(path))
    assert {d.code for d in result.suite.file.problems} == ({block.code} if block.code else set())
    assert result.failed == 0


def test_programs_are_tagged() -> None:
    untagged = [
        str(b)
        for b in BLOCKS
        if b.language == "" and re.search(r":- .*\.$|^query .*\.$", b.text, re.MULTILINE)
    ]
    assert untagged == [], "tag programs as `antelog`, so that they are tested"


def test_readme_shows_the_turbines() -> None:
    (program,) = (b for b in PROGRAMS if b.page == "README.md")
    example = Path(ROOT, "examples/turbines/turbines.alog").read_text(encoding="utf-8")
    assert set(parse(program.text).document.statements) == set(parse(example).document.statements)


# ---- the page of errors ----


def test_every_code_has_an_entry() -> None:
    assert [entry.partition("\n")[0] for entry in ENTRIES] == [f"{c} {name}" for c, name in CATALOGUE.items()]


# A program that is too large has no room on a page.
@pytest.mark.parametrize("entry", [e for e in ENTRIES if e[:4] != "E003"], ids=lambda entry: entry[:4])
def test_entries_show_the_mistake_and_how_to_mend_it(entry: str) -> None:
    code = entry[:4]
    kind = "error" if code.startswith("E") else "warning"
    language = {"E7": "toml", "E8": "yaml"}.get(code[:2], "antelog")
    codes = [each.code for each in blocks(entry, "diagnostics.md")]
    assert f"```{language} {kind}={code}\n" in entry
    assert codes == [code, None] * max(1, len(codes) // 2)


# ---- the tour of the code: rows that the stages of the engine do make ----

TOUR = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("stage", "rows"), [pytest.param(*each, id=each[0]) for each in stages.stages()])
def test_the_tour_has_the_rows_after_each_stage(stage: str, rows: str) -> None:
    assert f"\n{rows}\n" in TOUR, f"{stage}: put what `python -m tests.docs.stages` prints into the page"


def test_the_tour_has_the_program() -> None:
    blocks = [b.text.strip() for b in BLOCKS if (b.page, b.language) == ("architecture.md", "antelog")]
    assert blocks == [stages.PROGRAM.strip()]


# ---- the language at a glance ----

LANGUAGE = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
SECTION = LANGUAGE.partition("## At a glance\n")[2].partition("\n## ")[0]
LINES = re.findall(r"^\| `([^`]+)` \|", SECTION, re.MULTILINE)


def test_each_line_is_a_statement() -> None:
    for line in LINES:
        parsed = parser.parse(Source(line))
        assert parsed.diagnostics == (), line
        assert len(parsed.document.statements) > 0, line  # `or` and `in` stand for several


def test_no_construct_is_missing() -> None:
    text = files("antelog.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    grammar = Lark(text, parser="lalr", maybe_placeholders=False)
    trees = [grammar.parse(line) for line in LINES]
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
