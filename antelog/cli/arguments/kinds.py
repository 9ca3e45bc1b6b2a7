"""Which kinds of changes are asked for: `possible,confirmed`."""

from __future__ import annotations

from antelog.cli.arguments.setting_error import SettingError
from antelog.forecast.kinds import KINDS
from antelog.language.checks.suggestions import did_you_mean


def kinds(text: str) -> tuple[str, ...]:
    """Kinds of changes, with commas between them."""
    found = tuple(kind.strip() for kind in text.split(","))
    for kind in found:
        if kind not in KINDS:
            hint = did_you_mean(kind, KINDS) or f"The kinds are {', '.join(KINDS)}."
            raise SettingError(f"there are no changes of the kind `{kind}`", hint)
    return found
