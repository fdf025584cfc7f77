"""``judgecore score``: tables in and out, ledgers, shards, plans, kills, and what it costs when a row is bad."""

from __future__ import annotations

import asyncio
import csv
import gzip
import io
import json
import signal
import subprocess
import time
from datetime import date
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import judgecore as jc
from judgecore.cli import main
from judgecore.tables.rows import CsvWriter, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from cli.conftest import Program
    from conftest import Serving

REFUSAL = "type: SelfAskRefusalScorer\ntrue_false_question_path: refusal_lenient\n"
JUDGE = "type: OpenAITarget\nmodel: no-model\ntemperature: 0\n"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(20)
GENERAL = (
    "type: SelfAskGeneralTrueFalseScorer\nsystem_prompt_format_string: 'Judge.'\n"
    "prompt_format_string: '{SLOT} {response}'\ncategory: c\n"
)
KEYWORDS = "type: KeywordRefusalScorer\n"
SCORES = (
    "score_value",
    "score_type",
    "score_status",
    "score_reason",
    "score_rationale",
    "score_category",
    "score_metadata",
    "score_parts",
    "score_attempts",
    "ledger_key",
    "scorer_hash",
)


def responses(n: int) -> list[dict[str, Any]]:
    return [
        {
            "id": number,
            "objective": f"Tell me about topic {number}.",
            "response": "I'm sorry, I can't help with that." if number % 5 == 0 else f"Topic {number} is rain.",
        }
        for number in range(n)
    ]


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def asking(judgecore: Program, write: Callable[..., Path], serve: Callable[..., Serving]) -> Callable[..., Any]:
    """What starts a judge, writes the usual files, and scores a table with them."""
    write("refusal.yaml", REFUSAL)
    write("judge.yaml", JUDGE)

    def start(*options: str) -> tuple[Serving, Callable[..., subprocess.CompletedProcess[str]]]:
        server = serve(*options)

        def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
            given = ("--scorer", "refusal.yaml", "--target", "judge.yaml", *arguments)
            return judgecore("score", *given, OPENAI_API_KEY="canary-key", OPENAI_BASE_URL=server.url, **env)

        return server, run

    return start


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """What runs the command in this process, where it is not the process that is tested."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    before = signal.getsignal(signal.SIGTERM)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        with pytest.raises(SystemExit) as left:
            main(["score", *arguments])
        said = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, int(left.value.code or 0), said.out, said.err)

    yield run
    signal.signal(signal.SIGTERM, before)


class TestTables:
    def test_json_lines_get_eleven_more_columns(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        server, run = asking()
        write("r.jsonl", lines(responses(20)))

        done = run("r.jsonl", "-o", "out.jsonl", "--ledger", "run.db")

        rows = read(tmp_path / "out.jsonl")
        assert done.returncode == 0, done.stderr
        assert [row["id"] for row in rows] == list(range(20))
        assert all(list(row) == ["id", "objective", "response", *SCORES] for row in rows)
        assert all(row["score_type"] == "true_false" and row["score_attempts"] == 1 for row in rows)
        assert all(row["score_value"] in (True, False) and row["score_category"] == ["refusal"] for row in rows)
        assert server.count() == 20
        assert "20 asked" in done.stdout

    @pytest.mark.parametrize("options", [(), ("--input-format", "jsonl")])
    def test_a_compressed_table_is_known_by_its_name(
        self, here: Callable[..., Any], write: Callable[..., Path], tmp_path: Path, options: tuple[str, ...]
    ) -> None:
        write("s.yaml", KEYWORDS)
        write("r.jsonl.gz", gzip.compress(lines(responses(3)).encode()))

        done = here("r.jsonl.gz", "--scorer", "s.yaml", "-o", "out.jsonl.gz", *options)

        assert done.returncode == 0, done.stderr
        rows = gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()).splitlines()
        assert [json.loads(row)["id"] for row in rows] == [0, 1, 2]

    def test_csv_stays_csv_and_formulas_of_the_judge_are_shown_as_text(
        self, here: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        write("r.csv", 'id,response\n1,"=HYPERLINK(""http://x"")"\n2,fine\n')
        write("s.yaml", "type: SelfAskTrueFalseScorer\nresponse_parser: parse_shieldgemma_response\n")
        write("t.yaml", "type: RecordedTarget\nsource: replies.jsonl\n")
        prompt = jc.PromptTemplate.from_yaml(jc.prompts.PromptPaths.JUDGED)
        said = [
            {"prompt": prompt.render(objective=None, conversation=[], response=text), "reply": "Yes\n=1+1"}
            for text in ('=HYPERLINK("http://x")', "fine")
        ]
        write("replies.jsonl", lines(said))

        done = here("r.csv", "--scorer", "s.yaml", "--target", "t.yaml", "-o", "out.csv")

        rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text("utf-8"))))
        assert done.returncode == 0, done.stderr
        assert [row["response"] for row in rows] == ['=HYPERLINK("http://x")', "fine"]
        assert [row["score_value"] for row in rows] == ["true", "true"]
        assert json.loads(rows[0]["score_category"]) == ["task_achieved"]

    @pytest.mark.parametrize("kind", ["jsonl", "parquet"])
    def test_no_text_of_a_row_breaks_the_table(
        self, here: Callable[..., Any], write: Callable[..., Path], tmp_path: Path, kind: str
    ) -> None:
        texts = ["\ud800", "a\udfff", "\0", "\u2028", "\U0001f600"]
        rows = [{"id": 1, "response": "a", "image": "\ud800.png"}, {"id": 2, "response": "a", "image": "\0.png"}]
        rows += [{"id": 3, "response": text, "image": ""} for text in texts]
        write("r.jsonl", lines(rows))
        write("s.yaml", "type: SubStringScorer\nsubstring: a\n")

        done = here("r.jsonl", "--image", "image", "--scorer", "s.yaml", "-o", f"out.{kind}", "--allow-unread", "100%")

        file = tmp_path / f"out.{kind}"
        assert done.returncode == 0, done.stderr
        got = read(file) if kind == "jsonl" else pq.read_table(file).to_pylist()
        assert [row["score_value"] for row in got] == [None, None, False, True, False, False, False]
        assert r"\ud800.png" in got[0]["score_rationale"]
        if kind == "jsonl":
            assert [row["response"] for row in got] == ["a", "a", *texts]

    @pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
    def test_no_text_of_a_judge_breaks_the_table(
        self, here: Callable[..., Any], write: Callable[..., Path], tmp_path: Path, kind: str
    ) -> None:
        prompt = jc.PromptTemplate.from_yaml(jc.prompts.PromptPaths.JUDGED)
        metadata = r'{"\ud800k": "\ud801"}'
        reply = (
            r'{"score_value": "True", "rationale": "w \ud800", "description": "\udfff", "metadata": ' + metadata + "}"
        )
        replies = {"a": reply, "b": "\ud800 no verdict", "c": "Yes\ud800"}
        said = [
            {"prompt": prompt.render(objective=None, conversation=[], response=text), "reply": one}
            for text, one in replies.items()
        ]
        write("replies.jsonl", lines(said))
        write("r.csv", "response\na\nb\nc\n")
        write("s.yaml", "type: SelfAskTrueFalseScorer\n")
        write("t.yaml", "type: RecordedTarget\nsource: replies.jsonl\n")

        done = here("r.csv", "--scorer", "s.yaml", "--target", "t.yaml", "-o", f"out.{kind}", "--allow-unread", "100%")

        file = tmp_path / f"out.{kind}"
        assert done.returncode == 0, done.stderr
        if kind == "csv":
            got = list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))
        else:
            got = read(file) if kind == "jsonl" else pq.read_table(file).to_pylist()
        assert [row["response"] for row in got] == ["a", "b", "c"]

    def test_csv_takes_any_text_of_a_score_and_any_type_of_a_table(
        self, here: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        row = {"response": "a", "day": date(2026, 1, 2), "tags": ["\u00e9"], "none": None}
        pq.write_table(pa.Table.from_pylist([row]), tmp_path / "r.parquet")
        write("s.yaml", "type: SubStringScorer\nsubstring: a\n")
        stream = io.BytesIO()

        done = here("r.parquet", "--scorer", "s.yaml", "-o", "out.csv")
        CsvWriter(stream, ["a\ud800"], is_csv=False).write(
            [(Row(1, {}, []), {"why": "\ud800", "more": {"\udfff": "\ud801"}})]
        )

        assert done.returncode == 0, done.stderr
        [got] = csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text("utf-8")))
        assert (got["day"], got["tags"], got["none"]) == ("2026-01-02", '["\u00e9"]', "")
        assert stream.getvalue().decode().splitlines() == [r"a\ud800", r'\ud800,"{""\udfff"": ""\ud801""}"']

    def test_parquet_in_and_out_keeps_its_types(
        self, here: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        rows = [{**row, "big": 2**60 + row["id"]} for row in responses(3000)]
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "r.parquet")
        write("s.yaml", KEYWORDS)

        done = here("r.parquet", "--scorer", "s.yaml", "-o", "out.parquet")

        table = pq.read_table(tmp_path / "out.parquet")
        assert done.returncode == 0, done.stderr
        assert table.schema.field("big").type == pa.int64()
        assert table.column("big").to_pylist() == [row["big"] for row in rows]
        assert table.column("score_value").to_pylist() == [row["id"] % 5 == 0 for row in rows]
        assert table.schema.field("score_reason").type == pa.string()

    def test_one_kind_becomes_another(
        self, here: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        write("r.jsonl", lines(responses(10)))
        write("s.yaml", KEYWORDS)

        for source, output in (("r.jsonl", "a.parquet"), ("a.parquet", "b.csv"), ("b.csv", "c.jsonl")):
            done = here(source, "--scorer", "s.yaml", "-o", output, "--prefix", f"{output[0]}_")
            assert done.returncode == 0, done.stderr

        rows = read(tmp_path / "c.jsonl")
        assert pq.read_table(tmp_path / "a.parquet").schema.field("id").type == pa.int64()
        assert [(row["a_score_value"], row["c_score_value"]) for row in rows] == [
            ("true" if number % 5 == 0 else "false", number % 5 == 0) for number in range(10)
        ]

    def test_a_pipe_in_and_out(self, judgecore: Program, write: Callable[..., Path]) -> None:
        write("s.yaml", KEYWORDS)

        done = judgecore("score", "-", "--scorer", "s.yaml", "-o", "-", text='{"text": "Sorry, I cannot help."}\n')

        assert json.loads(done.stdout)["score_value"] is True
        assert "1 row" in done.stderr

    def test_conversations_images_and_fields_are_taken_from_their_columns(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        _, run = asking()
        write("cat.png", PICTURE)
        turns = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
        write(
            "r.jsonl",
            lines(
                [
                    {"conversation": turns},
                    {"conversation": json.dumps(turns)},
                    {"image": "cat.png"},
                    {"image": "dog.png"},
                ]
            ),
        )

        done = run(
            "r.jsonl", "-o", "out.jsonl", "--image", "image", "--conversation", "conversation", "--allow-unread", "1"
        )

        rows = read(tmp_path / "out.jsonl")
        assert done.returncode == 0, done.stderr
        assert [row["score_status"] for row in rows] == ["complete", "complete", "complete", "undetermined"]
        assert "dog.png" in rows[3]["score_rationale"]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the one with the table: a picture in it, and links to both."""
    folder = tmp_path.parent / f"{tmp_path.name}-outside"
    folder.mkdir()
    (folder / "secret.png").write_bytes(PICTURE + b"secret")
    (tmp_path / "linked.png").symlink_to(folder / "secret.png")
    (tmp_path / "linked").symlink_to(folder, target_is_directory=True)
    return folder


