"""``--resume``: resume a killed run, so that its output equals that of an uninterrupted run."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judgecore.cli.outputs import output_kind
from judgecore.cli.progress import Progress, format_rate
from judgecore.errors import TableError
from judgecore.reading import READING_VERSION, __version__
from judgecore.tables.arrow import assemble
from judgecore.tables.files import is_same_output, output_name
from judgecore.tables.journal import Journal, Output, open_journal

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from judgecore.cli.job import ParseJob
    from judgecore.cli.summary import Summary


def check_resumable(job: ParseJob) -> None:
    """Reject jobs that can't be resumed."""
    if job.output in (None, "-"):
        raise click.UsageError("--resume needs an output file; name it with -o OUT")
    if job.sample is not None:
        raise click.UsageError("--sample needs all rows, and a resumed run reads only the rest; use it in another run")
    if job.rejects == "-":
        raise click.UsageError("--resume needs a file for the rejects; name it with --rejects FILE")
    if job.file == "-":
        raise click.UsageError("standard input can't be read twice, so --resume needs a file; save the input first")
    if not Path(job.file).is_file():
        raise TableError(f"{job.name}: not a regular file, which --resume needs; save the input to a file first")
    outputs = job_outputs(job)
    for output in outputs:
        if output.target.exists() and not output.target.is_file():
            raise TableError(f"{output_name(output.name)} is not a regular file, which --resume needs")
    written = [outputs[0].journal, *(output.part for output in outputs)]
    for path in written:
        names = [job.file, *(output.name for output in outputs), *map(str, written)]
        if sum(is_same_output(str(path), name) for name in names) > 1:
            raise TableError(f"--resume also writes {output_name(str(path))}, which is in use; choose another OUT")


def job_outputs(job: ParseJob) -> list[Output]:
    """Return a job's outputs, the rows first."""
    name, kind = job.output or "", output_kind(job, job.kind)
    is_staged = kind in ("parquet", "arrow")
    outputs = [Output(name, partial(assemble, kind=kind, output=name) if is_staged else None)]
    return outputs + ([Output(job.rejects)] if job.rejects else [])


def open_job_journal(job: ParseJob) -> AbstractContextManager[Journal]:
    """Open a job's journal and outputs, which are moved into place on success."""
    about = Path(job.file).stat()
    made_from = {
        "judgecore": f"{__version__}, readings {READING_VERSION}",
        "the input": os.path.realpath(job.file),
        "the input's size in bytes": about.st_size,
        "the input's modification time in nanoseconds": about.st_mtime_ns,
        "--format": f"{job.format.id} with hash {job.format.hash}",
        "--mode": job.mode,
        "--column": list(job.columns),
        "--cut": job.cut,
        "--material": list(job.material),
        "--columns": list(job.parts),
        "--unread-only": job.is_unread_only,
        "--prefix": job.prefix,
        "--input-format": job.kind,
        "--delimiter": job.table.delimiter,
        "--encoding": job.table.encoding,
        "--max-record-bytes": job.table.longest,
        "--rejects": job.rejects and os.path.realpath(job.rejects),
        "--strict-input": job.is_strict,
    }
    return open_journal(job_outputs(job), made_from)


def resume_hint(journal: Journal | None) -> str:
    """Return the part of an interruption's message that says how to resume; empty if the run can't be resumed."""
    can_resume = journal is not None and journal.checkpoint is not None
    return "; run the same command to resume" if can_resume else ""


class Run:
    """The state of a run: summary, progress, and checkpoints with ``--resume``."""

    def __init__(self, journal: Journal | None, summary: Summary, progress: Progress) -> None:
        """Restore the state from the journal's checkpoint, if there is one."""
        self._journal = journal
        self.summary = summary
        self.progress = progress
        self.position: Any = None
        if journal is not None and journal.checkpoint is not None:
            self.position = journal.checkpoint["position"]
            summary.restore(journal.checkpoint["summary"])
            progress.seconds_before = journal.checkpoint["seconds"]

    def report(self, n_bytes: int) -> None:
        """Update the progress display."""
        self.progress.update(n_bytes, lambda: [(format_rate(self.summary.rows, n_bytes, self.progress.seconds),)])

    def keep(self, position: Callable[[], Any]) -> None:
        """Save a checkpoint if one is due; ``position`` returns where to resume from, None if that is not here."""
        if self._journal is None or not self._journal.is_due or (there := position()) is None:
            return
        state = {"position": there, "summary": self.summary.state(), "seconds": self.progress.seconds}
        self._journal.save(state)
