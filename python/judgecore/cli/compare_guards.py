"""Comparing two guards row by row: what both call unsafe, and which hazards of the common axis both name."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from rich import box
from rich.table import Table

from judgecore.cli.columns import find_column
from judgecore.errors import TableError
from judgecore.reading import taxonomy
from judgecore.stats import cohen_kappa
from judgecore.tables.files import find_kind, naming_table
from judgecore.tables.opening import TableOptions, open_rows
from judgecore.tables.rows import Malformed, Row, name_json_type
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

KEYS = ("unsafe", "side", "hazards", "uncertain_hazards")
# What a row says of hazards, and how it is counted.
COUNTED = {"shared": "both", "possible": "possible", "first_only": "first", "second_only": "second"}


@dataclass(frozen=True)
class Verdict:
    """What a guard says in a row."""

    place: int
    unsafe: bool | None = None
    side: str | None = None
    hazards: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()

    @property
    def certain(self) -> list[str]:
        """The hazards that it names by categories that hold nothing else."""
        return [one for one in self.hazards if one not in self.uncertain]


@dataclass(frozen=True)
class Pair:
    """What two guards say of the same."""

    first: Verdict
    second: Verdict

    @property
    def agrees(self) -> bool | None:
        """Whether both say the same of safety; None where one says nothing."""
        if self.first.unsafe is None or self.second.unsafe is None:
            return None
        return self.first.unsafe == self.second.unsafe

    @property
    def shared(self) -> list[str]:
        """The hazards that both name, and neither by a wider category."""
        return [one for one in self.first.certain if one in self.second.certain]

    @property
    def possible(self) -> list[str]:
        """The hazards that both may mean: one or both name a category that is wider."""
        return [one for one in self.first.hazards if one in self.second.hazards and one not in self.shared]

    def to_row(self) -> dict[str, Any]:
        """Write it as a row of a table; a hazard that one alone may mean stands in no column."""
        first, second = self.first, self.second
        return {
            "row": first.place,
            "first_unsafe": first.unsafe,
            "second_unsafe": second.unsafe,
            "agrees": self.agrees,
            "shared": self.shared,
            "possible": self.possible,
            "first_only": [one for one in first.certain if one not in second.hazards],
            "second_only": [one for one in second.certain if one not in first.hazards],
        }


@dataclass
class GuardComparison:
    """Two guards' verdicts on the same rows."""

    names: tuple[str, str]
    pairs: list[Pair]
    side: str | None = field(init=False)

    def __post_init__(self) -> None:
        """Find the side, which must be the same in all rows."""
        first = {pair.first.side for pair in self.pairs if pair.first.side is not None}
        second = {pair.second.side for pair in self.pairs if pair.second.side is not None}
        if len(first | second) > 1:
            sides = zip(self.names, (first, second), strict=True)
            said = " and ".join(f"{name} judges the {' and the '.join(sorted(of))}" for name, of in sides if of)
            raise TableError(f"{said}; parse the replies of both guards with the same --side")
        self.side = next(iter(first | second), None)

    def to_json(self) -> dict[str, Any]:
        """Count verdicts and hazards in rows; agreement and kappa are of the rows on which both say something."""
        both = [(pair.first.unsafe, pair.second.unsafe) for pair in self.pairs if pair.agrees is not None]
        counts = Counter(both)
        ratings = [[float(pair[nth] is True) for pair in both] for nth in (0, 1)]
        return {
            "names": list(self.names),
            "side": self.side,
            "rows": len(self.pairs),
            "compared": len(both),
            "unsafe": {
                "both": counts[True, True],
                "first": counts[True, False],
                "second": counts[False, True],
                "neither": counts[False, False],
            },
            "agreement": (counts[True, True] + counts[False, False]) / len(both) if both else None,
            "kappa": cohen_kappa(*ratings) if both else None,
            "hazards": self._count_hazards(),
            "taxonomy": {"axis": taxonomy()["axis"], "version": taxonomy()["version"]},
        }

    def _count_hazards(self) -> list[dict[str, Any]]:
        """Count the rows in which each hazard is named, of those in which both guards were read."""
        found = {hazard["name"]: dict.fromkeys(COUNTED.values(), 0) for hazard in taxonomy()["hazards"]}
        for pair in self.pairs:
            if None not in (pair.first.side, pair.second.side):
                row = pair.to_row()
                for part, name in COUNTED.items():
                    for hazard in row[part]:
                        found[hazard][name] += 1
        return [{"hazard": hazard, **counts} for hazard, counts in found.items() if any(counts.values())]

    def show(self, console: Console) -> None:
        """Show it to a person."""
        found = self.to_json()
        first, second = map(escape_controls, self.names)
        side = f", {found['side']}" if found["side"] else ""
        console.print(f"{first} and {second}{side}: {found['compared']:,} of {found['rows']:,} rows judged by both")
        if found["agreement"] is not None:
            kappa = "–" if found["kappa"] is None else f"{found['kappa']:.3f}"
            console.print(f"agreement {found['agreement']:.2%}, kappa {kappa}")
        heads = ("both", "possible", f"only {first}", f"only {second}")
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
        table.add_column("", overflow="fold")
        for head in heads:
            table.add_column(head, justify="right", overflow="fold")
        unsafe = found["unsafe"]
        table.add_row("unsafe", f"{unsafe['both']:,}", "", f"{unsafe['first']:,}", f"{unsafe['second']:,}")
        for hazard in found["hazards"]:
            table.add_row(hazard["hazard"], *(f"{hazard[name]:,}" for name in COUNTED.values()))
        console.print(table)


