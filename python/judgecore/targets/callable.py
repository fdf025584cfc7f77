"""``CallableTarget``: uses a function as a judge."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

from judgecore.errors import CallableError, JudgecoreError
from judgecore.identity import class_identifier
from judgecore.identity.component import why_unnamed
from judgecore.targets.asking import BlockingAsk
from judgecore.targets.reply import JudgeReply
from judgecore.targets.target import is_cancelled, to_sampling

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from judgecore.identity import ComponentIdentifier
    from judgecore.targets.request import JudgeRequest


class CallableTarget(BlockingAsk):
    """A function as a judge: it takes a ``JudgeRequest`` and returns text, a ``JudgeReply``, or None for no text.

    The function may be async; otherwise it runs in a thread and may block.

    Args:
        function: The function.
        name: The name in the identity, which no other judge of yours must have. By default the function's module and
            name; if these are ambiguous, as in a script or a notebook, and there is no version, scorers that use this
            target neither read nor write the registry.
        version: A version, which you raise when the function's answers change; part of the identity.
        params: Other settings that affect the answers; part of the identity. Of these, ``underlying_model_name``,
            ``temperature`` and ``top_p`` count for ``eval_hash``.

    Raises:
        ValueError: If no name is given for a function that can't be imported, such as a lambda, or a temperature or
            ``top_p`` in ``params`` is out of its range.

    Examples:
        >>> import asyncio
        >>> from judgecore import CallableTarget, JudgeRequest
        >>> target = CallableTarget(lambda request: "Rating: [[8]]", name="always_eight")
        >>> asyncio.run(target.send(JudgeRequest("How good is it?"))).text
        'Rating: [[8]]'
    """

    def __init__(
        self,
        function: Callable[[JudgeRequest], str | JudgeReply | Awaitable[str | JudgeReply | None] | None],
        *,
        name: str | None = None,
        version: str | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        self._function = function
        self._name = name or _importable_name(function)
        is_told = name is not None or version is not None
        self._unnamed_code = None if is_told else why_unnamed(function, "pass version= or name= to CallableTarget")
        self._version = version
        self._params = {key: to_sampling(key, value) for key, value in (params or {}).items()}

    def get_identifier(self) -> ComponentIdentifier:
        """Return the identity: the function's name and version, and the params."""
        return class_identifier(
            self,
            params={"underlying_model_name": self._name, "version": self._version, **self._params},
            unnamed_code=self._unnamed_code,
        )

    async def send(self, request: JudgeRequest, /) -> JudgeReply:
        """Call the function."""
        try:
            if inspect.iscoroutinefunction(self._function):
                answer: object = await self._function(request)
            else:
                answer = await asyncio.to_thread(self._call, request)
                if inspect.isawaitable(answer):
                    answer = await answer
        except JudgecoreError:
            raise
        except (Exception, asyncio.CancelledError) as problem:
            if isinstance(problem, asyncio.CancelledError) and is_cancelled():
                raise
            raise CallableError(f"{self._name} raised {type(problem).__name__}") from problem
        if isinstance(answer, JudgeReply):
            return answer
        if answer is None:
            return JudgeReply(text=None, outcome="no_text")
        if not isinstance(answer, str):
            raise CallableError(f"{self._name} returned {type(answer).__name__}; return a str, a JudgeReply or None")
        return JudgeReply(text=answer)

    def _call(self, request: JudgeRequest) -> object:
        """Call a synchronous function, in its thread."""
        try:
            return self._function(request)
        except StopIteration as problem:
            # A future can't hold StopIteration, so the caller would wait forever.
            raise CallableError(f"{self._name} raised StopIteration") from problem

    def __repr__(self) -> str:
        return f"CallableTarget({self._name})"


def _importable_name(function: Callable[..., object]) -> str:
    name: str = getattr(function, "__qualname__", "")
    if not name or "<" in name:
        raise ValueError("a function that can't be imported needs name=, which becomes its identity")
    return f"{function.__module__}.{name}"
