"""The registry: what PyRIT published is read, and nothing that stands in a file is lost."""

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

from judgecore import ComponentIdentifier, ScorerEvaluationIdentifier
from judgecore.errors import RegistryError
from judgecore.evaluation import (
    HarmScorerMetrics,
    ObjectiveScorerMetrics,
    Registry,
    ScorerRegistry,
    get_all_harm_metrics,
    get_all_objective_metrics,
    metrics_file,
)
from judgecore.evaluation.registry import METRICS_VERSION, harm_name, is_current

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAMS = Path(__file__).parents[1] / "programs"
# `make soak` asks for as many as a registry has to bear; each line costs a file that is written anew.
LINES_EACH = 1000 if os.environ.get("JUDGECORE_SOAK") else 40
OBJECTIVE_FILE = Path("objective", "objective_achieved_metrics.jsonl")


def scorer(name: str) -> ScorerEvaluationIdentifier:
    return ScorerEvaluationIdentifier(
        ComponentIdentifier(class_name="MyScorer", class_module="my", params={"name": name})
    )


def measured(accuracy: float | None = 0.8, trials: int = 3, **others: Any) -> ObjectiveScorerMetrics:
    return ObjectiveScorerMetrics(
        num_responses=10,
        num_human_raters=1,
        num_scorer_trials=trials,
        accuracy=accuracy,
        accuracy_standard_error=0.1,
        f1_score=None,
        precision=None,
        recall=0.5,
        **others,
    )


def harm(**others: Any) -> HarmScorerMetrics:
    return HarmScorerMetrics(
        num_responses=10,
        num_human_raters=1,
        mean_absolute_error=0.2,
        mae_standard_error=0.01,
        t_statistic=None,
        p_value=None,
        krippendorff_alpha_combined=0.7,
        **others,
    )


def lines_of(folder: Path) -> list[bytes]:
    return folder.joinpath(OBJECTIVE_FILE).read_bytes().splitlines()


# Reading


def test_every_published_line_is_read(shared: Path) -> None:
    registry = Registry("nowhere", published=[shared / "pyrit"])
    lines = {
        path: sum(1 for line in path.read_text("utf-8").splitlines() if line.strip())
        for path in shared.joinpath("pyrit").rglob("*_metrics.jsonl")
    }

    got = len(registry.objective_metrics()) + len(registry.objective_metrics(refusal=True))
    got += sum(len(registry.harm_metrics(name)) for name in registry.harm_categories())

    assert sum(lines.values()) == got
    assert registry.problems() == ()


def test_a_published_scorer_is_found_by_the_hash_in_its_line_and_by_the_one_it_has_today(shared: Path) -> None:
    registry = Registry("nowhere", published=[shared / "pyrit"])

    for entry in registry.objective_metrics():
        today = registry.find(ScorerEvaluationIdentifier(entry.scorer_identifier), "objective")
        assert today is not None
        assert today.metrics.num_responses > 0


@pytest.mark.parametrize("name", ["information_integrity", "info_integrity", "Information Integrity", "INFO-INTEGRITY"])
def test_a_harm_is_found_by_each_of_its_names(shared: Path, name: str) -> None:
    registry = Registry("nowhere", published=[shared / "pyrit"])

    assert len(registry.harm_metrics("information_integrity")) == 4
    assert len(get_all_harm_metrics(name, registry)) == 4


def test_metrics_have_the_published_names(shared: Path) -> None:
    registry = Registry("nowhere", published=[shared / "pyrit"])

    metrics = registry.harm_metrics("violence")[0].metrics

    assert isinstance(metrics, HarmScorerMetrics)
    assert (metrics.num_responses, metrics.dataset_name) == (96, "violence.csv")
    assert metrics.mean_absolute_error == pytest.approx(0.24367559523809523)


def test_an_empty_name_of_a_harm_is_refused() -> None:
    with pytest.raises(ValueError, match="no name of a harm"):
        harm_name(" -- ")


