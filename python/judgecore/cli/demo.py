"""``judgecore demo``: replies that judges write, as a naive parser reads them and as judgecore does."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from collections import Counter
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from rich import box
from rich.table import Table
from rich.text import Text

from judgecore.cli.demo_evaluation import show_evaluation
from judgecore.cli.demo_scores import show_scores
from judgecore.cli.values import format_value, to_json_value
from judgecore.reading import Format, Reading, parse
from judgecore.terminal import escape_controls, make_console, shorten

if TYPE_CHECKING:
    from rich.console import Console

EPILOG = """\b
Examples:
  judgecore demo
  judgecore demo --notes
"""

HEADINGS = {
    "clean": "Clean replies: there is nothing to get wrong",
    "noisy": "Noise: scales, citations, counts and negations around the verdict",
    "other languages": "Other languages",
    "planted": "Planted: a verdict in a quotation or in reasoning is not the judge's",
    "contradictory": "Contradictions: two verdicts are not one, unless the second is final",
    "truncated": "Truncated: the reply ends before its verdict does",
    "no verdict": "No verdict: refusals, errors and small talk are not a score",
}

# What a harness looks for in a guard's reply; the verdict is unsafe where it stands.
NEEDLES = {"llama_guard.3": "unsafe", "shield_gemma": "yes", "wild_guard": "harmful response: yes"}

# What the other columns take of a line.
OTHER_COLUMNS = 47

NEXT = """\
echo '{{"raw": "On a scale of 1 to 10, I give it 8."}}' |
  {} parse - --format lmms_eval.score -o -"""


@dataclass(frozen=True)
class Line:
    """A reply of the demonstration.

    Attributes:
        group: What it shows.
        format: The name of its format.
        reply: The judge's text.
        note: What is hard about it.
        want: What a careful person reads: ``value``, or ``unreadable`` with the reason.
        cut: Whether the reply is known to be cut off.
    """

    group: str
    format: str
    reply: str
    note: str
    want: dict[str, Any]
    cut: bool = False


def load_lines() -> list[Line]:
    """Load the replies of the demonstration.

    Returns:
        All of them, group by group.
    """
    text = (files("judgecore.cli") / "demo.jsonl").read_text("utf-8")
    return [Line(**json.loads(line)) for line in text.splitlines()]


def read_naively(reply: str, format_: Format) -> Any:
    """Read a reply as many an evaluation script does.

    A score is the first number, and the scale's minimum where there is none. Several scores are the first numbers,
    and -1 each where there are too few. A choice is the label that stands first, in the format's marker if it has
    one, and a tie where none does. A yes or no, or a guard's verdict, is whether the word for true occurs.

    Args:
        reply: The judge's text.
        format_: What the judge was asked to answer.

    Returns:
        A value, nearly always; None for a choice without a tie where no label stands.
    """
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", reply)]
    if format_.kind == "score":
        return numbers[0] if numbers else format_.scale[0] if format_.scale else None
    if format_.kind == "scores":
        return numbers[:2] if len(numbers) > 1 else [-1.0, -1.0]
    if format_.kind == "guard":
        return {"unsafe": NEEDLES[format_.id] in reply.lower()}
    if format_.kind == "binary":
        return any(form.lower() in reply.lower() for form in format_.labels["true"])
    places: dict[int, str] = {}
    for label, forms in format_.labels.items():
        for form in forms:
            for marker in format_.markers or ("{}",):
                places.setdefault(reply.find(marker.replace("{}", form)), label)
    found = [place for place in places if place >= 0]
    return places[min(found)] if found else "tie" if "tie" in format_.labels else None


def read_carefully(line: Line) -> dict[str, Any]:
    """Read a reply with judgecore.

    Args:
        line: The reply and its format.

    Returns:
        ``value``, or ``unreadable`` with the reason.
    """
    outcome = parse(line.reply, line.format, cut=line.cut)
    if isinstance(outcome, Reading):
        return {"value": to_json_value(outcome.value)}
    return {"unreadable": outcome.reason}


def judge(value: Any, want: dict[str, Any]) -> str:
    """Tell how good a value is.

    Args:
        value: What was read; None where nothing was.
        want: What a careful person reads.

    Returns:
        ``right``, ``wrong``, ``missed`` (a verdict not found), ``invented`` (one found where there is none) or
        ``unread`` (none found where there is none).
    """
    if "unreadable" in want:
        return "unread" if value is None else "invented"
    if value is None:
        return "missed"
    wanted = want["value"]
    if isinstance(wanted, dict):
        # A naive parser looks for no categories, and is not blamed for it.
        parts = cast("dict[str, Any]", wanted).items()
        return "right" if all(value.get(name, part) == part for name, part in parts) else "wrong"
    return "right" if value == wanted else "wrong"


@click.command("demo", epilog=EPILOG)
@click.option("--notes", "has_notes", is_flag=True, help="Say of each reply what is hard about it.")
def demo_command(*, has_notes: bool) -> None:
    """Read some sixty judge replies in a dozen formats, beside what a naive parser says.

    The naive parser takes the first number, the first label, or "is the word yes in it", as many evaluation
    scripts do. Then two scorers judge responses over HTTP, by a loopback judge that is no model, and a killed run goes
    on. Last, two are evaluated on labelled responses and compared; the report stays in your cache folder. Nothing
    leaves this machine: the replies come with judgecore.
    """
    console = make_console()
    naive: Counter[str] = Counter()
    careful: Counter[str] = Counter()
    lines = load_lines()
    # Two lines, which end at the end of a word and so hold a little less than they could.
    reply_cells = max(2 * (console.width - OTHER_COLUMNS) - 6, 24)
    for group, heading in HEADINGS.items():
        table = make_table()
        for line in (line for line in lines if line.group == group):
            guess = read_naively(line.reply, Format.get(line.format))
            outcome = read_carefully(line)
            mark = judge(guess, line.want)
            naive[mark] += 1
            careful[judge(outcome.get("value"), line.want)] += 1
            reply = say_reply(line, reply_cells, has_note=has_notes)
            table.add_row(line.format, reply, *say_guess(guess, mark), say_outcome(outcome))
        console.print()
        console.print(heading, style="bold")
        console.print(table)
    show_counts(console, naive, careful, len(lines))
    console.print()
    show_scores(console)
    console.print()
    show_evaluation(console)
    console.print()
    console.print("Next, a reply of your own:")
    console.print(NEXT.format(escape_controls(name_program())), style="bold", soft_wrap=True)


def name_program() -> str:
    """Return what a shell runs this program by: its name where that finds it, else the path that ran it."""
    ran = Path(sys.argv[0])
    found = shutil.which("judgecore")
    if ran.stem != "judgecore" or (found is not None and Path(found).resolve() == ran.resolve()):
        return "judgecore"
    return shlex.quote(str(ran))


def make_table() -> Table:
    """Make the table of a group.

    Returns:
        An empty table of five columns.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim", expand=True)
    table.add_column("format", width=21, no_wrap=True, style="cyan")
    table.add_column("reply", ratio=1, overflow="fold")
    table.add_column("", width=1)
    table.add_column("naive", width=9, overflow="fold")
    table.add_column("judgecore", width=12, overflow="fold")
    return table


