"""The distribution of scores in a summary: true and false, the values of a scale, or tenths of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from judgecore.cli.score_tally import ScoreTally
from judgecore.scorers import Score

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from cli.conftest import Program


def tally_of(values: Sequence[bool | float | None]) -> ScoreTally:
    tally = ScoreTally()
    for value in values:
        kind = "true_false" if isinstance(value, bool) else "float_scale"
        score = Score.undetermined(kind, "empty") if value is None else Score(score_type=kind, score_value=str(value))
        tally.add_scores([score])
    return tally


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([], []),
        ([None], []),
        ([True, True, False, None], [("true", 2), ("false", 1)]),
        ([False], [("true", 0), ("false", 1)]),
        ([0.0, 1.0, 1.0], [("0.00", 1), ("1.00", 2)]),
        ([0.25, 0.75, 0.25, None], [("0.25", 2), ("0.75", 1)]),
    ],
)
def test_values_are_counted_and_undetermined_rows_are_not(
    values: Sequence[bool | float | None], shown: list[tuple[str, int]]
) -> None:
    assert tally_of(values).distribution == shown


def test_many_different_values_are_counted_by_tenths_and_none_is_lost() -> None:
    distribution = tally_of([number / 100 for number in range(101)]).distribution

    assert [label for label, _ in distribution] == [f"{n / 10:.1f}-{(n + 1) / 10:.1f}" for n in range(10)]
    assert [count for _, count in distribution] == [10] * 9 + [11]


def test_the_summary_shows_the_distribution(judgecore: Program, write: Callable[..., Path]) -> None:
    write("s.yaml", "type: SubStringScorer\nsubstring: can\n")
    write("r.jsonl", "".join(json.dumps({"response": text}) + "\n" for text in ("I can.", "No.", "Can I?", "We can.")))

    shown = judgecore("score", "r.jsonl", "--scorer", "s.yaml").stdout
    counted = json.loads(judgecore("score", "r.jsonl", "--scorer", "s.yaml", "--json").stdout)["distribution"]

    assert counted == {"true": 3, "false": 1}
    assert [line.split() for line in shown.splitlines() if "█" in line] == [
        ["true", "3", "█" * 40],
        ["false", "1", "█" * 14],
    ]
