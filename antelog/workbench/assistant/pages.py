"""The pages of documentation that an assistant reads, whole or by their sections; and the words of tools."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from antelog.language.checks.suggestions import did_you_mean

WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("tools.toml").read_text("utf-8"))

LOOKED_UP = ("language.md", "idioms.md", "diagnostics.md", "testing.md")  # for topics, in this order
_MOST = 20_000  # characters of the sections about a topic


def page(file: str) -> str:
    carried = Path(str(files("antelog"))) / "pages"  # a wheel has them there; see pyproject.toml
    folder = carried if carried.is_dir() else Path(str(files("antelog"))).parent / "docs"
    return (folder / file).read_text("utf-8")


def explained(topic: str) -> str:
    """The sections about a topic: a code such as E201, or words. Raises ToolError if there are none."""
    parts = [part for file in LOOKED_UP for part in re.split(r"(?m)^(?=##+ )", page(file))[1:]]
    sections = {part.partition("\n")[0].lstrip("# "): part.rstrip() for part in parts}
    asked = " ".join(topic.split()).lower()
    found = [heading for heading in sections if asked in heading.lower()]
    found += [heading for heading, text in sections.items() if asked in text.lower() and heading not in found]
    if not found:
        hint = did_you_mean(topic, sections) or f"Ask for one of these: {', '.join(sections)}."
        raise ToolError(f"no page speaks of {topic}. {hint}")
    text = sections[found.pop(0)]
    while found and len(text) + len(sections[found[0]]) < _MOST:
        text += f"\n\n{sections[found.pop(0)]}"
    more = f"\n\n(More about it, to be asked for by these headings: {', '.join(found)}.)" if found else ""
    return f"{text}{more}\n"
