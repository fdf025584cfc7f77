"""Time judgecore beside plain Python, in one run, and write down what was found.

Results are checked before they are timed: a wrong one is printed, and the run ends with exit code 1. A missed target
is printed too, and changes no exit code, because times differ between machines.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

# The references stand with the tests that prove them.
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
# Too large for every run: only when asked for.
HUGE = {"huge_file": large_file.measure_huge}
RESULTS = Path(__file__).with_name("RESULTS.md")
HEADER = """\
# Benches

`make bench` writes this file. Results are checked first. Times are medians of interleaved batches; growth and threads
compare the least times. Work in one thread is timed by what that thread used. Figures move between machines.
"""


def asked() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="benches/run.py", description="Time judgecore beside plain Python.")
    parser.add_argument(
        "--group", action="append", choices=[*GROUPS, *HUGE], help="only this group; may be given again"
    )
    parser.add_argument("--quick", action="store_true", help="little data and few repeats, to prove that benches run")
    parser.add_argument("--no-write", action="store_true", help="leave RESULTS.md as it is; so do --group and --quick")
    return parser.parse_args()


def main() -> int:
    """Run the groups that are asked for."""
    options = asked()
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
