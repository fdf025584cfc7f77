"""``HumanLabeledDataset``: responses with human labels."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, Unpack

import numpy as np

from judgecore.containment import ALLOW_OUTSIDE, LeadsOutsideError
from judgecore.evaluation.dataset_columns import ColumnOptions, merge_items, settle_columns
from judgecore.evaluation.dataset_definition import SHIPPED, HarmDefinition, find_definition
from judgecore.evaluation.dataset_entry import (
    DatasetProblem,
    HarmHumanLabeledEntry,
    HumanLabeledEntry,
    MetricsType,
    cell_of,
    refuse,
)
from judgecore.evaluation.dataset_rows import CATEGORY, DATA_TYPE, OBJECTIVE, LabelScale, Roles, find_type, read_rows
from judgecore.evaluation.dataset_table import RESPONSE, read_records, read_table, to_records
from judgecore.hashing import content_hash
from judgecore.scorers import Response
from judgecore.tables.opening import TableOptions
from judgecore.tables.text import LONGEST_RECORD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from judgecore.evaluation.dataset_table import Table
    from judgecore.tables.files import Kind

BUNDLED: dict[str, DatasetOptions] = {
    "refusals": {"metrics_type": MetricsType.OBJECTIVE},
    "helpfulness": {"metrics_type": MetricsType.HARM, "scale": (1, 5)},
}

DEFINITIONS_VARIABLE: Final = "JUDGECORE_HARM_DEFINITIONS"
"""The environment variable that names a folder of harm definitions."""

# The number of digits of the content hash that serve as version if there is none.
HASH_SHOWN = 12

# How to set the version in each file format.
VERSION_OF: dict[Kind, str] = {
    "csv": "begin the file with the line # dataset_version=1.0",
    "jsonl": 'begin the file with the line {"dataset_version": "1.0"}',
    "json": 'begin the array with the object {"dataset_version": "1.0"}',
    "parquet": "put dataset_version into the schema's metadata",
    "arrow": "put dataset_version into the schema's metadata",
}


class DatasetOptions(TypedDict, total=False):
    """Options of a data set.

    Attributes:
        metrics_type: The kind of the labels; by default ``harm`` if a harm definition is named or there is no column
            ``objective``, else ``objective``.
        dataset_name: The name of the data set; by default the file's name.
        version: The version of the data set; overrides the one in the file.
        harm_definition: The file of the harm definition; overrides the one in the file.
        harm_definition_version: The version of the definition; overrides the one in the file.
        harm_definitions: One or more folders to search for the definition, after the data set's own folder and before
            the folder in ``JUDGECORE_HARM_DEFINITIONS`` and the shipped definitions.
        allow_outside: Whether the definition may be outside these folders, by ``..``, an absolute path or a link.
        scale: The lowest and the highest possible rating; a rating x becomes (x - low) / (high - low).
    """

    metrics_type: MetricsType | Literal["objective", "harm"] | None
    dataset_name: str | None
    version: str | None
    harm_definition: str | None
    harm_definition_version: str | None
    harm_definitions: str | Path | Sequence[str | Path]
    allow_outside: bool
    scale: tuple[float, float] | None


@dataclass(frozen=True, kw_only=True)
class HumanLabeledDataset:
    """Responses with labels from human raters.

    ``from_ratings`` loads a table with columns of any name. The other constructors require PyRIT's column names:
    ``from_table`` loads any file, ``from_csv``, ``from_jsonl`` and ``from_parquet`` load one file format, and
    ``from_records`` takes rows in memory. ``bundled`` loads a shipped data set.

    Attributes:
        name: The name, by default the file's name.
        version: The data set's version.
        metrics_type: The kind of the labels.
        raters: The raters' columns.
        entries: The rows, at least one.
        harm_definition: The file that explains each level; None if none is named.
        harm_definition_version: The version that raters used; None if none is named.
        definition: The definition; None if its file was not found.
        scale: The lowest and the highest possible rating; None if ratings are from 0 to 1.
        is_plain: Whether the caller named the columns, so that no harm definition is needed.
        encoding: The text encoding of the file; None for binary files and records.
        path: The file; None for records.
    """

    name: str
    version: str
    metrics_type: MetricsType
    raters: tuple[str, ...]
    entries: tuple[HumanLabeledEntry, ...] = field(repr=False)
    harm_definition: str | None = None
    harm_definition_version: str | None = None
    definition: HarmDefinition | None = field(default=None, repr=False)
    scale: tuple[float, float] | None = None
    is_plain: bool = False
    encoding: str | None = None
    path: Path | None = None

    def __post_init__(self) -> None:
        if not self.name:
            raise refuse([DatasetProblem("a data set needs a name", "data set")])
        if not self.entries:
            raise refuse([DatasetProblem("holds no rows", self.name)])

    def __len__(self) -> int:
        return len(self.entries)

    @classmethod
    def from_table(
        cls,
        path: str | Path,
        *,
        kind: Kind | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        longest: int = LONGEST_RECORD,
        **options: Unpack[DatasetOptions],
    ) -> HumanLabeledDataset:
        """Load a file: CSV, JSON lines or a JSON array, possibly compressed with gzip or zstd, Parquet or Arrow IPC.

        ``from_csv``, ``from_jsonl`` and ``from_parquet`` describe the columns and the header data of each format.

        Args:
            path: The file; ``-`` is standard input.
            kind: ``csv``, ``jsonl``, ``json``, ``parquet`` or ``arrow``; None to use the extension.
            delimiter: The CSV delimiter; None to detect it.
            encoding: The text encoding; None to detect it.
            longest: The maximum number of bytes of a text row.
            **options: The fields of ``DatasetOptions``.

        Raises:
            ImportError: If pyarrow is required but not installed; it is in the extra ``judgecore[arrow]``.
            DatasetError: If the data set is invalid; ``problems`` lists every invalid row and column.
            OSError: If the file can't be read.
        """
        path = Path(path)
        return _build(read_table(path, TableOptions(kind, delimiter, encoding, longest)), path, options)

    @classmethod
    def from_csv(
        cls, csv_path: str | Path, *, encoding: str | None = None, **options: Unpack[DatasetOptions]
    ) -> HumanLabeledDataset:
        """Load a CSV file.

        The first line may be ``# dataset_version=1.0, harm_definition=violence.yaml, harm_definition_version=1.0``.
        The columns are ``assistant_response``; ``objective``; for harm data ``harm_category``; the raters, which are
        ``human_score``, ``human_score_N`` or ``human_score_<name>``; and optionally ``data_type``. All others are kept
        as metadata. Commas, semicolons and tabs separate cells; UTF-8, UTF-16 and Windows-1252 are read.

        Args:
            csv_path: The file.
            encoding: As in ``from_table``, like the other options and the errors.
            **options: The fields of ``DatasetOptions``.
        """
        return cls.from_table(csv_path, kind="csv", encoding=encoding, **options)

    @classmethod
    def from_jsonl(
        cls, path: str | Path, *, encoding: str | None = None, **options: Unpack[DatasetOptions]
    ) -> HumanLabeledDataset:
        """Load a JSON lines file; its keys are the columns of ``from_csv``.

        The first line may be ``{"dataset_version": "1.0", "harm_definition": ..., "harm_definition_version": ...}``.

        Args:
            path: The file.
            encoding: As in ``from_table``, like the other options and the errors.
            **options: The fields of ``DatasetOptions``.
        """
        return cls.from_table(path, kind="jsonl", encoding=encoding, **options)

    @classmethod
    def from_parquet(cls, path: str | Path, **options: Unpack[DatasetOptions]) -> HumanLabeledDataset:
        """Load a Parquet file as ``from_table`` does; versions are in the metadata of its schema."""
        return cls.from_table(path, kind="parquet", **options)

    @classmethod
    def from_records(
        cls, records: Iterable[Mapping[str, Any]], **options: Unpack[DatasetOptions]
    ) -> HumanLabeledDataset:
        """Make a data set from mappings; their keys are the columns of ``from_csv``.

        Args:
            records: The rows; a missing label is None, NaN or absent.
            **options: The fields of ``DatasetOptions``.

        Returns:
            The data set; its default name is ``records``.

        Raises:
            DatasetError: If the data set is invalid; ``problems`` lists every invalid row and column.
        """
        return _build(read_records(records, options.get("dataset_name") or "records"), None, options)

    @classmethod
    def from_ratings(
        cls,
        table: Any,
        *,
        options: TableOptions | None = None,
        dataset_name: str | None = None,
        **columns: Unpack[ColumnOptions],
    ) -> HumanLabeledDataset:
        """Make a data set from a table with columns of any name, and ratings in the raters' own units.

        Rows without a rating are omitted. The version is the beginning of the content hash.

        Args:
            table: A file's path, where ``-`` is standard input; a table of pandas, polars or pyarrow; or mappings.
            options: How to read the file; None to detect it.
            dataset_name: The data set's name; by default the file's, otherwise ``ratings``.
            **columns: Which columns hold what: ``ColumnOptions``.

        Raises:
            ColumnsNeededError: If more column options are required; one message lists all of them.
            DatasetError: If a row is invalid.
            ImportError: As ``from_table``.
            OSError: If the file can't be read.
        """
        path = Path(table) if isinstance(table, str | Path) else None
        read = (
            read_records(to_records(table), dataset_name or "ratings")
            if path is None
            else read_table(path, options or TableOptions())
        )
        name = dataset_name or read.source
        roles, scale = settle_columns(read, columns, Path(name).stem)
        raters, entries = read_rows(read, scale, roles)
        if columns.get("item"):
            raters, entries = merge_items(read.source, entries, raters, roles, columns)
        rated = tuple(one for one in entries if any(score is not None for score in one.human_scores))
        made = cls(
            name=name,
            version="none",
            metrics_type=scale.metrics_type,
            raters=raters,
            entries=rated,
            scale=scale.scale,
            is_plain=True,
            encoding=read.encoding,
            path=path,
        )
        return made.with_hash_as_version()

    @classmethod
    def bundled(cls, name: Literal["refusals", "helpfulness"]) -> HumanLabeledDataset:
        """Load a small shipped data set for demonstrations; it is too small to evaluate a judge.

        Args:
            name: ``refusals`` (is the response a refusal?) or ``helpfulness`` (how helpful, from 1 to 5?).

        Returns:
            The data set; its column ``slice`` holds the kind of each row.

        Raises:
            ValueError: If no shipped data set has this name.
        """
        if name not in BUNDLED:
            raise ValueError(f"no data set {name!r} is shipped; there are {', '.join(BUNDLED)}")
        return cls.from_csv(SHIPPED / f"{name}.csv", **BUNDLED[name])

    @classmethod
    def combine(cls, *datasets: HumanLabeledDataset) -> HumanLabeledDataset:
        """Concatenate data sets of the same type.

        Args:
            datasets: At least one.

        Returns:
            A data set with all raters; names and versions are joined by ``_``.

        Raises:
            DatasetError: If types or harm definitions differ, or no data set is given.
        """
        if not datasets:
            raise refuse([DatasetProblem("no data sets to combine", "combine")])
        first = datasets[0]
        for other in datasets[1:]:
            for what in ("metrics_type", "harm_definition", "harm_definition_version"):
                if getattr(other, what) != getattr(first, what):
                    text = f"{what} is {getattr(other, what)}, that of {first.name} is {getattr(first, what)}"
                    raise refuse([DatasetProblem(text, other.name)])
        raters = tuple(dict.fromkeys(rater for one in datasets for rater in one.raters))
        entries: list[HumanLabeledEntry] = []
        for one in datasets:
            for entry in one.entries:
                given = dict(zip(one.raters, entry.human_scores, strict=True))
                scores = tuple(given.get(rater) for rater in raters)
                entries.append(replace(entry, human_scores=scores, row=len(entries) + 1))
        return replace(
            first,
            name="_".join(one.name for one in datasets),
            version="_".join(one.version for one in datasets),
            raters=raters,
            entries=tuple(entries),
            path=None,
        )

    @property
    def content_hash(self) -> str:
        """The hash of responses, labels, objectives, categories and metadata.

        Returns:
            64 hexadecimal digits; equal rows have equal hashes in all file formats.
        """
        rows = [
            {
                RESPONSE: entry.assistant_response,
                OBJECTIVE: entry.objective,
                CATEGORY: entry.harm_category if isinstance(entry, HarmHumanLabeledEntry) else None,
                DATA_TYPE: entry.data_type,
                "human_scores": [None if score is None else float(score) for score in entry.human_scores],
                "metadata": dict(entry.metadata),
            }
            for entry in self.entries
        ]
        return content_hash({"metrics_type": str(self.metrics_type), "raters": list(self.raters), "rows": rows})

    @property
    def harm_categories(self) -> tuple[str, ...]:
        """The harm categories in order of occurrence; empty for objective data."""
        found = (entry.harm_category for entry in self.entries if isinstance(entry, HarmHumanLabeledEntry))
        return tuple(dict.fromkeys(found))

    @property
    def harm_definition_status(self) -> Literal["verified", "unverified", "none"]:
        """Whether the harm definition was found; ``none`` if none is required, ``unverified`` if it is missing."""
        if self.is_plain or self.metrics_type is MetricsType.OBJECTIVE:
            return "none"
        return "unverified" if self.definition is None else "verified"

    def with_hash_as_version(self) -> HumanLabeledDataset:
        """Return the data set with the beginning of its content hash as version."""
        return replace(self, version=self.content_hash[:HASH_SHOWN])

    def head(self, n_items: int) -> HumanLabeledDataset:
        """Return the first items.

        Args:
            n_items: The maximum number of items, at least 1.
        """
        taken = replace(self, entries=self.entries[:n_items])
        return taken.with_hash_as_version() if self.is_plain else taken

    @property
    def known_definition(self) -> str | None:
        """The harm definition's file; ``unverified`` if it is required but missing, None if none is required."""
        return {"verified": self.harm_definition, "unverified": "unverified"}.get(self.harm_definition_status)

    def responses(self) -> Iterator[Response]:
        """Yield the responses in order, with their objectives and metadata."""
        for entry in self.entries:
            yield Response(
                text=entry.assistant_response,
                objective=entry.objective,
                fields=dict(entry.metadata),
                name=f"{self.name}, row {entry.row}",
            )

    def ratings(self) -> npt.NDArray[np.float64]:
        """Return the labels as an array for ``judgecore.stats``.

        Returns:
            Shape ``(n_raters, n_items)``; NaN for a missing label.
        """
        rows = [[np.nan if score is None else float(score) for score in entry.human_scores] for entry in self.entries]
        return np.ascontiguousarray(np.asarray(rows, dtype=np.float64).reshape(len(rows), len(self.raters)).T)

    def problems(self) -> tuple[DatasetProblem, ...]:
        """Return the problems that prevent an evaluation on this data set, with row and column."""
        found = [
            DatasetProblem("no rater gave a label", self.name, row=entry.row)
            for entry in self.entries
            if all(score is None for score in entry.human_scores)
        ]
        if self.metrics_type is MetricsType.OBJECTIVE:
            return tuple(found)
        if len(self.harm_categories) > 1:
            text = f"holds several harm categories ({', '.join(self.harm_categories)}); evaluate each one's slice"
            found.append(DatasetProblem(text, self.name, column=CATEGORY))
        if self.definition is None and not self.is_plain:
            found.append(DatasetProblem(self._say_what_definition_lacks(), self.name))
        return tuple(found)

    def _say_what_definition_lacks(self) -> str:
        """Explain why there is no harm definition."""
        if self.harm_definition is None:
            text = (
                "names no harm definition; add harm_definition=FILE.yaml, harm_definition_version=N to its first line"
            )
        elif self.harm_definition_version is None:
            text = f"names no version of {self.harm_definition}; add harm_definition_version=N to its first line"
        else:
            text = (
                f"the harm definition {self.harm_definition} is missing; put it beside the data set or pass "
                f"harm_definitions=FOLDER (--harm-definitions), or name the folder in {DEFINITIONS_VARIABLE}"
            )
        return f"{text}, or go on without one: allow_unverified=True (--allow-unverified)"

    def validate(self, *, allow_unverified: bool = False) -> None:
        """Raise an error if the data set can't be used for an evaluation.

        Args:
            allow_unverified: Whether harm data may lack their definition; ``harm_definition_status`` is then
                ``unverified``.

        Raises:
            DatasetError: If there are problems; ``problems`` lists all of them.
        """
        found = [
            one
            for one in self.problems()
            if not (allow_unverified and self.definition is None and one.text == self._say_what_definition_lacks())
        ]
        if found:
            raise refuse(found)

    def slice(self, column: str, *values: str) -> HumanLabeledDataset:
        """Return the rows that have certain values in a column.

        Args:
            column: A column of the metadata, or ``harm_category``, ``objective`` or ``data_type``.
            values: The values to keep.

        Raises:
            DatasetError: If no row has one of the values; the message lists the values of the column.
        """
        chosen = tuple(entry for entry in self.entries if cell_of(entry, column) in values)
        if not chosen:
            known = dict.fromkeys(str(value) for one in self.entries if (value := cell_of(one, column)) is not None)
            listed = ", ".join(map(repr, list(known)[:20])) or "no values"
            wanted = " or ".join(map(repr, values)) or "no value"
            raise refuse([DatasetProblem(f"no row has {wanted}; there are {listed}", self.name, column=column)])
        return replace(self, entries=chosen)

    def slices(self, column: str) -> dict[str, HumanLabeledDataset]:
        """Split the data set by the values of a column.

        Args:
            column: As in ``slice``.

        Returns:
            A data set for each value, in order of occurrence; rows without a value are omitted.
        """
        found = dict.fromkeys(value for entry in self.entries if (value := cell_of(entry, column)) is not None)
        return {value: self.slice(column, value) for value in found}

    def split(
        self, share: float, *, seed: int = 0, by: str | None = None
    ) -> tuple[HumanLabeledDataset, HumanLabeledDataset]:
        """Split the rows at random, for example into a calibration set and a test set.

        Args:
            share: The share of the first part, between 0 and 1.
            seed: The random seed; the same seed and rows give the same split on every machine.
            by: A column, such as ``objective``; rows with equal values stay together. None to split row by row.

        Returns:
            Both parts, in the original order. The first has the rounded share of the rows; with ``by``, at least that.

        Raises:
            ValueError: If one part would be empty.
        """
        groups: dict[str, list[int]] = {}
        for nth, entry in enumerate(self.entries):
            key = f"row {nth}" if by is None else f"value {cell_of(entry, by)}"
            groups.setdefault(key, []).append(nth)
        order = sorted(groups, key=lambda key: hashlib.sha256(f"{seed}\n{key}".encode()).digest())
        wanted = round(share * len(self.entries))
        taken: set[int] = set()
        for key in order:
            if len(taken) >= wanted:
                break
            taken.update(groups[key])
        if not 0 < len(taken) < len(self.entries):
            raise ValueError(f"{self.name}: a share of {share:g} leaves one part without rows")
        first = tuple(entry for nth, entry in enumerate(self.entries) if nth in taken)
        second = tuple(entry for nth, entry in enumerate(self.entries) if nth not in taken)
        return replace(self, entries=first), replace(self, entries=second)


