"""Time judgecore against plain Python and other libraries, and write RESULTS.md.

Results are checked before timing: a wrong result ends the run with exit code 1. A missed target is printed but does not
change the exit code, because times differ between machines.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

# The reference implementations are in tests/.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import asking
import columns
import doubling
import files
import hashing
import hostile
import json_replies
import large_file
import machine
import many
import one_call
import scoring
import start
import stats
from results import WrongResultError
from stopwatch import QUICK, THOROUGH

if TYPE_CHECKING:
    from results import Group

GROUPS = {
    "one_call": one_call.measure,
    "many": many.measure,
    "columns": columns.measure,
    "formats": columns.measure_formats,
    "files": files.measure,
    "large_file": large_file.measure,
    "hostile": hostile.measure,
    "doubling": doubling.measure,
    "json": json_replies.measure,
    "hashing": hashing.measure,
    "asking": asking.measure,
    "statistics": stats.measure,
    "scoring": scoring.measure,
    "start": start.measure,
}
# Too large for every run: only on request.
HUGE = {"huge_file": large_file.measure_huge}
RESULTS = Path(__file__).with_name("RESULTS.md")
HEADER = """\
# Benches

`make bench` writes this file. Results are checked before timing. Times are medians of interleaved batches; growth and
threads compare minimum times. Single-threaded work is measured in CPU time. Figures vary between machines.
"""


def parse_arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="benches/run.py", description="Time judgecore against plain Python.")
    parser.add_argument(
        "--group", action="append", choices=[*GROUPS, *HUGE], help="run only this group; can be repeated"
    )
    parser.add_argument("--quick", action="store_true", help="little data and few repeats, to test the benches")
    parser.add_argument(
        "--no-write", action="store_true", help="do not write RESULTS.md; implied by --group and --quick"
    )
    return parser.parse_args()


def main() -> int:
    """Run the selected groups."""
    options = parse_arguments()
    stopwatch = QUICK if options.quick else THOROUGH
    about = machine.described()
    print("\n".join([*about, ""]))
    found: list[Group] = []
    for name, measure in (GROUPS | HUGE).items():
        if name not in (options.group or GROUPS):
            continue
        try:
            group = measure(stopwatch)
        except WrongResultError as problem:
            print(problem, file=sys.stderr)
            return 1
        print(group.text(), end="\n\n", flush=True)
        found.append(group)
    print(f"{sum(group.missed for group in found)} targets missed")
    if not (options.group or options.quick or options.no_write):
        lines = "\n".join(f"- {line}" for line in about)
        tables = "\n\n".join(group.markdown() for group in found)
        RESULTS.write_text(f"{HEADER}\n{lines}\n\n{tables}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
