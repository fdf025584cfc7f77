"""Files and batches in OpenAI's API, with the faults of batches."""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from judgecore.server.chat import RejectedRequestError, complete, json_response
from judgecore.server.prefixes import PrefixCache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from judgecore.server.wire import HttpRequest, HttpResponse

BATCH_FAULTS = (
    "batch.reordered",
    "batch.partial",
    "batch.lost",
    "batch.duplicated",
    "batch.damaged",
    "batch.expired",
    "batch.cancelled",
    "batch.failed",
    "batch.unconfirmed",
    "batch.unavailable",
    "batch.gone",
)
"""The faults of batches; each is drawn for each batch by itself."""

_STEPS = ("validating", "in_progress", "finalizing")
_SHARE = 4


@dataclass
class _Batch:
    described: dict[str, Any]
    status: str
    checks: int = 0
    faults: frozenset[str] = frozenset()


@dataclass
class BatchStore:
    """The files and batches of a server, in memory.

    Attributes:
        rates: The share of batches for each fault.
        seed: The seed of answers and faults.
        count: Called with the SHA-256 of each question of a batch.
    """

    rates: Mapping[str, float]
    seed: int
    count: Callable[[str], None]
    _files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    _batches: dict[str, _Batch] = field(default_factory=dict[str, _Batch])
    _n_orders: int = 0
    _prefixes: PrefixCache = field(default_factory=PrefixCache)

    def answer(self, request: HttpRequest) -> tuple[HttpResponse, bool]:
        """Answer a request, and say whether the answer gets lost.

        Raises:
            RejectedRequestError: If the request is invalid.
        """
        steps = request.path.split("/")[2:]
        if request.method == "POST" and steps == ["files"]:
            return json_response(200, self._upload(request)), False
        if request.method == "POST" and steps == ["batches"]:
            made = self._create(json.loads(request.body))
            return json_response(200, made.described | {"status": "validating"}), "batch.unconfirmed" in made.faults
        if request.method == "GET" and steps == ["batches"]:
            listed = [self._described(one) for one in reversed(self._batches.values())]
            return json_response(200, {"object": "list", "data": listed, "has_more": False}), False
        try:
            if request.method == "GET" and len(steps) == 2:  # noqa: PLR2004 - batches, and the id of one
                return json_response(200, self._described(self._checked(steps[1]))), False
            if request.method == "GET" and steps[2:] == ["content"]:
                response = json_response(200, {})
                return type(response)(200, self._files[steps[1]], "application/jsonl"), False
        except KeyError:
            raise RejectedRequestError(f"no such object: {steps[1]}", 404) from None
        raise RejectedRequestError(f"method not allowed: {request.method}", 405)

    def _upload(self, request: HttpRequest) -> dict[str, Any]:
        kind = request.headers.get("content-type", "")
        boundary = kind.partition("boundary=")[2].strip('"').encode("latin-1")
        if not kind.startswith("multipart/form-data") or not boundary:
            raise RejectedRequestError("files are uploaded as multipart/form-data")
        parts = request.body.split(b"--" + boundary)
        file = next((one for one in parts if b'name="file"' in one.partition(b"\r\n\r\n")[0]), None)
        if file is None:
            raise RejectedRequestError("the form has no file")
        name = f"file-{len(self._files) + 1}"
        self._files[name] = file.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n")
        return {"id": name, "object": "file", "purpose": "batch", "bytes": len(self._files[name])}

    def _create(self, order: dict[str, Any]) -> _Batch:
        source = self._files.get(str(order.get("input_file_id")))
        if source is None:
            raise RejectedRequestError("no such input_file_id")
        self._n_orders = number = self._n_orders + 1
        chance = random.Random(f"{self.seed}/{number}")  # noqa: S311 - faults keep no secret
        faults = frozenset(name for name in BATCH_FAULTS if chance.random() < self.rates.get(name, 0.0))
        if "batch.unavailable" in faults:
            raise RejectedRequestError("injected fault: unavailable", 503)
        lines = source.splitlines()
        described: dict[str, Any] = {
            "id": f"batch_{number}",
            "object": "batch",
            "endpoint": order.get("endpoint"),
            "input_file_id": order.get("input_file_id"),
            "completion_window": order.get("completion_window"),
            "created_at": int(time.time()),
            "metadata": order.get("metadata"),
            "request_counts": {"total": len(lines), "completed": 0, "failed": 0},
        }
        status = next((name for name in ("failed", "cancelled", "expired") if f"batch.{name}" in faults), "completed")
        batch = self._batches[described["id"]] = _Batch(described, status, faults=faults)
        if status == "failed":
            described["errors"] = {"data": [{"code": "invalid_file", "message": "injected fault: the file is invalid"}]}
            return batch
        self._run(batch, lines, chance)
        return batch

    def _run(self, batch: _Batch, lines: list[bytes], chance: random.Random) -> None:
        """Answer the questions of a batch, and write its results as its faults want them."""
        results: list[bytes] = []
        failed: list[bytes] = []
        for place, line in enumerate(lines):
            question = json.loads(line)
            name = sha256(json.dumps(question["body"], sort_keys=True).encode()).hexdigest()
            self.count(name)
            result = {"id": f"batch_req_{place}", "custom_id": question["custom_id"], "error": None}
            is_fourth = chance.randrange(_SHARE) == 0
            if batch.status != "completed" and place % 2:
                error = {"code": f"batch_{batch.status}", "message": "injected fault"}
                failed.append(json.dumps(result | {"response": None, "error": error}).encode())
            elif "batch.partial" in batch.faults and is_fourth:
                response = {"status_code": 500, "body": {"error": {"message": "injected fault"}}}
                failed.append(json.dumps(result | {"response": response}).encode())
            elif not ("batch.lost" in batch.faults and is_fourth):
                answer = complete(question["body"], name=name[:24], seed=self.seed, prefixes=self._prefixes)
                response = {"status_code": 200, "body": json.loads(answer.body)}
                whole = json.dumps(result | {"response": response}).encode()
                is_damaged = "batch.damaged" in batch.faults and is_fourth
                results.append(whole[: len(whole) // 2] if is_damaged else whole)
                if "batch.duplicated" in batch.faults and is_fourth:
                    results.append(whole)
        if "batch.reordered" in batch.faults:
            chance.shuffle(results)
        for key, written in (("output_file_id", results), ("error_file_id", failed)):
            if written:
                batch.described[key] = name = f"file-{len(self._files) + 1}"
                self._files[name] = b"\n".join(written) + b"\n"
        batch.described["request_counts"] |= {"completed": len(results), "failed": len(failed)}

    def _checked(self, name: str) -> _Batch:
        """Return a batch that a client asks for; one that is gone is no longer known at its end."""
        batch = self._batches[name]
        batch.checks += 1
        if batch.checks > len(_STEPS) and "batch.gone" in batch.faults:
            raise KeyError(name)
        return batch

    def _described(self, batch: _Batch) -> dict[str, Any]:
        if batch.checks <= len(_STEPS):
            files = {"output_file_id": None, "error_file_id": None, "errors": None}
            return batch.described | files | {"status": _STEPS[max(batch.checks - 1, 0)]}
        return batch.described | {"status": batch.status}
