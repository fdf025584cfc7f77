"""Anthropic's message batches: https://platform.claude.com/docs/en/build-with-claude/batch-processing."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, cast

from judgecore.targets.batch_dialect import (
    CLOCKS_S,
    BatchDialect,
    BatchProgress,
    BatchResult,
    ProviderBatch,
    list_newest,
    split_custom_id,
    to_name,
    to_object,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from judgecore.targets.batch_dialect import BatchClient

_PATH = "/v1/messages/batches"
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
}


class AnthropicBatches(BatchDialect):
    """Batches of messages: one request has them all, and the results are JSON lines.

    A batch has no metadata. The list of batches does not tell which submission made one; the ids of the requests in
    its results do, once it has ended.
    """

    max_requests: ClassVar[int] = 100_000
    max_bytes: ClassVar[int] = 256_000_000

    def line(self, custom_id: str, payload: bytes) -> bytes:
        """Write one request of a batch."""
        return b'{"custom_id":"%s","params":%s}\n' % (custom_id.encode("ascii"), payload)

    async def submit(self, client: BatchClient, submission: str, lines: Sequence[bytes]) -> str:
        """Create the batch and return the provider's id of it."""
        del submission
        body = b'{"requests":[%s]}' % b",".join(lines)
        return to_name(to_object((await client.call("POST", _PATH, body, may_repeat=False)).body))

    async def status(self, client: BatchClient, name: str) -> ProviderBatch:
        """Return how far a batch is."""
        return _described(to_object((await client.call("GET", f"{_PATH}/{name}")).body))

    async def latest(self, client: BatchClient, since: float) -> AsyncIterator[ProviderBatch]:
        """Yield the batches made since a time, newest first."""
        async for one in list_newest(client, _PATH, "after_id"):
            if datetime.fromisoformat(one["created_at"]).timestamp() < since - CLOCKS_S:
                return
            yield _described(one)

    async def submission(self, client: BatchClient, batch: ProviderBatch) -> str | None:
        """Return the id of the submission that made a batch, as the first readable line of its results names it."""
        found = None if batch.progress == "running" else ""

        async def take(line: bytes) -> bool:
            nonlocal found
            try:
                found, _ = split_custom_id(self.result(line).custom_id)
            except (ValueError, KeyError, TypeError, AttributeError):
                return True
            return False

        for path in batch.results:
            await client.call("GET", path, take=take)
        return found

    def result(self, line: bytes) -> BatchResult:
        """Read one line of the results."""
        known = to_object(line)
        custom_id, result = str(known["custom_id"]), cast("dict[str, Any]", known["result"])
        if result["type"] == "succeeded" and isinstance(result.get("message"), dict):
            return BatchResult(custom_id, json.dumps(result["message"]).encode("ascii"))
        outer = cast("dict[str, Any]", result.get("error") or {})
        inner = cast("dict[str, Any]", outer.get("error") or {})
        kind = str(inner.get("type") or result["type"])
        said = f"{kind}: {inner['message']}" if inner.get("message") else kind
        return BatchResult(custom_id, status=_STATUS.get(kind), error=said)


def _described(batch: dict[str, Any]) -> ProviderBatch:
    name, counts = to_name(batch), cast("dict[str, Any]", batch.get("request_counts") or {})
    progress: BatchProgress = "running"
    if batch.get("processing_status") == "ended":
        progress = "expired" if counts.get("expired") else "cancelled" if counts.get("canceled") else "ended"
    # The key goes to no address that the answer names, so the path is not taken from it.
    results = (f"{_PATH}/{name}/results",) if progress != "running" and batch.get("results_url") else ()
    total = sum(count for count in counts.values() if isinstance(count, int))
    return ProviderBatch(name, progress, total or None, None, results)
