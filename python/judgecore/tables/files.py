"""Open table files for reading and writing, with compression, encoding and file kind detected."""

from __future__ import annotations

import codecs
import errno
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

# The mark of UTF-32 begins with that of UTF-16, so it comes first. The mark stays in the text, and readers skip it.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WINDOWS_1252 = "cp1252"
UTF8_LETTER = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")

# Higher levels are much slower and save less than a tenth more.
GZIP_LEVEL = 6
READ_AHEAD = 1 << 18


def input_name(file: str) -> str:
    """Return the name of an input for messages; ``-`` is standard input."""
    return "standard input" if file == "-" else escape_controls(file)


def output_error(output: str | Path | None, problem: OSError) -> TableError:
    """Make the error for an output that can't be written; None or ``-`` is standard output."""
    name = output_name(str(output or "-"))
    missing = missing_folder_problem(Path(output or ""))
    return TableError(f"can't write {name}: {escape_controls(missing) or problem.strerror or problem}")


@contextmanager
def as_output_errors(output: str | Path | None) -> Generator[None]:
    """Convert each ``OSError`` but ``BrokenPipeError`` inside the block to a ``TableError`` that names the output."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise output_error(output, problem) from problem


def check_folder(output: Path, *, is_folder: bool = False) -> None:
    """Check, before a judge is paid, that an output can be written; a folder is made with those above it."""
    folder = output if is_folder else output.parent
    while is_folder and not folder.exists():
        folder = folder.parent
    with as_output_errors(output):
        if not folder.is_dir():
            problem = errno.ENOTDIR if folder.exists() else errno.ENOENT
        elif not is_folder and output.exists() and not output.is_file():
            # A device or a pipe needs no file beside it.
            return
        elif os.access(folder, os.W_OK):
            return
        else:
            problem = errno.EACCES
        raise OSError(problem, os.strerror(problem), str(output))


# The exceptions that reading a possibly compressed file raises.
UNREADABLE = (OSError, EOFError, zlib.error, UnicodeError)


def input_error(problem: Exception) -> TableError:
    """Make the error for a table that can't be read, or not to its end."""
    if isinstance(problem, EOFError | zlib.error | gzip.BadGzipFile):
        return TableError(f"can't be read: damaged gzip: {problem}")
    return TableError(f"can't be read: {getattr(problem, 'strerror', None) or problem}")


def import_arrow(module: str = "pyarrow", what: str = "a table of Parquet or Arrow IPC") -> Any:
    """Import a module of pyarrow; raise ``TableError``, which says what needs it, if it is not installed."""
    try:
        return arrow.import_arrow(what, module)
    except ImportError as problem:
        raise TableError(str(problem)) from problem


def find_kind(name: str, given: Kind | None, *, cure: str = "name its kind with --input-format") -> Kind:
    """Return the kind of a table file: as given, by its extension, or JSON lines for ``-``."""
    if given is not None:
        return given
    kind = "jsonl" if name == "-" else kind_of(name)
    if kind is None:
        known = ", ".join(KIND_OF_SUFFIX)
        problem = f"unknown table extension (known are {known}, also with .gz or .zst)"
        raise TableError(f"{escape_controls(name)}: {problem}; {cure}")
    return kind


def check_output(output: str | None) -> None:
    """Raise ``TableError`` for an output whose extension is unknown, or is not that of what would be written.

    None, ``-`` and a name without an extension, such as a device, are accepted.
    """
    if output is not None and output != "-" and suffix_of(output):
        kind = find_kind(output, None, cure="use one of these")
        if kind in ("parquet", "arrow") and (packed := Path(output)).suffix.lower() in COMPRESSION_OF_SUFFIX:
            plain = escape_controls(str(packed.with_suffix("")))
            raise TableError(f"{output_name(output)}: Parquet and Arrow IPC files can't be compressed; write {plain}")
        if kind == "json":
            lines = escape_controls(f"{output[: -len('.json')]}.jsonl")
            raise TableError(
                f"{output_name(output)}: rows are written as JSON lines, not as a JSON array; write {lines}"
            )


def kind_of(name: str) -> Kind | None:
    """Return the kind of table by a name's extension, ignoring a compression suffix; None if it is unknown."""
    return KIND_OF_SUFFIX.get(suffix_of(name))


def suffix_of(name: str) -> str:
    """Return a name's extension in lower case, ignoring a compression suffix; empty if there is none."""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if suffixes and suffixes[-1] in COMPRESSION_OF_SUFFIX:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def no_rows_error(kind: str, column: str, first: str = "") -> TableError:
    """Make the error for a table without any valid row, which is probably a file of another kind."""
    row = f"; a row is {json.dumps({column: '...'}, ensure_ascii=False)}" if kind == "jsonl" else ""
    return TableError(f"no line is a valid {kind} row{first and f'; {first}'}{row}")


