"""``judgecore formats``: list the built-in formats; show, check or write one."""

from __future__ import annotations

import difflib
import json
import shlex
from typing import TYPE_CHECKING, Any

import click
from rich import box
from rich.table import Table
from rich.text import Text

from judgecore.checking import holds, read_examples
from judgecore.cli.arguments import find_format
from judgecore.cli.format_check import format_expected, show_check, to_expected
from judgecore.cli.format_new import Wanted, new_options, write_new
from judgecore.cli.suggestion import find_likely, list_names
from judgecore.detecting import detect
from judgecore.reading import formats
from judgecore.tables.files import kind_of
from judgecore.terminal import escape_controls, make_console, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import Console

    from judgecore.reading import Format, Reading, Unreadable

EPILOG = """\b
Examples:
  judgecore formats
  judgecore formats arena_hard
  judgecore formats my_judge.toml:pair
  judgecore formats --kind guard
  judgecore formats --family llama_guard --json
  judgecore formats --check my_judge.toml
  judgecore formats --new my_judge.toml --labels A,B,tie --marker "[[{}]]"
  judgecore formats --new my_judge.toml --sample replies.jsonl

\b
Exit status: 0 done, 2 wrong use or a wrong file, 3 a check found differences.
"""

MODES = {"lenient": "L", "strict": "S", "paper": "P"}

# The width of an example reply, in cells.
EXAMPLE_CELLS = 96

# The console width from which the list has a column of titles.
WIDE = 120
TITLE_CELLS = 32
REPLY_CELLS = 20
# The width of the columns kind, evidence and modes with their spacing.
OTHER_CELLS = 28


@click.command("formats", epilog=EPILOG)
@click.argument("name", metavar="[ID]", required=False)
@click.option(
    "--kind", type=click.Choice(sorted({one.kind for one in formats()})), help="List only formats of this kind."
)
@click.option("--family", help="List only formats of this family, such as llama_guard.")
@click.option(
    "--check",
    "is_check",
    is_flag=True,
    help="Read the examples in all modes, insert each verdict into each marker, and show what differs.",
)
@click.option("--new", "is_new", is_flag=True, help="Write the file ID, from the options below.")
@new_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def formats_command(
    *,
    name: str | None,
    kind: str | None,
    family: str | None,
    is_check: bool,
    is_new: bool,
    wanted: Wanted,
    as_json: bool,
) -> int | None:
    """List the known reply formats of judge models; show the format ID, check it, or write a file of your own.

    ID is an id from the list, or FILE.toml[:VARIANT] for a format of your own. If you pass a reply instead, the error
    message names the formats that it may be written in. Examples are shown as they are read; if a file claims
    something else, both are shown.
    """
    if (kind or family) and (name or is_check or is_new):
        raise click.UsageError("--kind and --family filter the list; don't combine them with an ID, --check or --new")
    if is_new:
        if is_check or as_json:
            raise click.UsageError("--new writes a file, which passes --check; leave out --check and --json")
        return write_new(name, wanted)
    if wanted.options:
        raise click.UsageError(f"{wanted.options[0]} describes a new file; give --new as well")
    if is_check:
        if name is None:
            raise click.UsageError("name what to check: judgecore formats --check FILE.toml")
        return show_check(make_console(), name, as_json=as_json)
    if name is None:
        chosen = choose(kind, family)
        if as_json:
            click.echo(json.dumps([describe(one) for one in chosen], indent=2))
        else:
            show_list(make_console(), chosen)
        return None
    found = find_named(name)
    if as_json:
        click.echo(json.dumps(describe(found), indent=2))
    else:
        show_format(make_console(), found, name)
    return None


def find_named(name: str) -> Format:
    """Find a format by its name; if that is a file of replies or a reply, the message names the command that helps."""
    try:
        return find_format(name)
    except click.BadParameter as problem:
        if kind_of(name) is not None:
            cure = f"to detect the format of the replies in a file, run judgecore detect {shlex.quote(name)}"
            raise click.BadParameter(cure) from None
        likely = [one.format.id for one in find_likely(detect([name]))]
        if likely:
            cure = f"if it is a reply, its format is probably {list_names(likely, 'or')}: judgecore formats {likely[0]}"
            raise click.BadParameter(f"{problem.message}\n{cure}") from None
        raise


def choose(kind: str | None, family: str | None) -> list[Format]:
    """Filter the built-in formats by kind and by the first part of their ids."""
    families = {family_of(one): None for one in formats()}
    if family is not None and family not in families:
        near = difflib.get_close_matches(family, families, n=3)
        cure = f"the nearest are {', '.join(near)}" if near else "judgecore formats lists them"
        raise click.BadParameter(f"no family {family!r}; {cure}", param_hint="'--family'")
    chosen = [one for one in formats() if kind in (None, one.kind) and family in (None, family_of(one))]
    if not chosen:
        raise click.BadParameter(f"no format of {family} has the kind {kind}", param_hint="'--kind'")
    return chosen


def family_of(format_: Format) -> str:
    """Return the first part of a format's id."""
    return format_.id.partition(".")[0]


