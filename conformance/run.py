"""Tests a program with the cases.

    python3 run.py [--json] [--timeout SECONDS] PROGRAM [ARGUMENT...]

The program is started once. It gets one case per line as JSON, without `class`, `accept` and `why`, and writes one line
of answer before it gets the next: {"value": v}, {"unreadable": "reason"}, or {"not_applicable": "why"} for formats that
it does not parse. README.md defines v. A case with any other answer, or none in time, has failed; after a crash or a
timeout the program is restarted. The exit status is 1 if a case is wrong, unread or failed.
"""

import argparse
import contextlib
import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

HIDDEN = {"class", "accept", "why"}
SORTS = ("must read", "must not", "either")
VERDICTS = ("right", "wrong", "unread", "failed", "not applicable")
# A program that is started this often without a single answer is given up.
STARTS = 3
# A program that writes a longer line has failed.
MAX_LINE_BYTES = 2**20


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
    """Says whether a JSON value is a number, and not one too large for a float."""
    numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
    return numeric and -sys.float_info.max <= value <= sys.float_info.max


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
        # A session of its own, so that its children end with it.
        self.process = process = subprocess.Popen(  # noqa: S603 - as asked
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        lines: queue.Queue[bytes] = queue.Queue()

        def take(output: IO[bytes]) -> None:
            with output:
                for line in iter(lambda: output.readline(MAX_LINE_BYTES), b""):
                    lines.put(line)
            lines.put(b"")

        threading.Thread(target=take, args=(process.stdout,), daemon=True).start()
        self.lines = lines
        self.silent += 1
        return process

    def kill(self) -> None:
        """Kills the program and its children, if it is running."""
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL) if hasattr(os, "killpg") else self.process.kill()

    def stop(self) -> int | None:
        """Ends the program: closes its input, and kills it after a second.

        Returns:
            Its exit status; None if it had to be killed.
        """
        process, status = self.process, None
        if process is not None:
            if process.stdin:
                with contextlib.suppress(OSError):
                    process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = process.wait(timeout=1)
            self.kill()
            process.wait()
        self.process, self.lines = None, queue.Queue()
        return status

    def ask(self, line: str) -> Any:
        """The program's answer to a line, as JSON; raises NoAnswerError."""
        if not self.lines.empty():
            # It has ended, or wrote another line after its answer.
            self.kill()
            self.stop()
        process = self.process or self.start()
        late = threading.Event()

        def expire() -> None:
            late.set()
            self.kill()

        # The timer also ends a write that the program doesn't read.
        timer = threading.Timer(self.timeout, expire)
        # An interrupt while the timer starts must not wait for its end.
        timer.daemon = True
        try:
            timer.start()
            if process.stdin:
                process.stdin.write(line.encode() + b"\n")
                process.stdin.flush()
            said = self.lines.get(timeout=self.timeout + 1)
        except (OSError, queue.Empty):
            said = b""
        finally:
            timer.cancel()
        if not said:
            status = self.stop()
            if late.is_set():
                raise NoAnswerError(f"no answer in {self.timeout:g} s")
            raise NoAnswerError("closed its output" if status is None else f"ended with status {status}")
        self.silent = 0
        if len(said) == MAX_LINE_BYTES or (not self.lines.empty() and self.lines.queue[0]):
            self.kill()
            self.stop()
            raise NoAnswerError("wrote more than one line, or more than 1 MiB")
        try:
            return json.loads(said)
        except (ValueError, RecursionError):
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


def seconds(text: str) -> float:
    """A positive number of seconds."""
    given = float(text)
    if not 0 < given < threading.TIMEOUT_MAX - 1:
        raise ValueError
    return given


def main() -> int:
    """Runs the program of the command line, and prints the results."""
    parser = argparse.ArgumentParser(description="Test a program with the cases; see the head of this file.")
    parser.add_argument("--json", action="store_true", help="print one JSON object per case")
    parser.add_argument(
        "--timeout", type=seconds, default=30.0, metavar="SECONDS", help="timeout of an answer (default: 30)"
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="PROGRAM [ARGUMENT...]")
    options = parser.parse_args()
    if not options.command:
        parser.error("name the program to test")
    try:
        results = list(run(options.command, timeout=options.timeout))
    except (OSError, NoAnswerError) as error:
        parser.error(f"{' '.join(options.command)}: {error}; start it manually with a line of cases/ as its input")
    except KeyboardInterrupt:
        sys.stderr.write("run.py: interrupted; no result is printed\n")
        return 130
    lines = (json.dumps({"id": case["id"], "verdict": verdict, "answer": answer}) for case, verdict, answer in results)
    try:
        sys.stdout.writelines(f"{line}\n" for line in (lines if options.json else [table(results)]))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe, as `head` does; the interpreter flushes once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return int(any(result.verdict not in {"right", "not applicable"} for result in results))


if __name__ == "__main__":
    sys.exit(main())
