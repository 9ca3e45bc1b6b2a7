"""Functions of users, sent to Spark's workers by value.

A worker need not have the file a function is written in, and a file that was given by its path is no module
that could be imported there. So the code itself is sent, with what it refers to in its file; libraries are
imported on the worker.
"""

from __future__ import annotations

import contextlib
import inspect
import pickle
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from pyspark import cloudpickle

from antelog.errors import FunctionError
from antelog.functions import NO_FUNCTIONS, UserFunction

_LIBRARIES = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib"))


def sent(functions: Mapping[str, UserFunction]) -> bytes:
    """Functions as bytes. Raises FunctionError if one cannot be sent."""
    if not functions:
        return b""
    with contextlib.ExitStack() as stack:
        modules = [inspect.getmodule(inspect.unwrap(each.code)) for each in functions.values()]
        for module in {id(each): each for each in modules if each is not None and _is_own(each)}.values():
            # What a module of the user's own has is sent by value, too; a library is imported on the worker.
            cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]  # PySpark gives it no types
            stack.callback(cloudpickle.unregister_pickle_by_value, module)
        for name, each in functions.items():
            try:
                cloudpickle.dumps(each)  # type: ignore[no-untyped-call]  # PySpark gives it no types
            except Exception as error:  # whatever a user's object raises
                raise FunctionError(
                    f"{name} cannot be sent to Spark's workers: {error}. It must not refer to what "
                    "belongs to this process, such as an open file or a connection"
                ) from None
        found: bytes = cloudpickle.dumps(dict(functions))  # type: ignore[no-untyped-call]  # likewise
    return found


def received(content: bytes) -> Mapping[str, UserFunction]:
    """The functions in bytes."""
    if not content:
        return NO_FUNCTIONS
    functions: Mapping[str, UserFunction] = pickle.loads(content)
    return functions


def _is_own(module: ModuleType) -> bool:
    """Whether a module that could be imported is the user's own, and no library's."""
    file = getattr(module, "__file__", None)
    if file is None or sys.modules.get(module.__name__) is not module or module.__name__ == "__main__":
        return False
    return not any(Path(file).is_relative_to(folder) for folder in _LIBRARIES)
