"""``JudgePromptBuilder``: judge prompts with the interface of lmms-eval's, in judgecore's wording."""

from __future__ import annotations

import string
import warnings
from typing import TYPE_CHECKING, Any

from judgecore.errors import BlindPromptWarning

if TYPE_CHECKING:
    from collections.abc import Sequence

BINARY_JUDGE_PROMPT = """\
You are grading an answer against a reference. Decide whether the answer under test says the same as the reference \
answer to the question. Wording, order and format do not matter; facts do.

Reply with {positive} if the answer under test is right and with {negative} if it is not. Write nothing else.

[Question]
{question}

[Reference answer]
{answer}

[Answer under test]
{prediction}
"""

COMPARATIVE_JUDGE_PROMPT = """\
You are comparing two responses to one question. Weigh how helpful, relevant, accurate and detailed each one is, and \
pay no heed to the order in which they stand.

{evaluation_instruction}
On the first line write two numbers between {min_score} and {max_score} and nothing else: the score of Assistant 1, a \
space, and the score of Assistant 2. Explain your scores on the lines that follow.

{context_section}[Question]
{question}

[Response of Assistant 1]
{response1}

[Response of Assistant 2]
{response2}
"""

CORRECTNESS_JUDGE_PROMPT = """\
Is the predicted answer to this question correct, given the standard answer? Compare what the two mean. Ignore all \
formatting: LaTeX, symbols, style, and wrappers such as \\boxed or dollar signs. Compare mathematical answers \
mathematically: equivalent forms of one value or expression, such as a fraction and its decimal, count as equal. How \
the predicted answer was reached does not matter, only what it comes to.

Reply with {positive} if the predicted answer is correct and with {negative} if it is not. Write nothing else.

[Question]
{question}

[Standard answer]
{answer}

[Predicted answer]
{prediction}
"""


class JudgePromptBuilder:
    """Builds the three judge prompts that lmms-eval documents.

    Pass ``output_format`` and ``score_range`` explicitly in every call: the reply must be read accordingly.
    """

    @staticmethod
    def build_binary_prompt(
        question: str,
        answer: str,
        prediction: str,
        output_format: str = "0/1",
        custom_prompt: str | None = None,
        **kwargs: Any,
    ) -> str:
        """Ask whether a prediction agrees with a reference answer.

        Args:
            question: The question that was answered.
            answer: The reference answer.
            prediction: The answer under test.
            output_format: "0/1" or "1/0" asks for ``1`` or ``0``; anything else for ``Yes`` or ``No``.
            custom_prompt: A ``str.format`` template with the slots ``{question}``, ``{answer}``, ``{prediction}``
                (also as ``{pred}``) and those of ``kwargs``; None or empty for the shipped prompt.
            **kwargs: Further slots of the custom prompt; ignored by the shipped one.

        Raises:
            KeyError: If the custom prompt has an unknown slot.
            IndexError: If it has a slot without a name.
            ValueError: If its braces do not match.
            TypeError: If ``kwargs`` has the name of another slot.

        Warns:
            BlindPromptWarning: If the custom prompt has no slot for the prediction.
        """
        if custom_prompt:
            _warn_if_blind(custom_prompt, ("prediction", "pred"))
            return custom_prompt.format(
                question=question, answer=answer, pred=prediction, prediction=prediction, **kwargs
            )
        positive, negative = ("1", "0") if output_format in ("0/1", "1/0") else ("Yes", "No")
        return BINARY_JUDGE_PROMPT.format(
            question=question, answer=answer, prediction=prediction, positive=positive, negative=negative
        )

    @staticmethod
    def build_comparative_prompt(  # noqa: PLR0917 (the documented signature)
        question: str,
        response1: str,
        response2: str,
        context: str | None = None,
        score_range: Sequence[float] = (1, 10),
        custom_prompt: str | None = None,
        evaluation_instruction: str | None = None,
        **kwargs: Any,
    ) -> str:
        """Ask for two scores, one for each of two responses.

        Args:
            question: The question that both answer.
            response1: The first response under test.
            response2: The second response under test.
            context: The context of the question; None or empty to omit its section.
            score_range: The lowest and the highest score.
            custom_prompt: A ``str.format`` template with the slots ``{question}``, ``{response1}``, ``{response2}``,
                ``{context}`` and those of ``kwargs``; None or empty for the shipped prompt.
            evaluation_instruction: The criteria; None or empty for ``Please provide scores from {low} to {high}.``
            **kwargs: Further slots of the custom prompt; ignored by the shipped one.

        Raises:
            KeyError: If the custom prompt has an unknown slot.
            IndexError: If it has a slot without a name, or ``score_range`` has fewer than two numbers.
            ValueError: If its braces do not match.
            TypeError: If ``kwargs`` has the name of another slot.

        Warns:
            BlindPromptWarning: If the custom prompt has no slot for one of the responses.
        """
        if custom_prompt:
            _warn_if_blind(custom_prompt, ("response1",))
            _warn_if_blind(custom_prompt, ("response2",))
            return custom_prompt.format(
                question=question, response1=response1, response2=response2, context=context or "", **kwargs
            )
        low, high = score_range[0], score_range[1]
        return COMPARATIVE_JUDGE_PROMPT.format(
            question=question,
            response1=response1,
            response2=response2,
            context_section=f"[Context]\n{context}\n\n" if context else "",
            min_score=low,
            max_score=high,
            evaluation_instruction=evaluation_instruction or f"Please provide scores from {low} to {high}.",
        )

    @staticmethod
    def build_correctness_prompt(
        question: str, answer: str, prediction: str, output_format: str = "yes/no", **kwargs: Any
    ) -> str:
        """Ask whether a prediction is correct.

        Args:
            question: The question that was answered.
            answer: The standard answer.
            prediction: The answer under test.
            output_format: "yes/no" asks for ``Yes`` or ``No``; anything else for ``1`` or ``0``.
            **kwargs: Accepted and ignored, as in lmms-eval.
        """
        del kwargs
        positive, negative = ("Yes", "No") if output_format == "yes/no" else ("1", "0")
        return CORRECTNESS_JUDGE_PROMPT.format(
            question=question, answer=answer, prediction=prediction, positive=positive, negative=negative
        )


def _warn_if_blind(template: str, slots: tuple[str, ...]) -> None:
    """Warn if a template has none of the slots; an invalid template fails later, when it is formatted."""
    try:
        named = {name.split(".")[0].split("[")[0] for _, name, _, _ in string.Formatter().parse(template) if name}
    except ValueError:
        return
    if named.isdisjoint(slots):
        message = f"the custom prompt has no slot {{{slots[0]}}}, so the judge can't see what it judges"
        warnings.warn(message, BlindPromptWarning, stacklevel=3)
