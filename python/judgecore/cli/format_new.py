"""``judgecore formats --new``: a file that declares a format, with examples to confirm."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from judgecore.arrow import without_surrogates
from judgecore.checking import TO_CONFIRM, check_format
from judgecore.cli.arguments import columns_option
from judgecore.cli.detect import read_sample
from judgecore.cli.message import print_message
from judgecore.cli.suggestion import find_likely, list_names
from judgecore.declaring import declare_labels, write_file, write_outcome
from judgecore.detecting import detect
from judgecore.errors import FormatError
from judgecore.proposing import propose
from judgecore.reading import Unreadable, parse, read_formats
from judgecore.replacement import replacing
from judgecore.tables.files import as_output_errors, find_kind, naming_table
from judgecore.tables.opening import TableOptions
from judgecore.terminal import count_noun, escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from judgecore.reading import Format

_Result = TypeVar("_Result")

SAMPLED = 200
EXAMPLES = 8
# A longer reply hides in its file what the example shows.
LONGEST_REPLY = 4000
NAME = "my_judge.toml"
NO_VERDICT = "I can't judge this without the question."
NEEDED = "say --labels A,B,tie, or --low and --high, or --sample FILE"


@dataclass(frozen=True)
class Wanted:
    """What a new file shall hold, as far as the options say it."""

    labels: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    integer: bool = False
    markers: tuple[str, ...] = ()
    sample: str | None = None
    columns: tuple[str, ...] = ()
    is_replacing: bool = False

    @property
    def options(self) -> list[str]:
        """The options that were given."""
        given = {
            "--labels": self.labels,
            "--low": self.low is not None,
            "--high": self.high is not None,
            "--integer": self.integer,
            "--marker": self.markers,
            "--sample": self.sample,
            "--column": self.columns,
            "--replace": self.is_replacing,
        }
        return [option for option, value in given.items() if value]


def take_labels(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Parse labels with commas between them: two or more, each once."""
    if not value:
        return ()
    labels = tuple(one.strip() for one in value.split(","))
    if len(labels) < len(("A", "B")) or not all(labels) or len(set(labels)) < len(labels):
        problem = f"{value!r}: give two labels or more, each once, as in A,B,tie"
        raise click.BadParameter(problem)
    return labels


def take_end(_ctx: click.Context, _param: click.Parameter, value: float | None) -> float | None:
    """Parse an end of a scale, which must be finite."""
    if value is not None and not math.isfinite(value):
        problem = f"{value} is not finite"
        raise click.BadParameter(problem)
    return value


def new_options(command: Callable[..., _Result]) -> Callable[..., _Result]:
    """Add the options that say what a new file holds; the command takes them as ``wanted``: ``Wanted``."""

    @click.option("--labels", metavar="A,B,...", callback=take_labels, help="With --new: the labels to choose from.")
    @click.option("--low", type=float, callback=take_end, metavar="X", help="With --new: the lowest score.")
    @click.option("--high", type=float, callback=take_end, metavar="X", help="With --new: the highest score.")
    @click.option("--integer", is_flag=True, help="With --new: only whole numbers are scores.")
    @click.option(
        "--marker",
        "markers",
        multiple=True,
        metavar="TEXT",
        help="With --new: the text around the verdict, {} in its place; repeatable, strongest first.",
    )
    @click.option(
        "--sample",
        type=click.Path(exists=True, dir_okay=False),
        metavar="FILE",
        help="With --new: a table of replies, to find what no option says and to choose examples from.",
    )
    @columns_option
    @click.option("--replace", "is_replacing", is_flag=True, help="With --new: replace an existing file.")
    @wraps(command)
    def with_wanted(**options: Any) -> _Result:
        wanted = Wanted(**{one.name: options.pop(one.name) for one in fields(Wanted)})
        return command(wanted=wanted, **options)

    return with_wanted


def write_new(name: str | None, wanted: Wanted) -> int:
    """Write the file of a new format; return the exit status."""
    if name is None:
        raise click.UsageError(f"name the file to write: judgecore formats --new {NAME}")
    path = Path(name)
    if path.suffix != ".toml" or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", path.stem):
        raise click.UsageError(
            f"{escape_controls(name)} can't name a format; write letters, digits and _, as in {NAME}"
        )
    if path.exists() and not wanted.is_replacing:
        raise click.UsageError(f"{escape_controls(name)} exists; replace it with --replace")
    sample = _read_sample(wanted)
    keys = find_keys(wanted, sample)
    text = declare(name, keys, sample, wanted.sample)
    with as_output_errors(name), replacing(path) as stream:
        stream.write(text.encode())
    shown = escape_controls(name)
    [made] = read_formats(name, text)
    click.echo(f"wrote {shown}: {made.id}, {made.kind}, {count_noun(len(made.examples), 'example')} as read now")
    click.echo('Look at each: is that what a person reads? Then remove its note "to confirm".')
    click.echo(f"check it:      judgecore formats --check {shown}")
    click.echo(f"read replies:  judgecore parse replies.jsonl --format {shown}")
    return 0


