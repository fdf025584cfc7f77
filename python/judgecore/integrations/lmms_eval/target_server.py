"""``TargetServer``: a judgecore target with lmms-eval's interface, optionally with a ledger."""

from __future__ import annotations

import asyncio
import base64
import binascii
import io
import threading
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from judgecore.errors import RequestError, TargetError
from judgecore.integrations.lmms_eval.protocol import Response
from judgecore.integrations.lmms_eval.server import AsyncServerInterface
from judgecore.scorers.response import to_image
from judgecore.targets import ConversationTurn, JudgeRequest, PromptImage, Target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future

    from judgecore.integrations.lmms_eval.protocol import Request, ServerConfig
    from judgecore.targets import JudgeReply, Ledger


_OF_THE_TARGET = (
    "model_name",
    "temperature",
    "top_p",
    "timeout",
    "num_retries",
    "retry_delay",
    "max_concurrent",
    "response_format",
)


class TargetServer(AsyncServerInterface):
    """A judge that asks any target; with a ledger, no reply is paid for twice.

    All requests are sent from one event loop in a thread of its own, so the server can be used with any number of event
    loops, or none. Use it as a context manager, or close it.

    Args:
        target: The judge, or a function that makes one from a configuration.
        config: The configuration. For an existing target, only the system prompt and ``max_tokens`` apply. If a
            request's configuration differs in other settings, or the server's configuration has been changed, a new
            target is made; without a function to make one, the request is rejected.
        ledger: The ledger for requests and replies; None for none.

    Examples:
        >>> from judgecore import CallableTarget
        >>> from judgecore.integrations.lmms_eval import TargetServer
        >>> judge = CallableTarget(lambda request: "0 (step 1 is wrong)", name="demo")
        >>> with TargetServer(judge) as server:
        ...     answer = server.evaluate_binary("2 + 2?", answer="4", prediction="5")
        >>> answer["result"], answer["success"], answer["reading"].rule
        (0, True, 'opening')
    """

    def __init__(
        self,
        target: Target | Callable[[ServerConfig], Target],
        config: ServerConfig | None = None,
        *,
        ledger: Ledger | None = None,
    ) -> None:
        super().__init__(config)
        self._settings = _settings_of(self.config)
        self._targets: dict[tuple[Any, ...], Target] = {}
        self._make = None if isinstance(target, Target) else target
        if isinstance(target, Target):
            self._targets[tuple(self._settings.values())] = target
        self._ledger = ledger
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._making = threading.Lock()

    def is_available(self) -> bool:
        """Return whether the judge can be asked: an endpoint needs a URL and a key.

        The key itself is not checked.
        """
        try:
            target = self._target_of(self.config)
        except RequestError:
            return False
        return bool(getattr(target, "has_key", True))

    def evaluate(self, request: Request) -> Response:
        """Ask the judge and wait."""
        return self._sent(request).result()

    async def evaluate_async(self, request: Request) -> Response:
        """Ask the judge."""
        return await asyncio.wrap_future(self._sent(request))

    def close(self) -> None:
        """Close the connections and stop the thread; the ledger stays open.

        Requests in flight end with a ``TargetError``.
        """
        with self._starting:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(self._close(), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _sent(self, request: Request) -> Future[Response]:
        """Schedule a request on the event loop, under the lock that ``close`` takes."""
        with self._starting:
            return asyncio.run_coroutine_threadsafe(self._send(request), self._running())

    async def _send(self, request: Request) -> Response:
        target = self._target_of(request.config or self.config)
        asked = self._judge_request(request)
        try:
            reply = await (target.send(asked) if self._ledger is None else self._ledger.send(target, asked))
        except asyncio.CancelledError:
            if asyncio.get_running_loop() is self._loop:
                raise
            raise TargetError("the server was closed before the judge replied; send the request again") from None
        named = target.get_identifier().params.get("underlying_model_name")
        return _response(reply, str(named or (request.config or self.config).model_name))

    async def _close(self) -> None:
        """Cancel requests in flight, then close all targets, even if closing one fails."""
        asked = asyncio.all_tasks() - {cast("asyncio.Task[Any]", asyncio.current_task())}
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        async with AsyncExitStack() as closing:
            for target in self._targets.values():
                close = getattr(target, "aclose", None)
                if close is not None:
                    closing.push_async_callback(close)

    def _running(self) -> asyncio.AbstractEventLoop:
        """Return the event loop, started on first use; the caller holds the lock."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="judgecore-judge", daemon=True)
            self._thread.start()
        return self._loop

    def _target_of(self, config: ServerConfig) -> Target:
        """Return the target for a configuration, made on first use."""
        wanted = _settings_of(config)
        key = tuple(wanted.values())
        with self._making:
            if key in self._targets:
                return self._targets[key]
            if self._make is None:
                known = self._settings
                differing = [
                    f"{name} is {value!r} instead of {known[name]!r}"
                    for name, value in wanted.items()
                    if value != known[name]
                ]
                raise RequestError(
                    f"the request's config differs from the target's: {', '.join(differing)}; make a server for that "
                    "config, or pass a function that makes a target from a config"
                )
            # A copy, because the caller's config may be changed while the target is used.
            return self._targets.setdefault(key, self._make(replace(config)))

    def _judge_request(self, request: Request) -> JudgeRequest:
        messages = self.prepare_messages(request)
        system = "\n\n".join(_text(message) for message in messages if message.get("role") == "system")
        turns = [_turn(message) for message in messages if message.get("role") != "system"]
        if not turns:
            raise RequestError("the request has no user message; add one to messages")
        shown = tuple(_image(image) for image in request.images or ())
        turns[-1] = replace(turns[-1], images=(*shown, *turns[-1].images))
        return JudgeRequest(tuple(turns), system=system or None, max_tokens=(request.config or self.config).max_tokens)


def _settings_of(config: ServerConfig) -> dict[str, Any]:
    """Return the settings of a target; the system prompt and ``max_tokens`` belong to each request."""
    return {name: getattr(config, name) for name in _OF_THE_TARGET}


def _response(reply: JudgeReply, model: str) -> Response:
    usage = reply.usage
    counted = {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens or None,
    }
    is_answer = reply.outcome in ("answered", "cut")
    return Response(
        content=reply.text or "",
        model_used=reply.model or model,
        usage={name: tokens for name, tokens in counted.items() if tokens is not None} or None,
        raw_response=reply,
        success=is_answer,
        error_message=None if is_answer else f"{reply.outcome}: {reply.refusal or 'the judge did not answer'}",
        cut=reply.cut,
    )


def _parts(message: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise RequestError(f"a message with role {message.get('role')!r} has no content")
    return cast("list[dict[str, Any]]", content)


def _text(message: Mapping[str, Any]) -> str:
    return "\n".join(str(part.get("text", "")) for part in _parts(message) if part.get("type") == "text")


def _turn(message: Mapping[str, Any]) -> ConversationTurn:
    images = tuple(_addressed(part["image_url"]["url"]) for part in _parts(message) if part.get("type") == "image_url")
    return ConversationTurn("assistant" if message.get("role") == "assistant" else "user", _text(message), images)


def _addressed(url: str) -> PromptImage:
    """Return the image of a URL in a message, which is untrusted and must not name a local file."""
    if not url.startswith(("http://", "https://", "data:")):
        raise RequestError(f"{url[:60]!r} is not an http, https or data URL of an image; pass files in images=")
    return _image(url)


def _image(given: Any) -> PromptImage:
    if isinstance(given, bytes):
        try:
            return PromptImage.from_bytes(base64.b64decode(given, validate=True))
        except (binascii.Error, RequestError):
            return PromptImage.from_bytes(given)
    if isinstance(given, str | Path):
        named = str(given)
        if named.startswith("data:"):
            media_type, _, data = named.removeprefix("data:").partition(";base64,")
            return PromptImage.from_bytes(base64.b64decode(data), media_type=media_type)
        return to_image(named)
    if hasattr(given, "save"):
        written = io.BytesIO()
        given.save(written, format="PNG")
        return PromptImage.from_bytes(written.getvalue())
    raise RequestError(f"{type(given).__name__} is not an image; pass a path, bytes or a PIL image")
