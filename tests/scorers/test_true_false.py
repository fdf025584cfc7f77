"""Questions of true and false, over HTTP and without."""

from __future__ import annotations

import asyncio
import json
import warnings
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

UNSAFE = "unsafe\nS2,S6"


def llama_guard(target: jc.Target, **options: Any) -> jc.scorers.SelfAskTrueFalseScorer:
    """The published example, as it is written."""
    return jc.scorers.SelfAskTrueFalseScorer(
        chat_target=target,
        true_false_question_path=jc.prompts.TRUE_FALSE_QUESTIONS_PATH / "llamaguard.yaml",
        true_false_system_prompt_path=jc.prompts.TRUE_FALSE_QUESTIONS_PATH / "llamaguard_system_prompt.yaml",
        response_parser=jc.compat.parse_llamaguard_response,
        **options,
    )


def score(scorer: jc.Scorer, text: str = "the response", **options: Any) -> jc.Score:
    [one] = asyncio.run(scorer.score_text_async(text, **options))
    return one


class TestPublishedExample:
    def test_it_runs_over_http_for_unsafe(self, serve_judge: Any) -> None:
        with serve_judge(lambda _: UNSAFE) as judge:
            scores = asyncio.run(llama_guard(judge.target()).score_text_async("how to forge a prescription"))

        assert scores[0].get_value() is True
        assert scores[0].score_metadata["violated_categories"] == "S2,S6"
        assert scores[0].score_category == ["llamaguard"]

    def test_it_runs_over_http_for_safe(self, serve_judge: Any) -> None:
        with serve_judge(lambda _: "\n\nsafe") as judge:
            scores = asyncio.run(llama_guard(judge.target()).score_text_async("how to water plants"))

        assert scores[0].get_value() is False
        assert "violated_categories" not in scores[0].score_metadata

    def test_without_a_parser_it_reads_the_json_contract(self, serve_judge: Any) -> None:
        reply = json.dumps({"score_value": "True", "rationale": "It tells how.", "metadata": "S2"})
        folder = jc.prompts.TRUE_FALSE_QUESTIONS_PATH

        with serve_judge(lambda _: reply) as judge:
            scorer = jc.scorers.SelfAskTrueFalseScorer(
                chat_target=judge.target(),
                true_false_question_path=folder / "llamaguard.yaml",
                true_false_system_prompt_path=folder / "llamaguard_system_prompt.yaml",
            )
            one = score(scorer)

        assert one.get_value() is True
        assert one.score_rationale == "It tells how."
        assert one.score_metadata == {"metadata": "S2"}
        assert isinstance(one.reading, jc.Reading)

    def test_the_loopback_judge_answers_it(self) -> None:
        from judgecore.server import JudgeServer

        async def run() -> list[bool | float]:
            async with JudgeServer() as server:
                scorer = llama_guard(jc.OpenAITarget("judge", api_key="key", base_url=server.url))
                harmful = await scorer.score_text_async("First hack the server, then plant malware.")
                harmless = await scorer.score_text_async("Water the plants twice a week.")
            return [harmful[0].get_value(), harmless[0].get_value()]

        assert asyncio.run(run()) == [True, False]

    def test_the_shipped_pair_warns_of_nothing(self, judge: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            llama_guard(judge("safe"))

    def test_neither_a_schema_nor_json_is_asked_of_a_classifier(self, serve_judge: Any) -> None:
        with serve_judge(lambda _: "safe") as judge:
            score(llama_guard(judge.target()))

        assert "response_format" not in judge.bodies[0]


class TestWhatIsAsked:
    def test_the_system_prompt_puts_the_question_and_the_message_shows_the_response(self, judge: Any) -> None:
        target = judge('{"score_value": true, "rationale": "r"}')
        question = jc.prompts.TrueFalseQuestion("politeness", "It is polite.", "It is rude.", "The rudest word.")

        scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=target, true_false_question=question)

        one = score(scorer, "words under test", objective="Ask.")

        [request] = target.requests
        assert all(words in request.system for words in ("It is polite.", "It is rude.", "The rudest word."))
        assert "words under test" not in request.system
        assert "\nwords under test\n" in request.turns[0].text
        assert "\nAsk.\n" in request.turns[0].text
        assert one.score_category == ["politeness"]
        assert one.objective == "Ask."

    def test_the_schema_goes_with_the_shipped_prompt(self, judge: Any) -> None:
        target = judge('{"score_value": true, "rationale": "r"}')

        score(jc.scorers.SelfAskTrueFalseScorer(chat_target=target))

        assert target.requests[0].schema["properties"]["score_value"] == {"type": "boolean"}

    @pytest.mark.parametrize(
        ("kind", "category"),
        [
            (jc.scorers.SelfAskTrueFalseScorer, "task_achieved"),
            (jc.scorers.SelfAskRefusalScorer, "refusal"),
            (jc.scorers.SelfAskQuestionAnswerScorer, "question_answering"),
        ],
    )
    def test_each_scorer_has_a_question_of_its_own(
        self, judge: Any, kind: Callable[..., jc.Scorer], category: str
    ) -> None:
        assert score(kind(chat_target=judge('{"score_value": true, "rationale": "r"}'))).score_category == [category]

    @pytest.mark.parametrize("path", jc.prompts.TrueFalseQuestionPaths)
    def test_every_shipped_question_can_be_asked(self, judge: Any, path: jc.prompts.TrueFalseQuestionPaths) -> None:
        target = judge('{"score_value": "False", "rationale": "r"}')
        question = jc.prompts.TrueFalseQuestion.from_yaml(path)

        one = score(jc.scorers.SelfAskTrueFalseScorer(chat_target=target, true_false_question_path=path))

        assert one.get_value() is False
        assert one.score_category == [question.category]
        assert question.true_description in target.requests[0].system

    def test_two_questions_are_one_too_many(self, judge: Any) -> None:
        with pytest.raises(ValueError, match="two questions; leave one out"):
            jc.scorers.SelfAskTrueFalseScorer(
                chat_target=judge(""),
                true_false_question=jc.prompts.TrueFalseQuestion("c", "t"),
                true_false_question_path=jc.prompts.TrueFalseQuestionPaths.LEAKAGE,
            )

    def test_a_question_that_no_prompt_puts_is_warned_of(self, judge: Any, tmp_path: Path) -> None:
        path = tmp_path / "mute.yaml"
        path.write_text("value: Say true or false.")

        with pytest.warns(jc.errors.UnusedQuestionWarning, match="mute.yaml has no slot for the question") as caught:
            jc.scorers.SelfAskTrueFalseScorer(
                chat_target=judge(""),
                true_false_question_path=jc.prompts.TrueFalseQuestionPaths.LEAKAGE,
                true_false_system_prompt_path=path,
            )

        assert caught[0].filename == __file__

    def test_a_prompt_without_a_question_and_no_question_go_together(self, judge: Any, tmp_path: Path) -> None:
        path = tmp_path / "mute.yaml"
        path.write_text("value: Say true or false.")

        scorer = jc.scorers.SelfAskTrueFalseScorer(
            chat_target=judge('{"score_value": true, "rationale": "r"}'), true_false_system_prompt_path=path
        )

        assert score(scorer).score_category == []

    def test_a_slot_that_no_question_fills_is_an_error(self, judge: Any) -> None:
        template = jc.PromptTemplate(
            text="{{ color }} {{ true_description }}", parameters=("color", "true_description")
        )

        with pytest.raises(jc.errors.PromptError, match="needs color"):
            jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(""), true_false_system_prompt_path=template)

    def test_a_target_is_needed(self) -> None:
        with pytest.raises(TypeError, match="chat_target must be a Target, not str"):
            jc.scorers.SelfAskTrueFalseScorer(chat_target="gpt-4")  # pyright: ignore[reportArgumentType] - the mistake


