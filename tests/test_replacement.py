"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from judgecore.replacement import replace_file, replacing

if TYPE_CHECKING:
    from pathlib import Path


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


def test_what_fails_half_way_leaves_the_old_file(tmp_path: Path) -> None:
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
