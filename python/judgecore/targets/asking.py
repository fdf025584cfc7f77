"""Asking from code that is not async: scripts and notebooks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from judgecore.targets.keeping import ask_target
from judgecore.targets.request import JudgeRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from judgecore.identity import ComponentIdentifier
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import ConversationTurn

_Result = TypeVar("_Result")


def run_blocking(work: Callable[[], Coroutine[Any, Any, _Result]], instead: str) -> _Result:
    """Run async work from code that is not async."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    raise RuntimeError(f"an event loop is running here, as in a notebook; write `{instead}`")


class BlockingAsk:
    """Gives a target a method for code that is not async."""

    async def send(self, request: JudgeRequest, /) -> JudgeReply:
        """Send a request, as ``Target.send``; the target implements it."""
        raise NotImplementedError

    def get_identifier(self) -> ComponentIdentifier:
        """Return what the target is; the target implements it."""
        raise NotImplementedError

    def ask(self, prompt: str | Sequence[ConversationTurn] | JudgeRequest, **settings: Any) -> JudgeReply:
        """Ask and wait for the reply, from code that is not async; ``send`` is for code that is.

        Args:
            prompt: What to ask, or a whole request.
            **settings: What else the request has, as ``JudgeRequest`` takes it: ``system``, ``schema``, ...

        Returns:
            The reply; inside ``keep_replies`` from its ledger, if it has one.

        Raises:
            RuntimeError: If an event loop is running, as in a notebook; the message names the async call.
            TargetError: In one of its kinds, if there is no reply.
            TypeError: If there are settings beside a whole request.

        Examples:
            >>> import judgecore as jc
            >>> judge = jc.CallableTarget(lambda request: "Rating: [[8]]", name="always_eight")
            >>> judge.ask("How good is it?").read("mt_bench.single").value
            8.0
        """
        if isinstance(prompt, JudgeRequest) and settings:
            raise TypeError(f"the request has its own {', '.join(settings)}; change it there")
        request = prompt if isinstance(prompt, JudgeRequest) else JudgeRequest(prompt, **settings)
        return run_blocking(lambda: ask_target(self, request), "await target.send(judgecore.JudgeRequest(...))")
