"""The budget of ideas holds: sizes of packages, and how many names and docstrings are against a rule."""

import tomllib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import pytest

from tests import house

ROOT = Path(__file__).resolve().parent.parent
LIMITS = Path(__file__).with_name("house.toml")


@pytest.fixture(scope="module")
def sources() -> house.Sources:
    files = sorted((ROOT / "antelog").rglob("*.py"))
    return {PurePosixPath(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}


def _written(found: Mapping[str, house.Ideas], debts: Mapping[str, int]) -> str:
    lines = [
        "# The most modules, classes and public names that each package may have. `make record` writes it.\n"
    ]
    for unit, size in found.items():
        lines.append(
            f"{unit} = {{modules = {size.modules}, classes = {size.classes}, names = {size.names}}}\n"
        )
    lines += ["\n# Places that are still against a rule. These numbers fall to nothing.\n[debts]\n"]
    return "".join([*lines, *(f"{name} = {count}\n" for name, count in debts.items())])


def _debts(sources: house.Sources) -> dict[str, list[str]]:
    checks = (house.tuple_parameters, house.riddles, house.turned_round)
    return {
        "shared_class_names": [*house.shared_class_names(sources)],
        "shared_module_names": [*house.shared_module_names(sources)],
        **{
            check.__name__: [found for path, source in sources.items() for found in check(source, path)]
            for check in checks
        },
    }


def test_the_house_stays_within_its_budget(sources: house.Sources, record: bool) -> None:
    found, debts = house.ideas(sources), _debts(sources)
    if record:
        counts = {name: len(places) for name, places in debts.items()}
        LIMITS.write_text(_written(found, counts), encoding="utf-8")
    limits = tomllib.loads(LIMITS.read_text(encoding="utf-8"))
    for name, most in limits.pop("debts").items():
        assert len(debts[name]) <= most, debts[name]
    assert found.keys() == limits.keys()
    for unit, size in found.items():
        limit = house.Ideas(**limits[unit])
        assert size.modules <= limit.modules, unit
        assert size.classes <= limit.classes, unit
        assert size.names <= limit.names, unit


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
    node, counterpart = PurePosixPath("antelog/language/told.py"), PurePosixPath("antelog/compile/told.py")
    assert house.shared_class_names({node: text, counterpart: text}) == {}
    assert "Told" in house.shared_class_names({node: text, counterpart: text, other: text})
    nested = PurePosixPath("antelog/engine/step/told.py")
    assert house.shared_module_names({path: text, nested: text}) == {"told": [str(path), str(nested)]}
    assert not house.shared_module_names(
        dict.fromkeys((path.with_name("__main__.py"), nested.with_name("__main__.py")), "")
    )
