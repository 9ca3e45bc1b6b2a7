"""Functions of users in Python, which programs call by their names: pure, they see neither facts nor time."""

from __future__ import annotations

import builtins
import functools
import inspect
import linecache
import sys
import sysconfig
import traceback
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, overload

from antelog.errors import FunctionError, ProgramFileError
from antelog.given import PATH, ArgumentKind
from antelog.language.checks.suggestions import did_you_mean

_COLUMNS = {"ndarray": "numpy", "NDArray": "numpy", "Array": "arrow", "ChunkedArray": "arrow"}
"""The columns that a type hint with this ending asks for."""


@dataclass(frozen=True)
class UserFunction:
    """A function of a user: it `takes` columns of `numpy` or `arrow`, or, row by row, `values`."""

    name: str
    code: Callable[..., Any]
    takes: str

    def __call__(self, *arguments: Any) -> Any:
        """Call the function itself: it can be tested as it was written."""
        return self.code(*arguments)


@overload
def function(code: Callable[..., Any], /) -> UserFunction: ...
@overload
def function(*, rowwise: bool = False) -> Callable[[Callable[..., Any]], UserFunction]: ...
def function(
    code: Callable[..., Any] | None = None, /, *, rowwise: bool = False
) -> UserFunction | Callable[[Callable[..., Any]], UserFunction]:
    """Make a Python function one that programs can call, by its name.

    It gets a column for each argument, NumPy's (`np.ndarray`) or Arrow's (`pa.Array`) as its type hints say:
    numbers are doubles. It gives a column of as many rows: of truths, if the program declares it as a
    condition, else of numbers or texts. What it gives no value for (null, not-a-number) is false.

    Args:
        code: the Python function
        rowwise: call it for each row, with numbers and texts in place of columns
    """
    if code is None:
        return lambda given: _made(given, rowwise=rowwise)
    return _made(code, rowwise=rowwise)


def _made(code: Callable[..., Any], *, rowwise: bool) -> UserFunction:
    if isinstance(code, UserFunction):
        return code
    name = getattr(code, "__name__", None)
    if not isinstance(name, str) or not name.isidentifier() or isinstance(code, type):
        raise FunctionError(f"{code!r} is not a function with a name: write it with `def`")
    if rowwise:
        return UserFunction(name, code, "values")
    asked = {_COLUMNS.get(_last_word(hint)) for hint in getattr(code, "__annotations__", {}).values()}
    found = asked - {None}
    if len(found) != 1:
        why = "have no columns" if not found else "mix columns of NumPy and Arrow"
        raise FunctionError.of("functions.hints", name=name, why=why)
    return UserFunction(name, code, str(found.pop()))


def _last_word(hint: Any) -> str:
    """The name of a type or its text, of a generic type without parameters."""
    if isinstance(hint, str):
        return hint.partition("[")[0].rpartition(".")[2]
    return str(getattr(getattr(hint, "__origin__", hint), "__name__", ""))


NO_FUNCTIONS: Mapping[str, UserFunction] = types.MappingProxyType({})


# ---- the functions of a program ----


FunctionsGiven: TypeAlias = Iterable[Callable[..., Any]] | str | PathLike[str]
"""The functions of a program: a list of them, or the path of a file that has them."""


FUNCTIONS = ArgumentKind(
    "a list of functions, or the path of a file that has them",
    lambda given: PATH.fits(given) or (isinstance(given, list | tuple) and all(map(callable, given))),
)


def matched(arities: Mapping[str, int], given: FunctionsGiven) -> Mapping[str, UserFunction]:
    """The functions given for a program, by name. Raises FunctionError if one is missing or wrong."""
    if isinstance(given, str | PathLike):
        names = named_in(Path(given))
        there = [name for name in arities if callable(names.get(name))]
        found = {name: _made(names[name], rowwise=False) for name in there}
        where = f" in {given}"
        near = [name for name, each in names.items() if callable(each)]
    else:
        found = {each.name: each for each in (_made(code, rowwise=False) for code in given)}
        where, near = "", list(found)
        for name in found.keys() - arities.keys():
            hint = did_you_mean(name, list(arities)) or f"Declare it: `function {name}(…).`"
            raise FunctionError(f"the program declares no function {name}. {hint}")
    for name, arity in arities.items():
        if name not in found:
            hint = did_you_mean(name, near) or "Write it with `def`, and `@antelog.function` before it."
            message = f"the program declares a function {name}, and there is none of that name{where}. {hint}"
            raise FunctionError(message)
        _check_arity(found[name], arity)
    return found


def _check_arity(given: UserFunction, arity: int) -> None:
    try:
        own = inspect.signature(given.code)
    except ValueError:  # of a function that is not written in Python, nothing is known
        return
    try:
        own.bind(*range(arity))
    except TypeError:
        plural = "argument" if arity == 1 else "arguments"
        raise FunctionError.of(
            "functions.arity", name=given.name, arity=arity, plural=plural, own=own
        ) from None


