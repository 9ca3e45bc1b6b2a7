"""The parts of the extension for VS Code that follow from the language: colours and snippets.

    python -m scripts.vscode    writes them anew; a test sees that they are current

The words come from where the language has them, so that colours and snippets cannot fall behind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from antelog.language.durations import UNITS
from antelog.language.functions import BUILT_IN, OF_ONE
from antelog.language.literals.aggregate import FUNCTIONS as AGGREGATES
from antelog.language.syntax import SEVERITIES
from antelog.language.vocabulary import Type
from antelog.workbench.lsp.completing import LITERAL_TEMPLATES, STATEMENT_TEMPLATES

EXTENSION = Path(__file__).resolve().parent.parent / "editors" / "vscode"
_WORD = r"[\p{L}][\p{L}\p{N}_]*"
_PERCENTAGE = r"\d+(?:\.\d+)?%"


def words_of_grammar() -> frozenset[str]:
    """The words that the grammar of the language has in quotes."""
    grammar = files("antelog.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    return frozenset(re.findall(r'"([a-z]+)"', grammar))


def _any(words: Iterable[str]) -> str:
    return rf"\b(?:{'|'.join(sorted(words, key=lambda word: (-len(word), word)))})\b"


def _match(scope: str, pattern: str) -> dict[str, Any]:
    return {"name": f"{scope}.antelog", "match": pattern}


def _region(words: str, before: str) -> dict[str, Any]:
    """Statements with one of some first words; a number with `%` behind these signs is a percentage."""
    return {
        "begin": rf"^\s*({words})(?=\s+[\p{{L}}])",
        "beginCaptures": {"1": {"name": "keyword.control.antelog"}},
        "end": r"(?<!\.)\.(?![.\d])",
        "endCaptures": {"0": {"name": "punctuation.terminator.antelog"}},
        "patterns": [_match("constant.numeric.percentage", before + _PERCENTAGE), {"include": "#words"}],
    }


def grammar() -> dict[str, Any]:
    """The colours of the language, as a TextMate grammar."""
    keywords = words_of_grammar() | {"last", "first", "next", "distinct"}
    calls = {*OF_ONE, *BUILT_IN, *AGGREGATES}
    return {
        "name": "antelog",
        "scopeName": "source.antelog",
        "fileTypes": ["alog"],
        "patterns": [
            _region("chance", r"(?<==|=\s|again\s)"),
            _region("delay|input", r"(?<=[(,]|[(,]\s)"),
            _region("query", r"(?<=alert\s)"),
            {"include": "#words"},
        ],
        "repository": {
            "words": {
                "patterns": [
                    _match("comment.line.percentage", "%.*$"),
                    {
                        "name": "string.quoted.double.antelog",
                        "begin": '"',
                        "end": r'"|$',
                        "patterns": [
                            _match("constant.character.escape", r"\\."),
                            _match("variable.other.placeholder", r"(?<!\{)\{" + _WORD + r"\}"),
                        ],
                    },
                    _match("keyword.operator", r"(?<=[\w)\"]\s)(or(?=\s)|in(?=\s*\())"),
                    _match("support.function", _any(calls) + r"(?=\s*\()"),
                    _match("entity.name.function", rf"{_WORD}(?=\s*\()(?<!\bnot)|(?<=\bwindow\s){_WORD}"),
                    _match("keyword.control", _any(keywords)),
                    _match("constant.language.severity", rf"(?<=[\w)%\"]\s){_any(SEVERITIES)}(?=\s|\.)"),
                    _match("support.type", rf"(?<=:\s|:|->\s){_any(each.value for each in Type)}"),
                    _match("support.constant.unit", rf"(?<=[\w]\s|\d){_any(UNITS)}"),
                    _match("variable.language.anonymous", r"(?<![\p{L}\p{N}_])_(?![\p{L}\p{N}_])"),
                    _match("variable.parameter", r"\b\p{Lu}[\p{L}\p{N}_]*"),
                    _match("constant.numeric", r"\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"),
                    _match("keyword.operator", r":-|->|←|→|∧|¬|\.\.|[<>!]=|[<>=≤≥≠+*/-]"),
                    _match("punctuation.separator", "[,:]"),
                    _match("punctuation.terminator", r"\."),
                    _match("constant.other", rf"\b{_WORD}"),
                ]
            }
        },
    }


def snippets() -> dict[str, Any]:
    """The templates of statements and literals, as snippets."""
    every = {**STATEMENT_TEMPLATES, **LITERAL_TEMPLATES}
    return {word: {"prefix": word, "body": template} for word, template in every.items()}


def texts() -> dict[Path, str]:
    """The files and what belongs into them."""
    content = {
        EXTENSION / "syntaxes" / "antelog.tmLanguage.json": grammar(),
        EXTENSION / "snippets" / "antelog.json": snippets(),
    }
    return {path: json.dumps(each, indent=2, ensure_ascii=False) + "\n" for path, each in content.items()}


def main() -> None:
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
