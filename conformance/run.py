"""Tests a program with the cases.

    python3 run.py [--json] [--timeout SECONDS] PROGRAM [ARGUMENT...]

The program is started once. It gets one case per line as JSON, without `class`, `accept` and `why`, and writes one line
of answer before it gets the next: {"value": v}, {"unreadable": "reason"}, or {"not_applicable": "why"} for formats that
it does not parse. README.md defines v. A case with any other answer, or none in time, has failed; after a crash or a
timeout the program is restarted. The exit status is 1 if a case is wrong, unread or failed.
"""

import argparse
import json
import math
import queue
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

HIDDEN = {"class", "accept", "why"}
SORTS = ("must read", "must not", "either")
VERDICTS = ("right", "wrong", "unread", "failed", "not applicable")
# A program that is started this often without a single answer is given up.
STARTS = 3


class Result(NamedTuple):
    """A case, one of VERDICTS on the program's answer, and the answer or a message on what went wrong."""

    case: dict[str, Any]
    verdict: str
    answer: Any


class NoAnswerError(Exception):
    """A program did not answer a case; the message says why."""


def cases() -> list[dict[str, Any]]:
    """All cases, by class and number."""
    paths = sorted((Path(__file__).parent / "cases").glob("*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]


def sort_of(case: dict[str, Any]) -> str:
    """Whether a case must be read, must not be read, or either."""
    ways = {key for way in case["accept"] for key in way}
    return SORTS[2] if len(ways) > 1 else SORTS["unreadable" in ways]


def dense(ranks: Iterable[int]) -> list[int]:
    """Ranks without the gaps that ties leave: 1, 1, 3 becomes 0, 0, 1."""
    held = list(ranks)
    return [sorted(set(held)).index(rank) for rank in held]


def is_number(value: Any) -> bool:
    """Says whether a JSON value is a number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same(value: Any, wanted: Any, form: dict[str, Any]) -> bool:  # noqa: PLR0911 - a line for each kind
    """Says whether a value equals the wanted one: 4 is 4.0, and the order of categories is irrelevant."""
    kind = form["kind"]
    if kind == "json" and form["verdict"] is not None:
        return same(value, wanted, form["fields"][form["verdict"]])
    if isinstance(wanted, dict) and not (isinstance(value, dict) and value.keys() == wanted.keys()):
        return False
    if kind in {"json", "fields"}:
        return all(same(value[key], wanted[key], inner) for key, inner in form["fields"].items())
    if kind == "guard":
        listed = isinstance(value["categories"], list) and all(isinstance(one, str) for one in value["categories"])
        return listed and value["unsafe"] is wanted["unsafe"] and {*value["categories"]} == {*wanted["categories"]}
    if isinstance(wanted, list):
        numbers = isinstance(value, list) and len(value) == len(wanted) and all(map(is_number, value))
        if kind == "order":
            return numbers and dense(value) == dense(wanted)
        return numbers and all(map(math.isclose, value, wanted))
    if is_number(wanted):
        return is_number(value) and math.isclose(value, wanted)
    return type(value) is type(wanted) and value == wanted


def judged(case: dict[str, Any], answer: Any) -> str:
    """The verdict on an answer."""
    if not (isinstance(answer, dict) and len(answer) == 1):
        return "failed"
    [(key, given)] = answer.items()
    if key in {"unreadable", "not_applicable"} and isinstance(given, str):
        refused = any("unreadable" in way for way in case["accept"])
        return "not applicable" if key == "not_applicable" else "right" if refused else "unread"
    if key != "value":
        return "failed"
    wanted = (way["value"] for way in case["accept"] if "value" in way)
    return "right" if any(same(given, one, case["format"]) for one in wanted) else "wrong"


class Program:
    """A program that answers each line with a line; it is started on demand."""

    def __init__(self, command: list[str], timeout: float) -> None:
        """Stores the command and the timeout of an answer in seconds."""
        self.command, self.timeout = command, timeout
        self.process: subprocess.Popen[bytes] | None = None
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.silent = 0

    def start(self) -> subprocess.Popen[bytes]:
        """Starts the program, and a thread that queues its lines; an empty line means that it has ended."""
        process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - as asked
        lines: queue.Queue[bytes] = queue.Queue()

        def take() -> None:
            for line in process.stdout or ():
                lines.put(line)
            lines.put(b"")

        threading.Thread(target=take, daemon=True).start()
        self.process, self.lines = process, lines
        self.silent += 1
        return process

    def stop(self) -> None:
        """Ends the program: closes its input, and kills it after a second."""
        if self.process is None:
            return
        process, self.process = self.process, None
        try:
            process.communicate(timeout=1)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()

    def ask(self, line: str) -> Any:
        """The program's answer to a line, as JSON; raises NoAnswerError."""
        process = self.process or self.start()
        try:
            if process.stdin:
                process.stdin.write(line.encode() + b"\n")
                process.stdin.flush()
            said = self.lines.get(timeout=self.timeout)
        except OSError:
            said = b""
        except queue.Empty:
            process.kill()
            self.stop()
            raise NoAnswerError(f"no answer in {self.timeout:g} s") from None
        if not said:
            status = process.wait()
            self.stop()
            raise NoAnswerError(f"ended with status {status}")
        self.silent = 0
        if not self.lines.empty():
            process.kill()
            self.stop()
            raise NoAnswerError("wrote more than one line")
        try:
            return json.loads(said)
        except ValueError:
            raise NoAnswerError(f"no JSON: {said[:80]!r}") from None


def run(command: list[str], *, timeout: float = 30.0) -> Iterator[Result]:
    """Sends all cases to a program, and yields the result of each.

    Raises:
        OSError: If the program can't be started.
        NoAnswerError: If it was started three times and never answered.
    """
    program = Program(command, timeout)
    try:
        for case in cases():
            shown = {key: value for key, value in case.items() if key not in HIDDEN}
            try:
                answer = program.ask(json.dumps(shown, ensure_ascii=False))
            except NoAnswerError as failure:
                if program.silent == STARTS:
                    raise
                yield Result(case, "failed", str(failure))
            else:
                yield Result(case, judged(case, answer), answer)
    finally:
        program.stop()


def table(results: list[Result]) -> str:
    """The table of right cases by class and language, and of the other verdicts."""
    counts = Counter[tuple[str, str]]()
    for case, verdict, _ in results:
        sort = sort_of(case)
        for row in (f"1 {case['class']}", f"2 {case['language']}", "3 all"):
            counts[row, verdict] += 1
            if verdict != "not applicable":
                counts[row, sort] += 1
                counts[row, f"{sort} right"] += verdict == "right"
    heads = (*SORTS, *VERDICTS[1:])
    lines = [f"{'right of':<15}" + "".join(f"{head:>15}" for head in heads)]
    for row in sorted({row for row, _ in counts}):
        shares = [f"{counts[row, f'{sort} right']} of {counts[row, sort]}" for sort in SORTS]
        cells = (*shares, *(counts[row, verdict] for verdict in VERDICTS[1:]))
        lines.append(f"{row[2:]:<15}" + "".join(f"{cell:>15}" for cell in cells))
    return "\n".join(lines)


def main() -> int:
    """Runs the program of the command line, and prints the results."""
    parser = argparse.ArgumentParser(description="Test a program with the cases; see the head of this file.")
    parser.add_argument("--json", action="store_true", help="print one JSON object per case")
    parser.add_argument(
        "--timeout", type=float, default=30.0, metavar="SECONDS", help="timeout of an answer (default: 30)"
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="PROGRAM [ARGUMENT...]")
    options = parser.parse_args()
    if not options.command:
        parser.error("name the program to test")
    try:
        results = list(run(options.command, timeout=options.timeout))
    except (OSError, NoAnswerError) as error:
        parser.error(f"{' '.join(options.command)}: {error}; start it manually with a line of cases/ as its input")
    if options.json:
        for case, verdict, answer in results:
            sys.stdout.write(json.dumps({"id": case["id"], "verdict": verdict, "answer": answer}) + "\n")
    else:
        sys.stdout.write(table(results) + "\n")
    return int(any(result.verdict not in {"right", "not applicable"} for result in results))


if __name__ == "__main__":
    sys.exit(main())
