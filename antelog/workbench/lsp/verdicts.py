"""The verdict of a program's own tests: `antelog test` in a process of its own, on files as they are saved.

Tests that could run functions in Python are left to the user: those of a program that declares some, and
those that name functions or another program.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import yaml

from antelog.workbench.lsp.mentions import statements_of
from antelog.workbench.lsp.processes import printed_by
from antelog.workbench.lsp.session import Snapshot

_LEFT = frozenset({"functions", "program"})


@dataclass(frozen=True)
class RuleVerdict:
    """The number of tests that pass, of how many, and what is printed about them."""

    passed: int
    count: int
    text: str

    @property
    def title(self) -> str:
        """The verdict in a line."""
        sign = "✓" if self.passed == self.count else "✗"
        return f"{sign} {self.passed} of {self.count} test{'s' * (self.count != 1)} pass"


def runnable_tests(root: str) -> Path | None:
    """The file with the tests of a program, if it is there and can run without functions in Python."""
    path = Path(root).with_suffix(".test.yaml")
    if not path.is_file() or _may_run_functions(path):
        return None
    on_disk = Snapshot({})
    calls = any(each.first == "function" for file in on_disk.files(root) for each in statements_of(file.text))
    return None if calls else path


def _may_run_functions(tests: Path) -> bool:
    try:
        found = yaml.compose(tests.read_text(encoding="utf-8-sig"), Loader=yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return True
    if not isinstance(found, yaml.MappingNode):
        return True
    return any(getattr(key, "value", "functions") in _LEFT for key, _ in found.value)


async def verdict_of(tests: Path) -> RuleVerdict | None:
    """The verdict of the tests in a file; None if they cannot be run."""
    with tempfile.TemporaryDirectory(prefix="antelog-") as folder:
        report = Path(folder, "report.xml")
        words = ("test", str(tests.resolve()), "--no-coverage", "--junit", str(report))
        text = await printed_by(words, Path(folder))
        try:
            root = ElementTree.fromstring(report.read_bytes())
        except (OSError, ElementTree.ParseError):
            return None
    count, failed, wrong = (int(root.get(name, "0")) for name in ("tests", "failures", "errors"))
    return RuleVerdict(count - failed - wrong, count, text)