def say_reply(line: Line, width: int, *, has_note: bool) -> Text:
    """Say a reply on a line or two, with its note below if that is asked for.

    Args:
        line: The reply.
        width: The cells there are.
        has_note: Whether the note is asked for.

    Returns:
        The text to show.
    """
    text = Text(shorten(line.reply, width) or "(nothing)", style="" if line.reply else "dim")
    if line.cut:
        text.append(" (known to be cut off)", style="dim")
    if has_note:
        text.append(f"\n{line.note}", style="dim italic")
    return text


def say_guess(guess: Any, mark: str) -> tuple[Text, Text]:
    """Say what the naive parser reads, and whether that is so.

    Args:
        guess: Its value.
        mark: How good it is.

    Returns:
        A sign and the value.
    """
    sign, style = {"missed": ("-", "yellow"), "wrong": ("x", "red"), "invented": ("!", "red")}.get(mark, ("", "dim"))
    return Text(sign, style=f"bold {style}"), Text(format_value(guess), style=style)


def say_outcome(outcome: dict[str, Any]) -> Text:
    """Say what judgecore reads.

    Args:
        outcome: ``value``, or ``unreadable`` with the reason.

    Returns:
        The value, or the reason.
    """
    if "value" in outcome:
        return Text(format_value(outcome["value"]), style="bold green")
    return Text(str(outcome["unreadable"]), style="yellow")


def show_counts(console: Console, naive: Counter[str], careful: Counter[str], total: int) -> None:
    """Show how both fared.

    Args:
        console: Where.
        naive: The naive parser's values, by how good they are.
        careful: judgecore's.
        total: How many replies there are.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(f"of {total} replies")
    table.add_column("naive", justify="right")
    table.add_column("judgecore", justify="right")
    rows = (
        ("right", "   read as a careful person would", "green"),
        ("wrong", "x  read as something else", "red"),
        ("invented", "!  a value that no judge gave", "red"),
        ("missed", "-  a verdict that was not found", "yellow"),
        ("unread", "   left unread, as there is no verdict", "green"),
    )
    for name, says, style in rows:
        counts = [f"{counter[name]}" for counter in (naive, careful)]
        table.add_row(says, *counts, style=style if naive[name] or careful[name] else "dim")
    console.print()
    console.print(table)
    lost = naive["wrong"] + naive["invented"]
    console.print(f"{lost} of the naive values are not what the judge said, and nothing shows it.")