def describe(format_: Format) -> dict[str, Any]:
    """Convert a format's declaration to JSON values."""
    return {
        "id": format_.id,
        "aliases": list(format_.aliases),
        "version": format_.version,
        "kind": format_.kind,
        "title": format_.title,
        "about": format_.about,
        "evidence": format_.evidence_level,
        "recorded_replies": format_.recorded_replies,
        "sources": list(format_.sources),
        "modes": list(format_.modes),
        "labels": {label: list(forms) for label, forms in format_.labels.items()},
        "scale": list(format_.scale) if format_.scale else None,
        "markers": list(format_.markers),
        "place": format_.place,
        "parts": {name: describe(part) for name, part in format_.parts.items()},
        "first_token": format_.first_token,
        "publisher_rule": format_.publisher_rule,
        "categories": dict(format_.categories),
        "side": format_.side,
        "crosswalk": format_.crosswalk,
        "examples": [
            {**example, "read": {mode: to_expected(one) for mode, one in outcomes.items()}}
            for example, outcomes in read_examples(format_)
        ],
    }


def show_list(console: Console, known: Iterable[Format]) -> None:
    """Print formats as a table."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    table.add_column("id", no_wrap=True, style="cyan")
    table.add_column("kind", no_wrap=True)
    table.add_column("evidence", no_wrap=True)
    table.add_column("modes", no_wrap=True)
    is_wide = console.width >= WIDE
    if is_wide:
        table.add_column("title", no_wrap=True, overflow="ellipsis", max_width=TITLE_CELLS)
    table.add_column("sample reply", no_wrap=True, overflow="ellipsis")
    known = list(known)
    longest = max(len(one.id) for one in known)
    cells = max(REPLY_CELLS, console.width - longest - OTHER_CELLS - (TITLE_CELLS + 2 if is_wide else 0))
    for one in known:
        modes = " ".join(letter if mode in one.modes else " " for mode, letter in MODES.items())
        title = (one.title,) if is_wide else ()
        reply = shorten(one.examples[0]["reply"].strip(), cells) if one.examples else ""
        table.add_row(one.id, one.kind, one.evidence_level or "", modes, *title, Text(reply, style="dim"))
    console.print(table)
    console.print("modes: Lenient, Strict, Paper (the publisher's own rule, including its defects)", style="dim")
    console.print("evidence: card (model card or paper), code (publisher's code), observed (replies)", style="dim")
    console.print("Show a format: judgecore formats ID")
    console.print("Detect the format of replies: judgecore detect FILE")


def show_format(console: Console, format_: Format, name: str) -> None:
    """Print what a format declares."""
    console.print(Text.assemble((escape_controls(format_.id), "bold cyan"), f"  {escape_controls(format_.title)}"))
    if format_.about:
        console.print(escape_controls(format_.about))
    console.print()
    for head, text in facts(format_):
        show_fact(console, head, text)
    show_examples(console, format_)
    console.print()
    console.print("Read a file with:")
    console.print(f"judgecore parse replies.jsonl --format {shlex.quote(name)}", style="bold", soft_wrap=True)


def facts(format_: Format) -> list[tuple[str, str]]:
    """List the properties that a format declares, except its examples, as names and texts."""
    scale = f"{format_.scale[0]:g} to {format_.scale[1]:g}" if format_.scale else ""
    labels = [f"{label}: {', '.join(forms)}" for label, forms in format_.labels.items()]
    parts = [f"{name}: {_format_part(part)}" for name, part in format_.parts.items()]
    categories = [f"{code} {meaning}" for code, meaning in format_.categories.items()]
    hazards = [
        f"{code} {relation.replace('_', ' ')} {hazard}"
        for code, mapping in format_.crosswalk.items()
        for hazard, relation in mapping["hazards"].items()
    ]
    found = [
        ("kind", format_.kind),
        ("also named", ", ".join(format_.aliases)),
        ("scale", scale),
        ("labels", "\n".join(labels)),
        ("markers", "\n".join(format_.markers)),
        ("place", (format_.place or "").replace("_", " ")),
        ("fields", "\n".join(parts)),
        ("categories", "\n".join(categories)),
        ("side", format_.side or ""),
        ("hazards", "\n".join(hazards)),
        ("modes", ", ".join(format_.modes)),
        ("paper rule", format_.publisher_rule or ""),
        ("evidence", format_.evidence_level or ""),
        ("sources", "\n".join(format_.sources)),
    ]
    return [(head, text) for head, text in found if text]


def _format_part(part: Format) -> str:
    if part.scale:
        return f"{part.kind} {part.scale[0]:g} to {part.scale[1]:g}"
    return f"{part.kind} {', '.join(part.labels)}"


def show_fact(console: Console, head: str, text: str) -> None:
    """Print a name with a text of one or more lines beside it."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=10, style="bold")
    grid.add_column(overflow="fold")
    for nth, line in enumerate(text.split("\n")):
        grid.add_row(head if nth == 0 else "", escape_controls(line))
    console.print(grid)


def show_examples(console: Console, format_: Format) -> None:
    """Print a format's examples with what is read in each mode, and the file's claim if it differs."""
    if not format_.examples:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("example", ratio=1, overflow="fold")
    for mode in format_.modes:
        table.add_column(mode, max_width=13, overflow="fold")
    for example, outcomes in read_examples(format_):
        cut = (" (cut off here)", "dim") if example["cut"] else ""
        note = ("\n" + example["note"], "dim italic") if example["note"] else ""
        reply = Text.assemble(shorten(example["reply"], EXAMPLE_CELLS), cut, note)
        table.add_row(reply, *(_format_read(example.get(mode), outcomes.get(mode)) for mode in format_.modes))
    console.print(table)


def _format_read(expected: Mapping[str, Any] | None, outcome: Reading | Unreadable | None) -> Text:
    """Format what is read, and the file's claim if it differs."""
    if expected is None or outcome is None:
        return Text("")
    read = format_expected(to_expected(outcome))
    return read if holds(expected, outcome) else Text.assemble(read, ("; file: ", "red"), format_expected(expected))
