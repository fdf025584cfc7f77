"""``judgecore detect``: detect the format of the replies in a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import click
from rich import box
from rich.table import Table
from rich.text import Text

from judgecore.cli.arguments import columns_option, table_options
from judgecore.cli.columns import USUAL_NAMES, check_texts, find_reply_columns, take_reply
from judgecore.cli.exit_status import UNREAD
from judgecore.cli.suggestion import find_likely, list_names, make_command
from judgecore.cli.values import format_value, to_json_value
from judgecore.detecting import EvenSample, detect
from judgecore.errors import TableError
from judgecore.proposing import propose
from judgecore.reading import formats
from judgecore.tables.arrow import ArrowReader, decode_for_display
from judgecore.tables.files import Kind, find_kind, input_name, naming_table, no_rows_error
from judgecore.tables.opening import TableOptions, open_rows
from judgecore.tables.rows import Malformed, Row
from judgecore.terminal import escape_controls, make_console, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from judgecore.detecting import Detected
    from judgecore.proposing import Proposal
    from judgecore.reading import Reading

Command = Callable[[str], str]

# The sample is taken from these first rows; reading more would hardly change the result.
MAX_ROWS = 100_000
ROWS_AT_ONCE = 1000

SHOWN = 3
# A reply is shown on two lines, its evidence on one.
REPLY_LINES = 2
INDENT = 12
# A sample in JSON shows at most this much of a reply, in code points.
EXCERPT = 500

EPILOG = """\b
Examples:
  judgecore detect replies.jsonl
  judgecore detect judgments.csv --column judgment --limit 50
  cat replies.jsonl | judgecore detect - --json

