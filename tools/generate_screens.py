"""Writes the pictures of `inplace-explain`'s page: `python -m mlir_inplace.tools.generate_screens docs`.

A headless Chromium shows pages at the widths of a desktop and of a phone, light, dark and printed; it is told what to
do by a pipe. By default the pictures are those of the documentation, of pages of the examples; `--page=FILE` shows
another page in all ways.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import inplace_explain

__all__ = ["SCREENS", "Screen", "main"]

ROOT = Path(__file__).resolve().parent.parent

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class Screen:
    """A picture: of which width and height, in which colours."""

    name: str
    width: int
    height: int
    dark: bool = False
    media: str = "screen"


SCREENS = {
    screen.name: screen
    for screen in (
        Screen("desktop", 1000, 720),
        Screen("desktop-dark", 1000, 720, dark=True),
        Screen("phone", 390, 844),
        Screen("phone-dark", 390, 844, dark=True),
        Screen("print", 794, 1123, media="print"),
    )
}

PICTURES = (
    ("old_value", "", "desktop"),
    ("old_value", "records", "phone-dark"),
    ("mlp", "lifetimes", "desktop-dark"),
)
"""Those of the documentation: of an example, at the place with an anchor."""


class _Browser:
    """A browser that reads commands from one pipe and answers in another, each ended by a NUL."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = os.fdopen(commands, "wb"), os.fdopen(answers, "rb")
        self._number = 0
        self._session: str | None = None

    def attach(self) -> None:
        """Open an empty page, which further commands are for."""
        self._session = None
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def do(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Run a command and return its result; raises `OSError`."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        self._commands.write(json.dumps(message).encode() + b"\0")
        self._commands.flush()
        while (answer := self._read()).get("id") != self._number:
            pass  # an event
        if "error" in answer:
            raise OSError(f"the browser refuses {method}: {answer['error']['message']}")
        return answer["result"]

    def show(self, url: str) -> None:
        """Load a page, and return when it is loaded."""
        self.do("Page.navigate", url=url)
        loaded = f"location.href == {json.dumps(url)} && document.readyState == 'complete'"
        while not self.do("Runtime.evaluate", expression=loaded)["result"]["value"]:
            time.sleep(0.05)

    def _read(self) -> dict[str, Any]:
        data = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            if not byte:
                raise OSError("the browser has ended")
            data += byte
        return json.loads(data)

    def close(self) -> None:
        """End it."""
        self._commands.close()
        self._answers.close()


@contextmanager
def _browser(program: str) -> Generator[_Browser]:
    """A running browser with an empty profile."""
    read_commands, commands = os.pipe()
    answers, write_answers = os.pipe()
    # It reads descriptor 3 and writes 4, which a shell puts there.
    start = f'exec "$0" "$@" 3<&{read_commands} 4>&{write_answers}'
    with tempfile.TemporaryDirectory() as profile:
        flags = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe")
        process = subprocess.Popen(
            ["bash", "-c", start, program, *flags, f"--user-data-dir={profile}", "--no-first-run"],
            pass_fds=(read_commands, write_answers),
            stderr=subprocess.DEVNULL,
        )
        os.close(read_commands)
        os.close(write_answers)
        browser = _Browser(commands, answers)
        try:
            yield browser
        finally:
            browser.close()
            process.terminate()
            process.wait()


def _shoot(browser: _Browser, url: str, screen: Screen, *, whole: bool = False) -> bytes:
    browser.attach()
    scheme = {"name": "prefers-color-scheme", "value": "dark" if screen.dark else "light"}
    browser.do("Emulation.setEmulatedMedia", media=screen.media, features=[scheme])
    browser.do(
        "Emulation.setDeviceMetricsOverride",
        width=screen.width,
        height=screen.height,
        deviceScaleFactor=1,
        mobile=screen.width < 600,
    )
    browser.show(url)
    picture = browser.do("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
    return base64.b64decode(picture["data"])


def _write_pictures(browser: _Browser, folder: Path) -> None:
    """Write the pictures of the documentation."""
    with tempfile.TemporaryDirectory() as pages:
        for example, anchor, name in PICTURES:
            page = Path(pages) / f"{example}.html"
            source = os.path.relpath(ROOT / "examples" / f"{example}.mlir")  # The page names the file as it is given.
            inplace_explain.main([source, "-o", str(page)])
            url = page.as_uri() + (f"#{anchor}" if anchor else "")
            (folder / f"explain-{example}-{name}.png").write_bytes(_shoot(browser, url, SCREENS[name]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit code."""
    parser = argparse.ArgumentParser(prog="generate_screens", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the pictures go; it is made if need be")
    parser.add_argument("--page", type=Path, help="a page to show instead, from its top to its end, in all ways")
    settings = parser.parse_args(arguments)
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print(f"generate_screens: error: there is none of {', '.join(BROWSERS)} on the PATH", file=sys.stderr)
        return 1
    settings.folder.mkdir(parents=True, exist_ok=True)
    with _browser(program) as browser:
        if settings.page is None:
            _write_pictures(browser, settings.folder)
        else:
            for name, screen in SCREENS.items():
                picture = _shoot(browser, settings.page.resolve().as_uri(), screen, whole=True)
                (settings.folder / f"{settings.page.stem}-{name}.png").write_bytes(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
