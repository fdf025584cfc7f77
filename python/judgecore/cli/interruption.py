"""Work that Ctrl-C and SIGTERM stop cleanly."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Any, TypeVar

from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

_Result = TypeVar("_Result")


def ledger_resume_hint(ledger: Path | None) -> str:
    """Say what is left of an interrupted run's replies.

    Args:
        ledger: Where replies are kept; None for nowhere.
    """
    if ledger is None:
        return "with --ledger the same command would go on"
    return f"{escape_controls(str(ledger))} keeps what came, and the same command goes on"


def run_interruptible(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run async work until it is done; SIGINT and SIGTERM cancel it, and what it keeps is kept.

    Args:
        work: What to run. It is cancelled once, and may take its time to put things in order.

    Returns:
        What it returns.

    Raises:
        KeyboardInterrupt: If it was stopped, for ``main`` to leave with status 130.
    """
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
    try:
        return asyncio.run(cancellable())
    except asyncio.CancelledError:
        if is_stopped:
            raise KeyboardInterrupt from None
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
