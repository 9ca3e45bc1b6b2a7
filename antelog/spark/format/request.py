"""The options of the data source, checked: which program is to be run, over which facts.

Spark hands options over as texts, with their names in lower case: `input.Temp` comes as `input.temp`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from antelog.compile.nodes.plan import Plan
from antelog.errors import AntelogError, DataError
from antelog.files import Rejects
from antelog.language.checks.suggestions import did_you_mean
from antelog.process import functions_of
from antelog.program import Program, load, parse
from antelog.run.address import Files, Jdbc, Kafka, Posted, Rate, Reach, Standard, Table, address_of
from antelog.run.checks import misfits, resolved
from antelog.run.options import Option, Runner, options_of
from antelog.run.replay import Value, files_of, static_facts
from antelog.run.settings import Settings
from antelog.run.values import SettingError, whole
from antelog.spark.job.checking import tick_given
from antelog.spark.job.functions import received, sent

Options: TypeAlias = Mapping[str, str]

OWN = ("program", "query", "since", "numPartitions", "state")
"""The options that no other runner has, or has otherwise."""

OF_STREAMS = ("lag", "ahead", "idle")
"""The options that are settings of streams."""

SHARED = (
    *("input", "static", "map", "time_unit", "set", "functions", "arrival", "clock", "until"),
    *("only", "explanations"),
    *("model", "epoch", "half_life", "judges", "min_chance", "most", *OF_STREAMS),
)
"""The options that are settings of other runners, too."""

_RUNNER = "the data source"
READ: Reach[Files | Kafka] = Reach(
    _RUNNER,
    "read",
    (Files, Kafka),
    {
        **dict.fromkeys((Standard, Posted), "Follow it with `antelog watch`, or give a path or a topic."),
        Rate: "Follow it with `antelog run --stream`, or give a path or a topic.",
    },
    formless=True,
)
_KEPT = Runner(_RUNNER, READ, None)
_FILES = Runner(_RUNNER, Reach(_RUNNER, "read", (Files,)), None)


@dataclass(frozen=True)
class SourceRequest:
    """A program to be run over facts, as the options of the data source say.

    program      the program, without its functions, which are `called`
    settings     the settings of the run, with the addresses of inputs
    query        the query whose lines are wanted; None: all queries
    begin        the tick at which time begins, if it is given
    partitions   the most tasks that are to share the work, if that is given
    background   the facts of static predicates from outside the program
    state        the folder in which a stream keeps its states; None: a batch
    """

    program: Program
    called: bytes
    settings: Settings
    query: str | None
    begin: int | None
    partitions: int | None
    background: Mapping[str, Sequence[tuple[Value, ...]]]
    state: Path | None

    @property
    def runnable(self) -> Program:
        """The program with its functions."""
        return replace(self.program, functions=received(self.called))

    @property
    def addresses(self) -> Mapping[str, Files | Kafka]:
        """The address of each input."""
        return {name: READ.take(address) for name, address in self.settings.inputs.items()}


def request_of(options: Options) -> SourceRequest:
    """The request of these options. Raises AntelogError."""
    known = {each.name: each for each in options_of(Settings) if each.name in SHARED}
    given = dict(_apart(options, known))
    own = {name: value for (name, inner), value in given.items() if name in OWN}
    program = _program(own.get("program"), given, known)
    names = _Names(program)
    found: dict[str, Any] = {}
    for (name, inner), text in given.items():
        if name in known and name not in ("set", "functions"):
            _read(found, known[name], names.of(name, inner), text)
    if "inputs" not in found:
        (first, *_) = [each.name for each in program.plan.inputs]
        raise DataError(
            f'no input has a source. Say where facts come from: .option("input.{first}", "{first}.csv")'
        )
    settings = Settings(given=frozenset(found), **found)
    for misfit in misfits(program.plan, settings):
        raise DataError(f"the option {misfit.key}: {misfit.message}. {misfit.hint}")
    ready = resolved(program, settings)
    rows = static_facts(ready.program.plan, files_of(settings.statics), Rejects(), settings.map)
    count = own.get("numPartitions")
    return SourceRequest(
        replace(ready.program, functions={}),
        sent(functions_of(program)),
        ready.settings,
        _query(program.plan, own.get("query")),
        tick_given("since", own.get("since"), program.plan),
        None if count is None else _checked("numPartitions", whole(1), count),
        rows,
        Path(own["state"]) if "state" in own else None,
    )


def require_batch(request: SourceRequest) -> None:
    """Raises DataError for options of streams."""
    given = [name for name in OF_STREAMS if name in request.settings.given]
    if request.state is not None or given:
        name = given[0] if given else "state"
        raise DataError(f"the option {name} is for streams. Leave it out, or take spark.readStream")


def require_stream(request: SourceRequest) -> Path:
    """The folder of the states. Raises DataError for options of batches, and if there is no such folder."""
    if request.partitions is not None:
        raise DataError("the option numPartitions is for batches. Leave it out, or take spark.read")
    if request.state is None:
        raise DataError(
            "a stream keeps the state of its engine in a folder, and there is none. Give it one of its own "
            'beside the checkpoint: .option("state", "malf.states")'
        )
    return request.state


_Key: TypeAlias = "tuple[str, str]"


def _apart(options: Options, known: Mapping[str, Option]) -> Iterator[tuple[_Key, str]]:
    """The texts of options, by their name and the part after its full stop. Raises DataError."""
    names = {**{name.lower(): name for name in (*OWN, *known)}, "path": "program"}
    twice: set[_Key] = set()
    for written, text in options.items():
        whole_name, (head, _, inner) = written.lower(), written.partition(".")
        name = names.get(whole_name) or names.get(head.lower()) or ""
        dotted = name in known and known[name].naming is not None
        if not name or bool(inner) > dotted or (dotted and not inner and name != "time_unit"):
            raise DataError(_unknown(written, names, known))
        if (name, inner) in twice:
            raise DataError(f"the option {name} is given twice, one of them as the path. Leave out one")
        twice.add((name, inner))
        yield (name, inner), text


def _unknown(written: str, names: Mapping[str, str], known: Mapping[str, Option]) -> str:
    shown = [f"{name}.NAME" if name in known and known[name].naming else name for name in names.values()]
    head = written.partition(".")[0].lower()
    if head in names:
        name = names[head]
        right = f"{name}.NAME" if name in known and known[name].naming else name
        return f"the data source has no option {written}. Write {right}"
    hint = did_you_mean(head, names) or f"It has {', '.join(dict.fromkeys(shown))}."
    return f"the data source has no option {written}. {hint}"


def _program(text: str | None, given: Mapping[_Key, str], known: Mapping[str, Option]) -> Program:
    if text is None:
        raise DataError(
            "the program is missing. Name its file, or give its text: "
            'spark.read.format("antelog").option("program", "malf.alog")'
        )
    is_text = any(sign in text.strip() for sign in ("\n", ":-")) or text.rstrip().endswith(".")
    read = parse if is_text else load
    file = given.get(("functions", ""))
    functions = None if file is None else str(_checked("functions", _reader(known["functions"]), file))
    limits = {inner: value for (name, inner), value in given.items() if name == "set"}
    if not limits:
        return read(text, functions=functions)
    names = [each.name for each in read(text, functions=functions).document.limits]
    values = {
        _same(name, names): _checked(f"set.{name}", _reader(known["set"]), value)
        for name, value in limits.items()
    }
    return read(text, limits=values, functions=functions)


def _query(plan: Plan, name: str | None) -> str | None:
    names = [each.name for each in plan.queries]
    if name is None or name in names:
        return name
    hint = did_you_mean(name, names) or f"The queries are {', '.join(names)}."
    raise DataError(f"the program has no query {name}. {hint}")


class _Names:
    """The names of a program, which Spark hands over in lower case."""

    def __init__(self, program: Program) -> None:
        inputs = {each.name: each.columns for each in program.plan.inputs}
        statics = {each.name: each.columns for each in program.plan.statics}
        both = {**inputs, **statics}
        columns = [column for each in both.values() for column in each]
        columns += [f"{name}.{column}" for name, each in both.items() for column in each]
        self._known = {"input": [*inputs], "static": [*statics], "time_unit": [*inputs], "map": columns}

    def of(self, option: str, inner: str) -> str:
        return _same(inner, self._known.get(option, ()))


def _same(name: str, known: Sequence[str]) -> str:
    """The known name that is this one, whatever its case; if there is none, the name itself."""
    found = list(dict.fromkeys(each for each in known if each.lower() == name.lower()))
    if len(found) > 1:
        raise DataError(
            f"Spark does not tell {' from '.join(found)} in the names of options, which have no case; "
            "rename one in the program"
        )
    return found[0] if found else name


# ---- values ----


def _read(found: dict[str, Any], option: Option, inner: str, text: str) -> None:
    """Puts the value of an option to those that were found."""
    name = f"{option.name}.{inner}" if inner else option.name
    if option.name in ("input", "static"):
        _refuse_tables(inner, text)
    value = _checked(name, _reader(option), text)
    if option.naming is None:
        found[option.attribute] = value
    else:
        found.setdefault(option.attribute, {})[inner] = value


def _reader(option: Option) -> Any:
    runner = _FILES if option.name == "static" else _KEPT
    return lambda text: option.syntax.read(text, runner)


def _checked(name: str, read: Any, text: str) -> Any:
    try:
        return read(text)
    except SettingError as error:
        raise DataError(f"the option {name}: {error}") from None


def _refuse_tables(name: str, text: str) -> None:
    """Raises DataError for what only Spark's own sources read, with the line that hands it over."""
    try:
        address = address_of(text)
    except (SettingError, AntelogError):
        return
    if isinstance(address, Table):
        how = "load" if address.is_folder else "table"
        frame = f'spark.read.format("{address.form}").{how}("{address.name}")'
    elif isinstance(address, Jdbc):
        url, _, table = str(address).partition("#")
        frame = f'spark.read.jdbc("{url}", "{table}")'
    else:
        return
    raise DataError(
        f"the option input.{name}: `{address}` is {address.noun}, which Spark reads itself. Hand it over: "
        f'antelog.spark.changes(program, {{"{name}": {frame}}})'
    )
