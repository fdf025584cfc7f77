"""``--resume``: a run that was killed goes on where it came to, and gives what it would have given undisturbed."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judgecore.cli.outputs import output_kind
from judgecore.cli.progress import Progress, say_pace
from judgecore.errors import TableError
from judgecore.reading import READING_VERSION, __version__
from judgecore.tables.arrow import assemble
from judgecore.tables.files import is_same_output, say_output
from judgecore.tables.journal import Journal, Output, journalled

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from judgecore.cli.job import ParseJob
    from judgecore.cli.summary import Summary


def check_resumable(job: ParseJob) -> None:
    """Refuse what can't go on after a kill.

    Args:
        job: What to do.

    Raises:
        click.UsageError: If it reads standard input, writes to no file, or is to show readings of all rows.
        TableError: If the input or an output is no file, or one would be written over the other.
    """
    if job.output in (None, "-"):
        raise click.UsageError("--resume goes on with a file; name it with -o OUT")
    if job.sample is not None:
        raise click.UsageError("--sample shows readings of all rows, and --resume may read some; use it in another run")
    if job.rejects == "-":
        raise click.UsageError("--resume goes on with files; name one with --rejects FILE")
    if job.file == "-":
        raise click.UsageError("standard input can't be read again, so --resume needs a file; save it first")
    if not Path(job.file).is_file():
        raise TableError(f"{job.name}: can't be read again, so --resume needs a file; save it first")
    outputs = outputs_of(job)
    for output in outputs:
        if output.target.exists() and not output.target.is_file():
            raise TableError(f"{say_output(output.name)} is no file, which --resume needs")
    written = [outputs[0].journal, *(output.part for output in outputs)]
    for path in written:
        names = [job.file, *(output.name for output in outputs), *map(str, written)]
        if sum(is_same_output(str(path), name) for name in names) > 1:
            raise TableError(f"--resume writes {say_output(str(path))} too, which is named already; name another OUT")


def outputs_of(job: ParseJob) -> list[Output]:
    """Give what a job writes, the rows first.

    Args:
        job: What to do, with an output.

    Returns:
        The outputs.
    """
    name, kind = job.output or "", output_kind(job, job.kind)
    is_staged = kind in ("parquet", "arrow")
    outputs = [Output(name, partial(assemble, kind=kind, output=name) if is_staged else None)]
    return outputs + ([Output(job.rejects)] if job.rejects else [])


def journal_of(job: ParseJob) -> AbstractContextManager[Journal]:
    """Open the journal of a job, and what it writes.

    Args:
        job: What to do.

    Returns:
        What gives the journal, and puts the outputs in their places at the end of the block.

    Raises:
        ResumeError: If the run before can't be gone on with.
        OSError: If an output can't be written.
    """
    about = Path(job.file).stat()
    made_from = {
        "judgecore": f"{__version__}, readings {READING_VERSION}",
        "the input": os.path.realpath(job.file),
        "the input's size in bytes": about.st_size,
        "the input's time of change in nanoseconds": about.st_mtime_ns,
        "--format": f"{job.format.id} of hash {job.format.hash}",
        "--mode": job.mode,
        "--column": list(job.columns),
        "--cut": job.cut,
        "--material": list(job.material),
        "--columns": list(job.parts),
        "--unread-only": job.is_unread_only,
        "--prefix": job.prefix,
        "--input-format": job.kind,
        "--delimiter": job.delimiter,
        "--encoding": job.encoding,
        "--max-record-bytes": job.longest,
        "--rejects": job.rejects and os.path.realpath(job.rejects),
        "--strict-input": job.is_strict,
    }
    return journalled(outputs_of(job), made_from)


def say_way_on(journal: Journal | None) -> str:
    """Say that the same command resumes the run; nothing where it can't be resumed.

    Args:
        journal: The run's, if it has one.
    """
    return "; the same command goes on" if journal is not None and journal.checkpoint is not None else ""


class Run:
    """What a run has read so far, and where it can go on; one without ``--resume`` keeps no checkpoints.

    Attributes:
        summary: What counts its rows.
        progress: What is told of them.
        position: Where it goes on; None at the beginning.
    """

    def __init__(self, journal: Journal | None, summary: Summary, progress: Progress) -> None:
        """Take up what the journal says."""
        self._journal = journal
        self.summary = summary
        self.progress = progress
        self.position: Any = None
        if journal is not None and journal.checkpoint is not None:
            self.position = journal.checkpoint["position"]
            summary.restore(journal.checkpoint["summary"])
            progress.seconds_before = journal.checkpoint["seconds"]

    def tell(self, n_bytes: int) -> None:
        """Tell how far it has come.

        Args:
            n_bytes: How many bytes of the file were read.
        """
        self.progress.tell(n_bytes, partial(say_pace, self.summary.rows, n_bytes, self.progress.seconds))

    def keep(self, position: Callable[[], Any]) -> None:
        """Save where the run is, if it is time.

        Args:
            position: Tells where another run could go on; None where it could not.
        """
        if self._journal is None or not self._journal.is_due or (there := position()) is None:
            return
        state = {"position": there, "summary": self.summary.state(), "seconds": self.progress.seconds}
        self._journal.save(state)
