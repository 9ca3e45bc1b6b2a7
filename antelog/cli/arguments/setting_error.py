"""What is wrong with the value of a setting."""

from __future__ import annotations

from antelog.secrets import redacted


class SettingError(ValueError):
    """A setting's value cannot be used: why not, and what to write instead; without the secrets in it."""

    def __init__(self, message: str, hint: str) -> None:
        self.message, self.hint = redacted(message), redacted(hint)
        super().__init__(f"{self.message}. {self.hint}")
