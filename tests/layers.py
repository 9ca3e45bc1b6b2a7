"""The rules of the house, as functions from text to a list of complaints.

A *unit* is a folder or a module directly under antelog/: `language`, `errors`, or `__init__` for the package.
"""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath

from antelog.language.graph import components

PACKAGE = "antelog"
MOST_POSITIONAL = 5

LEAVES = frozenset(
    {*("accounts", "errors", "diagnostics", "given", "lazily", "secrets", "writing"), *("escaping", "theme")}
)
TO_COMPILE = LEAVES | {"language", "compile"}
TO_ENGINE = TO_COMPILE | {"arrow", "engine", "functions", "lines"}
SHOWING = frozenset({"pictures", "notebook"})
TO_PROGRAM = TO_ENGINE | {"program", "__init__", "why", "answers"}
EVERYTHING = (
    TO_PROGRAM
    | SHOWING
    | {"__main__", "files", "spark", "forecast", "process", "run", "incidents", "watch", "workbench"}
    | {"testing", "sources", "cli"}
)

# unit -> the other units it may import
MAY_IMPORT: dict[str, frozenset[str]] = {
    **dict.fromkeys([*LEAVES, "language"], LEAVES),
    "compile": LEAVES | {"language"},
    "functions": LEAVES | {"language"},
    "lines": LEAVES | {"language"},
    "engine": TO_COMPILE | {"arrow", "functions", "lines"},
    "arrow": LEAVES | {"language"},
    "files": LEAVES | {"language", "arrow"},
    "program": TO_ENGINE,
    "why": TO_ENGINE | {"program"},
    "answers": TO_ENGINE,
    "pictures": TO_ENGINE | {"answers", "program", "forecast", "process"},
    "notebook": TO_ENGINE | {"answers", "program", "forecast", "process", "pictures"},
    "__main__": frozenset({"cli"}),
    "__init__": TO_PROGRAM | SHOWING | {"forecast", "process", "run", "incidents", "watch", "testing"},
    "forecast": TO_ENGINE | {"program"},
    "process": TO_ENGINE | {"program", "forecast", "why"},
    "run": TO_PROGRAM | {"files", "forecast", "process"},
    "incidents": TO_PROGRAM | {"files", "forecast", "process", "run"},
    "spark": TO_PROGRAM | {"files", "forecast", "process", "run"},
    "watch": TO_PROGRAM | {"files", "forecast", "process", "run", "incidents", "pictures"},
    "workbench": TO_PROGRAM | {"files", "forecast", "process", "run", "incidents", "watch"},
    "testing": TO_PROGRAM | {"workbench", "files", "run"},
    "sources": TO_PROGRAM | {"files", "run"},
    "cli": EVERYTHING,
}

# layer -> its folders, and modules beside them that folders need, each of which may import from those
# before it; what is none of them, from all
FOLDERS: dict[str, tuple[str, ...]] = {
    "engine": ("columns", "carried", "values", "facts", "step"),
    "compile": (
        *("literals", "nodes", "comparisons", "rules", "patterns", "problems", "plan", "prepared"),
        *("meanings", "show"),
    ),
    "forecast": (
        *("columns", "rates", "inference", "scores", "judges"),
        *("lines", "model_file", "forecasting", "forecaster", "reports"),
    ),
    "cli": ("stopping", "show", "arguments", "serving", "run", "commands"),
    "watch": ("child", "board", "alerts", "web"),
    "spark": (*("settings", "failures", "job", "bucket"), *("running", "sql", "endpoints", "pipeline")),
}

WEB_FRAMEWORKS = (
    *("aiohttp", "bottle", "dash", "django", "falcon", "fastapi", "flask", "gradio", "litestar", "nicegui"),
    *("panel", "quart", "sanic", "starlette", "streamlit", "tornado", "uvicorn", "werkzeug"),
)

# library -> the only unit that may import it, or the only ones
BELONGS_TO: dict[str, str] = {
    "pyspark": "spark",
    "click": "cli",
    "rich": "cli",
    "altair": "pictures",
    "vl_convert": "pictures",
    "IPython": "notebook",
    "apprise": "watch",
    "confluent_kafka": "run",
    "httpx": "run watch",
    "fsspec": "files",
    "jinja2": "watch",
    "lsprotocol": "workbench",
    "markupsafe": "watch",
    "psycopg": "run",
    "yaml": "workbench",
    "paho": "run",
    "pygls": "workbench",
    "redis": "run",
    **dict.fromkeys(WEB_FRAMEWORKS, "watch"),
}

# A path of the project inside a stretch of code, `like/this.py`.
CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
FENCED = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)
PROJECT_PATH = re.compile(r"(?<![\w./-])(?:antelog|tests|docs|scripts|examples)/[\w./*-]*")
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)[^)]*\)")


