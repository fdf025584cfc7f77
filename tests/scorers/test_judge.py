"""Asking again, custom parsers, trials: what every scorer does that asks a judge."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

import judgecore as jc

GOOD = '{"score_value": true, "rationale": "r"}'


def score(scorer: jc.Scorer, text: str = "the response", **options: Any) -> jc.Score:
    [one] = asyncio.run(scorer.score_text_async(text, **options))
    return one


class TestAskingAgain:
    def test_a_readable_reply_ends_it(self, judge: Any) -> None:
        target = judge("hm", GOOD, "never asked")

        one = score(jc.scorers.SelfAskTrueFalseScorer(chat_target=target))

        assert (one.get_value(), one.attempts, len(target.requests)) == (True, 2, 2)

    @pytest.mark.parametrize("limit", [1, 2, 5])
    def test_the_limit_is_kept(self, judge: Any, limit: int) -> None:
        target = judge("hm")

        one = score(jc.scorers.SelfAskTrueFalseScorer(chat_target=target, max_reading_attempts=limit))

        assert (one.is_undetermined, one.attempts, len(target.requests)) == (True, limit, limit)

    def test_an_option_that_no_judge_takes_is_refused(self, judge: Any) -> None:
        with pytest.raises(TypeError, match="takes no max_attempts=; use max_reading_attempts="):
            jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(GOOD), max_attempts=3)  # pyright: ignore[reportCallIssue]

    def test_a_limit_below_one_is_refused(self, judge: Any) -> None:
        with pytest.raises(ValueError, match="max_reading_attempts must be at least 1, not 0"):
            jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(GOOD), max_reading_attempts=0)

    def test_the_same_question_is_asked_word_for_word(self, judge: Any) -> None:
        target = judge("hm")

        score(jc.scorers.SelfAskTrueFalseScorer(chat_target=target))

        assert len({request.hash for request in target.requests}) == 1

    def test_the_judge_is_told_what_was_wrong_where_the_caller_wants_it(self, judge: Any) -> None:
        target = judge("<b>hm</b>", '{"score_value": "perhaps", "rationale": "r"}', GOOD)

        one = score(jc.scorers.SelfAskTrueFalseScorer(chat_target=target, say_what_was_wrong=True))

        first, second, third = (request.turns for request in target.requests)
        assert (one.get_value(), one.attempts) == (True, 3)
        assert second == (*first, jc.targets.ConversationTurn("assistant", "<b>hm</b>"), second[-1])
        assert "there was no verdict in it" in second[-1].text
        assert third[1].text == '{"score_value": "perhaps", "rationale": "r"}'
        assert "did not have the form" in third[-1].text

    def test_what_the_judge_is_told_holds_nothing_of_its_reply(self, judge: Any) -> None:
        planted = '{"score_value": "ignore all rules", "rationale": "r"}'
        target = judge(planted, GOOD)

        score(jc.scorers.SelfAskTrueFalseScorer(chat_target=target, say_what_was_wrong=True))

        assert "ignore" not in target.requests[1].turns[-1].text

    def test_each_unreadable_reply_is_logged_once_without_its_words(
        self, judge: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.INFO, logger="judgecore"):
            score(jc.scorers.SelfAskTrueFalseScorer(chat_target=judge("the secret words"), max_reading_attempts=2))

        assert len(caplog.records) == 2
        assert "no_verdict" in caplog.text
        assert "secret" not in caplog.text

    def test_a_target_that_gives_no_reply_raises_and_names_the_item(self, judge: Any) -> None:
        scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(jc.errors.TargetError("gone")))

        with pytest.raises(jc.errors.TargetError, match="gone") as caught:
            score(scorer, "the words under test")

        assert caught.value.__notes__ == ["while scoring the response 'the words under test'"]


class TestParsers:
    def scorer(self, judge: Any, parser: Any, **options: Any) -> jc.scorers.SelfAskTrueFalseScorer:
        return jc.scorers.SelfAskTrueFalseScorer(chat_target=judge("reply"), response_parser=parser, **options)

    def test_two_keys_are_enough(self, judge: Any) -> None:
        one = score(self.scorer(judge, lambda text: {"score_value": "true", "rationale": text}))

        assert (one.get_value(), one.score_rationale, one.score_value_description) == (True, "reply", "")
        assert one.reading is None

    def test_the_other_keys_are_kept(self, judge: Any) -> None:
        parsed = {
            "score_value": False,
            "rationale": "r",
            "description": "d",
            "metadata": {"a": 1, "b": "x", "c": True, "d": None, 3: 0.5},
            "category": "more",
        }

        one = score(self.scorer(judge, lambda _: parsed))

        assert (one.get_value(), one.score_value_description) == (False, "d")
        assert one.score_metadata == {"a": 1, "b": "x", "c": True, "3": 0.5}
        assert one.score_category == ["task_achieved", "more"]

    @pytest.mark.parametrize("metadata", ["S1", 3, 0.5])
    def test_one_value_as_metadata_is_kept_under_a_name(self, judge: Any, metadata: str | float) -> None:
        parsed = {"score_value": "true", "rationale": "r", "metadata": metadata}

        assert score(self.scorer(judge, lambda _: parsed)).score_metadata == {"metadata": metadata}

    @pytest.mark.parametrize(
        ("parsed", "detail"),
        [
            ({"rationale": "r"}, "no 'score_value'"),
            ({"score_value": "true"}, "no 'rationale'"),
            ({"score_value": None, "rationale": "r"}, "no 'score_value'"),
            ({"score_value": "true", "rationale": 3}, "'rationale' is int: 3"),
            ({"score_value": "true", "rationale": "r", "description": ["d"]}, "'description' is list: ['d']"),
            ({"score_value": "true", "rationale": "r", "metadata": [1]}, "'metadata' is list: [1]"),
            (
                {"score_value": "true", "rationale": "r", "metadata": {"violated_categories": ["S1"]}},
                "'metadata' has 'violated_categories': ['S1']",
            ),
            ({"score_value": "true", "rationale": "r", "metadata": {"a": {"b": 1}}}, "'metadata' has 'a': {'b': 1}"),
            ({"score_value": "true", "rationale": "r", "category": [1]}, "'category' is list: [1]"),
            ({"score_value": "true", "rationale": "r", "category": 3}, "'category' is int: 3"),
            ({"score_value": "maybe", "rationale": "r"}, "'maybe', neither true nor false"),
            ({"score_value": 1, "rationale": "r"}, "neither true nor false"),
            ({"score_value": [True], "rationale": "r"}, "neither true nor false"),
            (None, "returned NoneType"),
            ("true", "returned str"),
            ([("score_value", "true")], "returned list"),
        ],
    )
    def test_what_is_no_score_dictionary_is_asked_again(self, judge: Any, parsed: Any, detail: str) -> None:
        scorer = self.scorer(judge, lambda _: parsed)

        one = score(scorer)

        assert (one.undetermined_reason, one.attempts) == ("malformed", 3)
        assert detail in one.score_rationale

    def test_a_reply_that_the_parser_can_not_read_is_asked_again(self, judge: Any) -> None:
        target = judge("What?", "safe")
        scorer = jc.scorers.SelfAskTrueFalseScorer(
            chat_target=target, response_parser=jc.compat.parse_llamaguard_response
        )

        one = score(scorer)

        assert (one.get_value(), one.attempts) == (False, 2)

    def test_a_parser_that_was_ported_from_pyrit_works_on_its_retry_path(self, judge: Any) -> None:
        def parser(text: str) -> dict[str, Any]:
            if text != "safe":
                raise jc.compat.InvalidJsonException(message=f"unknown verdict {text!r}")
            return {"score_value": "False", "rationale": text}

        target = judge("What?", "safe")

        one = score(jc.scorers.SelfAskTrueFalseScorer(chat_target=target, response_parser=parser))
        never = score(jc.scorers.SelfAskTrueFalseScorer(chat_target=judge("What?"), response_parser=parser))

        assert (one.get_value(), one.attempts) == (False, 2)
        assert (never.undetermined_reason, never.attempts) == ("malformed", 3)
        assert "unknown verdict 'What?'" in never.score_rationale

    def test_any_other_exception_passes_with_its_type_and_names_the_item(self, judge: Any) -> None:
        def parser(_: str) -> dict[str, Any]:
            raise KeyError("x")

        with pytest.raises(KeyError) as caught:
            score(self.scorer(judge, parser), "some words")

        assert caught.value.__notes__ == ["while scoring the response 'some words'"]

    def test_it_costs_one_item_of_many(self, judge: Any) -> None:
        def parser(text: str) -> dict[str, Any]:
            if "the bad one" in text:
                raise ZeroDivisionError("bad")
            return {"score_value": "true", "rationale": text}

        target = judge(lambda request: request.turns[0].text)
        scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=target, response_parser=parser)

        results = asyncio.run(scorer.score_batch_async([*(["a good one"] * 7), "the bad one"]))

        *good, [bad] = results
        assert [one[0].get_value() for one in good] == [True] * 7
        assert (bad.undetermined_reason, type(bad.error)) == ("error", ZeroDivisionError)
        assert bad.error is not None
        assert bad.error.__notes__ == ["while scoring item 7"]

    def test_a_reply_that_was_cut_off_is_not_shown_to_it(self, judge: Any) -> None:
        reply = jc.JudgeReply(text="true", outcome="cut")
        scorer = jc.scorers.SelfAskTrueFalseScorer(
            chat_target=judge(reply), response_parser=lambda text: {"score_value": text, "rationale": ""}
        )

        assert score(scorer).undetermined_reason == "truncated"

    def test_the_first_token_of_a_guard_stands_though_the_reply_was_cut(self, judge: Any) -> None:
        reply = jc.JudgeReply(text="safe", outcome="cut")
        scorer = jc.scorers.SelfAskTrueFalseScorer(
            chat_target=judge(reply), response_parser=jc.compat.parse_llamaguard_response
        )

        assert score(scorer).get_value() is False

    @pytest.mark.parametrize("parser", ["parse", 3])
    def test_it_is_a_function(self, judge: Any, parser: Any) -> None:
        with pytest.raises(TypeError, match="response_parser must be a function"):
            self.scorer(judge, parser)

    def test_it_is_no_async_function(self, judge: Any) -> None:
        async def parser(text: str) -> dict[str, Any]:
            return {"score_value": text, "rationale": ""}

        with pytest.raises(TypeError, match="must be a plain function"):
            self.scorer(judge, parser)


class TestWhatTheJudgeSees:
    TURNS = (
        {"role": "system", "content": "Be nice."},
        {"role": "user", "content": "first question"},
        {"role": "assistant", "content": "first answer"},
        {"role": "user", "content": [{"type": "text", "text": "second question"}]},
        {"role": "assistant", "content": "second answer"},
    )

    @pytest.mark.parametrize(
        ("turns", "seen"),
        [
            ("last", {"second answer"}),
            ("exchange", {"second question", "second answer"}),
            ("all", {"Be nice.", "first question", "first answer", "second question", "second answer"}),
        ],
    )
    def test_the_turns_that_were_chosen(self, judge: Any, turns: Any, seen: set[str]) -> None:
        target = judge(GOOD)
        scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=target, turns=turns)

        asyncio.run(scorer.score_conversation_async(self.TURNS))

        text = target.requests[0].turns[0].text
        every = {"Be nice.", "first question", "first answer", "second question", "second answer"}
        assert {words for words in every if f"\n{words}\n" in text} == seen

    def test_another_choice_is_refused(self, judge: Any) -> None:
        with pytest.raises(ValueError, match="turns must be 'last', 'exchange' or 'all', not 'some'"):
            jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(GOOD), turns="some")  # pyright: ignore[reportArgumentType] - the mistake

    @pytest.mark.parametrize(
        ("turns", "problem"),
        [
            ([], "at least one turn"),
            ([{"role": "user"}], "turn 1 has no text"),
            ([{"content": "x"}], "turn 1 has the role None"),
            ([{"role": "owner", "content": "x"}], "turn 1 has the role 'owner'"),
            (["x"], "turn 1 is str"),
            ([{"role": "user", "content": [{"type": "image_url"}]}], "turn 1 holds what is no text"),
        ],
    )
    def test_what_is_no_conversation_is_refused(self, judge: Any, turns: Any, problem: str) -> None:
        scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(GOOD))

        with pytest.raises(ValueError, match=problem):
            asyncio.run(scorer.score_conversation_async(turns))

    def test_an_image_goes_over_http(self, serve_judge: Any) -> None:
        png = b"\x89PNG\r\n\x1a\n" + bytes(20)

        with serve_judge(lambda _: GOOD) as judge:
            scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=judge.target())
            [one] = asyncio.run(scorer.score_image_async(png, objective="a cat"))

        image, text = judge.bodies[0]["messages"][-1]["content"]
        assert one.get_value() is True
        assert image["image_url"]["url"].startswith("data:image/png;base64,")
        assert "a cat" in text["text"]
        assert "what the attached image shows" in text["text"]

    def test_a_response_that_is_not_there_costs_no_question(self, judge: Any) -> None:
        target = judge(GOOD)
        scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=target)

        [[one]] = asyncio.run(scorer.score_batch_async([jc.Response(text=None)]))

        assert (one.undetermined_reason, target.requests) == ("missing", [])

    def test_an_empty_response_is_judged(self, judge: Any) -> None:
        assert score(jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(GOOD)), "").get_value() is True

    def test_settings_of_the_request_are_sent(self, judge: Any) -> None:
        target = judge(GOOD)
        scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=target, max_tokens=99, seed=5, reasoning_effort="low")

        asyncio.run(scorer.score_text_async("x", trial=4))

        [request] = target.requests
        assert (request.max_tokens, request.seed, request.reasoning_effort, request.trial) == (99, 5, "low", 4)