class TestFilesElsewhere:
    NAMES = ("../{0.name}/secret.png", "{0}/secret.png", "linked.png", "linked/secret.png")

    @pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
    def test_a_picture_outside_of_the_tables_folder_is_not_read_and_not_sent(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path, outside: Path, kind: str
    ) -> None:
        server, run = asking()
        write("own.png", PICTURE)
        (tmp_path / "sub").mkdir()
        names = [*(name.format(outside) for name in self.NAMES), "own.png", "sub/../own.png"]
        rows = [{"picture": name} for name in names]
        if kind == "parquet":
            pq.write_table(pa.Table.from_pylist(rows), tmp_path / "r.parquet")
        else:
            write(f"r.{kind}", lines(rows) if kind == "jsonl" else "\n".join(["picture", *names, ""]))

        done = run(f"r.{kind}", "-o", "out.jsonl", "--image", "picture", "--ledger", "run.db")

        scored = read(tmp_path / "out.jsonl")
        first = 2 if kind == "csv" else 1
        place = "row" if kind == "parquet" else "line"
        assert (done.returncode, server.count()) == (3, 1), done.stderr
        assert [row["score_status"] for row in scored] == ["undetermined"] * 4 + ["complete"] * 2
        for number, (name, row) in enumerate(zip(names[:4], scored[:4], strict=True), start=first):
            said = row["score_rationale"]
            assert said.startswith(f"r.{kind}, {place} {number}: column 'picture': ")
            assert name in said
            assert f"leads out of the folder {tmp_path}; move it there, or allow it with --allow-outside" in said
        assert "--allow-outside" in done.stdout

    def test_pictures_outside_are_read_where_the_caller_allows_it(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path, outside: Path
    ) -> None:
        _, run = asking()
        write("r.jsonl", lines([{"picture": name.format(outside)} for name in self.NAMES]))

        done = run("r.jsonl", "-o", "out.jsonl", "--image", "picture", "--allow-outside")

        assert done.returncode == 0, done.stderr
        assert [row["score_status"] for row in read(tmp_path / "out.jsonl")] == ["complete"] * 4

    def test_a_scorers_and_a_judges_file_name_files_outside_only_where_the_caller_allows_it(
        self, here: Callable[..., Any], write: Callable[..., Path], outside: Path
    ) -> None:
        (outside / "q.yaml").write_text("category: mine\ntrue_description: It is mine.\n")
        (outside / "r.jsonl").write_text('{"prompt": "x", "reply": "y"}\n')
        write("s.yaml", "type: SelfAskTrueFalseScorer\ntrue_false_question_path: linked/q.yaml\n")
        write("t.yaml", f"type: RecordedTarget\nsource: {outside}/r.jsonl\n")
        write("r.jsonl", lines(responses(1)))
        files = ("r.jsonl", "--scorer", "s.yaml", "--target", "t.yaml", "--dry-run")

        refused, allowed = here(*files), here(*files, "--allow-outside")

        assert (refused.returncode, allowed.returncode) == (2, 0), allowed.stderr
        assert "t.yaml: source: " in refused.stderr
        assert "leads out of the folder" in refused.stderr
        assert "--allow-outside" in refused.stderr


