"""The budget holds: how large the product and its tests are, and no name is against a rule."""

import tomllib
from pathlib import Path, PurePosixPath

import pytest

from tests import house

ROOT = Path(__file__).resolve().parent.parent
BUDGET = tomllib.loads(Path(__file__).with_name("budget.toml").read_text(encoding="utf-8"))
DESIGN = ROOT.parent / "shared" / "design" / "budget.toml"

# Names that two packages use, and a name that says little: each has a reason to stay for now.
DEBTS = {"shared_class_names": 2, "riddles": 1}


def _read(folder: str) -> house.Sources:
    files = sorted((ROOT / folder).rglob("*.py"))
    return {PurePosixPath(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}


@pytest.fixture(scope="module")
def sources() -> house.Sources:
    return _read("antelog")


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


def test_the_house_stays_within_its_budget(sources: house.Sources) -> None:
    limits: dict[str, int] = {}
    for step, table in BUDGET.items():
        limits |= table if isinstance(table, dict) else {}
        if step == BUDGET["step"]:
            break
    found = house.size(sources, _read("tests"))
    for name, most in limits.items():
        assert getattr(found, name) <= most, f"{name} of the product, of which the budget has {most}"


def test_the_budget_is_that_of_the_design() -> None:
    if not DESIGN.is_file():
        pytest.skip("the design is not beside the project")
    design = tomllib.loads(DESIGN.read_text(encoding="utf-8"))
    assert {name: table for name, table in BUDGET.items() if name != "step"} == design


def test_names_are_not_against_a_rule(sources: house.Sources) -> None:
    for name, places in _debts(sources).items():
        assert len(places) <= DEBTS.get(name, 0), places


def test_the_checks_notice() -> None:
    path = PurePosixPath("antelog/engine/told.py")
    text = (
        '"""What is told."""\n'
        "class Told: ...\n"
        "def step(window: tuple[int, int], rest: tuple[int, ...]) -> None:\n"
        '    """Moves the state on."""\n'
        "LIMIT = 3\n"
    )
    assert house.size({path: text}, {path: "x = 1\n"}) == house.Size(lines=5, modules=1, classes=1, tests=1)
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
    others = (path.with_name("__main__.py"), nested.with_name("__main__.py"))
    assert not house.shared_module_names(dict.fromkeys(others, ""))
