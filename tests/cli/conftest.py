"""What the tests of the command line share: the program as users meet it, as a process and on a terminal."""

from __future__ import annotations

import os
import pty
import struct
import subprocess
import sys
import termios
from fcntl import ioctl
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

OWN_FORMATS = """\
family = "mine"
title = "Mine"
evidence = "card"
sources = ["a note"]

[[formats]]
id = "mine.side"
kind = "choice"
about = "The better side."
markers = ["<{}>"]
labels = { left = ["left"], right = ["right"] }

[[formats]]
id = "mine.grade"
kind = "score"
about = "A grade."
low = 1
high = 6
"""
# Takes the terminal over, so that its Ctrl-C is ours, and becomes the program.
ON_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


class Program:
    """The installed program."""

    path = Path(sys.executable).with_name("judgecore")

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str | Path, text: str | bytes = b"", **env: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [self.path, *arguments],
            input=text.encode() if isinstance(text, str) else text,
            capture_output=True,
            cwd=self.folder,
            env=self.environment(**{"XDG_CACHE_HOME": str(self.folder / "cache"), **env}),
            check=False,
        )
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    def on_terminal(self, *arguments: str | Path, **env: str) -> Terminal:
        settings = {"TERM": "xterm", "XDG_CACHE_HOME": str(self.folder / "cache"), **env}
        return Terminal([str(self.path), *map(str, arguments)], self.folder, self.environment(**settings))

    @staticmethod
    def environment(**env: str) -> dict[str, str]:
        settings = {"COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "PYTHONIOENCODING", "TTY_COMPATIBLE"}
        inherited = {name: value for name, value in os.environ.items() if name not in settings}
        return {**inherited, "PYTHONUTF8": "1", **env}


class Terminal:
    """The program on a terminal of 80 columns."""

    def __init__(self, command: list[str], folder: Path, env: dict[str, str]) -> None:
        self.shown = b""
        self._side, inner = pty.openpty()
        ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        launcher = [sys.executable, "-c", ON_TERMINAL, *command]
        self._process: subprocess.Popen[Any] = subprocess.Popen(
            launcher, stdin=inner, stdout=inner, stderr=inner, cwd=folder, env=env, start_new_session=True
        )
        os.close(inner)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._side)

    def press(self, keys: bytes) -> None:
        os.write(self._side, keys)

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def wait_for(self, text: str) -> None:
        while text.encode() not in self.shown:
            assert self._read(), f"the program ended before it showed {text!r}: {self.shown!r}"

    def wait(self) -> tuple[str, int]:
        while self._read():
            pass
        return self.shown.decode(), self._process.wait()

    def _read(self) -> bool:
        """Read what is there; Linux reports the end of the other side as an error."""
        try:
            piece = os.read(self._side, 65536)
        except OSError:
            return False
        self.shown += piece
        return bool(piece)


@pytest.fixture
def judgecore(tmp_path: Path) -> Program:
    """The installed program, run in a folder of its own."""
    return Program(tmp_path)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """What writes a file into that folder."""

    def to_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to_file


@pytest.fixture(scope="session")
def own_formats() -> str:
    """A user's file of formats, with two in it."""
    return OWN_FORMATS
