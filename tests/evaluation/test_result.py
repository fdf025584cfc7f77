"""Results are kept whole: what is loaded is what was saved, and a torn folder says so."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecore import ComponentIdentifier
from judgecore.errors import EvaluationError
from judgecore.evaluation import (
    DatasetSummary,
    EvaluationCost,
    EvaluationResult,
    HarmScorerMetrics,
    ItemResult,
    ItemTrial,
    Measure,
)

if TYPE_CHECKING:
    from pathlib import Path

    from judgecore.evaluation.item import ItemsKind

METRICS = HarmScorerMetrics(
    num_responses=2,
    num_human_raters=2,
    num_scorer_trials=2,
    mean_absolute_error=0.5,
    mae_standard_error=0.1,
    t_statistic=None,
    p_value=None,
    krippendorff_alpha_combined=None,
)
ITEMS = (
    ItemResult(
        index=0,
        response="first\u2028line\nsecond \U0001f600",
        human=(0.0, None),
        gold=0.0,
        trials=(
            ItemTrial(value=1.0, rationale="why", reply="it is 5", span=(6, 7), rule="marker", ledger_key="k"),
            ItemTrial(value=None, reason="no_verdict", reply="I wonder", attempts=3),
        ),
        model=1.0,
        metadata={"slice": "plain"},
    ),
    ItemResult(
        index=1, response="", human=(1.0, 1.0), gold=1.0, trials=(ItemTrial(value=1.0), ItemTrial(value=1.0)), model=1.0
    ),
    ItemResult(
        index=2,
        response="?",
        human=(1.0, 0.5),
        gold=0.75,
        trials=(ItemTrial(value=None, reason="refused"),),
        model=None,
    ),
)


def result(**changes: Any) -> EvaluationResult:
    given: dict[str, Any] = {
        "scorer_identifier": ComponentIdentifier(class_name="MyScorer", class_module="my", params={"low": 1}),
        "subject": "violence",
        "dataset": DatasetSummary(name="violence.csv", version="1.0", content_hash="d" * 64),
        "metrics": METRICS,
        "measures": (
            Measure(name="mean_absolute_error", value=0.5, low=0.4, high=0.6, baselines={"constant": 0.3}),
            Measure(name="krippendorff_alpha_humans", value=None, reason="one rater"),
        ),
        "slices": {"slice": {"plain": (Measure(name="mean_absolute_error", value=1.0),)}},
        "cost": EvaluationCost(calls=3, seconds=1.5),
        "items": ITEMS,
        **changes,
    }
    return EvaluationResult(**given)


@pytest.mark.parametrize("kinds", [("jsonl",), ("parquet",), ("jsonl", "parquet"), ("parquet", "jsonl")])
def test_what_is_loaded_is_what_was_saved_last(tmp_path: Path, kinds: tuple[ItemsKind, ...]) -> None:
    for kind in kinds[:-1]:
        result(items=ITEMS[:1]).save(tmp_path, items=kind)
    result().save(tmp_path, items=kinds[-1])

    assert EvaluationResult.load(tmp_path) == result()
    assert {one.name for one in tmp_path.iterdir()} == {"evaluation.json", f"items.{kinds[-1]}"}


@pytest.mark.parametrize("kinds", [("jsonl", "parquet"), ("parquet", "jsonl")])
@pytest.mark.parametrize(("renames", "is_new"), [(1, False), (2, True)], ids=["after the items", "after the summary"])
def test_a_save_that_is_killed_leaves_the_old_result_or_the_new_one(
    tmp_path: Path, kinds: tuple[ItemsKind, ItemsKind], renames: int, is_new: bool
) -> None:
    new = tmp_path / "new"
    result().save(new, items=kinds[1])
    old = result(items=ITEMS[:1])
    folder = old.save(tmp_path / "run", items=kinds[0])
    script = f"""
import os, signal
from pathlib import Path
from judgecore.evaluation import EvaluationResult
result, rename, done = EvaluationResult.load({str(new)!r}), Path.replace, []
def rename_and_die(path, to):
    done.append(rename(path, to))
    if len(done) == {renames}:
        os.kill(os.getpid(), signal.SIGKILL)
