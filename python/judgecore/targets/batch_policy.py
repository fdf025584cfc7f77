"""``BatchPolicy``: how requests are sent in batches."""

from __future__ import annotations

from dataclasses import dataclass


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
