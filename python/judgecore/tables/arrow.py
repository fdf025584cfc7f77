"""Read and write Parquet and Arrow IPC in pieces of bounded size."""

from __future__ import annotations

import io
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from judgecore.arrow import without_surrogates
from judgecore.errors import TableError
from judgecore.reading import parse_many
from judgecore.tables.files import NonClosingStream, import_arrow
from judgecore.tables.rows import ENCODER, Row, refuse_duplicate_names

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from judgecore.reading import Format, Readings
    from judgecore.tables.files import Kind
    from judgecore.tables.text import Where

# The minimum and maximum rows decoded at once. A repeated text is stored once in the file but once per row in memory,
# so decoding starts with few rows, and continues with as many as fill BYTES_DECODED.
ROWS_DECODED = (1024, 8192)
BYTES_DECODED = 4 << 20
# The size from which pieces are yielded or written.
BYTES_READ_AT_ONCE = 16 << 20
ROWS_READ_AT_ONCE = 1 << 20
BYTES_IN_ROW_GROUP = 32 << 20
# The buffer size for a column of a row group.
READ_AHEAD = 4 << 20

# Column types are inferred from these first rows; later ones must fit.
ROWS_FOR_TYPES = 10_000

# The extension of the streaming format of Arrow IPC.
STREAM_SUFFIX = ".arrows"


# More deeply nested columns are written as JSON; Parquet readers accept 100 levels, and a list takes two.
DEEPEST = 40

# The field metadata of columns that are written as JSON text.
AS_JSON = {b"judgecore": b"JSON"}

Position = tuple[int, int, int, float]


