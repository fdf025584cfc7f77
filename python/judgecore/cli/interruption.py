"""Run async work so that Ctrl-C and SIGTERM stop it cleanly."""

from __future__ import annotations

import asyncio
import gc
import shlex
import signal
from typing import TYPE_CHECKING, Any, TypeVar

import click

from judgecore.errors import LedgerError
from judgecore.targets import LedgerReader
from judgecore.terminal import count_noun, escape_controls

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

# A full garbage collection looks at all objects, of which thousands of requests in flight have hundreds of thousands.
_COLLECTIONS_BEFORE_FULL = 50

_Result = TypeVar("_Result")


def ledger_resume_hint(ledger: Path | None) -> str:
    """Return the part of an interruption's message that says what to type next."""
    again = escape_controls(shlex.join(["judgecore", *click.get_current_context().find_root().obj]))
    if ledger is None:
        return f"no ledger has the replies; to store them from now on, type:\n  {again} --ledger run.ledger"
    try:
        with LedgerReader(ledger) as reader:
            left = [one.n_requests for one in reader.batches() if one.state == "submitted"]
    except LedgerError:
        # It was not made yet.
        left = []
    batches = f", and {count_noun(sum(left), 'request')} in {count_noun(len(left), 'batch', 'batches')}" if left else ""
    return f"{escape_controls(str(ledger))} has the replies received so far{batches}; to resume, type:\n  {again}"


def run_interruptible(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine; SIGINT and SIGTERM cancel it once, and then raise ``KeyboardInterrupt``."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    is_stopped = False

    async def cancellable() -> _Result:
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(work)

        def stop() -> None:
            nonlocal is_stopped
            is_stopped = True
            task.cancel()

        for number in numbers:
            loop.add_signal_handler(number, stop)
        try:
            return await task
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)

    before = {number: signal.getsignal(number) for number in numbers}
    thresholds = gc.get_threshold()
    gc.set_threshold(*thresholds[:2], _COLLECTIONS_BEFORE_FULL)
    try:
        return asyncio.run(cancellable())
    except asyncio.CancelledError:
        if is_stopped:
            raise KeyboardInterrupt from None
        raise
    finally:
        gc.set_threshold(*thresholds)
        for number, handler in before.items():
            signal.signal(number, handler)
