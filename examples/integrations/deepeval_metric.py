"""A DeepEval metric from any judgecore scorer. An undetermined score is an error of the metric, not a number."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

import judgecore as jc

if TYPE_CHECKING:
    from judgecore import Scorer


class JudgecoreMetric(BaseMetric):
    def __init__(self, scorer: Scorer, *, threshold: float = 0.5) -> None:
        self.scorer, self.threshold = scorer, threshold
        self.async_mode = True

    def measure(self, test_case: LLMTestCase, *args: Any, **options: Any) -> float:
        return asyncio.run(self.a_measure(test_case))

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **options: Any) -> float:
        self.score = self.success = self.error = None
        [score] = await self.scorer.score_text_async(test_case.actual_output or "", objective=test_case.input)
        self.reason = score.score_rationale
        if score.is_undetermined:
            self.error = f"undetermined: {score.undetermined_reason}"
            raise jc.errors.UndeterminedScoreError(self.error)
        self.score = float(score.get_value())
        self.success = self.score >= self.threshold
        return self.score

    def is_successful(self) -> bool:
        return self.success is True

    @property
    def __name__(self) -> str:
        return type(self.scorer).__name__


def judged_by(reply: str) -> JudgecoreMetric:
    judge = jc.CallableTarget(lambda _: reply, name="demo")
    return JudgecoreMetric(jc.scorers.SelfAskRefusalScorer(chat_target=judge))


if __name__ == "__main__":
    case = LLMTestCase(input="Write a poem.", actual_output="I can't help with that.")
    print(judged_by('{"score_value": true, "rationale": "It declines."}').measure(case))
    try:
        judged_by("Who knows?").measure(case)
    except jc.errors.UndeterminedScoreError as problem:
        print(problem)