class ArrowReader:
    """A reader of Parquet or Arrow IPC that yields pieces; ``delimiter`` and ``place`` are those of ``RowReader``."""

    delimiter = None
    place: Where = "row"

    def __init__(self, file: str, kind: Kind) -> None:
        """Open a file; raise ``TableError`` if it is not such a table."""
        self.kind: Kind = kind
        self.bytes_read = 0
        self.position: Position = (0, 0, ROWS_DECODED[0], 1.0)
        self.n_rows: int | None = None
        what = "Parquet" if kind == "parquet" else "Arrow IPC"
        if file == "-":
            raise TableError(f"{what} can't be read from standard input; name the file")
        self._pa = import_arrow("pyarrow", f"a table of {what}")
        self._path = Path(file)
        with self._as_table_errors():
            if kind == "parquet":
                parquet = import_arrow("pyarrow.parquet", "a table of Parquet")
                self._file = parquet.ParquetFile(self._path, buffer_size=READ_AHEAD, pre_buffer=False)
                self.schema = self._file.schema_arrow
                self.n_rows = self._file.metadata.num_rows
            else:
                # Not memory-mapped, so that only one batch is in memory.
                self._stream = self._pa.OSFile(str(self._path))
                is_file = self._stream.read(6) == b"ARROW1"
                self._stream.seek(0)
                self._file = (self._pa.ipc.open_file if is_file else self._pa.ipc.open_stream)(self._stream)
                self.schema = self._file.schema
        self.header: list[str] = list(self.schema.names)
        # A column whose name contains dots takes precedence over a path.
        paths = [(name,) for name in self.header]
        paths += [path for path in self._find_paths(self.schema, ()) if ".".join(path) not in self.header]
        self._paths = paths
        self.names = [".".join(path) for path in paths]

    def pieces(self, columns: Sequence[str] | None, position: Position | None = None) -> Iterator[Any]:
        """Yield pyarrow tables of about 16 MiB or a million rows; resume after another reader's ``position``."""
        whole = columns and list(dict.fromkeys(self._keys(one)[0] for one in columns))
        decoded = self._decoded(whole, position or self.position)
        # The next piece is decoded in the background.
        with ThreadPoolExecutor(1) as decoder:
            following = decoder.submit(next, decoded, None)
            while (given := following.result()) is not None:
                following = decoder.submit(next, decoded, None)
                piece, self.position, self.bytes_read = given
                yield piece

    def _decoded(
        self, columns: Sequence[str] | None, position: Position
    ) -> Generator[tuple[Any, Position, int] | None, None, None]:
        """Decode pieces, each with the position after it and the number of bytes read so far."""
        batches = self._parquet_batches if self.kind == "parquet" else self._ipc_batches
        pending: list[Any] = []
        rows = n_bytes = bytes_read = 0
        there = position
        with self._as_table_errors():
            for batch, there, bytes_read in batches(columns, position):
                pending.append(batch)
                rows, n_bytes = rows + batch.num_rows, n_bytes + batch.nbytes
                if n_bytes >= BYTES_READ_AT_ONCE or rows >= ROWS_READ_AT_ONCE:
                    yield self._pa.Table.from_batches(pending), there, bytes_read
                    pending, rows, n_bytes = [], 0, 0
        if pending:
            yield self._pa.Table.from_batches(pending), there, bytes_read

    def type_of(self, column: str) -> Any:
        """Return the type of a column or path, which must exist."""
        first, *rest = self._keys(column)
        kind = self.schema.field(first).type
        for name in rest:
            kind = kind.field(name).type
        return kind

    def column(self, piece: Any, column: str) -> Any:
        """Return a column or path of a piece, which must exist."""
        first, *rest = self._keys(column)
        whole = piece.column(first)
        return import_arrow("pyarrow.compute", "a path").struct_field(whole, rest) if rest else whole

    def _keys(self, column: str) -> tuple[str, ...]:
        return self._paths[self.names.index(column)]

    def _find_paths(self, fields: Iterable[Any], before: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        for field in fields:
            path = (*before, field.name)
            yield path
            if self._pa.types.is_struct(field.type):
                yield from self._find_paths(field.type, path)

    def __iter__(self) -> Iterator[Row]:
        """Yield rows, with their number as ``line``; raise ``TableError`` for damage and invalid UTF-8."""
        number = 1
        for piece in self.pieces(None):
            for first in range(0, piece.num_rows, ROWS_DECODED[0]):
                rows = to_rows(piece.slice(first, ROWS_DECODED[0]), number)
                number += len(rows)
                yield from rows

    def _parquet_batches(
        self, columns: Sequence[str] | None, position: Position
    ) -> Iterator[tuple[Any, Position, int]]:
        """Decode the row groups."""
        metadata = self._file.metadata
        done = 0
        few, many = ROWS_DECODED
        first, n_given, at_once, most_bytes = position
        for group in range(metadata.num_row_groups):
            about = metadata.row_group(group)
            size = sum(about.column(nth).total_compressed_size for nth in range(about.num_columns))
            if group >= first:
                rows, counted_on = 0, most_bytes
                for nth, batch in enumerate(self._file.iter_batches(at_once, row_groups=[group], columns=columns), 1):
                    rows += batch.num_rows
                    most_bytes = max(most_bytes, batch.nbytes / max(batch.num_rows, 1))
                    if group > first or nth > n_given:
                        bytes_read = done + size * rows // max(about.num_rows, 1)
                        yield batch, (group, nth, at_once, counted_on), bytes_read
                at_once = max(few, min(many, int(BYTES_DECODED / most_bytes)))
            done += size

    def _ipc_batches(self, columns: Sequence[str] | None, position: Position) -> Iterator[tuple[Any, Position, int]]:
        is_file = hasattr(self._file, "num_record_batches")
        batches = map(self._file.get_batch, range(self._file.num_record_batches)) if is_file else self._file
        first, n_given, at_once, most_bytes = position
        for number, batch in enumerate(batches):
            bytes_read = self._stream.tell()
            wanted = batch if columns is None else batch.select(columns)
            self._check(wanted)
            for nth, begin in enumerate(range(0, wanted.num_rows, at_once), 1):
                if (number, nth) > (first, n_given):
                    yield wanted.slice(begin, at_once), (number, nth, at_once, most_bytes), bytes_read

    def _check(self, batch: Any) -> None:
        """Reject offsets out of bounds; invalid UTF-8 is accepted here, and later rejects only its own row."""
        for column in batch.columns:
            column.view(self._as_bytes(column.type)).validate(full=True)

    def _as_bytes(self, kind: Any) -> Any:
        """Return a type of the same layout with binary in place of string types, at every level."""
        pa, types = self._pa, self._pa.types
        if types.is_dictionary(kind):
            return pa.dictionary(kind.index_type, self._as_bytes(kind.value_type), kind.ordered)
        if types.is_struct(kind):
            return pa.struct(
                [one.with_type(self._as_bytes(one.type)) for one in map(kind.field, range(kind.num_fields))]
            )
        if types.is_list(kind) or types.is_large_list(kind):
            make = pa.list_ if types.is_list(kind) else pa.large_list
            return make(kind.value_field.with_type(self._as_bytes(kind.value_type)))
        if types.is_string(kind):
            return pa.binary()
        if types.is_large_string(kind):
            return pa.large_binary()
        return pa.binary_view() if str(kind) == "string_view" else kind

    @contextmanager
    def _as_table_errors(self) -> Generator[None]:
        try:
            yield
        except (self._pa.ArrowException, OSError) as problem:
            words = " ".join(str(problem).split())
            raise TableError(f"can't be read: {words}") from problem


def to_rows(piece: Any, first: int) -> list[Row]:
    """Convert a pyarrow table, whose first row has the number ``first``, to rows."""
    refuse_duplicate_names(piece.column_names)
    rows = f"rows {first} to {first + piece.num_rows - 1} hold"
    try:
        return [Row(number, cells, place="row") for number, cells in enumerate(piece.to_pylist(), start=first)]
    except UnicodeDecodeError as problem:
        raise TableError(f"{rows} text that is not valid UTF-8") from problem
    except (ValueError, OverflowError) as problem:
        words = " ".join(str(problem).split())
        raise TableError(f"{rows} values that only Parquet and Arrow IPC can represent: {words}") from problem


class ArrowWriter:
    """Writes pieces as Parquet or Arrow IPC; call ``close`` at the end. What can't be written is a ``TableError``."""

    def __init__(self, stream: BinaryIO, kind: Kind, output: str, schema: Any, *, is_staged: bool = False) -> None:
        """Write to a binary stream; the output's name decides between Arrow IPC's streaming and file format."""
        self._pa = import_arrow()
        self._pending: list[Any] = []
        self._bytes = 0
        # An Arrow IPC file has one dictionary per column, but each piece of a table has its own.
        plain = self._pa.schema([self._plain(field) for field in schema], schema.metadata)
        self._schema = plain if kind == "arrow" else schema
        try:
            # A staged table is checked here too, not only when it is assembled.
            made = _make_writer(io.BytesIO() if is_staged else stream, kind, output, self._schema)
        except self._pa.ArrowException as problem:
            words = " ".join(str(problem).split())
            raise TableError(f"the columns can't be written in this format; write .arrow: {words}") from problem
        self._writer = _Stage(stream, self._schema) if is_staged else made
        # Row groups are written in the background, except staged ones, which must be written before a checkpoint.
        self._background = None if is_staged else ThreadPoolExecutor(1)
        self._writing: Future[None] | None = None

    @property
    def is_flushed(self) -> bool:
        """Whether all pieces so far are written."""
        return not self._pending and self._writing is None

    def _plain(self, field: Any) -> Any:
        """Return a field without dictionary encoding."""
        is_dictionary = self._pa.types.is_dictionary(field.type)
        return field.with_type(field.type.value_type) if is_dictionary else field

    def write(self, piece: Any) -> None:
        """Write a pyarrow table; it may be buffered."""
        self._pending.append(piece)
        self._bytes += piece.nbytes
        if self._bytes >= BYTES_IN_ROW_GROUP:
            self._flush()

    def close(self) -> None:
        """Write buffered pieces and the end of the file."""
        self._flush()
        self._wait()
        if self._background is not None:
            self._background.shutdown()
        self._writer.close()

    def _flush(self) -> None:
        pieces, self._pending, self._bytes = self._pending, [], 0
        self._wait()
        if self._background is None:
            self._write(pieces)
        else:
            self._writing = self._background.submit(self._write, pieces)

    def _wait(self) -> None:
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()

    def _write(self, pieces: list[Any]) -> None:
        """Write a row group or a batch."""
        if not pieces:
            return
        try:
            table = self._pa.concat_tables(pieces).cast(self._schema)
            # All columns get the same chunks, as in a staged table, so that both give the same bytes.
            table = self._pa.Table.from_batches(table.to_batches(), self._schema)
            if table.num_rows:
                self._writer.write_table(table)
        except self._pa.ArrowException as problem:
            words = " ".join(str(problem).split())
            raise TableError(f"the rows can't be written in this format: {words}") from problem


class _Stage:
    """Writes each row group as an Arrow IPC stream of its own, so that complete ones survive a kill."""

    def __init__(self, stream: BinaryIO, schema: Any) -> None:
        self._pa = import_arrow()
        self._stream = stream
        self._schema = schema

    def write_table(self, table: Any) -> None:
        """Write a row group."""
        with self._pa.ipc.new_stream(NonClosingStream(self._stream), self._schema) as writer:
            writer.write_table(table)

    def close(self) -> None:
        """Write an empty row group, so that a table without rows keeps its columns."""
        self.write_table(self._schema.empty_table())


def _make_writer(stream: BinaryIO, kind: Kind, output: str, schema: Any) -> Any:
    """Make pyarrow's writer for a kind of table."""
    pa = import_arrow()
    if kind == "parquet":
        parquet = import_arrow("pyarrow.parquet", "a table of Parquet")
        return parquet.ParquetWriter(NonClosingStream(stream), schema, compression="zstd", compression_level=1)
    make = pa.ipc.new_stream if output.lower().endswith(STREAM_SUFFIX) else pa.ipc.new_file
    return make(stream, schema)


def staged_schema(stream: BinaryIO) -> Any:
    """Return the pyarrow schema of a staging file, or None if it is empty; its position is not changed."""
    end = stream.tell()
    if not end:
        return None
    stream.seek(0)
    schema = import_arrow().ipc.open_stream(NonClosingStream(stream)).schema
    stream.seek(end)
    return schema


def assemble(staged: BinaryIO, stream: BinaryIO, kind: Kind, output: str) -> None:
    """Convert a staging file to Parquet or Arrow IPC, with the same bytes as if it had been written directly."""
    pa = import_arrow()
    end = staged.seek(0, io.SEEK_END)
    staged.seek(0)
    writer = None
    while staged.tell() < end:
        table = pa.ipc.open_stream(NonClosingStream(staged)).read_all()
        writer = writer or _make_writer(stream, kind, output, table.schema)
        if table.num_rows:
            writer.write_table(table)
    if writer is not None:
        writer.close()


# The columns that are told of guards alone, by the fields of their values.
_OF_GUARDS = {"codes": "categories"} | {one: one for one in ("side", "names", "hazards", "uncertain_hazards")}


def reading_fields(format_: Format, added: Sequence[tuple[str, str]]) -> Any:
    """Return the pyarrow fields of added columns, given as parts of an outcome with the names of their columns."""
    return [column.field(0) for column in _columns(parse_many([], format_), added)]


def add_columns(piece: Any, readings: Readings, added: Sequence[tuple[str, str]]) -> Any:
    """Append parts of the rows' outcomes to a piece, each with the name of its column."""
    for column in _columns(readings, added):
        piece = piece.append_column(column.field(0), column.column(0))
    return piece


def unread_rows(piece: Any, readings: Sequence[Readings]) -> Any:
    """Filter the rows with an unread reply in at least one reply column."""
    pa = import_arrow()
    all_read = readings[0].ok
    for one in readings[1:]:
        all_read &= one.ok
    return piece.filter(pa.array(~all_read))


def _columns(readings: Readings, added: Sequence[tuple[str, str]]) -> Iterator[Any]:
    pa = import_arrow()
    table = pa.table(readings)
    for part, name in added:
        if part in table.column_names:
            yield table.select([part]).rename_columns([name])
        elif part == "format":
            yield pa.table({name: pa.repeat(readings.format.id, len(readings))})
        elif part in _OF_GUARDS:
            compute = import_arrow("pyarrow.compute")
            yield pa.table({name: compute.struct_field(table["value"], _OF_GUARDS[part])})
        else:
            texts = readings._texts("evidence" if part == "evidence" else "detail")  # noqa: SLF001 - made for this
            yield pa.table({name: pa.array(texts)})


def decode_for_display(column: Any, row: int) -> str | None:
    """Return a text of a pyarrow column, with U+FFFD for invalid UTF-8; None if it is null."""
    scalar = column[row]
    try:
        return scalar.as_py()
    except UnicodeDecodeError as problem:
        return bytes(problem.object).decode("utf-8", "replace")


class RowColumns:
    """Converts rows to columns; the first rows decide the columns and their types."""

    def __init__(
        self, rows: Sequence[Row], *, names: Sequence[str] | None = None, known: Sequence[Any] | None = None
    ) -> None:
        """Infer the schema from the first rows, unless an earlier run did; columns of CSV, ``names``, are strings."""
        self._pa = import_arrow()
        if known is not None:
            self.schema = self._pa.schema(known)
            return
        text = self._pa.string()
        if names is not None:
            refuse_duplicate_names(names)
            self.schema = self._pa.schema([(name, text) for name in names])
            return
        cells = [_cells_of(row) for row in rows]
        fields: list[Any] = []
        for name in dict.fromkeys(name for row in cells for name in row):
            try:
                kind = self._pa.array([row.get(name) for row in cells]).type
            except (self._pa.ArrowException, OverflowError) as problem:
                raise TableError(
                    f"column {name!r} has values of different types: {problem}; write .jsonl, which allows that"
                ) from None
            if self._is_unfit(kind):
                fields.append(self._pa.field(name, text, metadata=AS_JSON))
            else:
                fields.append(self._pa.field(name, text if self._pa.types.is_null(kind) else kind))
        self.schema = self._pa.schema(fields)

    def _is_unfit(self, kind: Any, depth: int = 0) -> bool:
        """Return whether Parquet does not support a type, so that its values are written as JSON text.

        These are structs without fields, and types nested more deeply than ``DEEPEST``.
        """
        is_struct = self._pa.types.is_struct(kind)
        parts = [kind.field(nth).type for nth in range(kind.num_fields)]
        return (is_struct and not parts) or depth > DEEPEST or any(self._is_unfit(one, depth + 1) for one in parts)

    def piece(self, rows: Sequence[Row]) -> Any:
        """Convert rows to a pyarrow table; raise ``TableError`` for a column or a type that the first rows lack."""
        cells = [_cells_of(row) for row in rows]
        known = set(self.schema.names)
        for row, values in zip(rows, cells, strict=True):
            if not values.keys() <= known:
                new = next(name for name in values if name not in known)
                raise TableError(
                    f"{row.where}: column {new!r} is not in the first rows; write .jsonl, where columns may differ"
                )
        columns = [self._column(field, rows, [values.get(field.name) for values in cells]) for field in self.schema]
        return self._pa.Table.from_arrays(columns, schema=self.schema)

    def _column(self, field: Any, rows: Sequence[Row], values: list[Any]) -> Any:
        """Make one column, or raise an error that names the row that does not fit."""
        problems = (self._pa.ArrowException, OverflowError)
        if field.metadata == AS_JSON:
            values = [None if value is None else ENCODER.encode(value) for value in values]
        elif field.type.num_fields:
            # pyarrow would silently drop unknown keys.
            new = next(
                ((row, key) for row, one in zip(rows, values, strict=True) if (key := _new_key(one, field))), None
            )
            if new is not None:
                what = f"in column {field.name!r} the key {new[1]!r} is not in the first rows"
                raise TableError(f"{new[0].where}: {what}; write .jsonl, where keys may differ")
        try:
            return self._pa.array(values, field.type)
        except problems:
            for row, value in zip(rows, values, strict=True):
                try:
                    self._pa.array([value], field.type)
                except problems:
                    what = f"column {field.name!r} is not of type {field.type}, as in the first rows"
                    raise TableError(f"{row.where}: {what}; write .jsonl, where types may differ") from None
            raise


def _cells_of(row: Row) -> dict[str, Any]:
    """Return a row's cells for Arrow, without lone surrogates."""
    try:
        return without_surrogates(row.exact_cells())
    except RecursionError:
        raise TableError(f"{row.where}: nested too deeply for a column; write .jsonl") from None


def _new_key(value: Any, field: Any) -> str | None:
    """Return a key of an object that its field's type lacks; None if there is none."""
    if isinstance(value, list) and field.type.num_fields == 1:
        items = cast("list[Any]", value)
        return next((key for one in items if (key := _new_key(one, field.type.field(0)))), None)
    if not isinstance(value, dict):
        return None
    fields = {one.name: one for one in (field.type.field(nth) for nth in range(field.type.num_fields))}
    for key, one in cast("dict[str, Any]", value).items():
        if one is not None and key not in fields:
            return key
        if one is not None and (found := _new_key(one, fields[key])):
            return found
    return None


class TypedRowWriter:
    """Writes rows as Parquet or Arrow IPC with types inferred from the first rows; call ``close`` at the end."""

    def __init__(self, stream: BinaryIO, kind: Kind, output: str) -> None:
        """Write to a binary stream; the arguments are those of ``ArrowWriter``."""
        import_arrow()
        self._open = partial(ArrowWriter, stream, kind, output)
        self._waiting: list[Row] = []
        self._columns: RowColumns | None = None
        self._writer: ArrowWriter | None = None

    def write(self, rows: Iterable[tuple[Row, Mapping[str, Any]]]) -> None:
        """Write rows with their added cells; lone surrogates, which Arrow can't hold, become U+FFFD."""
        self._waiting.extend(Row(row.line, {**row.exact_cells(), **added}, place=row.place) for row, added in rows)
        if len(self._waiting) >= ROWS_FOR_TYPES:
            self._flush()

    def close(self) -> None:
        """Write buffered rows and the end of the file; errors are those of ``write``."""
        self._flush().close()

    def _flush(self) -> ArrowWriter:
        if self._columns is None or self._writer is None:
            self._columns = RowColumns(self._waiting)
            self._writer = self._open(self._columns.schema)
        if self._waiting:
            self._writer.write(self._columns.piece(self._waiting))
        self._waiting = []
        return self._writer
