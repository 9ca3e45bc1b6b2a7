"""Programs in colours, wherever Pygments is used: notebooks, documentation, other people's tools."""

from __future__ import annotations

from typing import ClassVar

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from antelog.language.printer import KEYWORDS


class AntelogLexer(RegexLexer):
    """The rule language, told apart by the look of its words."""

    name = "antelog"
    aliases: ClassVar = ["antelog", "alog"]
    filenames: ClassVar = ["*.alog"]
    url = ""
    tokens: ClassVar = {
        "root": [
            (r"\s+", Text),
            (r"%[^\n]*", Comment.Single),
            (r'"([^"\\\n]|\\[^\n])*"', String),
            (words((*sorted(KEYWORDS), "¬"), prefix=r"(?<!\w)", suffix=r"(?!\w)"), Keyword),
            (r"[^\W\d_]\w*(?=\s*\()", Name.Function),
            (r"_|[^\W\d_a-z]\w*", Name.Variable),
            (r"[^\W\d_]\w*", Name.Constant),
            (r"\d+(\.\d+)?([eE][+-]?\d+)?", Number),
            (r":-|->|←|→|[<>!]=|[<>=≤≥≠+-]", Operator),
            (r"[(),.:∧]", Punctuation),
        ],
    }


def highlighted(text: str) -> str:
    """A program as HTML; its words have Pygments' classes."""
    return str(highlight(text, AntelogLexer(), HtmlFormatter(cssclass="antelog-rules")))