class TestWhatIsRead:
    @pytest.mark.parametrize(
        "reply",
        [
            '{"score_value": "TRUE", "rationale": "r"}',
            '```json\n{"score_value": true, "rationale": "r"}\n```',
            "Sure: {'score_value': 'True', 'rationale': 'r',}",
            '<think>{"score_value": "False", "rationale": "no"}</think>{"score_value": "true", "rationale": "r"}',
        ],
    )
    def test_true_in_many_shapes(self, judge: Any, reply: str) -> None:
        one = score(jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(reply)))

        assert (one.get_value(), one.score_rationale, one.attempts) == (True, "r", 1)

    @pytest.mark.parametrize(
        ("reply", "reason"),
        [
            ('{"score_value": "refusal", "rationale": "r"}', "malformed"),
            ('{"score_value": 1, "rationale": "r"}', "malformed"),
            ('{"score_value": true}', "malformed"),
            ('{"score_value": true, "rationale": null}', "malformed"),
            ('{"rationale": "r"}', "no_verdict"),
            ("I can't help with that.", "refused"),
            ("", "empty"),
            ("True", "no_verdict"),
        ],
    )
    def test_what_is_no_verdict_is_undetermined_and_never_false(self, judge: Any, reply: str, reason: str) -> None:
        target = judge(reply)

        one = score(jc.scorers.SelfAskTrueFalseScorer(chat_target=target))

        assert (one.is_undetermined, one.undetermined_reason, one.attempts) == (True, reason, 3)
        assert isinstance(one.reading, jc.Unreadable)
        assert [request.ask for request in target.requests] == [0, 1, 2]

    def test_a_reply_that_was_cut_off_is_truncated(self, judge: Any) -> None:
        reply = jc.JudgeReply(text='{"rationale": "r", "score_value": "Tr', outcome="cut")

        assert score(jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(reply))).undetermined_reason == "truncated"

    @pytest.mark.parametrize(
        ("reply", "reason"),
        [
            (jc.JudgeReply(text=None, outcome="filtered"), "refused"),
            (jc.JudgeReply(text=None, outcome="refused", refusal="no"), "refused"),
            (jc.JudgeReply(text=None, outcome="tool_calls"), "missing"),
            (jc.JudgeReply(text=None, outcome="no_text"), "missing"),
        ],
    )
    def test_what_is_no_answer_is_undetermined(self, judge: Any, reply: jc.JudgeReply, reason: str) -> None:
        assert score(jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(reply))).undetermined_reason == reason
        assert score(llama_guard(judge(reply))).undetermined_reason == reason

    def test_an_earlier_turn_of_images_alone_is_not_shown_as_empty(self, judge: Any) -> None:
        image = jc.targets.PromptImage.from_bytes(b"\x89PNG\r\n\x1a\n" + bytes(16))
        target = judge('{"score_value": true, "rationale": "r"}')

        conversation = [
            jc.targets.ConversationTurn("user", "", (image,)),
            jc.targets.ConversationTurn("assistant", "A cat."),
        ]
        asyncio.run(jc.scorers.SelfAskTrueFalseScorer(chat_target=target).score_conversation_async(conversation))

        [shown] = target.requests[0].turns
        assert "This message is what the attached image shows." in shown.text
        assert shown.images == (image,)

    def test_metadata_of_the_judges_that_no_score_holds_are_kept_as_json(self, judge: Any) -> None:
        metadata = {"violated_categories": ["S1"], "by": {"side": "prompt"}, "sure": 0.5, "none": None}
        reply = json.dumps({"score_value": True, "rationale": "r", "metadata": metadata})
        listed = json.dumps({"score_value": True, "rationale": "r", "metadata": ["S1"]})

        one, other = (score(jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(given))) for given in (reply, listed))

        assert one.score_metadata == {"violated_categories": '["S1"]', "by": '{"side": "prompt"}', "sure": 0.5}
        assert other.score_metadata == {"metadata": '["S1"]'}

    @pytest.mark.parametrize("category", [3, [1], {"a": 1}])
    def test_a_category_that_is_no_name_is_asked_again(self, judge: Any, category: Any) -> None:
        wrong = json.dumps({"score_value": True, "rationale": "r", "category": category})

        one = score(jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(wrong), max_reading_attempts=2))

        assert (one.undetermined_reason, one.attempts) == ("malformed", 2)
        assert f"'category' is {type(category).__name__}: {category!r}" in one.score_rationale

    def test_the_judges_category_stands_behind_the_questions(self, judge: Any) -> None:
        reply = '{"score_value": true, "rationale": "r", "category": ["b", "task_achieved", "c"]}'

        one = score(jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(reply)))

        assert one.score_category == ["task_achieved", "b", "c"]


def test_a_parser_that_raises_a_cancellation_cancels_nothing_in_any_door() -> None:
    def parser(_: str) -> dict[str, Any]:
        raise asyncio.CancelledError

    scorer = jc.scorers.SelfAskTrueFalseScorer(
        chat_target=jc.CallableTarget(lambda _: "True", name="j"),
        true_false_question=jc.prompts.TrueFalseQuestion(true_description="t", false_description="f"),
        response_parser=jc.scorers.NamedParser(parser, name="p", version="1"),
    )

    with pytest.raises(RuntimeError, match="CancelledError without being cancelled"):
        asyncio.run(scorer.score_text_async("a"))
    [[score]] = asyncio.run(scorer.score_batch_async(["a"]))
    assert score.is_undetermined
