"""What texts say once PyPI has antelog: `pip install 'antelog[watch]'`, in place of a copy of the project.

    python -m scripts.release published    rewrites the README, the pages, the editor and one constant

Until then they say what works today. A test sees that all of them are found, and that they agree.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTANT = Path("antelog/lazily.py")
_PLACES = ("README.md", "docs/**/*.md", "docs/**/*.ipynb", "examples/**/*.md", "editors/vscode/*.md")
# Sentences, then what is left of the words in them; each pattern takes line ends for spaces.
_NO_REGISTRY = r"no package registry has antelog yet"
REWRITTEN = {
    r"^PUBLISHED = False\b": "PUBLISHED = True",
    rf" here; {_NO_REGISTRY}": "",
    rf"Say this in a copy of the project, for {_NO_REGISTRY}\. Or say (`make setup`): it ": (
        r"In a copy of the project \1 "
    ),
    r"Without `make`, say (`pip install '\.\[[\w,]+\]'`) in the copy, or `pip install \.`": (
        r"Without a copy, say \1, or `pip install antelog`"
    ),
    rf" It has to be a copy, because {_NO_REGISTRY}\.": "",
    r"In a copy of the project, with (Python [^:\n]+:\s+```\s+pip install '\.\[)": r"With \1",
    r"In a copy of the project:(\s+```sh\s+pip install '\.\[)": r"It comes with:\1",
    r"In a copy of the project (`pip install '\.\[)": r"\1",
    r"('\.\[[\w,]+\]'`?),(?: said)? in a copy of the project,": r"\1",
    r"('\.\[[\w,]+\]'`?),?(?: said)? in a copy of the project(?: of antelog)?": r"\1",
    r"'\.\[([\w,]+)\]'": r"'antelog[\1]'",
}
_PATTERNS = [(re.compile(each.replace(" ", r"\s+"), re.MULTILINE), new) for each, new in REWRITTEN.items()]
# What is only said before: it is in no text any more.
_BEFORE = re.compile(
    r"'\.\[|no\s+package\s+registry|^PUBLISHED = False"
    r"|copy\s+of\s+the\s+project[^.\n]{0,40}pip\s+install\s+'antelog"
    r"|pip\s+install\s+'antelog\[(?:[^.\n]|\n(?!\n)){0,40}copy\s+of\s+the\s+project",
    re.MULTILINE,
)


def texts(root: Path | None = None) -> dict[Path, str]:
    """The texts that say how antelog is installed, by their paths from the root."""
    root = root or ROOT
    found = [
        path for place in _PLACES for path in sorted(root.glob(place)) if "node_modules" not in path.parts
    ]
    found += [root / CONSTANT, root / "editors/vscode/src/extension.ts"]
    return {path.relative_to(root): path.read_text("utf-8") for path in found}


def published(text: str) -> str:
    """A text as it reads once PyPI has antelog."""
    for pattern, new in _PATTERNS:
        text = pattern.sub(new, text)
    return text


def left_over(found: dict[Path, str]) -> list[str]:
    """The places that speak as long as no registry has antelog, as `docs/watch.md:38`."""
    return [
        f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for path, text in found.items()
        for match in _BEFORE.finditer(text)
    ]


def unused(found: dict[Path, str]) -> list[str]:
    """The patterns that change none of the texts."""
    left = dict(found)
    idle = []
    for name, (pattern, new) in zip(REWRITTEN, _PATTERNS, strict=True):
        after = {path: pattern.sub(new, text) for path, text in left.items()}
        idle += [name] if after == left else []
        left = after
    return idle


def rewrite() -> list[Path]:
    """Rewrites all texts, and returns those that are others now."""
    changed = {path: new for path, text in texts().items() if (new := published(text)) != text}
    for path, text in changed.items():
        (ROOT / path).write_text(text, "utf-8")
    return list(changed)
