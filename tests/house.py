"""The budget of ideas: how many modules, classes and public names each package has, and how they are named.

`house.toml` beside this module has the limits. They fall; a commit that raises one says for which capability.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from tests.layers import unit_of

# `asked` is none of them: asked literals are a term of the semantics.
RIDDLES = frozenset(
    [
        "told",
        "said",
        "beside",
        "own",
        "place",
        "over",
        "stands",
        "goes",
        "keeping",
        "settling",
        "standing",
        "telling",
        "looking",
        "claiming",
    ]
)
OPENINGS = re.compile(r"(What|Whoever|Whatever|The same|In comes|Out goes)\b")


@dataclass(frozen=True)
class Ideas:
    """The size of a package in ideas."""

    modules: int
    classes: int
    names: int


Sources = Mapping[PurePosixPath, str]
Check = Callable[[str, PurePosixPath], list[str]]


def ideas(sources: Sources) -> dict[str, Ideas]:
    """Modules, classes and public names of each package; the modules on top count as one package."""
    modules: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    names: Counter[str] = Counter()
    for path, source in sources.items():
        unit = unit_of(path) if len(path.parts) > 2 else "top"
        tree = ast.parse(source)
        modules[unit] += path.name != "__init__.py"
        classes[unit] += sum(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
        names[unit] += sum(not name.startswith("_") for node in tree.body for name in _defined(node))
    return {unit: Ideas(modules[unit], classes[unit], names[unit]) for unit in sorted(modules)}


def _defined(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case _:
            pass


def shared_class_names(sources: Sources) -> dict[str, list[str]]:
    """Class names that are used more than once, with the modules that use them.

    A node of the syntax and its counterpart in the plan may share one.
    """
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
    words = {
        (line, name): RIDDLES & set(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_"))
        for line, name in named
    }
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
