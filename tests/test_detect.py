"""Detecting formats, and proposing one where none fits."""

from __future__ import annotations

import itertools
import json
import os
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import judgecore as jc
from judgecore.detecting import EvenSample
from judgecore.proposing import propose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from judgecore.proposing import Proposal

# The formats that read a family's replies as they were meant.
FITTING = {
    "alpaca_eval_ranking_json": {"alpaca_eval.ranking"},
    "alpaca_eval_single_token": {"alpaca_eval.token"},
    "inspect_model_graded": {"inspect.model_graded"},
    "llmbar_conflict": {"llmbar.pair", "llmbar.cot"},
    "llmbar_pairwise": {"llmbar.pair", "llmbar.cot"},
    "llmbar_rating": {"lmms_eval.score", "reward_bench.rating", "trulens.rating_0_10"},
    "mtbench_pair": {"compass_judger.pair", "mt_bench.pair"},
    "mtbench_single": {
        "auto_j.single",
        "compass_judger.rating",
        "garak.rating",
        "langchain.score_string",
        "mt_bench.single",
        "mt_bench_101",
    },
    "vicuna_review_pairs": {"judgelm", "lmms_eval.comparative"},
}
# Bare digits, the codes of three labels: whatever reads bare numbers reads them, and must be shown as equal.
CODES = {
    "kover_gptoss_ko": {
        "lmms_eval.score",
        "promptfoo.select_best",
        "ragas.groundedness",
        "trulens.rating_0_10",
        "trulens.rating_0_3",
    }
}
# The verdict's line is not in these replies, so that no format fits; this one is the nearest.
NEAREST = {"pandalm_reason_prose": "pandalm"}

WORDS = ["good", "bad"]


@pytest.fixture(scope="session")
def families(shared: Path) -> dict[str, list[str]]:
    """The replies of each family of the corpora, those that hold text."""
    files = sorted((shared / "corpora").glob("*.jsonl"))
    rows = {file.stem: map(json.loads, file.read_text("utf-8").splitlines()) for file in files}
    return {name: [row["raw"] for row in some if row["raw"]] for name, some in rows.items()}


def is_right(family: str, found: list[jc.detecting.Detected]) -> bool:
    """Whether the first choice for a family is right, or none where none of the built-in formats is."""
    first = [one for one in found if one.rank == 1]
    if family in FITTING:
        return first[0].fits and first[0].format.id in FITTING[family]
    if family in CODES:
        return {one.format.id for one in first} == CODES[family]
    if family in NEAREST and first[0].format.id != NEAREST[family]:
        return False
    return not any(one.fits for one in found)


def is_confidently_wrong(family: str, found: list[jc.detecting.Detected]) -> bool:
    """Whether a format fits best, is no format of the family's, and shares its rank with none that is."""
    right = FITTING.get(family, set()) | CODES.get(family, set())
    best = {one.format.id for one in found if one.rank == 1 and one.fits}
    return bool(best) and not best & right


def numbered(make: Callable[[int], str], n: int = 40) -> list[str]:
    return [make(nth) for nth in range(n)]


def proposed(replies: list[str]) -> Proposal:
    proposal = propose(replies)
    assert proposal is not None
    return proposal


def fitting(found: Iterable[jc.detecting.Detected]) -> list[str]:
    return [one.format.id for one in found if one.fits]


def test_first_choice_from_50_replies_of_a_family_is_right_and_never_confidently_wrong(
    families: dict[str, list[str]],
) -> None:
    found = {name: jc.detect(replies, limit=50) for name, replies in families.items()}

    right = {name: is_right(name, some) for name, some in found.items()}
    assert len(right) >= 20
    assert sum(right.values()) >= 0.95 * len(right), [name for name, is_so in right.items() if not is_so]
    assert [name for name, some in found.items() if is_confidently_wrong(name, some)] == []


