"""The budget of ideas holds: sizes of packages, one meaning for each name, plain names and docstrings."""

import tomllib
from pathlib import Path, PurePosixPath

import pytest

from tests import house

ROOT = Path(__file__).resolve().parent.parent
LIMITS = Path(__file__).with_name("house.toml")

# Names that a node of the syntax shares with its counterpart in the plan.
NODES = frozenset(["Atom", "Chance", "Comparison", "Input", "Negation", "Query", "Static", "Tick"])


@pytest.fixture(scope="module")
def sources() -> house.Sources:
    files = sorted((ROOT / "antelog").rglob("*.py"))
    return {PurePosixPath(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}


def _written(found: dict[str, house.Ideas]) -> str:
    lines = [
        "# The most modules, classes and public names that each package may have. `make record` writes it.\n"
    ]
    for unit, size in found.items():
        lines.append(
            f"{unit} = {{modules = {size.modules}, classes = {size.classes}, names = {size.names}}}\n"
        )
    return "".join(lines)


def test_ideas_stay_within_their_budget(sources: house.Sources, record: bool) -> None:
    found = house.ideas(sources)
    if record:
        LIMITS.write_text(_written(found), encoding="utf-8")
    limits = {unit: house.Ideas(**sizes) for unit, sizes in tomllib.loads(LIMITS.read_text("utf-8")).items()}
    assert found.keys() == limits.keys()
    for unit, size in found.items():
        limit = limits[unit]
        assert size.modules <= limit.modules, unit
        assert size.classes <= limit.classes, unit
        assert size.names <= limit.names, unit


def test_a_class_name_means_one_thing(sources: house.Sources) -> None:
    shared = house.shared_class_names(sources)
    assert {name: paths for name, paths in shared.items() if name not in NODES or len(paths) > 2} == {}


def test_a_module_name_means_one_thing_in_a_package(sources: house.Sources) -> None:
    assert house.shared_module_names(sources) == {}


@pytest.mark.parametrize("check", [house.tuple_parameters, house.riddles, house.turned_round])
def test_names_and_docstrings_are_plain(check: house.Check, sources: house.Sources) -> None:
    assert [found for path, source in sources.items() for found in check(source, path)] == []


def test_the_checks_notice() -> None:
    path = PurePosixPath("antelog/engine/told.py")
    text = (
        '"""What is told."""\n'
        "class Told: ...\n"
        "def step(window: tuple[int, int], rest: tuple[int, ...]) -> None:\n"
        '    """Moves the state on."""\n'
        "LIMIT = 3\n"
    )
    assert house.ideas({path: text}) == {"engine": house.Ideas(modules=1, classes=1, names=3)}
    assert house.tuple_parameters(text, path) == [
        "antelog/engine/told.py:3: window of step is a tuple[int, int]"
    ]
    assert house.riddles(text, path) == ["antelog/engine/told.py:1: told", "antelog/engine/told.py:2: Told"]
    assert house.turned_round(text, path) == ["antelog/engine/told.py:1: What is told."]
    other = PurePosixPath("antelog/forecast/told.py")
    assert house.shared_class_names({path: text, other: text}) == {"Told": [str(path), str(other)]}
    nested = PurePosixPath("antelog/engine/step/told.py")
    assert house.shared_module_names({path: text, nested: text}) == {"told": [str(path), str(nested)]}
