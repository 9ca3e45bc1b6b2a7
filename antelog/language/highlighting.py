"""Programs in colours, for Pygments: in notebooks, documentation and other tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import RegexLexer, default, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, _TokenType

from antelog.language.parser import cut
from antelog.language.printer import KEYWORDS
from antelog.language.syntax import SEVERITIES


class AntelogLexer(RegexLexer):
    """The lexer of the rule language for Pygments."""

    name = "antelog"
    aliases: ClassVar = ["antelog", "alog"]
    filenames: ClassVar = ["*.alog"]
    url = ""
    tokens: ClassVar = {
        "root": [
            (r"\s+", Text),
            (r'"([^"\\\n]|\\[^\n])*"', String),
            (r"(?<!\w)(again|alert|every)(?=\s+\d)", Keyword),
            (r"(?<!\w)given(?=\s+[^\W\d_]\w*\s*\()", Keyword),
            (r"(?<!\w)(many|runbook)(?=\s+\")", Keyword),
            (rf"(?:(?<=[\w%)\"]\s)|(?<=\s\s))({'|'.join(SEVERITIES)})(?=\s+[\w\"]|\s*\.)", Keyword),
            (r"(?<!\w)(last|first|next)(?=\s+[^\W\d_]\w*\s*\()", Keyword),
            (r"(?<=[\w)\"]\s)(or(?=\s)|in(?=\s*\())", Keyword),
            (r"(?<!\w)(after|within)(?=\s+\w)", Keyword),
            (r"(?<=[\w)]\s)per(?!\w)", Keyword, "slot"),
            (r"(?<!\w)one(?=\s+per(?!\w))", Keyword, "slot"),
            (words((*sorted(KEYWORDS), "¬"), prefix=r"(?<!\w)", suffix=r"(?!\w)"), Keyword),
            (r"[^\W\d_]\w*(?=\s*\()|(?<=window\s)[^\W\d_a-z]\w*", Name.Function),
            (r"_|[^\W\d_a-z]\w*", Name.Variable),
            (r"[^\W\d_]\w*", Name.Constant),
            (r"\d+(\.\d+)?%", Number),
            (r"\d+(\.\d+)?([eE][+-]?\d+)?", Number),
            (r":-|->|←|→|[<>!]=|[<>=≤≥≠+-]", Operator),
            (r"[(),.:∧]", Punctuation),
        ],
        "slot": [
            (r"\s+", Text),
            (r"(?<!\w)(per|and|tick)(?!\w)", Keyword),
            (r"[^\W\d_a-z]\w*", Name.Variable),
            (r"[^\W\d_]\w*", Name.Constant),
            default("#pop"),
        ],
    }

    def get_tokens_unprocessed(
        self, text: str, stack: Iterable[str] = ("root",)
    ) -> Iterator[tuple[int, _TokenType, str]]:
        """Yields the tokens of a text; `cut` decides which `%` begin comments."""
        for at, kind, piece in super().get_tokens_unprocessed(cut(text).text, stack):
            given = text[at : at + len(piece)]
            if given == piece:
                yield at, kind, piece
                continue
            for part in _COMMENT.finditer(given):
                yield at + part.start(), Comment.Single if part["comment"] else kind, part[0]


_COMMENT = re.compile(r"(?P<comment>%[^\n]*)|[^%]+")


def highlighted(text: str) -> str:
    """Writes a program as HTML with classes of Pygments."""
    return str(highlight(text, AntelogLexer(), HtmlFormatter(cssclass="antelog-rules")))


def html_lines(text: str) -> list[str]:
    """Writes the lines of a program as HTML with classes of Pygments."""
    found: str = highlight(text, AntelogLexer(stripnl=False), HtmlFormatter(nowrap=True))
    return found.removesuffix("\n").split("\n")
