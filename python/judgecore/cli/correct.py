"""``judgecore correct``: correct a judge's pass rate, using items that people labelled."""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from judgecore.cli.arguments import Allowance, allow_unread_option, table_options
from judgecore.cli.columns import find_column
from judgecore.cli.exit_status import UNREAD, USAGE
from judgecore.cli.message import print_message
from judgecore.errors import TableError
from judgecore.stats import CorrectedMean, CorrectedRate, Interval, ppi_mean, rogan_gladen
from judgecore.tables.files import find_kind, input_name, kind_of, naming_table
from judgecore.tables.opening import TableOptions, open_rows
from judgecore.tables.rows import Malformed, Row
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

EPILOG = """\b
Examples:
  judgecore correct verdicts.jsonl --calibration labelled.csv
  judgecore correct scores.csv --calibration labelled.csv --method ppi \\
      --verdict score --human human_score_1 --human human_score_2

\b
Exit status: 0 success, 2 usage error or no correction is possible,
3 more verdicts missing than --allow-unread allows.
"""


WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
RATER = "human_score"


@dataclass(frozen=True)
class NumberColumns:
    """The verdicts and labels of a table as numbers."""

    verdicts: list[float]
    labels: list[float]

    @property
    def missing(self) -> int:
        """The number of missing verdicts."""
        return sum(map(math.isnan, self.verdicts))


@click.command("correct", epilog=EPILOG)
@click.argument("judged", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--calibration",
    required=True,
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Items with both the judge's verdict and people's labels.",
)
@click.option(
    "--verdict", default="value", show_default=True, metavar="NAME", help="The column of verdicts in both files."
)
@click.option(
    "--human",
    multiple=True,
    metavar="NAME",
    help="A column of labels in the calibration file. Repeatable: the median counts.  [default: human_score* or human]",
)
@click.option(
    "--method",
    type=click.Choice(["rogan-gladen", "ppi"]),
    default="rogan-gladen",
    show_default=True,
    help="rogan-gladen for true/false verdicts, even if the calibration items have another share of true; ppi for any "
    "numbers, if the calibration items are a random sample of all items.",
)
@click.option("--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95,
              show_default=True, help="The confidence level of intervals.")  # fmt: skip
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@allow_unread_option("0", "verdicts of JUDGED are missing")
@click.pass_context
def correct_command(
    ctx: click.Context,
    *,
    judged: str,
    calibration: str,
    verdict: str,
    human: tuple[str, ...],
    method: str,
    confidence: float,
    table: TableOptions,
    as_json: bool,
    allowance: Allowance,
) -> None:
    """Correct a judge's pass rate for the judge's errors.

    JUDGED is a table in any format that `judgecore parse` reads or writes, with a verdict in each row; - is standard
    input. Verdicts are true or false, yes or no, or numbers; an empty cell is a missing verdict. A column name may be a
    path, such as output.verdict. --input-format applies to JUDGED, the other table options to both files.
    """
    rows = read(judged, verdict, None, table)
    known = read(calibration, verdict, human, replace(table, kind=kind_of(calibration) or table.kind))
    try:
        if method == "ppi":
            found = ppi_mean(known.labels, known.verdicts, rows.verdicts, confidence=confidence)
        else:
            found = rogan_gladen(rows.verdicts, known.labels, known.verdicts, confidence=confidence)
    except ValueError as problem:
        cure = "; use --method ppi for scores" if method == "rogan-gladen" else ""
        raise TableError(f"{problem}{cure}") from problem
    if as_json:
        click.echo(json.dumps({"method": method, "missing": rows.missing, **found.to_dict()}, allow_nan=False))
    elif isinstance(found, CorrectedRate):
        show_rate(found, rows)
    else:
        show_mean(found, rows)
    if found.estimate is None:
        print_message(f"Error: no correction is possible: {found.undefined['estimate']}")
        ctx.exit(USAGE)
    if not allowance.permits(rows.missing, len(rows.verdicts)):
        ctx.exit(UNREAD)


def read(file: str, verdict: str, human: Sequence[str] | None, options: TableOptions) -> NumberColumns:
    """Read a table's verdicts and labels; ``human`` is empty for the default columns, and None to read no labels."""
    kind = find_kind(file, options.kind)
    verdicts: list[float] = []
    labels: list[float] = []
    with naming_table(input_name(file)), open_rows(file, kind, options) as table:
        is_nested = table.kind != "csv"
        find_column(table.header, verdict, "--verdict", is_nested=is_nested)
        labelled = [] if human is None else find_labels(table.header, human, is_nested=is_nested)
        for row in table:
            verdicts.append(to_number(row, verdict, table.place))
            given = [to_number(row, column, table.place) for column in labelled]
            labels.append(median_label([one for one in given if not math.isnan(one)]))
    return NumberColumns(verdicts, labels if labelled else [])


