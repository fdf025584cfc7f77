"""Use your own questions, scales and parsers with any judge, and store every reply.

Set OPENAI_BASE_URL and OPENAI_API_KEY for your endpoint. Without one, start `judgecore serve --port 8000` and use
http://127.0.0.1:8000/v1 with any key.
"""

import asyncio
import sys

import judgecore as jc
from judgecore.errors import AuthenticationError


def parse_stars(text: str) -> dict[str, object]:
    """Count the stars of a reply such as ``*** because ...``."""
    stars = len(text) - len(text.lstrip("*"))
    if not 1 <= stars <= 5:
        raise jc.compat.InvalidJsonException("no stars at the beginning")
    return {"score_value": stars, "rationale": text.lstrip("* ")}


async def main() -> None:
    question = jc.prompts.TrueFalseQuestion("politeness", "The response is polite.", "The response is rude.")
    scale = jc.prompts.NumericScale("politeness", 1, 5, "It is rude.", "It is kind.", integer=True)
    with jc.Ledger("politeness.db") as ledger, jc.targets.keep_replies(ledger):
        judge = jc.OpenAITarget("judge", temperature=0)
        starred = jc.CallableTarget(lambda _: "***** It greets and thanks.", name="stars")
        unread = jc.CallableTarget(lambda _: "Five stars!", name="words")
        scorers = {
            "true or false": jc.scorers.SelfAskTrueFalseScorer(chat_target=judge, true_false_question=question),
            "one to five": jc.scorers.SelfAskScaleScorer(chat_target=judge, scale=scale),
            "stars": jc.scorers.SelfAskScaleScorer(chat_target=starred, scale=scale, response_parser=parse_stars),
            "stars, unread": jc.scorers.SelfAskScaleScorer(
                chat_target=unread, scale=scale, response_parser=parse_stars
            ),
        }
        for name, scorer in scorers.items():
            [score] = await scorer.score_text_async("Good morning, and thank you!", objective="Greet me.")
            print(f"{name}:", score.undetermined_reason if score.is_undetermined else score.get_value())


try:
    asyncio.run(main())
except AuthenticationError as problem:
    sys.exit(str(problem))
