"""What the tests of the command line share: the program as users meet it, as a process and on a terminal."""

from __future__ import annotations

import json
import os
import pty
import socket
import struct
import subprocess
import sys
import termios
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from fcntl import ioctl
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


class Runner:
    """A process that has imported the program, and forks for each run of it."""

    program = Path(__file__).parents[1] / "programs" / "run_again.py"

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, text: bytes = b"", **order: Any) -> dict[str, Any]:
        """Run the program once; the keys of an order are those of ``run_again.py``.

        Returns:
            Its exit ``status``, what it wrote as ``out`` and ``err``, and the ``seconds`` and ``peak_kb`` that it took.
        """
        if self._process is None:
            self._start()
        try:
            return self._run(text, order)
        except BaseException:
            # A test that ran out of time leaves an answer behind that is none to the next order.
            self.stop()
            raise

    def _start(self) -> None:
        self._orders, inner = socket.socketpair()
        self._answers = self._orders.makefile("rb")
        command = [sys.executable, self.program, str(inner.fileno())]
        with inner:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[inner.fileno()],
                env=Program.environment(),
            )

    def _run(self, text: bytes, order: dict[str, Any]) -> dict[str, Any]:
        (given, to_give), *written = [os.pipe() for _ in range(3)]
        inner = [given, *(end for _, end in written)]
        socket.send_fds(self._orders, [json.dumps(order).encode() + b"\n"], inner)
        for end in inner:
            os.close(end)
        with ThreadPoolExecutor(2) as threads:
            out, err = (threads.submit(read_all, end) for end, _ in written)
            # A program may end without having read what it was given.
            with suppress(BrokenPipeError), os.fdopen(to_give, "wb") as file:
                file.write(text)
        return {**json.loads(self._answers.readline()), "out": out.result().decode(), "err": err.result().decode()}

    def stop(self) -> None:
        """End the process, whatever it does; the next run starts another."""
        if self._process is not None:
            self._answers.close()
            self._orders.close()
            self._process.kill()
            self._process.communicate()
            self._process = None


def read_all(end: int) -> bytes:
    with os.fdopen(end, "rb") as file:
        return file.read()


class Program:
    """The installed program: called, it is forked from a process that has imported it.

    Attributes:
        folder: Where it runs.
        is_in_steps: Whether it reads in small chunks, so that a small table shows what it does with a large one.
        peak_kb: The most memory that the last call took.
    """

    path = Path(sys.executable).with_name("judgecore")

    def __init__(self, folder: Path, runner: Runner, *, is_in_steps: bool = False) -> None:
        self.folder = folder
        self.is_in_steps = is_in_steps
        self.peak_kb = 0
        self._runner = runner

    def __call__(self, *arguments: str | Path, text: str | bytes = b"", **env: str) -> subprocess.CompletedProcess[str]:
        # The interpreter looks at these before a program begins.
        if any(name.startswith("PYTHON") for name in env):
            return self.process(*arguments, text=text, **env)
        done = self._runner.run(
            text.encode() if isinstance(text, str) else text,
            folder=str(self.folder),
            arguments=list(map(str, arguments)),
            env=self._environment(env),
            is_in_steps=self.is_in_steps,
        )
        self.peak_kb = done["peak_kb"]
        return subprocess.CompletedProcess([*arguments], done["status"], done["out"], done["err"])

    def process(self, *arguments: str | Path, text: str | bytes = b"", **env: str) -> subprocess.CompletedProcess[str]:
        """Run it as users do, from its first import to the interpreter's end."""
        done = subprocess.run(
            [self.path, *arguments],
            input=text.encode() if isinstance(text, str) else text,
            capture_output=True,
            cwd=self.folder,
            env=self._environment(env),
            check=False,
        )
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    def on_terminal(self, *arguments: str | Path, **env: str) -> Terminal:
        return Terminal(
            [str(self.path), *map(str, arguments)], self.folder, self._environment({"TERM": "xterm", **env})
        )

    def _environment(self, env: dict[str, str]) -> dict[str, str]:
        return self.environment(**{"XDG_CACHE_HOME": str(self.folder / "cache"), **env})

    @staticmethod
    def environment(**env: str) -> dict[str, str]:
        """The environment of these tests, without what changes how a program writes."""
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


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    """What runs the program for all tests of this process."""
    runner = Runner()
    yield runner
    runner.stop()


@pytest.fixture
def judgecore(tmp_path: Path, runner: Runner) -> Program:
    """The installed program, run in a folder of its own."""
    return Program(tmp_path, runner)


@pytest.fixture
def in_steps(tmp_path: Path, runner: Runner) -> Program:
    """The installed program, which reads in small chunks."""
    return Program(tmp_path, runner, is_in_steps=True)


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