def unit_of(path: PurePosixPath) -> str:
    """The unit of a file, given its path from the project's folder."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imported_modules(source: str, path: PurePosixPath) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of whatever a file imports, wherever in the file it does so."""
    folder = path.parent.parts
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = [*folder[: len(folder) - level + 1]] if level else []
                base += [module] if module else []
                yield from ((node.lineno, ".".join([*base, alias.name])) for alias in names)
            case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if _imports(func):
                yield node.lineno, name


def _imports(function: ast.expr) -> bool:
    """Whether a called function is `__import__` or `importlib.import_module`."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in {"__import__", "import_module"}


def import_complaints(source: str, path: PurePosixPath) -> list[str]:
    """Imports of a file that its layer may not have."""
    unit = unit_of(path)
    if unit not in MAY_IMPORT:
        return [f"{path}: {unit} has no place among the layers; give it one in tests/layers.py"]
    complaints = []
    for line, module in imported_modules(source, path):
        library, *rest = module.split(".")
        homes = BELONGS_TO.get(library, unit).split()
        if unit not in homes:
            places = " or ".join(f"{PACKAGE}/{home}" for home in homes)
            complaints.append(f"{path}:{line}: {library} may be imported in {places} only")
        if library != PACKAGE:
            continue
        # `from antelog import load` takes a name of the package itself, not a unit
        target = rest[0] if rest and rest[0] in MAY_IMPORT else "__init__"
        if target != unit and target not in MAY_IMPORT[unit]:
            complaints.append(f"{path}:{line}: {unit} may not import {target}")
    return complaints


def folder_complaints(source: str, path: PurePosixPath) -> list[str]:
    """Imports of a file against the order of the folders in its layer."""
    unit = unit_of(path)
    folders = FOLDERS.get(unit, ())
    if not folders or path.relative_to(PACKAGE).parts[:1] != (unit,):
        return []
    here, *below = path.relative_to(PACKAGE).with_suffix("").parts[1:]
    if below and here not in folders:
        return [f"{path}: {unit}/{here} has no place among the folders; give it one in tests/layers.py"]
    allowed = folders.index(here) if here in folders else len(folders)
    complaints = []
    for line, module in imported_modules(source, path):
        library, layer, *rest = [*module.split("."), "", ""]
        target = rest[0]
        place = folders.index(target) if target in folders else len(folders)
        if (library, layer) == (PACKAGE, unit) and place > allowed:
            complaints.append(f"{path}:{line}: {unit}/{here} may not import {target or 'the whole layer'}")
    return complaints


def argument_complaints(source: str, path: PurePosixPath) -> list[str]:
    """Functions with too many arguments by order; those given by name do not count."""
    complaints = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        own = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        count = len(own) - (own[:1] in (["self"], ["cls"]))
        if count > MOST_POSITIONAL:
            name = getattr(function, "name", "a lambda")
            complaints.append(
                f"{path}:{function.lineno}: {name} takes {count} arguments by their order, "
                f"the limit is {MOST_POSITIONAL}"
            )
    return complaints


def path_complaints(text: str, page: PurePosixPath, root: Path) -> list[str]:
    """Paths in code spans, and targets of links, that do not exist. A path may hold `*`."""
    prose = FENCED.sub("", text)
    named = (path for span in CODE_SPAN.findall(prose) for path in PROJECT_PATH.findall(span))
    complaints = [f"{page}: no such path: {path}" for path in named if not _exists(root, path)]
    linked = (PurePosixPath(page.parent, target).as_posix() for target in LINK.findall(prose))
    return complaints + [f"{page}: dead link: {path}" for path in linked if not _exists(root, path)]


def _exists(root: Path, path: str) -> bool:
    path = path.rstrip(".")
    return any(root.glob(path)) if "*" in path else (root / path).exists()


def loaded_complaints(modules: Collection[str]) -> list[str]:
    """Libraries that are in memory after `import antelog`, though only one layer needs them."""
    loaded = {module.partition(".")[0] for module in modules}
    return [f"`import {PACKAGE}` loads {library}" for library in sorted(loaded & set(BELONGS_TO))]


def circles(sources: Mapping[PurePosixPath, str]) -> list[frozenset[str]]:
    """Modules that import each other, directly or through others, even for types alone."""
    modules = {".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in sources}
    needs = {
        module: [
            target
            for _, name in imported_modules(sources[path], path)
            if (target := _module(name, modules)) not in (None, module)
        ]
        for module, path in modules.items()
    }
    return [frozenset(members) for members in components(needs) if len(members) > 1]


def _module(name: str, modules: Collection[str]) -> str | None:
    """The module that an imported name is, or is a name of; None if it is none of these."""
    return next((each for each in (name, name.rpartition(".")[0]) if each in modules), None)
