"""The code blocks of the pages of documentation."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(ROOT.glob("examples/*/README.md")),
)
_BLOCK = re.compile(r"^```(?P<tag>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: the language it is tagged with, and the code it is expected to show, if any."""

    page: str
    line: int
    language: str
    code: str | None
    text: str
    title: str | None = None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def file(self) -> str | None:
        """The file the page says this is: its title, or its first line is a comment with the name."""
        match = re.match(r"[%#] (\S+\.(?:alog|toml))\n", self.text)
        return match[1] if match else self.title


def blocks(text: str, page: str) -> list[Block]:
    found = []
    for match in _BLOCK.finditer(text):
        language, _, rest = match["tag"].strip().partition(" ")
        attributes = dict(re.findall(r'(\w+)="?([^"\s]*)"?', rest))
        code = attributes.get("error") or attributes.get("warning")
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(page, line, language, code, match["text"], attributes.get("title")))
    return found


@cache
def all_blocks() -> list[Block]:
    return [block for page in PAGES for block in blocks_of(page)]


def blocks_of(page: Path) -> list[Block]:
    return blocks(page.read_text(encoding="utf-8"), name_of(page))


def name_of(page: Path) -> str:
    """What tests call a page: its path within the documentation."""
    return page.relative_to(ROOT / "docs" if "docs" in page.parts else ROOT).as_posix()


def whole(block: Block) -> str:
    """The text of a program, behind those lines of a page's `facts.alog` that it uses."""
    shared = next((b.text for b in all_blocks() if (b.page, b.file) == (block.page, "facts.alog")), "")
    names = [(line, re.search(r"(\w+)\(", line)) for line in shared.splitlines(keepends=True)]
    used = [line for line, name in names if name is None or f"{name[1]}(" in block.text]
    return "".join(used) + block.text


def commands(block: Block) -> list[list[str]]:
    """The commands of a block of shell, as lists of words."""
    lines = block.text.replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.strip()]