@pytest.mark.skipif("JUDGECORE_SOAK" not in os.environ, reason="one sample is enough for make test")
def test_no_choice_from_any_50_replies_is_confidently_wrong(families: dict[str, list[str]]) -> None:
    for seed in range(10):
        drawn = {name: random.Random(seed).sample(some, min(50, len(some))) for name, some in families.items()}  # noqa: S311
        found = {name: jc.detect(some) for name, some in drawn.items()}

        assert [name for name, some in found.items() if is_confidently_wrong(name, some)] == [], seed


@pytest.mark.parametrize(
    "format_", [one for one in jc.formats() if one.evidence_level != "convention"], ids=lambda format_: format_.id
)
def test_a_formats_own_examples_are_detected_as_it(format_: jc.Format) -> None:
    replies = [one["reply"] for one in format_.examples if "value" in (one.get("strict") or {}) and not one["cut"]]

    found = jc.detect(replies)

    assert replies
    assert format_.id in [one.format.id for one in found if one.rank == 1 and one.fits]


def test_formats_that_read_alike_share_a_rank() -> None:
    found = jc.detect(["Clear. Rating: [[8]]", "Vague. Rating: [[3]]", "Wrong. Rating: [[1]]"])

    first = {one.format.id for one in found if one.rank == 1}
    assert first == FITTING["mtbench_single"]
    assert found[len(first)].rank == len(first) + 1


def test_labels_of_other_names_make_no_difference() -> None:
    found = jc.detect(["It is [[A]]", "It is [[B]]", "It is [[C]]"])

    # For one of them C is a tie, for another the third candidate: the replies don't say.
    assert {"mt_bench.pair", "reward_bench.four"} <= {one.format.id for one in found if one.rank == 1}


@pytest.mark.parametrize(
    ("name", "replies"),
    [
        ("prose", numbered(lambda n: f"The weather on day {n} is mild, and most people go for a walk by the sea.")),
        ("paragraphs", numbered(lambda n: f"Chapter {n}\n\nThe train left.\n\nIt was {n} minutes late, as always.")),
        ("numbers", numbered(lambda n: f"{n * 0.37 % 9:.2f},{n * 0.71 % 9:.2f},{n * 0.13 % 9:.2f}")),
        ("pairs of measurements", numbered(lambda n: f"{n * 0.37 % 9:.2f},{n * 0.71 % 9:.2f}")),
        ("measurements", numbered(lambda n: f"{n * 0.37 % 9:.2f}")),
        ("counts", numbered(lambda n: str(n * 37 % 99))),
        ("code", numbered(lambda n: f"def f{n}(x):\n    return x + {n}\n")),
        ("names", numbered(lambda n: ["Alice", "Bob", "Carol"][n % 3])),
        ("other documents", numbered(lambda n: json.dumps({"id": n, "name": f"user {n}", "score": n % 10}))),
        ("chat", numbered(lambda n: ["Yes, of course.", "It depends.", "No, I can't today.", "Sure, why not?"][n % 4])),
        ("a longer label", numbered(lambda n: f"Fine.\n\nFINAL SCORE: {n % 10 + 1}")),
    ],
)
def test_text_of_no_known_format_fits_none(name: str, replies: list[str]) -> None:
    assert fitting(jc.detect(replies)) == [], name


@pytest.mark.parametrize(
    "reply",
    [
        lambda n: f"A text of its own, number {n}.\n\nScore: {n % 10 + 1}",
        lambda n: f"A text of its own, number {n}.\n\nScore: {n % 10 + 1}/10",
        lambda n: f"A text of its own, number {n}.\n\nMark: {n % 5 + 1}",
        lambda n: f"A text of its own, number {n}.\n\nVerdict: {'AB'[n % 2]}",
        lambda n: f"{['Yes', 'No'][n % 2]}. The reason for it has the number {n}.",
        lambda n: json.dumps({"rating": n % 5 + 1, "explanation": f"text {n}"}),
        lambda n: json.dumps({"reasoning": f"text {n}", "score": n % 5 + 1}),
        lambda n: json.dumps({"verdict": ["yes", "no"][n % 2], "comment": f"text {n}"}),
        lambda n: str([40, 60, 70, 85, 90, 95][n % 6]),
    ],
)
def test_a_common_label_or_key_alone_fits_no_format(reply: Callable[[int], str]) -> None:
    replies = numbered(reply)

    assert fitting(jc.detect(replies)) == []
    assert propose(replies) is not None


