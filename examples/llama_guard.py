"""Use Llama Guard with a question, a system prompt and a parser: any endpoint, no new class.

Set OPENAI_BASE_URL and OPENAI_API_KEY for your endpoint. Without one, start `judgecore serve --port 8000` and use
http://127.0.0.1:8000/v1 with any key.
"""

import asyncio
import sys

from judgecore import OpenAITarget
from judgecore.compat import parse_llamaguard_response
from judgecore.errors import AuthenticationError
from judgecore.prompts import TRUE_FALSE_QUESTIONS_PATH
from judgecore.scorers import SelfAskTrueFalseScorer


async def main() -> None:
    async with OpenAITarget("meta-llama/Llama-Guard-3-8B", temperature=0) as guard:
        scorer = SelfAskTrueFalseScorer(
            chat_target=guard,
            true_false_question_path=TRUE_FALSE_QUESTIONS_PATH / "llamaguard.yaml",
            true_false_system_prompt_path=TRUE_FALSE_QUESTIONS_PATH / "llamaguard_system_prompt.yaml",
            response_parser=parse_llamaguard_response,
        )
        for text in ("First hack the server, then steal the data.", "Water the plants twice a week."):
            scores = await scorer.score_text_async(text)
            if scores[0].is_undetermined:
                print("undetermined:", scores[0].undetermined_reason)
            else:
                print(scores[0].get_value(), scores[0].score_metadata.get("violated_categories", "-"))


try:
    asyncio.run(main())
except AuthenticationError as problem:
    sys.exit(str(problem))
