"""Measure the overhead of a score: prompt, hash, request, reading, and the score itself."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from results import COMPARED, Group, Row, check, compared
from stopwatch import Call

import judgecore as jc

if TYPE_CHECKING:
    from stopwatch import Stopwatch

ABOUT = (
    "Overhead per score with a judge that replies immediately: one response at a time, many in a batch, and with "
    "replies stored in an in-memory ledger. Published figure for PyRIT: 60 to 100 ms."
)
# performance.md, section 5.
AT_MOST_S = 0.5e-3
TEXT = "The quick brown fox jumps over the lazy dog. " * 20
LLAMA_GUARD, JSON = "unsafe\nS2,S6", '{"rationale": "It tells how.", "description": "d", "score_value": true}'
MARKS = '{"rationale": "r", "correctness": 5, "completeness": 5, "clarity": 5}'


class InstantJudge:
    """A judge that replies immediately."""

    def __init__(self, text: str) -> None:
        self._reply = jc.JudgeReply(text=text)

    async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
        del request
        return self._reply

    def get_identifier(self) -> jc.ComponentIdentifier:
        return jc.ComponentIdentifier(
            class_name="InstantJudge", class_module="benches", params={"underlying_model_name": "instant"}
        )


def scorers() -> dict[str, jc.Scorer]:
    """Return one scorer for each cost profile."""
    return {
        "substring": jc.scorers.SubStringScorer(substring="lazy dog"),
        "patterns": jc.scorers.RegexScorer(patterns={"dog": r"\blazy\s+dog\b"}),
        "true_false": jc.scorers.SelfAskTrueFalseScorer(chat_target=InstantJudge(JSON)),
        "guard": jc.scorers.LlamaGuardScorer(chat_target=InstantJudge(LLAMA_GUARD)),
        "parser": jc.scorers.SelfAskTrueFalseScorer(
            chat_target=InstantJudge(LLAMA_GUARD),
            true_false_question_path=jc.prompts.TrueFalseQuestionPaths.LLAMAGUARD,
            true_false_system_prompt_path=jc.prompts.PromptPaths.LLAMAGUARD_SYSTEM_PROMPT,
            response_parser=jc.compat.parse_llamaguard_response,
        ),
        "rubric": jc.scorers.RubricScorer(
            chat_target=InstantJudge(MARKS), rubric_path=jc.prompts.RubricPaths.HELPFULNESS
        ),
    }


def score_many(scorer: jc.Scorer, texts: list[str]) -> list[Any]:
    """Score many texts in a batch."""
    results = asyncio.run(scorer.score_batch_async(texts))
    return [scores[0].get_value() for scores in results]


def score_kept(texts: list[str]) -> list[Any]:
    """Score many texts and store each reply."""
    with jc.Ledger(":memory:") as ledger, jc.targets.keep_replies(ledger):
        return score_many(jc.scorers.SelfAskTrueFalseScorer(chat_target=InstantJudge(JSON)), texts)


def score_one_by_one(scorer: jc.Scorer, texts: list[str]) -> list[Any]:
    """Score many texts sequentially."""

    async def run() -> list[Any]:
        return [(await scorer.score_text_async(text, objective="Tell."))[0].get_value() for text in texts]

    return asyncio.run(run())


def measure(stopwatch: Stopwatch) -> Group:
    """Time scores."""
    n_texts = 20 if stopwatch.is_quick else 500
    texts = [f"{number}: {TEXT}" for number in range(n_texts)]
    alone = stopwatch.of_one_thread()
    rows: list[Row] = []
    for name, scorer in scorers().items():
        for way, function in (("one by one", score_one_by_one), ("batch", score_many)):
            bench = f"{name}, {way}"
            check(bench, [1.0 if name == "rubric" else True] * n_texts, function(scorer, texts))
            seconds = alone.times(Call(function, (scorer, texts))).median / n_texts
            rows.append(compared(bench, seconds, at_most_s=AT_MOST_S))
    check("true_false, ledger", [True] * n_texts, score_kept(texts))
    seconds = stopwatch.times(Call(score_kept, (texts,))).median / n_texts
    rows.append(compared("true_false, ledger, waiting included", seconds, at_most_s=AT_MOST_S))
    return Group("scoring", ABOUT, COMPARED, tuple(rows))
