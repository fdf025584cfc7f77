"""What all tests share."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

# A busy machine is no failure.
settings.register_profile("judgecore", deadline=None)
settings.load_profile("judgecore")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data beside the project, or the one that ``JUDGECORE_SHARED`` names."""
    folder = Path(os.environ.get("JUDGECORE_SHARED") or Path(__file__).parents[2] / "shared")
    if not (folder / "reference").is_dir():
        pytest.skip(f"no reference data in {folder}; set JUDGECORE_SHARED to the folder that holds it")
    return folder


class Serving:
    """A ``judgecore serve`` in a process of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._count = folder / "count.sqlite"
        program = Path(sys.executable).with_name("judgecore")
        self.process = subprocess.Popen(
            [program, "serve", "--count", self._count, *options], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said.startswith("listening on "), said
        self.url = said.split()[-1]

    @property
    def root(self) -> str:
        """The address without ``/v1``."""
        return self.url.removesuffix("/v1")

    def count(self, what: str = "count(*)") -> int:
        """How many requests came."""
        with closing(sqlite3.connect(self._count, timeout=10)) as file:
            return int(file.execute(f"SELECT {what} FROM request").fetchone()[0])  # noqa: S608 - the tests' own words

    def faults(self) -> dict[str | None, int]:
        """How many requests met each fault."""
        with closing(sqlite3.connect(self._count, timeout=10)) as file:
            return dict(file.execute("SELECT fault, count(*) FROM request GROUP BY fault").fetchall())

    def stop(self) -> None:
        """End the process, and see that it ends in order."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(10) == 0
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def starting(factory: pytest.TempPathFactory) -> Generator[Callable[..., Serving]]:
    """What starts loopback judges with options; they are stopped at the end."""
    started: list[Serving] = []

    def start(*options: str) -> Serving:
        started.append(Serving(factory.mktemp("serve"), *options))
        return started[-1]

    yield start
    for one in started:
        one.stop()


@pytest.fixture
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Serving]]:
    """What starts loopback judges for a test."""
    with starting(tmp_path_factory) as start:
        yield start


@pytest.fixture(scope="module")
def serve_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Serving]]:
    """What starts loopback judges for all tests of a file."""
    with starting(tmp_path_factory) as start:
        yield start