def not_given(names: Sequence[str]) -> FunctionError:
    return FunctionError(
        f"the program calls {', '.join(names)}, and no such function is given: give a list of them, or the "
        "path of a file that has them, with `functions=`"
    )


def given_in(path: Path | None) -> dict[str, UserFunction]:
    """All functions of a file, whatever a program declares."""
    names = {} if path is None else named_in(path)
    found: dict[str, UserFunction] = {}
    for name, each in names.items():
        with suppress(FunctionError):  # not one that a program could call
            found[name] = _made(each, rowwise=False)
    return found


def named_in(path: Path) -> dict[str, Any]:
    """The names that a Python file defines; its prints go to standard error, away from results."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ProgramFileError(f"{path}: cannot be read: {error.strerror}") from None
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    module.__dict__["print"] = _print_aside
    # Dataclasses look for the module of their class while they are made.
    is_first = sys.modules.setdefault(module.__name__, module) is module
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        line = "" if error.lineno is None else f", line {error.lineno}"
        raise FunctionError(f"{path}{line}: {error.msg}") from None
    except FunctionError as error:
        raise FunctionError(f"{path}: {error}") from None
    except (Exception, SystemExit) as error:  # whatever the user's own code raises
        raise FunctionError(f"{path} cannot be run: {in_words(error, str(path))}") from None
    finally:
        if is_first:
            sys.modules.pop(module.__name__, None)
    return module.__dict__


def _print_aside(*values: object, file: Any = None, **how: Any) -> None:
    builtins.print(*values, file=file or sys.stderr, **how)


def in_words(error: BaseException, file: str | None) -> str:
    """An exception with the line of Python that raised it, in this file if it went through there."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == file] or frames
    try:
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
    except Exception:  # an exception of the user's own that has no text
        said = type(error).__name__
    if not own:
        return said
    frame = own[-1]
    linecache.checkcache(frame.filename)
    line = frame.line or linecache.getline(frame.filename, frame.lineno or 0).strip()
    if not line:
        return said
    return f"{said} (line {frame.lineno} of {frame.filename}: `{line}`)"


# ---- the code of functions, by which a changed one is found ----

_LIBRARIES = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib"))


def code_digest(given: UserFunction) -> str:
    """A digest of a function's code, and of what that refers to in files of users; of no path, and no line.

    It is the same after a restart, and another in other versions of Python.
    """
    return sha256(repr(_form(given, [])).encode()).hexdigest()[:24]


def _form(value: Any, seen: list[object]) -> object:
    """A form that tells a value from others: its code, or as far as it is plain its text, else its type.

    What was `seen` has its place: functions may call each other.
    """
    form = functools.partial(_form, seen=seen)
    if isinstance(value, types.FunctionType | type | list | dict | set):
        place = next((place for place, each in enumerate(seen) if each is value), None)
        if place is not None:
            return f"^{place}"
        seen.append(value)
    match value:
        case types.CodeType():
            shape = value.co_flags, value.co_argcount, value.co_kwonlyargcount, value.co_exceptiontable
            return value.co_code, value.co_names, shape, form(value.co_consts)
        case types.FunctionType() if not is_of_library(value.__code__.co_filename):
            constants = [None if each == value.__doc__ else each for each in value.__code__.co_consts]
            names = _names(value.__code__) & value.__globals__.keys()
            used = [(name, value.__globals__[name]) for name in sorted(names)]
            held = inspect.getclosurevars(value).nonlocals
            code = value.__code__.replace(co_consts=tuple(constants))
            return form((code, value.__defaults__, value.__kwdefaults__, used, held))
        case UserFunction():
            return form((value.takes, value.code))
        case functools.partial():
            return form((value.func, value.args, value.keywords))
        case tuple() | list():
            return [form(each) for each in value]
        case set() | frozenset():
            return sorted(repr(form(each)) for each in value)
        case dict():
            return form(tuple(value.items()))
        case None | bool() | int() | float() | complex() | str() | bytes():
            return repr(value)
        case type() if not is_of_library(getattr(sys.modules.get(value.__module__), "__file__", None) or ""):
            own = [pair for pair in vars(value).items() if isinstance(pair[1], types.FunctionType)]
            return form((value.__name__, own))
        case type() | types.FunctionType() | types.BuiltinFunctionType():
            return value.__module__, value.__qualname__
        case types.ModuleType():
            return value.__name__
        case _ if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
            return form(value.tolist())
        case _:
            return form((getattr(value, "__wrapped__", None), type(value)))


def _names(code: types.CodeType) -> set[str]:
    """The names that code looks up, and code within it."""
    inner = (_names(each) for each in code.co_consts if isinstance(each, types.CodeType))
    return {name for name in code.co_names if not name.startswith("__")}.union(*inner)


def is_of_library(file: str) -> bool:
    return any(Path(file).is_relative_to(folder) for folder in _LIBRARIES)


def file_of(given: UserFunction) -> str | None:
    code = getattr(inspect.unwrap(given.code), "__code__", None)
    return None if code is None else str(code.co_filename)
