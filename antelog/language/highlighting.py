"""Programs in colours, wherever Pygments is used: notebooks, documentation, other people's tools."""

from __future__ import annotations

from typing import ClassVar

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import RegexLexer, default, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from antelog.language.printer import KEYWORDS


class AntelogLexer(RegexLexer):
    """The rule language, its kinds of words recognized by how they look."""

    name = "antelog"
    aliases: ClassVar = ["antelog", "alog"]
    filenames: ClassVar = ["*.alog"]
    url = ""
    tokens: ClassVar = {
        "root": [
            (r"\s+", Text),
            (r"%[^\n]*", Comment.Single),
            (r'"([^"\\\n]|\\[^\n])*"', String),
            (r"(?<!\w)one(?=\s+per(?!\w))", Keyword, "slot"),
            (words((*sorted(KEYWORDS), "¬"), prefix=r"(?<!\w)", suffix=r"(?!\w)"), Keyword),
            (r"[^\W\d_]\w*(?=\s*\()", Name.Function),
            (r"_|[^\W\d_a-z]\w*", Name.Variable),
            (r"[^\W\d_]\w*", Name.Constant),
            (r"\d+(\.\d+)?([eE][+-]?\d+)?", Number),
            (r":-|->|←|→|[<>!]=|[<>=≤≥≠+-]", Operator),
            (r"[(),.:∧]", Punctuation),
        ],
        "slot": [
            (r"\s+", Text),
            (r"(?<!\w)(per|and|tick)(?!\w)", Keyword),
            (r"[^\W\d_]\w*", Name.Constant),
            default("#pop"),
        ],
    }


def highlighted(text: str) -> str:
    """A program as HTML; its words have Pygments' classes."""
    return str(highlight(text, AntelogLexer(), HtmlFormatter(cssclass="antelog-rules")))