def _build(table: Table, path: Path | None, options: DatasetOptions) -> HumanLabeledDataset:
    said = {
        "dataset_version": options.get("version"),
        "harm_definition": options.get("harm_definition"),
        "harm_definition_version": options.get("harm_definition_version"),
    }
    facts = {**table.facts, **{name: value for name, value in said.items() if value is not None}}
    given = options.get("metrics_type")
    metrics_type = find_type(table, facts) if given is None else MetricsType(given)
    raters, entries = read_rows(table, LabelScale(metrics_type, options.get("scale"), table.decimal), Roles())
    version = facts.get("dataset_version")
    if not version:
        cures = f"{VERSION_OF[table.kind]}, or in Python pass version=" if table.kind else "pass version="
        raise refuse([DatasetProblem(f"no version; {cures}", table.source)])
    definition = None
    if metrics_type is MetricsType.HARM:
        definition = _find_definition(table.source, facts, path, options)
    return HumanLabeledDataset(
        name=options.get("dataset_name") or table.source,
        version=version,
        metrics_type=metrics_type,
        raters=raters,
        entries=entries,
        harm_definition=facts.get("harm_definition"),
        harm_definition_version=facts.get("harm_definition_version"),
        definition=definition,
        scale=options.get("scale"),
        encoding=table.encoding,
        path=path,
    )


def _find_definition(
    source: str, facts: Mapping[str, str], path: Path | None, options: DatasetOptions
) -> HarmDefinition | None:
    """Find the definition that a data set names, in that version; None if it names no file or no version."""
    name, version = facts.get("harm_definition"), facts.get("harm_definition_version")
    if name is None or version is None:
        return None
    own = () if path is None else (path.parent,)
    folders = options.get("harm_definitions", ())
    others = [folders] if isinstance(folders, str | Path) else [*folders]
    others += [os.environ[DEFINITIONS_VARIABLE]] if os.environ.get(DEFINITIONS_VARIABLE) else []
    try:
        found = find_definition(name, [*own, *map(Path, others)], allow_outside=options.get("allow_outside", False))
    except OSError as problem:
        cure = f"; {ALLOW_OUTSIDE}" if isinstance(problem, LeadsOutsideError) else ""
        raise refuse([DatasetProblem(f"the harm definition {name} {problem.strerror}{cure}", source)]) from None
    if found is not None and found.version != version:
        text = f"labels were given by version {version} of {name}, but {found.path} has version {found.version}"
        raise refuse([DatasetProblem(f"{text}; update the one that is wrong", source)])
    return found
