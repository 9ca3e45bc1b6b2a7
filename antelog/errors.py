"""The exceptions that antelog raises; any other exception on a user's input is a defect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from antelog.diagnostics import Diagnostic, Source, errors_of, in_source_order, to_text, words_of
from antelog.escaping import shown


class AntelogError(Exception):
    """The root of all exceptions antelog raises."""

    @classmethod
    def of(cls, name: str, /, **values: object) -> Self:
        """The error whose words have this name in `problems.toml`, such as `store.in-use`."""
        return cls(words_of(name)["message"].format(**values))

    def __str__(self) -> str:
        return shown(super().__str__())  # a sentence; what it quotes may be anything


class ProgramError(AntelogError):
    """A program cannot be used; `diagnostics` has every error and warning found in it."""

    def __init__(self, diagnostics: Iterable[Diagnostic], source: Source) -> None:
        self.diagnostics = in_source_order(diagnostics)
        self.source = source
        super().__init__(to_text(errors_of(self.diagnostics), source))

    def __str__(self) -> str:
        return str(self.args[0])  # lines, in which all that is quoted can be shown


class ProgramFileError(AntelogError):
    """A program's file is missing, or is not a text."""


class PlanError(AntelogError):
    """A text is not a plan, or one of another version."""


class DataError(AntelogError):
    """Data does not fit the program: an input it does not have, other columns, no row that can be used.

    Single facts that cannot be used do not raise it; they are set aside, each with its reason.
    """


class AwayError(DataError):
    """A place cannot be reached for now; what it has may be read later."""

    def __init__(self, place: object, reason: str) -> None:
        super().__init__(f"{place}: cannot be reached: {reason}")
        self.strerror = reason


class ArgumentError(DataError, TypeError):
    """An argument is of another type than a function takes: `parse(7)`."""


class UnsupportedError(AntelogError):
    """The program is right, but the engine cannot run it yet."""


class StateError(AntelogError):
    """A saved state is missing, damaged, of another version, or of another program."""


class RulesChangedError(StateError):
    """A saved state is of other rules; `differences` says how they differ, query by query."""

    def __init__(self, message: str, differences: str) -> None:
        super().__init__(message)
        self.differences = differences


class InUseError(StateError):
    """Another process writes to a state or an output."""


class FunctionError(AntelogError):
    """A function of a user is missing, does not fit what the program declares, or failed."""


class WorkerError(AntelogError):
    """A worker of a run has ended before its time, and the run with it."""


class OutputError(AntelogError):
    """A file or another output cannot be written; what it had before is still there."""


class DataWarning(UserWarning):
    """More than half of the facts that were handed over were set aside: how many, why, and what to do."""