def test_the_file_is_read_again_only_when_it_changed(tmp_path: Path) -> None:
    one = Registry(tmp_path)
    one.replace(scorer("a"), "objective", measured())
    first = one.objective_metrics()

    unchanged = one.objective_metrics()
    Registry(tmp_path).replace(scorer("b"), "objective", measured())
    changed = one.objective_metrics()

    assert first[0] is unchanged[0]
    assert len(changed) == 2


# Writing


def test_what_is_written_is_found_again(tmp_path: Path) -> None:
    Registry(tmp_path).replace(scorer("a"), "objective", measured(beyond={"dataset_hash": "d" * 64}))

    found = Registry(tmp_path).find(scorer("a"), "objective")

    assert found is not None
    assert found.metrics == measured(beyond={"dataset_hash": "d" * 64})
    assert found.scorer_identifier == scorer("a").identifier


def test_a_line_holds_pyrits_names_only_where_pyrit_looks(tmp_path: Path) -> None:
    Registry(tmp_path).replace(scorer("a"), "violence", harm(harm_category="violence", beyond={"rmse": 0.3}))

    line = json.loads(tmp_path.joinpath("harm", "violence_metrics.jsonl").read_text())

    assert line["metrics"].pop("_judgecore") == {"rmse": 0.3}
    assert line["metrics"] == {
        "num_responses": 10,
        "num_human_raters": 1,
        "num_scorer_trials": 1,
        "average_score_time_seconds": 0.0,
        "mean_absolute_error": 0.2,
        "mae_standard_error": 0.01,
        "t_statistic": None,
        "p_value": None,
        "krippendorff_alpha_combined": 0.7,
        "harm_category": "violence",
    }


def test_one_scorer_has_one_line(tmp_path: Path) -> None:
    registry = Registry(tmp_path)

    for accuracy in (0.1, 0.2, 0.3):
        registry.replace(scorer("a"), "objective", measured(accuracy))
        registry.replace(scorer(f"{accuracy}"), "objective", measured(accuracy))

    found = registry.find(scorer("a"), "objective")
    assert found is not None
    assert isinstance(found.metrics, ObjectiveScorerMetrics)
    assert found.metrics.accuracy == 0.3
    assert len(lines_of(tmp_path)) == 4


def test_fewer_trials_never_replace_more_unless_told_so(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    registry.replace(scorer("a"), "objective", measured(0.1, trials=3))

    refused = registry.replace(scorer("a"), "objective", measured(0.2, trials=2))
    kept = registry.objective_metrics()
    allowed = registry.replace(scorer("a"), "objective", measured(0.2, trials=2), allow_fewer_trials=True)

    assert (refused, allowed) == (False, True)
    assert [one.metrics.num_scorer_trials for one in kept] == [3]
    assert [one.metrics.num_scorer_trials for one in registry.objective_metrics()] == [2]


@pytest.mark.parametrize(
    "line",
    [
        b'{"class_name": "A", "eval_hash": "e", "metrics": {"num_responses": 1',
        b"\xff\xfe not text",
        b'{"class_name": "A", "class_module": "m", "eval_hash": "e", "metrics": {"accuracy": NaN}}',
        b'{"class_name": "A", "class_module": "m", "eval_hash": "e", "metrics": {}}',
        b'{"class_name": "A", "class_module": "m", "hash": "e"}',
        b"[1, 2]",
        b"[" * 100_000,
    ],
)
def test_a_line_that_cant_be_read_is_kept_as_it_is_and_reported(tmp_path: Path, line: bytes) -> None:
    registry = Registry(tmp_path)
    registry.replace(scorer("a"), "objective", measured())
    with tmp_path.joinpath(OBJECTIVE_FILE).open("ab") as file:
        file.write(line)

    registry.replace(scorer("b"), "objective", measured())

    assert lines_of(tmp_path)[1] == line
    assert len(registry.objective_metrics()) == 2
    problem = registry.problems()[0]
    assert (problem.path, problem.line) == (tmp_path / OBJECTIVE_FILE, 2)
    assert str(problem).startswith(f"{tmp_path / OBJECTIVE_FILE}, line 2: ")


def test_nan_is_never_written(tmp_path: Path) -> None:
    registry = Registry(tmp_path)

    with pytest.raises(ValueError, match="not JSON compliant"):
        registry.replace(scorer("a"), "objective", measured(float("nan")))

    assert not tmp_path.joinpath(OBJECTIVE_FILE).exists()


def test_published_folders_are_read_and_never_written(tmp_path: Path) -> None:
    published, own = tmp_path / "published", tmp_path / "own"
    Registry(published).replace(scorer("a"), "objective", measured(0.1))
    before = lines_of(published)
    registry = Registry(own, published=[published])

    registry.replace(scorer("a"), "objective", measured(0.9))

    found = registry.find(scorer("a"), "objective")
    assert found is not None
    assert found.path.is_relative_to(own)
    assert lines_of(published) == before


def test_metrics_of_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="metrics of violence must be HarmScorerMetrics"):
        Registry(tmp_path).replace(scorer("a"), "violence", measured())


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/../../b", "..", "C:\\windows"])
def test_a_name_cant_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    registry = Registry(tmp_path / "registry")

    try:
        registry.replace(scorer("a"), name, harm())
    except ValueError:
        assert not tmp_path.joinpath("registry").exists()

    outside = [path for path in tmp_path.rglob("*") if path.is_file() and "registry" not in path.parts]
    assert outside == []


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside, registry = tmp_path / "outside", tmp_path / "registry"
    Registry(outside).replace(scorer("a"), "objective", measured())
    registry.mkdir()
    registry.joinpath("objective").symlink_to(outside / "objective")

    with pytest.raises(RegistryError, match=r"leads out of the folder .*/registry; remove the link"):
        Registry(registry).objective_metrics()


