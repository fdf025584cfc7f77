"""What ``judgecore score`` and ``evaluate`` find before a run is paid for: slots, columns, the endpoint, replies."""

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

JUDGE = "type: OpenAITarget\nmodel: m\ntemperature: 0\npacing: {attempts: 1, no_answer_s: 0.1}\n"
GENERAL = (
    "type: SelfAskGeneralTrueFalseScorer\nsystem_prompt_format_string: 'SYSTEM'\n"
    "prompt_format_string: '{PROMPT} {response}'\ncategory: c\n"
)
# A prompt that does not ask for JSON, so that nothing that is replied can be read.
MUTE = GENERAL.replace("SYSTEM", "Judge.").replace("{PROMPT} ", "")
REFUSAL = "type: SelfAskRefusalScorer\ntrue_false_question_path: refusal_lenient\n"


@pytest.fixture(scope="module")
def server(serve_all: Callable[..., Serving]) -> Serving:
    return serve_all()


@pytest.fixture
def run(
    judgecore: Program, write: Callable[..., Path], server: Serving
) -> Callable[..., tuple[subprocess.CompletedProcess[str], int]]:
    """What scores a table, and says how many requests it sent."""
    write(
        "r.jsonl", "".join(json.dumps({"question": f"Is it {n}?", "response": f"It is {n}."}) + "\n" for n in range(9))
    )
    write("t.yaml", JUDGE)

    def score(scorer: str, *arguments: str, **environment: str) -> tuple[subprocess.CompletedProcess[str], int]:
        write("s.yaml", scorer)
        before = server.count()
        given = ("r.jsonl", "--scorer", "s.yaml", "--target", "t.yaml", *arguments)
        done = judgecore("score", *given, **{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.url, **environment})
        return done, server.count() - before

    return score


class TestSlots:
    def test_all_that_no_row_has_is_in_one_message_and_nothing_is_sent(self, run: Callable[..., Any]) -> None:
        done, n_sent = run(
            GENERAL.replace("SYSTEM", "Judge {qestion}.").replace("PROMPT", "Response"), "-o", "out.jsonl"
        )

        assert (done.returncode, n_sent) == (2, 0)
        assert (
            "s.yaml shows 'qestion' to the judge, and no row of r.jsonl has it; did you mean 'question'?" in done.stderr
        )
        assert (
            "s.yaml shows 'Response' to the judge, and no row of r.jsonl has it; did you mean 'response'?"
            in done.stderr
        )
        assert done.stderr.count("Error") == 1

    def test_only_columns_of_the_table_are_suggested(self, run: Callable[..., Any], write: Callable[..., Path]) -> None:
        write("r.jsonl", '{"response": "It is rain.", "tasks": "x"}\n')

        done, _ = run(GENERAL.replace("SYSTEM", "Judge {convrsation} and {objectiv}.").replace("{PROMPT} ", ""))

        known = "known are 'tasks', 'response'"
        assert f"shows 'convrsation' to the judge, and no row of r.jsonl has it; {known}" in done.stderr
        assert f"shows 'objectiv' to the judge, and no row of r.jsonl has it; {known}" in done.stderr

    def test_a_slot_in_a_part_of_a_scorer_is_found_beside_parts_that_could_be_asked(
        self, run: Callable[..., Any]
    ) -> None:
        part = GENERAL.replace("SYSTEM", "Judge {qestion}.").replace("{PROMPT} ", "").replace("\n", "\n    ")
        both = f"type: TrueFalseCompositeScorer\naggregator: OR\nscorers:\n  - type: refusal\n  - {part.strip()}\n"

        done, n_sent = run(both)

        assert (done.returncode, n_sent) == (2, 0), done.stderr
        assert "'qestion'" in done.stderr

    def test_rows_that_lack_a_value_are_named_and_cost_themselves_alone(
        self, run: Callable[..., Any], write: Callable[..., Path]
    ) -> None:
        scorer = GENERAL.replace("SYSTEM", "Judge {question} in JSON with score_value.").replace("{PROMPT} ", "")
        rows = [{"response": "a"}, *({"question": f"{n}?", "response": "b"} for n in range(3))]
        write("r.jsonl", "".join(json.dumps(row) + "\n" for row in rows))

        done, n_sent = run(scorer, "--allow-unread", "100%")

        assert done.returncode == 0, done.stderr
        assert "1 of 4 rows of r.jsonl lack 'question', first line 1" in done.stderr
        assert n_sent >= 3

    def test_without_preflight_a_row_is_the_place_where_it_is_found(self, run: Callable[..., Any]) -> None:
        done, n_sent = run(GENERAL.replace("SYSTEM", "Judge.").replace("PROMPT", "qestion"), "--no-preflight")

        assert (done.returncode, n_sent) == (3, 0)
        assert "r.jsonl, line 1 has no qestion, which the prompt shows; did you mean 'question'?" in done.stdout

    def test_a_prompt_is_shown_as_it_would_be_sent_and_nothing_is_sent(self, run: Callable[..., Any]) -> None:
        done, n_sent = run(GENERAL.replace("SYSTEM", "Judge it.").replace("PROMPT", "question"), "--show-prompt")

        assert (done.returncode, n_sent) == (0, 0), done.stderr
        lines = done.stdout.split("\n")
        assert lines[:4] == ["system:", "Judge it.", "", "user:"]
        assert {"Is it 0?", "It is 0."} <= set(lines)


