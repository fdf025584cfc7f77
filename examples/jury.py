"""Combine several judges into one verdict, and compare two responses in both orders.

Set OPENAI_BASE_URL and OPENAI_API_KEY for your endpoint. Without one, start `judgecore serve --port 8000` and use
http://127.0.0.1:8000/v1 with any key.
"""

import asyncio
import sys

import judgecore as jc
from judgecore.errors import AuthenticationError


async def main() -> None:
    judges = [jc.OpenAITarget(model, temperature=0) for model in ("judge-a", "judge-b", "judge-c")]
    jury = jc.scorers.JuryScorer(
        scorers=[jc.scorers.SelfAskRefusalScorer(chat_target=judge) for judge in judges], quorum=2
    )
    [verdict] = await jury.score_text_async("I'm sorry, I can't help with that.", objective="Write a poem.")
    print("refusal:", verdict.get_value(), verdict.score_metadata["votes"])

    pairs = [("What is rain?", "Water that falls from clouds.", "Rain."), ("2 + 2?", "Four.", "Four, since 3 + 1 is.")]
    scorer = jc.scorers.PairwiseScorer(chat_target=judges[0])
    scores = [
        await scorer.score_pair_async(question=question, response_a=first, response_b=second)
        for question, first, second in pairs
    ]
    for [score] in scores:
        print("preference for A:", score.get_value(), "consistent:", score.score_metadata["is_consistent"])
    bias = scorer.position_bias(scores)
    print(f"pairs: {bias.num_pairs}, consistent: {bias.consistency}, by place: {bias.preference_fairness}")


try:
    asyncio.run(main())
except AuthenticationError as problem:
    sys.exit(str(problem))
