"""Resumable outputs: partial files, and a journal with the position to resume from."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import stat
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from judgecore.errors import TableError
from judgecore.replacement import move_into_place, open_exclusively, replace_file
from judgecore.tables.files import COMPRESSION_OF_SUFFIX, open_output
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

# The interval of checkpoints, each of which syncs the files: a kill loses about this much work.
SECONDS_BETWEEN = 1.0
VERSION = 1


class ResumeError(TableError):
    """A previous run can't be resumed; the message names the reason and the fix."""


@dataclass
class Output:
    """An output file that appears when it is complete."""

    name: str
    assemble: Callable[[BinaryIO, BinaryIO], None] | None = None

    @property
    def target(self) -> Path:
        """The file to replace, with symbolic links resolved."""
        return Path(os.path.realpath(self.name) if Path(self.name).is_symlink() else self.name)

    @property
    def part(self) -> Path:
        """The partial file."""
        return self.target.with_name(f"{self.target.name}.part")

    @property
    def journal(self) -> Path:
        """The journal, which records how much of the partial file is valid."""
        return self.target.with_name(f"{self.target.name}.journal")

    def finish(self, stream: BinaryIO) -> None:
        """Move or convert the partial file, complete and synced, to the output; it is closed if it becomes that."""
        assemble = self.assemble
        if assemble is None and Path(self.name).suffix.lower() not in COMPRESSION_OF_SUFFIX:
            # Windows can't rename an open file.
            if os.name == "nt":
                stream.close()
            move_into_place(self.part, self.target)
            return
        stream.seek(0)
        with open_output(self.name) as whole:
            (assemble or shutil.copyfileobj)(stream, whole)
        if os.name == "nt":
            stream.close()
        self.part.unlink()


