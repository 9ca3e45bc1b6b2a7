"""The code blocks of the pages of documentation."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK = re.compile(r"^```(?P<tag>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: the language it is tagged with, and the code it is expected to show, if any."""

    page: str
    line: int
    language: str
    code: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def file(self) -> str | None:
        """The file the page says this is: its first line is a comment with the name."""
        match = re.match(r"[%#] (\S+\.(?:alog|toml))\n", self.text)
        return match[1] if match else None


def blocks(text: str, page: str) -> list[Block]:
    found = []
    for match in _BLOCK.finditer(text):
        language, _, rest = match["tag"].strip().partition(" ")
        code = rest.partition("=")[2] or None
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(page, line, language, code, match["text"]))
    return found


def all_blocks() -> list[Block]:
    return [b for page in PAGES for b in blocks(page.read_text(encoding="utf-8"), page.name)]


def commands(block: Block) -> list[list[str]]:
    """The commands of a block of shell, as lists of words."""
    lines = block.text.replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.strip()]