Path.replace = rename_and_die
result.save({str(folder)!r}, items={kinds[1]!r})
"""

    ended = subprocess.run([sys.executable, "-c", script], check=False).returncode

    assert ended == -signal.SIGKILL
    assert EvaluationResult.load(folder) == (result() if is_new else old)


def test_half_a_character_has_no_utf_8_and_is_replaced_in_parquet(tmp_path: Path) -> None:
    item = ItemResult(
        index=0, response="cut \ud83d in two", human=(1.0,), gold=1.0, trials=(ItemTrial(value=1.0),), model=1.0
    )

    folder = result(items=(item,)).save(tmp_path / "run", items="parquet")

    assert [one.response for one in EvaluationResult.load(folder).items] == ["cut \ufffd in two"]


def test_torn_parquet_is_named(tmp_path: Path) -> None:
    folder = result().save(tmp_path / "run", items="parquet")
    whole = (folder / "items.parquet").read_bytes()
    (folder / "items.parquet").write_bytes(whole[: len(whole) // 2])

    with pytest.raises(EvaluationError, match=r"items\.parquet: no items of an evaluation"):
        EvaluationResult.load(folder)


# Lone surrogates too: a judge may cut an emoji in two.
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(response=ANY_TEXT, reply=ANY_TEXT, rationale=ANY_TEXT)
def test_any_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, response: str, reply: str, rationale: str
) -> None:
    folder = tmp_path_factory.mktemp("run")
    item = ItemResult(
        index=0,
        response=response,
        human=(1.0,),
        gold=1.0,
        trials=(ItemTrial(value=0.0, reply=reply, rationale=rationale),),
        model=0.0,
    )

    result(items=(item,)).save(folder)

    assert EvaluationResult.load(folder).items == (item,)


def test_undetermined_trials_are_counted_by_reason() -> None:
    assert result().undetermined() == {"no_verdict": 1, "refused": 1}


def test_the_worst_disagreement_is_the_first_and_agreement_is_none() -> None:
    worse = ItemResult(index=3, response="", human=(1.0,), gold=0.9, trials=(ItemTrial(value=0.5),), model=0.5)

    assert [one.index for one in result(items=(*ITEMS, worse)).disagreements()] == [0, 3]
    assert [one.index for one in result(items=(*ITEMS, worse)).disagreements(1)] == [0]


def test_a_folder_without_a_result_is_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"evaluation\.json: No such file"):
        EvaluationResult.load(tmp_path)


def test_a_torn_items_file_is_named_with_its_line(tmp_path: Path) -> None:
    folder = result().save(tmp_path)
    items = folder / "items.jsonl"
    items.write_bytes(items.read_bytes()[:-20])

    with pytest.raises(EvaluationError, match=r"items\.jsonl, line 3"):
        EvaluationResult.load(folder)


def test_a_missing_item_is_noticed(tmp_path: Path) -> None:
    folder = result().save(tmp_path)
    items = folder / "items.jsonl"
    items.write_bytes(b"\n".join(items.read_bytes().split(b"\n")[:2]) + b"\n")

    with pytest.raises(EvaluationError, match=r"2 items, but evaluation\.json counts 3"):
        EvaluationResult.load(folder)


def test_a_newer_folder_is_refused(tmp_path: Path) -> None:
    folder = result().save(tmp_path)
    summary = json.loads(folder.joinpath("evaluation.json").read_text())
    folder.joinpath("evaluation.json").write_text(json.dumps({**summary, "version": 99}))

    with pytest.raises(EvaluationError, match="newer judgecore"):
        EvaluationResult.load(folder)


@pytest.mark.parametrize("content", [b"{", b"[]", b"{}", b"\xff"])
def test_a_broken_summary_is_named(tmp_path: Path, content: bytes) -> None:
    folder = result().save(tmp_path)
    folder.joinpath("evaluation.json").write_bytes(content)

    with pytest.raises(EvaluationError, match=r"evaluation\.json"):
        EvaluationResult.load(folder)
