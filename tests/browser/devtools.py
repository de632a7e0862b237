"""A browser under remote control: Chromium's DevTools protocol over a pair of pipes.

Real keys, a phone's screen, dark colours, printing, and every message and request of a page.
"""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from browser.chromium import BROWSER, QUIET

KEYS = {"Tab": (9, ""), "Enter": (13, "\r"), " ": (32, " "), "ArrowDown": (40, "")}
PATIENCE = 60.0


class Tab:
    """One page; `events` keeps everything that the browser said about it."""

    def __init__(self, reader: int, writer: int) -> None:
        self.events: list[dict[str, Any]] = []
        self._reader, self._writer = reader, writer
        self._count, self._buffer = 0, b""
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._writer, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return dict(answer["result"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            part = os.read(self._reader, 1 << 20)
            assert part, "the browser has gone"
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = dict(json.loads(text))
        if "method" in message:
            self.events.append(message)
        return message

    def open(self, page: Path, width: int = 1300, dark: bool = False) -> None:
        """Load a page and wait until it is drawn."""
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=page.as_uri())
        until = time.monotonic() + PATIENCE
        while not self.run("document.readyState === 'complete'"):
            assert time.monotonic() < until, "the page does not load"
            time.sleep(0.05)
        self.run("new Promise((done) => setTimeout(done, 250))")

    def run(self, expression: str) -> Any:
        """The value of an expression in the page, awaited; its content security policy holds."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Press and release a key."""
        code, text = KEYS[key]
        common = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def complaints(self) -> list[str]:
        """Exceptions, console messages and log entries since the page was opened."""
        loud = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(event["params"]) for event in self.events if event["method"] in loud]

    def requests(self) -> list[str]:
        """The addresses that the page asked for."""
        asked = [e["params"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [one["request"]["url"] for one in asked]


@contextmanager
def chromium(profile: Path) -> Iterator[Tab]:
    """A running browser with one empty tab."""
    assert BROWSER is not None, "no Chromium here"
    to_browser, commands = os.pipe()
    answers, from_browser = os.pipe()
    flags = [*QUIET, "--remote-debugging-pipe", f"--user-data-dir={profile}"]
    script = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
    process = subprocess.Popen(
        ["bash", "-c", script, "bash", BROWSER, *flags],
        pass_fds=(to_browser, from_browser),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_browser)
    os.close(from_browser)
    try:
        yield Tab(answers, commands)
    finally:
        with suppress(OSError):
            os.write(commands, b'{"id":0,"method":"Browser.close"}\0')
        os.close(commands)
        process.wait(timeout=30)
        os.close(answers)
