"""Files of tables: read and written through their compression."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import os
import re
import shlex
import stat
import sys
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

from judgecore import arrow
from judgecore.errors import TableError
from judgecore.replacement import missing_folder_problem, replacing
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

Kind = Literal["jsonl", "json", "csv", "parquet", "arrow"]
Compression = Literal["gzip", "zstd"]

KIND_OF_SUFFIX: dict[str, Kind] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
COMPRESSION_OF_SUFFIX: dict[str, Compression] = {".gz": "gzip", ".gzip": "gzip", ".zst": "zstd", ".zstd": "zstd"}
COMPRESSION_OF_MAGIC: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}

# UTF-32 begins as UTF-16 does, so the longer marks come first. A mark stays, and is passed over as that of UTF-8 is.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WINDOWS_1252 = "cp1252"
UTF8_LETTER = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")

# Fast, and within a tenth of what the levels beyond it save.
GZIP_LEVEL = 6
READ_AHEAD = 1 << 18


def input_name(file: str) -> str:
    """Name a table for people.

    Args:
        file: Its name; ``-`` is standard input.
    """
    return "standard input" if file == "-" else escape_controls(file)


def output_error(output: str | Path | None, problem: OSError) -> TableError:
    """Make the error of an output that can't be written.

    Args:
        output: Its name; None or ``-`` is standard output.
        problem: Why not.
    """
    name = output_name(str(output or "-"))
    missing = missing_folder_problem(Path(output or ""))
    return TableError(f"can't write {name}: {escape_controls(missing) or problem.strerror or problem}")


@contextmanager
def as_output_errors(output: str | Path | None) -> Generator[None]:
    """Turn what keeps an output from being written into an error that names it and the cure.

    Args:
        output: Its name; None or ``-`` is standard output.

    Raises:
        TableError: In place of an error of the system's; a reader that went away stays ``BrokenPipeError``.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise output_error(output, problem) from problem


# What reading a file, perhaps compressed, raises.
UNREADABLE = (OSError, EOFError, zlib.error, UnicodeError)


def input_error(problem: Exception) -> TableError:
    """Make the error of a table that can't be read, or not to its end.

    Args:
        problem: Why not.
    """
    if isinstance(problem, EOFError | zlib.error | gzip.BadGzipFile):
        return TableError(f"can't be read: damaged gzip: {problem}")
    return TableError(f"can't be read: {getattr(problem, 'strerror', None) or problem}")


def import_arrow(module: str, what: str) -> Any:
    """Import a module of pyarrow, which not everybody needs.

    Args:
        module: Its name.
        what: What it is needed for.

    Returns:
        The module.

    Raises:
        TableError: If pyarrow is not installed.
    """
    try:
        return arrow.import_arrow(what, module)
    except ImportError as problem:
        raise TableError(str(problem)) from problem


def find_kind(name: str, given: Kind | None, *, cure: str = "say which with --input-format") -> Kind:
    """Tell what kind of table a file is.

    Args:
        name: The file's name; ``-`` stands for a standard stream, of JSON lines.
        given: What the caller says, which goes before the name.
        cure: What to do where neither says.

    Returns:
        The kind.

    Raises:
        TableError: If the name's extension is of no kind.
    """
    if given is not None:
        return given
    kind = "jsonl" if name == "-" else kind_of(name)
    if kind is None:
        known = ", ".join(KIND_OF_SUFFIX)
        problem = f"no kind of table is known by this name ({known} are, also with .gz or .zst)"
        raise TableError(f"{escape_controls(name)}: {problem}; {cure}")
    return kind


def check_output(output: str | None) -> None:
    """Refuse an output whose name promises what would not be in it.

    Args:
        output: Its name; None, ``-``, and a name without an extension, as of a device, promise nothing.

    Raises:
        TableError: If the name's extension is of no kind.
    """
    if output is not None and output != "-" and suffix_of(output):
        kind = find_kind(output, None, cure="name the output so")
        if kind in ("parquet", "arrow") and (packed := Path(output)).suffix.lower() in COMPRESSION_OF_SUFFIX:
            plain = escape_controls(str(packed.with_suffix("")))
            raise TableError(f"{output_name(output)}: nothing reads such a table through a compression; write {plain}")
        if kind == "json":
            lines = escape_controls(f"{output[: -len('.json')]}.jsonl")
            raise TableError(
                f"{output_name(output)}: rows are written one by one, which no JSON array is; write {lines}"
            )


