"""The examples of integrations run, each where its tool is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "integrations"
PRINTED = {
    "promptfoo_assert.py": (
        None,
        ["{'pass': True, 'score': 0.7777777777777778, 'reason': 'mt_bench.single reads 8.0'}"],
    ),
    "lm_eval_filter.py": ("lm_eval", ["[['A', '[unread]']]"]),
    "deepeval_metric.py": ("deepeval", ["1.0", "undetermined: no_verdict"]),
    "mlflow_scorer.py": ("mlflow", ["8.0 None", "None no_verdict"]),
}


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_prints_what_it_says(name: str, tmp_path: Path) -> None:
    package, lines = PRINTED[name]
    if package is not None and find_spec(package) is None:
        pytest.skip(f"{package} is not installed here: make test-integrations")

    done = subprocess.run(
        [sys.executable, EXAMPLES / name],
        cwd=tmp_path,
        env={**os.environ, "DEEPEVAL_TELEMETRY_OPT_OUT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-len(lines) :] == lines


def test_parsers_in_use_are_held_against_known_replies(tmp_path: Path) -> None:
    for package in ("inspect_ai", "lmms_eval"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed here: make test-integrations")

    done = subprocess.run(
        [sys.executable, EXAMPLES / "hold_parsers.py", "50"], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    rows = [line.split(" | ") for line in done.stdout.splitlines()[1:]]
    assert len(rows) == 20
    assert {row[3] for row in rows} == {"0"}
    assert all(int(row[2]) > 0 for row in rows if row[0].startswith("lmms-eval"))


def test_the_assertion_for_promptfoo_holds_a_guard_by_whether_it_is_unsafe() -> None:
    spec = spec_from_file_location("promptfoo_assert", EXAMPLES / "promptfoo_assert.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)

    for reply, is_passed in (("unsafe\nS1", True), ("safe", False)):
        given = module.get_assert(reply, {"vars": {"format": "llama_guard.3", "expected": True}})
        assert (given["pass"], given["score"]) == (is_passed, float(is_passed))
