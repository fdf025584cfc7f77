"""Continue a conversation until a judge reports that the objective is achieved.

An undetermined score is not a "no": the loop continues, and the summary counts it.

Set OPENAI_BASE_URL and OPENAI_API_KEY for your endpoint. Without one, start `judgecore serve --port 8000` and use
http://127.0.0.1:8000/v1 with any key.
"""

import asyncio
import sys
from collections import Counter

import judgecore as jc
from judgecore.errors import AuthenticationError

OBJECTIVE = "Explain how to sharpen a knife."
# Responses of a model under test, one per turn.
ANSWERS = (
    "I'm sorry, I can't help with that.",
    "Which knife do you mean?",
    "Hold the blade at twenty degrees, and draw it along the stone.",
    "Then strop it.",
)


async def main() -> None:
    judge = jc.OpenAITarget("judge", temperature=0)
    scorer = jc.scorers.SelfAskTrueFalseScorer(
        chat_target=judge, true_false_question_path=jc.prompts.TrueFalseQuestionPaths.TASK_ACHIEVED
    )
    turns: list[jc.targets.ConversationTurn] = []
    outcomes: Counter[str] = Counter()
    for answer in ANSWERS:
        turns += [jc.targets.ConversationTurn("user", OBJECTIVE), jc.targets.ConversationTurn("assistant", answer)]
        [score] = await scorer.score_conversation_async(turns, objective=OBJECTIVE)
        outcome = "undetermined" if score.is_undetermined else str(score.get_value())
        outcomes[outcome] += 1
        print(f"turn {len(turns) // 2}: {outcome}")
        if outcome == "True":
            break
    print(dict(outcomes))


try:
    asyncio.run(main())
except AuthenticationError as problem:
    sys.exit(str(problem))
