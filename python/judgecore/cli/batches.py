"""What commands that send requests in batches share: progress, and what to type next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from judgecore.targets import BatchPolicy, Endpoint
from judgecore.terminal import count_noun, escape_controls

if TYPE_CHECKING:
    from pathlib import Path

    from judgecore.targets import BatchTally, Target


def use_batches(target: Target) -> None:
    """Let a target send its requests in batches, if it is an endpoint without a policy of its own."""
    if isinstance(target, Endpoint) and target.batch is None:
        target.batches()
        target.batch = BatchPolicy()


def describe_batches(tally: BatchTally) -> str:
    """Return the progress of batches in a few words."""
    held = f", {tally.held:,} wait for room" if tally.held else ""
    trouble = f"; {escape_controls(tally.trouble)}" if tally.trouble else ""
    batches = count_noun(tally.batches, "batch", "batches")
    return f"{count_noun(tally.pending, 'request')} in {batches}, {tally.collected:,} collected{held}{trouble}"


def pending_hint(ledger: Path | None) -> str:
    """Return what to type while batches are pending."""
    file = escape_controls(shlex.quote(str(ledger)))
    return f"run the same command again later, or `judgecore ledger collect {file}`; --wait waits for the replies"
