"""Tests every program of `programs/` with the cases, and writes docs/conformance.md and docs/conformance.svg.

`make conformance` runs it with the interpreter that has judgecore, and creates the other environments.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from run import SORTS, VERDICTS, Result, run, sort_of

ROOT = Path(__file__).parents[1]
PROGRAMS = Path(__file__).parent / "programs"


class Column(NamedTuple):
    """A program of the scoreboard: heading, file and argument, distribution and its environment, and what it reads."""

    heading: str
    program: str
    distribution: str
    environment: str
    reads: str

    @property
    def python(self) -> str:
        """The interpreter of its environment; the current one if it has none."""
        return str(ROOT / self.environment / "bin" / "python") if self.environment else sys.executable

    @property
    def command(self) -> list[str]:
        """The command that starts it."""
        file, *arguments = self.program.split()
        return [self.python, str(PROGRAMS / file), *arguments]


EVALS, PEERS = ".venv-integrations-evals", ".venv-integrations-conformance"
COLUMNS = (
    Column("judgecore lenient", "with_judgecore.py lenient", "judgecore", "", "every kind"),
    Column("judgecore strict", "with_judgecore.py strict", "judgecore", "", "every kind, only in the declared form"),
    Column(
        "publishers' rules",
        "with_judgecore.py paper",
        "judgecore",
        "",
        "formats of MT-Bench, Arena-Hard, Prometheus, JudgeLM and others, each by its publisher's rule (`paper` mode)",
    ),
    Column(
        "lmms-eval",
        "with_lmms_eval.py",
        "lmms_eval",
        EVALS,
        "yes and no, a score without a marker, two scores, JSON; by `ResponseParser`",
    ),
    Column(
        "Inspect",
        "with_inspect.py",
        "inspect-ai",
        EVALS,
        "labels and scores behind a marker like `GRADE: {}`; by `DEFAULT_GRADE_PATTERN` with the marker in it",
    ),
    Column(
        "promptfoo's rule",
        "with_promptfoo_rule.py",
        "pyyaml",
        PEERS,
        "JSON; the rule of `extractFirstJsonObject` (TypeScript), written in Python with PyYAML",
    ),
    Column("DeepEval", "with_deepeval.py", "deepeval", PEERS, "JSON; by `trimAndLoadJson`"),
    Column(
        "OpenEvals", "with_openevals.py", "openevals", PEERS, "JSON; by the scorer that `create_llm_as_judge` makes"
    ),
    Column("json_repair", "with_json_repair.py", "json-repair", PEERS, "JSON; `json_repair.loads`, then the key"),
    Column(
        "plain regex",
        "with_regex.py",
        "",
        "",
        "every kind; the first match of marker, label or number, as users write it",
    ),
)

# The palette of Okabe and Ito, for colour-blind readers; wrong values are hatched too.
COLOURS = {"right": "#56b4e9", "unread": "#f0e442", "wrong": "url(#wrong)", "failed": "#000000"}
MEANINGS = {
    "right": "right",
    "unread": "unread, but must be read",
    "wrong": "wrong value, or a value where there is none",
    "failed": "no answer",
}
LEFT, TOP, WIDE, HIGH, PITCH, STEP = 160, 54, 96, 13, 102, 17

STYLE = """\
<style>
text { font: 11px sans-serif; fill: #000 }
.number { text-anchor: middle; font-size: 10px; paint-order: stroke; stroke: #fff; stroke-width: 2.5px }
.head { text-anchor: middle }
.name { font-weight: bold }
</style>
<defs><pattern id="wrong" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="5" height="5" fill="#d55e00"/><rect width="1.6" height="5" fill="#ffffff"/></pattern></defs>"""

PAGE = """\
# The conformance suite

Written by `make conformance`; do not edit. `conformance/` has {total:,} replies that a judge model could write, each
with the requested format and the outcomes that are acceptable to a careful person. They are in the public domain
(`conformance/README.md`). Any program can be tested with them: `python3 conformance/run.py PROGRAM`.

{must_read} cases must be read, {must_not} must not be read, and for {either} either is fine. A program is tested
only with the formats that it parses. Each parser was written for its own prompts, and some libraries ask the model
again, or request structured output, so compare kinds of errors rather than totals.

![Results of each program by class, as shares of the cases that it parses](conformance.svg)

A row is a class of cases, split by whether they must be read. Blue is right, yellow is unread although it must be read,
hatched red is a wrong value, black is no answer. The numbers are the right cases and all cases that the program parses.

## By program

In the first columns, right cases and all; then the cases with a value that is not accepted (`wrong`), without a value
although one is required (`unread`), and without an answer (`failed`).

{programs}

{reads}

## By class

Right cases, and all cases that the program parses.

{classes}

## By language

{languages}

## Failed cases

The numbers of the cases by verdict and class. `conformance/cases` has each case with its reason.

{failures}
"""


def rows_of(results: list[Result]) -> Counter[tuple[str, str, str]]:
    """How many cases have each verdict, by row: class, language or `all`, and sort."""
    return Counter(
        (row, sort_of(case), verdict)
        for case, verdict, _ in results
        for row in (case["class"], case["language"], "all")
        if verdict != "not applicable"
    )


def share(counts: Counter[tuple[str, str, str]], row: str, sorts: tuple[str, ...]) -> str:
    """Right cases and all cases of a row, or a dash where there are none."""
    held = sum(count for (one, sort, _), count in counts.items() if one == row and sort in sorts)
    return f"{sum(counts[row, sort, 'right'] for sort in sorts)}/{held}" if held else "–"


def lines_of(heads: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows))


def cell(counts: Counter[tuple[str, str, str]], row: str, sort: str, left: float, top: float) -> Iterator[str]:
    """The bar of a cell, with its numbers."""
    held = {verdict: counts[row, sort, verdict] for verdict in COLOURS}
    total, at = sum(held.values()), left
    for verdict, count in held.items():
        if count:
            width = WIDE * count / total
            yield f'<rect x="{at:.1f}" y="{top}" width="{width:.1f}" height="{HIGH}" fill="{COLOURS[verdict]}"/>'
            at += width
    text = share(counts, row, (sort,))
    yield f'<text class="number" x="{left + WIDE / 2:.1f}" y="{top + 10}">{text}</text>'


def drawn(boards: dict[str, Counter[tuple[str, str, str]]], classes: list[str]) -> str:
    """The matrix as SVG: a row for each class and sort, a column for each program."""
    rows = [(name, sort) for name in (*classes, "all") for sort in SORTS[:2]]
    width, height = LEFT + PITCH * len(boards), TOP + STEP * len(rows) + 6 * (len(rows) // 2)
    label = "Results of each program by class, split by whether the cases must be read"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="{label}">',
        STYLE,
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for nth, heading in enumerate(boards):
        parts.append(f'<text class="head" x="{LEFT + PITCH * nth + WIDE / 2}" y="{TOP - 10}">{heading}</text>')
    for nth, (name, sort) in enumerate(rows):
        top = TOP + STEP * nth + 6 * (nth // 2)
        if nth % 2 == 0:
            parts.append(f'<text class="name" x="4" y="{top + 10}">{name}</text>')
        parts.append(f'<text x="{LEFT - 62}" y="{top + 10}">{sort}</text>')
        for column, counts in enumerate(boards.values()):
            parts += cell(counts, name, sort, LEFT + PITCH * column, top)
    at = 4
    for verdict, meaning in MEANINGS.items():
        parts.append(f'<rect x="{at}" y="10" width="16" height="{HIGH}" fill="{COLOURS[verdict]}"/>')
        parts.append(f'<text x="{at + 21}" y="20">{meaning}</text>')
        at += 44 + 6 * len(meaning)
    parts.append(f'<text x="{at}" y="20">– no cases</text>')
    return "\n".join((*parts, "</svg>\n"))


def failing(results: list[Result]) -> str:
    """The numbers of the cases that are not right, by verdict and class."""
    lines: list[str] = []
    for verdict in ("wrong", "unread", "failed"):
        ids = [case["id"].rsplit("-", 1) for case, one, _ in results if one == verdict]
        for name, numbers in groupby(ids, key=lambda parts: parts[0]):
            lines.append(f"- {verdict}, {name}: {' '.join(str(int(number)) for _, number in numbers)}")
    return "\n".join(lines)


def version_of(column: Column) -> str:
    """A distribution's name and version in its environment; empty for none."""
    if not column.distribution:
        return ""
    code = f"from importlib.metadata import version; print(version({column.distribution!r}))"
    done = subprocess.run([column.python, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603 - ours
    return f"{column.distribution} {done.stdout.strip()}"


def page(found: dict[Column, list[Result]]) -> str:
    """The page of the figures."""
    boards = {column: rows_of(results) for column, results in found.items()}
    first = next(iter(found.values()))
    sorts = Counter(sort_of(case) for case, _, _ in first)
    classes, languages = (sorted({case[key] for case, _, _ in first}) for key in ("class", "language"))
    heads = [column.heading for column in found]
    programs = [
        [column.heading, version_of(column), f"{sum(one.verdict != 'not applicable' for one in results):,}"]
        + [share(boards[column], "all", (sort,)) for sort in SORTS]
        + [str(sum(one.verdict == verdict for one in results)) for verdict in ("wrong", "unread", "failed")]
        for column, results in found.items()
    ]
    return PAGE.format(
        total=len(first),
        must_read=sorts[SORTS[0]],
        must_not=sorts[SORTS[1]],
        either=sorts[SORTS[2]],
        programs=lines_of(["program", "version", "cases", *SORTS, "wrong", "unread", "failed"], programs),
        reads="\n".join(f"- {column.heading}: {column.reads}." for column in found),
        classes=lines_of(
            ["class", "", *heads],
            [
                [name, sort, *(share(board, name, (sort,)) for board in boards.values())]
                for name in (*classes, "all")
                for sort in SORTS[:2]
            ],
        ),
        languages=lines_of(
            ["language", *heads],
            [[name, *(share(board, name, SORTS) for board in boards.values())] for name in languages],
        ),
        failures="\n\n".join(f"### {column.heading}\n\n{failing(results)}" for column, results in found.items()),
    )


def main() -> None:
    """Runs the programs, and writes the page and its figure."""
    found: dict[Column, list[Result]] = {}
    for column in COLUMNS:
        found[column] = list(run(column.command, timeout=120))
        counts = Counter(one.verdict for one in found[column])
        sys.stdout.write(f"{column.heading:<20}{', '.join(f'{counts[one]} {one}' for one in VERDICTS)}\n")
    boards = {column.heading: rows_of(results) for column, results in found.items()}
    classes = sorted({case["class"] for case, _, _ in next(iter(found.values()))})
    (ROOT / "docs" / "conformance.md").write_text(page(found), "utf-8")
    (ROOT / "docs" / "conformance.svg").write_text(drawn(boards, classes), "utf-8")


main()