def kind_of(name: str) -> Kind | None:
    """Tell what kind of table a name stands for.

    Args:
        name: The file's name, with or without the suffix of a compression.

    Returns:
        The kind, or None where the name does not say.
    """
    return KIND_OF_SUFFIX.get(suffix_of(name))


def suffix_of(name: str) -> str:
    """Return a name's extension in small letters, without that of a compression; empty where there is none."""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if suffixes and suffixes[-1] in COMPRESSION_OF_SUFFIX:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def row_example(column: str, kind: str) -> str:
    """Say what a row looks like, behind the error of a table that has none; nothing where a table shows it itself.

    Args:
        column: The column that is read.
        kind: The kind of table.
    """
    return f"; a row is {json.dumps({column: '...'}, ensure_ascii=False)}" if kind == "jsonl" else ""


@dataclass
class Input:
    """A file that is being read.

    Attributes:
        stream: Its bytes, decompressed; can be peeked into.
        n_bytes: How large the file is, compressed as it stands; None where that is not known.
        compression: How it is compressed; None where it is not.
        encoding: How its text was encoded, if it is text.
        recoded: The same where the stream gives UTF-8 in its place; None where it gives the text as it stands.
    """

    stream: BinaryIO
    n_bytes: int | None
    compression: Compression | None
    encoding: str
    recoded: str | None
    _file: BinaryIO

    def position(self, decompressed: int) -> int:
        """Tell how far the file has been read.

        Args:
            decompressed: How many bytes of its text have been read.

        Returns:
            Bytes of the file, in the sense of ``n_bytes``.
        """
        if self.compression is None or self.n_bytes is None:
            return decompressed
        return self._file.tell()


def refuse_input(file: str, output: str | None, option: str) -> None:
    """Refuse an output that is the input, by whatever names.

    Args:
        file: The input's name; ``-`` is standard input.
        output: The output's name; None for none, ``-`` is standard output.
        option: The option that names it.

    Raises:
        TableError: If both are one file; the message has a name that is free.
    """
    if output is None:
        return
    try:
        read = os.fstat(sys.stdin.fileno()) if file == "-" else Path(file).stat()
        written = os.fstat(sys.stdout.fileno()) if output == "-" else Path(output).stat()
    except (OSError, ValueError):
        return
    # A terminal is read and written by the same name.
    if not (stat.S_ISREG(read.st_mode) or stat.S_ISFIFO(read.st_mode)) or not os.path.samestat(read, written):
        return
    free = shlex.quote(str(_find_free(Path(output))))
    raise TableError(f"{option} {output_name(output)} is the input itself; write {option} {free}")


def _find_free(path: Path) -> Path:
    """Find a name like an output's for a file that is not there: beside it, if it is a plain file, else here."""
    is_plain = path.is_file() and not any(path.is_relative_to(folder) for folder in ("/dev", "/proc"))
    if not is_plain or not str(path).isprintable() or not os.access(path.parent, os.W_OK):
        path = Path("readings.jsonl")
    stem, dot, suffixes = path.name.lstrip(".").partition(".")
    tails = chain([""] if not path.exists() else [], ("-readings" + str(nth or "") for nth in count()))
    names = (path.with_name(f"{stem}{tail}{dot}{suffixes}") for tail in tails)
    return next(name for name in names if not name.exists())


def is_same_output(one: str, other: str) -> bool:
    """Tell whether two outputs are one, by whatever names.

    Args:
        one: An output's name; ``-`` is standard output.
        other: Another's.
    """
    if one == other or ("-" not in (one, other) and os.path.realpath(one) == os.path.realpath(other)):
        return True
    try:
        first, second = (os.fstat(sys.stdout.fileno()) if name == "-" else Path(name).stat() for name in (one, other))
    except (OSError, ValueError):
        return False
    return os.path.samestat(first, second)


def output_name(output: str) -> str:
    """Name an output for people.

    Args:
        output: Its name; ``-`` is standard output.
    """
    return "standard output" if output == "-" else escape_controls(output)


