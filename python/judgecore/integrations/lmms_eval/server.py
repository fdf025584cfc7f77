"""``ServerInterface`` and ``AsyncServerInterface``: ask a judge lmms-eval's questions, one or many at a time."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from judgecore.integrations.lmms_eval.protocol import Request, Response, ServerConfig
from judgecore.prompts import JudgePromptBuilder
from judgecore.reading import Format, Reading, Unreadable, extract_json, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

_Outcome = TypeVar("_Outcome")

RUBRIC_PROMPT = """\
Rate the response under test by each item of the rubric.

[Question]
{question}

[Response under test]
{prediction}

[Rubric]
{rubric}

Reply with one JSON object that has a key for each item of the rubric, under the item's own name, and its score as the \
value. Write nothing else.
"""


@dataclass(frozen=True)
class ServerQuestion:
    """A question to a judge, and how its reply is read."""

    prompt: str
    request: Request
    name: Literal["result", "scores"]
    read: Callable[[str, bool], Reading | Unreadable]
    convert: Callable[[Any], Any]

    def answered(self, response: Response) -> dict[str, Any]:
        """Return the documented dictionary for a response, plus ``reading``."""
        if response.success:
            reading = self.read(response.content, response.cut)
        else:
            reading = Unreadable("missing", response.error_message or "the judge gave no reply")
        return {
            self.name: self.convert(reading.value) if isinstance(reading, Reading) else None,
            "raw_response": response.content,
            "model": response.model_used,
            "prompt": self.prompt,
            "success": isinstance(reading, Reading),
            "reading": reading,
            "error": response.error_message,
        }


class ServerInterface(ABC):
    """The base class of judges: a subclass implements ``evaluate``, and inherits lmms-eval's questions.

    Args:
        config: The configuration; None for the model ``gpt-4``.

    Attributes:
        config: The configuration.
    """

    def __init__(self, config: ServerConfig | None = None) -> None:
        self.config = config or ServerConfig(model_name="gpt-4")

    @abstractmethod
    def evaluate(self, request: Request) -> Response:
        """Ask the judge."""

    @abstractmethod
    def is_available(self) -> bool:
        """Return whether the judge can be asked."""

    def prepare_messages(self, request: Request) -> list[dict[str, Any]]:
        """Return a request's messages, preceded by the configured system prompt if they contain none.

        Args:
            request: The request, which is not changed.
        """
        messages = list(request.messages)
        system = (request.config or self.config).system_prompt
        if system and not any(message.get("role") == "system" for message in messages):
            messages.insert(0, {"role": "system", "content": system})
        return messages

    def evaluate_binary(
        self,
        question: str,
        answer: str,
        prediction: str,
        output_format: str = "0/1",
        custom_prompt: str | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Ask whether a prediction agrees with a reference answer.

        Args:
            question: The question that was answered.
            answer: The reference answer.
            prediction: The answer under test.
            output_format: "0/1" or "1/0" for ``1`` or ``0``; anything else for yes or no.
            custom_prompt: As in ``JudgePromptBuilder.build_binary_prompt``.
            **kwargs: Further slots of the custom prompt.

        Returns:
            ``result`` (1 or 0, or a boolean; None if the reply is unreadable), ``raw_response``, ``model``, ``prompt``,
            ``success``, ``reading`` and ``error``.
        """
        asked = self._binary(question, answer, prediction, output_format, custom_prompt, **kwargs)
        return asked.answered(self.evaluate(asked.request))

    def evaluate_comparative(
        self,
        question: str,
        response1: str,
        response2: str,
        context: str | None = None,
        score_range: tuple[float, float] = (1, 10),
        custom_prompt: str | None = None,
        images: list[Any] | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Ask for two scores, one for each of two responses.

        Args:
            question: The question that both answer.
            response1: The first response.
            response2: The second response.
            context: The context of the question.
            score_range: The lowest and the highest score; a reply with a score outside them is unreadable.
            custom_prompt: As in ``JudgePromptBuilder.build_comparative_prompt``.
            images: As in ``Request``.
            **kwargs: Further slots of the custom prompt, and ``evaluation_instruction``.

        Returns:
            ``scores`` (two floats; None if the reply is unreadable), and the rest as for ``evaluate_binary``.
        """
        asked = self._comparative(question, response1, response2, context, score_range, custom_prompt, images, **kwargs)
        return asked.answered(self.evaluate(asked.request))

    def evaluate_with_rubric(
        self, question: str, prediction: str, rubric: Mapping[str, Any], **kwargs: Any
    ) -> dict[str, Any]:
        """Ask for a score for each item of a rubric, in JSON.

        Args:
            question: The question that was answered.
            prediction: The answer under test.
            rubric: The meaning of each item, by name.
            **kwargs: Accepted and ignored, as in lmms-eval.

        Returns:
            ``scores`` (the judge's object, which has every item; None if the reply is unreadable), and the rest as for
            ``evaluate_binary``.
        """
        asked = self._rubric(question, prediction, rubric, **kwargs)
        return asked.answered(self.evaluate(asked.request))

    def _binary(
        self,
        question: str,
        answer: str,
        prediction: str,
        output_format: str = "0/1",
        custom_prompt: str | None = None,
        **slots: Any,
    ) -> ServerQuestion:
        is_number = output_format in ("0/1", "1/0")
        form = Format.get("lmms_eval.binary_01" if is_number else "lmms_eval.yes_no")
        prompt = JudgePromptBuilder.build_binary_prompt(
            question, answer, prediction, output_format, custom_prompt, **slots
        )
        request = self._asking(prompt, question=question, answer=answer, prediction=prediction)
        shown = (question, answer, prediction)
        return ServerQuestion(
            prompt,
            request,
            "result",
            lambda text, cut: parse(text, form, cut=cut, material=shown),
            int if is_number else bool,
        )

    def _comparative(
        self,
        question: str,
        response1: str,
        response2: str,
        context: str | None = None,
        score_range: tuple[float, float] = (1, 10),
        custom_prompt: str | None = None,
        images: list[Any] | None = None,
        **slots: Any,
    ) -> ServerQuestion:
        form = Format.scores(2, *score_range)
        prompt = JudgePromptBuilder.build_comparative_prompt(
            question, response1, response2, context, score_range, custom_prompt, **slots
        )
        request = self._asking(
            prompt, question=question, response1=response1, response2=response2, context=context, images=images
        )
        shown = (question, response1, response2, context)
        return ServerQuestion(
            prompt, request, "scores", lambda text, cut: parse(text, form, cut=cut, material=shown), tuple
        )

    def _rubric(self, question: str, prediction: str, rubric: Mapping[str, Any], **ignored: Any) -> ServerQuestion:
        del ignored
        items = tuple(map(str, rubric))
        listed = "\n".join(f"- {name}: {meaning}" for name, meaning in rubric.items())
        prompt = RUBRIC_PROMPT.format(question=question, prediction=prediction, rubric=listed)
        request = self._asking(prompt, question=question, prediction=prediction)
        shown = (question, prediction)
        return ServerQuestion(
            prompt, request, "scores", lambda text, cut: extract_json(text, keys=items, cut=cut, material=shown), dict
        )

    def _asking(self, prompt: str, **known: Any) -> Request:
        return Request(messages=[{"role": "user", "content": prompt}], config=self.config, **known)


class AsyncServerInterface(ServerInterface):
    """A judge of yours that is asked asynchronously, many questions at once.

    Args:
        config: How it is asked; None for the model ``gpt-4``.
    """

    @abstractmethod
    async def evaluate_async(self, request: Request) -> Response:
        """Ask the judge."""

    def evaluate(self, request: Request) -> Response:
        """Ask the judge and block until it replies, even if an event loop is running."""
        return run_to_the_end(self.evaluate_async(request))

    async def evaluate_batch(self, requests: Sequence[Request]) -> list[Response]:
        """Send many requests, at most ``config.max_concurrent`` at a time.

        Returns:
            The responses in order; a failed one has ``success`` False and does not affect the others.
        """
        places = asyncio.Semaphore(self.config.max_concurrent)

        async def ask(request: Request) -> Response:
            async with places:
                try:
                    return await self.evaluate_async(request)
                except Exception as problem:  # noqa: BLE001 - one failed item costs one item, whatever the server raises
                    model = (request.config or self.config).model_name
                    why = f"{type(problem).__name__}: {problem}"
                    return Response(content="", model_used=model, success=False, error_message=why)

        return await asyncio.gather(*map(ask, requests))

    async def evaluate_binary_async(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Ask as ``evaluate_binary`` does, asynchronously."""
        return await self._answer(self._binary(*args, **kwargs))

    async def evaluate_binary_batch_async(
        self, questions: Sequence[str], answers: Sequence[str], predictions: Sequence[str], *args: Any, **kwargs: Any
    ) -> list[dict[str, Any]]:
        """Ask as ``evaluate_binary`` does, for many predictions concurrently; the other arguments apply to all.

        Returns:
            The dictionaries in order; a failed one has ``success`` False and an ``error``.

        Raises:
            ValueError: If the lists differ in length.
        """
        _check_lengths(questions=questions, answers=answers, predictions=predictions)
        each = zip(questions, answers, predictions, strict=True)
        return await self._answer_all([self._binary(*one, *args, **kwargs) for one in each])

    async def evaluate_comparative_async(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Ask as ``evaluate_comparative`` does, asynchronously."""
        return await self._answer(self._comparative(*args, **kwargs))

    async def evaluate_comparative_batch_async(
        self,
        questions: Sequence[str],
        responses1: Sequence[str],
        responses2: Sequence[str],
        contexts: Sequence[str | None] | None = None,
        score_range: tuple[float, float] = (1, 10),
        custom_prompt: str | None = None,
        images_list: Sequence[list[Any] | None] | None = None,
        **kwargs: Any,
    ) -> list[dict[str, Any]]:
        """Ask as ``evaluate_comparative`` does, for many pairs concurrently.

        Returns:
            The dictionaries in order; a failed one has ``success`` False and an ``error``.

        Raises:
            ValueError: If the lists differ in length.
        """
        none = [None] * len(questions)
        lists = (questions, responses1, responses2, contexts or none, images_list or none)
        names = ("questions", "responses1", "responses2", "contexts", "images_list")
        _check_lengths(**dict(zip(names, lists, strict=True)))
        return await self._answer_all(
            [
                self._comparative(question, first, second, context, score_range, custom_prompt, images, **kwargs)
                for question, first, second, context, images in zip(*lists, strict=True)
            ]
        )

    async def evaluate_with_rubric_async(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Ask as ``evaluate_with_rubric`` does, asynchronously."""
        return await self._answer(self._rubric(*args, **kwargs))

    async def _answer(self, asked: ServerQuestion) -> dict[str, Any]:
        return asked.answered(await self.evaluate_async(asked.request))

    async def _answer_all(self, asked: list[ServerQuestion]) -> list[dict[str, Any]]:
        responses = await self.evaluate_batch([question.request for question in asked])
        return [question.answered(response) for question, response in zip(asked, responses, strict=True)]


def run_to_the_end(work: Coroutine[Any, Any, _Outcome]) -> _Outcome:
    """Run a coroutine, in another thread if this one has a running event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1, "judgecore-judge") as thread:
        return thread.submit(asyncio.run, work).result()


def _check_lengths(**lists: Sequence[Any]) -> None:
    lengths = {name: len(given) for name, given in lists.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{length} {name}" for name, length in lengths.items())
        raise ValueError(f"the lists must have the same length, not {counts}")
