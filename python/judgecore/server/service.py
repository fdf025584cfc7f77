"""``JudgeServer``: the HTTP server of the loopback judge, and its record of requests."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import sqlite3
import time
from asyncio import Semaphore
from collections import Counter
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

from judgecore.server import chat, messages
from judgecore.server.anthropic_batches import AnthropicBatchStore
from judgecore.server.batches import BATCH_FAULTS
from judgecore.server.faults import FAULTS, FaultPlan
from judgecore.server.heuristics import pseudo_random
from judgecore.server.openai_batches import OpenAIBatchStore
from judgecore.server.tokens import PrefixCache
from judgecore.server.wire import HttpConnection, HttpRequest, HttpResponse, UnreadableRequestError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from judgecore.server.batches import BatchStore


_TABLE = """
    CREATE TABLE IF NOT EXISTS request (
        id INTEGER PRIMARY KEY,
        at REAL NOT NULL,
        path TEXT NOT NULL,
        body TEXT NOT NULL,
        fault TEXT
    )
"""


class ServerTally:
    """The recorded requests, with their faults."""

    def __init__(self, path: Path | None) -> None:
        self._seen: Counter[str] = Counter()
        self._file = sqlite3.connect(":memory:" if path is None else path, isolation_level=None)
        # The records need not survive a power failure.
        for pragma in ("journal_mode = WAL", "synchronous = OFF"):
            self._file.execute(f"PRAGMA {pragma}")
        self._file.execute(_TABLE)

    def seen(self, body: str) -> int:
        """Return how often a body was received before, by this process."""
        return self._seen[body]

    def count(self, path: str, body: str, fault: str | None) -> None:
        """Record a request: its path, the SHA-256 of its body, and the injected fault."""
        self._seen[body] += 1
        self._file.execute(
            "INSERT INTO request (at, path, body, fault) VALUES (?, ?, ?, ?)", (time.time(), path, body, fault)
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()


_MODELS, _MESSAGES, _CHAT = "/v1/models", "/v1/messages", "/v1/chat/completions"
_FILES, _BATCHES, _MESSAGE_BATCHES = "/v1/files", "/v1/batches", "/v1/messages/batches"
_AZURE = "/openai/deployments/"
_ID_DIGITS = 24
_MAX_MESSAGE = 300
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})


class JudgeServer:
    """A judge server without a model on the loopback address, for tests and demonstrations.

    It implements OpenAI's ``/v1/chat/completions`` and ``/v1/models``, Azure's path to them, Anthropic's
    ``/v1/messages``, and the batches of both. It answers by counting words, always the same for the same request and
    seed, and names ``judgecore-serve-is-no-model`` as its model. Use it as an async context manager.

    Args:
        port: The port to listen on; 0 for any free port.
        seed: The seed of answers and faults.
        faults: The share of requests for each fault, by its name, from 0 to 1.
        delay_s: The minimum time of an answer, in seconds.
        capacity: How many requests are answered at once, each in that time; the others wait. None for no limit.
        api_key: The API key that requests must have; None to accept any or none.
        count: The SQLite file in which requests are recorded; None to record them in memory.
        allow_hosts: Host names that requests may be addressed to, besides those of the loopback address.

    Attributes:
        port: The port that it listens on.
        seen: The number of requests received.

    Raises:
        ValueError: If a fault's name or rate is invalid.
        OSError: If the port is in use.
        sqlite3.Error: If the file can't be written.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        seed: int = 0,
        faults: dict[str, float] | None = None,
        delay_s: float = 0.0,
        capacity: int | None = None,
        api_key: str | None = None,
        count: Path | None = None,
        allow_hosts: Iterable[str] = (),
    ) -> None:
        self.port = port
        self._seed = seed
        rates = faults or {}
        self._plan = FaultPlan(tuple((name, rate) for name, rate in rates.items() if name not in BATCH_FAULTS))
        of_batches = {name: rate for name, rate in rates.items() if name in BATCH_FAULTS}
        openai = OpenAIBatchStore(of_batches, seed, self._count_question)
        anthropic = AnthropicBatchStore(of_batches, seed, self._count_question)
        self._batches = {_FILES: openai, _BATCHES: openai, _MESSAGE_BATCHES: anthropic}
        self._prefixes = PrefixCache()
        self._delay_s = delay_s
        self._places: AbstractAsyncContextManager[Any] = nullcontext() if capacity is None else Semaphore(capacity)
        self._api_key = api_key
        self._count = count
        self._hosts = _LOOPBACK | {host.lower() for host in allow_hosts}
        self.seen = 0
        self._is_lost = False
        self._tally: ServerTally | None = None
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The base URL for OpenAI's clients, up to and including ``/v1``."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        self._tally = ServerTally(self._count)
        try:
            self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port, backlog=1024)
        except BaseException:
            self._tally.close()
            raise
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        if self._tally is not None:
            self._tally.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.get_running_loop().create_task(self._serve_connection(HttpConnection(reader, writer)))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _serve_connection(self, wire: HttpConnection) -> None:
        """Answer the requests of one connection until one side closes it."""
        try:
            with suppress(ConnectionError):
                try:
                    while (request := await wire.request()) is not None:
                        if not await self._respond(wire, request):
                            break
                except UnreadableRequestError as problem:
                    await wire.refuse(chat.error_response(problem.status, str(problem)))
        finally:
            wire.writer.close()

    async def _respond(self, wire: HttpConnection, request: HttpRequest) -> bool:
        """Answer one request or inject a fault; return whether the connection can be reused."""
        tally = cast("ServerTally", self._tally)
        name = hashlib.sha256(request.body).hexdigest()
        fault = (
            self._plan.draw(pseudo_random("fault", self._seed, name, tally.seen(name))) if self._plan.rates else None
        )
        tally.count(request.path, name, fault)
        self.seen += 1
        if self._delay_s:
            async with self._places:
                await asyncio.sleep(self._delay_s)
        answer = self._answer(request, name[:_ID_DIGITS])
        if self._is_lost:
            self._is_lost = False
            return await FAULTS["reset"](wire, answer)
        if fault is not None and answer.status == 200:  # noqa: PLR2004 - errors are sent without a fault
            return await FAULTS[fault](wire, answer)
        return await wire.answer(answer)

    def _answer(self, request: HttpRequest, name: str) -> HttpResponse:
        """Return the response to a request, or an error in its endpoint's schema."""
        is_anthropic = request.path.startswith(_MESSAGES)
        try:
            self._check(request)
            if request.path == _MODELS:
                return chat.models()
            if (batches := self._batches_at(request.path)) is not None:
                answer, self._is_lost = batches.answer(request)
                return answer
            give = messages.message if is_anthropic else chat.complete
            return give(_body(request), name=name, seed=self._seed, prefixes=self._prefixes)
        except chat.RejectedRequestError as problem:
            status, message = problem.status, str(problem)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as problem:
            status, message = 400, f"invalid request: {problem}"[:_MAX_MESSAGE]
        return messages.error_response(status, message) if is_anthropic else chat.error_response(status, message)

    def _batches_at(self, path: str) -> BatchStore | None:
        return next((one for at, one in self._batches.items() if path == at or path.startswith(f"{at}/")), None)

    def _count_question(self, name: str) -> None:
        cast("ServerTally", self._tally).count("/v1/batches#", name, None)

    def _check(self, request: HttpRequest) -> None:
        """Reject a request to another host, without the API key, or to an unknown path."""
        host = _host_of(request.headers.get("host", ""))
        if host not in self._hosts:
            # Against DNS rebinding, by which a web page reaches the loopback address under its own host name.
            problem = f"requests to the host {host[:60]!r} are not allowed; allow it with --allow-host"
            raise chat.RejectedRequestError(problem, 403)
        if not self._is_authorized(request):
            # Clients recognize a wrong key by OpenAI's message.
            problem = "Incorrect API key provided: this server was started with another one"
            raise chat.RejectedRequestError(problem, 401)
        is_azure = request.path.startswith(_AZURE) and request.path.endswith("/chat/completions")
        if self._batches_at(request.path) is not None:
            return
        if not is_azure and request.path not in (_MODELS, _MESSAGES, _CHAT):
            raise chat.RejectedRequestError(f"no such path: {request.path}", 404)
        if request.method != ("GET" if request.path == _MODELS else "POST"):
            raise chat.RejectedRequestError(f"method not allowed: {request.method}", 405)
        if is_azure and "api-version=" not in request.query:
            raise chat.RejectedRequestError("api-version is missing from the query", 404)

    def _is_authorized(self, request: HttpRequest) -> bool:
        if self._api_key is None:
            return True
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        given = (bearer, request.headers.get("x-api-key"), request.headers.get("api-key"))
        return self._api_key in given


def _host_of(header: str) -> str:
    """Return the name in a ``Host`` header, without the port."""
    name, colon, port = header.strip().lower().rpartition(":")
    return name if colon and port.isdecimal() else header.strip().lower()


def _body(request: HttpRequest) -> dict[str, Any]:
    try:
        body: object = json.loads(request.body, parse_constant=_reject_constant, parse_float=_finite_float)
    except (ValueError, RecursionError):
        raise chat.RejectedRequestError("the body is not valid JSON") from None
    if not isinstance(body, dict):
        raise chat.RejectedRequestError("the body is not a JSON object")
    return cast("dict[str, Any]", body)


def _finite_float(spelled: str) -> float:
    value = float(spelled)
    if math.isinf(value):
        raise ValueError(spelled)
    return value


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(name)
