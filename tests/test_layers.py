"""The rules of the house hold, and the functions that check them do notice when they do not."""

from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from tests import layers
from tests.loading import loaded_by

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("docs/**/*.md")),
    *sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("examples/*/README.md")),
]

Check = Callable[[str, PurePosixPath], list[str]]


def complaints(check: Check, pattern: str) -> list[str]:
    """What a check finds in all files of the package that match a pattern."""
    files = sorted(ROOT.glob(f"{layers.PACKAGE}/**/{pattern}"))
    assert files, f"no file matches {pattern}: is {ROOT} the project's folder?"
    named = ((path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()) for path in files)
    return [found for source, name in named for found in check(source, PurePosixPath(name))]


# ---- the project ----


def test_imports_point_one_way() -> None:
    assert complaints(layers.import_complaints, "*.py") == []


def test_imports_between_folders_point_one_way() -> None:
    assert complaints(layers.folder_complaints, "*.py") == []
    assert [layers.round_trips(arrows) for arrows in layers.INSIDE.values()] == [[]] * len(layers.INSIDE)


@pytest.mark.parametrize("pattern", ["*.py", "*.lark"])
def test_files_are_short(pattern: str) -> None:
    assert complaints(layers.length_complaints, pattern) == []


def test_import_antelog_is_light() -> None:
    loaded = loaded_by("from antelog import Engine, load, parse")
    assert {"antelog", "antelog.engine.kernel"} <= set(loaded)  # names are loaded when they are asked for
    assert layers.loaded_complaints(loaded) == []
    assert "pandas" not in loaded  # Arrow loads it for the first array that is made


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_real_paths(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert layers.path_complaints(text, PurePosixPath(page), ROOT) == []


def test_every_layer_is_complete() -> None:
    assert layers.MAY_IMPORT.keys() == layers.EVERYTHING
    assert set(layers.BELONGS_TO.values()) <= layers.MAY_IMPORT.keys()


# ---- the checks ----

ALLOWED = [
    ("antelog/language/parser.py", "import lark\nfrom antelog.language import syntax"),
    ("antelog/language/parser.py", "from antelog import errors\nimport antelog.diagnostics"),
    ("antelog/language/parser.py", "from . import syntax\nfrom .syntax import Rule\nfrom ..errors import E"),
    ("antelog/errors.py", "from antelog.diagnostics import Diagnostic"),
    ("antelog/compile/plan.py", "from antelog.language.syntax import Rule"),
    ("antelog/reference/semantics.py", "from antelog.language import syntax"),
    ("antelog/engine/kernel.py", "import polars\nfrom antelog.compile.plan import Plan"),
    ("antelog/spark/batch.py", "import pyspark.sql\nfrom antelog.engine import kernel"),
    ("antelog/spark/batch.py", "from antelog import Program"),
    ("antelog/cli/main.py", "import click\nfrom rich.table import Table\nimport antelog, antelog.spark"),
    ("antelog/__init__.py", "from antelog.program import load"),
]

FORBIDDEN = [
    ("antelog/language/parser.py", "import antelog.compile", "language may not import compile"),
    ("antelog/language/parser.py", "from antelog import compile", "language may not import compile"),
    ("antelog/language/parser.py", "from ..compile import plan", "language may not import compile"),
    ("antelog/language/parser.py", "from .. import engine", "language may not import engine"),
    ("antelog/language/parser.py", "from antelog import load", "language may not import __init__"),
    ("antelog/errors.py", "from antelog.language import syntax", "errors may not import language"),
    ("antelog/compile/plan.py", "import antelog", "compile may not import __init__"),
    ("antelog/reference/semantics.py", "import antelog.compile.plan", "reference may not import compile"),
    ("antelog/engine/kernel.py", "import antelog.reference", "engine may not import reference"),
    ("antelog/engine/kernel.py", "def f():\n    import antelog.spark", "engine may not import spark"),
    ("antelog/program.py", "from antelog import cli", "program may not import cli"),
    ("antelog/__init__.py", "from antelog import spark", "__init__ may not import spark"),
    ("antelog/forecast/model.py", "from antelog.spark import batch", "forecast may not import spark"),
    ("antelog/engine/kernel.py", "import pyspark.sql", "pyspark may be imported in antelog/spark only"),
    ("antelog/program.py", "import_module('pyspark')", "pyspark may be imported in antelog/spark only"),
    ("antelog/errors.py", "from click import style", "click may be imported in antelog/cli only"),
    ("antelog/diagnostics.py", "import rich", "rich may be imported in antelog/cli only"),
    ("antelog/cli/main.py", "import flask", "flask may be imported in antelog/dashboard only"),
    ("antelog/utils.py", "", "utils has no place among the layers"),
]


@pytest.mark.parametrize(("path", "source"), ALLOWED)
def test_import_check_accepts(path: str, source: str) -> None:
    assert layers.import_complaints(source, PurePosixPath(path)) == []


@pytest.mark.parametrize(("path", "source", "complaint"), FORBIDDEN)
def test_import_check_refuses(path: str, source: str, complaint: str) -> None:
    (found,) = layers.import_complaints(source, PurePosixPath(path))
    assert complaint in found


WITHIN = [
    ("antelog/cli/show/listing.py", "import antelog.files\nfrom antelog.cli.show import terminal", None),
    ("antelog/cli/commands/try_.py", "from antelog.cli.recorded import replay", None),
    ("antelog/cli/show/listing.py", "from antelog.cli.recorded import replay", "may not import cli/recorded"),
    ("antelog/cli/run/report.py", "from ..commands.run import run", "may not import cli/commands"),
    ("antelog/spark/job/job.py", "from antelog.spark import changes", "may not import spark/__init__"),
    (
        "antelog/spark/transport/packing.py",
        "from antelog.spark.bucket import x",
        "may not import spark/bucket",
    ),
    ("antelog/spark/odds/ends.py", "", "spark/odds has no place among the folders"),
]


@pytest.mark.parametrize(("path", "source", "complaint"), WITHIN)
def test_folder_check(path: str, source: str, complaint: str | None) -> None:
    found = layers.folder_complaints(source, PurePosixPath(path))
    assert len(found) == (complaint is not None)
    assert all(str(complaint) in each for each in found)


def test_round_trip_check() -> None:
    assert layers.round_trips({"a": frozenset("b"), "b": frozenset("c"), "c": frozenset()}) == []
    assert layers.round_trips({"a": frozenset("b"), "b": frozenset("a"), "c": frozenset("a")}) == ["a", "b"]


def test_length_check() -> None:
    path = PurePosixPath("antelog/errors.py")
    assert layers.length_complaints("x = 1\n" * 400, path) == []
    assert layers.length_complaints("x = 1\n" * 401, path) == [
        "antelog/errors.py: 401 lines, the limit is 400"
    ]


def test_path_check(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "here.md").touch()
    good = "`docs/here.md`, `cat docs/*.md`, `docs/`, [a](here.md#top), [b](https://example.org), `a/docs/no`"
    fenced = "```\n[c](gone.md) `docs/gone.md`\n```\n"
    page = PurePosixPath("docs/page.md")
    assert layers.path_complaints(good + "\n" + fenced, page, tmp_path) == []
    assert layers.path_complaints("`antelog check docs/gone.md`", page, tmp_path) == [
        "docs/page.md: no such path: docs/gone.md"
    ]
    assert layers.path_complaints("see [c](gone.md)", page, tmp_path) == [
        "docs/page.md: dead link: docs/gone.md"
    ]


def test_loaded_check() -> None:
    assert layers.loaded_complaints(["antelog", "antelog.errors", "lark", "sys"]) == []
    assert layers.loaded_complaints(["pyspark.sql", "click"]) == [
        "`import antelog` loads click",
        "`import antelog` loads pyspark",
    ]
