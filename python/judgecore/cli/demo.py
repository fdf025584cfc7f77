"""``judgecore demo``: typical judge replies, read by a naive parser and by judgecore."""

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

from judgecore.cli.demo_judging import show_judging
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
    "clean": "Clean replies: both parsers read them",
    "noisy": "Noise: scales, citations, counts and negations around the verdict",
    "other languages": "Other languages",
    "planted": "Planted: a verdict in a quotation or in reasoning is not the judge's",
    "contradictory": "Contradictions: two verdicts are unreadable, unless the second is final",
    "truncated": "Truncated: the reply ends before its verdict does",
    "no verdict": "No verdict: refusals, errors and small talk are not scores",
}

# The substring that a naive harness takes for an unsafe verdict of a guard.
NEEDLES = {"llama_guard.3": "unsafe", "shield_gemma": "yes", "wild_guard": "harmful response: yes"}

# The width of all columns but the reply's.
OTHER_COLUMNS = 47

NEXT = """\
echo '{{"raw": "On a scale of 1 to 10, I give it 8."}}' |
  {} parse - --format lmms_eval.score -o -"""


@dataclass(frozen=True)
class Line:
    """A reply of the demonstration."""

    group: str
    format: str
    reply: str
    note: str
    want: dict[str, Any]
    cut: bool = False


def load_lines() -> list[Line]:
    """Load the replies of the demonstration."""
    text = (files("judgecore.cli") / "demo.jsonl").read_text("utf-8")
    return [Line(**json.loads(line)) for line in text.splitlines()]


def read_naively(reply: str, format_: Format) -> Any:
    """Read a reply as many evaluation scripts do.

    A score is the first number, or the scale's minimum if there is none. Two scores are the first two numbers, or -1
    each if there are too few. A choice is the first label, inside the format's marker if it has one, or a tie if there
    is none. A yes/no answer or a guard's verdict is a substring test for the word for true.
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
    """Read a reply with judgecore: ``value``, or ``unreadable`` with the reason."""
    outcome = parse(line.reply, line.format, cut=line.cut)
    if isinstance(outcome, Reading):
        return {"value": to_json_value(outcome.value)}
    return {"unreadable": outcome.reason}


def judge(value: Any, want: dict[str, Any]) -> str:
    """Grade a value, None if none was read.

    ``right``, ``wrong``, ``missed`` (there is a verdict, none was read), ``invented`` (there is none, one was read) or
    ``unread`` (there is none, none was read).
    """
    if "unreadable" in want:
        return "unread" if value is None else "invented"
    if value is None:
        return "missed"
    wanted = want["value"]
    if isinstance(wanted, dict):
        # The naive parser does not look for categories, so only the parts that it reads are compared.
        parts = cast("dict[str, Any]", wanted).items()
        return "right" if all(value.get(name, part) == part for name, part in parts) else "wrong"
    return "right" if value == wanted else "wrong"


@click.command("demo", epilog=EPILOG)
@click.option("--notes", "has_notes", is_flag=True, help="Explain why each reply is hard to read.")
def demo_command(*, has_notes: bool) -> None:
    """Read some sixty judge replies in a dozen formats, and compare with a naive parser.

    The naive parser takes the first number, the first label, or the answer to "does it contain yes", as many
    evaluation scripts do. Then responses are scored over HTTP with a loopback judge, which is not a model, in a run
    that is killed once and resumed. Finally, two scorers are evaluated on labelled responses and compared; the report
    stays in your cache folder. Nothing leaves this machine.
    """
    console = make_console()
    naive: Counter[str] = Counter()
    careful: Counter[str] = Counter()
    lines = load_lines()
    # Two lines, minus some cells that word wrapping leaves empty.
    reply_cells = max(2 * (console.width - OTHER_COLUMNS) - 6, 24)
    for group, heading in HEADINGS.items():
        table = make_table()
        for line in (line for line in lines if line.group == group):
            guess = read_naively(line.reply, Format.get(line.format))
            outcome = read_carefully(line)
            mark = judge(guess, line.want)
            naive[mark] += 1
            careful[judge(outcome.get("value"), line.want)] += 1
            reply = format_reply(line, reply_cells, has_note=has_notes)
            table.add_row(line.format, reply, *format_guess(guess, mark), format_outcome(outcome))
        console.print()
        console.print(heading, style="bold")
        console.print(table)
    show_counts(console, naive, careful, len(lines))
    console.print()
    show_judging(console)
    console.print()
    console.print("Next, try a reply of your own:")
    console.print(NEXT.format(escape_controls(name_program())), style="bold", soft_wrap=True)


def name_program() -> str:
    """Return the command that runs this program in a shell: its name if PATH finds it, else its path."""
    ran = Path(sys.argv[0])
    found = shutil.which("judgecore")
    if ran.stem != "judgecore" or (found is not None and Path(found).resolve() == ran.resolve()):
        return "judgecore"
    return shlex.quote(str(ran))


def make_table() -> Table:
    """Make the table of a group."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim", expand=True)
    table.add_column("format", width=21, no_wrap=True, style="cyan")
    table.add_column("reply", ratio=1, overflow="fold")
    table.add_column("", width=1)
    table.add_column("naive", width=9, overflow="fold")
    table.add_column("judgecore", width=12, overflow="fold")
    return table


def format_reply(line: Line, width: int, *, has_note: bool) -> Text:
    """Format a reply on one or two lines, with its note below if asked for."""
    text = Text(shorten(line.reply, width) or "(empty)", style="" if line.reply else "dim")
    if line.cut:
        text.append(" (cut off)", style="dim")
    if has_note:
        text.append(f"\n{line.note}", style="dim italic")
    return text


def format_guess(guess: Any, mark: str) -> tuple[Text, Text]:
    """Format the naive parser's value and its grade."""
    sign, style = {"missed": ("-", "yellow"), "wrong": ("x", "red"), "invented": ("!", "red")}.get(mark, ("", "dim"))
    return Text(sign, style=f"bold {style}"), Text(format_value(guess), style=style)


def format_outcome(outcome: dict[str, Any]) -> Text:
    """Format judgecore's outcome."""
    if "value" in outcome:
        return Text(format_value(outcome["value"]), style="bold green")
    return Text(str(outcome["unreadable"]), style="yellow")


def show_counts(console: Console, naive: Counter[str], careful: Counter[str], total: int) -> None:
    """Print how often each parser was right and wrong."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(f"of {total} replies")
    table.add_column("naive", justify="right")
    table.add_column("judgecore", justify="right")
    rows = (
        ("right", "   right value", "green"),
        ("wrong", "x  wrong value", "red"),
        ("invented", "!  a value although there is no verdict", "red"),
        ("missed", "-  no value although there is a verdict", "yellow"),
        ("unread", "   no value, as there is no verdict", "green"),
    )
    for name, label, style in rows:
        counts = [f"{counter[name]}" for counter in (naive, careful)]
        table.add_row(label, *counts, style=style if naive[name] or careful[name] else "dim")
    console.print()
    console.print(table)
    lost = naive["wrong"] + naive["invented"]
    console.print(f"{lost} of the naive parser's values are wrong, and nothing in its output shows which.")
