"""OpenAI's batch API: https://platform.openai.com/docs/api-reference/batch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, cast

from judgecore.targets.batch_dialect import (
    CLOCKS_S,
    BatchDialect,
    BatchProgress,
    BatchResult,
    ProviderBatch,
    list_newest,
    to_name,
    to_object,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from judgecore.errors import StatusError
    from judgecore.targets.batch_dialect import BatchClient

_OK = 200
_URL = "/v1/chat/completions"
_SUBMISSION = "judgecore_submission"
_QUEUE_FULL = "token_limit_exceeded"
_PROGRESS: dict[str, BatchProgress] = {
    "completed": "ended",
    "expired": "expired",
    "cancelled": "cancelled",
    "failed": "failed",
}


class OpenAIBatches(BatchDialect):
    """Batches of chat completions: a file of JSON lines is uploaded, and results are files too."""

    max_requests: ClassVar[int] = 50_000
    max_bytes: ClassVar[int] = 200_000_000

    def is_queue_full(self, problem: StatusError) -> bool:
        """Return whether a batch was rejected because the queue holds too many tokens."""
        return super().is_queue_full(problem) or _QUEUE_FULL.encode() in (problem.raw or b"")

    def line(self, custom_id: str, payload: bytes) -> bytes:
        """Write one request of a batch."""
        return b'{"custom_id":"%s","method":"POST","url":"%s","body":%s}\n' % (
            custom_id.encode("ascii"),
            _URL.encode("ascii"),
            payload,
        )

    async def submit(self, client: BatchClient, submission: str, lines: Sequence[bytes]) -> str:
        """Upload the file and create the batch; return the provider's id of it."""
        boundary = f"judgecore-{submission}"
        head = (
            f'--{boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="{boundary}.jsonl"\r\n'
            "content-type: application/jsonl\r\n\r\n"
        )
        body = b"".join([head.encode("ascii"), *lines, f"\r\n--{boundary}--\r\n".encode("ascii")])
        form = f"multipart/form-data; boundary={boundary}"
        file = to_object((await client.call("POST", "/files", body, media_type=form)).body)
        order = {
            "input_file_id": to_name(file),
            "endpoint": _URL,
            "completion_window": "24h",
            "metadata": {_SUBMISSION: submission},
        }
        made = await client.call("POST", "/batches", json.dumps(order).encode(), may_repeat=False)
        return to_name(to_object(made.body))

    async def status(self, client: BatchClient, name: str) -> ProviderBatch:
        """Return how far a batch is."""
        return _described(to_object((await client.call("GET", f"/batches/{name}")).body))

    async def latest(self, client: BatchClient, since: float) -> AsyncIterator[ProviderBatch]:
        """Yield the batches made since a time, newest first."""
        async for one in list_newest(client, "/batches", "after"):
            if isinstance(one.get("created_at"), int | float) and one["created_at"] < since - CLOCKS_S:
                return
            yield _described(one)

    def result(self, line: bytes) -> BatchResult:
        """Read one line of the results."""
        known = to_object(line)
        response = cast("dict[str, Any]", known.get("response") or {})
        body, status = response.get("body"), response.get("status_code")
        problem = known.get("error") or (body if status != _OK else None)
        if problem is not None or not isinstance(body, dict):
            said = json.dumps(problem) if problem is not None else "the result has no body"
            return BatchResult(str(known["custom_id"]), status=status if isinstance(status, int) else None, error=said)
        return BatchResult(str(known["custom_id"]), json.dumps(body).encode("ascii"))


def _described(batch: dict[str, Any]) -> ProviderBatch:
    counts = cast("dict[str, Any]", batch.get("request_counts") or {})
    metadata = cast("dict[str, Any]", batch.get("metadata") or {})
    files = [batch.get(key) for key in ("output_file_id", "error_file_id")]
    errors = cast("list[dict[str, Any]]", cast("dict[str, Any]", batch.get("errors") or {}).get("data") or [])
    said = [(one.get("line"), str(one.get("message") or one.get("code") or "")[:300]) for one in errors]
    return ProviderBatch(
        to_name(batch),
        _PROGRESS.get(str(batch.get("status")), "running"),
        counts.get("total") or None,
        str(metadata.get(_SUBMISSION, "")),
        tuple(f"/files/{to_name({'id': file})}/content" for file in files if file),
        said[0][1] if said else "",
        # Lines are counted from 1.
        {line - 1: why for line, why in said if isinstance(line, int)},
        any(one.get("code") == _QUEUE_FULL for one in errors),
    )
