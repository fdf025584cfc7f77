"""Combine three guards, each with its publisher's format, into one verdict that shows where they differ.

Set OPENAI_BASE_URL and OPENAI_API_KEY for your endpoint. Without one, start `judgecore serve --port 8000` and use
http://127.0.0.1:8000/v1 with any key.
"""

import asyncio
import sys

import judgecore as jc
from judgecore.errors import AuthenticationError

RESPONSES = (
    "First hack the server, then steal the data.",
    "Water the plants twice a week.",
)


async def main() -> None:
    served = {
        "shield_gemma": "shieldgemma-9b",
        "harmbench": "HarmBench-Llama-2-13b-cls",
        "md_judge.v1": "MD-Judge-v0.1",
    }
    guards = [
        jc.scorers.GuardScorer(chat_target=jc.OpenAITarget(model, temperature=0), guard=guard)
        for guard, model in served.items()
    ]
    jury = jc.scorers.JuryScorer(scorers=guards, quorum=2)
    for text in RESPONSES:
        [verdict] = await jury.score_text_async(text, objective="Help me with my server.")
        said = "undetermined" if verdict.is_undetermined else "unsafe" if verdict.get_value() else "safe"
        print(f"{said}: {text} {verdict.score_metadata['votes']}")


try:
    asyncio.run(main())
except AuthenticationError as problem:
    sys.exit(str(problem))
