"""JSON values and replies that an endpoint should never send, shared by the tests of replies and of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HOLE = "<here>"
MB = 1 << 20

VALUES = {
    "null": "null",
    "true": "true",
    "minus": "-1",
    "minus zero": "-0",
    "fraction": "0.5",
    "2^63-1": str(2**63 - 1),
    "2^63": str(2**63),
    "-2^63-1": str(-(2**63) - 1),
    "2^64": str(2**64),
    "10^30": "1" + "0" * 30,
    "1e30": "1e30",
    "10^5000": "1" + "0" * 5000,
    "1e999": "1e999",
    "-1e999": "-1e999",
    "tiny": "1e-999",
    "NaN": "NaN",
    "Infinity": "Infinity",
    "empty": '""',
    "number as text": '"7"',
    "words": '"not what you think"',
    "NUL": '"\\u0000"',
    "surrogate": '"\\ud800 [[7]]"',
    "surrogate backwards": '"\\udc00\\ud800"',
    "not a character": '"\\uffff\\ufdd0"',
    "escape": '"\\u001b[2J\\u202e"',
    "list": "[]",
    "list of everything": '[null, true, -1, 1e999, "x", [], {}]',
    "object": "{}",
    "object of everything": '{"": null, "text": [], "content": {}, "prompt_tokens": 1e999}',
    "same key twice": '{"text": "a", "text": 1, "token": "x", "token": []}',
    "deep list": "[" * 100_000 + "]" * 100_000,
    "deep object": '{"a":' * 20_000 + "1" + "}" * 20_000,
    "deeper than it ends": "[" * 50_000,
    "long": '"' + "x" * 200_000 + '"',
    "no JSON": "nul",
    "numbers as text": '"[8 7] [7, 8] [115 107 45] [\u0663]"',
    "unterminated": '"' + '\\"' * 20_000,
    "infinite sum": "-1" + "0" * 300 + "e20",
}
# Slow to send, so in the fields alone that are kept.
LONG = {"7 MB": '"' + "x" * (7 * MB) + '"', "10 MB": '"' + "x" * (10 * MB) + '"'}

TOKEN = {"token": "7", "logprob": -0.1, "bytes": [55], "top_logprobs": [{"token": "7", "logprob": -0.1, "bytes": [55]}]}
COMPLETION: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Rating: [[7]]", "refusal": None, "tool_calls": None},
            "logprobs": {"content": [TOKEN], "refusal": None},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
    "system_fingerprint": None,
}
PARTS: dict[str, Any] = {"choices": [{"message": {"content": [{"type": "text", "text": "Rating: [[7]]"}]}}]}
MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Rating: [[7]]"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 2},
}
ERROR: dict[str, Any] = {"error": {"message": "no", "type": "x", "param": None, "code": None}, "detail": "no"}
WHOLE = [b"", b"null", b"[]", b"7", b"\xff\xfe{}", b"\x00", b"{", b"<html>", b"[" * 100_000, b'"' + b"x" * MB]


def with_holes(value: Any) -> Iterator[Any]:
    """The value, with a hole in place of each part of it."""
    yield HOLE
    if isinstance(value, dict):
        for name, part in value.items():
            yield from ({**value, name: changed} for changed in with_holes(part))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from ([*value[:place], changed, *value[place + 1 :]] for changed in with_holes(part))
