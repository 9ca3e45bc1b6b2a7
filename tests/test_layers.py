"""The rules of the house hold, and the functions that check them do notice when they do not."""

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

import pytest

from tests import layers
from tests.processes import loaded_by

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("docs/**/*.md")),
    *sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("examples/*/README.md")),
]

Check = Callable[[str, PurePosixPath], list[str]]


PACKAGE = f"{layers.PACKAGE}/**/*.py"


def files_of(pattern: str) -> Iterator[tuple[PurePosixPath, str]]:
    """The project's files that match a pattern, each with its text."""
    files = sorted(ROOT.glob(pattern))
    assert files, f"no file matches {pattern}: is {ROOT} the project's folder?"
    for path in files:
        yield PurePosixPath(path.relative_to(ROOT).as_posix()), path.read_text(encoding="utf-8")


def complaints(check: Check, pattern: str) -> list[str]:
    """What a check finds in all of the project's files that match a pattern."""
    return [found for path, source in files_of(pattern) for found in check(source, path)]


# ---- the project ----


def test_imports_point_one_way() -> None:
    assert complaints(layers.import_complaints, PACKAGE) == []


def test_folders_of_a_layer_point_one_way() -> None:
    assert complaints(layers.folder_complaints, PACKAGE) == []


def test_no_module_needs_one_that_needs_it() -> None:
    assert layers.circles(dict(files_of(PACKAGE))) == []


def test_the_folders_are_there() -> None:
    for layer, folders in layers.FOLDERS.items():
        package = ROOT / layers.PACKAGE / layer
        there = {path.parent.name for path in package.glob("*/*.py")}
        beside = {path.stem for path in package.glob("*.py")}
        assert there <= set(folders) <= there | beside


def test_each_folder_has_tests() -> None:
    folders = {path.parent.relative_to(ROOT / layers.PACKAGE) for path in files_in_folders()}
    without = [str(folder) for folder in folders if not any((ROOT / "tests" / folder).glob("test_*.py"))]
    assert without == []


def files_in_folders() -> Iterator[Path]:
    return (ROOT / layers.PACKAGE).glob("*/**/[!_]*.py")


def test_the_specification_knows_the_language_only() -> None:
    modules = [
        module
        for path, source in files_of("tests/specification/**/*.py")
        if not path.name.startswith(("test_", "helpers", "model", "reading"))
        for _, module in layers.imported_modules(source, path)
    ]
    allowed = ("antelog.language", "antelog.errors")
    beyond = [m for m in modules if m.startswith("antelog.") and not m.startswith(allowed)]
    assert beyond == [], "a judge must not share the code of those it judges"


def test_calls_are_short() -> None:
    """Functions take at most five arguments by order; arguments by name do not count."""
    assert complaints(layers.argument_complaints, PACKAGE) == []


def test_import_antelog_is_light() -> None:
    loaded = loaded_by("from antelog import Engine, load, parse")
    assert {"antelog", "antelog.engine.kernel"} <= set(loaded)  # names are loaded when they are asked for
    assert "antelog.forecast.forecasting" not in loaded  # few engines forecast
    assert layers.loaded_complaints(loaded) == []
    assert "pandas" not in loaded  # Arrow loads it for the first array that is made


def test_pages_name_real_paths() -> None:
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
    found = [layers.path_complaints(text, PurePosixPath(page), ROOT) for page, text in texts.items()]
    assert [each for some in found for each in some] == []


def test_every_layer_is_complete() -> None:
    assert layers.MAY_IMPORT.keys() == layers.EVERYTHING
    homes = {home for each in layers.BELONGS_TO.values() for home in each.split()}
    assert homes <= layers.MAY_IMPORT.keys()


# ---- the checks ----

ALLOWED = [
    ("antelog/language/parser.py", "import lark\nfrom antelog.language import syntax"),
    ("antelog/language/parser.py", "from antelog import errors\nimport antelog.diagnostics"),
    ("antelog/language/parser.py", "from . import syntax\nfrom .syntax import Rule\nfrom ..errors import E"),
    ("antelog/spark/batch.py", "import pyspark.sql\nfrom antelog.engine import kernel"),
    ("antelog/cli/main.py", "import click\nfrom rich.table import Table\nimport antelog, antelog.spark"),
    ("antelog/__init__.py", "from antelog.program import load"),
]

