"""The conformance cases are frozen and well formed, and the runner distinguishes right answers from others."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

CONFORMANCE = Path(__file__).parents[1] / "conformance"
ODD = "bracket-0003"
"""The case that gets a special answer in these tests; it must not be read."""

ANSWERING = """\
import json, os, subprocess, sys, time
for line in sys.stdin:
    case = json.loads(line)
    {answer}
    sys.stdout.flush()
"""
REFUSING = 'print(\'{"unreadable": "empty"}\')'


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, folder / "check.py"], capture_output=True, text=True, check=False)


def copied(folder: Path) -> Path:
    return Path(shutil.copytree(CONFORMANCE, folder / "conformance"))


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, CONFORMANCE / "run.py", *command]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def results(folder: Path, answer: str, *options: str) -> tuple[int, dict[str, dict[str, object]]]:
    """The runner's exit status, and its row for each case, with a program that answers by a statement."""
    program = folder / "program.py"
    program.write_text(ANSWERING.format(answer=answer), "utf-8")
    done = run("--json", *options, sys.executable, program)
    return done.returncode, {row["id"]: row for row in map(json.loads, done.stdout.splitlines())}


def test_all_cases_are_well_formed_and_frozen() -> None:
    done = check(CONFORMANCE)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_changed_case_is_named_by_its_file(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    file = folder / "cases" / "retold.jsonl"
    lines = file.read_text("utf-8").splitlines()
    case = json.loads(lines[3])
    lines[3] = json.dumps({**case, "why": f"{case['why']} "}, ensure_ascii=False)
    file.write_text("\n".join(lines) + "\n", "utf-8")

    done = check(folder)

    assert done.returncode == 1
    assert f"{file}: a frozen case differs" in done.stderr


def test_a_value_that_the_format_can_not_hold_is_named_by_its_line(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    file = folder / "cases" / "number.jsonl"
    lines = file.read_text("utf-8").splitlines()
    case = {**json.loads(lines[0]), "id": "number-9999", "reply": "another", "accept": [{"value": "no number"}]}
    with file.open("a", encoding="utf-8") as appended:
        appended.write(json.dumps(case) + "\n")

    done = check(folder)

    assert done.returncode == 1
    assert f"{file}:{len(lines) + 1}: accept what the format can hold" in done.stderr


def test_a_program_is_right_that_gives_an_accepted_outcome_in_any_spelling(tmp_path: Path) -> None:
    accepted = tmp_path / "accepted.json"
    spelled: dict[str, object] = {}
    for path in sorted((CONFORMANCE / "cases").glob("*.jsonl")):
        for case in map(json.loads, path.read_text("utf-8").splitlines()):
            way: dict[str, Any] = case["accept"][-1]
            if case["format"]["kind"] == "guard" and "value" in way:
                way["value"]["categories"].reverse()
            if case["format"]["kind"] == "score" and "value" in way:
                way = {"value": float(way["value"])}
            if case["format"]["kind"] == "order" and "value" in way:
                ranks = way["value"]
                way = {"value": [1 + sum(other < rank for other in ranks) for rank in ranks]}
            spelled[case["id"]] = {"unreadable": "a reason of its own"} if "unreadable" in way else way
    accepted.write_text(json.dumps(spelled), "utf-8")

    status, found = results(tmp_path, f"print(json.dumps(json.load(open({str(accepted)!r}))[case['id']]))")

    assert (status, Counter(row["verdict"] for row in found.values())) == (0, {"right": len(spelled)})


def test_a_program_that_never_reads_leaves_unread_what_must_be_read_and_is_right_elsewhere(tmp_path: Path) -> None:
    status, found = results(tmp_path, REFUSING)

    assert status == 1
    assert found[ODD]["verdict"] == "right"
    assert found["bracket-0004"]["verdict"] == "unread"
    assert {row["verdict"] for row in found.values()} == {"right", "unread"}


def test_true_is_not_one(tmp_path: Path) -> None:
    _, found = results(tmp_path, "print('{\"value\": 1}' if case['format']['kind'] == 'binary' else '{}')")

    assert {row["verdict"] for row in found.values()} == {"wrong", "failed"}


# A statement that answers with anything else, and what is said of it.
ODD_ANSWERS: list[tuple[str, object]] = [
    ("print('[]')", []),
    ('print(\'{"value": 1, "unreadable": "empty"}\')', {"value": 1, "unreadable": "empty"}),
    ("print('{\"unreadable\": 1}')", {"unreadable": 1}),
    ("print('a score of 4')", "no JSON: b'a score of 4\\n'"),
    ("print('[' * 100_000)", f"no JSON: {b'[' * 80!r}"),
    ("sys.stdout.write('1\\n2\\n')", "wrote more than one line, or more than 1 MiB"),
    ("sys.stdout.write('x' * 2**21 + '\\n')", "wrote more than one line, or more than 1 MiB"),
    ("sys.exit(3)", "ended with status 3"),
    ("(os.close(1), time.sleep(600))", "closed its output"),
    ("subprocess.run(['sleep', '600'])", "no answer in 5 s"),
    ("time.sleep(600)", "no answer in 5 s"),
]


def test_anything_else_for_an_answer_is_a_failure_of_that_case_alone(tmp_path: Path) -> None:
    # Every other case, because a program that never answers is given up.
    names = [f"bracket-{2 * number + 1:04}" for number in range(len(ODD_ANSWERS))]
    odd = dict(zip(names, (answer for answer, _ in ODD_ANSWERS), strict=True))

    _, found = results(tmp_path, f"exec({odd!r}.get(case['id'], {REFUSING!r}))", "--timeout", "5")

    failed = {name: row["answer"] for name, row in found.items() if row["verdict"] == "failed"}
    assert failed == dict(zip(names, (said for _, said in ODD_ANSWERS), strict=True))


def test_a_number_too_large_for_a_float_is_wrong(tmp_path: Path) -> None:
    _, found = results(tmp_path, "print('{\"value\": 1' + '0' * 400 + '}')")

    assert {row["verdict"] for row in found.values()} == {"wrong"}


def test_a_program_that_does_not_read_its_input_is_given_up() -> None:
    runner = runpy.run_path(str(CONFORMANCE / "run.py"))

    with pytest.raises(runner["NoAnswerError"], match=r"no answer in 0\.2 s"):
        runner["Program"](["sleep", "600"], 0.2).ask("x" * 2**20)


@pytest.mark.parametrize("timeout", ["0", "-1", "nan", "soon", "1e999"])
def test_a_timeout_is_a_positive_number(timeout: str) -> None:
    done = run("--timeout", timeout, sys.executable)

    assert done.returncode == 2
    assert "argument --timeout: invalid seconds value" in done.stderr


def test_a_run_that_is_interrupted_leaves_no_program(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)\n", "utf-8")
    command = [sys.executable, CONFORMANCE / "run.py", sys.executable, program]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not ((pid := tmp_path / "pid").exists() and pid.read_text()):
        time.sleep(0.01)

    running.send_signal(signal.SIGINT)

    _, said = running.communicate()
    assert (running.returncode, said) == (130, "run.py: interrupted; no result is printed\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_a_program_sees_the_format_and_not_what_is_accepted(tmp_path: Path) -> None:
    _, found = results(tmp_path, "print(json.dumps({'not_applicable': ' '.join(sorted(case))}))")

    assert {row["verdict"] for row in found.values()} == {"not applicable"}
    assert found[ODD]["answer"] == {"not_applicable": "cut format id language material reply"}


@pytest.mark.parametrize(
    ("command", "cure"),
    [
        ((), "name the program to test"),
        ((sys.executable, "-c", "raise SystemExit(4)"), "ended with status 4; start it manually"),
        (("/there/is/no/such/program",), "No such file or directory"),
    ],
)
def test_a_program_that_never_answers_is_named_with_the_cure(command: tuple[str, ...], cure: str) -> None:
    done = run(*command)

    assert (done.returncode, done.stdout) == (2, "")
    assert cure in done.stderr


def test_the_table_counts_the_cases_of_each_class_and_language() -> None:
    lines = (CONFORMANCE / "cases" / "echo.jsonl").read_text("utf-8").splitlines()

    done = run(sys.executable, CONFORMANCE / "programs" / "with_regex.py")

    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines()}
    assert done.returncode == 1
    assert sum(int(rows["echo"][place]) for place in (3, 6, 9)) == len(lines)
    assert {"ja", "silence", "all"} <= rows.keys()


def test_a_reader_that_closes_the_pipe_ends_the_runner_without_a_traceback() -> None:
    command = [sys.executable, CONFORMANCE / "run.py", "--json", sys.executable]
    program = CONFORMANCE / "programs" / "with_regex.py"

    with subprocess.Popen([*command, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        complaints = running.stderr.read()

    assert (running.returncode, complaints) == (1, "")


@pytest.mark.parametrize(("mode", "wrong", "unread"), [("lenient", 32, 101), ("strict", 7, 656)])
def test_no_more_cases_fail_through_the_public_interface_than_did(mode: str, wrong: int, unread: int) -> None:
    done = run("--json", sys.executable, CONFORMANCE / "programs" / "with_judgecore.py", mode)

    found = Counter(json.loads(line)["verdict"] for line in done.stdout.splitlines())
    assert found["failed"] == found["not applicable"] == 0
    assert found["wrong"] <= wrong
    assert found["unread"] <= unread