def test_a_document_in_a_fence_is_detected_though_strict_reading_refuses_it() -> None:
    replies = numbered(
        lambda n: f'```json\n{{"reason": "r{n}", "pass": {str(n % 2 > 0).lower()}, "score": {n % 3}}}\n```'
    )

    first = jc.detect(replies)[0]

    assert (first.format.id, first.fits, first.strict, first.lenient) == ("promptfoo.llm_rubric", True, 0.0, 1.0)


def test_shares_agreement_and_examples_are_those_of_the_sample() -> None:
    replies = ["Fine. Rating: [[8]]", "Poor. Rating: [[2]]", "I would give it a 6 out of 10.", "Nothing here."]

    found = jc.detect(replies)[0]

    assert (found.rank, found.fits, found.strict, found.lenient) == (1, True, 0.5, 0.75)
    assert found.agreement == pytest.approx(2 / 3)
    assert [(reply, reading.value) for reply, reading in found.examples] == [(replies[0], 8), (replies[1], 2)]


def test_detection_is_deterministic_and_bounded_by_the_limit() -> None:
    replies = numbered(lambda n: f"Reply {n}. Rating: [[{n % 10 + 1}]]", 1000)

    first, again = jc.detect(replies, limit=7), jc.detect(replies, limit=7)

    assert first == again
    assert {round(one.strict * 7, 6) % 1 for one in first} == {0.0}


def test_missing_and_blank_replies_do_not_count() -> None:
    with_gaps = jc.detect([None, "", " \n", "GRADE: C", None, "GRADE: I"])

    assert with_gaps == jc.detect(["GRADE: C", "GRADE: I"])
    assert jc.detect([]) == jc.detect([None, ""]) == []


def test_columns_are_taken_as_parse_many_takes_them() -> None:
    replies = ["GRADE: C", None, "GRADE: I"]
    expected = jc.detect(replies)

    assert jc.detect(np.array(replies, dtype=object)) == expected
    assert jc.detect(reply for reply in replies) == expected
    pa = pytest.importorskip("pyarrow", reason="not installed here: make test")
    assert jc.detect(pa.array(replies)) == expected
    assert jc.detect(pa.chunked_array([replies])) == expected
    assert jc.detect(pa.array(replies).dictionary_encode()) == expected
    assert jc.detect(pa.table({"raw": replies})) == expected


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match=f"limit must be at least 1, not {limit}"):
        jc.detect(["GRADE: C"], limit=limit)