@contextmanager
def naming_table(name: str) -> Generator[None]:
    """Begin each ``TableError`` inside the block with a table's name, unless it does."""
    try:
        yield
    except TableError as problem:
        raise TableError(str(problem) if str(problem).startswith(f"{name}: ") else f"{name}: {problem}") from None


@dataclass
class Input:
    """An open input file."""

    stream: BinaryIO
    n_bytes: int | None
    compression: Compression | None
    encoding: str
    recoded: str | None
    _file: BinaryIO

    def position(self, decompressed: int) -> int:
        """Return how many bytes on disk were read, comparable to ``n_bytes``, after so many decompressed bytes."""
        if self.compression is None or self.n_bytes is None:
            return decompressed
        return self._file.tell()


def refuse_input(file: str, output: str | None, option: str, *, read_as: str = "the input itself") -> None:
    """Reject an output that is the same file as the input, even under another name; suggest an unused one.

    ``read_as`` says what the input is, if it is not the command's argument.
    """
    if output is None:
        return
    # A ledger may not exist yet.
    if "-" not in (file, output) and not Path(file).exists() and os.path.realpath(file) == os.path.realpath(output):
        raise _same_as_input(output, option, read_as)
    try:
        read = os.fstat(sys.stdin.fileno()) if file == "-" else Path(file).stat()
        written = os.fstat(sys.stdout.fileno()) if output == "-" else Path(output).stat()
    except (OSError, ValueError):
        return
    # A terminal may be both input and output.
    if not (stat.S_ISREG(read.st_mode) or stat.S_ISFIFO(read.st_mode)) or not os.path.samestat(read, written):
        return
    raise _same_as_input(output, option, read_as)


def _same_as_input(output: str, option: str, read_as: str) -> TableError:
    free = shlex.quote(str(_find_free(Path(output))))
    return TableError(f"{option} {output_name(output)} is {read_as}; write {option} {free}")


def _find_free(path: Path) -> Path:
    """Find an unused name similar to an output's: in its folder if it is a plain file, else in the working folder."""
    is_plain = path.is_file() and not any(path.is_relative_to(folder) for folder in ("/dev", "/proc"))
    if not is_plain or not str(path).isprintable() or not os.access(path.parent, os.W_OK):
        path = Path(f"readings{path.suffix if path.suffix.isprintable() and path.suffix else '.jsonl'}")
    stem, dot, suffixes = path.name.lstrip(".").partition(".")
    tails = chain([""] if not path.exists() else [], ("-readings" + str(nth or "") for nth in count()))
    names = (path.with_name(f"{stem}{tail}{dot}{suffixes}") for tail in tails)
    return next(name for name in names if not name.exists())


def is_same_output(one: str, other: str) -> bool:
    """Return whether two outputs are the same file, even under different names; ``-`` is standard output."""
    if one == other or ("-" not in (one, other) and os.path.realpath(one) == os.path.realpath(other)):
        return True
    try:
        first, second = (os.fstat(sys.stdout.fileno()) if name == "-" else Path(name).stat() for name in (one, other))
    except (OSError, ValueError):
        return False
    return os.path.samestat(first, second)


def output_name(output: str) -> str:
    """Return the name of an output for messages; ``-`` is standard output."""
    return "standard output" if output == "-" else escape_controls(output)


def find_byte_order_mark(beginning: bytes) -> str:
    """Return the encoding of a byte-order mark; empty if there is none."""
    return next((name for mark, name in BYTE_ORDER_MARKS if beginning.startswith(mark)), "")


def detect_encoding(beginning: bytes) -> str:
    """Detect a text's encoding from its first bytes, as many as are available.

    It is that of the byte-order mark; UTF-16 if about every second byte is 0; Windows-1252, which Excel writes in
    western countries, if there are non-ASCII bytes and none form UTF-8; else UTF-8.

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
        # The last character may be incomplete.
        codecs.getincrementaldecoder("utf-8")().decode(beginning)
    except UnicodeDecodeError:
        return "utf-8" if UTF8_LETTER.search(beginning) else WINDOWS_1252
    return "utf-8"


# Undecodable bytes become lone surrogates, one per byte, which can't occur in valid UTF-8.
FIRST_SURROGATE = 0xDC00
UNDECODED_BYTES = re.compile("([\udc00-\udcff]+)")


def _keep_undecoded(problem: UnicodeError) -> tuple[str, int]:
    """Replace undecodable bytes by lone surrogates."""
    if not isinstance(problem, UnicodeDecodeError):
        raise problem
    return "".join(chr(FIRST_SURROGATE + byte) for byte in problem.object[problem.start : problem.end]), problem.end


KEEP_UNDECODED = "judgecore.marked"
codecs.register_error(KEEP_UNDECODED, _keep_undecoded)


def has_undecoded_bytes(text: bytes) -> bool:
    """Return whether output of ``DecodedStream`` contains undecoded bytes."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return True
    return False