def find_byte_order_mark(beginning: bytes) -> str:
    """Tell which encoding a byte order mark says; nothing where there is none."""
    return next((name for mark, name in BYTE_ORDER_MARKS if beginning.startswith(mark)), "")


def detect_encoding(beginning: bytes) -> str:
    """Tell how a text is encoded by its beginning.

    Args:
        beginning: Its first bytes, as many as are at hand.

    Returns:
        What a byte order mark says; UTF-16 where every second byte is 0; Windows-1252, which Excel writes in western
        countries, where bytes beyond ASCII are there and none are UTF-8; else UTF-8.

    Examples:
        >>> detect_encoding("größer".encode("cp1252"))
        'cp1252'
    """
    if marked := find_byte_order_mark(beginning):
        return marked
    even, odd = (beginning[start::2].count(0) for start in (0, 1))
    if max(even, odd) * 5 > len(beginning) and min(even, odd) * 20 < len(beginning):
        return "utf-16-le" if odd > even else "utf-16-be"
    try:
        # A letter may be cut at the end.
        codecs.getincrementaldecoder("utf-8")().decode(beginning)
    except UnicodeDecodeError:
        return "utf-8" if UTF8_LETTER.search(beginning) else WINDOWS_1252
    return "utf-8"


# Bytes that are not in an encoding become lone surrogates, one for each byte, which no UTF-8 has.
FIRST_SURROGATE = 0xDC00
UNDECODED_BYTES = re.compile("([\udc00-\udcff]+)")


def _keep_undecoded(problem: UnicodeError) -> tuple[str, int]:
    """Put marks for bytes that are not in an encoding."""
    if not isinstance(problem, UnicodeDecodeError):
        raise problem
    return "".join(chr(FIRST_SURROGATE + byte) for byte in problem.object[problem.start : problem.end]), problem.end


KEEP_UNDECODED = "judgecore.marked"
codecs.register_error(KEEP_UNDECODED, _keep_undecoded)


