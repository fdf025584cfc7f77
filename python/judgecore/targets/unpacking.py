"""``Unpacker``: decompresses a body in small parts, so that a decompression bomb can be stopped."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from judgecore.errors import ConnectionLostError, ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterator

# zlib's value for detecting gzip or zlib automatically.
_GZIP_OR_ZLIB = 47
_PART_BYTES = 1 << 16


class Unpacker:
    """Decompresses gzip, with one or several members, and deflate."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP_OR_ZLIB)

    def parts(self, piece: bytes) -> Iterator[bytes]:
        """Decompress a piece, in parts of at most 64 kB."""
        while True:
            if self._member.eof and piece:
                self._member = zlib.decompressobj(_GZIP_OR_ZLIB)
            try:
                part = self._member.decompress(piece, _PART_BYTES)
            except zlib.error as problem:
                raise ProtocolError(f"the compressed response is damaged: {problem}") from None
            if part:
                yield part
            piece = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            if not piece and not part:
                return

    def end(self) -> None:
        """Check that the data are complete."""
        if not self._member.eof:
            raise ConnectionLostError("the compressed response is incomplete")
