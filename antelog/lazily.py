"""Lazy imports: names of a package that are imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from antelog.errors import UnsupportedError

PUBLISHED = False  # has PyPI antelog? `python -m scripts.release published` changes this and all pages
_COPY = ", in a copy of the project"


def brought_by(extra: str) -> str:
    """The words for how to install the libraries of an extra."""
    return f"pip install '{'antelog' if PUBLISHED else '.'}[{extra}]'{'' if PUBLISHED else _COPY}"


@contextmanager
def libraries(what: str = "the page", extra: str = "watch") -> Iterator[None]:
    """Turns a missing library into an error that names what needs it, and the extra that brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "antelog").partition(".")[0] == "antelog":
            raise
        raise UnsupportedError(
            f"{what} needs the package {error.name}, which is not installed: {brought_by(extra)}"
        ) from None


def names_of(
    package: str, modules: Mapping[str, str], *, what: str = "", extra: str = ""
) -> Callable[[str], Any]:
    """The `__getattr__` of a package, by the module of each name; `what` may need an `extra`."""

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(import_module(f"{package}.{modules[name]}"), name)
        except ModuleNotFoundError as error:
            missing = (error.name or "").partition(".")[0]
            if not extra or missing == package.partition(".")[0]:
                raise
            raise ImportError(
                f"{what} needs the package {missing}, which is not installed: {brought_by(extra)}"
            ) from error

    return find
