"""``ServerInterface`` and ``AsyncServerInterface``: a judge's questions, asked one by one or many at once."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
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
    """What a judge is asked, and how its reply is read.

    Attributes:
        prompt: The words.
        request: What is sent.
        name: What the verdict is called in the dictionary, ``result`` or ``scores``.
        read: Reads the reply's text, which may be cut off.
        settle: Turns the value that was read into the one that is documented.
    """

    prompt: str
    request: Request
    name: Literal["result", "scores"]
    read: Callable[[str, bool], Reading | Unreadable]
    settle: Callable[[Any], Any]

    def answered(self, response: Response) -> dict[str, Any]:
        """Return the documented dictionary for a response, with the reading beside it."""
        if response.success:
            reading = self.read(response.content, response.cut)
        else:
            reading = Unreadable("missing", response.error_message or "the judge gave no reply")
        return {
            self.name: self.settle(reading.value) if isinstance(reading, Reading) else None,
            "raw_response": response.content,
            "model": response.model_used,
            "prompt": self.prompt,
            "success": isinstance(reading, Reading),
            "reading": reading,
            "error": response.error_message,
        }


class ServerInterface(ABC):
    """A judge of yours: say in ``evaluate`` how it is asked, and the questions come with it.

    Args:
        config: How it is asked; None for the model ``gpt-4``.

    Attributes:
        config: How it is asked.
    """

    def __init__(self, config: ServerConfig | None = None) -> None:
        self.config = config or ServerConfig(model_name="gpt-4")

    @abstractmethod
    def evaluate(self, request: Request) -> Response:
        """Ask the judge.

        Args:
            request: What to ask.

        Returns:
            What came back.
        """

    @abstractmethod
    def is_available(self) -> bool:
        """Say whether the judge can be asked."""

    def prepare_messages(self, request: Request) -> list[dict[str, Any]]:
        """Return a request's messages, with the configured system prompt before them where they have none.

        Args:
            request: What is to be sent; it stays as it is.
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
            ``result`` (1 or 0, or a boolean; None where nothing could be read), ``raw_response``, ``model``,
            ``prompt``, ``success``, ``reading`` and ``error``.
        """
        asked = self._binary(question, answer, prediction, output_format, custom_prompt, kwargs)
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
            context: What the question is about.
            score_range: The lowest and the highest score; a score beyond them is unreadable.
            custom_prompt: As in ``JudgePromptBuilder.build_comparative_prompt``.
            images: As in ``Request``.
            **kwargs: Further slots of the custom prompt, and ``evaluation_instruction``.

        Returns:
            ``scores`` (two floats; None where they could not be read), and the rest as ``evaluate_binary``.
        """
        asked = self._comparative(question, response1, response2, context, score_range, custom_prompt, images, kwargs)
        return asked.answered(self.evaluate(asked.request))

    def evaluate_with_rubric(
        self, question: str, prediction: str, rubric: Mapping[str, Any], **kwargs: Any
    ) -> dict[str, Any]:
        """Ask for a score for each item of a rubric, in JSON.

        Args:
            question: The question that was answered.
            prediction: The answer under test.
            rubric: What each item means, by name.
            **kwargs: Accepted and not used, as documented.

        Returns:
            ``scores`` (the judge's object, which has every item; None where there is none), and the rest as
            ``evaluate_binary``.
        """
        del kwargs
        asked = self._rubric(question, prediction, rubric)
        return asked.answered(self.evaluate(asked.request))

    def _binary(
        self,
        question: str,
        answer: str,
        prediction: str,
        output_format: str,
        custom_prompt: str | None,
        slots: dict[str, Any],
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
        context: str | None,
        score_range: tuple[float, float],
        custom_prompt: str | None,
        images: list[Any] | None,
        slots: dict[str, Any],
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

    def _rubric(self, question: str, prediction: str, rubric: Mapping[str, Any]) -> ServerQuestion:
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
        """Ask the judge.

        Args:
            request: What to ask.

        Returns:
            What came back.
        """

    def evaluate(self, request: Request) -> Response:
        """Ask the judge and wait; where an event loop runs already, it waits too.

        Args:
            request: What to ask.
        """
        return run_to_the_end(self.evaluate_async(request))

    async def evaluate_batch(self, requests: Sequence[Request]) -> list[Response]:
        """Ask many questions at once, at most ``config.max_concurrent``.

        Args:
            requests: What to ask.

        Returns:
            What came back, in order; one that failed has ``success`` False and costs nothing but itself.
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

    async def evaluate_binary_async(
        self,
        question: str,
        answer: str,
        prediction: str,
        output_format: str = "0/1",
        custom_prompt: str | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Do as ``evaluate_binary``."""
        asked = self._binary(question, answer, prediction, output_format, custom_prompt, kwargs)
        return asked.answered(await self.evaluate_async(asked.request))

    async def evaluate_binary_batch_async(
        self,
        questions: Sequence[str],
        answers: Sequence[str],
        predictions: Sequence[str],
        output_format: str = "0/1",
        custom_prompt: str | None = None,
        **kwargs: Any,
    ) -> list[dict[str, Any]]:
        """Do as ``evaluate_binary`` for many, at once.

        Returns:
            The dictionaries in order; one that failed has ``success`` False and its ``error``.

        Raises:
            ValueError: If there are not as many of each.
        """
        _check_lengths(questions=questions, answers=answers, predictions=predictions)
        return await self._answer_all(
            [
                self._binary(*each, output_format, custom_prompt, kwargs)
                for each in zip(questions, answers, predictions, strict=True)
            ]
        )

    async def evaluate_comparative_async(
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
        """Do as ``evaluate_comparative``."""
        asked = self._comparative(question, response1, response2, context, score_range, custom_prompt, images, kwargs)
        return asked.answered(await self.evaluate_async(asked.request))

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
        """Do as ``evaluate_comparative`` for many, at once.

        Returns:
            The dictionaries in order; one that failed has ``success`` False and its ``error``.

        Raises:
            ValueError: If there are not as many of each.
        """
        none = [None] * len(questions)
        contexts, images_list = contexts or none, images_list or none
        _check_lengths(
            questions=questions,
            responses1=responses1,
            responses2=responses2,
            contexts=contexts,
            images_list=images_list,
        )
        return await self._answer_all(
            [
                self._comparative(question, first, second, context, score_range, custom_prompt, images, kwargs)
                for question, first, second, context, images in zip(
                    questions, responses1, responses2, contexts, images_list, strict=True
                )
            ]
        )

    async def evaluate_with_rubric_async(
        self, question: str, prediction: str, rubric: Mapping[str, Any], **kwargs: Any
    ) -> dict[str, Any]:
        """Do as ``evaluate_with_rubric``."""
        del kwargs
        asked = self._rubric(question, prediction, rubric)
        return asked.answered(await self.evaluate_async(asked.request))

    async def _answer_all(self, asked: list[ServerQuestion]) -> list[dict[str, Any]]:
        responses = await self.evaluate_batch([question.request for question in asked])
        return [question.answered(response) for question, response in zip(asked, responses, strict=True)]


def run_to_the_end(work: Coroutine[Any, Any, _Outcome]) -> _Outcome:
    """Run a coroutine, in a thread with a loop of its own where this one has a loop that runs.

    Args:
        work: The coroutine.

    Returns:
        What it returns; what it raises is raised.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    done: list[_Outcome] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(asyncio.run(work))
        except BaseException as problem:  # noqa: BLE001 - it is raised where it is waited for
            failed.append(problem)

    thread = threading.Thread(target=run, name="judgecore-judge")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


def _check_lengths(**lists: Sequence[Any]) -> None:
    lengths = {name: len(given) for name, given in lists.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{length} {name}" for name, length in lengths.items())
        raise ValueError(f"there must be as many of each, not {counts}")
