"""Serve a minimal judge: a fixed reply after a delay. ``loopback.py SECONDS`` prints its port."""

from __future__ import annotations

import asyncio
import json
import sys

REPLY = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Rating: [[8]]"}}
        ],
        "usage": {"prompt_tokens": 130, "completion_tokens": 5, "total_tokens": 135},
    }
).encode()
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(REPLY), REPLY)


class Judge(asyncio.Protocol):
    """Finds the end of each request and ignores its content."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s
        self._unread = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each complete request."""
        self._unread += data
        while (end := self._unread.find(b"\r\n\r\n")) >= 0:
            length = self._unread[:end].lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0]
            whole = end + 4 + int(length or 0)
            if len(self._unread) < whole:
                return
            self._unread = self._unread[whole:]
            asyncio.get_running_loop().call_later(self._delay_s, self._answer)

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(ANSWER)  # type: ignore[attr-defined]


async def serve(delay_s: float) -> None:
    """Serve until the process ends."""
    server = await asyncio.get_running_loop().create_server(lambda: Judge(delay_s), "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