def _read_sample(wanted: Wanted) -> list[str]:
    """Read the sample replies; none where there is no table."""
    if wanted.sample is None:
        return []
    with naming_table(wanted.sample):
        replies, _ = read_sample(wanted.sample, find_kind(wanted.sample, None), wanted.columns, SAMPLED, TableOptions())
    # A lone surrogate can't stand in a file.
    return without_surrogates(replies)


def find_keys(wanted: Wanted, sample: Sequence[str]) -> dict[str, Any]:
    """Find the keys that declare the format: what was said, and what the sample shows."""
    if wanted.labels and (wanted.low is not None or wanted.high is not None or wanted.integer):
        raise click.UsageError("--labels are a choice, and --low and --high are a score; give one of them")
    proposal = propose(sample) if sample else None
    proposed = dict(proposal.keys) if proposal else {}
    _say_builtin(sample)
    if not wanted.labels and wanted.low is None and wanted.high is None:
        if not proposed:
            found = "; in most replies no label or number stands in the same place" if sample else ""
            raise click.UsageError(f"it is not known what the judge answers{found}: {NEEDED}")
        return {**proposed, **_keys_around(wanted, {})}
    if wanted.labels:
        return {**declare_labels(wanted.labels), **_keys_around(wanted, proposed)}
    if wanted.low is None or wanted.high is None:
        raise click.UsageError("a scale has two ends; give both --low and --high")
    if wanted.low >= wanted.high:
        raise click.UsageError(f"--low {wanted.low:g} must be less than --high {wanted.high:g}")
    low, high = (int(end) if end.is_integer() else end for end in (wanted.low, wanted.high))
    whole = {"integer": True} if wanted.integer else {}
    return {"kind": "score", "low": low, "high": high, **whole, **_keys_around(wanted, proposed)}


def _keys_around(wanted: Wanted, proposed: dict[str, Any]) -> dict[str, Any]:
    """The keys for what stands around the verdict: the markers that were said, else what was found."""
    if wanted.markers:
        return {"markers": list(wanted.markers)}
    return {key: proposed[key] for key in ("markers",) if key in proposed}


def _say_builtin(sample: Sequence[str]) -> None:
    likely = [one.format.id for one in find_likely(detect(sample))] if sample else []
    if likely:
        print_message(f"note: {list_names(likely, 'or')} reads these replies, without a file of your own")


def declare(file: str, keys: dict[str, Any], sample: Sequence[str], source: str | None) -> str:
    """Return the text of the file, with examples as they are read now; ``--check`` finds nothing in it."""
    name = Path(file).stem
    about: dict[str, Any] = (
        {"evidence": "observed", "sources": [f"a sample of its replies, {Path(source).name}"]}
        if source
        else {"evidence": "convention", "sources": ["what its prompt asks for"]}
    )
    try:
        [bare] = read_formats(file, write_file(name, keys, **about))
    except FormatError as problem:
        raise click.UsageError(str(problem)) from None
    wrong = check_format(bare).differences
    if wrong:
        raise click.UsageError(wrong[0].problem)
    replies = choose_examples(sample, bare) if sample else make_replies(bare, keys)
    examples = [example for reply in replies if (example := _read_example(reply, bare))]
    return write_file(name, keys, **about, examples=examples)


def _read_example(reply: str, format_: Format) -> dict[str, Any] | None:
    """The example that a reply makes; None where TOML can't hold what is read."""
    outcomes = {mode: write_outcome(parse(reply, format_, mode=mode)) for mode in ("lenient", "strict")}
    return None if None in outcomes.values() else {"reply": reply, "note": TO_CONFIRM, **outcomes}


def choose_examples(sample: Sequence[str], format_: Format) -> list[str]:
    """Choose up to eight replies that differ in what is read, the shortest first, at least one of them unreadable."""
    of_outcome: dict[str, list[str]] = {}
    for reply in sorted(dict.fromkeys(sample), key=len):
        if len(reply) <= LONGEST_REPLY:
            outcomes = [write_outcome(parse(reply, format_, mode=mode)) for mode in ("lenient", "strict")]
            of_outcome.setdefault(repr(outcomes), []).append(reply)
    deepest = max(map(len, of_outcome.values()), default=0)
    in_turn = [replies[nth] for nth in range(deepest) for replies in of_outcome.values() if nth < len(replies)]
    chosen = in_turn[: EXAMPLES - 1]
    if not any(isinstance(parse(reply, format_), Unreadable) for reply in chosen):
        return [*chosen, NO_VERDICT]
    return in_turn[:EXAMPLES]


def make_replies(format_: Format, keys: dict[str, Any]) -> list[str]:
    """Make replies without a sample: each verdict, other words, two verdicts, one beyond the scale, and none."""
    marker = keys["markers"][0] if "markers" in keys else "{}"
    marker = marker if "{}" in marker else f"{marker}: {{}}"
    if format_.scale:
        low, high = format_.scale
        verdicts = [f"{low:g}", f"{high:g}", f"{high + 1:g}"]
    else:
        verdicts = [forms[0] for forms in format_.labels.values()][: EXAMPLES - 4]
    told = [marker.replace("{}", one) for one in verdicts]
    return [
        *told,
        f"I looked at it carefully.\n\n{told[0]}",
        f"My verdict is {verdicts[1]}.",
        f"{told[0]}\n{told[1]}",
        NO_VERDICT,
    ]
