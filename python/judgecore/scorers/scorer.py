"""``Scorer``: turns responses into scores, and says what it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from judgecore.errors import IdentityError
from judgecore.identity import class_identifier
from judgecore.scorers.response import Response, to_image
from judgecore.scorers.score import Score, ScoreType
from judgecore.scorers.stream import DEFAULT_CONCURRENCY, score_stream, scored

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
    from os import PathLike

    from judgecore.evaluation import HumanLabeledDataset, Registry, ScorerMetrics
    from judgecore.identity import ComponentIdentifier
    from judgecore.targets import ConversationTurn, PromptImage


def only_score(scores: Sequence[Score], scorer: Scorer) -> Score:
    """Return the score of a scorer that gives one, for places that take no more.

    Args:
        scores: What it gave for a response.
        scorer: The scorer, which errors name.

    Raises:
        ValueError: If there is another number of scores, because none of them may vanish.
    """
    if len(scores) != 1:
        raise ValueError(
            f"{type(scorer).__name__} gives {len(scores)} scores for a response, and this takes one; to compare two "
            "responses use PairwiseScorer, or call score_async of the scorer yourself"
        )
    return scores[0]


class Scorer(ABC):
    """Turns responses into scores.

    A scorer of your own says in ``score_async`` what a response is worth, and in ``params`` everything that could
    change that, which is its identity.

    Attributes:
        score_type: ``true_false`` or ``float_scale``.
        version: Raised by you when the scorer's code changes what it gives; part of the identity. A class of a script,
            a notebook or a function has no other name for its code, so that without a version of its own it neither
            reads nor writes the registry.
        labelled_data: What the labelled data that suit it are about: ``objective``, ``refusal``, or a harm or quality
            such as ``violence``; None where it does not say. An evaluation takes these data unless it is given others.
        looks_at_images: Whether a response of images alone can be scored; else its score is undetermined.
        configuration: What a file said of the scorer, without judges; None where no file describes it.

    Examples:
        >>> import asyncio
        >>> from judgecore import Scorer
        >>> class BrevityScorer(Scorer):
        ...     score_type = "true_false"
        ...
        ...     def __init__(self, *, max_words):
        ...         self.max_words = max_words
        ...
        ...     def params(self):
        ...         return {"max_words": self.max_words}
        ...
        ...     async def score_async(self, response, *, trial=0):
        ...         return [self.make_score(len(response.text.split()) <= self.max_words)]
        >>> [score] = asyncio.run(BrevityScorer(max_words=3).score_text_async("Short and good."))
        >>> score.get_value()
        True
    """

    score_type: ClassVar[ScoreType]
    version: ClassVar[str | None] = None
    labelled_data: str | None = None
    looks_at_images: ClassVar[bool] = True
    configuration: Mapping[str, Any] | None = None

    @abstractmethod
    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Score one response.

        Args:
            response: What is judged.
            trial: Which of several independent judgements it is; only scorers that ask a judge care.

        Returns:
            At least one score; the first is the verdict.
        """

    @abstractmethod
    def params(self) -> Mapping[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""

    def children(self) -> Mapping[str, ComponentIdentifier | Sequence[ComponentIdentifier]]:
        """Return the identities of what the scorer is made of, by name."""
        return {}

    def get_identifier(self) -> ComponentIdentifier:
        """Return what the scorer is: its class, and all that can change a verdict.

        Raises:
            IdentityError: If nothing tells a part of it from another that behaves otherwise; the cure is named.
        """
        return self._identifier

    @cached_property
    def _identifier(self) -> ComponentIdentifier:
        return class_identifier(self, params=self.params(), children=self.children())

    @cached_property
    def known_identifier(self) -> ComponentIdentifier | None:
        """What the scorer is; None where it has no identity, because its scores are worth something without."""
        try:
            return self.get_identifier()
        except IdentityError:
            return None

    def make_score(self, value: float | str, **attributes: Any) -> Score:
        """Make a score of this scorer's.

        Args:
            value: True or false, or a number from 0 to 1, as ``score_type`` says.
            **attributes: Further attributes of the score.

        Raises:
            ValueError: If the value is none of the type.
        """
        return Score(
            score_type=self.score_type,
            score_value=value,  # pyright: ignore[reportArgumentType] - the score writes it in words
            scorer_identifier=self.known_identifier,
            **attributes,
        )

    def make_undetermined(self, reason: str, **attributes: Any) -> Score:
        """Make a score of this scorer's without a value.

        Args:
            reason: Why there is none.
            **attributes: Further attributes of the score.
        """
        return Score.undetermined(self.score_type, reason, scorer_identifier=self.known_identifier, **attributes)

    def make_unread(self, *, parts: Sequence[Score], **attributes: Any) -> Score | None:
        """Make a score without a value because a part of it has none; None where each part has one.

        Args:
            parts: What the score is made of; the first that is undetermined says why.
            **attributes: Further attributes of the score.
        """
        unread = next((part for part in parts if part.is_undetermined), None)
        if unread is None:
            return None
        return self.make_undetermined(
            unread.undetermined_reason or "undecided",
            reading=unread.reading,
            score_rationale=unread.score_rationale,
            parts=tuple(parts),
            **attributes,
        )

    async def score_text_async(
        self,
        text: str,
        *,
        objective: str | None = None,
        fields: Mapping[str, str] | None = None,
        trial: int = 0,
    ) -> list[Score]:
        """Score a text.

        Args:
            text: The text.
            objective: What it was to achieve, such as the user's request.
            fields: What else the scorer needs, by name.
            trial: As in ``score_async``.

        Returns:
            At least one score; the first is the verdict.
        """
        return await self._score_named(Response(text=text, objective=objective, fields=dict(fields or {})), trial=trial)

    async def score_image_async(
        self,
        image: PromptImage | bytes | str | PathLike[str],
        *,
        objective: str | None = None,
        text: str = "",
        trial: int = 0,
    ) -> list[Score]:
        """Score an image.

        Args:
            image: Its bytes, a file, an address that begins with http, or an ``PromptImage``.
            objective: What it was to achieve, such as the user's request.
            text: Words that came with it.
            trial: As in ``score_async``.

        Returns:
            At least one score; the first is the verdict.

        Raises:
            RequestError: If it is no image.
        """
        return await self._score_named(Response(text=text, images=(to_image(image),), objective=objective), trial=trial)

    async def score_conversation_async(
        self, turns: Sequence[ConversationTurn | Mapping[str, Any]], *, objective: str | None = None, trial: int = 0
    ) -> list[Score]:
        """Score the last turn of a conversation; which of the turns before it are seen is the scorer's own.

        Args:
            turns: As ``Response.from_conversation`` takes them.
            objective: What the last turn was to achieve.
            trial: As in ``score_async``.

        Returns:
            At least one score; the first is the verdict.

        Raises:
            ValueError: If there are no turns, or one is none.
        """
        return await self._score_named(Response.from_conversation(turns, objective=objective), trial=trial)

    async def score_batch_async(
        self,
        responses: Iterable[Response | str],
        *,
        objectives: Sequence[str | None] | None = None,
        concurrency: int = DEFAULT_CONCURRENCY,
        trial: int = 0,
    ) -> list[list[Score]]:
        """Score many responses; one that fails costs one item, which is undetermined and keeps the error.

        Args:
            responses: Texts, or responses.
            objectives: What each was to achieve, where they are texts.
            concurrency: How many are scored at once.
            trial: As in ``score_async``.

        Returns:
            The scores of each response, in order.

        Raises:
            ValueError: If there are more or fewer objectives than responses.
            JudgecoreError: If what failed is not one item's own: a key that is not accepted, a ledger that can't be
                written, a budget that is spent.
        """
        settled = _with_objectives(list(responses), objectives)
        return [scores async for scores in self.score_stream(settled, concurrency=concurrency, trial=trial)]

    def score_stream(
        self, responses: Iterable[Response], *, concurrency: int = DEFAULT_CONCURRENCY, trial: int = 0
    ) -> AsyncIterator[list[Score]]:
        """Score responses as they come, in bounded memory; else as ``score_batch_async``.

        Args:
            responses: The responses, taken as they are needed.
            concurrency: How many are scored at once.
            trial: As in ``score_async``.

        Returns:
            The scores of each response, in order.
        """
        return score_stream(self, responses, concurrency=concurrency, trial=trial)

    async def score_present(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Score a response; where there is none the score is undetermined, and no judge is asked.

        Args:
            response: What is judged.
            trial: As in ``score_async``.

        Returns:
            At least one score; the first is the verdict.
        """
        if response.text is None and not response.images:
            return [self.make_undetermined("missing", objective=response.objective)]
        if response.images and not response.text and not self.looks_at_images:
            why = "the response has images alone, and this scorer looks at words; pass those in them as text"
            return [self.make_undetermined("missing", score_rationale=why, objective=response.objective)]
        return await self.score_async(response, trial=trial)

    async def _score_named(self, response: Response, *, trial: int) -> list[Score]:
        """Score a response; whatever is raised names it."""
        try:
            return await scored(self, response, trial=trial)
        except Exception as problem:
            problem.add_note(f"while scoring {response}")
            raise

    async def evaluate_async(
        self, *, num_scorer_trials: int | None = None, dataset: HumanLabeledDataset | None = None, **options: Any
    ) -> ScorerMetrics:
        """Measure this scorer against human labels, unless the registry has the answer already.

        Args:
            num_scorer_trials: How many times each response is scored; if None 1 if all judges have the temperature 0,
                otherwise 3.
            dataset: The labelled responses; the scorer's own default data if None.
            **options: ``table`` and its columns, as ``judgecore.evaluation.evaluate`` takes them;
                ``update_registry_behavior``, ``registry``, ``ledger``, ``concurrency``, ``allow_unverified``,
                ``slice_by``, ``prices``, ``on_progress``: as ``ScorerEvaluator.run_evaluation_async`` takes them.

        Returns:
            The metrics; their ``result`` has every item, unless they come from the registry.

        Raises:
            EvaluationError: If there is no data, or it does not fit; nothing was asked then.
            IdentityError: If the scorer's code can't be identified, so that it has no ``eval_hash``, and
                ``ALWAYS_UPDATE`` asks to keep the metrics; nothing was asked then.

        Warns:
            FewerTrialsWarning: If the registry keeps its line, because it rests on more trials.
            UnnamedCodeWarning: If the scorer has no ``eval_hash``, so that the registry is neither read nor written.
        """
        # The one place where a station looks forward: a convenience, and so the import waits for the call.
        from judgecore.evaluation import evaluate  # noqa: PLC0415

        return await evaluate(self, dataset=dataset, num_scorer_trials=num_scorer_trials, **options)

    def get_scorer_metrics(
        self, *, registry: Registry | None = None, subject: str | None = None
    ) -> ScorerMetrics | None:
        """Return what the registry knows of this scorer.

        Args:
            registry: Where metrics are kept; the default folder if None.
            subject: ``objective``, ``refusal`` or a harm; the first that is known if None.

        Returns:
            The metrics, or None where it was not evaluated or has no ``eval_hash``.

        Raises:
            IdentityError: If its ``response_parser`` has no identity.

        Warns:
            UnnamedCodeWarning: If nothing tells the scorer's code from other code, so that it has no ``eval_hash``.
        """
        from judgecore.evaluation import known_metrics  # noqa: PLC0415 - as above

        return known_metrics(self, registry=registry, subject=subject)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(sorted(self.params()))})"


def _with_objectives(responses: Sequence[Response | str], objectives: Sequence[str | None] | None) -> list[Response]:
    if objectives is not None and len(objectives) != len(responses):
        raise ValueError(f"there are {len(responses)} responses and {len(objectives)} objectives; give one for each")
    given = objectives or [None] * len(responses)
    return [
        Response(text=response, objective=objective, name=f"item {number}") if isinstance(response, str) else response
        for number, (response, objective) in enumerate(zip(responses, given, strict=True))
    ]
