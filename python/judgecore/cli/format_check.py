"""``judgecore formats --check``: what a file says of its formats, held against what is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.cells import cell_len
from rich.text import Text

from judgecore.checking import FormatCheck, check_file, check_format
from judgecore.cli.arguments import find_format, open_format_file
from judgecore.cli.exit_status import UNREAD
from judgecore.cli.values import format_value, to_json_value
from judgecore.reading import Reading, Unreadable
from judgecore.terminal import count_noun, escape_controls, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from judgecore.checking import Difference

# At least so many examples make a format trustworthy.
ENOUGH = 6
INDENT = 2
HEAD = 12
# So much of a reply is shown before its evidence, in code points.
BEFORE = 30


def show_check(console: Console, name: str, *, as_json: bool) -> int:
    """Check a format or all formats of a file, show what does not hold, and return the exit status."""
    checks = find_checks(name)
    n_differences = sum(len(one.differences) for one in checks)
    if as_json:
        click.echo(json.dumps([describe_check(one) for one in checks], indent=2))
    else:
        for check in checks:
            show_format_check(console, check)
    return UNREAD if n_differences else 0


def find_checks(name: str) -> Sequence[FormatCheck]:
    """Check all formats of ``FILE.toml``, or the one that ``find_format`` finds."""
    path, _, variant = name.rpartition(":") if ".toml:" in name else (name, "", "")
    if not path.endswith(".toml"):
        return [check_format(find_format(name))]
    with open_format_file(path):
        checks = check_file(Path(path))
    if not variant:
        return checks
    wanted = find_format(name).id
    return [one for one in checks if one.format.id == wanted]


def show_format_check(console: Console, check: FormatCheck) -> None:
    """Show what came of checking a format."""
    name, examples = escape_controls(check.format.id), check.format.examples
    n = len(examples)
    counted = count_noun(n, "example")
    modes = ", ".join(check.format.modes)
    if check.differences:
        differences = count_noun(len(check.differences), "difference")
        console.print(Text.assemble((name, "bold cyan"), (f"  {differences}", "red"), f"; {counted} in {modes}"))
    elif n:
        console.print(Text.assemble((name, "bold cyan"), ("  all holds", "green"), f"; {counted} in {modes}"))
    else:
        console.print(Text.assemble((name, "bold cyan"), ("  no example says what is read", "yellow")))
    if n < ENOUGH or not any("unreadable" in one["lenient"] for one in examples):
        console.print(f"  Give at least {ENOUGH} examples, some of them unreadable.", style="dim")
    if check.unconfirmed:
        have = "has" if check.unconfirmed == 1 else "have"
        console.print(
            f'  {check.unconfirmed} {have} the note "to confirm": is that what a person reads?', style="yellow"
        )
    for one in check.differences:
        console.print()
        show_difference(console, one)


def show_difference(console: Console, difference: Difference) -> None:
    """Show something that does not hold, with a caret under the evidence."""
    line = f"line {difference.line}: " if difference.line else ""
    console.print(Text.assemble((escape_controls(f"{line}{difference.where}"), "bold")))
    outcome = difference.outcome
    spans = [outcome.span] if isinstance(outcome, Reading) else [one.span for one in outcome.candidates]
    for shown in mark(difference.reply, spans, console.width - INDENT):
        console.print(Text(f"{' ' * INDENT}{shown}", style="dim"))
    if difference.problem:
        _show_fact(console, "wrong", Text(escape_controls(difference.problem), style="red"))
    _show_fact(console, "the file", format_expected(difference.expected))
    _show_fact(
        console, "is read", Text.assemble(format_expected(to_expected(outcome)), (f", {_say_why(outcome)}", "dim"))
    )
    if difference.write:
        _show_fact(console, "if right", Text.assemble("write ", (escape_controls(difference.write), "bold")))


def _show_fact(console: Console, head: str, text: Text) -> None:
    """Show a name and a text beside it, folded below itself."""
    width = max(console.width - HEAD, HEAD)
    for nth, line in enumerate(text.wrap(console, width, overflow="fold")):
        console.print(Text.assemble(f"  {head if nth == 0 else '':<{HEAD - INDENT}}", line))


def _say_why(outcome: Reading | Unreadable) -> str:
    """Say by what evidence there is a value, or what was found instead of one."""
    if isinstance(outcome, Unreadable):
        return escape_controls(outcome.detail)
    return "by the publisher's default" if outcome.invented else f"by {outcome.rule.replace('_', ' ')}"


def mark(reply: str, spans: Sequence[tuple[int, int]], width: int) -> list[str]:
    r"""Return the line of a reply that holds its last evidence and carets below it; without evidence, its beginning.

    Examples:
        >>> print(*mark("Well.\nGrade: <4>", [(6, 16)], 40), sep="|")
        Grade: <4>|^^^^^^^^^^
    """
    found = [(start, end) for start, end in spans if start < end]
    if not found:
        return [shorten(reply.strip(), width)]
    start = found[-1][0]
    begin = reply.rfind("\n", 0, start) + 1
    stop = reply.find("\n", start)
    stop = len(reply) if stop < 0 else stop
    begin = max(begin, start - BEFORE)
    line, carets = "", ""
    for place in range(begin, stop):
        shown = escape_controls(reply[place])
        cells = cell_len(shown)
        if cell_len(line) + cells > width:
            break
        line += shown
        carets += ("^" if any(one <= place < end for one, end in found) else " ") * cells
    return [line, carets.rstrip()]


def to_expected(outcome: Reading | Unreadable) -> dict[str, Any]:
    """Return what an example would say of an outcome: ``value``, ``invented`` or ``unreadable``."""
    if isinstance(outcome, Unreadable):
        return {"unreadable": outcome.reason}
    return {"invented" if outcome.invented else "value": to_json_value(outcome.value)}


def format_expected(expected: Mapping[str, Any]) -> Text:
    """Format what an example expects of a mode: the value, marked if the publisher invents it, or the reason."""
    if "value" in expected:
        return Text(format_value(expected["value"]), style="green")
    if "invented" in expected:
        return Text(f"{format_value(expected['invented'])} (invented)", style="magenta")
    return Text(escape_controls(str(expected["unreadable"])), style="yellow")


def describe_check(check: FormatCheck) -> dict[str, Any]:
    """Write what came of checking a format for machines."""
    return {
        "id": check.format.id,
        "examples": len(check.format.examples),
        "modes": list(check.format.modes),
        "unconfirmed": check.unconfirmed,
        "differences": [
            {
                "where": one.where,
                "line": one.line,
                "problem": one.problem or None,
                "reply": one.reply,
                "expected": dict(one.expected),
                "read": to_expected(one.outcome),
                "span": list(one.outcome.span) if isinstance(one.outcome, Reading) else None,
                "write": one.write or None,
            }
            for one in check.differences
        ],
    }