def test_a_folder_that_cant_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.joinpath("objective").write_text("a file in the folder's place")

    with pytest.raises(RegistryError, match=r"objective_achieved_metrics\.jsonl: .*it is unchanged"):
        Registry(tmp_path).replace(scorer("a"), "objective", measured())


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGECORE_REGISTRY", str(tmp_path))
    Registry().replace(scorer("a"), "objective", measured())

    assert len(get_all_objective_metrics()) == 1
    assert tmp_path.joinpath(OBJECTIVE_FILE).exists()


# What a line answers


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        ({}, True),
        ({"num_scorer_trials": 1}, True),
        ({"num_scorer_trials": 4}, False),
        ({"dataset_version": "1.1"}, False),
        ({"dataset_hash": "other"}, False),
        ({"harm_definition_version": "1.0"}, False),
    ],
)
def test_a_line_answers_what_it_was_measured_on(tmp_path: Path, asked: dict[str, Any], *, answers: bool) -> None:
    registry = Registry(tmp_path)
    beyond = {"dataset_hash": "d", "metrics_version": 1}
    registry.replace(scorer("a"), "objective", measured(dataset_version="1.0", beyond=beyond))
    entry = registry.objective_metrics()[0]
    wanted: dict[str, Any] = {"dataset_version": "1.0", "dataset_hash": "d", "num_scorer_trials": 3, **asked}

    assert is_current(entry, **wanted) is answers


@pytest.mark.parametrize(("scored", "answers"), [(0, False), (1, True)])
def test_a_line_of_which_nothing_was_scored_answers_nothing(tmp_path: Path, scored: int, answers: bool) -> None:
    registry = Registry(tmp_path)
    beyond = {"dataset_hash": "d", "metrics_version": METRICS_VERSION, "statistics": {"num_scored": scored}}
    registry.replace(scorer("a"), "objective", measured(dataset_version="1.0", beyond=beyond))
    entry = registry.objective_metrics()[0]

    assert is_current(entry, dataset_version="1.0", dataset_hash="d", num_scorer_trials=1) is answers


