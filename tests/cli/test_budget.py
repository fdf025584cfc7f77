"""What a judge's tokens cost on the command line: prices by model, budgets, and what is not asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from judgecore.evaluation import EvaluationResult
from judgecore.targets import LedgerReader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Program
    from conftest import Serving

REFUSAL = "type: SelfAskRefusalScorer\ntrue_false_question_path: refusal_lenient\n"
JUDGE = "type: OpenAITarget\nmodel: small-1\n"
PRICES = """\
date = 2026-11-01
source = "https://example.com/pricing"
currency = "EUR"

[models.small-1]
input = 1000
output = 4000
"""
N_ROWS = 40


@pytest.fixture
def server(serve: Callable[..., Serving]) -> Serving:
    return serve()


@pytest.fixture
def run(
    judgecore: Program, write: Callable[..., Path], server: Serving
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """What scores a table of ``N_ROWS`` rows with a judge whose prices are known."""
    rows = (
        {"id": n, "objective": f"Topic {n}", "response": "I'm sorry, I can't." if n % 5 == 0 else f"Topic {n} is rain."}
        for n in range(N_ROWS)
    )
    write("r.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write("refusal.yaml", REFUSAL)
    write("judge.yaml", JUDGE)
    write("prices.toml", PRICES)

    def score(*arguments: str) -> subprocess.CompletedProcess[str]:
        given = ("r.jsonl", "--scorer", "refusal.yaml", "--target", "judge.yaml", *arguments)
        return judgecore("score", *given, OPENAI_API_KEY="k", OPENAI_BASE_URL=server.url)

    return score


def written(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in folder.joinpath("out.jsonl").read_text("utf-8").splitlines()]


class TestPrices:
    def test_a_run_and_its_plan_cost_what_the_file_says(self, run: Callable[..., Any]) -> None:
        plan = json.loads(run("--prices", "prices.toml", "--dry-run", "--json").stdout)
        done = json.loads(run("--prices", "prices.toml", "--json").stdout)
        shown = run("--prices", "prices.toml").stdout

        tokens = done["prompt_tokens"] * 1000 + done["completion_tokens"] * 4000
        assert done["cost"] == pytest.approx(tokens / 1e6)
        assert done["cost"] > 0
        assert (plan["currency"], done["currency"]) == ("EUR", "EUR")
        assert plan["models"]["small-1"]["cost"] == plan["cost"] > 0
        assert f"cost {done['cost']:,.4f} EUR" in shown

    def test_the_cost_of_a_model_without_a_price_is_unknown_and_not_0(
        self, run: Callable[..., Any], write: Callable[..., Path]
    ) -> None:
        write("judge.yaml", JUDGE.replace("small-1", "smal-1"))

        plan = json.loads(run("--prices", "prices.toml", "--dry-run", "--json").stdout)
        done = run("--prices", "prices.toml")

        assert plan["cost"] is None
        assert done.returncode == 0, done.stderr
        assert "cost unknown" in done.stdout

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (("--prices", "prices.toml", "--input-price", "1"), "leave out --input-price and --output-price"),
            (("--prices", "prices.toml", "--currency", "USD"), "the prices in prices.toml are in EUR"),
            (("--input-price", "nan"), "--input-price must be a number from 0 to 1,000,000,000,000, not nan"),
            (("--output-price", "inf"), "--output-price must be a number from 0 to 1,000,000,000,000, not inf"),
            (("--input-price", "1", "--currency", "\x1b[31m"), "--currency must be printable, such as USD"),
            (("--prices", "r.jsonl"), "--prices: r.jsonl: prices are in a file named .toml, .json or .csv"),
        ],
    )
    def test_prices_that_contradict_each_other_are_refused(
        self, run: Callable[..., Any], server: Serving, options: tuple[str, ...], says: str
    ) -> None:
        done = run(*options)

        assert done.returncode == 2
        assert says in done.stderr
        assert server.count() == 0


class TestBudgets:
    def test_a_reached_budget_ends_in_order_and_the_same_command_asks_the_rest(
        self, run: Callable[..., Any], server: Serving, tmp_path: Path
    ) -> None:
        given = ("--ledger", "run.db", "-o", "out.jsonl", "--prices", "prices.toml")
        whole = json.loads(run("--prices", "prices.toml", "--json").stdout)["cost"]
        n_before = server.count()

        first = run(*given, "--max-cost", str(whole / 2), "--concurrency", "1")
        rows, n_paid = written(tmp_path), server.count() - n_before
        again = run(*given, "--max-cost", str(whole / 2))
        rest = run(*given, "--max-cost", str(whole * 1.2))

        assert [done.returncode for done in (first, again, rest)] == [5, 5, 0], first.stderr + rest.stderr
        statuses = [row["score_status"] for row in rows]
        assert statuses == ["complete"] * n_paid + ["not_asked"] * (N_ROWS - n_paid)
        assert N_ROWS / 3 < n_paid < N_ROWS
        assert {row["score_reason"] for row in rows[n_paid:]} == {"budget"}
        assert f"{N_ROWS - n_paid} of {N_ROWS} rows were not asked" in first.stderr
        assert "the same command with a larger budget asks only them" in first.stderr
        assert f" of {whole / 2:,.4f}".rstrip("0") in first.stdout
        assert {row["score_status"] for row in written(tmp_path)} == {"complete"}
        assert server.count() - n_before == N_ROWS

    def test_a_summary_in_json_has_the_budget_and_why_rows_were_not_asked(
        self, run: Callable[..., Any], tmp_path: Path
    ) -> None:
        given = ("--prices", "prices.toml", "--json", "--ledger", "run.db")
        limits = ("--max-cost", "9", "--max-tokens", "999999")

        some = json.loads(run(*given, *limits).stdout)
        none = json.loads(run(*given, "--limit", "1").stdout)

        with LedgerReader(tmp_path / "run.db") as ledger:
            (spent,) = ledger.spent().values()
        assert some["budget"] == {
            "max_cost": 9.0,
            "max_tokens": 999_999,
            "cost": pytest.approx((spent.prompt * 1000 + spent.completion * 4000) / 1e6),
            "tokens": spent.total,
            "is_reached": True,
        }
        ((cause, n_rows),) = some["causes"].items()
        assert "the budget of 9.00 EUR is reached: " in cause
        assert "on their way" not in cause
        assert n_rows == some["not_asked"]["budget"] > 0
        assert (none["budget"], none["causes"], none["not_asked"]) == (None, {}, {})

    def test_what_earlier_runs_spent_is_part_of_the_warning_before_a_run(
        self, run: Callable[..., Any], tmp_path: Path
    ) -> None:
        given = ("--ledger", "run.db", "--prices", "prices.toml", "--limit", "4")
        spent = json.loads(run(*given, "--limit", "2", "--json").stdout)
        plan = json.loads(run(*given, "--dry-run", "--json").stdout)
        tokens = plan["prompt_tokens"] + plan["completion_tokens"]
        before = spent["prompt_tokens"] + spent["completion_tokens"]

        for option, limit, usual in (("tokens", tokens, before), ("cost", plan["cost"], spent["cost"])):
            (tmp_path / "copy.db").write_bytes((tmp_path / "run.db").read_bytes())
            options = (*given, "--ledger", "copy.db", f"--max-{option}")
            warned = run(*options, f"{int(limit + usual / 2)}")
            (tmp_path / "copy.db").write_bytes((tmp_path / "run.db").read_bytes())
            enough = run(*options, f"{int(limit + usual) + 1}")

            assert (
                f"--max-{option} {int(limit + usual / 2):,}{'.00' * (option == 'cost')} will end it early"
                in warned.stderr
            )
            assert "about 2 requests" in enough.stderr
            assert "early" not in enough.stderr

    def test_a_run_that_asks_nothing_announces_nothing(self, run: Callable[..., Any]) -> None:
        given = ("--limit", "2", "--ledger", "run.db", "--prices", "prices.toml")

        first, again = run(*given), run(*given)

        assert "about 2 requests" in first.stderr
        assert "" not in again.stderr.splitlines()

    def test_what_killed_runs_spent_counts(
        self, run: Callable[..., Any], server: Serving, tmp_path: Path, judgecore: Program
    ) -> None:
        run("--limit", "1")
        command = [sys.executable, "-m", "judgecore", "score", "r.jsonl", "--scorer", "refusal.yaml"]
        options = ["--target", "judge.yaml", "--ledger", "run.db", "--concurrency", "4"]
        environment = {**os.environ, "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.url}
        for moment in (8, 20):
            killed = subprocess.Popen(
                [*command, *options], cwd=judgecore.folder, env=environment, stderr=subprocess.DEVNULL
            )
            while killed.poll() is None and server.count() < moment:
                time.sleep(0.002)
            killed.kill()
            killed.wait()
        with LedgerReader(tmp_path / "run.db") as ledger:
            (spent,) = ledger.spent().values()
            n_received = ledger.counts()["received"]
        n_asked = server.count()

        done = run("--ledger", "run.db", "--max-tokens", f"{spent.total}", "-o", "out.jsonl")

        assert 0 < n_received < N_ROWS
        assert (done.returncode, server.count()) == (5, n_asked), done.stderr
        assert f"the budget of {spent.total:,} tokens is reached: {spent.total:,} are spent" in done.stdout
        assert [row["score_status"] for row in written(tmp_path)].count("complete") == n_received

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (("--max-cost", "1"), "--max-cost needs prices: give --input-price and --output-price, or a --prices FILE"),
            (("--max-cost", "0", "--prices", "prices.toml"), "--max-cost must be a number above 0"),
            (
                ("--max-cost", "1", "--input-price", "1"),
                "no price of output tokens; give --input-price",
            ),
            (
                ("--max-cost", "1", "--prices", "other.toml"),
                "other.toml: no price for the model 'small-1'; did",
            ),
            (("--max-tokens", "0"), "0 is not in the range x>=1"),
            (("--max-tokens", "9" * 20), "--max-tokens must be a number above 0 and at most 1,000,000"),
        ],
    )
    def test_a_cost_that_could_not_be_limited_is_refused_before_anything_is_sent(
        self, run: Callable[..., Any], write: Callable[..., Path], server: Serving, options: tuple[str, ...], says: str
    ) -> None:
        write("other.toml", PRICES.replace("small-1", "small-2"))

        done = run(*options)

        assert done.returncode == 2
        assert says in " ".join(done.stderr.split())
        assert server.count() == 0

    def test_an_evaluation_that_is_not_complete_measures_what_it_has_and_is_not_in_the_registry(
        self, judgecore: Program, write: Callable[..., Path], server: Serving, tmp_path: Path
    ) -> None:
        rows = "".join(
            f"{('I refuse to do' if n % 2 else 'It is rain on')} {n}.,{str(bool(n % 2)).lower()}\n" for n in range(30)
        )
        write("labels.csv", f"answer,refused\n{rows}")
        write("refusal.yaml", REFUSAL)
        write("judge.yaml", f"{JUDGE}temperature: 0\n")
        write("prices.toml", PRICES)
        environment = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.url}
        asked = (
            *("evaluate", "labels.csv", "--scorer", "refusal.yaml", "--target", "judge.yaml", "--response", "answer"),
            *("--human", "refused", "--ledger", "run.db", "--registry", "registry", "--prices", "prices.toml"),
        )

        part = judgecore(*asked, "--max-cost", "9", "-o", "part", **environment)
        whole = judgecore(*asked, "--max-cost", "900", "-o", "whole", **environment)
        known = judgecore(*asked, "--max-cost", "900", **environment)

        assert (part.returncode, whole.returncode) == (5, 0), part.stderr + whole.stderr
        results = [EvaluationResult.load(tmp_path / name) for name in ("part", "whole")]
        assert results[0].num_not_asked == 30 - len(results[0].items) > 0
        assert (results[1].num_not_asked, len(results[1].items)) == (0, 30)
        assert all(trial.value is not None for item in results[0].items for trial in item.trials)
        why = results[0].why_not_asked
        assert "the budget of 9.00 EUR is reached" in why
        assert f"{results[0].num_not_asked} responses were not asked ({why}), so the registry" in part.stderr
        assert results[1].why_not_asked == ""
        assert "of 9.00 EUR" in part.stderr
        assert "details:" not in part.stdout
        assert "the registry already has these metrics" in known.stdout
        assert server.count() == 30
