"""Files and batches in OpenAI's API."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, ClassVar

from judgecore.server.batches import Batch, BatchStore, QueueFullError, ResultKind
from judgecore.server.chat import RejectedRequestError, complete, error_response, json_response
from judgecore.server.wire import HttpResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from judgecore.server.wire import HttpRequest

_STEPS = ("validating", "in_progress", "finalizing")
_STATUS = {"ended": "completed"}
_QUEUE_FULL = "token_limit_exceeded"
_INVALID = "injected fault: the request is invalid"
_MAX_REQUESTS = 50_000
_MAX_BYTES = 200_000_000


class OpenAIBatchStore(BatchStore):
    """Files, and batches of the chat completions in them."""

    is_failed_by_one: ClassVar[bool] = True

    def __init__(self, rates: Mapping[str, float], seed: int, count: Callable[[str], None]) -> None:
        super().__init__(rates, seed, count)
        self._files: dict[str, bytes] = {}

    def answer(self, request: HttpRequest) -> tuple[HttpResponse, bool]:
        """Answer a request, and say whether the answer gets lost."""
        match request.method, *request.path.split("/")[2:]:
            case "POST", "files":
                return json_response(200, self._upload(request)), False
            case "GET", "files", name, "content" if name in self._files:
                return HttpResponse(200, self._files[name], "application/jsonl"), False
            case "POST", "batches":
                return self._create(json.loads(request.body))
            case "GET", "batches":
                listed = [_described(one) for one in self.listed()]
                return json_response(200, {"object": "list", "data": listed, "has_more": False}), False
            case "GET", "batches", name:
                return json_response(200, _described(self.look(name))), False
            case "POST", "batches", name, "cancel":
                return json_response(200, _described(self._written(self.cancel(name)))), False
            case _:
                raise RejectedRequestError(f"no such object: {request.method} {request.path}", 404)

    def ask(self, question: Mapping[str, Any], name: str) -> HttpResponse:
        """Answer the question of a batch."""
        return complete(question, name=name, seed=self.seed, prefixes=self.prefixes)

    def line(self, custom_id: str, kind: ResultKind, body: Any) -> bytes:
        """Write one line of the results."""
        response, error = None, None
        if kind in ("answered", "errored"):
            body = body or {"error": {"message": "injected fault"}}
            response = {"status_code": 200 if kind == "answered" else 500, "body": body}
        else:
            error = {"code": f"batch_{kind}", "message": "injected fault"}
        result = {"id": f"batch_req_{custom_id}", "custom_id": custom_id, "response": response, "error": error}
        return json.dumps(result).encode()

    def _upload(self, request: HttpRequest) -> dict[str, Any]:
        kind = request.headers.get("content-type", "")
        boundary = kind.partition("boundary=")[2].strip('"').encode("latin-1")
        if not kind.startswith("multipart/form-data") or not boundary:
            raise RejectedRequestError("files are uploaded as multipart/form-data")
        parts = request.body.split(b"--" + boundary)
        file = next((one for one in parts if b'name="file"' in one.partition(b"\r\n\r\n")[0]), None)
        if file is None:
            raise RejectedRequestError("the form has no file")
        name = self._stored(file.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n"))
        return {"id": name, "object": "file", "purpose": "batch", "bytes": len(self._files[name])}

    def _create(self, order: dict[str, Any]) -> tuple[HttpResponse, bool]:
        source = self._files.get(str(order.get("input_file_id")))
        if source is None:
            raise RejectedRequestError("no such input_file_id")
        about = {name: order.get(name) for name in ("endpoint", "input_file_id", "completion_window", "metadata")}
        questions = [(one["custom_id"], one["body"]) for one in map(json.loads, source.splitlines())]
        is_too_large = len(questions) > _MAX_REQUESTS or len(source) > _MAX_BYTES
        try:
            batch = self.make("batch_", questions)
        except QueueFullError as problem:
            # The API makes some of these batches, and fails them later.
            if len(self.batches) % 2:
                return error_response(429, str(problem), _QUEUE_FULL), False
            batch = Batch(f"batch_full_{len(self.batches)}", len(questions), time.time(), "failed")
            self.batches[batch.name] = batch
            about["errors"] = {"data": [{"code": _QUEUE_FULL, "message": str(problem), "line": None}]}
        if "batch.failed" in batch.faults or is_too_large:
            batch.end = "failed"
            said = "the file is too large" if is_too_large else "injected fault: the batch is invalid"
            about["errors"] = {"data": [{"code": "invalid_file", "message": said, "line": None}]}
        elif "batch.invalid" in batch.faults:
            batch.end = "failed"
            about["errors"] = {"data": [{"code": "invalid_request", "message": _INVALID, "line": 1}]}
        batch.about = about
        self._written(batch)
        return json_response(200, _described(batch)), "batch.unconfirmed" in batch.faults

    def _written(self, batch: Batch) -> Batch:
        if batch.end != "failed":
            for key, lines in (("output_file_id", batch.results), ("error_file_id", batch.failures)):
                batch.about[key] = self._stored(b"\n".join(lines) + b"\n") if lines else None
        return batch

    def _stored(self, content: bytes) -> str:
        name = f"file-{len(self._files) + 1}"
        self._files[name] = content
        return name


def _described(batch: Batch) -> dict[str, Any]:
    counts = {
        "total": batch.n_requests,
        "completed": batch.counts.get("answered", 0),
        "failed": batch.n_requests - batch.counts.get("answered", 0),
    }
    described = {
        "id": batch.name,
        "object": "batch",
        "created_at": int(batch.created_at),
        "request_counts": counts,
        **batch.about,
    }
    if batch.is_running:
        files = {"output_file_id": None, "error_file_id": None, "errors": None}
        return described | files | {"status": _STEPS[max(batch.checks - 1, 0)]}
    return described | {"status": _STATUS.get(batch.end, batch.end)}
