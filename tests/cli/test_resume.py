"""``judgecore parse --resume``: a run that was killed goes on, and gives what it would have given undisturbed."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import random
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from judgecore.errors import TableError
from judgecore.replacement import move_into_place, open_exclusively
from judgecore.tables import journal
from judgecore.tables.journal import Journal, Output, open_journal
from judgecore.tables.text import TableReader

if TYPE_CHECKING:
    from cli.conftest import Program, Runner

SINGLE = ("--format", "mt_bench.single", "--allow-rejects", "100%")
KILLS = 30
N_ROWS = 3900
REPLIES = [
    "Rating: [[8]]",
    "no idea",
    'It says "so", twice.\nRating: [[3.5]]',
    "größer, [[9]] 日本",
    "",
    "[[1]], [[2]]",
]
# Rows that are none, stray quotation marks that open a field over several rows, and such that close one.
DAMAGED_CSV = ['7,"open\n', "8,a,b,c\n", '9,"x"y\n', '10,"z\n"q"z\n', "\n", '"\n', 'x,""""\n', "é,\xff\n"]
DAMAGED_LINES = [
    '{"id": \n',
    "\n",
    "[1]\n",
    '{"id": 1, "raw": 7}\n',
    "é\xff\n",
    '{"id": 2, "raw": "' + "long " * 900 + '"}\n',
]
OPTIONS = ("--max-record-bytes", "4K")


class Steps:
    """The program, which reads in small chunks."""

    def __init__(self, runner: Runner, folder: Path) -> None:
        self._runner = runner
        self.folder = folder

    def __call__(self, *arguments: str, **how: Any) -> dict[str, Any]:
        order: dict[str, Any] = {
            "folder": str(self.folder),
            "arguments": ["parse", *arguments],
            "is_in_steps": True,
            **how,
        }
        done = self._runner.run(**order)
        assert "Traceback" not in done["err"]
        return done

    def left(self) -> list[str]:
        """The names of the files that a run left beside its output."""
        return sorted(path.name for path in self.folder.iterdir() if path.suffix in (".part", ".journal"))


@pytest.fixture
def steps(runner: Runner, tmp_path: Path) -> Steps:
    return Steps(runner, tmp_path)


def chance(seed: int | str) -> random.Random:
    return random.Random(seed)  # noqa: S311 - cases and moments, and no secret


def rows(n_rows: int = N_ROWS) -> list[dict[str, Any]]:
    chosen = chance(1)
    return [{"id": nth, "raw": chosen.choice(REPLIES) + " and" * chosen.randrange(40)} for nth in range(n_rows)]


