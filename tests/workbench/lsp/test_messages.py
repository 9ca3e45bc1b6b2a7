"""antelog/workbench/lsp/messages.py: headers that are broken, and messages that are not JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest


def message(content: dict[str, Any] | bytes) -> bytes:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


ASKED = message({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})
END = message({"jsonrpc": "2.0", "id": 2, "method": "shutdown"}) + message(
    {"jsonrpc": "2.0", "method": "exit"}
)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (b"Content-Type: text\r\n\r\n{}", "a message has no Content-Length"),
        (b"{}\r\n\r\n", "a message has no Content-Length"),
        (b"Content-Length: -5\r\n\r\n{}", "is '-5', which is not a number of bytes"),
        (b"Content-Length: many\r\n\r\n{}", "is 'many', which is not a number of bytes"),
        (b"Content-Length: 3000000000\r\n\r\n{}", "is '3000000000'; 100,000,000 bytes are the most"),
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}", "100,000,000 bytes are the most"),
        (message(b"{nope"), "Unable to handle message: JSONDecodeError: "),
        (message(b"[" * 100_000), "Unable to handle message: RecursionError: "),
        (message(b"[1]"), "Unable to handle message: AttributeError: "),
        (b"Content-Length: 0\r\n\r\n", ""),
        (b"content-length: 35\n\n" + b'{"jsonrpc": "2.0", "method": "$/a"}', ""),
        (message({"jsonrpc": "2.0"}), "Unable to deserialize message: TypeError"),
    ],
)
def test_what_is_broken_is_said_in_a_line(before: bytes, said: str) -> None:
    """Where a message ends is known only from its header: after that, the server goes on."""
    command = [sys.executable, "-m", "antelog", "lsp"]
    done = subprocess.run(command, input=before + ASKED + END, capture_output=True, check=False)
    ended = "Content-Length" in said or "the most" in said or "number of bytes" in said
    assert (done.returncode, b'"id": 1' in done.stdout or b'"id":1' in done.stdout) == (ended, not ended)
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr
