"""Tokens: who may look, and who may post facts.

The token of the printed link is exchanged for a *session*, which the page keeps for its tab. A session is
signed with the token, so that it still counts after the page's process was restarted, and the server keeps
no list of them.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets


def session(token: str) -> str:
    """A new session for somebody who knows the token."""
    name = secrets.token_urlsafe(12)
    return f"s.{name}.{_signed(name, token)}"


def may_look(given: str, token: str) -> bool:
    """Whether this is the token, or a session made with it."""
    if same(given, token):
        return True
    kind, _, rest = given.partition(".")
    name, _, sign = rest.partition(".")
    return kind == "s" and same(sign, _signed(name, token))


def same(one: str, other: str) -> bool:
    """Compared in a time that tells nothing about how much of it is right."""
    return hmac.compare_digest(one.encode(), other.encode())


def _signed(name: str, token: str) -> str:
    return hmac.new(token.encode(), b"session " + name.encode(), hashlib.sha256).hexdigest()