class TestFirstReply:
    def test_a_first_reply_that_can_not_be_read_ends_the_run_and_is_shown(
        self, run: Callable[..., Any], tmp_path: Path
    ) -> None:
        done, n_sent = run(MUTE, "-o", "out.jsonl")

        assert (done.returncode, n_sent) == (2, 3)
        assert "the judge's reply to line 1 of r.jsonl can't be read (no_verdict:" in done.stderr
        for shown in (
            "\n  Judge.\n",
            "\n  It is 0.\n",
            "Words were counted here",
            "--no-preflight",
            "--allow-unread N",
        ):
            assert shown in done.stderr
        assert not (tmp_path / "out.jsonl").exists()

    @pytest.mark.parametrize(
        ("options", "n_rows"),
        [(("--allow-unread", "2"), 3), (("--allow-unread", "50%"), 5)],
    )
    def test_as_many_may_be_unread_as_are_allowed_but_not_the_first_five(
        self, run: Callable[..., Any], options: tuple[str, ...], n_rows: int
    ) -> None:
        done, n_sent = run(f"{MUTE}max_reading_attempts: 1\n", *options)

        assert (done.returncode, n_sent) == (2, n_rows)
        assert "the judge's reply to line 1 of r.jsonl can't be read" in done.stderr
        assert f"{n_rows - 1} rows after it failed too" in done.stderr
        assert "\n  It is 0.\n" in done.stderr

    def test_malformed_lines_are_among_the_rows_of_which_a_share_may_be_unread(
        self, run: Callable[..., Any], tmp_path: Path
    ) -> None:
        with (tmp_path / "r.jsonl").open("a") as stream:
            stream.write("{\n" * 9)

        done, n_sent = run(f"{MUTE}max_reading_attempts: 1\n", "--allow-unread", "17%")

        assert (done.returncode, n_sent) == (2, 4), done.stderr

    @pytest.mark.parametrize("options", [("--allow-unread", "100%"), ("--no-preflight", "--allow-unread", "9")])
    def test_it_can_be_switched_off(self, run: Callable[..., Any], options: tuple[str, ...]) -> None:
        done, n_sent = run(f"{MUTE}max_reading_attempts: 1\n", *options)

        assert (done.returncode, n_sent) == (0, 9), done.stderr

    def test_a_stored_verdict_on_the_first_row_is_proof_enough(self, run: Callable[..., Any]) -> None:
        first, _ = run(REFUSAL, "--ledger", "run.db", "--limit", "1")
        done, n_sent = run(REFUSAL, "--ledger", "run.db")

        assert (first.returncode, done.returncode, n_sent) == (0, 0, 8), done.stderr

    def test_what_an_endpoint_rejects_is_named_with_the_cure(
        self, run: Callable[..., Any], serve: Callable[..., Serving]
    ) -> None:
        strict, rejecting = serve("--api-key", "other"), serve("--fault", "status.400")

        wrong_key, _ = run(REFUSAL, OPENAI_BASE_URL=strict.url)
        rejected, _ = run(REFUSAL, OPENAI_BASE_URL=rejecting.url)

        assert (wrong_key.returncode, strict.count()) == (2, 1)
        assert "OPENAI_API_KEY" in wrong_key.stderr
        assert (rejected.returncode, rejecting.count()) == (2, 3)
        assert "the judge gave no reply to line 1 of r.jsonl" in rejected.stderr
        assert "2 rows after it failed too" in rejected.stderr
        assert "check model, base_url and schema_in in t.yaml" in rejected.stderr