def has_undecoded_bytes(text: bytes) -> bool:
    """Tell whether there are marks in what ``DecodedStream`` gave."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return True
    return False


def restore_bytes(text: bytes, encoding: str) -> bytes:
    """Give the bytes that a text with marks was made of.

    Args:
        text: What ``DecodedStream`` gave.
        encoding: The encoding that it was in.
    """
    parts = UNDECODED_BYTES.split(text.decode("utf-8", "surrogatepass"))
    # Some encodings put a mark before each text.
    mark = "".encode(encoding)
    parts_of_bytes = [
        bytes(ord(one) - FIRST_SURROGATE for one in part) if nth % 2 else part.encode(encoding).removeprefix(mark)
        for nth, part in enumerate(parts)
    ]
    return b"".join(parts_of_bytes)


class DecodedStream:
    """A stream of UTF-8, made of one in another encoding."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        """Read from a stream."""
        self._stream = stream
        self.raw = getattr(stream, "raw", None)
        self._decoder = codecs.getincrementaldecoder(encoding)(KEEP_UNDECODED)

    def seekable(self) -> bool:
        """Tell whether all that was asked for can be had at once."""
        return self._stream.seekable()

    def fileno(self) -> int:
        """Return the number of the file that is read."""
        return self._stream.fileno()

    def read(self, size: int) -> bytes:
        """Read about so many bytes, at the end none; what is not in the encoding makes its row no UTF-8."""
        return self._decoded(self._stream.read, size)

    def read1(self, size: int) -> bytes:
        """Read what is there, and at most about so many bytes."""
        return self._decoded(cast("io.BufferedReader", self._stream).read1, size)

    def _decoded(self, read: Callable[[int], bytes], size: int) -> bytes:
        """Read until there is a whole letter, and give UTF-8."""
        while True:
            part = read(size)
            made = self._decoder.decode(part, final=not part).encode("utf-8", "surrogatepass")
            if made or not part:
                return made


@contextmanager
def open_input(file: str, *, encoding: str | None = None, may_be_windows_1252: bool = False) -> Generator[Input]:
    """Open a table, and see through gzip and zstd whatever its name.

    Args:
        file: Its name; ``-`` is standard input.
        encoding: How its text is encoded; None to find out.
        may_be_windows_1252: Whether it may be Windows-1252, which no JSON is.

    Yields:
        The input.

    Raises:
        TableError: If it can't be opened.
    """
    with ExitStack() as stack:
        if file == "-":
            stream, n_bytes = cast("BinaryIO", sys.stdin.buffer), None
        else:
            try:
                stream = stack.enter_context(Path(file).open("rb", buffering=READ_AHEAD))
            except OSError as problem:
                raise input_error(problem) from problem
            n_bytes = os.fstat(stream.fileno()).st_size or None
        try:
            compression = _compression(stream)
            opened = stream if compression is None else stack.enter_context(_decompressed(stream, compression))
            beginning = cast("io.BufferedReader", opened).peek(READ_AHEAD)
        except UNREADABLE as problem:
            raise input_error(problem) from problem
        try:
            found = encoding or detect_encoding(beginning)
            found = "utf-8" if found == WINDOWS_1252 and not (may_be_windows_1252 or encoding) else found
            name = codecs.lookup(found).name
            # Some that Python has are of bytes, or of names in networks.
            " ".encode(found)
            DecodedStream(io.BytesIO(b"\x80"), found).read(1)
        except (LookupError, UnicodeError):
            raise TableError(f"no encoding is called {encoding!r}; name one such as utf-8, utf-16 or cp1252") from None
        # Of UTF-16 a mark says more than its name.
        found = mark if (mark := find_byte_order_mark(beginning)).startswith(f"{name}-") else found
        recoded = None if name in ("utf-8", "utf-8-sig", "ascii") else found
        text = opened if recoded is None else cast("BinaryIO", DecodedStream(opened, recoded))
        yield Input(text, n_bytes, compression, found, recoded, stream)


def _compression(stream: BinaryIO) -> Compression | None:
    """Tell how a buffered stream is compressed, by its first bytes."""
    beginning = cast("io.BufferedReader", stream).peek(4)
    return next((found for magic, found in COMPRESSION_OF_MAGIC.items() if beginning.startswith(magic)), None)


def _decompressed(stream: BinaryIO, compression: Compression) -> BinaryIO:
    """Read through a compression."""
    if compression == "gzip":
        return io.BufferedReader(gzip.GzipFile(fileobj=stream), READ_AHEAD)
    pa = import_arrow("pyarrow", "a table that is compressed with zstd")
    return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd"), READ_AHEAD)


@contextmanager
def open_output(output: str) -> Generator[BinaryIO]:
    """Open what rows are written to, and compress them if its name says so.

    Args:
        output: Its name; ``-`` is standard output.

    Yields:
        The stream; a file appears when the block ends.
    """
    if output == "-":
        yield cast("BinaryIO", sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    compression = COMPRESSION_OF_SUFFIX.get(Path(output).suffix.lower())
    with replacing(Path(output)) as stream:
        if compression is None:
            yield stream
        elif compression == "gzip":
            # Without a name and a time, so that the same rows give the same bytes.
            with gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=GZIP_LEVEL, mtime=0) as packed:
                yield cast("BinaryIO", packed)
        else:
            pa = import_arrow("pyarrow", "a table that is compressed with zstd")
            with pa.CompressedOutputStream(pa.PythonFile(NonClosingStream(stream), mode="w"), "zstd") as packed:
                yield packed


def write_all(stream: BinaryIO, data: bytes) -> None:
    """Write all of some bytes: of more than a pipe holds, a buffered stream may write a part and say so.

    Raises:
        OSError: If they can't be written.
    """
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]


class NonClosingStream(io.RawIOBase):
    """A stream whose borrower may close it without closing it for its owner, and write when its owner has closed it."""

    def __init__(self, stream: BinaryIO) -> None:
        """Lend a stream that is open for writing, and perhaps for reading."""
        self._stream = stream

    def readable(self) -> bool:
        """Say whether it can be read."""
        return self._stream.readable()

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """Read some bytes."""
        return self._stream.read(size)

    def write(self, data: Any, /) -> int:
        """Write some bytes; pyarrow ends a Parquet file once more after an error has closed and removed it."""
        return len(data) if self._stream.closed else self._stream.write(data)

    def tell(self) -> int:
        """Tell how much has been written."""
        return self._stream.tell()

    def flush(self) -> None:
        """Flush what was written."""
        if not self.closed:
            self._stream.flush()
