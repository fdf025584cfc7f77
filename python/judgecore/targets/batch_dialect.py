"""``BatchDialect``: what differs between the batch APIs of providers; ``BatchPolicy``: how a target uses them."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, cast

from judgecore.errors import MalformedReplyError, RateLimitError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from judgecore.errors import StatusError
    from judgecore.targets.exchange import Answered


@dataclass(frozen=True, kw_only=True)
class BatchPolicy:
    """How a target sends requests in batches, which providers answer within a day at a lower price.

    Attributes:
        max_requests: The maximum number of requests in a batch; None for the provider's limit.
        max_bytes: The maximum size of a batch in bytes; it is held in memory. The provider's limit applies if lower.
        attempts: How often a run submits a request whose batch expired, was cancelled or lost its reply; at least 1.
        poll_s: The wait before a batch is checked again, in seconds; it grows by half with each check.
        max_poll_s: The maximum of that wait, in seconds.
        confirm_within_s: How long after an unconfirmed submission its batch may still appear at the endpoint, in
            seconds. Until then its requests are not submitted again.

    Raises:
        ValueError: If a number is out of range.
    """

    max_requests: int | None = None
    max_bytes: int = 64 << 20
    attempts: int = 3
    poll_s: float = 5.0
    max_poll_s: float = 300.0
    confirm_within_s: float = 30.0

    def __post_init__(self) -> None:
        for name in ("max_requests", "max_bytes", "attempts"):
            value: int | None = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")
        if not 0 < self.poll_s <= self.max_poll_s:
            raise ValueError(f"poll_s must be above 0 and at most max_poll_s, not {self.poll_s:g}")
        if not self.confirm_within_s >= 0:
            raise ValueError(f"confirm_within_s must be at least 0, not {self.confirm_within_s:g}")


BatchProgress: TypeAlias = Literal["running", "ended", "expired", "cancelled", "failed"]
"""How far a provider has come with a batch."""

CLOCKS_S = 3600.0
"""By how much the clocks of client and provider may differ, in seconds."""


class BatchClient(Protocol):
    """Sends the calls of a batch API, with the endpoint's key, retries and limits."""

    async def call(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        media_type: str = "application/json",
        may_repeat: bool = True,
        take: Callable[[bytes], Awaitable[bool]] | None = None,
    ) -> Answered:
        """Send a request.

        Args:
            method: The HTTP method.
            path: The path after the base URL, with the query.
            body: The body.
            media_type: The body's type.
            may_repeat: Whether sending it twice is harmless; otherwise it is sent again only if it never arrived.
            take: Takes each line of the response, in place of the body, and returns whether it wants more; it gets all
                lines again after a failure.

        Raises:
            TargetError: In one of its kinds, if there is no response of status 200.
        """
        ...


@dataclass(frozen=True)
class ProviderBatch:
    """A batch as its provider describes it.

    Attributes:
        name: The provider's id.
        progress: How far it is.
        n_requests: The number of requests; None if the provider does not know it yet.
        submission: The id of the submission that made it; None if this does not tell, empty for others.
        results: The paths of the results.
        error: The provider's reason for a failure.
        rejected: The reasons by position, if the provider names the requests that made the batch fail.
        is_refused: Whether it failed because the provider's queue had no room for it.
    """

    name: str
    progress: BatchProgress
    n_requests: int | None = None
    submission: str | None = ""
    results: tuple[str, ...] = ()
    error: str = ""
    rejected: Mapping[int, str] = field(default_factory=dict[int, str])
    is_refused: bool = False


@dataclass(frozen=True)
class BatchResult:
    """One line of the results.

    Attributes:
        custom_id: The id of the request in the batch.
        reply: The body of the reply; None without one.
        status: The HTTP status of a request that failed; None if it has none.
        error: Why there is no reply.
    """

    custom_id: str
    reply: bytes | None = None
    status: int | None = None
    error: str = ""


async def list_newest(client: BatchClient, path: str, after: str) -> AsyncIterator[dict[str, Any]]:
    """Yield the objects of a list that comes in pages, newest first."""
    more = ""
    while True:
        page = to_object((await client.call("GET", f"{path}?limit=100{more}")).body)
        listed = cast("list[Any]", page.get("data") or [])
        for one in listed:
            yield one
        if not listed or not page.get("has_more"):
            return
        more = f"&{after}={to_name(listed[-1])}"


class BatchDialect(ABC):
    """A provider's batch API: limits, calls and shapes. The states of a batch are the same for all providers."""

    max_requests: ClassVar[int]
    max_bytes: ClassVar[int]

    def is_queue_full(self, problem: StatusError) -> bool:
        """Return whether a batch was rejected because the provider's queue has no room for it now."""
        return isinstance(problem, RateLimitError)

    async def submission(self, client: BatchClient, batch: ProviderBatch) -> str | None:
        """Return the id of the submission that made a batch; None while the provider does not tell.

        Raises:
            TargetError: If the provider could not be asked.
        """
        del client
        return batch.submission

    @abstractmethod
    def line(self, custom_id: str, payload: bytes) -> bytes:
        """Write one request of a batch."""

    @abstractmethod
    async def submit(self, client: BatchClient, submission: str, lines: Sequence[bytes]) -> str:
        """Submit a batch and return the provider's id of it.

        Raises:
            TargetError: If it was not confirmed.
        """

    @abstractmethod
    async def status(self, client: BatchClient, name: str) -> ProviderBatch:
        """Return how far a batch is."""

    @abstractmethod
    def latest(self, client: BatchClient, since: float) -> AsyncIterator[ProviderBatch]:
        """Yield the batches made since a Unix time in seconds, to find those whose submission was not confirmed."""

    @abstractmethod
    def result(self, line: bytes) -> BatchResult:
        """Read one line of the results.

        Raises:
            ValueError: If it is not valid.
        """


def make_custom_id(submission: str, position: int, content: bytes) -> str:
    """Return the id of a request in a batch: at most 41 letters, digits and hyphens, as all providers allow."""
    return f"{submission}-{position}-{content.hex()[:16]}"


def split_custom_id(custom_id: str) -> tuple[str, int | None]:
    """Return the submission and the position in the id of a request; None for an id of another origin."""
    submission, _, rest = custom_id.partition("-")
    position = rest.partition("-")[0]
    return submission, int(position) if position.isascii() and position.isdecimal() else None


def to_object(body: bytes) -> dict[str, Any]:
    """Parse a JSON object of a batch API."""
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise MalformedReplyError("the batch endpoint's answer is not a JSON object")
    return cast("dict[str, Any]", value)


def to_name(described: dict[str, Any]) -> str:
    """Return the provider's id of an object, which becomes part of a path."""
    name: object = described.get("id")
    if not isinstance(name, str) or not name.replace("-", "").replace("_", "").isalnum():
        raise MalformedReplyError("the batch endpoint's answer has no valid id")
    return name
