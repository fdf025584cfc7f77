"""Two responses: correctness, comparison, preference in both orders."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import judgecore as jc

PAIR = {"question": "What is 2 + 2?", "response_a": "four", "response_b": "five"}


def prefers(words: str) -> Any:
    """A judge that prefers the response with some words, wherever it stands."""

    def answer(request: jc.JudgeRequest) -> str:
        first = request.turns[0].text.partition("<response A ")[2].partition("</response A ")[0]
        return "It is better. [[A]]" if words in first else "It is better. [[B]]"

    return answer


def pair(scorer: Any, **options: Any) -> list[jc.Score]:
    return asyncio.run(scorer.score_pair_async(**PAIR, **options))


class TestCorrectness:
    @pytest.mark.parametrize(
        ("form", "reply", "want"),
        [("yes/no", "Yes", True), ("yes/no", "**No**", False), ("0/1", "1", True), ("0/1", "**0**", False)],
    )
    def test_a_prediction_is_held_against_the_known_answer(self, judge: Any, form: Any, reply: str, want: bool) -> None:
        target = judge(reply)
        scorer = jc.scorers.CorrectnessScorer(chat_target=target, output_format=form)

        [score] = asyncio.run(scorer.score_answer_async(question="What is 2 + 2?", answer="4", prediction="four"))

        shown = target.requests[0].turns[0].text
        assert score.get_value() is want
        assert all(f"\n{words}\n" in shown for words in ("What is 2 + 2?", "4", "four"))
        assert ("Yes" if form == "yes/no" else "1") in target.requests[0].system

    def test_the_objective_is_the_question_where_none_is_given(self, judge: Any) -> None:
        target = judge("Yes")

        asyncio.run(
            jc.scorers.CorrectnessScorer(chat_target=target).score_text_async(
                "4", objective="2 + 2?", fields={"answer": "4"}
            )
        )

        assert "\n2 + 2?\n" in target.requests[0].turns[0].text

    def test_a_known_answer_is_needed(self, judge: Any) -> None:
        with pytest.raises(jc.errors.PromptError, match=r"has no answer, which the prompt shows"):
            asyncio.run(
                jc.scorers.CorrectnessScorer(chat_target=judge("Yes")).score_text_async("4", objective="2 + 2?")
            )

    def test_an_unknown_form_is_refused(self, judge: Any) -> None:
        with pytest.raises(ValueError, match="output_format must be 'yes/no' or '0/1', not 'ja/nein'"):
            jc.scorers.CorrectnessScorer(chat_target=judge(""), output_format="ja/nein")  # pyright: ignore[reportArgumentType] - the mistake


class TestComparison:
    def test_each_response_gets_its_number(self, judge: Any) -> None:
        first, second = pair(jc.scorers.ComparativeScorer(chat_target=judge("10 5.5\nA is right.")))

        assert (first.get_value(), second.get_value()) == (1, 0.5)
        assert (first.score_metadata["response"], second.score_metadata["level"]) == ("A", 5.5)

    def test_no_numbers_are_no_scores(self, judge: Any) -> None:
        first, second = pair(jc.scorers.ComparativeScorer(chat_target=judge("Both are fine.")))

        assert first.is_undetermined
        assert second.is_undetermined

    def test_context_is_shown(self, judge: Any) -> None:
        target = judge("1 1")

        pair(jc.scorers.ComparativeScorer(chat_target=target), context="Sums.")

        assert "\nSums.\n" in target.requests[0].turns[0].text

    def test_a_prompt_that_hides_one_response_is_refused(self, judge: Any) -> None:
        blind = jc.PromptTemplate(text="{{ response_a }}", parameters=("response_a",))

        with pytest.raises(jc.errors.PromptError, match="has no slot 'response_b'"):
            jc.scorers.ComparativeScorer(chat_target=judge(""), prompt_path=blind)


class TestPreference:
    @pytest.mark.parametrize(("words", "want"), [("four", 1.0), ("five", 0.0)])
    def test_the_same_choice_in_both_orders_is_a_preference(self, judge: Any, words: str, want: float) -> None:
        target = judge(prefers(words))

        [score] = pair(jc.scorers.PairwiseScorer(chat_target=target))

        assert score.get_value() == want
        assert score.score_metadata["is_consistent"] is True
        assert "position" not in score.score_metadata
        assert len(target.requests) == 2

    @pytest.mark.parametrize(("reply", "position"), [("[[A]]", "first"), ("[[B]]", "second")])
    def test_a_choice_of_place_is_a_tie_and_named(self, judge: Any, reply: str, position: str) -> None:
        [score] = pair(jc.scorers.PairwiseScorer(chat_target=judge(reply)))

        assert score.get_value() == 0.5
        assert score.score_metadata["position"] == position
        assert score.score_metadata["is_consistent"] is False
        assert {score.score_metadata["order_ab"], score.score_metadata["order_ba"]} == {"A", "B"}

    def test_or_undetermined_where_the_caller_says_so(self, judge: Any) -> None:
        [score] = pair(jc.scorers.PairwiseScorer(chat_target=judge("[[A]]"), disagreement="undetermined"))

        assert (score.undetermined_reason, score.score_metadata["position"]) == ("undecided", "first")

    def test_a_tie_and_a_win_are_a_tie(self, judge: Any) -> None:
        [score] = pair(jc.scorers.PairwiseScorer(chat_target=judge("[[A]]", "[[C]]")))

        assert (score.get_value(), score.score_metadata["is_consistent"]) == (0.5, False)

    def test_two_ties_are_a_tie(self, judge: Any) -> None:
        [score] = pair(jc.scorers.PairwiseScorer(chat_target=judge("[[C]]")))

        assert (score.get_value(), score.score_metadata["is_consistent"]) == (0.5, True)

    def test_a_tie_that_is_not_allowed_is_asked_again(self, judge: Any) -> None:
        target = judge("[[C]]", "[[A]]")

        [score] = pair(jc.scorers.PairwiseScorer(chat_target=target, allow_tie=False, orders="given"))

        assert (score.get_value(), score.attempts) == (1, 2)
        assert "[[C]]" not in target.requests[0].system

    def test_one_order_that_can_not_be_read_leaves_it_undetermined(self, judge: Any) -> None:
        [score] = pair(jc.scorers.PairwiseScorer(chat_target=judge("[[A]]", "Hard to say."), max_reading_attempts=1))

        assert score.undetermined_reason == "no_verdict"
        assert [part.is_undetermined for part in score.parts] == [False, True]

    def test_bias_is_summed_up(self, judge: Any) -> None:
        replies = [("[[A]]", "[[A]]"), ("[[A]]", "[[B]]"), ("[[B]]", "[[B]]"), ("[[C]]", "[[C]]"), ("[[A]]", "hm")]
        scores = [pair(jc.scorers.PairwiseScorer(chat_target=judge(*said), max_reading_attempts=1)) for said in replies]

        bias = jc.scorers.PairwiseScorer.position_bias(scores)

        counts = (bias.num_pairs, bias.num_consistent, bias.num_first, bias.num_second, bias.num_missing)
        assert counts == (4, 2, 1, 1, 1)
        assert (bias.consistency, bias.preference_fairness) == (0.5, 0.0)
        assert jc.scorers.PairwiseScorer.position_bias([]).consistency is None

    def test_a_pair_that_leans_to_a_place_counts_though_it_ties_in_the_other_order(self, judge: Any) -> None:
        replies = [("[[A]]", "[[C]]"), ("[[C]]", "[[B]]"), ("[[C]]", "[[B]]")]
        scores = [pair(jc.scorers.PairwiseScorer(chat_target=judge(*said))) for said in replies]

        bias = jc.scorers.PairwiseScorer.position_bias(scores)

        assert (bias.num_first, bias.num_second, bias.consistency) == (1, 2, 0.0)

    def test_trials_of_a_pair_are_one_pair(self, judge: Any) -> None:
        replies = [("[[A]]", "[[B]]"), ("[[A]]", "[[A]]"), ("[[A]]", "[[B]]"), ("hm", "hm")]
        trials = [
            pair(jc.scorers.PairwiseScorer(chat_target=judge(*said), max_reading_attempts=1))[0] for said in replies
        ]

        bias = jc.scorers.PairwiseScorer.position_bias([trials])

        assert (bias.num_pairs, bias.num_consistent, bias.num_missing) == (1, 1, 0)

    def test_pairs_of_one_order_have_no_bias(self, judge: Any) -> None:
        scores = pair(jc.scorers.PairwiseScorer(chat_target=judge("[[A]]"), orders="given"))

        assert jc.scorers.PairwiseScorer.position_bias([scores]).num_missing == 1

    @pytest.mark.parametrize("option", [{"orders": "one"}, {"disagreement": "coin"}])
    def test_unknown_options_are_refused(self, judge: Any, option: Any) -> None:
        with pytest.raises(ValueError, match="must be"):
            jc.scorers.PairwiseScorer(chat_target=judge(""), **option)