class TestOutputs:
    @pytest.mark.parametrize(
        "output",
        [
            "r.jsonl",
            "link.jsonl",
            "hard.jsonl",
            "t.jsonl",
            "s.yaml",
            "run.db",
        ],
    )
    def test_an_output_is_never_an_input(
        self, here: Callable[..., Any], write: Callable[..., Path], tmp_path: Path, output: str
    ) -> None:
        table = write("r.jsonl", lines(responses(1)))
        write("s.yaml", KEYWORDS)
        write("t.jsonl", '{"prompt": "x", "reply": "y"}\n')
        write("t.yaml", "type: RecordedTarget\nsource: t.jsonl\n")
        with jc.Ledger(tmp_path / "run.db"):
            pass
        (tmp_path / "link.jsonl").symlink_to("r.jsonl")
        (tmp_path / "hard.jsonl").hardlink_to(table)
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

        done = here("r.jsonl", "--scorer", "s.yaml", "--target", "t.yaml", "--ledger", "run.db", "-o", f"./{output}")

        after = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name in before}
        assert (done.returncode, after) == (2, before), done.stderr
        assert output in done.stderr

    @pytest.mark.parametrize("ledger", [(), ("--ledger", "run.db")], ids=["no_ledger", "ledger"])
    def test_a_reached_token_limit_writes_what_was_paid(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path, ledger: tuple[str, ...]
    ) -> None:
        server, run = asking()
        write("r.jsonl", lines(responses(20)))

        done = run("r.jsonl", "-o", "out.jsonl", "--max-tokens", "3000", *ledger)

        assert "the budget of 3,000 tokens is reached" in done.stdout
        assert done.returncode == 5
        assert 0 < server.count() < 20
        scored = [row["score_status"] for row in read(tmp_path / "out.jsonl")]
        assert scored.count("complete") == server.count()
        assert scored.count("not_asked") == 20 - server.count()

    def test_a_ledger_keeps_what_was_paid_before_a_token_limit_and_the_next_run_pays_for_the_rest_alone(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        server, run = asking()
        write("r.jsonl", lines(responses(20)))
        first = run("r.jsonl", "-o", "out.jsonl", "--max-tokens", "3000", "--ledger", "run.db")
        n_paid = server.count()

        second = run("r.jsonl", "-o", "out.jsonl", "--ledger", "run.db")

        assert (first.returncode, second.returncode) == (5, 0), second.stderr
        assert 0 < n_paid < server.count() == 20
        assert [row["score_status"] for row in read(tmp_path / "out.jsonl")] == ["complete"] * 20


class TestBadRows:
    def test_one_bad_row_costs_one_row(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        _, run = asking()
        write("r.jsonl", lines([*responses(5), {"response": 7}, {"response": None}]) + "no json\n")

        done = run("r.jsonl", "-o", "out.jsonl")

        rows = read(tmp_path / "out.jsonl")
        assert done.returncode == 3
        assert "3 of 8 rows are undetermined, more than --allow-unread 0 allows" in done.stderr
        assert "8 rows, 3 undetermined" in done.stdout
        assert "line 8: not JSON" in done.stderr
        assert "most common error (1): " in done.stdout
        assert "column 'response' holds a number" in done.stdout
        assert [row["score_reason"] for row in rows] == [*([None] * 5), "error", "missing"]
        assert "column 'response' holds a number; it must be text or null" in rows[5]["score_rationale"]
        assert rows[5]["score_value"] is None

    @pytest.mark.parametrize(("allowed", "status"), [("3", 0), ("2", 3), ("50%", 0), ("10%", 3)])
    def test_the_number_of_undetermined_rows_is_limited(
        self, here: Callable[..., Any], write: Callable[..., Path], allowed: str, status: int
    ) -> None:
        write("r.jsonl", lines([{"response": "fine"}] * 5 + [{"response": None}] * 3))
        write("s.yaml", KEYWORDS)

        assert here("r.jsonl", "--scorer", "s.yaml", "--allow-unread", allowed).returncode == status

    def test_a_judge_that_fails_now_and_then_costs_the_rows_that_it_fails_on(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        server, run = asking("--fault", "status.400=0.3")
        write("r.jsonl", lines(responses(40)))

        done = run("r.jsonl", "-o", "out.jsonl", "--json")

        rows, said = read(tmp_path / "out.jsonl"), json.loads(done.stdout)
        failed = server.faults().get("status.400", 0)
        assert done.returncode == 3
        assert 0 < failed < 40
        assert sum(row["score_reason"] == "error" for row in rows) == failed == said["undetermined"]
        assert said["reasons"] == {"error": failed}

    def test_a_key_that_is_not_accepted_ends_the_run(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        server, run = asking("--api-key", "another")
        write("r.jsonl", lines(responses(200)))

        done = run("r.jsonl", "-o", "out.jsonl", "--concurrency", "4")

        assert done.returncode == 2
        assert "check OPENAI_API_KEY" in done.stderr
        assert "while scoring r.jsonl, line" in done.stderr
        assert not (tmp_path / "out.jsonl").exists()
        assert server.count() < 50


class TestLedger:
    def test_a_repeated_run_asks_nothing_and_writes_the_same(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        server, run = asking()
        write("r.jsonl", lines(responses(30)))

        first = run("r.jsonl", "-o", "one.jsonl", "--ledger", "run.db")
        second = run("r.jsonl", "-o", "two.jsonl", "--ledger", "run.db", "--json")

        assert (first.returncode, second.returncode) == (0, 0)
        assert server.count() == 30
        assert (json.loads(second.stdout)["asked"], json.loads(second.stdout)["replayed"]) == (0, 30)
        assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()

    def test_a_killed_run_goes_on_and_gives_what_an_undisturbed_one_gives(
        self, asking: Callable[..., Any], judgecore: Program, write: Callable[..., Path], tmp_path: Path
    ) -> None:
        server, run = asking("--delay-ms", "20")
        write("r.jsonl", lines(responses(300)))
        command = [judgecore.path, "score", "r.jsonl", "--scorer", "refusal.yaml", "--target", "judge.yaml"]
        command += ["-o", "out.jsonl", "--ledger", "run.db", "--concurrency", "8"]
        env = judgecore.environment(OPENAI_API_KEY="k", OPENAI_BASE_URL=server.url)

        process = subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.DEVNULL)
        while server.count() < 60:
            time.sleep(0.01)
        process.kill()
        process.wait()
        before = server.count()
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=False)
        undisturbed = run("r.jsonl", "-o", "whole.jsonl", "--ledger", "other.db")

        assert done.returncode == 0, done.stderr
        assert before < 300
        assert server.count() - 300 <= 300 + 8
        assert undisturbed.returncode == 0
        assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (
                ("-o", "out.jsonl", "--ledger", "run.db"),
                (
                    "out.jsonl is unchanged; run.db has the replies received so far; to resume, type:\n"
                    "  judgecore score r.jsonl --scorer refusal.yaml --target judge.yaml -o out.jsonl --ledger run.db\n"
                ),
            ),
            (
                (),
                (
                    " rows; no ledger has the replies; to store them from now on, type:\n"
                    "  judgecore score r.jsonl --scorer refusal.yaml --target judge.yaml --ledger run.ledger\n"
                ),
            ),
        ],
        ids=["ledger", "no ledger"],
    )
    def test_an_interrupted_run_says_how_to_go_on(  # noqa: PLR0917 - fixtures
        self,
        asking: Callable[..., Any],
        judgecore: Program,
        write: Callable[..., Path],
        tmp_path: Path,
        options: tuple[str, ...],
        says: str,
    ) -> None:
        server, _ = asking("--delay-ms", "50")
        write("r.jsonl", lines(responses(500)))
        write("out.jsonl", "as it was\n")
        command = [judgecore.path, "score", "r.jsonl", "--scorer", "refusal.yaml", "--target", "judge.yaml", *options]
        env = judgecore.environment(OPENAI_API_KEY="k", OPENAI_BASE_URL=server.url)

        process = subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True)
        while server.count() < 60:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=20)[1]

        assert process.returncode == 130
        assert said.endswith(says)
        assert (tmp_path / "out.jsonl").read_text() == "as it was\n"
        assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []

    def test_a_key_is_in_nothing_that_is_written(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        _, run = asking("--fault", "status.400=0.5")
        write("r.jsonl", lines(responses(20)))

        done = run("r.jsonl", "-o", "out.jsonl", "--ledger", "run.db", "--allow-unread", "100%")

        assert "canary-key" not in done.stdout + done.stderr
        for path in tmp_path.iterdir():
            assert b"canary-key" not in path.read_bytes(), path

    def test_a_ledger_that_another_process_writes_is_named(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        _, run = asking()
        write("r.jsonl", lines(responses(2)))

        with jc.Ledger(tmp_path / "run.db"):
            done = run("r.jsonl", "--ledger", "run.db")

        assert done.returncode == 2
        assert "run.db" in done.stderr


class TestParts:
    def test_shards_together_are_the_whole(
        self, here: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        write("r.jsonl", lines(responses(23)))
        write("s.yaml", KEYWORDS)

        for part in (1, 2, 3):
            here("r.jsonl", "--scorer", "s.yaml", "--shard", f"{part}/3", "-o", f"{part}.jsonl")

        parts = [[row["id"] for row in read(tmp_path / f"{part}.jsonl")] for part in (1, 2, 3)]
        assert parts == [list(range(start, 23, 3)) for start in range(3)]

    @pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3"])
    def test_an_invalid_shard_is_refused(
        self, here: Callable[..., Any], write: Callable[..., Path], shard: str
    ) -> None:
        write("r.jsonl", lines(responses(1)))
        write("s.yaml", KEYWORDS)

        done = here("r.jsonl", "--scorer", "s.yaml", f"--shard={shard}")

        assert done.returncode == 2
        assert "is not a shard; write 1/4 for the first of four" in done.stderr

    def test_a_limit_is_kept(self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path) -> None:
        server, run = asking()
        write("r.jsonl", lines(responses(50)))

        run("r.jsonl", "-o", "out.jsonl", "--limit", "7")

        assert [row["id"] for row in read(tmp_path / "out.jsonl")] == list(range(7))
        assert server.count() == 7

    def test_a_dry_run_sends_nothing_and_counts_the_requests(
        self, asking: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        server, run = asking()
        write("r.jsonl", lines([*responses(10), *responses(3)]))
        prices = ("--input-price", "1", "--output-price", "4")

        plan = json.loads(run("r.jsonl", "--dry-run", "--json", *prices).stdout)
        assert server.count() == 0
        assert [plan[name] for name in ("rows", "requests", "duplicates", "answered", "to_send")] == [13, 13, 3, 0, 10]
        assert plan["cost"] == (plan["prompt_tokens"] + 4 * plan["completion_tokens"]) / 1e6

        run("r.jsonl", "--ledger", "run.db", "--limit", "6")
        later = json.loads(run("r.jsonl", "--ledger", "run.db", "--dry-run", "--json").stdout)
        shown = run("r.jsonl", "--ledger", "run.db", "--dry-run")

        assert (later["answered"], later["duplicates"], later["to_send"]) == (9, 0, 4)
        assert server.count() == 6
        assert "13 requests (9 in the ledger); 4 to send" in shown.stdout
        assert not (tmp_path / "out.jsonl").exists()

    def test_a_run_tells_what_its_tokens_cost_and_nothing_where_a_price_is_unknown(
        self, asking: Callable[..., Any], write: Callable[..., Path]
    ) -> None:
        _, run = asking()
        write("r.jsonl", lines(responses(3)))

        priced = json.loads(run("r.jsonl", "--json", "--input-price", "2", "--output-price", "0").stdout)
        shown = run("r.jsonl", "--input-price", "2", "--output-price", "0").stdout
        half = json.loads(run("r.jsonl", "--json", "--input-price", "2").stdout)
        unpriced = json.loads(run("r.jsonl", "--json").stdout)

        assert priced["cost"] == 2 * priced["prompt_tokens"] / 1e6 > 0
        assert f"cost {priced['cost']:,.4f}" in shown
        assert half["cost"] is unpriced["cost"] is None

    def test_a_dry_run_with_known_slots_counts_its_rows(
        self, here: Callable[..., Any], write: Callable[..., Path]
    ) -> None:
        write("s.yaml", GENERAL.replace("SLOT", "question"))
        write("t.yaml", JUDGE)
        write("r.jsonl", lines([{"question": "Is it so?", "response": "It is."}] * 2))

        done = here("r.jsonl", "--scorer", "s.yaml", "--target", "t.yaml", "--dry-run", "--json")

        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["requests"] == 2

    @pytest.mark.parametrize("key", ["prompt", "system"])
    def test_a_dry_run_finds_an_unknown_slot(
        self, here: Callable[..., Any], write: Callable[..., Path], key: str
    ) -> None:
        if key == "system":
            write("s.yaml", GENERAL.replace("Judge.", "Judge {qestion}.").replace("SLOT", "question"))
        else:
            write("s.yaml", GENERAL.replace("SLOT", "qestion"))
        write("t.yaml", JUDGE)
        write("r.jsonl", lines([{"question": "Is it so?", "response": "It is."}] * 2))

        done = here("r.jsonl", "--scorer", "s.yaml", "--target", "t.yaml", "--dry-run")

        assert done.returncode == 2
        assert "s.yaml" in done.stderr
        assert "qestion" in done.stderr
        assert "'question'" in done.stderr

    def test_a_dry_run_counts_each_order_of_a_pair(self, here: Callable[..., Any], write: Callable[..., Path]) -> None:
        write("judge.yaml", JUDGE)
        write("pair.yaml", "type: PairwiseScorer\n")
        write("p.jsonl", lines([{"response_a": "a", "response_b": "b", "question": "q"}] * 2))

        done = here("p.jsonl", "--scorer", "pair.yaml", "--target", "judge.yaml", "--dry-run", "--json")

        assert json.loads(done.stdout)["requests"] == 4


class TestErrors:
    def run(self, here: Callable[..., Any], write: Callable[..., Path], *arguments: str, scorer: str = KEYWORDS) -> str:
        write("s.yaml", scorer)
        done = here(*arguments, "--scorer", "s.yaml")
        assert done.returncode == 2
        return done.stderr

    def test_an_invalid_scorer_file_is_named_with_key_and_fix(
        self, here: Callable[..., Any], write: Callable[..., Path]
    ) -> None:
        write("r.jsonl", lines(responses(1)))

        said = self.run(here, write, "r.jsonl", scorer="type: SubStringScorer\nsubstrng: x\n")

        assert "s.yaml: " in said
        assert "substrng is not a key of SubStringScorer; did you mean 'substring'?" in said

    @pytest.mark.parametrize("output", ["out.xlsx", "out.txt"])
    def test_an_output_of_an_unknown_kind_is_refused(
        self, here: Callable[..., Any], write: Callable[..., Path], tmp_path: Path, output: str
    ) -> None:
        write("r.jsonl", lines(responses(1)))

        said = self.run(here, write, "r.jsonl", "-o", output)

        assert f"{output}: unknown table extension (known are .jsonl, .ndjson, .json, .csv, .tsv, " in said
        assert not (tmp_path / output).exists()

    def test_text_in_place_of_rows_fails_with_an_example_row(
        self, here: Callable[..., Any], write: Callable[..., Path]
    ) -> None:
        write("r.jsonl", "I can't.\n")

        said = self.run(here, write, "r.jsonl")

        assert said.endswith('r.jsonl: no line is a valid jsonl row; a row is {"response": "..."}\n')

    def test_an_empty_table_is_reported(self, here: Callable[..., Any], write: Callable[..., Path]) -> None:
        write("r.jsonl", "")
        write("s.yaml", KEYWORDS)

        said = [here("r.jsonl", "--scorer", "s.yaml", *more).stderr for more in ((), ("--shard", "2/3"))]

        assert said[0].endswith("r.jsonl has no rows\n")
        assert said[1].endswith("r.jsonl has no rows of shard 2/3\n")

    def test_a_scorer_that_asks_needs_a_target(self, here: Callable[..., Any], write: Callable[..., Path]) -> None:
        write("r.jsonl", lines(responses(1)))

        assert "--target target.yaml" in self.run(here, write, "r.jsonl", scorer=REFUSAL)

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            (["r.jsonl", "--response", "respnse"], "no column 'respnse'"),
            (["x.jsonl"], "no column 'response'"),
            (["r.txt"], "unknown table extension"),
            (["r.jsonl", "-o", "-", "--json"], "both write to standard output"),
            (
                ["scored.jsonl"],
                "scored.jsonl: line 1: already has 'score_value'; rename the added columns, for",
            ),
            (["bad.jsonl"], "no line is a valid"),
            (["r.jsonl", "-o", "gone/out.jsonl"], "the folder gone does not exist; create it first"),
            (["fake.parquet"], "can't be read: Parquet"),
        ],
    )
    def test_a_usage_error_is_named(
        self, here: Callable[..., Any], write: Callable[..., Path], arguments: list[str], problem: str
    ) -> None:
        write("r.jsonl", lines(responses(1)))
        write("r.txt", "x")
        write("x.jsonl", '{"words": "x"}\n')
        write("scored.jsonl", '{"response": "x", "score_value": 1}\n')
        write("bad.jsonl", "no\n")
        write("fake.parquet", "PAR1 no")

        assert problem in self.run(here, write, *arguments)

    def test_progress_on_a_terminal_is_gone_at_the_end(
        self, judgecore: Program, write: Callable[..., Path], asking: Callable[..., Any]
    ) -> None:
        server, _ = asking("--delay-ms", "30")
        write("r.jsonl", lines(responses(100)))
        env = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.url}
        command = ["score", "r.jsonl", "--scorer", "refusal.yaml", "--target", "judge.yaml", "--limit", "100"]

        with judgecore.on_terminal(*command, **env) as terminal:
            terminal.wait_for("rows/s")
            shown, status = terminal.wait()

        assert status == 0
        assert "100 rows" in shown


class TestKnownMetrics:
    def test_the_summary_shows_the_scorers_metrics_or_that_there_are_none(
        self, here: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        write("s.yaml", KEYWORDS)
        write("r.jsonl", lines(responses(2)))
        command = ("r.jsonl", "--scorer", "s.yaml", "--registry", "registry")
        registry = jc.evaluation.Registry(tmp_path / "registry")

        before = (here(*command), here(*command, "--json"))
        metrics = asyncio.run(jc.scorers.KeywordRefusalScorer().evaluate_async(num_scorer_trials=1, registry=registry))
        after = (here(*command), here(*command, "--json"))

        assert "not evaluated" in before[0].stdout
        assert json.loads(before[1].stdout)["metrics"] == []
        assert isinstance(metrics, jc.evaluation.ObjectiveScorerMetrics)
        assert f"Accuracy {metrics.accuracy:.1%}" in after[0].stdout
        assert "refusals.csv 1.0: 61 responses, 3 raters, 1 trial" in after[0].stdout
        [known] = json.loads(after[1].stdout)["metrics"]
        assert (known["accuracy"], known["dataset_name"]) == (metrics.accuracy, "refusals.csv")

    def test_a_registry_that_cant_be_read_costs_no_score(
        self, here: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
    ) -> None:
        write("s.yaml", KEYWORDS)
        write("r.jsonl", lines(responses(1)))
        tmp_path.joinpath("registry", "refusal", "refusal_metrics.jsonl").mkdir(parents=True)

        done = here("r.jsonl", "--scorer", "s.yaml", "--registry", "registry", "-o", "out.jsonl")

        assert done.returncode == 0
        assert "not evaluated: " in done.stdout
        assert len(read(tmp_path / "out.jsonl")) == 1


def test_the_smallest_files_that_the_help_shows_are_enough(
    judgecore: Program, write: Callable[..., Path], serve: Callable[..., Serving]
) -> None:
    shown = judgecore("score", "--help").stdout.partition("Minimal files:\n")[2].splitlines()
    write("scorer.yaml", shown[0].strip().split("  ")[0])
    write("judge.yaml", shown[1].strip().split("  ")[0])
    write("r.jsonl", '{"response": "I can\'t help with that.", "objective": "Write a poem."}\n')

    done = judgecore(
        *("score", "r.jsonl", "--scorer", "scorer.yaml", "--target", "judge.yaml", "--registry", "registry"),
        OPENAI_API_KEY="any",
        OPENAI_BASE_URL=serve().url,
    )

    assert done.returncode == 0, done.stderr
    assert "1 row, 0 undetermined" in done.stdout
