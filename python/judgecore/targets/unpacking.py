"""``Unpacker``: a packed body, unpacked in small parts, so that a bomb is seen before it goes off."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from judgecore.errors import ConnectionLostError, ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterator

# zlib's own number for "gzip or zlib, whichever it is".
_GZIP_OR_ZLIB = 47
_PART_BYTES = 1 << 16


class Unpacker:
    """Unpacks gzip, of one member or several, and deflate."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP_OR_ZLIB)

    def parts(self, piece: bytes) -> Iterator[bytes]:
        """Give what a piece unpacks to, in parts of 64 kB at most.

        Raises:
            ProtocolError: If it is damaged, or not packed like that.
        """
        while True:
            if self._member.eof and piece:
                self._member = zlib.decompressobj(_GZIP_OR_ZLIB)
            try:
                part = self._member.decompress(piece, _PART_BYTES)
            except zlib.error as problem:
                raise ProtocolError(f"the answer is packed, and damaged: {problem}") from None
            if part:
                yield part
            piece = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            if not piece and not part:
                return

    def end(self) -> None:
        """Take it that there is no further piece.

        Raises:
            ConnectionLostError: If there should be.
        """
        if not self._member.eof:
            raise ConnectionLostError("the answer is packed, and ends before its end")