def find_labels(columns: Sequence[str], asked: Sequence[str], *, is_nested: bool) -> list[str]:
    """Find the columns of labels: those asked for, else ``human_score``, ``human_score_*`` or ``human``."""
    if asked:
        for one in asked:
            find_column(columns, one, "--human", is_nested=is_nested)
        return list(asked)
    usual = [one for one in columns if one == RATER or one.startswith(f"{RATER}_")] or [
        one for one in columns if one == "human"
    ]
    if not usual and columns:
        raise TableError(f"no column {RATER}, {RATER}_... or human; name one with --human")
    return usual


def median_label(given: list[float]) -> float:
    """Return the median of an item's labels, NaN without any; a tie of true and false is false, as in evaluations."""
    if not given:
        return math.nan
    middle = statistics.median(given)
    return float(round(middle)) if set(given) <= {0.0, 1.0} else middle


def to_number(row: Row | Malformed, column: str, place: str) -> float:
    """Convert a cell to a number: 1 for true and 0 for false, NaN if the cell is empty."""
    if isinstance(row, Malformed):
        raise TableError(f"{place} {row.line}: {escape_controls(row.problem)}")
    cell: Any = row.cell(column)
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return math.nan
    if isinstance(cell, bool | int | float) and math.isfinite(cell):
        return float(cell)
    if isinstance(cell, str):
        word = cell.strip().lower()
        try:
            number = WORDS[word] if word in WORDS else float(word)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number
    shown = escape_controls(f"{cell!r:.60}")
    raise TableError(f"{place} {row.line}, column {column!r}: {shown} is neither true nor false nor a number")


def show_rate(found: CorrectedRate, rows: NumberColumns) -> None:
    """Print a corrected share of true items."""
    raw = percent(found.raw_rate, found.raw_interval)
    click.echo(f"judged true: {raw} of {found.num_verdicts} items")
    show_missing(found.raw_rate, found.num_verdicts, rows.missing)
    rates = f"sensitivity {percent(found.sensitivity)}, specificity {percent(found.specificity)}"
    click.echo(f"calibration: {found.num_calibration} items, {rates}")
    if found.estimate is not None:
        click.echo(f"corrected: {percent(found.estimate, found.interval)} are true (Rogan-Gladen){no_interval(found)}")


def show_mean(found: CorrectedMean, rows: NumberColumns) -> None:
    """Print a corrected mean."""
    judge = "undefined" if found.judge_mean is None else f"{found.judge_mean:.4f}"
    click.echo(f"the judge's mean: {judge} over {found.num_unlabelled} items")
    if rows.missing:
        click.echo(f"{rows.missing} verdicts are missing and left out")
    alone = number(found.human_mean, found.human_interval)
    click.echo(f"calibration: {found.num_labelled} items, mean of their human labels {alone}")
    if found.estimate is not None:
        weight = f"PPI++, weight of the judge {found.power:.2f}"
        click.echo(f"corrected: {number(found.estimate, found.interval)} ({weight}){no_interval(found)}")


def no_interval(found: CorrectedRate | CorrectedMean) -> str:
    """Say why an estimate has no interval; empty if it has one."""
    why = found.undefined.get("interval")
    return f"; no interval: {why}" if why else ""


def show_missing(rate: float | None, count: int, missing: int) -> None:
    """Print the bounds that missing verdicts leave."""
    if missing and rate is not None:
        total = count + missing
        low, high = rate * count / total, (rate * count + missing) / total
        bounds = f"{percent(low)} if all were false, {percent(high)} if all were true"
        click.echo(f"{missing} verdicts are missing and left out: {bounds}")


def percent(value: float | None, interval: Interval | None = None) -> str:
    """Format a share as a percentage.

    Examples:
        >>> percent(0.615), percent(0.615, Interval(0.529, 0.694, 0.95, "wilson"))
        ('61.5%', '61.5% (52.9% to 69.4%)')
    """
    if value is None:
        return "undefined"
    ends = "" if interval is None else f" ({interval.low:.1%} to {interval.high:.1%})"
    return f"{value:.1%}{ends}"


def number(value: float | None, interval: Interval | None) -> str:
    """Format a mean, such as ``0.6150 (0.5290 to 0.6940)``."""
    if value is None:
        return "undefined"
    return f"{value:.4f}" + ("" if interval is None else f" ({interval.low:.4f} to {interval.high:.4f})")
