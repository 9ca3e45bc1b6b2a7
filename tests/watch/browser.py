"""A real browser, driven from tests: Chromium, told what to do through two pipes."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.processes import started, until

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))),
    None,
)

CODES = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowRight": 39}
SOURCES = ("security", "javascript", "violation")

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-dev-shm-usage --hide-scrollbars "
    "--font-render-hinting=none --remote-debugging-pipe"
)


class Tab:
    """A tab of the browser. `errors` has what went wrong in its scripts, and what its policy has blocked."""

    def __init__(self, pipes: Pipes, session: str) -> None:
        self.pipes, self.session = pipes, session
        self.errors: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.tell(f"{domain}.enable")

    def tell(self, method: str, **given: Any) -> Any:
        return self.pipes.tell(method, given, self)

    def open(self, url: str) -> None:
        self.tell("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def open_page(self, url: str) -> None:
        """Opens a page of antelog, whose first view is there before its scripts have loaded one."""
        self.open(url)
        self.until("state !== null")

    def run(self, script: str) -> Any:
        found = self.tell("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise AssertionError(json.dumps(found["exceptionDetails"])[:2000])
        return found["result"].get("value")

    def until(self, script: str) -> None:

        def seen() -> bool:
            try:
                return bool(self.run(f"Boolean({script})"))
            except AssertionError:
                return False  # the page is on its way to another

        def about() -> str:
            return f"{script}\n{self.run('document.body.innerText')[:1000]}\n{self.errors}"

        until(seen, about=about)

    def size(self, width: int, height: int, *, dark: bool = False, scale: float = 1) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600}
        self.tell("Emulation.setDeviceMetricsOverride", **metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.tell("Emulation.setEmulatedMedia", features=[scheme, still])

    def key(self, key: str, *, control: bool = False) -> None:
        text, held = "\r" if key == "Enter" else key if len(key) == 1 else "", 2 * control
        code = CODES.get(key, 0)
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if kind == "keyDown" else {}
            self.tell(
                "Input.dispatchKeyEvent",
                type=kind, key=key, windowsVirtualKeyCode=code, modifiers=held, **more,
            )  # fmt: skip

    def keys_to(self, what: str) -> None:
        """Presses Tab until the focus is at what a selector says."""
        for _ in range(100):
            if self.run(f"document.activeElement.matches({what!r})"):
                return
            self.key("Tab")
        raise AssertionError(f"no key leads to {what}")

    def picture(self, path: Path | None = None, *, whole: bool = False) -> bytes:
        found = self.tell("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        data = base64.b64decode(found["data"])
        if path is not None:
            path.write_bytes(data)
        return data


class Pipes:
    """Messages to the browser and from it, each ended by a zero byte."""

    def __init__(self, to: int, back: int) -> None:
        self.to, self.back, self.number = to, back, 0
        self.rest = b""
        self.tabs: dict[str, Tab] = {}

    def tell(self, method: str, given: dict[str, Any], tab: Tab | None = None) -> Any:
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": given}
        if tab is not None:
            message["sessionId"] = tab.session
            self.tabs[tab.session] = tab
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data) :]
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self._hear(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise AssertionError("the browser has ended")
            self.rest += piece
        message, _, self.rest = self.rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def _hear(self, message: dict[str, Any]) -> None:
        tab = self.tabs.get(message.get("sessionId", ""))
        if tab is None:
            return
        given = message.get("params", {})
        if message["method"] == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            tab.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif message["method"] == "Log.entryAdded" and given["entry"]["source"] in SOURCES:
            tab.errors.append(given["entry"]["text"])


class Browser:
    def __init__(self, pipes: Pipes) -> None:
        self.pipes = pipes

    def opened(self, url: str, width: int = 1440, view: str = "list") -> Tab:
        """A tab with a view of the page whose link this is, of a person who shares nothing with others."""
        tab = self.tab(alone=True)
        tab.size(width, 900)
        tab.open_page(url.replace("/?", f"/{view}?"))
        return tab

    def tab(self, *, alone: bool = False) -> Tab:
        """A new tab; `alone`: of another person, who shares nothing with the others."""
        given: dict[str, Any] = {"url": "about:blank"}
        if alone:
            given["browserContextId"] = self.pipes.tell("Target.createBrowserContext", {})["browserContextId"]
        target = self.pipes.tell("Target.createTarget", given)["targetId"]
        session = self.pipes.tell("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        return Tab(self.pipes, session)


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser without a window; it ends, and forgets, with the block."""
    assert CHROMIUM is not None
    ours, theirs = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        shell = f'exec "$@" 3<&{ours[0]} 4>&{theirs[1]}'
        flags = [*FLAGS.split(), f"--user-data-dir={folder}"]
        running = started(
            ["bash", "-c", shell, "chromium", CHROMIUM, *flags, "about:blank"],
            pass_fds=(ours[0], theirs[1]),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        with running:
            os.close(ours[0])
            os.close(theirs[1])
            try:
                yield Browser(Pipes(ours[1], theirs[0]))
            finally:
                os.close(ours[1])
                os.close(theirs[0])
