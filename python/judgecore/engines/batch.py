"""``ParseBatch``: add readings to an Arrow batch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from judgecore.reading import Format, parse_many, to_format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.reading import Mode, Readings

ADDED = ("value", "status", "reason", "rule", "start", "end")


@dataclass(frozen=True)
class ParseBatch:
    """A function that adds readings to an Arrow batch.

    It is a pure function: the same batch gives the same columns, on any machine. It can be pickled, also with a custom
    format. The added columns are ``value``, ``status`` (``ok`` or ``unreadable``), ``reason``, ``rule``, and ``start``
    and ``end`` of the evidence in code points. They are not dictionary-encoded, because some engines do not support
    that.

    Attributes:
        format: The format of the replies, or its id.
        column: The column that holds the replies: strings of any Arrow type.
        mode: As in ``parse``.
        cut: The column of booleans that marks cut-off replies; None for none.
        prefix: The prefix of the added columns' names.
        threads: The number of threads for one batch: 1 if the engine already uses all cores, as Ray and Spark do; None
            for all cores.
        material: The columns of texts that the judge was shown; a verdict copied from them is ``echoed``.
        value: The Arrow type of JSON documents, such as a struct of the wanted keys; None for JSON text.

    Raises:
        UnknownFormatError: If no format has the id; raised here, not on a worker.
        ValueError: If the format has no such mode.

    Examples:
        >>> import pyarrow as pa
        >>> from judgecore.engines import ParseBatch
        >>> batch = pa.record_batch({"id": [1, 2], "reply": ["Rating: [[8]]", "I like it."]})
        >>> read = ParseBatch("mt_bench.single", "reply")(batch)
        >>> read.column("value").to_pylist(), read.column("reason").to_pylist()
        ([8.0, None], [None, 'no_verdict'])
    """

    format: Format | str
    column: str
    mode: Mode = "lenient"
    cut: str | None = None
    prefix: str = ""
    threads: int | None = 1
    value: Any = None
    material: Sequence[str] = ()

    def __post_init__(self) -> None:
        if isinstance(self.material, str):
            raise TypeError(f"material must be a list of columns, not a str; give [{self.material!r}]")
        parse_many([], self.format, mode=self.mode, threads=self.threads)

    @property
    def resolved(self) -> Format:
        """The format, also if ``format`` is an id."""
        return to_format(self.format)

    def __call__(self, batch: Any) -> Any:
        """Read the replies of a batch.

        Args:
            batch: A pyarrow ``RecordBatch`` or ``Table`` with the column.

        Returns:
            The batch with six more columns.

        Raises:
            KeyError: If a column is missing.
            ValueError: If an added column's name is taken, or a document does not fit ``value``.
            TypeError: If the column or one of ``material`` does not hold strings, or ``cut`` does not hold booleans.
        """
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        for name in (self.column, self.cut, *self.material):
            if name is not None and name not in columns:
                raise KeyError(f"the batch has no column {name!r}; it has {', '.join(map(repr, columns))}")
        self._refuse_taken(batch.schema.names)
        cut = None if self.cut is None else columns[self.cut]
        material = [columns[name] for name in self.material]
        readings = parse_many(
            columns[self.column], self.format, mode=self.mode, cut=cut, material=material, threads=self.threads
        )
        for field, column in zip(self.fields, self._columns(readings), strict=True):
            batch = batch.append_column(field, column)
        return batch

    @cached_property
    def fields(self) -> tuple[Any, ...]:
        """The pyarrow fields of the added columns."""
        readings = self._columns(parse_many([], self.format, mode=self.mode))
        pa = import_module("pyarrow")
        return tuple(pa.field(f"{self.prefix}{name}", one.type) for name, one in zip(ADDED, readings, strict=True))

    def schema(self, schema: Any) -> Any:
        """Return the schema of the output.

        Args:
            schema: The pyarrow schema of the input.

        Returns:
            The schema with six more fields.

        Raises:
            ValueError: If an added field's name is taken.
        """
        self._refuse_taken(schema.names)
        for field in self.fields:
            schema = schema.append(field)
        return schema

    def __getstate__(self) -> dict[str, Any]:
        """Omit the cached fields, which can be computed again."""
        return {name: value for name, value in self.__dict__.items() if name != "fields"}

    def _refuse_taken(self, names: list[str]) -> None:
        taken = [name for name in names if name.startswith(self.prefix) and name[len(self.prefix) :] in ADDED]
        if taken:
            cure = "rename the added columns, for example with prefix='jc_'"
            raise ValueError(f"the batch already has {', '.join(map(repr, taken))}; {cure}")

    def _columns(self, readings: Readings) -> list[Any]:
        """Return the columns of readings without dictionary encoding, in the order of ``ADDED``."""
        pa = import_module("pyarrow")
        wanted = None if self.value is None else pa.struct([("value", self.value)]).__arrow_c_schema__()
        capsules = _Capsules(readings.__arrow_c_array__(wanted))
        structs = pa.array(capsules)
        return [_plain(pa, structs.field(name)) for name in ADDED]


class _Capsules:
    """An Arrow array that is already exported as capsules."""

    def __init__(self, capsules: tuple[object, object]) -> None:
        self._capsules = capsules

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        del requested_schema
        return self._capsules


def _plain(pa: Any, array: Any) -> Any:
    """Return an array without dictionary encoding, also in the fields of structs."""
    if pa.types.is_dictionary(array.type):
        return array.dictionary_decode()
    if pa.types.is_struct(array.type):
        kinds = [field.type for field in array.type]
        if any(pa.types.is_dictionary(kind) for kind in kinds):
            parts = [_plain(pa, array.field(nth)) for nth in range(len(kinds))]
            fields = [pa.field(field.name, part.type) for field, part in zip(array.type, parts, strict=True)]
            mask = array.is_null() if array.null_count else None
            return pa.StructArray.from_arrays(parts, fields=fields, mask=mask)
    return array