class Journal:
    """The checkpoints of a run: the valid lengths of its partial files, and the run's state there."""

    def __init__(self, outputs: list[Output], made_from: Mapping[str, Any]) -> None:
        """Start a run, or resume the previous one if it was made from the same, named as users know it."""
        self.path = outputs[0].journal
        self.checkpoint: dict[str, Any] | None = None
        self._outputs = outputs
        self._made_from: dict[str, Any] = json.loads(json.dumps(made_from))
        self._streams: list[BinaryIO] = []
        self._made: list[Path] = []
        self._lengths = [0 for _ in outputs]
        self._saved_at = time.monotonic()
        try:
            self._open()
        except BaseException:
            self._close(self._made)
            raise

    @property
    def streams(self) -> list[BinaryIO]:
        """The partial files, in the order of the outputs."""
        return self._streams

    @property
    def is_due(self) -> bool:
        """Whether a checkpoint is due."""
        return time.monotonic() - self._saved_at >= SECONDS_BETWEEN

    def save(self, checkpoint: dict[str, Any]) -> None:
        """Sync the partial files, and save the state that the next run needs; if that fails, the last one is valid."""
        self._write([_sync(stream) for stream in self._streams], checkpoint)
        self.checkpoint = checkpoint
        self._saved_at = time.monotonic()

    def finish(self) -> None:
        """Move the outputs into place, and remove the journal."""
        for stream in self._streams:
            _sync(stream)
        for output, stream in zip(self._outputs, self._streams, strict=True):
            output.finish(stream)
        self.path.unlink()
        self._close([])

    def leave(self) -> None:
        """Close the files; keep them for the next run if there is a checkpoint, else remove them."""
        self._close([] if self.checkpoint is not None else [self.path, *(output.part for output in self._outputs)])

    def _open(self) -> None:
        """Open the partial files, and find the position to resume from."""
        for output in self._outputs:
            is_new = not output.part.exists()
            self._streams.append(_open_part(output.part))
            self._made += [output.part] if is_new else []
        sizes = [stream.seek(0, io.SEEK_END) for stream in self._streams]
        known = self._read()
        if known is None:
            for output, size in zip(self._outputs, sizes, strict=True):
                if size:
                    problem = f"{_display(output.part)} exists without its journal {_display(self.path)}"
                    raise ResumeError(f"{problem}; remove it to start over")
        else:
            self._refuse_others(known["made_from"])
            lengths: list[int] = known["lengths"]
            # A missing partial file was already moved into place when the run was killed.
            is_gone = any(length and not size for size, length in zip(sizes, lengths, strict=True))
            if known["checkpoint"] is not None and not is_gone:
                for output, size, length in zip(self._outputs, sizes, lengths, strict=True):
                    if size < length:
                        part, journal = _display(output.part), _display(self.path)
                        raise ResumeError(f"{part} has {size:,} bytes, but {journal} expects {length:,}; {self._cure}")
                self._lengths, self.checkpoint = lengths, known["checkpoint"]
        if self.checkpoint is None:
            self._write(self._lengths, None)
        for stream, length in zip(self._streams, self._lengths, strict=True):
            stream.seek(length)
            stream.truncate()

    def _read(self) -> dict[str, Any] | None:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise ResumeError(f"can't read {_display(self.path)}: {problem.strerror}") from problem
        digest, _, body = content.partition(b"\n")
        if hashlib.sha256(body).hexdigest().encode() != digest:
            raise ResumeError(f"{_display(self.path)} is damaged, or not a journal of judgecore; {self._cure}")
        known: dict[str, Any] = json.loads(body)
        if known["version"] != VERSION:
            raise ResumeError(f"{_display(self.path)} was written by another version of judgecore; {self._cure}")
        return known

    def _refuse_others(self, made_from: Mapping[str, Any]) -> None:
        """Reject a run that had another input or other options."""
        for name in {**made_from, **self._made_from}:
            was, now = made_from.get(name), self._made_from.get(name)
            if was != now:
                part = _display(self._outputs[0].part)
                raise ResumeError(
                    f"{part} was started when {name} was {_show(was)}, now it is {_show(now)}; "
                    f"use the old value, or {self._cure}"
                )

    @property
    def _cure(self) -> str:
        """How to run if the previous run can't be resumed."""
        names = [_display(output.part) for output in self._outputs]
        return f"remove {', '.join(names)} and {_display(self.path)} to start over, or omit --resume"

    def _write(self, lengths: list[int], checkpoint: dict[str, Any] | None) -> None:
        about = {"version": VERSION, "made_from": self._made_from, "lengths": lengths, "checkpoint": checkpoint}
        body = json.dumps(about).encode()
        replace_file(self.path, hashlib.sha256(body).hexdigest().encode() + b"\n" + body)

    def _close(self, unneeded: list[Path]) -> None:
        """Remove unneeded files, and close the partial files; write errors don't matter after the last checkpoint."""
        if os.name != "nt":
            _remove(unneeded)
        for stream in self._streams:
            with suppress(OSError):
                stream.close()
        if os.name == "nt":
            _remove(unneeded)


@contextmanager
def open_journal(outputs: list[Output], made_from: Mapping[str, Any]) -> Generator[Journal]:
    """Start or resume a run, as ``Journal`` does, whose outputs appear at the end of the block."""
    journal = Journal(outputs, made_from)
    try:
        yield journal
        journal.finish()
    except BaseException:
        journal.leave()
        raise


def _open_part(path: Path) -> BinaryIO:
    """Open a partial file exclusively."""
    try:
        stream = open_exclusively(path)
    except BlockingIOError:
        raise ResumeError(f"another run is writing {_display(path)}; wait until it has ended") from None
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise ResumeError(f"{_display(path)} is not a regular file; remove it, or omit --resume")
    return stream


def _remove(paths: list[Path]) -> None:
    """Remove files, ignoring errors."""
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _sync(stream: BinaryIO) -> int:
    """Sync a partial file to disk, and return its length."""
    stream.flush()
    os.fsync(stream.fileno())
    return stream.tell()


def _display(path: Path) -> str:
    """Return a file's name for messages."""
    return escape_controls(str(path))


def _show(value: Any) -> str:
    """Format a value of an option for messages."""
    if value is None:
        return "not given"
    return escape_controls(value) if isinstance(value, str) and value else json.dumps(value)
