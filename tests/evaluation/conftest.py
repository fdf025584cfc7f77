"""What the tests of evaluations share: the loopback judge in a process of its own."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest

from judgecore.targets import OpenAITarget

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


class Judge:
    """A running ``judgecore serve``, and the requests that it saw."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._count = folder / "requests.db"
        program = Path(sys.executable).with_name("judgecore")
        self._process = subprocess.Popen(
            [program, "serve", "--count", self._count, *options], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().removeprefix("listening on ").strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdout is not None
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()

    def calls(self) -> int:
        """How many requests came so far."""
        with closing(sqlite3.connect(f"file:{self._count}?mode=ro", uri=True)) as counted:
            return counted.execute("SELECT COUNT(*) FROM request").fetchone()[0]

    def target(self, model: str = "judge") -> OpenAITarget:
        """A target that asks it."""
        return OpenAITarget(model, base_url=f"{self.url}", api_key="any", temperature=0.0)


@pytest.fixture
def judge(tmp_path: Path) -> Generator[Judge]:
    """The loopback judge."""
    with Judge(tmp_path) as running:
        yield running


@pytest.fixture
def judge_with(tmp_path: Path) -> Callable[..., Judge]:
    """What starts a loopback judge with options; it is a context manager."""

    def start(*options: str) -> Judge:
        return Judge(tmp_path, *options)

    return start