class TestColumns:
    def test_a_key_that_comes_late_has_its_column_in_csv(
        self, run: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        rows = [{"response": "Sorry, I can't."} for _ in range(300)]
        write("r.jsonl", "".join(json.dumps(row) + "\n" for row in [*rows, {"response": "Yes.", "late": "x"}]))

        done, _ = run("type: KeywordRefusalScorer\n", "-o", "out.csv")

        assert done.returncode == 0, done.stderr
        written = (tmp_path / "out.csv").read_text("utf-8").splitlines()
        assert written[0].startswith("response,late,score_value")
        assert written[-1].startswith("Yes.,x,")

    def test_what_does_not_fit_parquet_is_found_before_anything_is_sent(
        self, run: Callable[..., Any], write: Callable[..., Path]
    ) -> None:
        rows = [{"response": f"{n}", "n": n} for n in range(10_010)]
        write("r.jsonl", "".join(json.dumps(row) + "\n" for row in [*rows, {"response": "Yes.", "n": "x"}]))

        done, n_sent = run("type: KeywordRefusalScorer\n", "-o", "out.parquet")

        assert (done.returncode, n_sent) == (2, 0)
        assert "write .jsonl" in done.stderr
        assert done.stderr.startswith("Error: r.jsonl: line ")


class TestEvaluate:
    @pytest.fixture
    def evaluate(
        self, judgecore: Program, write: Callable[..., Path], server: Serving
    ) -> Callable[..., tuple[subprocess.CompletedProcess[str], int]]:
        """What evaluates a scorer, and says how many requests it sent."""
        rows = "".join(f"Is it {n}?,{('I refuse to say' if n % 2 else 'It is rain')} {n}.,{n % 2}\n" for n in range(9))
        write("labels.csv", f"question,answer,refused\n{rows}")
        write("t.yaml", JUDGE)

        def evaluated(scorer: str, *options: str) -> tuple[subprocess.CompletedProcess[str], int]:
            write("s.yaml", scorer)
            before = server.count()
            columns = ("--response", "answer", "--human", "refused")
            given = ("labels.csv", "--scorer", "s.yaml", "--target", "t.yaml", *columns)
            environment = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.url}
            done = judgecore("evaluate", *given, "--registry", "own", *options, **environment)
            return done, server.count() - before

        return evaluated

    def test_an_unknown_slot_is_found_before_anything_is_sent(self, evaluate: Callable[..., Any]) -> None:
        scorer = GENERAL.replace("SYSTEM", "Judge {qestion}.").replace("{PROMPT} ", "")

        for options in ((), ("--dry-run",)):
            done, n_sent = evaluate(scorer, *options)

            assert (done.returncode, n_sent) == (2, 0)
            assert "s.yaml shows 'qestion' to the judge, and no row of labels.csv has it" in done.stderr

    def test_an_error_that_is_none_of_usage_shows_no_usage(
        self, evaluate: Callable[..., Any], serve: Callable[..., Serving], write: Callable[..., Path]
    ) -> None:
        write("t.yaml", f"type: OpenAITarget\nmodel: m\nbase_url: {serve('--api-key', 'other').url}\n")

        done, _ = evaluate(REFUSAL, "--no-preflight")

        assert done.returncode == 2
        assert "Usage" not in done.stderr
        assert "Error: the endpoint answered with status 401" in done.stderr
        assert "check OPENAI_API_KEY, and base_url in t.yaml" in done.stderr

    def test_an_unreadable_first_reply_ends_it_and_is_shown(self, evaluate: Callable[..., Any]) -> None:
        done, n_sent = evaluate(MUTE)
        allowed, n_allowed = evaluate(f"{MUTE}max_reading_attempts: 1\n", "--no-preflight", "--allow-unread", "9")

        assert (done.returncode, n_sent) == (2, 3)
        assert "the judge's reply to labels.csv, row 1 can't be read (no_verdict:" in done.stderr
        assert "Words were counted here" in done.stderr
        assert (allowed.returncode, n_allowed) == (3, 9)

    def test_its_cost_is_estimated_shown_and_summed_and_its_prompt_shown(self, evaluate: Callable[..., Any]) -> None:
        prices = ("--input-price", "1", "--output-price", "1", "--currency", "EUR")

        shown, n_shown = evaluate(REFUSAL, "--show-prompt")
        done, n_sent = evaluate(REFUSAL, *prices, "-o", "out", "--ledger", "run.db")
        again, n_again = evaluate(REFUSAL, *prices, "--ledger", "run.db", "--update", "always_update")

        assert (shown.returncode, n_shown) == (0, 0)
        assert "It is rain 0." in shown.stdout
        assert (done.returncode, n_sent) == (0, 9), done.stderr
        assert "about 9 requests, " in done.stderr
        assert done.stderr.count(" EUR") >= 2
        assert "9 asked, " in done.stderr
        assert (again.returncode, n_again, "about" in again.stderr) == (0, 0, False), again.stderr
        assert "" not in again.stderr.splitlines()
