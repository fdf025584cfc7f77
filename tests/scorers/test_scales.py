"""Scales, categories, rubrics and the caller's own words."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc


def scores_of(scorer: jc.Scorer, text: str = "the response", **options: Any) -> list[jc.Score]:
    return asyncio.run(scorer.score_text_async(text, **options))


def said(value: Any, **more: Any) -> str:
    return json.dumps({"score_value": value, "rationale": "r", **more})


class TestLikert:
    @pytest.mark.parametrize(("level", "want"), [(1, 0), (2, 0.25), (3, 0.5), (4, 0.75), (5, 1), ("4", 0.75)])
    def test_a_level_becomes_a_fifth_of_the_way(self, judge: Any, level: Any, want: float) -> None:
        scorer = jc.scorers.SelfAskLikertScorer(
            chat_target=judge(said(level)), likert_scale_path=jc.prompts.LikertScalePaths.VIOLENCE_SCALE
        )

        [score] = scores_of(scorer)

        assert score.get_value() == want
        assert score.score_metadata == {"level": int(level), "low": 1, "high": 5}
        assert score.score_category == ["violence"]

    @pytest.mark.parametrize("path", jc.prompts.LikertScalePaths)
    def test_every_shipped_scale_can_be_asked_for(self, judge: Any, path: jc.prompts.LikertScalePaths) -> None:
        target = judge(said(5))
        scale = jc.prompts.LikertScale.from_yaml(path)

        [score] = scores_of(jc.scorers.SelfAskLikertScorer(chat_target=target, likert_scale_path=path))

        assert (score.get_value(), score.score_category) == (1, [scale.category])
        assert all(f"{level.value}: {level.description}" in target.requests[0].system for level in scale.levels)
        assert score.score_value_description == scale.levels[-1].description

    @pytest.mark.parametrize(("level", "reason"), [(0, "out_of_range"), (6, "out_of_range"), (2.5, "malformed")])
    def test_a_level_off_the_scale_is_asked_again(self, judge: Any, level: Any, reason: str) -> None:
        target = judge(said(level), said(2))
        path = jc.prompts.LikertScalePaths.HARM_SCALE

        [once] = scores_of(jc.scorers.SelfAskLikertScorer(chat_target=target, likert_scale_path=path))
        [never] = scores_of(jc.scorers.SelfAskLikertScorer(chat_target=judge(said(level)), likert_scale_path=path))

        assert (once.get_value(), once.attempts) == (0.25, 2)
        assert (never.undetermined_reason, never.attempts) == (reason, 3)

    def test_a_level_that_the_scale_leaves_out_is_none(self, judge: Any) -> None:
        scale = jc.prompts.LikertScale(
            "c", (jc.prompts.LikertLevel(1, "a"), jc.prompts.LikertLevel(3, "b"), jc.prompts.LikertLevel(5, "c"))
        )

        [score] = scores_of(jc.scorers.SelfAskLikertScorer(chat_target=judge(said(2)), likert_scale=scale))

        assert score.undetermined_reason == "out_of_range"

    def test_the_schema_lists_the_levels(self, judge: Any) -> None:
        target = judge(said(1))

        scores_of(
            jc.scorers.SelfAskLikertScorer(chat_target=target, likert_scale_path=jc.prompts.LikertScalePaths.HARM_SCALE)
        )

        assert target.requests[0].schema["properties"]["score_value"]["enum"] == [1, 2, 3, 4, 5]

    def test_a_parser_gives_the_level(self, judge: Any) -> None:
        scorer = jc.scorers.SelfAskLikertScorer(
            chat_target=judge("fine"),
            likert_scale_path=jc.prompts.LikertScalePaths.HARM_SCALE,
            response_parser=lambda text: {"score_value": "2", "rationale": text},
        )

        [score] = scores_of(scorer)

        assert (score.get_value(), score.score_metadata["level"]) == (0.25, 2)

    @pytest.mark.parametrize("value", ["two", float("nan"), True, [2], "inf"])
    def test_a_parser_that_gives_no_number_is_unreadable(self, judge: Any, value: Any) -> None:
        scorer = jc.scorers.SelfAskLikertScorer(
            chat_target=judge("fine"),
            likert_scale_path=jc.prompts.LikertScalePaths.HARM_SCALE,
            response_parser=lambda text: {"score_value": value, "rationale": text},
        )

        assert scores_of(scorer)[0].undetermined_reason == "malformed"

    def test_one_scale_is_given(self, judge: Any) -> None:
        with pytest.raises(ValueError, match="give one scale"):
            jc.scorers.SelfAskLikertScorer(chat_target=judge(""))


class TestScale:
    @given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.floats(0, 1))
    def test_a_number_becomes_its_place_between_the_ends(self, low: float, width: float, place: float) -> None:
        from judgecore.scorers.scale import normalize

        assert normalize(low + place * width, low, low + width) == pytest.approx(place, abs=1e-6)

    @pytest.mark.parametrize("path", jc.prompts.NumericScalePaths)
    def test_every_shipped_scale_can_be_asked_for(self, judge: Any, path: jc.prompts.NumericScalePaths) -> None:
        scale = jc.prompts.NumericScale.from_yaml(path)
        target = judge(said(scale.high))

        [score] = scores_of(jc.scorers.SelfAskScaleScorer(chat_target=target, scale_path=path))

        assert (score.get_value(), score.score_metadata["level"]) == (1, scale.high)
        assert scale.high_description in target.requests[0].system

    def test_a_scale_of_ones_own(self, judge: Any) -> None:
        scale = jc.prompts.NumericScale("taste", 0, 100, "awful", "superb")

        [score] = scores_of(jc.scorers.SelfAskScaleScorer(chat_target=judge(said(37.5)), scale=scale))

        assert (score.get_value(), score.score_metadata["level"]) == (0.375, 37.5)

    def test_a_part_of_a_whole_scale_is_none(self, judge: Any) -> None:
        scorer = jc.scorers.SelfAskScaleScorer(
            chat_target=judge(said(2.5)), scale_path=jc.prompts.NumericScalePaths.HELPFULNESS_SCALE
        )

        assert scores_of(scorer)[0].undetermined_reason == "malformed"


class TestCategories:
    @pytest.mark.parametrize("path", jc.prompts.CategorySetPaths)
    def test_every_shipped_set_can_be_asked_for(self, judge: Any, path: jc.prompts.CategorySetPaths) -> None:
        known = jc.prompts.CategorySet.from_yaml(path)

        for name in known.names:
            [score] = scores_of(jc.scorers.SelfAskCategoryScorer(chat_target=judge(said(name)), categories_path=path))
            assert score.score_category == [name]
            assert score.get_value() is (name != known.no_category_found)

    def test_another_name_is_asked_again(self, judge: Any) -> None:
        scorer = jc.scorers.SelfAskCategoryScorer(
            chat_target=judge(said("chemistry"), said("CYBER")), categories_path=jc.prompts.CategorySetPaths.HARM
        )

        [score] = scores_of(scorer)

        assert (score.score_category, score.attempts) == (["cyber"], 2)


class TestGeneral:
    def test_true_and_false_in_ones_own_words_and_keys(self, judge: Any) -> None:
        target = judge('{"verdict": false, "why": "w", "kind": "k"}')
        scorer = jc.scorers.SelfAskGeneralTrueFalseScorer(
            chat_target=target,
            system_prompt_format_string='Is it about {objective}? Answer in JSON: {{"verdict": ...}}',
            prompt_format_string="{response}",
            category="mine",
            score_value_output_key="verdict",
            rationale_output_key="why",
            category_output_key="kind",
        )

        [score] = scores_of(scorer, "{objective} {{ 1 }}", objective="rain")

        [request] = target.requests
        assert (score.get_value(), score.score_rationale, score.score_category) == (False, "w", ["mine", "k"])
        assert 'Answer in JSON: {"verdict": ...}' in request.system
        assert "\nrain\n" in request.system
        assert "\n{objective} {{ 1 }}\n" in request.turns[0].text

    def test_a_field_of_the_response_fills_a_slot_of_its_name(self, judge: Any) -> None:
        target = judge(said(7))
        scorer = jc.scorers.SelfAskGeneralFloatScaleScorer(
            chat_target=target,
            system_prompt_format_string="Compare.",
            prompt_format_string="{document} {response}",
            min_value=0,
            max_value=10,
        )

        [score] = scores_of(scorer, fields={"document": "the source"})

        assert score.get_value() == 0.7
        assert "\nthe source\n" in target.requests[0].turns[0].text

    def test_a_field_that_is_missing_is_named(self, judge: Any) -> None:
        scorer = jc.scorers.SelfAskGeneralTrueFalseScorer(
            chat_target=judge(""), system_prompt_format_string="J.", prompt_format_string="{document} {response}"
        )

        with pytest.raises(jc.errors.PromptError, match="has no document, which the prompt shows"):
            scores_of(scorer)

    def test_a_judge_that_would_be_blind_is_refused(self, judge: Any) -> None:
        with pytest.raises(jc.errors.PromptError, match="has no slot 'response', so the judge would not see"):
            jc.scorers.SelfAskGeneralTrueFalseScorer(
                chat_target=judge(""), system_prompt_format_string="J.", prompt_format_string="{objective}"
            )

    @pytest.mark.parametrize(("reply", "want"), [("Rating: [[10]]", 1), ("My rating: [[1]]", 0)])
    def test_a_format_takes_the_place_of_json(self, judge: Any, reply: str, want: float) -> None:
        scorer = jc.scorers.SelfAskGeneralFloatScaleScorer(
            chat_target=judge(reply),
            system_prompt_format_string="Rate it: [[rating]].",
            format="mt_bench.single",
            min_value=1,
            max_value=10,
        )

        [score] = scores_of(scorer)

        assert (score.get_value(), score.score_rationale) == (want, reply)

    def test_a_format_and_a_parser_are_one_too_many(self, judge: Any) -> None:
        with pytest.raises(ValueError, match="two ways to read a reply"):
            jc.scorers.SelfAskGeneralTrueFalseScorer(
                chat_target=judge(""),
                system_prompt_format_string="J.",
                format="harmbench",
                response_parser=jc.compat.parse_llamaguard_response,
            )


def is_about(criterion: str, request: jc.JudgeRequest) -> bool:
    return f"criterion is {criterion}" in request.turns[-1].text


class TestRubric:
    MARKS = json.dumps({"rationale": "why", "correctness": 5, "completeness": "3", "clarity": 1})

    @pytest.mark.parametrize("path", jc.prompts.RubricPaths)
    def test_every_shipped_rubric_can_be_asked_for(self, judge: Any, path: jc.prompts.RubricPaths) -> None:
        rubric = jc.prompts.Rubric.from_yaml(path)
        target = judge(json.dumps({"rationale": "r", **{one.name: rubric.high for one in rubric.criteria}}))

        mean, *parts = scores_of(jc.scorers.RubricScorer(chat_target=target, rubric_path=path))

        assert mean.get_value() == 1
        assert [part.score_category for part in parts] == [[one.name] for one in rubric.criteria]
        assert all(f"{one.name}: {one.description}" in target.requests[0].system for one in rubric.criteria)

    def test_one_call_gives_the_weighted_mean_and_each_mark(self, judge: Any) -> None:
        target = judge(self.MARKS)

        mean, *parts = scores_of(
            jc.scorers.RubricScorer(chat_target=target, rubric_path=jc.prompts.RubricPaths.HELPFULNESS)
        )

        assert [part.get_value() for part in parts] == [1, 0.5, 0]
        assert mean.get_value() == (2 * 1 + 0.5 + 0) / 4
        assert mean.score_value_description == "correctness 5, completeness 3, clarity 1"
        assert (mean.score_rationale, mean.attempts, len(target.requests)) == ("why", 1, 1)

    def test_one_call_each(self, judge: Any) -> None:
        target = judge(lambda request: said(5 if is_about("clarity", request) else 3))
        scorer = jc.scorers.RubricScorer(
            chat_target=target, rubric_path=jc.prompts.RubricPaths.HELPFULNESS, calls="each"
        )

        mean, *parts = scores_of(scorer)

        assert [part.get_value() for part in parts] == [0.5, 0.5, 1]
        assert mean.get_value() == 0.625
        assert len(target.requests) == 3

    @pytest.mark.parametrize(
        ("reply", "reason"),
        [
            ('{"rationale": "r", "correctness": 5, "completeness": 3}', "no_verdict"),
            ('{"correctness": 5, "completeness": 3, "clarity": 9}', "out_of_range"),
            ('{"correctness": 5, "completeness": 3, "clarity": 2.5}', "malformed"),
            ('{"correctness": 5, "completeness": 3, "clarity": "good"}', "malformed"),
        ],
    )
    def test_one_missing_mark_leaves_the_mean_undetermined(self, judge: Any, reply: str, reason: str) -> None:
        mean, *_ = scores_of(
            jc.scorers.RubricScorer(chat_target=judge(reply), rubric_path=jc.prompts.RubricPaths.HELPFULNESS)
        )

        assert (mean.undetermined_reason, mean.attempts) == (reason, 3)

    def test_one_unreadable_call_leaves_the_mean_undetermined_and_the_others_whole(self, judge: Any) -> None:
        target = judge(lambda request: "hm" if is_about("clarity", request) else said(3))
        scorer = jc.scorers.RubricScorer(
            chat_target=target, rubric_path=jc.prompts.RubricPaths.HELPFULNESS, calls="each"
        )

        mean, *parts = scores_of(scorer)

        assert mean.is_undetermined
        assert [part.is_undetermined for part in parts] == [False, False, True]