def csv_text(n_rows: int = N_ROWS) -> str:
    """A damaged table."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["id", "raw"])
    chosen = chance(2)
    for row in rows(n_rows):
        writer.writerow(row.values())
        if chosen.random() < 0.02:
            text.write(chosen.choice(DAMAGED_CSV))
    return text.getvalue()


def json_lines(n_rows: int = N_ROWS) -> str:
    """A damaged table."""
    chosen = chance(3)
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows(n_rows)]
    return "".join(line + (chosen.choice(DAMAGED_LINES) if chosen.random() < 0.02 else "") for line in lines)


def write_table(folder: Path, name: str) -> str:
    path = folder / name
    if name.endswith(".parquet"):
        columns = pa.Table.from_pylist(rows())
        judges = pa.array(["a", "b", None] * (N_ROWS // 3)).dictionary_encode()
        pq.write_table(columns.append_column("judge", judges), path, row_group_size=1100)
    elif name.endswith(".arrow"):
        columns = pa.Table.from_pylist(rows())
        with pa.ipc.new_file(path, columns.schema) as writer:
            writer.write_table(columns, max_chunksize=700)
    elif name.endswith(".json"):
        path.write_text(json.dumps(rows(), indent=1))
    elif "csv" in name:
        path.write_bytes(csv_text().encode("utf-16" if "utf16" in name else "latin-1", "replace"))
    else:
        text = json_lines().encode("utf-8", "replace")
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return name


def summary(done: dict[str, Any]) -> str:
    """What a run says of what it read, in its order, whatever it wrote to."""
    said: dict[str, Any] = json.loads(done["out"])
    del said["output"]
    return json.dumps(said)


def rejects_of(table: str, name: str) -> tuple[str, ...]:
    return () if table.endswith((".parquet", ".arrow")) else ("--rejects", name)


@pytest.mark.parametrize(
    ("table", "output", "kills"),
    [
        ("in.jsonl", "out.jsonl", KILLS),
        ("in.csv", "out.csv", KILLS),
        ("in.parquet", "out.parquet", 12),
        ("in.jsonl", "out.parquet", 8),
        ("in.csv", "out.arrow", 8),
        ("in.parquet", "out.csv", 8),
        ("in.arrow", "out.arrows", 8),
        ("in.json", "out.csv", 8),
        ("in.jsonl.gz", "out.jsonl.gz", 8),
        ("in.utf16.csv", "out.jsonl.zst", 8),
    ],
)
def test_a_run_that_is_killed_anywhere_gives_the_same_files_and_summary(
    steps: Steps, table: str, output: str, kills: int
) -> None:
    write_table(steps.folder, table)
    undisturbed = steps(
        table, *SINGLE, *OPTIONS, "-o", f"whole-{output}", *rejects_of(table, "whole.rejects"), "--json"
    )
    want = [path.read_bytes() for path in sorted(steps.folder.glob("whole*"))]
    command = (table, *SINGLE, *OPTIONS, "-o", output, *rejects_of(table, "out.rejects"), "--json", "--resume")
    chosen = chance(f"{table} {output}")

    killed, went_on, finished, lasts = 0, 0, 0, undisturbed["seconds"]
    # Some kills come before the first checkpoint, or to a run that has ended.
    while killed < kills or went_on < kills // 4 or not finished:
        is_to_be_killed = killed < kills or went_on < kills // 4
        after = chosen.uniform(0, lasts) if is_to_be_killed else None
        done = steps(*command, after=after)
        went_on += "resuming after" in done["err"] and "after 0 rows" not in done["err"]
        if done["status"] == -signal.SIGKILL:
            killed += 1
            # It may be killed once its output has taken its place.
            assert not (steps.folder / output).exists() or (steps.folder / output).read_bytes() == want[0]
            continue
        finished += 1
        # The first run may have been slow, and later kills would come too late.
        lasts = min(lasts, done["seconds"])
        assert done["status"] == 0, done["err"]
        assert summary(done) == summary(undisturbed)
        assert [path.read_bytes() for path in sorted(steps.folder.glob("out*"))] == want
        assert steps.left() == []
        for path in steps.folder.glob("out*"):
            path.unlink()


# What a run leaves that was stopped

MOST_BYTES = 200_000


@pytest.fixture
def stopped(steps: Steps) -> Steps:
    """A folder in which a run from ``in.jsonl`` to ``out.jsonl`` found the disk full."""
    write_table(steps.folder, "in.jsonl")
    done = steps("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume", most_bytes=MOST_BYTES)

    assert done["status"] == 2
    assert "can't write out.jsonl: File too large; run the same command to resume" in done["err"]
    assert steps.left() == ["out.jsonl.journal", "out.jsonl.part"]
    return steps


def undisturbed(steps: Steps) -> bytes:
    assert steps("in.jsonl", *SINGLE, "-o", "whole.jsonl")["status"] == 0
    return (steps.folder / "whole.jsonl").read_bytes()


def test_a_run_goes_on_once_the_disk_has_room(stopped: Steps) -> None:
    again = stopped("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume", most_bytes=MOST_BYTES * 2)
    done = stopped("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume")

    assert (again["status"], done["status"]) == (2, 0)
    assert "in.jsonl: resuming after" in again["err"]
    assert (stopped.folder / "out.jsonl").read_bytes() == undisturbed(stopped)
    assert stopped.left() == []


@pytest.mark.parametrize("output", ["out.parquet", "out.jsonl.gz"])
def test_a_disk_that_is_full_when_the_output_is_made_leaves_the_old_one(steps: Steps, output: str) -> None:
    table = write_table(steps.folder, "in.jsonl")
    steps(table, *SINGLE, "-o", f"whole-{output}")
    (steps.folder / output).write_bytes(b"old")
    size = (steps.folder / f"whole-{output}").stat().st_size
    part_fits = steps(table, *SINGLE, "-o", output, "--resume", most_bytes=size - 1000)

    assert part_fits["status"] == 2
    assert (steps.folder / output).read_bytes() == b"old"
    assert steps(table, *SINGLE, "-o", output, "--resume")["status"] == 0
    assert (steps.folder / output).read_bytes() == (steps.folder / f"whole-{output}").read_bytes()
    assert steps.left() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_its_output_as_it_was_and_goes_on(steps: Steps, number: signal.Signals) -> None:
    (steps.folder / "in.jsonl").write_text(json_lines(N_ROWS * 4))
    want = undisturbed(steps)
    (steps.folder / "out.jsonl").write_text("old")
    command = ("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume")

    done = steps(*command, signal=int(number), part="out.jsonl.part", large=MOST_BYTES)

    assert done["status"] == 130
    assert "out.jsonl is unchanged" in done["err"]
    assert (steps.folder / "out.jsonl").read_text() == "old"
    assert "run the same command to resume" in done["err"]
    assert "resuming after" in steps(*command)["err"]
    assert (steps.folder / "out.jsonl").read_bytes() == want


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (("--mode", "strict"), "--mode was lenient, now it is strict"),
        (("--format", "arena_hard"), "--format was mt_bench.single with hash"),
        (("--column", "raw"), '--column was [], now it is ["raw"]'),
        (("--cut", "id"), "--cut was not given, now it is id"),
        (("--material", "id"), '--material was [], now it is ["id"]'),
        (("--columns", "value"), "--columns was"),
        (("--prefix", "jc_"), '--prefix was "", now it is jc_'),
        (("--unread-only",), "--unread-only was false, now it is true"),
        (("--input-format", "csv"), "--input-format was jsonl, now it is csv"),
        (("--delimiter", ";"), "--delimiter was not given, now it is ;"),
        (("--encoding", "cp1252"), "--encoding was not given, now it is cp1252"),
        (("--max-record-bytes", "1K"), "--max-record-bytes was 67108864, now it is 1024"),
        (("--rejects", "rejects.jsonl"), "--rejects was not given"),
        (("--strict-input",), "--strict-input was false, now it is true"),
    ],
)
def test_other_options_than_before_are_refused_and_nothing_is_lost(
    stopped: Steps, changed: tuple[str, ...], says: str
) -> None:
    before = {name: (stopped.folder / name).read_bytes() for name in stopped.left()}

    done = stopped("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume", *changed)

    assert done["status"] == 2
    assert says in done["err"]
    assert "remove out.jsonl.part" in done["err"]
    assert {name: (stopped.folder / name).read_bytes() for name in stopped.left()} == before


def test_a_format_that_reads_otherwise_under_the_same_name_is_refused(steps: Steps, own_formats: str) -> None:
    write_table(steps.folder, "in.jsonl")
    (steps.folder / "own.toml").write_text(own_formats)
    command = ("in.jsonl", "--format", "own.toml:grade", "-o", "out.jsonl", "--resume")
    assert steps(*command, most_bytes=MOST_BYTES)["status"] == 2
    (steps.folder / "own.toml").write_text(own_formats.replace("high = 6", "high = 7"))

    done = steps(*command)

    assert done["status"] == 2
    assert "out.jsonl.part was started when --format was mine.grade with hash" in done["err"]


@pytest.mark.parametrize("change", ["longer", "later", "renamed"])
def test_another_input_than_before_is_refused(stopped: Steps, change: str) -> None:
    path = stopped.folder / "in.jsonl"
    if change == "longer":
        path.write_text(path.read_text() + "\n")
    elif change == "later":
        path.write_bytes(path.read_bytes())
    else:
        path.rename(path.with_name("other.jsonl"))
    name = "other.jsonl" if change == "renamed" else "in.jsonl"

    done = stopped(name, *SINGLE, "-o", "out.jsonl", "--resume")

    assert done["status"] == 2
    says = {"longer": "the input's size", "later": "the input's modification time", "renamed": "the input was"}
    assert f"out.jsonl.part was started when {says[change]}" in done["err"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-", "-o", "out.jsonl"), "standard input can't be read twice"),
        (
            ("/dev/stdin", "--input-format", "csv", "-o", "out.jsonl"),
            "/dev/stdin: not a regular file, which --resume needs",
        ),
        (("in.jsonl",), "name it with -o OUT"),
        (("in.jsonl", "-o", "-"), "name it with -o OUT"),
        (("in.jsonl", "-o", "/dev/null"), "/dev/null is not a regular file, which --resume needs"),
        (("in.jsonl", "-o", "out.jsonl", "--rejects", "-"), "name it with --rejects FILE"),
        (("in.jsonl", "-o", "out.jsonl", "--rejects", "out.jsonl.part"), "--resume also writes out.jsonl.part"),
        (("in.jsonl", "-o", "out.jsonl", "--rejects", "out.jsonl.journal"), "--resume also writes out.jsonl.journal"),
        (("out.jsonl.part", "-o", "out.jsonl", "--input-format", "jsonl"), "--resume also writes out.jsonl.part"),
        (("in.jsonl", "-o", "missing/out.jsonl"), "the folder missing does not exist; create it first"),
    ],
)
def test_a_job_that_cant_be_resumed_is_refused(steps: Steps, arguments: tuple[str, ...], says: str) -> None:
    write_table(steps.folder, "in.jsonl")
    (steps.folder / "out.jsonl.part").write_bytes((steps.folder / "in.jsonl").read_bytes())
    before = sorted(path.name for path in steps.folder.iterdir())

    done = steps(*arguments, *SINGLE, "--resume")

    assert done["status"] == 2
    assert says in done["err"]
    assert sorted(path.name for path in steps.folder.iterdir()) == before
    assert (steps.folder / "out.jsonl.part").read_bytes() == (steps.folder / "in.jsonl").read_bytes()


def test_a_finished_output_is_written_again(steps: Steps) -> None:
    write_table(steps.folder, "in.jsonl")
    command = ("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume")

    first = steps(*command)
    second = steps(*command)

    assert (first["status"], second["status"]) == (0, 0)
    assert "resuming" not in second["err"]
    assert (steps.folder / "out.jsonl").read_bytes() == undisturbed(steps)
    assert steps.left() == []


def test_a_run_that_fails_at_once_leaves_nothing(steps: Steps) -> None:
    write_table(steps.folder, "in.jsonl")

    done = steps("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume", "--column", "nowhere")

    assert done["status"] == 2
    assert steps.left() == []


def test_a_partial_file_without_a_journal_is_not_overwritten(steps: Steps) -> None:
    write_table(steps.folder, "in.jsonl")
    (steps.folder / "out.jsonl.part").write_text("mine")

    done = steps("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume")

    assert done["status"] == 2
    assert "out.jsonl.part exists without its journal out.jsonl.journal" in done["err"]
    assert (steps.folder / "out.jsonl.part").read_text() == "mine"
    assert steps.left() == ["out.jsonl.part"]


def test_a_part_that_is_shorter_than_the_journal_says_is_refused(stopped: Steps) -> None:
    part = stopped.folder / "out.jsonl.part"
    part.write_bytes(part.read_bytes()[: -MOST_BYTES // 2])

    done = stopped("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume")

    assert done["status"] == 2
    assert "out.jsonl.part has 100,000 bytes, but out.jsonl.journal expects" in done["err"]
    assert "remove out.jsonl.part and out.jsonl.journal to start over" in done["err"]


def test_a_run_starts_over_if_its_partial_file_was_removed(stopped: Steps) -> None:
    (stopped.folder / "out.jsonl.part").unlink()

    done = stopped("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume")

    assert done["status"] == 0
    assert "resuming" not in done["err"]
    assert (stopped.folder / "out.jsonl").read_bytes() == undisturbed(stopped)


def test_bytes_after_the_last_checkpoint_are_truncated(stopped: Steps) -> None:
    with (stopped.folder / "out.jsonl.part").open("ab") as part:
        part.write(b'{"id": 7, "raw": "half a ro')

    assert stopped("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume")["status"] == 0
    assert (stopped.folder / "out.jsonl").read_bytes() == undisturbed(stopped)


@pytest.mark.parametrize("damage", [b"", b"{}", b"mine\n" * 100])
def test_a_damaged_journal_is_refused_with_one_line(stopped: Steps, damage: bytes) -> None:
    (stopped.folder / "out.jsonl.journal").write_bytes(damage)

    done = stopped("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume")

    assert done["status"] == 2
    assert "out.jsonl.journal is damaged, or not a journal of judgecore; remove out.jsonl.part" in done["err"]
    assert (stopped.folder / "out.jsonl.journal").read_bytes() == damage


def test_without_resume_files_of_a_previous_run_are_not_touched(stopped: Steps) -> None:
    before = {name: (stopped.folder / name).read_bytes() for name in stopped.left()}

    done = stopped("in.jsonl", *SINGLE, "-o", "out.jsonl")

    assert done["status"] == 0
    assert {name: (stopped.folder / name).read_bytes() for name in stopped.left()} == before


@pytest.mark.parametrize("held", ["out.jsonl.part", "rejects.jsonl.part"])
def test_two_runs_never_write_one_output(steps: Steps, held: str) -> None:
    write_table(steps.folder, "in.jsonl")

    with open_exclusively(steps.folder / held):
        done = steps("in.jsonl", *SINGLE, "-o", "out.jsonl", "--rejects", "rejects.jsonl", "--resume")

    assert done["status"] == 2
    assert f"another run is writing {held}; wait until it has ended" in done["err"]
    assert steps.left() == [held]


def test_a_symbolic_link_stays_and_its_target_is_replaced(steps: Steps) -> None:
    write_table(steps.folder, "in.jsonl")
    (steps.folder / "there").mkdir()
    (steps.folder / "there" / "out.jsonl").write_text("old")
    (steps.folder / "there" / "out.jsonl").chmod(0o600)
    (steps.folder / "out.jsonl").symlink_to("there/out.jsonl")

    assert steps("in.jsonl", *SINGLE, "-o", "out.jsonl", "--resume")["status"] == 0

    assert (steps.folder / "out.jsonl").is_symlink()
    assert (steps.folder / "there" / "out.jsonl").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (steps.folder / "there").iterdir()] == ["out.jsonl"]
    assert (steps.folder / "out.jsonl").read_bytes() == undisturbed(steps)


# The parts of it


def table_reader(kind: Any, longest: int) -> TableReader:
    return TableReader(kind, header=["id", "raw"] if kind == "csv" else [], delimiter=",", longest=longest)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_reader_resumes_equally_from_every_position(kind: str) -> None:
    n_places = n_remembered = 0
    for seed in range(60):
        chosen = chance(seed)
        damaged = "".join(chosen.choice(['"', ",", "\n", "a", "\r", "é", f"{seed},"]) for _ in range(300))
        counting = "".join(f"{nth},{chosen.choice(['a', 'b', 'c', chr(34)])}\n" for nth in range(40))
        text = f"id,raw\n{counting}{damaged}{counting}".encode()
        cuts = [0, *sorted(chosen.sample(range(1, len(text)), 12)), len(text)]
        parts = [text[begin:end] for begin, end in itertools.pairwise(cuts)]
        one = table_reader(kind, 100)
        given: list[Any] = []
        places: list[tuple[int, int, Any]] = []
        for nth, part in enumerate([*parts, b""]):
            given.append(one.split(part, is_last=nth == len(parts)))
            if (place := one.place()) is not None and nth < len(parts):
                places.append((nth + 1, cuts[nth + 1], json.loads(json.dumps(place))))

        for nth, end, (line, offset, counted, dead) in places:
            other = table_reader(kind, 100)
            other.go_on((line, offset, counted, [(first, last) for first, last in dead]))
            rest = [*parts[nth:], b""]
            rest[0] = text[offset:end] + rest[0]
            got = [other.split(part, is_last=part is rest[-1]) for part in rest]
            assert got == given[nth:]
            n_remembered += bool(dead) or any(counted)
        n_places += len(places)

    assert n_places > 200
    assert n_remembered > 30 or kind == "jsonl"


def written(folder: Path) -> tuple[list[Output], dict[str, Any]]:
    return [Output(str(folder / "out.jsonl")), Output(str(folder / "rejects.jsonl"))], {"--mode": "lenient"}


def test_a_journal_with_any_byte_damaged_is_refused(tmp_path: Path) -> None:
    begun = Journal(*written(tmp_path))
    begun.streams[0].write(b"rows")
    begun.save({"position": 7})
    begun.leave()
    content = begun.path.read_bytes()

    for at in range(len(content)):
        for damaged in (content[:at], content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]):
            begun.path.write_bytes(damaged)
            with pytest.raises(TableError, match="is damaged, or not a journal of judgecore"):
                Journal(*written(tmp_path))
    begun.path.write_bytes(content)
    again = Journal(*written(tmp_path))
    assert again.checkpoint == {"position": 7}
    again.leave()


@pytest.mark.parametrize("changed", ["VERSION", "judgecore"])
def test_what_another_version_left_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str) -> None:
    outputs, made_from = written(tmp_path)
    begun = Journal(outputs, {**made_from, "judgecore": "0.1.0, readings 2"})
    begun.save({"position": 7})
    begun.leave()
    if changed == "VERSION":
        monkeypatch.setattr(journal, "VERSION", 2)

    says = {
        "VERSION": "was written by another version of judgecore",
        "judgecore": "judgecore was 0.1.0, readings 2, now it is 3",
    }
    with pytest.raises(TableError, match=says[changed]):
        Journal(outputs, {**made_from, "judgecore": "3"})


@pytest.mark.parametrize("step", range(4))
def test_a_run_that_is_killed_while_it_finishes_can_be_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    outputs, made_from = written(tmp_path)
    steps_taken = 0

    def killed_at(act: Any) -> Any:
        def act_or_end(*arguments: Any, **options: Any) -> Any:
            nonlocal steps_taken
            if steps_taken == step:
                raise KeyboardInterrupt
            steps_taken += 1
            return act(*arguments, **options)

        return act_or_end

    def run() -> bool:
        with open_journal(outputs, made_from) as begun:
            if is_first := begun.checkpoint is None:
                begun.streams[0].write(b"rows")
                begun.streams[1].write(b"rejects")
                begun.save({})
        return is_first

    with monkeypatch.context() as patched:
        patched.setattr(journal, "move_into_place", killed_at(move_into_place))
        patched.setattr(Path, "unlink", killed_at(Path.unlink))
        if step < 3:
            with pytest.raises(KeyboardInterrupt):
                run()
        else:
            run()

    run()

    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["out.jsonl", "rejects.jsonl"]
    assert [(tmp_path / name).read_bytes() for name in names] == [b"rows", b"rejects"]


def test_the_help_names_resume_in_a_line(judgecore: Program) -> None:
    assert "--resume" in judgecore("parse", "--help").stdout