def compare_guards(files: Sequence[str], names: Sequence[str], *, column: str, key: str | None) -> GuardComparison:
    """Compare two guards' verdicts in tables of ``judgecore parse``; without a key, rows belong together by order."""
    first, second = (_read(file, column, key) for file in files)
    for name, missing in ((names[1], first.keys() - second.keys()), (names[0], second.keys() - first.keys())):
        if missing:
            rows = f"{len(first):,} and {len(second):,} rows"
            what = f"no row with {key} {min(missing)!r}" if key else f"fewer rows than the other: {rows}"
            cure = "" if key else "; name with --key the column by which they belong together"
            raise TableError(f"{name} has {what}{cure}")
    return GuardComparison((names[0], names[1]), [Pair(one, second[named]) for named, one in first.items()])


def _read(file: str, column: str, key: str | None) -> dict[Any, Verdict]:
    """Read a table's verdicts, by their key or the number of their row."""
    found: dict[Any, Verdict] = {}
    with naming_table(escape_controls(file)), open_rows(file, find_kind(file, None), TableOptions()) as rows:
        find_column(rows.header, column, "--column")
        if key is not None:
            find_column(rows.header, key, "--key")
        for nth, row in enumerate(rows):
            named, verdict = _take(row, column, key, rows.place)
            named = nth if key is None else named
            if found.setdefault(named, verdict) is not verdict:
                problem = f"--key: {key} is {named!r} again; name a column that tells rows apart"
                raise TableError(f"{rows.place} {verdict.place}: {problem}")
    return found


def _take(row: Row | Malformed, column: str, key: str | None, place: str) -> tuple[str | None, Verdict]:
    """Take the key and a guard's verdict out of a row."""
    if isinstance(row, Malformed):
        raise TableError(f"{place} {row.line}: {row.problem}")
    named: object = None if key is None else row.cell(key)
    if key is not None and (isinstance(named, list | dict | bool) or named is None):
        held = name_json_type(cast("object", named))
        raise TableError(f"{row.where}: --key: {key} holds {held}; name a column of texts or numbers")
    # A number as CSV writes it, because the other table may be CSV.
    if isinstance(named, float):
        named = int(named) if named.is_integer() else named
    named = None if named is None else str(named)
    cell: object = row.cell(column)
    if isinstance(cell, str):
        with suppress(ValueError):
            cell = json.loads(cell) if cell else None
    if cell is None:
        return named, Verdict(row.line)
    said = cast("dict[str, Any]", cell) if isinstance(cell, dict) else {}
    if not _is_verdict(said):
        what = f"holds {name_json_type(cast('object', cell))} that is no guard's verdict"
        cure = "parse the replies with a guard's format, and write its values: judgecore parse FILE --format ID -o OUT"
        raise TableError(f"{row.where}: column {column!r} {what}; {cure}")
    hazards, uncertain = tuple(said["hazards"]), tuple(said["uncertain_hazards"])
    strange = next((one for one in (*hazards, *uncertain) if one not in _hazard_names()), None)
    if strange is not None:
        raise TableError(f"{row.where}: column {column!r} has the hazard {strange!r}, which is none; parse it again")
    # One list of categories may serve two sides; those beside "safe" are the other side's.
    if said["unsafe"] is False:
        hazards, uncertain = (), ()
    return named, Verdict(row.line, said["unsafe"], said["side"], hazards, uncertain)


def _is_verdict(said: dict[str, Any]) -> bool:
    """Whether a cell has what ``judgecore parse`` writes of a guard's verdict."""
    return (
        all(name in said for name in KEYS)
        and (said["unsafe"] is None or isinstance(said["unsafe"], bool))
        and said["side"] in ("prompt", "response", None)
        and all(isinstance(said[name], list | tuple) for name in ("hazards", "uncertain_hazards"))
    )


@cache
def _hazard_names() -> frozenset[str]:
    return frozenset(hazard["name"] for hazard in taxonomy()["hazards"])
