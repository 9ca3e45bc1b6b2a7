"""Sends one message through Apprise: `python -m antelog.watch.alerts.apprise_message @FILE`.

It is a process of its own, so one of Apprise's many services that hangs is ended, and holds up nobody.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

from antelog.watch.alerts.receivers import apprise_addresses

# Apprise's kinds of messages by severity; others are `info`, and resolved ones `success`.
_KINDS = {"critical": "failure", "warning": "warning", "good": "success"}


def main() -> int:
    """Returns the exit status: 0 if every service has accepted the message."""
    import apprise  # noqa: PLC0415 - an extra

    logging.disable()  # its messages have addresses in them
    letter: dict[str, Any] = json.loads(sys.stdin.readline())
    services = apprise.Apprise()
    if not all(services.add(each) for each in apprise_addresses(sys.argv[1])):
        sys.stderr.write("alerts: apprise does not know one of the addresses\n")
        return 1
    resolved = letter["status"] == "resolved"
    sent = services.notify(
        title=f"{letter['group']}: {'resolved' if resolved else letter['severity']}",
        body="\n".join(filter(None, [letter["text"], letter.get("link")])),
        notify_type="success" if resolved else _KINDS.get(letter["severity"], "info"),
        body_format=apprise.NotifyFormat.TEXT,
    )
    return 0 if sent else 1


if __name__ == "__main__":
    sys.exit(main())
