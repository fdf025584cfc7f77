"""Outputs that are written in parts: what a killed run had written, and where the next one goes on."""

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

# A kill costs so much work and a chunk, and what is written waits for the disk once in that time.
SECONDS_BETWEEN = 1.0
VERSION = 1


class ResumeError(TableError):
    """What a run left can't be gone on with; the message names it and the cure."""


@dataclass
class Output:
    """An output that appears once it is whole.

    Attributes:
        name: Its name.
        assemble: Writes it of its part; None where it is the part, but for its compression.
    """

    name: str
    assemble: Callable[[BinaryIO, BinaryIO], None] | None = None

    @property
    def target(self) -> Path:
        """The file that is replaced: what the name leads to."""
        return Path(os.path.realpath(self.name) if Path(self.name).is_symlink() else self.name)

    @property
    def part(self) -> Path:
        """The file that holds what is written so far."""
        return self.target.with_name(f"{self.target.name}.part")

    @property
    def journal(self) -> Path:
        """The file that says how far the part is good."""
        return self.target.with_name(f"{self.target.name}.journal")

    def finish(self, stream: BinaryIO) -> None:
        """Put the output in its place, and take its part away.

        Args:
            stream: Its part, on the disk as a whole; closed where that is the output.
        """
        assemble = self.assemble
        if assemble is None and Path(self.name).suffix.lower() not in COMPRESSION_OF_SUFFIX:
            # On Windows a file that is open can't be renamed.
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
    """Where a run can go on that was killed: the lengths of its parts that count, and what it knew there.

    Attributes:
        path: The journal's file.
        checkpoint: What was saved last, by this run or the one before; None where there is nothing to go on from.
    """

    def __init__(self, outputs: list[Output], made_from: Mapping[str, Any]) -> None:
        """Begin, or go on where the run before came to.

        Args:
            outputs: What is written; the first one's name is the journal's.
            made_from: All that decides what is written, by the names that people know it by, as JSON can hold it.

        Raises:
            ResumeError: If there is something to go on from that does not go with it, or is damaged, or is somebody
                else's, or another run is at work on it.
            OSError: If it can't be written.
        """
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
        """What is written to, output by output."""
        return self._streams

    @property
    def is_due(self) -> bool:
        """Whether it is time to save."""
        return time.monotonic() - self._saved_at >= SECONDS_BETWEEN

    def save(self, checkpoint: dict[str, Any]) -> None:
        """Keep all that was written, and where to go on.

        Args:
            checkpoint: What the next run needs to know, as JSON can hold it.

        Raises:
            OSError: If it can't be written; what was saved before holds.
        """
        self._write([_sync(stream) for stream in self._streams], checkpoint)
        self.checkpoint = checkpoint
        self._saved_at = time.monotonic()

    def finish(self) -> None:
        """Put the outputs in their places, and forget the way there."""
        for stream in self._streams:
            _sync(stream)
        for output, stream in zip(self._outputs, self._streams, strict=True):
            output.finish(stream)
        self.path.unlink()
        self._close([])

    def leave(self) -> None:
        """Leave what was saved for the next run; where nothing was, leave nothing."""
        self._close([] if self.checkpoint is not None else [self.path, *(output.part for output in self._outputs)])

    def _open(self) -> None:
        """Open the parts, and find where to go on."""
        for output in self._outputs:
            is_new = not output.part.exists()
            self._streams.append(_open_part(output.part))
            self._made += [output.part] if is_new else []
        sizes = [stream.seek(0, io.SEEK_END) for stream in self._streams]
        known = self._read()
        if known is None:
            for output, size in zip(self._outputs, sizes, strict=True):
                if size:
                    said = f"{_say(output.part)} is there without {_say(self.path)}, which would say how far it is good"
                    raise ResumeError(f"{said}; remove it to begin anew")
        else:
            self._refuse_others(known["made_from"])
            lengths: list[int] = known["lengths"]
            # A part that is gone has taken its place, and the run was killed before the others had.
            is_gone = any(length and not size for size, length in zip(sizes, lengths, strict=True))
            if known["checkpoint"] is not None and not is_gone:
                for output, size, length in zip(self._outputs, sizes, lengths, strict=True):
                    if size < length:
                        said = f"{_say(output.part)} has {size:,} bytes, and {_say(self.path)} says {length:,}"
                        raise ResumeError(f"{said}; {self._cure}")
                self._lengths, self.checkpoint = lengths, known["checkpoint"]
        if self.checkpoint is None:
            self._write(self._lengths, None)
        for stream, length in zip(self._streams, self._lengths, strict=True):
            stream.seek(length)
            stream.truncate()

    def _read(self) -> dict[str, Any] | None:
        """Read the journal; None where there is none."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise ResumeError(f"can't read {_say(self.path)}: {problem.strerror}") from problem
        digest, _, body = content.partition(b"\n")
        if hashlib.sha256(body).hexdigest().encode() != digest:
            raise ResumeError(f"{_say(self.path)} is damaged, or no journal of judgecore; {self._cure}")
        known: dict[str, Any] = json.loads(body)
        if known["version"] != VERSION:
            raise ResumeError(f"{_say(self.path)} is of another version of judgecore; {self._cure}")
        return known

    def _refuse_others(self, made_from: Mapping[str, Any]) -> None:
        """Refuse what another input, or other options, made."""
        for name in {**made_from, **self._made_from}:
            was, now = made_from.get(name), self._made_from.get(name)
            if was != now:
                said = f"{_say(self._outputs[0].part)} was begun when {name} was {_show(was)}, and it is {_show(now)}"
                raise ResumeError(f"{said}; do as then, or {self._cure}")

    @property
    def _cure(self) -> str:
        """What to do where there is nothing to go on from."""
        names = [_say(output.part) for output in self._outputs]
        return f"remove {', '.join(names)} and {_say(self.path)} to begin anew, or go without --resume"

    def _write(self, lengths: list[int], checkpoint: dict[str, Any] | None) -> None:
        """Write the journal."""
        about = {"version": VERSION, "made_from": self._made_from, "lengths": lengths, "checkpoint": checkpoint}
        body = json.dumps(about).encode()
        replace_file(self.path, hashlib.sha256(body).hexdigest().encode() + b"\n" + body)

    def _close(self, unneeded: list[Path]) -> None:
        """Remove what nobody needs, and close the parts; what can't be written to them any more was not counted on."""
        if os.name != "nt":
            _remove(unneeded)
        for stream in self._streams:
            with suppress(OSError):
                stream.close()
        if os.name == "nt":
            _remove(unneeded)


