"""`${NAME}` in a setting: the variable NAME of the environment, so that no password need be written down."""

from __future__ import annotations

import os
import re

from antelog.cli.arguments.setting_error import SettingError
from antelog.language.checks.suggestions import did_you_mean


def filled(text: str) -> str:
    """A text with the variables' values in place of their names. Raises SettingError if there is none."""
    return re.sub(r"\$\{(\w+)\}", _variable, text)


def _variable(match: re.Match[str]) -> str:
    if match[1] not in os.environ:
        near = did_you_mean(match[1], os.environ)
        raise SettingError(f"the environment has no variable {match[1]}", near or "Set it before the start.")
    return os.environ[match[1]]
