"""An MLflow scorer that reads a judge's reply in a format. An unreadable reply is feedback with an error."""

from __future__ import annotations

from mlflow.entities import AssessmentError, Feedback
from mlflow.genai.scorers import scorer

import judgecore as jc


@scorer
def verdict(outputs: str) -> Feedback:
    outcome = jc.parse(outputs, "mt_bench.single")
    if isinstance(outcome, jc.Unreadable):
        return Feedback(name="verdict", error=AssessmentError(error_code=outcome.reason, error_message=outcome.detail))
    return Feedback(name="verdict", value=outcome.value, rationale=outcome.evidence)


if __name__ == "__main__":
    for reply in ("Clear and short. Rating: [[8]]", "I like it."):
        feedback = verdict(outputs=reply)
        print(feedback.value, feedback.error and feedback.error.error_code)