FORBIDDEN = [
    ("antelog/language/parser.py", "import antelog.compile", "language may not import compile"),
    ("antelog/language/parser.py", "from antelog import compile", "language may not import compile"),
    ("antelog/language/parser.py", "from ..compile import plan", "language may not import compile"),
    ("antelog/language/parser.py", "from .. import engine", "language may not import engine"),
    ("antelog/language/parser.py", "from antelog import load", "language may not import __init__"),
    ("antelog/engine/kernel.py", "def f():\n    import antelog.spark", "engine may not import spark"),
    ("antelog/engine/kernel.py", "import pyspark.sql", "pyspark may be imported in antelog/spark only"),
    ("antelog/program.py", "import_module('pyspark')", "pyspark may be imported in antelog/spark only"),
    ("antelog/cli/main.py", "import flask", "flask may be imported in antelog/watch only"),
    ("antelog/utils.py", "", "utils has no place among the layers"),
]


FOLDERS_ALLOWED = [
    ("antelog/engine/step/atoms.py", "from antelog.engine.facts.history import History"),
    ("antelog/engine/step/atoms.py", "from . import rows\nfrom ..columns import spans"),
    ("antelog/engine/kernel.py", "from antelog.engine import state\nfrom antelog.engine.step import lines"),
    ("antelog/program.py", "from antelog.engine import kernel"),
]
FOLDERS_FORBIDDEN = [
    ("antelog/engine/columns/spans.py", "from antelog.engine.step.lines import x", "may not import step"),
    ("antelog/engine/columns/spans.py", "from ..values import types", "columns may not import values"),
    ("antelog/engine/step/atoms.py", "from antelog.engine import kernel", "step may not import kernel"),
    ("antelog/engine/step/atoms.py", "import antelog.engine", "step may not import the whole layer"),
    ("antelog/engine/odds/ends.py", "", "engine/odds has no place among the folders"),
]
ARGUMENTS_ALLOWED = [
    ("antelog/errors.py", "def f(a, b, c, d, e, *, g, h=1): ..."),
    ("antelog/errors.py", "class C:\n    def f(self, a, b, c, d, e): ..."),
]
ARGUMENTS_FORBIDDEN = [
    ("antelog/errors.py", "def f(a, b, /, c, d, e, g): ...", "errors.py:1: f takes 6 arguments by their"),
    ("antelog/errors.py", "class C:\n    def f(self, a, b, c, d, e, g): ...", "f takes 6"),
    ("antelog/errors.py", "f = lambda a, b, c, d, e, g: a", "a lambda takes 6"),
]


@pytest.mark.parametrize(
    ("check", "allowed", "forbidden"),
    [
        (layers.import_complaints, ALLOWED, FORBIDDEN),
        (layers.folder_complaints, FOLDERS_ALLOWED, FOLDERS_FORBIDDEN),
        (layers.argument_complaints, ARGUMENTS_ALLOWED, ARGUMENTS_FORBIDDEN),
    ],
)
def test_checks_notice(
    check: Check, allowed: list[tuple[str, str]], forbidden: list[tuple[str, str, str]]
) -> None:
    for path, source in allowed:
        assert check(source, PurePosixPath(path)) == []
    for path, source, complaint in forbidden:
        (found,) = check(source, PurePosixPath(path))
        assert complaint in found


def test_circles_are_found_wherever_they_are_closed() -> None:
    def circles(**modules: str) -> list[frozenset[str]]:
        return layers.circles({PurePosixPath(f"antelog/{name}.py"): text for name, text in modules.items()})

    one, other = "from antelog.b import B", "def f():\n    from antelog import a"
    assert circles(a=one, b="import antelog.c", c="") == []
    assert circles(a=one, b=other) == [{"antelog.a", "antelog.b"}]
    assert circles(a=one, b="import antelog.c", c=other) == [{"antelog.a", "antelog.b", "antelog.c"}]
    assert circles(a=one, b="if TYPE_CHECKING:\n    from antelog.a import A") == [{"antelog.a", "antelog.b"}]
    assert circles(__init__="from antelog.b import B", b="from antelog import A") == [
        {"antelog", "antelog.b"}
    ]
    assert circles(a="from antelog.a import A") == []


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
