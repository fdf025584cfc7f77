"""Batches of messages in Anthropic's API."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from judgecore.server.batches import Batch, BatchStore, ResultKind
from judgecore.server.chat import RejectedRequestError, json_response
from judgecore.server.messages import error_value, message
from judgecore.server.wire import HttpResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.server.wire import HttpRequest

_KINDS: dict[ResultKind, str] = {
    "answered": "succeeded",
    "errored": "errored",
    "invalid": "errored",
    "expired": "expired",
    "cancelled": "canceled",
}
_MAX_REQUESTS = 100_000
_MAX_BYTES = 256_000_000
_DAY = timedelta(days=1)


class AnthropicBatchStore(BatchStore):
    """Batches of messages."""

    is_failed_by_one: ClassVar[bool] = False

    def answer(self, request: HttpRequest) -> tuple[HttpResponse, bool]:
        """Answer a request, and say whether the answer gets lost."""
        host = request.headers.get("host", "")
        match request.method, *request.path.split("/")[4:]:
            case ("POST",):
                if len(request.body) > _MAX_BYTES:
                    raise RejectedRequestError("the batch is too large", 413)
                asked = json.loads(request.body)["requests"]
                if len(asked) > _MAX_REQUESTS:
                    raise RejectedRequestError("requests: a batch has at most 100000")
                batch = self.make("msgbatch_", [(one["custom_id"], one["params"]) for one in asked])
                return json_response(200, _described(batch, host)), "batch.unconfirmed" in batch.faults
            case ("GET",):
                listed = [_described(one, host) for one in self.listed()]
                ends = {"first_id": listed[0]["id"], "last_id": listed[-1]["id"]} if listed else {}
                return json_response(200, {"data": listed, "has_more": False, **ends}), False
            case "GET", name:
                return json_response(200, _described(self.look(name), host)), False
            case "GET", name, "results":
                return self._results(name), False
            case "POST", name, "cancel":
                return json_response(200, _described(self.cancel(name), host)), False
            case _:
                raise RejectedRequestError(f"no such object: {request.method} {request.path}", 404)

    def ask(self, question: Mapping[str, Any], name: str) -> HttpResponse:
        """Answer the question of a batch."""
        return message(question, name=name, seed=self.seed, prefixes=self.prefixes)

    def line(self, custom_id: str, kind: ResultKind, body: Any) -> bytes:
        """Write one line of the results."""
        result: dict[str, Any] = {"type": _KINDS[kind]}
        if kind == "answered":
            result["message"] = body
        elif kind == "errored":
            result["error"] = error_value(500, "injected fault")
        elif kind == "invalid":
            result["error"] = error_value(400, "injected fault: the batch is invalid")
        return json.dumps({"custom_id": custom_id, "result": result}).encode()

    def _results(self, name: str) -> HttpResponse:
        batch = self.batches.get(name)
        if batch is None or batch.is_running or "batch.gone" in batch.faults:
            raise RejectedRequestError(f"no such results: {name}", 404)
        lines = batch.results + batch.failures
        return HttpResponse(200, b"".join(line + b"\n" for line in lines), "application/x-jsonl")


def _described(batch: Batch, host: str) -> dict[str, Any]:
    at = datetime.fromtimestamp(batch.created_at, UTC)
    counts = dict.fromkeys(("processing", *_KINDS.values()), 0)
    if batch.is_running:
        counts["processing"] = batch.n_requests
    else:
        for kind, count in batch.counts.items():
            counts[_KINDS[kind]] += count
    return {
        "id": batch.name,
        "type": "message_batch",
        "processing_status": "in_progress" if batch.is_running else "ended",
        "request_counts": counts,
        "created_at": at.isoformat(),
        "expires_at": (at + _DAY).isoformat(),
        "ended_at": None if batch.is_running else at.isoformat(),
        "cancel_initiated_at": at.isoformat() if batch.end == "cancelled" else None,
        "archived_at": None,
        "results_url": None if batch.is_running else f"http://{host}/v1/messages/batches/{batch.name}/results",
    }
