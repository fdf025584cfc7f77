"""Merging ledgers: each request once, with its reply if one of them has it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

import judgecore as jc
from judgecore.errors import CallableError, LedgerError, LedgerLockedError
from judgecore.targets import merge_ledgers

if TYPE_CHECKING:
    from pathlib import Path


def run(path: Path, target: jc.CallableTarget, *prompts: str) -> None:
    """Ask in a ledger, and close it."""
    with jc.Ledger(path) as ledger:
        asyncio.run(jc.send_many(target, [jc.JudgeRequest(prompt) for prompt in prompts], ledger=ledger))


def judge(said: str, name: str = "judge") -> jc.CallableTarget:
    def answer(_: jc.JudgeRequest) -> str:
        if said == "error":
            raise CallableError("no")
        return said

    return jc.CallableTarget(answer, name=name)


def replies(path: Path) -> dict[tuple[str, str], str | None]:
    with jc.LedgerReader(path) as ledger:
        return {
            (entry.request["turns"][0]["text"], entry.identity["underlying_model_name"]): entry.reply().text
            if entry.state == "received"
            else entry.state
            for entry in ledger.entries()
        }


def test_shards_become_one_ledger_and_stay_as_they_are(tmp_path: Path) -> None:
    shards = [tmp_path / f"{number}.ledger" for number in range(12)]
    for number, shard in enumerate(shards):
        run(shard, judge("Yes"), f"question {number}", "shared")
        run(shard, judge("No", "other"), f"question {number}")

    merged = merge_ledgers(tmp_path / "all.ledger", shards)

    assert (merged.rows, merged.added, merged.received, merged.conflicts) == (25, 25, 25, 0)
    assert replies(tmp_path / "all.ledger") == {
        ("shared", "judge"): "Yes",
        **{(f"question {number}", "judge"): "Yes" for number in range(12)},
        **{(f"question {number}", "other"): "No" for number in range(12)},
    }
    assert len(replies(shards[0])) == 3


def test_a_reply_wins_over_none_whichever_came_first(tmp_path: Path) -> None:
    answered, failed, into = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    run(answered, judge("Yes"), "question")
    run(failed, judge("error"), "question")

    for order in ([answered, failed], [failed, answered]):
        merge_ledgers(into, order)
        assert replies(into) == {("question", "judge"): "Yes"}
        into.unlink()


def test_two_replies_to_one_question_are_counted_and_the_first_is_kept(tmp_path: Path) -> None:
    one, other, into = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    run(one, judge("Yes"), "question")
    run(other, judge("No"), "question")

    merged = merge_ledgers(into, [one, other, other])

    assert (merged.rows, merged.conflicts) == (1, 2)
    assert replies(into) == {("question", "judge"): "Yes"}


def test_a_run_goes_on_from_a_merged_ledger(tmp_path: Path) -> None:
    run(tmp_path / "a", judge("Yes"), "first")
    run(tmp_path / "b", judge("Yes"), "second")
    merge_ledgers(tmp_path / "c", [tmp_path / "a", tmp_path / "b"])

    run(tmp_path / "c", judge("No"), "first", "second", "third")

    assert list(replies(tmp_path / "c").values()) == ["Yes", "Yes", "No"]


def test_what_is_no_ledger_or_is_being_written_is_refused_before_anything_is_added(tmp_path: Path) -> None:
    run(tmp_path / "a", judge("Yes"), "question")
    (tmp_path / "text").write_text("no ledger\n" * 200)

    with pytest.raises(LedgerError, match="not a ledger"):
        merge_ledgers(tmp_path / "into", [tmp_path / "a", tmp_path / "text"])
    with pytest.raises(LedgerError, match="into itself"):
        merge_ledgers(tmp_path / "a", [tmp_path / "a"])
    with jc.Ledger(tmp_path / "into"), pytest.raises(LedgerLockedError):
        merge_ledgers(tmp_path / "into", [tmp_path / "a"])

    assert replies(tmp_path / "into") == {}
