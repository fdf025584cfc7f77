"""``judgecore score --batch``: batches over real sockets, with their faults, and processes that are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cli.conftest import Program
    from conftest import Serving

REFUSAL = "type: SelfAskRefusalScorer\ntrue_false_question_path: refusal_lenient\n"
JUDGE = "type: {}Target\nmodel: m\nbatch: {{{}}}\n"
POLICY = "poll_s: 0.02, max_poll_s: 0.1, max_requests: 16, attempts: 30, confirm_within_s: 0.3"
KILLED_AT_COMMITS = Path(__file__).parents[1] / "programs" / "killed_at_commits.py"
N_ROWS = 60
COMMAND = (
    *("score", "r.jsonl", "--scorer", "refusal.yaml", "--target", "judge.yaml"),
    *("--ledger", "run.db", "-o", "out.jsonl", "--batch"),
)
# How often each question was asked, by the server's own record.
MOST_ASKED = "coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM request WHERE path = '/v1/batches#' GROUP BY body) --"


@pytest.fixture(params=["OpenAI", "Anthropic"])
def provider(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def files(write: Callable[..., Path], provider: str) -> None:
    rows = (
        {"objective": f"Topic {n}", "response": "I'm sorry, I can't help." if n % 5 == 0 else f"Topic {n} is rain."}
        for n in range(N_ROWS)
    )
    write("r.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write("refusal.yaml", REFUSAL)
    write("judge.yaml", JUDGE.format(provider, POLICY))


def env(server: Serving) -> dict[str, str]:
    return {
        "OPENAI_API_KEY": "canary-key",
        "OPENAI_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "canary-key",
        "ANTHROPIC_BASE_URL": server.root,
    }


def verdicts(folder: Path) -> list[Any]:
    lines = (folder / "out.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["score_value"] for line in lines]


EXPECTED = [n % 5 == 0 for n in range(N_ROWS)]


@pytest.mark.usefixtures("files")
class TestBatches:
    def test_a_run_leaves_and_is_collected_later(
        self, judgecore: Program, serve: Callable[..., Serving], tmp_path: Path
    ) -> None:
        server = serve()

        left = judgecore(*COMMAND, **env(server))
        # Without `--wait`, and so without its pauses, until nothing is pending.
        collected = [judgecore("ledger", "collect", "run.db", **env(server))]
        while collected[-1].returncode == 4:
            collected.append(judgecore("ledger", "collect", "run.db", **env(server)))
        done = judgecore(*COMMAND, **env(server))
        shown = judgecore("ledger", "show", "run.db")

        assert left.returncode == 4, left.stderr
        assert ["collected", "60"] in [line.split() for line in shown.stdout.splitlines()]
        assert "60 requests in 4 batches are pending" in left.stderr
        assert (len(collected) > 1, collected[-1].returncode) == (True, 0)
        assert sum(int(one.stdout.split()[0]) for one in collected) == 60
        assert (done.returncode, verdicts(tmp_path)) == (0, EXPECTED)
        assert server.count(MOST_ASKED) == 1
        with jc.LedgerReader(tmp_path / "run.db") as ledger:
            assert [one.state for one in ledger.batches()] == ["collected"] * 4

    def test_a_request_in_a_batch_is_not_asked_by_itself(
        self, judgecore: Program, serve: Callable[..., Serving], write: Callable[..., Path], provider: str
    ) -> None:
        server = serve()
        judgecore(*COMMAND, **env(server))
        before = server.count()
        write("judge.yaml", JUDGE.format(provider, "").partition("batch")[0])

        done = judgecore(*(word for word in COMMAND if word != "--batch"), **env(server))

        assert done.returncode == 3
        assert "pending" in done.stdout
        assert server.count() == before

    @pytest.mark.parametrize(
        ("faults", "is_asked_once"),
        [
            (("reordered", "duplicated", "partial", "expired", "cancelled"), True),
            (("lost", "damaged", "gone"), False),
            (("queue_full", "unconfirmed", "unavailable"), True),
        ],
    )
    def test_every_row_is_scored_whatever_a_batch_suffers(
        self,
        judgecore: Program,
        serve: Callable[..., Serving],
        tmp_path: Path,
        faults: Sequence[str],
        is_asked_once: bool,
    ) -> None:
        server = serve(*(word for fault in faults for word in ("--fault", f"batch.{fault}=0.4")))

        done = judgecore(*COMMAND, "--wait", "--input-price", "1000000", "--output-price", "0", "--json", **env(server))

        assert (done.returncode, verdicts(tmp_path)) == (0, EXPECTED), done.stderr
        summary = json.loads(done.stdout)
        assert (summary["collected"], summary["replayed"]) == (N_ROWS, 0)
        assert sum(one["replies"] for one in summary["served"]) == N_ROWS
        assert summary["cost"] == summary["prompt_tokens"] / 2
        assert (server.count(MOST_ASKED) == 1) is is_asked_once
        with jc.LedgerReader(tmp_path / "run.db") as ledger:
            (spent,) = ledger.spent().values()
        assert spent.batch_prompt == summary["prompt_tokens"]
        # What was never confirmed may have been asked by itself, for all the ledger knows.
        assert (spent.prompt == 0) is ("unavailable" not in faults)

    def test_lines_of_results_that_can_not_be_read_are_counted_and_named(
        self, judgecore: Program, serve: Callable[..., Serving], tmp_path: Path
    ) -> None:
        judge = tmp_path / "judge.yaml"
        judge.write_text(judge.read_text().replace("attempts: 30", "attempts: 1"))

        done = judgecore(*COMMAND, "--wait", **env(serve("--fault", "batch.damaged")))

        assert done.returncode == 3, done.stderr
        rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
        why = [row["score_rationale"].split("; ")[-1] for row in rows if row["score_value"] is None]
        # Each row names the count of its batch.
        assert sum(1 / int(said.split()[0]) for said in why) == pytest.approx(4)
        assert all(said.endswith("of the results can't be read") for said in why)

    def test_a_rejected_batch_leaves_its_rows_undetermined(
        self, judgecore: Program, serve: Callable[..., Serving]
    ) -> None:
        done = judgecore(*COMMAND, "--wait", **env(serve("--fault", "batch.failed")))

        assert done.returncode == 3, done.stderr
        assert "injected fault: the batch is invalid" in done.stdout

    @pytest.mark.parametrize(
        ("fault", "said"),
        [("unavailable", "the endpoint never confirmed the batch"), ("gone", "the endpoint no longer has the batch")],
    )
    def test_an_endpoint_that_never_keeps_a_batch_is_given_up(
        self, judgecore: Program, serve: Callable[..., Serving], tmp_path: Path, fault: str, said: str
    ) -> None:
        judge = tmp_path / "judge.yaml"
        judge.write_text(judge.read_text().replace("30, confirm_within_s: 0.3", "2, confirm_within_s: 0"))

        done = judgecore(*COMMAND, "--wait", **env(serve("--fault", f"batch.{fault}")))

        assert done.returncode == 3, done.stderr
        assert said in done.stdout

    @pytest.mark.parametrize("seed", range(25 if os.environ.get("JUDGECORE_SOAK") else 2))
    def test_a_run_killed_at_commits_asks_nothing_twice_and_loses_nothing(
        self, judgecore: Program, serve: Callable[..., Serving], tmp_path: Path, seed: int
    ) -> None:
        faults = ("unconfirmed=0.3", "reordered=0.5", "duplicated=0.5", "partial=0.3", "expired=0.2", "cancelled=0.2")
        server = serve("--seed", str(seed), *(word for fault in faults for word in ("--fault", f"batch.{fault}")))

        run = subprocess.run(
            [sys.executable, KILLED_AT_COMMITS, str(seed), "30", *COMMAND, "--wait"],
            cwd=tmp_path,
            env=judgecore.environment(**env(server)),
            capture_output=True,
            text=True,
            check=True,
        )

        ends = json.loads(run.stdout.splitlines()[-1])
        assert (ends[-1], verdicts(tmp_path)) == ("exit 0", EXPECTED), run.stderr
        assert server.count(MOST_ASKED) == 1

    def test_a_ledger_with_pending_batches_is_not_merged(
        self, judgecore: Program, serve: Callable[..., Serving]
    ) -> None:
        judgecore(*COMMAND, **env(serve()))

        done = judgecore("ledger", "merge", "all.db", "run.db")

        assert done.returncode == 2
        assert "4 batches are not collected" in done.stderr

    def test_a_batch_is_split_by_bytes(
        self, judgecore: Program, serve: Callable[..., Serving], tmp_path: Path, provider: str
    ) -> None:
        (tmp_path / "judge.yaml").write_text(JUDGE.format(provider, "poll_s: 0.02, max_bytes: 20000"))
        server = serve()

        left = judgecore(*COMMAND, **env(server))
        done = judgecore(*COMMAND, "--wait", **env(server))

        with jc.LedgerReader(tmp_path / "run.db") as ledger:
            sizes = [one.n_requests for one in ledger.batches()]
        assert (left.returncode, done.returncode, verdicts(tmp_path)) == (4, 0, EXPECTED)
        assert (sum(sizes), min(sizes[:-1]) >= max(sizes) - 1) == (N_ROWS, True)
        assert server.count(MOST_ASKED) == 1

    def test_a_full_queue_delays_batches_and_fails_no_row(
        self, judgecore: Program, serve: Callable[..., Serving], tmp_path: Path
    ) -> None:
        server = serve("--fault", "batch.queue_full")
        left = judgecore(*COMMAND, **env(server))

        done = judgecore(*COMMAND, "--wait", **env(server))

        assert left.returncode == 4
        assert "16 requests in 1 batch are pending, and 44 wait for room" in left.stderr
        assert "injected fault: the queue is full" in left.stderr
        assert (done.returncode, verdicts(tmp_path)) == (0, EXPECTED), done.stderr
        assert server.count(MOST_ASKED) == 1

    def test_a_batch_that_is_larger_than_the_queue_gets_smaller(
        self, judgecore: Program, serve: Callable[..., Serving], tmp_path: Path, provider: str
    ) -> None:
        (tmp_path / "judge.yaml").write_text(JUDGE.format(provider, "poll_s: 0.02, max_poll_s: 0.1"))
        server = serve("--fault", "batch.queue_full")

        done = judgecore(*COMMAND, "--wait", **env(server))

        assert (done.returncode, verdicts(tmp_path)) == (0, EXPECTED), done.stderr
        with jc.LedgerReader(tmp_path / "run.db") as ledger:
            batches = list(ledger.batches())
        assert [one.n_requests for one in batches][:2] == [60, 30]
        assert max(one.n_requests for one in batches if one.state == "collected") <= 24
        assert server.count(MOST_ASKED) == 1

    def test_a_rejected_submission_ends_its_requests_alone_and_names_the_cause(
        self, judgecore: Program, serve: Callable[..., Serving]
    ) -> None:
        done = judgecore(*COMMAND, "--wait", "--json", **env(serve("--seed", "3", "--fault", "batch.rejected=0.5")))

        summary = json.loads(done.stdout)
        assert done.returncode == 3, done.stderr
        assert summary["undetermined"] in (16, 28, 32, 44)
        assert summary["collected"] + summary["undetermined"] == N_ROWS

    def test_one_invalid_request_fails_alone(
        self, judgecore: Program, serve: Callable[..., Serving], tmp_path: Path, provider: str
    ) -> None:
        server = serve("--fault", "batch.invalid=0.5")

        done = judgecore(*COMMAND, "--wait", **env(server))

        rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
        failed = [row for row in rows if row["score_value"] is None]
        assert done.returncode == 3, done.stderr
        assert 1 <= len(failed) <= 12
        said = "the request is invalid" if provider == "OpenAI" else "invalid_request_error"
        assert all(said in row["score_rationale"] for row in failed)
        assert server.count(MOST_ASKED) == 1

    def test_unreadable_replies_go_into_the_next_batch(
        self, judgecore: Program, serve: Callable[..., Serving], tmp_path: Path
    ) -> None:
        server = serve("--fault", "batch.unreadable=0.5")

        done = judgecore(*COMMAND, "--wait", "--json", **env(server))

        assert (done.returncode, verdicts(tmp_path)) == (0, EXPECTED), done.stderr
        assert json.loads(done.stdout)["collected"] > N_ROWS
        assert server.count("count(*) FROM request WHERE path LIKE '%chat%' OR path = '/v1/messages' --") == 0
        with jc.LedgerReader(tmp_path / "run.db") as ledger:
            assert {entry.ask for entry in ledger.entries()} > {0}

    def test_a_wrong_key_ends_the_run_and_nothing_is_lost(
        self, judgecore: Program, serve: Callable[..., Serving], tmp_path: Path
    ) -> None:
        server = serve("--api-key", "canary-key")
        keys = {"OPENAI_API_KEY": "wrong", "ANTHROPIC_API_KEY": "wrong"}

        wrong = judgecore(*COMMAND, "--wait", **env(server) | keys)
        done = judgecore(*COMMAND, "--wait", **env(server))

        assert (wrong.returncode, "_API_KEY" in wrong.stderr) == (2, True)
        assert (done.returncode, verdicts(tmp_path)) == (0, EXPECTED)
        assert server.count(MOST_ASKED) == 1

    @pytest.mark.parametrize("is_waiting", [True, False])
    def test_a_budget_is_used_up_by_what_batches_spend_and_not_by_what_is_reserved_for_them(
        self, judgecore: Program, serve: Callable[..., Serving], tmp_path: Path, *, is_waiting: bool
    ) -> None:
        command, statuses = (*COMMAND, "--max-tokens", "9000", *(["--wait"] if is_waiting else [])), [4]
        server = serve()

        while statuses[-1] == 4:
            statuses.append(judgecore(*command, **env(server)).returncode)

        assert statuses[-1] == 5
        assert (len(statuses) == 2) is is_waiting
        rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
        with jc.LedgerReader(tmp_path / "run.db") as ledger:
            (spent,) = ledger.spent().values()
            n_received = ledger.counts()["received"]
        assert 9000 - 2 * spent.total / n_received < spent.total <= 9000
        assert [row["score_status"] for row in rows] == ["complete"] * n_received + ["not_asked"] * (60 - n_received)
        assert server.count(MOST_ASKED) == 1

    @pytest.mark.parametrize("command", [COMMAND, ("ledger", "collect", "run.db")])
    def test_ctrl_c_while_waiting_says_what_to_type_next(
        self, judgecore: Program, serve: Callable[..., Serving], tmp_path: Path, provider: str, command: tuple[str, ...]
    ) -> None:
        server = serve()
        judgecore(*COMMAND, **env(server))
        # The next check of a batch is a day away.
        (tmp_path / "judge.yaml").write_text(JUDGE.format(provider, "poll_s: 86400, max_poll_s: 86400"))
        before = server.count()
        run = subprocess.Popen(
            [judgecore.path, *command, "--wait"],
            cwd=tmp_path,
            env=judgecore.environment(**env(server)),
            stderr=subprocess.PIPE,
            text=True,
        )
        while server.count() < before + 4:
            time.sleep(0.02)

        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=30)

        assert run.returncode == 130
        hint = "run.db has the replies received so far, and 60 requests in 4 batches; to resume, type:"
        assert hint in said.splitlines()[-2]

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("r.jsonl", "--wait"), "--wait is for --batch"),
            (("r.jsonl", "--batch"), "--batch needs --ledger"),
            (("-", "--batch", "--ledger", "run.db"), "--batch reads FILE several times; name a file"),
        ],
    )
    def test_options_that_make_no_sense_are_refused(
        self, judgecore: Program, arguments: tuple[str, ...], said: str
    ) -> None:
        done = judgecore("score", *arguments, "--scorer", "refusal.yaml", "--target", "judge.yaml")

        assert done.returncode == 2
        assert said in done.stderr


@pytest.mark.usefixtures("files")
class TestEvaluation:
    COMMAND = (
        *("evaluate", "labels.csv", "--judge", "judge.yaml", "--response", "answer", "--human", "rater"),
        *("--scale", "1", "5", "--task", "How helpful is the answer?", "--ledger", "run.db", "--registry", "registry"),
    )

    def test_an_evaluation_leaves_and_the_same_command_collects(
        self, judgecore: Program, serve: Callable[..., Serving], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        server = serve("--fault", "batch.partial=0.5")
        rows = "".join(f"answer {n} {'good ' * n},{n % 5 + 1}\n" for n in range(20))
        write("labels.csv", f"answer,rater\n{rows}")
        statuses: list[int] = []

        while statuses[-1:] in ([], [4]) and len(statuses) < 30:
            done = judgecore(*self.COMMAND, "--trials", "2", "--batch", **env(server))
            statuses.append(done.returncode)
            assert (tmp_path / "registry").exists() is (done.returncode == 0), done.stderr

        assert statuses[-1] == 0
        assert statuses.count(4) > 1
        # Once for each trial.
        assert server.count(MOST_ASKED) == 2
        assert server.count("count(*) FROM request WHERE path LIKE '%chat%' OR path = '/v1/messages' --") == 0

    def test_an_evaluation_waits_and_pays_the_price_of_batches(
        self, judgecore: Program, serve: Callable[..., Serving], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        write("labels.csv", "answer,rater\n" + "".join(f"answer {n},{n % 5 + 1}\n" for n in range(8)))
        prices = ("--input-price", "1000000", "--output-price", "0")

        done = judgecore(*self.COMMAND, "--trials", "1", "--batch", "--wait", *prices, "-o", "out", **env(serve()))

        assert done.returncode == 0, done.stderr
        cost = json.loads((tmp_path / "out" / "evaluation.json").read_text())["cost"]
        assert (cost["calls"], cost["price"]) == (8, cost["input_tokens"] / 2)

    def test_a_budget_is_used_up_by_what_batches_spend_and_not_by_what_is_reserved_for_them(
        self, judgecore: Program, serve: Callable[..., Serving], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        write("labels.csv", "answer,rater\n" + "".join(f"answer {n},{n % 5 + 1}\n" for n in range(60)))
        command = (*self.COMMAND, "--trials", "1", "--batch", "--wait", "-o", "out", "--max-tokens", "6000")

        done = judgecore(*command, **env(serve()))

        assert done.returncode == 5, done.stderr
        with jc.LedgerReader(tmp_path / "run.db") as ledger:
            (spent,) = ledger.spent().values()
            usual = spent.total / ledger.counts()["received"]
        assert 6000 - 2 * usual < spent.total <= 6000
