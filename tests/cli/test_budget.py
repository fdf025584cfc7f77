"""What a judge's tokens cost on the command line: prices by model, budgets, and what is not asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import subprocess
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