@pytest.mark.parametrize(
    ("replies", "words"),
    [
        ("GRADE: C", "not str"),
        (["GRADE: C", 5], r"replies\[1\] must be a str or None, not int"),
    ],
)
def test_an_argument_that_is_not_a_list_of_replies_is_refused(replies: object, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        jc.detect(replies)


@settings(max_examples=25)
@given(st.lists(st.none() | st.text() | st.sampled_from(["8", "[[A]]", '{"score": 3}', "Yes\ud800", "A > B"])))
def test_any_texts_give_shares_between_0_and_1_and_ranks_in_order(replies: list[str | None]) -> None:
    found = jc.detect(replies)

    shares = [share for one in found for share in (one.strict, one.lenient, one.agreement, one.similarity)]
    assert all(0 <= share <= 1 for share in shares)
    assert [one.rank for one in found] == sorted(one.rank for one in found)
    assert all(one.examples for one in found)


@given(st.lists(st.text(min_size=1) | st.sampled_from(["GRADE: \ud800", "x: 5", '{"a": "ß"}', '{"a": "ss"}', "A > B"])))
def test_any_texts_have_a_proposal_that_reads_most_of_them_or_none(replies: list[str]) -> None:
    proposal = propose(replies)

    assert proposal is None or (0.6 <= proposal.share <= 1 and proposal.examples)


@given(st.lists(st.integers(0, 50)), st.integers(1, 9))
def test_a_sample_of_a_stream_is_even_bounded_and_whole_while_it_fits(batches: list[int], limit: int) -> None:
    sample = EvenSample(limit)
    rows = 0
    for n in batches:
        first = rows
        sample.add(n, lambda nth, first=first: str(first + nth))
        rows += n

    places = [int(place) for place in sample.chosen()]
    assert len(places) == min(rows, limit)
    assert len(sample.replies) <= 2 * limit + 1
    gaps = [after - before for before, after in itertools.pairwise(places)]
    assert not gaps or max(gaps) <= 2 * min(gaps) + 1


def test_an_unknown_marker_and_its_labels_are_proposed() -> None:
    replies = numbered(lambda n: f"Answer {n} names the river.\nMY VERDICT => {WORDS[n % 2]}")

    proposal = proposed(replies)

    assert jc.detect(replies) == []
    assert proposal.share == 1
    expected = jc.Format.choice({"bad": ["bad"], "good": ["good"]}, markers=["MY VERDICT => {}"])
    assert proposal.format.hash == expected.hash
    assert proposal.examples[0][1].value == "good"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (lambda n: f"Fine.\n\n**FINAL SCORE: {n % 10 + 1}**", jc.Format.score(1, 10, markers=["FINAL SCORE: {}"])),
        (lambda n: f"好。\n【总分】{n % 6}分。", jc.Format.score(0, 5, markers=["【总分】{}分"])),
        (
            lambda n: f"Fine.\n<final>{['keep', 'drop'][n % 2]}</final>",
            jc.Format.choice({"drop": ["drop"], "keep": ["keep"]}, markers=["<final>{}</final>"]),
        ),
        (
            lambda n: f"Clarity: {n % 5 + 1}\nSafe: {['yes', 'no'][n % 2]}\nThoughts: a text of its own, number {n}",
            jc.Format.fields(
                {"Clarity": jc.Format.score(1, 5), "Safe": jc.Format.binary(true=["yes"], false=["no"])},
            ),
        ),
        (
            lambda n: json.dumps({"thoughts": f"text {n}", "grade": ["pass", "fail"][n % 2]}),
            jc.Format.json_field("grade", jc.Format.choice({"fail": ["fail"], "pass": ["pass"]})),
        ),
        (
            lambda n: json.dumps({"style": {"score": n % 5 + 1, "why": f"text {n}"}, "safe": n % 2 > 0}),
            jc.Format.json_fields(
                {"style.score": jc.Format.score(1, 5), "safe": jc.Format.binary(true=["true"], false=["false"])},
            ),
        ),
        (
            lambda n: f"A text of its own, number {n}.\n\n{['Acceptable', 'Poor'][n % 2]}",
            jc.Format.choice({"Acceptable": ["Acceptable"], "Poor": ["Poor"]}, place="last_line"),
        ),
        (
            lambda n: f"{['Yes', 'No'][n % 2]}. The reason for it has the number {n}.",
            jc.Format.binary(true=["Yes"], false=["No"], place="first_word"),
        ),
        (
            lambda n: f"The order is: {['Essay A > Essay B', 'Essay B > Essay A', 'Essay A = Essay B'][n % 3]}",
            jc.Format.order(2, names=["Essay A", "Essay B"]),
        ),
    ],
)
def test_labels_in_the_verdicts_place_are_proposed(
    reply: Callable[[int], str], expected: jc.Format, tmp_path: Path
) -> None:
    proposal = proposed(numbered(reply))

    assert proposal.format.hash == expected.hash
    assert eval(proposal.python, {"jc": jc}).hash == proposal.format.hash  # noqa: S307 - the call is what is shown
    (tmp_path / "my_judge.toml").write_text(proposal.toml, "utf-8")
    assert jc.Format.from_toml(tmp_path / "my_judge.toml").hash == expected.hash


def test_prose_has_no_proposal(families: dict[str, list[str]]) -> None:
    assert propose(numbered(lambda n: f"The weather on day {n} is mild, and people walk by the sea.")) is None
    assert propose(families["pandalm_reason_prose"][:200]) is None
