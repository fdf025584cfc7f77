"""``CallableTarget``: a function of yours as a judge."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

from judgecore.errors import CallableError, JudgecoreError
from judgecore.identity import class_identifier, why_unnamed
from judgecore.targets.reply import JudgeReply
from judgecore.targets.target import is_cancelled, to_float

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from judgecore.identity import ComponentIdentifier
    from judgecore.targets.request import JudgeRequest

_NUMBERS = ("temperature", "top_p")


class CallableTarget:
    """A function as a judge: it takes a ``JudgeRequest`` and returns text, a ``JudgeReply``, or None for no text.

    It may be async. One that is not is run in a thread, so that it may take its time.

    Args:
        function: The function.
        name: What its identity is called: a promise that you call no other judge so. None for the function's own module
            and name; where those can stand for other code, as in a script or a notebook, and there is no version, a
            scorer that asks it neither reads nor writes the registry.
        version: Raised by you when the function's answers change; part of the identity.
        params: What else its answers depend on; part of the identity. ``underlying_model_name``, ``temperature`` and
            ``top_p`` are those that count for ``eval_hash``.

    Raises:
        ValueError: If no name is given for a function that has none that could be imported, such as a lambda.

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
        self._params = {
            key: to_float(value) if key in _NUMBERS and isinstance(value, int | float) else value
            for key, value in (params or {}).items()
        }

    def get_identifier(self) -> ComponentIdentifier:
        """Return what the target is: the function's name and version, and the params that were given."""
        return class_identifier(
            self,
            params={"underlying_model_name": self._name, "version": self._version, **self._params},
            unnamed_code=self._unnamed_code,
        )

    async def send(self, request: JudgeRequest, /) -> JudgeReply:
        """Call the function.

        Args:
            request: What to ask.

        Returns:
            What it returns; text becomes the text of a reply, None one without.

        Raises:
            CallableError: If the function raises, or returns something else. Errors of judgecore pass as they are.
        """
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
        """Call a function that is not async, in its thread."""
        try:
            return self._function(request)
        except StopIteration as problem:
            # No future takes it: whoever waits for the thread would wait for ever.
            raise CallableError(f"{self._name} raised StopIteration") from problem

    def __repr__(self) -> str:
        return f"CallableTarget({self._name})"


def _importable_name(function: Callable[..., object]) -> str:
    name: str = getattr(function, "__qualname__", "")
    if not name or "<" in name:
        raise ValueError("a function without a name that could be imported needs name=, which becomes its identity")
    return f"{function.__module__}.{name}"
