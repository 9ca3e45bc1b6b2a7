"""antelog: answers before they are certain.

Rules in Temporal Datalog over streams of facts that come late and out of order; answers as
soon as something supports them, with the evidence, the facts still missing, and the tick by
which they are decided.
"""

from __future__ import annotations

TYPE_CHECKING = False  # checkers of types take it for true; `typing` need not be imported for it

if TYPE_CHECKING:
    from antelog import testing as testing
    from antelog.errors import (
        AntelogError,
        ArgumentError,
        DataError,
        DataWarning,
        FunctionError,
        OutputError,
        PlanError,
        ProgramError,
        ProgramFileError,
        RulesChangedError,
        StateError,
        UnsupportedError,
        WorkerError,
    )
    from antelog.forecast.model_file import Model
    from antelog.functions import UserFunction, function
    from antelog.incidents.backtesting import Backtest, backtest
    from antelog.incidents.suggest.library import Suggestion, suggest
    from antelog.notebook import load_ipython_extension, show
    from antelog.pictures import Drawing, draw
    from antelog.process import Engine
    from antelog.program import Program, load, parse
    from antelog.run.replay import replay
    from antelog.watch.live import live

__all__ = [
    "AntelogError", "ArgumentError", "Backtest", "DataError", "DataWarning", "Drawing", "Engine",
    "FunctionError", "Model", "OutputError", "PlanError", "Program", "ProgramError", "ProgramFileError",
    "RulesChangedError", "StateError", "Suggestion", "UnsupportedError", "UserFunction", "WorkerError",
    "backtest", "draw", "function", "live", "load", "load_ipython_extension", "parse", "replay", "show",
    "suggest",
]  # fmt: skip

_OTHERS = {
    "forecast.model_file": ("Model",),
    "functions": ("UserFunction", "function"),
    "incidents.backtesting": ("Backtest", "backtest"),
    "incidents.suggest.library": ("Suggestion", "suggest"),
    "notebook": ("load_ipython_extension", "show"),
    "pictures": ("Drawing", "draw"),
    "process": ("Engine",),
    "program": ("Program", "load", "parse"),
    "run.replay": ("replay",),
    "watch.live": ("live",),
}
_FROM = dict.fromkeys(__all__, "errors") | {name: each for each, names in _OTHERS.items() for name in names}

# Reading a program needs no engine, running it no pictures, and Spark's own processes neither. The command
# begins with this file, and can be interrupted well only when it has been read: so it imports nothing.
if not TYPE_CHECKING:  # a checker of types would take any name for one of these

    def __getattr__(name):
        from antelog.lazily import names_of  # noqa: PLC0415 - see above

        if name == "testing":
            from importlib import import_module  # noqa: PLC0415 - see above

            return import_module("antelog.testing")
        return names_of(__name__, _FROM)(name)


def __dir__() -> list[str]:
    return __all__
