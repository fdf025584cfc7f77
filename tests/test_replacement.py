"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from judgecore.replacement import replace_file, replacing

if TYPE_CHECKING:
    from collections.abc import Generator

PROGRAM = Path(__file__).parent / "programs" / "replace_slowly.py"
STAGES = ["writing", "copying", "named"]


def refuse(*_: Any, **__: Any) -> None:
    raise PermissionError


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_file_is_replaced_whole_and_nothing_else_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, links: bool
) -> None:
    if not links:
        # As a system without rights to name what has no name.
        monkeypatch.setattr(os, "link", refuse)
    target = tmp_path / "table"
    target.write_bytes(b"old")
    target.chmod(0o640)

    replace_file(target, b"new" * 100_000)

    assert target.read_bytes() == b"new" * 100_000
    assert target.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "table"
    target.write_bytes(b"old")

    def write_half() -> None:
        with replacing(target) as stream:
            stream.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()

    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@contextmanager
def stopped_writer(target: Path, stage: str, content: str) -> Generator[subprocess.Popen[str]]:
    """A process that has stopped while it replaces a file."""
    command = [sys.executable, str(PROGRAM), str(target), stage, content]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "stopped\n"
            yield process
        finally:
            process.kill()


def parts(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.endswith(".part")]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="the stages are those of Linux")
@pytest.mark.parametrize("stage", STAGES)
def test_files_of_a_killed_writer_are_removed_by_the_next_one(tmp_path: Path, stage: str) -> None:
    target = tmp_path / "table"
    target.write_bytes(b"old")
    foreign = [tmp_path / ".table.0123abcd.part.bak", tmp_path / ".other.0123abcd.part", tmp_path / ".table.my.part"]
    for path in foreign:
        path.write_bytes(b"mine")
    with stopped_writer(target, stage, "killed") as process:
        process.kill()
        process.wait()
    assert (target.read_bytes(), len(parts(tmp_path))) == (b"old", 3)

    replace_file(target, b"new")

    assert target.read_bytes() == b"new"
    assert sorted(tmp_path.iterdir()) == sorted([target, *foreign])


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="the stages are those of Linux")
@pytest.mark.parametrize("stage", STAGES)
def test_files_of_a_running_writer_are_not_removed(tmp_path: Path, stage: str) -> None:
    target = tmp_path / "table"
    target.write_bytes(b"old")

    with stopped_writer(target, stage, "late") as process:
        for content in (b"new", b"newer"):
            replace_file(target, content)
            assert (target.read_bytes(), len(parts(tmp_path))) == (content, 1)
        process.communicate("go on\n")
        assert process.returncode == 0

    assert target.read_bytes() == b"late"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_is_named_like_an_unfinished_file_is_left(tmp_path: Path) -> None:
    target = tmp_path / "table"
    folder, link = tmp_path / ".table.0123abcd.part", tmp_path / ".table.0123abce.part"
    folder.mkdir()
    link.symlink_to(tmp_path / "elsewhere")

    replace_file(target, b"new")

    assert sorted(tmp_path.iterdir()) == sorted([target, folder, link])
