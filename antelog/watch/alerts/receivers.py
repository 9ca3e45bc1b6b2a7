"""Receivers of alerts, such as `webhook:@FILE`, `slack:$NAME`, `command:PROGRAM …`, and their addresses."""

from __future__ import annotations

import json
import logging
import os
import re
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from antelog.language.checks.suggestions import did_you_mean
from antelog.lazily import brought_by
from antelog.run.door import BroughtReceiver, brought
from antelog.watch.alerts.alert import AlertError
from antelog.writing import needs_unix

WEBHOOK, SLACK, ALERTMANAGER, COMMAND = "webhook", "slack", "alertmanager", "command"
_KINDS = (WEBHOOK, SLACK, ALERTMANAGER, COMMAND)  # and those that packages bring
_OF_ALERTMANAGER = "/api/v2/alerts"  # the path of alerts, behind the address that people know
_LONGEST = 64_000  # bytes of a file that are read, at most
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*([\t\x20-\x7e]*)")


@dataclass(frozen=True)
class Receiver:
    """A receiver of alerts: its `name`, which is shown and has no secret in it, and its kind."""

    name: str
    kind: str
    place: str = ""  # the file or variable with the address, a secret, which is read for each attempt
    words: tuple[str, ...] = ()  # the command that letters are given to

    @property
    def brought(self) -> BroughtReceiver | None:
        """The kind that a package brings for it; None if it is one of ours. Raises UnsupportedError."""
        known = brought("antelog.receivers").get(self.kind)
        found: BroughtReceiver | None = None if known is None else known.load()
        return found


@dataclass(frozen=True)
class PostAddress:
    """The address and the headers of a webhook. Neither is ever shown."""

    url: str
    headers: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return "PostAddress(***)"


def receiver_of(to: str) -> Receiver:
    kind, colon, rest = to.partition(":")
    kind, rest = kind.strip(), rest.strip()
    others = brought("antelog.receivers")
    if not colon or kind not in (*_KINDS, *others):
        near = did_you_mean(kind, (*_KINDS, *others))
        raise AlertError("like-receiver" if near else "receiver", kind=kind, near=near)
    if kind == COMMAND or kind in others:
        needs_unix(f"the receiver {kind}, a process,", "give it a webhook")
    if kind == COMMAND:
        try:
            words = tuple(shlex.split(rest))
        except ValueError:
            raise AlertError("quote", text=rest) from None
        if not words:
            raise AlertError("no-command")
        return Receiver(f"{COMMAND}:{Path(words[0]).name}", COMMAND, words=words)
    if not rest.startswith(("@", "$")) or not rest.strip("@${}"):
        raise AlertError("secret", kind=kind)
    # As in `Child`, nothing of the working folder is imported.
    process = (sys.executable, "-P", "-m", "antelog.watch.alerts.receivers", kind, rest)
    return Receiver(f"{kind}:{rest}", kind, rest, process if kind in others else ())


def named_apart(receivers: list[Receiver]) -> list[Receiver]:
    """Numbers repeated receivers, so that all have distinct names."""
    counts, found = Counter[str](), []
    for each in receivers:
        counts[each.name] += 1
        number = counts[each.name]
        found.append(replace(each, name=f"{each.name} #{number}") if number > 1 else each)
    return found


def _addresses(kind: str, place: str) -> list[str]:
    """Reads the addresses of a receiver that a package brings, one on a line. Raises AlertError."""
    return _lines(place, f"{kind}:{place}", "empty-of-apprise")


def _lines(place: str, name: str, empty: str = "empty-address") -> list[str]:
    lines = [line.strip() for line in _kept(place).splitlines() if line.strip()]
    if not lines:
        raise AlertError(empty, name=name)
    return lines


def address_of(receiver: Receiver) -> PostAddress:
    """Reads the address, and the headers below it, from the file or the variable. Raises AlertError."""
    lines = _lines(receiver.place, receiver.name)
    url = lines[0]
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 0) >= 0
    except ValueError:
        fine = False
    if not fine or any(ord(each) <= ord(" ") for each in url):
        raise AlertError("no-address", name=receiver.name)
    if receiver.kind == ALERTMANAGER and not url.endswith(_OF_ALERTMANAGER):
        url = url.rstrip("/") + _OF_ALERTMANAGER
    headers = []
    for line in lines[1:]:
        match = _HEADER.fullmatch(line)
        if match is None:
            raise AlertError("no-header", name=receiver.name)
        headers.append((match[1], match[2]))
    return PostAddress(url, tuple(headers))


def checked(receiver: Receiver) -> None:
    """Raises AlertError if the receiver's address or program is missing."""
    if receiver.kind not in _KINDS:
        _addresses(receiver.kind, receiver.place)
    elif receiver.kind != COMMAND:
        address_of(receiver)
    elif shutil.which(receiver.words[0]) is None:
        raise AlertError("no-program", name=receiver.words[0])


def _kept(place: str) -> str:
    if place.startswith("$"):
        name = place.strip("${}")
        if name not in os.environ:
            near = did_you_mean(name, os.environ) or "Set it before the start."
            raise AlertError("environment", name=name, hint=near)
        return os.environ[name]
    path = Path(place[1:])
    try:
        with open(path, "rb", buffering=0, opener=_at_once) as file:
            return (file.read(_LONGEST) or b"").decode("utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text"
        raise AlertError("unreadable-address", path=path, reason=reason) from None


def _at_once(path: str, flags: int) -> int:
    """Opens a file; a pipe that nobody writes to is empty, and not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


# ---- receivers that packages bring ----
# Each letter has a process of its own, so one of Apprise's many services that hangs is ended.

# Apprise's kinds of messages by severity; others are `info`, and resolved ones `success`.
_APPRISE_KINDS = {"critical": "failure", "warning": "warning", "good": "success"}


def _through_apprise(letter: Mapping[str, Any], addresses: Sequence[str]) -> bool:
    import apprise  # noqa: PLC0415 - an extra

    services = apprise.Apprise()
    if not all(services.add(each) for each in addresses):
        sys.stderr.write("alerts: apprise does not know one of the addresses\n")
        return False
    resolved = letter["status"] == "resolved"
    sent = services.notify(
        title=f"{letter['group']}: {'resolved' if resolved else letter['severity']}",
        body="\n".join(filter(None, map(letter.get, ("text", "link", "runbook")))),
        notify_type="success" if resolved else _APPRISE_KINDS.get(letter["severity"], "info"),
        body_format=apprise.NotifyFormat.TEXT,
    )
    return bool(sent)


APPRISE = BroughtReceiver(_through_apprise, "apprise", brought_by("apprise"))


def main() -> int:
    """Sends the letter on standard input to the addresses of a kind in a file; 0 if all have accepted it."""
    logging.disable()  # messages of libraries have addresses in them
    kind, place = sys.argv[1:]
    receiver: BroughtReceiver = brought("antelog.receivers")[kind].load()
    letter: dict[str, Any] = json.loads(sys.stdin.readline())
    return 0 if receiver.send(letter, _addresses(kind, place)) else 1


if __name__ == "__main__":
    sys.exit(main())
