"""The budget of the product, whose limits are in `budget.toml` and never raised; and how things are named."""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from tests.layers import unit_of

# `asked` is none of them: asked literals are a term of the semantics.
RIDDLES = frozenset(
    {
        *("told", "said", "beside", "own", "place", "over", "stands", "goes", "keeping", "settling"),
        *("standing", "telling", "looking", "claiming"),
    }
)
OPENINGS = re.compile(r"(What|Whoever|Whatever|The same|In comes|Out goes)\b")


@dataclass(frozen=True)
class Size:
    """How large the product is: lines, modules and classes of `antelog`, and lines of `tests`."""

    lines: int
    modules: int
    classes: int
    tests: int


Sources = Mapping[PurePosixPath, str]
Check = Callable[[str, PurePosixPath], list[str]]


def size(sources: Sources, tests: Sources) -> Size:
    """The size of a product with these sources and tests. An `__init__` is not counted as a module."""
    trees = [ast.parse(source) for source in sources.values()]
    return Size(
        lines=sum(source.count("\n") for source in sources.values()),
        modules=sum(path.name != "__init__.py" for path in sources),
        classes=sum(isinstance(node, ast.ClassDef) for tree in trees for node in ast.walk(tree)),
        tests=sum(source.count("\n") for source in tests.values()),
    )


def shared_class_names(sources: Sources) -> dict[str, list[str]]:
    """Class names used more than once, except by a node of the syntax and its counterpart in the plan."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path))
    return {
        name: paths
        for name, paths in sorted(found.items())
        if len(paths) > 1
        and sorted(unit_of(PurePosixPath(path)) for path in paths) != ["compile", "language"]
    }


def shared_module_names(sources: Sources) -> dict[str, list[str]]:
    """Module names that a package has more than once. `__main__` is how Python names a command."""
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path in sources:
        if path.name not in ("__init__.py", "__main__.py"):
            found[unit_of(path), path.stem].append(str(path))
    return {name: paths for (_, name), paths in sorted(found.items()) if len(paths) > 1}


def tuple_parameters(source: str, path: PurePosixPath) -> list[str]:
    """Parameters that are anonymous tuples: a struct would give each part a name."""
    complaints = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        for argument in arguments:
            kind = ast.unparse(argument.annotation) if argument.annotation else ""
            if kind.startswith("tuple[") and "..." not in kind:
                complaints.append(f"{path}:{function.lineno}: {argument.arg} of {function.name} is a {kind}")
    return complaints


def riddles(source: str, path: PurePosixPath) -> list[str]:
    """Modules, classes and public functions with a word in their name that says nothing to a newcomer."""
    named = [(1, path.stem)]
    named += [
        (node.lineno, node.name)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
    ]
    parts = {each: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", each[1]).lower().split("_") for each in named}
    words = {each: RIDDLES & set(found) for each, found in parts.items()}
    return [f"{path}:{line}: {name}" for (line, name), found in words.items() if found]


def turned_round(source: str, path: PurePosixPath) -> list[str]:
    """Docstrings that do not begin with the name of the thing or what comes out."""
    complaints = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
            if OPENINGS.match(text):
                line = getattr(node, "lineno", 1)
                complaints.append(f"{path}:{line}: {text.partition(chr(10))[0]}")
    return complaints
