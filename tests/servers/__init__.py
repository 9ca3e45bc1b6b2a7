"""Real servers for slow tests, started from what the machine has or can download, without root."""

from __future__ import annotations

import os
import socket
from pathlib import Path


class UnavailableError(Exception):
    """A server cannot be had on this machine; the message says why."""


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def downloads() -> Path:
    """Where downloaded programs are kept from one test run to the next."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "antelog-tests")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
