"""``JudgeServer``: the loopback judge, listening."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

from judgecore.server import chat, messages
from judgecore.server.faults import FAULTS, FaultPlan
from judgecore.server.heuristics import chance
from judgecore.server.tally import ServerTally
from judgecore.server.wire import HttpAnswer, Incoming, UnreadableRequestError, Wire

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

_MODELS, _MESSAGES, _CHAT = "/v1/models", "/v1/messages", "/v1/chat/completions"
_AZURE = "/openai/deployments/"
_NAME = 24
_MOST_SAID = 300
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})


class JudgeServer:
    """A judge on the loopback address that is no model, for tests, demonstrations and users' own checks.

    It speaks OpenAI's ``/v1/chat/completions`` and ``/v1/models``, Azure's path to them and Anthropic's
    ``/v1/messages``. It answers by counting words, the same for the same request and seed, and names
    ``judgecore-serve-is-no-model`` as its model. Use it as an async context manager.

    Args:
        port: Where to listen; 0 for any free port.
        seed: What answers and faults are drawn by.
        faults: Which faults happen: the share of requests that meet each, by its name.
        delay_s: How long an answer takes at least, in seconds.
        api_key: The key that requests must have; None to take any, and none.
        count: The SQLite file in which requests are counted; None to count in memory.
        allow_hosts: Names that requests may be addressed to beside those of the loopback address.

    Attributes:
        port: Where it listens.
        url: The base address for OpenAI's clients, up to and with ``/v1``.
        seen: How many requests came.

    Raises:
        ValueError: If a fault's name or rate makes no sense.
        OSError: If the port is taken.
        sqlite3.Error: If the count can't be written.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        seed: int = 0,
        faults: dict[str, float] | None = None,
        delay_s: float = 0.0,
        api_key: str | None = None,
        count: Path | None = None,
        allow_hosts: Iterable[str] = (),
    ) -> None:
        self.port = port
        self._seed = seed
        self._plan = FaultPlan(tuple((faults or {}).items()))
        self._delay_s = delay_s
        self._api_key = api_key
        self._count = count
        self._hosts = _LOOPBACK | {host.lower() for host in allow_hosts}
        self.seen = 0
        self._tally: ServerTally | None = None
        self._server: asyncio.Server | None = None
        self._conversations: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The base address for OpenAI's clients, up to and with ``/v1``."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        self._tally = ServerTally(self._count)
        try:
            self._server = await asyncio.start_server(self._begin, "127.0.0.1", self.port, backlog=1024)
        except BaseException:
            self._tally.close()
            raise
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
        for conversation in self._conversations:
            conversation.cancel()
        await asyncio.gather(*self._conversations, return_exceptions=True)
        if self._tally is not None:
            self._tally.close()

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conversation = asyncio.get_running_loop().create_task(self._converse(Wire(reader, writer)))
        self._conversations.add(conversation)
        conversation.add_done_callback(self._conversations.discard)

    async def _converse(self, wire: Wire) -> None:
        """Answer the requests of one connection, until one side ends it."""
        try:
            with suppress(ConnectionError):
                try:
                    while (incoming := await wire.request()) is not None:
                        if not await self._respond(wire, incoming):
                            break
                except UnreadableRequestError as problem:
                    await wire.refuse(chat.refusal(problem.status, str(problem)))
        finally:
            wire.writer.close()

    async def _respond(self, wire: Wire, incoming: Incoming) -> bool:
        """Answer one request, or let a fault do it; tell whether the connection can take another."""
        tally = cast("ServerTally", self._tally)
        name = hashlib.sha256(incoming.body).hexdigest()
        drawn = self._plan.draw(chance("fault", self._seed, name, tally.seen(name))) if self._plan.rates else None
        tally.count(incoming.path, name, drawn)
        self.seen += 1
        if self._delay_s:
            await asyncio.sleep(self._delay_s)
        answer = self._answer(incoming, name[:_NAME])
        if drawn is not None and answer.status == 200:  # noqa: PLR2004 - what is refused anyway needs no fault
            return await FAULTS[drawn](wire, answer)
        return await wire.answer(answer)

    def _answer(self, incoming: Incoming, name: str) -> HttpAnswer:
        """Answer a request, or say in its endpoint's shape why not."""
        is_anthropic = incoming.path == _MESSAGES
        try:
            self._check(incoming)
            if incoming.path == _MODELS:
                return chat.models()
            give = messages.message if is_anthropic else chat.complete
            return give(_body(incoming), name=name, seed=self._seed)
        except chat.UnacceptableError as problem:
            status, said = problem.status, str(problem)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as problem:
            status, said = 400, f"the request is none that this server takes: {problem}"[:_MOST_SAID]
        return messages.refusal(status, said) if is_anthropic else chat.refusal(status, said)

    def _check(self, incoming: Incoming) -> None:
        """Refuse a request that is meant for another, has no key, or goes nowhere."""
        host = _host_of(incoming.headers.get("host", ""))
        if host not in self._hosts:
            # A page of a browser gets here by a name of its own that leads to this address.
            problem = f"this server is not {host[:60]!r}; start it with --allow-host to have it answer to that name"
            raise chat.UnacceptableError(problem, 403)
        if not self._is_let_in(incoming):
            # Clients know a wrong key by OpenAI's words.
            problem = "Incorrect API key provided: this server was started with another"
            raise chat.UnacceptableError(problem, 401)
        is_azure = incoming.path.startswith(_AZURE) and incoming.path.endswith("/chat/completions")
        if not is_azure and incoming.path not in (_MODELS, _MESSAGES, _CHAT):
            raise chat.UnacceptableError(f"no such path: {incoming.path}", 404)
        if incoming.method != ("GET" if incoming.path == _MODELS else "POST"):
            raise chat.UnacceptableError(f"no such method here: {incoming.method}", 405)
        if is_azure and "api-version=" not in incoming.query:
            raise chat.UnacceptableError("api-version is missing from the query", 404)

    def _is_let_in(self, incoming: Incoming) -> bool:
        if self._api_key is None:
            return True
        bearer = incoming.headers.get("authorization", "").removeprefix("Bearer ")
        given = (bearer, incoming.headers.get("x-api-key"), incoming.headers.get("api-key"))
        return self._api_key in given


def _host_of(header: str) -> str:
    """The name in a header ``Host``, without its port."""
    name, colon, port = header.strip().lower().rpartition(":")
    return name if colon and port.isdecimal() else header.strip().lower()


def _body(incoming: Incoming) -> dict[str, Any]:
    try:
        asked: object = json.loads(incoming.body, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError):
        raise chat.UnacceptableError("the body is no JSON") from None
    if not isinstance(asked, dict):
        raise chat.UnacceptableError("the body is no JSON object")
    return cast("dict[str, Any]", asked)


def _finite(spelled: str) -> float:
    value = float(spelled)
    if math.isinf(value):
        raise ValueError(spelled)
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
