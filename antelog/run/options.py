"""Options declared as fields of a struct, from which flags, keys of TOML and keyword arguments are derived.

    lag: int = option(1, whole_number(0, "TICKS"))    options.toml says what it is for, and who has it

`options_of` lists those of a command, `keywords` and `takes` make keyword arguments of them.
"""

from __future__ import annotations

import functools
import inspect
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum, auto
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

from antelog import secrets
from antelog.files.remote import in_store
from antelog.given import FLAG, NAMED, PATH, TEXT, TEXTS, WHOLE, check, optional
from antelog.given import ArgumentKind as Kind
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.printer import listed
from antelog.run import values
from antelog.run.address import Files, Reach
from antelog.run.values import refused

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
R = TypeVar("R")
S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)
P = ParamSpec("P")
_NONE: Reach[Any] = Reach("", "read", ())


@dataclass(frozen=True)
class Runner:
    """A command or a function: its name, the addresses it reads and writes, and where its paths begin."""

    name: str
    sources: Reach[Any] = _NONE
    sinks: Reach[Any] = _NONE
    statics: Reach[Any] | None = None  # where it reads static facts, if not where it reads others
    folder: Path = Path()


@dataclass(frozen=True)
class Syntax:
    """The syntax of a value as a text, in TOML and in Python; `fills`: `read` replaces variables itself."""

    metavar: str
    read: Callable[[str, Runner], Any]
    kind: Kind = TEXT
    toml: tuple[type, ...] = (str,)
    words: tuple[str, ...] = ()
    is_path: bool = False
    separator: str = ""  # joins a list in TOML
    fills: bool = False


class Arity(Enum):
    """The arity of an option; one with names can be given several times, and an argument is not a flag."""

    ARGUMENT = auto()
    ONE = auto()
    FLAG = auto()
    MANY = auto()


@dataclass(frozen=True)
class Naming:
    """The names of an option's values, as in `--input Temp=readings.csv`; `entry` is its key in TOML."""

    example: str
    nameless: bool = False  # whether a name may be missing
    predicates: bool = False  # whether it is one of the program's predicates
    dotted: bool = False
    entry: str = ""
    within: tuple[str, ...] = ()  # tables of these options may have this one, too


@dataclass(frozen=True)
class Option:
    """One option of a struct, for the commands `on`; None: all that have it; empty: arguments only."""

    attribute: str
    name: str
    default: Any
    syntax: Syntax
    help: str
    on: tuple[str, ...] | None = None
    arity: Arity = Arity.ONE
    short: str = ""
    opposite: str = ""
    variable: str = ""
    complete: str = ""
    default_text: str = ""
    in_file: bool = True
    required: bool = False
    naming: Naming | None = None

    @property
    def flag(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    @property
    def usual(self) -> str:
        """The default as users read it; empty if there is none."""
        if self.default_text:
            return self.default_text
        plain = self.arity is Arity.ONE and isinstance(self.default, str | int | float)
        return str(self.default) if plain else ""

    def text(self, runner: Runner) -> str:
        """The help for a runner, with the addresses it can use."""
        found = self.help.replace("{sources}", runner.sources.examples)
        return found.replace("{sinks}", runner.sinks.examples)

    def read(self, text: str, runner: Runner) -> Any:
        """The value of a text; with its name, if it has one. Raises SettingError."""
        naming = self.naming
        if naming is None:
            return self.syntax.read(text, runner)
        name, _, value = (part.strip() for part in text.partition("="))
        if "=" not in text:
            name, value = "", name
        if naming.nameless and not (name.isidentifier() and value):
            return "", self.syntax.read(text, runner)
        if not name or not value or (naming.predicates and not name.isidentifier()):
            written = value if not name else ""
            example = f"{Path(written).stem.title()}={written}" if Path(written).suffix else naming.example
            raise refused("other-form", text=text, form=self.syntax.metavar, example=example)
        return name, self.named(name, value, runner)

    def named(self, name: str, value: str, runner: Runner) -> Any:
        """The value of a text with a name, which may be that of a secret. Raises SettingError."""
        found = self.syntax.read(value, runner)
        secrets.remember(name, str(found))
        return found

    def joined(self, found: Sequence[Any]) -> Any:
        """Joins the values of an option that was given several times. Raises SettingError."""
        if self.naming is None:
            return tuple(found)
        names = [name for name, _ in found]
        twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
        if twice is not None:
            raise refused("twice", name=twice or self.name)
        return dict(found)


_NAMING = {each.name for each in fields(Naming)}
_DECLARED: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def option(default: Any, syntax: Syntax, help_text: str = "", **more: Any) -> Any:
    """A field of a struct that is an option; `more` are fields of Option and Naming, if not options.toml."""
    declared = {"default": default, "syntax": syntax, **more, **({"help": help_text} if help_text else {})}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata={"option": declared})
    return field(default=default, metadata={"option": declared})


def _declared(struct: type, attribute: str, here: Mapping[str, Any]) -> Option:
    names = [f"{each.__name__}.{attribute}" for each in struct.__mro__]
    own = next((_DECLARED[each] for each in (*names, attribute) if each in _DECLARED), {})
    known = {**({} if "help" in here else own), **here}
    known = {name: tuple(each) if isinstance(each, list) else each for name, each in known.items()}
    known["help"] = known["help"].replace("{words}", ", ".join(known["syntax"].words))
    naming = {name: known.pop(name) for name in _NAMING & known.keys()}
    return Option(
        **{"attribute": attribute, "name": attribute, **known}, naming=Naming(**naming) if naming else None
    )