def restore_bytes(text: bytes, encoding: str) -> bytes:
    """Return the original bytes of a text from ``DecodedStream``, given its original encoding."""
    parts = UNDECODED_BYTES.split(text.decode("utf-8", "surrogatepass"))
    # Some encodings write a byte-order mark before each text.
    mark = "".encode(encoding)
    parts_of_bytes = [
        bytes(ord(one) - FIRST_SURROGATE for one in part) if nth % 2 else part.encode(encoding).removeprefix(mark)
        for nth, part in enumerate(parts)
    ]
    return b"".join(parts_of_bytes)


class DecodedStream:
    """A stream that converts another encoding to UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self.raw = getattr(stream, "raw", None)
        self._decoder = codecs.getincrementaldecoder(encoding)(KEEP_UNDECODED)

    def seekable(self) -> bool:
        """Return whether the underlying stream is seekable."""
        return self._stream.seekable()

    def fileno(self) -> int:
        """Return the descriptor of the underlying file."""
        return self._stream.fileno()

    def read(self, size: int) -> bytes:
        """Read about ``size`` bytes; undecodable bytes become invalid UTF-8, so that their row is rejected."""
        return self._decoded(self._stream.read, size)

    def read1(self, size: int) -> bytes:
        """Read available bytes, at most about ``size``."""
        return self._decoded(cast("io.BufferedReader", self._stream).read1, size)

    def _decoded(self, read: Callable[[int], bytes], size: int) -> bytes:
        """Read until there is a whole character, and return UTF-8."""
        while True:
            part = read(size)
            made = self._decoder.decode(part, final=not part).encode("utf-8", "surrogatepass")
            if made or not part:
                return made


@contextmanager
def open_input(file: str, *, encoding: str | None = None, may_be_windows_1252: bool = False) -> Generator[Input]:
    """Open an input, ``-`` for standard input, and decompress gzip and zstd regardless of its extension."""
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
            # Some of Python's codecs convert bytes to bytes, or only host names.
            " ".encode(found)
            DecodedStream(io.BytesIO(b"\x80"), found).read(1)
        except (LookupError, UnicodeError):
            raise TableError(f"unknown encoding {encoding!r}; name one such as utf-8, utf-16 or cp1252") from None
        # The byte-order mark decides the byte order that "utf-16" leaves open.
        found = mark if (mark := find_byte_order_mark(beginning)).startswith(f"{name}-") else found
        recoded = None if name in ("utf-8", "utf-8-sig", "ascii") else found
        text = opened if recoded is None else cast("BinaryIO", DecodedStream(opened, recoded))
        yield Input(text, n_bytes, compression, found, recoded, stream)


def _compression(stream: BinaryIO) -> Compression | None:
    """Return the compression of a buffered stream by its magic bytes; None if it is uncompressed."""
    beginning = cast("io.BufferedReader", stream).peek(4)
    return next((found for magic, found in COMPRESSION_OF_MAGIC.items() if beginning.startswith(magic)), None)


def _decompressed(stream: BinaryIO, compression: Compression) -> BinaryIO:
    if compression == "gzip":
        return io.BufferedReader(gzip.GzipFile(fileobj=stream), READ_AHEAD)
    pa = import_arrow("pyarrow", "a table that is compressed with zstd")
    return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd"), READ_AHEAD)


@contextmanager
def open_output(output: str) -> Generator[BinaryIO]:
    """Open an output, and compress it if it has a compression suffix; ``-`` is standard output.

    The file appears when the block ends without an error.
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
            # Without name and time in the gzip header, equal rows give equal bytes.
            with gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=GZIP_LEVEL, mtime=0) as packed:
                yield cast("BinaryIO", packed)
        else:
            pa = import_arrow("pyarrow", "a table that is compressed with zstd")
            with pa.CompressedOutputStream(pa.PythonFile(NonClosingStream(stream), mode="w"), "zstd") as packed:
                yield packed


def write_all(stream: BinaryIO, data: bytes) -> None:
    """Write all bytes, repeating short writes, which occur on pipes."""
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]


class NonClosingStream(io.RawIOBase):
    """A wrapper whose ``close`` leaves the wrapped stream open, and whose ``write`` ignores data after it is closed."""

    def __init__(self, stream: BinaryIO) -> None:
        """Wrap a stream that is open for writing, and possibly for reading."""
        self._stream = stream

    def readable(self) -> bool:
        """Return whether the wrapped stream is readable."""
        return self._stream.readable()

    def writable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """Read some bytes."""
        return self._stream.read(size)

    def write(self, data: Any, /) -> int:
        """Write bytes; ignore them if the wrapped stream is closed, as pyarrow writes a footer even after an error."""
        return len(data) if self._stream.closed else self._stream.write(data)

    def tell(self) -> int:
        """Return the position in the wrapped stream."""
        return self._stream.tell()

    def flush(self) -> None:
        """Flush the wrapped stream."""
        if not self.closed:
            self._stream.flush()
