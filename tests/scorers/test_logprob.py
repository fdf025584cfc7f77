"""``LogprobScorer``: scores from the probabilities of tokens, over HTTP and in every way that they can be missing."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

import judgecore as jc

TOP = {"Yes": 0.6, "No": 0.2, " yes": 0.1}


def entry(text: str, probability: float) -> dict[str, Any]:
    return {"token": text, "logprob": math.log(probability), "bytes": list(text.encode())}


def content(text: str, top: dict[str, float]) -> list[dict[str, Any]]:
    return [{**entry(text, top[text]), "top_logprobs": [entry(*one) for one in top.items()]}]


def reply(text: str, top: dict[str, float], **options: Any) -> jc.JudgeReply:
    return jc.JudgeReply(text=text, logprobs=content(text, top), **options)


def score(scorer: jc.Scorer, text: str = "You fool.") -> jc.Score:
    [found] = asyncio.run(scorer.score_text_async(text, objective="Greet me."))
    return found


STATEMENT = "Say whether the response is rude."


def test_the_score_is_the_probability_of_yes_as_an_endpoint_sends_it(serve_judge: Any) -> None:
    def answer(_: dict[str, Any]) -> dict[str, Any]:
        message = {"role": "assistant", "content": "Yes"}
        return {"message": message, "logprobs": {"content": content("Yes", TOP), "refusal": None}}

    with serve_judge(answer) as judge:
        found = score(jc.scorers.LogprobScorer(chat_target=judge.target(), statement=STATEMENT, category="rudeness"))

    [body] = judge.bodies
    assert (body["logprobs"], body["top_logprobs"]) == (True, 20)
    assert STATEMENT in body["messages"][0]["content"]
    assert "Answer with Yes or No and nothing else" in body["messages"][0]["content"]
    assert found.get_value() == pytest.approx(0.7 / 0.9)
    assert found.score_metadata["mass"] == pytest.approx(0.9)
    assert found.score_metadata["probability"] == found.get_value()
    assert found.score_category == ["rudeness"]
    assert found.score_type == "float_scale"
    assert isinstance(found.reading, jc.Reading)
    assert found.reading.rule == "logprobs"


def test_an_endpoint_without_probabilities_leaves_the_score_undetermined(serve_judge: Any) -> None:
    with serve_judge(lambda _: "Yes") as judge:
        found = score(jc.scorers.LogprobScorer(chat_target=judge.target(), statement=STATEMENT, max_reading_attempts=2))

    assert (found.is_undetermined, found.undetermined_reason, found.attempts) == (True, "missing", 2)


def test_little_mass_is_asked_again_and_the_next_reply_counts(judge: Any) -> None:
    target = judge(reply("The", {"The": 0.8, "Yes": 0.1}), reply("Yes", TOP))

    found = score(jc.scorers.LogprobScorer(chat_target=target, statement=STATEMENT))

    assert found.attempts == 2
    assert found.get_value() == pytest.approx(0.7 / 0.9)


def test_little_mass_in_all_replies_is_undetermined_and_never_a_half(judge: Any) -> None:
    found = score(
        jc.scorers.LogprobScorer(chat_target=judge(reply("The", {"The": 0.8, "Yes": 0.1})), statement=STATEMENT)
    )

    assert (found.is_undetermined, found.undetermined_reason) == (True, "low_mass")


def test_an_expectation_lies_between_the_ends_of_its_scale(judge: Any) -> None:
    target = judge(reply("4", {"4": 0.6, "5": 0.4}))

    found = score(jc.scorers.LogprobScorer(chat_target=target, format="g_eval", statement="Say how coherent it is."))

    assert found.get_value() == pytest.approx(0.85)
    assert found.score_metadata["level"] == pytest.approx(4.4)
    assert "one number from 1 to 5" in target.requests[0].system


def test_a_guard_is_asked_as_its_chat_template_expects(judge: Any) -> None:
    target = judge(reply("unsafe", {"unsafe": 0.8, "safe": 0.15}))

    found = score(jc.scorers.LogprobScorer(chat_target=target, format="llama_guard.3"))

    [request] = target.requests
    assert request.system is None
    assert [(turn.role, turn.text) for turn in request.turns] == [("user", "Greet me."), ("assistant", "You fool.")]
    assert found.get_value() == pytest.approx(0.8)


@pytest.mark.parametrize("side", ["response", "prompt"])
def test_a_guard_of_two_sides_is_scored_on_the_one_that_was_asked_about(judge: Any, side: Any) -> None:
    lines = [
        {**entry("Harmful request:", 1.0), "top_logprobs": []},
        *content(" no", {" no": 0.9, " yes": 0.1}),
        {**entry("\nResponse refusal: no\nHarmful response:", 1.0), "top_logprobs": []},
        *content(" yes", {" yes": 0.6, " no": 0.4}),
    ]
    target = judge(jc.JudgeReply(text="".join(str(one["token"]) for one in lines), logprobs=lines))

    found = score(jc.scorers.LogprobScorer(chat_target=target, format="wild_guard", side=side))

    assert found.get_value() == pytest.approx(0.6 if side == "response" else 0.1)


def test_a_reply_cut_off_before_its_verdict_is_truncated(judge: Any) -> None:
    lines = [{**entry("I think of a Rating: [[", 1.0), "top_logprobs": []}, *content("8", {"8": 1.0})]
    cut = jc.JudgeReply(text="I think of a Rating: [[8", logprobs=lines, outcome="cut")

    found = score(jc.scorers.LogprobScorer(chat_target=judge(cut), format="mt_bench.single", statement="Rate it."))

    assert (found.is_undetermined, found.undetermined_reason) == (True, "truncated")


def test_a_cut_does_not_matter_where_the_first_token_is_the_verdict(judge: Any) -> None:
    target = judge(reply("unsafe", {"unsafe": 0.8, "safe": 0.15}, outcome="cut"))

    assert score(jc.scorers.LogprobScorer(chat_target=target, format="llama_guard.3")).get_value() == pytest.approx(0.8)


@pytest.mark.parametrize("outcome", ["refused", "filtered"])
def test_a_reply_that_was_refused_is_refused(judge: Any, outcome: Any) -> None:
    found = score(jc.scorers.LogprobScorer(chat_target=judge(reply("Yes", TOP, outcome=outcome)), statement=STATEMENT))

    assert (found.is_undetermined, found.undetermined_reason) == (True, "refused")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "say in statement= what the judge is asked"),
        ({"statement": "x", "side": "prompt"}, "belong to guards"),
        ({"statement": "x", "format": "llama_guard.3"}, "guards are asked in words of their own"),
        ({"statement": "x", "format": "mt_bench.pair"}, "chooses between labels"),
        ({"statement": "x", "format": "judgelm"}, "no verdict that is one label or one number"),
        ({"statement": "x", "min_mass": 2}, "min_mass must be from 0 to 1"),
        ({"statement": "x", "top_logprobs": 0}, "top_logprobs must be at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_cure(judge: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        jc.scorers.LogprobScorer(chat_target=judge("Yes"), **options)
