"""Scorers made of scorers, and juries."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import judgecore as jc

TRUE, FALSE, HM = '{"score_value": true, "rationale": "r"}', '{"score_value": false, "rationale": "r"}', "hm"


def score(scorer: jc.Scorer, text: str = "rain and sun") -> jc.Score:
    [one] = asyncio.run(scorer.score_text_async(text, objective="weather"))
    return one


def asking(judge: Any, *replies: Any) -> list[jc.Scorer]:
    return [jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(reply), max_reading_attempts=1) for reply in replies]


class TestComposite:
    @pytest.mark.parametrize(
        ("aggregator", "replies", "want"),
        [
            ("AND", (TRUE, TRUE), True),
            ("AND", (TRUE, FALSE, HM), False),
            ("AND", (TRUE, HM), None),
            ("OR", (FALSE, TRUE, HM), True),
            ("OR", (FALSE, HM), None),
            ("MAJORITY", (TRUE, TRUE, HM), True),
            ("MAJORITY", (TRUE, FALSE, HM), None),
        ],
    )
    def test_verdicts_are_combined_in_three_values(
        self, judge: Any, aggregator: str, replies: tuple[str, ...], want: bool | None
    ) -> None:
        scorer = jc.scorers.TrueFalseCompositeScorer(
            aggregator=jc.scorers.TrueFalseScoreAggregator[aggregator], scorers=asking(judge, *replies)
        )

        one = score(scorer)

        assert (None if one.is_undetermined else one.get_value()) is want
        assert [part.is_undetermined for part in one.parts] == [reply == HM for reply in replies]
        assert one.attempts == len(replies)
        assert one.objective == "weather"

    def test_a_judge_that_is_gone_counts_as_undetermined(self, judge: Any) -> None:
        scorers = asking(judge, TRUE, jc.errors.TargetError("gone"))

        any_ = score(
            jc.scorers.TrueFalseCompositeScorer(aggregator=jc.scorers.TrueFalseScoreAggregator.OR, scorers=scorers)
        )
        all_ = score(
            jc.scorers.TrueFalseCompositeScorer(aggregator=jc.scorers.TrueFalseScoreAggregator.AND, scorers=scorers)
        )

        assert any_.get_value() is True
        assert all_.is_undetermined
        assert isinstance(all_.parts[1].error, jc.errors.TargetError)

    def test_a_key_that_is_not_accepted_ends_it(self, judge: Any) -> None:
        from judgecore.errors import AuthenticationError

        scorers = asking(judge, TRUE, AuthenticationError("no"))

        with pytest.raises(AuthenticationError):
            score(
                jc.scorers.TrueFalseCompositeScorer(aggregator=jc.scorers.TrueFalseScoreAggregator.OR, scorers=scorers)
            )

    def test_it_needs_scorers_of_its_kind(self, judge: Any) -> None:
        likert = jc.scorers.SelfAskLikertScorer(
            chat_target=judge(""), likert_scale_path=jc.prompts.LikertScalePaths.HARM_SCALE
        )

        with pytest.raises(ValueError, match="there are no scorers"):
            jc.scorers.TrueFalseCompositeScorer(aggregator=jc.scorers.TrueFalseScoreAggregator.AND, scorers=[])
        with pytest.raises(
            ValueError, match="SelfAskLikertScorer gives float_scale scores; true_false ones are needed"
        ):
            jc.scorers.TrueFalseCompositeScorer(aggregator=jc.scorers.TrueFalseScoreAggregator.AND, scorers=[likert])

    def test_identities_nest(self, judge: Any) -> None:
        scorers = asking(judge, TRUE, FALSE)
        composite = jc.scorers.TrueFalseCompositeScorer(
            aggregator=jc.scorers.TrueFalseScoreAggregator.AND, scorers=scorers
        )

        inverted = jc.scorers.TrueFalseInverterScorer(scorer=composite).get_identifier()

        [child] = inverted.children_of("sub_scorers")
        assert child == composite.get_identifier()
        assert child.children_of("sub_scorers") == tuple(scorer.get_identifier() for scorer in scorers)


class TestInverter:
    @pytest.mark.parametrize(("reply", "want"), [(TRUE, False), (FALSE, True)])
    def test_a_verdict_is_turned_round(self, judge: Any, reply: str, want: bool) -> None:
        [scorer] = asking(judge, reply)

        one = score(jc.scorers.TrueFalseInverterScorer(scorer=scorer))

        assert one.get_value() is want
        assert one.parts[0].get_value() is not want
        assert one.scorer_identifier is not None
        assert one.scorer_identifier.class_name == "TrueFalseInverterScorer"

    def test_what_is_undetermined_stays_so(self, judge: Any) -> None:
        [scorer] = asking(judge, HM)

        one = score(jc.scorers.TrueFalseInverterScorer(scorer=scorer))

        assert (one.is_undetermined, one.undetermined_reason) == (True, "no_verdict")

    def test_a_number_has_no_opposite(self, judge: Any) -> None:
        likert = jc.scorers.SelfAskLikertScorer(
            chat_target=judge(""), likert_scale_path=jc.prompts.LikertScalePaths.HARM_SCALE
        )

        with pytest.raises(ValueError, match="true_false ones are needed"):
            jc.scorers.TrueFalseInverterScorer(scorer=likert)


class TestThreshold:
    def scorer(self, judge: Any, reply: str, threshold: float = 0.5) -> jc.Scorer:
        likert = jc.scorers.SelfAskLikertScorer(
            chat_target=judge(reply), likert_scale_path=jc.prompts.LikertScalePaths.HARM_SCALE, max_reading_attempts=1
        )
        return jc.scorers.FloatScaleThresholdScorer(scorer=likert, threshold=threshold)

    @pytest.mark.parametrize(("level", "want"), [(2, False), (3, True), (4, True)])
    def test_a_number_that_reaches_it_is_true(self, judge: Any, level: int, want: bool) -> None:
        one = score(self.scorer(judge, f'{{"score_value": {level}, "rationale": "why"}}'))

        assert one.get_value() is want
        assert one.score_metadata["original_float_value"] == (level - 1) / 4
        assert one.score_category == ["harm"]
        assert "why" in one.score_rationale

    def test_what_is_undetermined_stays_so(self, judge: Any) -> None:
        one = score(self.scorer(judge, HM))

        assert one.is_undetermined
        assert one.parts[0].undetermined_reason == "no_verdict"

    @pytest.mark.parametrize("threshold", [0, -0.5, 1.01, float("nan")])
    def test_it_lies_on_the_scale(self, judge: Any, threshold: float) -> None:
        with pytest.raises(ValueError, match="threshold lies above 0"):
            self.scorer(judge, HM, threshold)


class TestJury:
    def test_the_majority_of_judges_decides(self, judge: Any) -> None:
        one = score(jc.scorers.JuryScorer(scorers=asking(judge, TRUE, FALSE, TRUE)))

        assert one.get_value() is True
        assert one.score_metadata["votes"] == "True,False,True"
        assert one.score_metadata["agreement"] == pytest.approx(2 / 3)

    def test_an_undetermined_vote_can_leave_it_open(self, judge: Any) -> None:
        assert score(jc.scorers.JuryScorer(scorers=asking(judge, TRUE, FALSE, HM))).is_undetermined

    def test_a_quorum_leaves_undetermined_votes_out(self, judge: Any) -> None:
        enough = score(jc.scorers.JuryScorer(scorers=asking(judge, TRUE, TRUE, FALSE, HM), quorum=3))
        too_few = score(jc.scorers.JuryScorer(scorers=asking(judge, TRUE, HM, HM), quorum=2))

        assert (enough.get_value(), enough.score_metadata["n_undetermined"]) == (True, 1)
        assert too_few.is_undetermined

    def test_numbers_have_a_mean_and_a_spread(self, judge: Any) -> None:
        scorers = [
            jc.scorers.SelfAskLikertScorer(
                chat_target=judge(f'{{"score_value": {level}, "rationale": "r"}}'),
                likert_scale_path=jc.prompts.LikertScalePaths.HARM_SCALE,
            )
            for level in (1, 2, 5)
        ]

        one = score(jc.scorers.JuryScorer(scorers=scorers))

        assert one.score_type == "float_scale"
        assert (one.get_value(), one.score_metadata["spread"]) == (pytest.approx(5 / 12), 1)

    def test_what_makes_no_jury_is_refused(self, judge: Any) -> None:
        one, other = asking(judge, TRUE, FALSE)

        with pytest.raises(ValueError, match="at least two scorers"):
            jc.scorers.JuryScorer(scorers=[one])
        with pytest.raises(ValueError, match="does not aggregate true_false scores"):
            jc.scorers.JuryScorer(scorers=[one, other], aggregator=jc.scorers.FloatScaleScoreAggregator.MAX)
        with pytest.raises(ValueError, match="the quorum lies between 1 and 2, not 3"):
            jc.scorers.JuryScorer(scorers=[one, other], quorum=3)
