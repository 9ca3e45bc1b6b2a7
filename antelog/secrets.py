"""Secrets such as passwords, known by the names of their settings, and masked in everything shown.

jdbc:postgresql://db/plant?user=me&password=hunter2    becomes …?user=me&password=***
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

_NAMES = (
    r"passw(?:or)?d|passphrase|pwd|secret|token|credential|jaas|"
    r"(?:access|account|api|auth|private|keystore)[-._]?key"
)
NAMES = rf"(?i)(?:{_NAMES})"  # a pattern, for Python and Java, in the names of secrets

_HIDDEN = "***"
_SHORTEST = 4  # a shorter secret is part of too many words to be hidden everywhere

# Behind a name of a secret, whatever stands up to the next setting, but for a reference to a variable.
_REFERENCE = r"(?!\$\{\w+\}(?:[&;#@\s\"'`]|$))"
# A whole word, taken once: tried from each of its characters on, a long one would take minutes.
_NAMED = rf"(?<![\w.-])(?=[\w.-]*?(?:{_NAMES}))(?:[\w.]|-(?!>))++"
_SECRET = re.compile(
    rf"(?i)(?:{_NAMED}[\"']?\s*(?:=|->)\s*|[\"']{_NAMED}[\"']\s*:\s*)"
    rf"(?:\"(?P<double>(?:[^\"\\]|\\.)+)\"|'(?P<single>[^']+)'|{_REFERENCE}(?P<bare>[^\s&;#\"'`]+))"
    rf"|//[^/\s:@?#]*:{_REFERENCE}(?P<user>[^/\s@?#]+)@"
    rf"|jdbc:oracle:\w+:[^/\s@:]+/{_REFERENCE}(?P<oracle>[^\s@]+)@"
)

_known: set[str] = set()


def is_secret(name: str) -> bool:
    return re.search(NAMES, name) is not None


def remember(name: str, value: str) -> None:
    """Remembers the value of a secret setting, and the secrets within others, so that none is shown."""
    found = [match[match.lastgroup] for match in _SECRET.finditer(value) if match.lastgroup]
    found += [value] if is_secret(name) else []
    _known.update(form for each in found for form in (each, quote(each, safe="")) if len(each) >= _SHORTEST)


def forget() -> None:
    _known.clear()


def redacted(text: str) -> str:
    """A text without its secrets."""
    for each in sorted(_known, key=len, reverse=True):
        text = text.replace(each, _HIDDEN)
    return _masked(text, lambda _: _HIDDEN)


def blanked(text: str) -> str:
    """A text with an asterisk for each character of a secret, so that everything else keeps its position."""
    return _masked(text, lambda secret: "*" * len(secret))


def shows_secret(text: str) -> bool:
    """Whether a text has a secret itself, and not just a reference to a variable."""
    return _SECRET.search(text) is not None


def _masked(text: str, mask: Callable[[str], str]) -> str:
    def replaced(match: re.Match[str]) -> str:
        assert match.lastgroup is not None
        start, end = (place - match.start() for place in match.span(match.lastgroup))
        return match[0][:start] + mask(match[0][start:end]) + match[0][end:]

    return _SECRET.sub(replaced, text)