def test_a_line_without_the_content_hash_answers_nothing(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    registry.replace(scorer("a"), "objective", measured(dataset_version="1.0"))

    assert not is_current(registry.objective_metrics()[0], dataset_version="1.0", dataset_hash="d", num_scorer_trials=1)


# Many processes


def writing(folder: Path, name: str, count: int | None = None) -> subprocess.Popen[bytes]:
    """A process that writes so many lines, or the same one for ever."""
    counted = () if count is None else (str(count),)
    return subprocess.Popen([sys.executable, PROGRAMS / "write_registry.py", folder, name, *counted])


@pytest.mark.timeout(1800 if os.environ.get("JUDGECORE_SOAK") else 600)
def test_eight_processes_lose_and_tear_no_line_though_one_is_killed(tmp_path: Path) -> None:
    killed = writing(tmp_path, "same")
    writers = [writing(tmp_path, f"{number}", LINES_EACH) for number in range(7)]
    written = tmp_path / OBJECTIVE_FILE
    while killed.poll() is None and not (written.exists() and b'"same"' in written.read_bytes()):
        time.sleep(0.01)

    killed.kill()
    statuses = [process.wait() for process in (killed, *writers)]

    registry = Registry(tmp_path)
    got = {entry.scorer_identifier.params["name"] for entry in registry.objective_metrics()}
    assert got - {"same"} == {f"{name}-{number}" for name in range(7) for number in range(LINES_EACH)}
    assert registry.problems() == ()
    assert statuses == [-signal.SIGKILL, *[0] * 7]


def test_a_reader_sees_the_old_file_or_the_new_one_though_the_writer_is_killed(tmp_path: Path) -> None:
    assert writing(tmp_path, "before", 20).wait() == 0
    content = tmp_path.joinpath(OBJECTIVE_FILE)

    for round_number in range(5):
        before = content.stat().st_ino
        writer = writing(tmp_path, "same")
        while content.stat().st_ino == before and writer.poll() is None:
            time.sleep(0.001)
        started = time.monotonic()
        while time.monotonic() - started < 0.2 + 0.03 * round_number:
            lines = content.read_bytes().split(b"\n")
            assert lines.pop() == b""
            assert len([json.loads(line) for line in lines]) in {20, 21}
        writer.kill()
        assert writer.wait() == -signal.SIGKILL
        Registry(tmp_path).replace(scorer("before-0"), "objective", measured())
        assert [path for path in content.parent.iterdir() if path.suffix == ".part"] == []

    assert Registry(tmp_path).problems() == ()


# Other writers

HOLD = """
import sys
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def write_metrics(folder: Path) -> None:
    Registry(folder).replace(scorer("a"), "objective", measured())


def write_tag(folder: Path) -> None:
    ScorerRegistry(Registry(folder)).tag("0" * 64, "mine")


WRITERS = [(write_metrics, OBJECTIVE_FILE), (write_tag, Path("tags.json"))]


@pytest.mark.parametrize(("write", "file"), WRITERS)
def test_a_file_that_another_process_holds_too_long_is_named_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None], file: Path
) -> None:
    monkeypatch.setattr(metrics_file, "LOCK_TIMEOUT_S", 0.2)
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", HOLD, path.with_name(f"{path.name}.lock")]

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(RegistryError, match=f"{path.name}: another process has held it .*; try again when it has"):
            write(tmp_path)
        other.communicate("")

    write(tmp_path)
    assert path.stat().st_size


@pytest.mark.parametrize(("write", "file"), WRITERS)
def test_a_folder_that_can_not_be_made_is_named(tmp_path: Path, write: Callable[[Path], None], file: Path) -> None:
    folder = tmp_path / "registry"
    folder.write_text("a file")

    with pytest.raises(RegistryError, match=f"{file.name}: can't be written: .*; it is unchanged"):
        write(folder)

    assert folder.read_text() == "a file"


def test_a_link_in_the_place_of_tags_does_not_lead_the_writer_elsewhere(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}")
    folder = tmp_path / "registry"
    folder.mkdir()
    folder.joinpath("tags.json").symlink_to(other)

    write_tag(folder)

    assert other.read_text() == "{}"
    assert ScorerRegistry(Registry(folder)).tags() == {"mine": ("0" * 64,)}