def options_of(struct: type, runner: str | None = None) -> tuple[Option, ...]:
    """The options of a struct, or those of them that a runner has."""
    found = (
        _declared(struct, each.name, each.metadata["option"])
        for each in fields(struct)
        if "option" in each.metadata
    )
    return tuple(each for each in found if runner is None or each.on is None or runner in each.on)


def taken(struct: Callable[..., S], given: object, **more: Any) -> S:
    """A struct with the options that it shares with another one, with `more`, and defaults for the rest."""
    known = {each.attribute for each in options_of(cast("type", struct))}
    names = [each.attribute for each in options_of(type(given)) if each.attribute in known]
    return struct(**{**{name: getattr(given, name) for name in names}, **more})


# ---- keyword arguments ----


def keywords(struct: Callable[..., S], function: str, given: Mapping[str, Any]) -> S:
    """A struct of keyword arguments. Raises TypeError, as Python does, for unknown ones."""
    known = {each.attribute: each for each in options_of(cast("type", struct))}
    called = {each.name: each.attribute for each in known.values()}
    given = {called.get(name, name): value for name, value in given.items()}
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"It has {', '.join(known)}."
            raise TypeError(f"{function}() has no option {name}. {hint}")
    check(function, given, {name: _kind(each) for name, each in known.items()})
    return struct(**given)


def _kind(declared: Option) -> Kind:
    kind = declared.syntax.kind if declared.naming is None else NAMED
    return optional(kind) if declared.default is None else kind


class OptionTaker(Protocol[P, S_co]):
    """Gives a function of two or three arguments and a struct the fields of it as keyword arguments."""

    @overload
    def __call__(self, function: Callable[[A, B, S_co], R], /) -> Callable[Concatenate[A, B, P], R]: ...

    @overload
    def __call__(self, function: Callable[[A, B, C, S_co], R], /) -> Callable[Concatenate[A, B, C, P], R]: ...


def takes(struct: Callable[P, S]) -> OptionTaker[P, S]:
    def wrap(function: Callable[..., R]) -> Callable[..., R]:
        before = list(inspect.signature(function).parameters.values())[:-1]

        @functools.wraps(function)
        def call(*args: Any, **given: Any) -> R:
            if len(args) != len(before):
                said = f"takes {len(before)} positional arguments; name the others"
                raise TypeError(f"{function.__name__}() {said}")
            return function(*args, keywords(struct, function.__name__, given))

        named = [
            inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=each.default if each.default is not MISSING else {},
                annotation=each.type,
            )
            for each in fields(cast("Any", struct))
        ]
        call.__signature__ = inspect.signature(function).replace(  # type: ignore[attr-defined]  # read by `help`
            parameters=[*before, *named]
        )
        return call

    return cast("OptionTaker[P, S]", wrap)


# ---- kinds of values ----


def whole_number(least: int, metavar: str = "N", most: int | None = None) -> Syntax:
    return plain(metavar, values.whole(least, most), kind=WHOLE, toml=(int,))


def words(what: str, *known: str) -> Syntax:
    return plain("|".join(known), values.one_of(what, known), words=known)


def several(what: str, *known: str, missing: str = "") -> Syntax:
    """Some of several words, separated by commas; `what` is their noun."""
    one = values.one_of(what, known, missing)
    read = Syntax(f"{what.upper()},…", lambda given, _: tuple(one(each.strip()) for each in given.split(",")))
    return replace(read, kind=TEXTS, separator=",", words=known)


def in_python(kind: Kind) -> Syntax:
    """A value that only Python can give."""
    return plain("", str, kind=kind)


def text(metavar: str) -> Syntax:
    return plain(metavar, str)


def plain(metavar: str, read: Callable[[str], Any], **more: Any) -> Syntax:
    """A value that a function reads from a text alone."""
    return Syntax(metavar, lambda given, _: read(given), **more)


def _file(given: str, runner: Runner) -> Path:
    path = runner.folder / given
    if path.is_dir():
        raise refused("folder", path=given)
    return path


FILE = Syntax("FILE", _file, PATH, is_path=True)


LISTS = Reach("a list of incidents", "read", (Files,))


def _listed(given: str, runner: Runner) -> Path | str:
    if not in_store(given):
        return _file(given, runner)
    LISTS.read(given)  # what is wrong with it is said as for any option
    return given


LIST = replace(FILE, read=_listed)  # of incidents, here or in an object store


def named_file(metavar: str) -> Syntax:
    return replace(FILE, metavar=metavar)


def file_of(what: str, *endings: str) -> Syntax:
    """A file with one of these endings; `what` is the noun, such as `picture`."""

    def read(given: str, runner: Runner) -> Path:
        if Path(given).suffix.lower() not in endings:
            raise refused("ending", path=given, what=what, known=listed(endings, "or"))
        return _file(given, runner)

    return replace(FILE, read=read)


SOURCE = Syntax("P=SOURCE", lambda given, at: at.sources.read(given, at.folder), is_path=True, fills=True)
STATIC = replace(SOURCE, read=lambda given, at: (at.statics or at.sources).read(given, at.folder))
SINK = Syntax("SINK", lambda given, at: at.sinks.read(given, at.folder), is_path=True, fills=True)


def flag(default: bool, help_text: str = "", **more: Any) -> Any:
    syntax = Syntax("", lambda given, _: given == "true", FLAG, (bool,))
    return option(default, syntax, help_text, arity=Arity.FLAG, **more)