\b
Exit status: 0 a format fits, 2 usage error, 3 no format fits.
"""


@click.command("detect", epilog=EPILOG)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@columns_option
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    metavar="N",
    help="The sample size; replies are taken at even distances.",
)
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all formats that read a reply.")
def detect_command(*, file: str, columns: tuple[str, ...], limit: int, table: TableOptions, as_json: bool) -> int:
    """Detect the format of the judge's replies in FILE.

    FILE is a table in any format that `judgecore parse` reads; - is standard input.

    Reads a sample of the first 100,000 rows in every built-in format, in strict and lenient mode. Prints the three
    formats that fit best, each with a reply, the evidence in it, and the command that reads the file. Formats that
    the sample can't distinguish share a rank.

    If no format fits, proposes one from the labels and numbers found where verdicts usually are.
    """
    name = input_name(file)
    with naming_table(name):
        sample, n_rows = read_sample(file, find_kind(file, table.kind), columns, limit, table)
    found = detect(sample, limit)
    proposal = None if found and found[0].fits else propose(sample)
    command = partial(make_command, file, columns=columns, table=table)
    if as_json:
        about = {"file": file, "rows": n_rows, "sampled": len(sample)}
        click.echo(json.dumps(about | describe(found, proposal, command), indent=2))
    else:
        console = make_console()
        n_replies = n_rows * max(1, len(set(columns)))
        console.print(f"{name}: {len(sample):,} of {n_replies:,} replies read in {len(formats())} formats")
        console.print()
        show_found(console, found, command)
        if not (found and found[0].fits):
            show_proposal(console, proposal, command)
    return 0 if found and found[0].fits else UNREAD


def read_sample(
    file: str, kind: Kind, asked: Sequence[str], limit: int, options: TableOptions
) -> tuple[list[str], int]:
    """Return a sample of the replies that hold text, and the number of rows read; malformed rows are skipped."""
    sample = EvenSample(limit)
    rows = malformed = 0
    if kind in ("parquet", "arrow"):
        table = ArrowReader(file, kind)
        columns = find_reply_columns(table.names, asked)
        if not columns:
            raise TableError("the table has no columns")
        for column in columns:
            check_texts(column, table.type_of(column))
        for piece in table.pieces(columns):
            n = min(piece.num_rows, MAX_ROWS - rows)
            for column in columns:
                sample.add(n, partial(decode_for_display, table.column(piece, column)))
            rows += n
            if rows == MAX_ROWS:
                break
        return sample.chosen(), rows
    with open_rows(file, kind, options) as lines:
        columns = find_reply_columns(lines.header, asked, is_nested=lines.kind == "jsonl")
        first = islice(lines, MAX_ROWS)
        while batch := list(islice(first, ROWS_AT_ONCE)):
            taken = [[take_reply(row, one) for one in columns or [None]] for row in batch if isinstance(row, Row)]
            replies = [
                cast("list[str | None]", row) for row in taken if not any(isinstance(one, Malformed) for one in row)
            ]
            for column in zip(*replies, strict=True):
                sample.add(len(column), column.__getitem__)
            rows += len(replies)
            malformed += len(batch) - len(replies)
    if malformed and not rows:
        raise no_rows_error(kind, (*asked, *USUAL_NAMES)[0])
    return sample.chosen(), rows


def show_found(console: Console, found: Sequence[Detected], command: Command) -> None:
    """Print which formats fit, and the three best with an example."""
    likely = [one.format.id for one in find_likely(found)]
    if len(likely) > 1:
        console.print(f"The format is probably {list_names(likely, 'or')}.")
        console.print("They fit equally well: the sample can't distinguish them.")
    elif likely:
        console.print(f"The format is probably {likely[0]}.")
    else:
        console.print(f"No built-in format fits{'; the nearest are:' if found else '.'}", style="yellow")
    if not found:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("rank", justify="right", min_width=len("rank"))
    table.add_column("format", style="cyan", min_width=max(len(one.format.id) for one in found[:SHOWN]))
    for name in ("strict", "lenient", "agree"):
        table.add_column(name, justify="right", min_width=len(name))
    for one in found[:SHOWN]:
        shares = (f"{share:.0%}" for share in (one.strict, one.lenient, one.agreement))
        table.add_row(str(one.rank), one.format.id, *shares)
    console.print(table)
    shown = None
    for one in found[:SHOWN]:
        console.print(Text.assemble((one.format.id, "bold cyan"), f"  {one.format.title}"))
        reply, reading = one.examples[0]
        if (reply, reading.evidence, reading.value) != shown:
            show_example(console, one.examples[0])
            shown = (reply, reading.evidence, reading.value)
        else:
            show_line(console, "reply", "same reply, evidence and value as above")
        if one.fits:
            show_line(console, "run", command(one.format.id))
        console.print()


def show_example(console: Console, example: tuple[str, Reading]) -> None:
    """Print a reply and its reading."""
    reply, reading = example
    width = max(console.width - INDENT - 2, 40)
    show_line(console, "reply", shorten(reply, REPLY_LINES * width - width // 4))
    show_line(console, "evidence", shorten(reading.evidence, width))
    show_line(console, "value", shorten(format_value(reading.value), width))


def show_line(console: Console, head: str, text: str) -> None:
    """Print a label and a text beside it, folded; a command is not folded, so that it can be copied."""
    if head == "run":
        console.print(Text.assemble(f"  {head:<{INDENT - 2}}", (text, "bold")), soft_wrap=True)
        return
    grid = Table.grid(padding=0)
    grid.add_column(width=INDENT)
    grid.add_column(overflow="fold")
    grid.add_row(Text(f"  {head}"), Text(text, style="dim" if head == "reply" else ""))
    console.print(grid)


def show_proposal(console: Console, proposal: Proposal | None, command: Command) -> None:
    """Print a proposed format."""
    if proposal is None:
        console.print("No format can be proposed: most replies have no label or number in the same place.")
        return
    console.print(f"This format reads {proposal.share:.0%} of them:")
    show_example(console, proposal.examples[0])
    console.print()
    console.print(Text(escape_controls(proposal.python), style="bold"), soft_wrap=True)
    console.print()
    console.print("Or save this as my_judge.toml, and correct the labels or the scale:", style="dim")
    console.print()
    for line in proposal.toml.splitlines():
        console.print(f"  {escape_controls(line)}", soft_wrap=True)
    console.print()
    show_line(console, "run", command("my_judge.toml"))


def describe(
    found: Sequence[Detected],
    proposal: Proposal | None,
    command: Command,
) -> dict[str, Any]:
    """Convert the result to JSON values."""
    return {
        "fits": [one.format.id for one in find_likely(found)],
        "detected": [
            {
                "format": one.format.id,
                "rank": one.rank,
                "fits": one.fits,
                "strict": one.strict,
                "lenient": one.lenient,
                "agreement": one.agreement,
                "similarity": one.similarity,
                "examples": describe_examples(one.examples),
                "command": command(one.format.id),
            }
            for one in found
        ],
        "proposal": proposal
        and {
            "python": proposal.python,
            "toml": proposal.toml,
            "share": proposal.share,
            "examples": describe_examples(proposal.examples),
            "command": command("my_judge.toml"),
        },
    }


def describe_examples(examples: Sequence[tuple[str, Reading]]) -> list[dict[str, Any]]:
    """Convert replies and their readings to JSON values."""
    return [
        {
            "reply": reply[:EXCERPT],
            "value": to_json_value(reading.value),
            "rule": reading.rule,
            "evidence": reading.evidence[:EXCERPT],
        }
        for reply, reading in examples
    ]