@contextmanager
def open_journal(outputs: list[Output], made_from: Mapping[str, Any]) -> Generator[Journal]:
    """Write outputs that appear whole at the end of the block, and go on where the run before came to.

    Args:
        outputs: What is written.
        made_from: All that decides what is written.

    Yields:
        The journal.

    Raises:
        ResumeError: As ``Journal``.
        OSError: If an output can't be written, which is as it was.
    """
    journal = Journal(outputs, made_from)
    try:
        yield journal
        journal.finish()
    except BaseException:
        journal.leave()
        raise


def _open_part(path: Path) -> BinaryIO:
    """Open a part for this run alone."""
    try:
        stream = open_exclusively(path)
    except BlockingIOError:
        raise ResumeError(f"another run is writing {_say(path)}; wait until it has ended") from None
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise ResumeError(f"{_say(path)} is no file; remove it, or go without --resume")
    return stream


def _remove(paths: list[Path]) -> None:
    """Remove files, as far as that goes."""
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _sync(stream: BinaryIO) -> int:
    """Put a part on the disk; how long it is."""
    stream.flush()
    os.fsync(stream.fileno())
    return stream.tell()


def _say(path: Path) -> str:
    """Name a file of an output for people."""
    return escape_controls(str(path))


def _show(value: Any) -> str:
    """Show a value of an option."""
    if value is None:
        return "not given"
    return escape_controls(value) if isinstance(value, str) and value else json.dumps(value)
