"""Which tests `make test` leaves to `make long`: those that cost too many of the CPU seconds in `times.json`.

- The cases of one function take `FUNCTION` seconds together: the first that fit; the others are `long`.
- A property is never `long`: it is drawn as many examples as take `PROPERTY` seconds, and at least `FEWEST`.
- `selection.toml` names the exceptions, each with its reason.

`make times` runs all that is not `long` by hand or by name, and writes `times.json` anew.
"""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

FUNCTION, PROPERTY, SLOW = 4.0, 1.5, 0.5
FEWEST = 3
_RECORDED = 0.3

_TIMES = Path(__file__).with_name("times.json")
_EXCEPTIONS = Path(__file__).with_name("selection.toml")
_SETTINGS = "_hypothesis_internal_use_settings"  # what `@settings` sets, too

Times = Mapping[str, Mapping[str, float]]
"""CPU seconds by file and test; those below `_RECORDED` are left out."""


def times() -> Times:
    """The recorded CPU seconds."""
    found: Times = json.loads(_TIMES.read_text(encoding="utf-8"))
    return found


def exceptions() -> Mapping[str, Mapping[str, str]]:
    """How names of `long` tests begin, and of `essential` ones, each with its reason."""
    return tomllib.loads(_EXCEPTIONS.read_text(encoding="utf-8"))


def mark_exceptions(items: Iterable[pytest.Item]) -> None:
    """Marks tests as `long` that are so whatever they cost."""
    long = tuple(exceptions()["long"])
    for item in items:
        if item.nodeid.startswith(long):
            item.add_marker(pytest.mark.long)


def mark(items: Sequence[pytest.Item], *, fewer: bool) -> None:
    """Marks tests as `slow` and `long`; with `fewer`, costly properties are drawn fewer examples."""
    mark_exceptions(items)
    seconds, essential = times(), tuple(exceptions()["essential"])
    left: dict[str, float] = defaultdict(lambda: FUNCTION)
    for item in items:
        path, _, name = item.nodeid.partition("::")
        cost = seconds.get(path, {}).get(name, 0.0)
        function = f"{path}::{name.partition('[')[0]}"
        if cost > SLOW:
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("long"):
            continue
        if cost > PROPERTY and (drawn := getattr(getattr(item, "obj", None), _SETTINGS, None)):
            if fewer:
                most = max(FEWEST, int(drawn.max_examples * PROPERTY / cost))
                setattr(item.obj, _SETTINGS, settings(drawn, max_examples=most))  # type: ignore[attr-defined]
        elif item.nodeid.startswith(essential):
            continue
        elif cost > left[function]:
            item.add_marker(pytest.mark.long)
        else:
            left[function] -= cost


class Recorder:
    """Writes down the CPU seconds of each test, with its processes and the fixtures of its module."""

    def __init__(self) -> None:
        self._used: dict[pytest.Item, float] = defaultdict(float)
        self._fixtures: dict[object, float] = {}
        self._setting_up = 0.0
        self._seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._setting_up = 0.0
        begun = _cpu()
        try:
            return (yield)
        finally:
            self._used[item] += _cpu() - begun - self._setting_up

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        begun = _cpu()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                self._setting_up += (took := _cpu() - begun)
                self._fixtures[fixturedef] = 0.0 if fixturedef.scope == "session" else took

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        begun = _cpu()
        try:
            return (yield)
        finally:
            self._used[item] += _cpu() - begun

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        begun = _cpu()
        try:
            return (yield)
        finally:
            fixtures = (
                item._fixtureinfo.name2fixturedefs.values() if isinstance(item, pytest.Function) else ()
            )
            shared = sum(self._fixtures.get(each, 0.0) for found in fixtures for each in found)
            used = self._used.pop(item, 0.0) + _cpu() - begun + shared
            item.user_properties.append(("cpu", used))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            self._seconds[report.nodeid] = float(dict(report.user_properties)["cpu"])  # type: ignore[arg-type]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workerinput"):
            return
        root = session.config.rootpath
        found = {path: dict(each) for path, each in times().items() if (root / path).is_file()}
        for node, used in self._seconds.items():
            path, _, name = node.partition("::")
            found.setdefault(path, {}).pop(name, None)
            if used >= _RECORDED:
                found[path][name] = round(used, 1)
        write({path: each for path, each in found.items() if each})


def write(seconds: Times) -> None:
    """Writes the seconds down, by the names of files and tests."""
    text = json.dumps(seconds, indent=0, sort_keys=True, ensure_ascii=False)
    _TIMES.write_text(text + "\n", encoding="utf-8")


def _cpu() -> float:
    """The CPU seconds of this process and of all that it has started."""
    this = psutil.Process()
    total = 0.0
    for process in (this, *this.children(recursive=True)):
        try:
            used = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += used.user + used.system + used.children_user + used.children_system
    return total


class OneSpark(LoadScopeScheduling):  # type: ignore[misc] # xdist has no types
    """Gives each file of tests to one worker, and all that share the session of Spark to the same."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return "spark" if path.startswith("tests/spark/") else path
