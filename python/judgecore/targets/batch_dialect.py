"""``BatchDialect``: what differs between the batch APIs of providers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from judgecore.targets.exchange import Answered

BatchProgress: TypeAlias = Literal["running", "ended", "expired", "cancelled", "failed"]
"""How far a provider has come with a batch."""


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
        take: Callable[[bytes], Awaitable[None]] | None = None,
    ) -> Answered:
        """Send a request.

        Args:
            method: The HTTP method.
            path: The path after the base URL, with the query.
            body: The body.
            media_type: The body's type.
            may_repeat: Whether sending it twice is harmless; otherwise it is sent again only if it never arrived.
            take: Takes each line of the response, in place of the body; it gets all lines again after a failure.

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
        submission: The id of the submission that made it; None if the provider can't tell yet, empty for others.
        results: The paths of the results.
        error: The provider's reason for a failure.
    """

    name: str
    progress: BatchProgress
    n_requests: int | None = None
    submission: str | None = ""
    results: tuple[str, ...] = ()
    error: str = ""


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


class BatchDialect(ABC):
    """A provider's batch API: limits, calls and shapes. The states of a batch are the same for all providers."""

    max_requests: ClassVar[int]
    max_bytes: ClassVar[int]

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
