"""``Scorer``: the base class of all scorers."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

from judgecore.errors import IdentityError
from judgecore.identity import class_identifier
from judgecore.scorers.response import Response, to_image
from judgecore.scorers.score import Score, ScoreType
from judgecore.scorers.stream import DEFAULT_CONCURRENCY, score_stream
from judgecore.targets.asking import run_blocking
from judgecore.targets.keeping import ask_about
from judgecore.targets.target import is_cancelled

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
    from os import PathLike

    from judgecore.evaluation import HumanLabeledDataset, Registry, ScorerMetrics
    from judgecore.identity import ComponentIdentifier
    from judgecore.targets import ConversationTurn, PromptImage


def only_score(scores: Sequence[Score], scorer: Scorer) -> Score:
    """Return the score of a scorer that gives one; raise ``ValueError`` for several, because none may be dropped."""
    if len(scores) != 1:
        raise ValueError(
            f"{type(scorer).__name__} gives {len(scores)} scores for a response, and this takes one; to compare two "
            "responses use PairwiseScorer, or call score_async of the scorer yourself"
        )
    return scores[0]


class Scorer(ABC):
    """The base class of all scorers: it converts responses to scores.

    A subclass implements ``score_async``, and lists in ``params`` everything that can change a score; both class and
    params are its identity.

    Attributes:
        score_type: ``true_false`` or ``float_scale``.
        version: Raise it when the code changes scores; part of the identity. A class that is defined in a script, a
            notebook or a function needs a version to use the registry.
        labelled_data: The subject of suitable labelled data: ``objective``, ``refusal``, or a harm or quality such as
            ``violence``; None if unknown. Evaluations use these data by default.
        looks_at_images: Whether a response that consists of images can be scored; if not, its score is undetermined.
        configuration: The scorer's YAML file, without judges; None if it was not loaded from one.

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
            trial: The number of the independent judgement; used by scorers that ask a judge.

        Returns:
            At least one score; the first is the verdict.
        """

    @abstractmethod
    def params(self) -> Mapping[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""

    def children(self) -> Mapping[str, ComponentIdentifier | Sequence[ComponentIdentifier]]:
        """Return the identities of the scorer's parts by name."""
        return {}

    def get_identifier(self) -> ComponentIdentifier:
        """Return the scorer's identity: its class and everything that can change a score.

        Raises:
            IdentityError: If a part can't be identified; the message names the fix.
        """
        return self._identifier

    @cached_property
    def _identifier(self) -> ComponentIdentifier:
        return class_identifier(self, params=self.params(), children=self.children())

    @cached_property
    def known_identifier(self) -> ComponentIdentifier | None:
        """The scorer's identity; None if it has none, because its scores are still useful."""
        try:
            return self.get_identifier()
        except IdentityError:
            return None

    def make_score(self, value: float | str, **attributes: Any) -> Score:
        """Make a score of this scorer.

        Args:
            value: True or false, or a number from 0 to 1, according to ``score_type``.
            **attributes: Other attributes of the score.

        Raises:
            ValueError: If the value does not fit the type.
        """
        return Score(
            score_type=self.score_type,
            score_value=value,  # pyright: ignore[reportArgumentType] - the score writes it in words
            scorer_identifier=self.known_identifier,
            **attributes,
        )

    def make_undetermined(self, reason: str, **attributes: Any) -> Score:
        """Make an undetermined score of this scorer, with its reason and other attributes."""
        return Score.undetermined(self.score_type, reason, scorer_identifier=self.known_identifier, **attributes)

    def make_unread(self, *, parts: Sequence[Score], **attributes: Any) -> Score | None:
        """Make an undetermined score if one of the parts is undetermined; None if none is.

        Args:
            parts: The parts of the score; the first undetermined one gives the reason.
            **attributes: Other attributes of the score.
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
            objective: What it should achieve, such as the user's request.
            fields: Other values that the scorer needs, by name.
            trial: As in ``score_async``.

        Returns:
            At least one score; the first is the verdict.
        """
        return await self._score_named(Response(text=text, objective=objective, fields=dict(fields or {})), trial=trial)

    def score(
        self, text: str, *, objective: str | None = None, fields: Mapping[str, str] | None = None, trial: int = 0
    ) -> Score:
        """Score a text from code that is not async, and return the verdict; otherwise like ``score_text_async``.

        Raises:
            RuntimeError: If an event loop is running, as in a notebook; the message names the async call.

        Examples:
            >>> from judgecore.scorers import SubStringScorer
            >>> SubStringScorer(substring="can").score("I can't do that.").get_value()
            True
        """
        scores = run_blocking(
            lambda: self.score_text_async(text, objective=objective, fields=fields, trial=trial),
            "(await scorer.score_text_async(text))[0]",
        )
        return scores[0]

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
            image: Its bytes, a file, an http(s) URL, or a ``PromptImage``.
            objective: What it should achieve, such as the user's request.
            text: Text that came with it.
            trial: As in ``score_async``.

        Returns:
            At least one score; the first is the verdict.

        Raises:
            RequestError: If it is not an image.
        """
        return await self._score_named(Response(text=text, images=(to_image(image),), objective=objective), trial=trial)

    async def score_conversation_async(
        self, turns: Sequence[ConversationTurn | Mapping[str, Any]], *, objective: str | None = None, trial: int = 0
    ) -> list[Score]:
        """Score the last turn of a conversation; the scorer decides which earlier turns it uses.

        Args:
            turns: As in ``Response.from_conversation``.
            objective: What the last turn should achieve.
            trial: As in ``score_async``.

        Returns:
            At least one score; the first is the verdict.

        Raises:
            ValueError: If there are no turns, or one is invalid.
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
        """Score many responses; if one fails, its score is undetermined and holds the error.

        Args:
            responses: Texts, or responses.
            objectives: What each text should achieve.
            concurrency: How many are scored at once.
            trial: As in ``score_async``.

        Returns:
            The scores of each response, in order.

        Raises:
            ValueError: If the numbers of objectives and responses differ.
            JudgecoreError: If the error affects all responses: a rejected key, an unwritable ledger.
        """
        settled = _with_objectives(list(responses), objectives)
        return [scores async for scores in self.score_stream(settled, concurrency=concurrency, trial=trial)]

    def score_stream(
        self, responses: Iterable[Response], *, concurrency: int = DEFAULT_CONCURRENCY, trial: int = 0
    ) -> AsyncIterator[list[Score]]:
        """Score a stream of responses in bounded memory, otherwise like ``score_batch_async``."""
        return score_stream(self, responses, concurrency=concurrency, trial=trial)

    async def score_present(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Score a response; if it has no text and no image, the score is undetermined and no judge is asked."""
        if response.text is None and not response.images:
            return [self.make_undetermined("missing", objective=response.objective)]
        if response.images and not response.text and not self.looks_at_images:
            why = "the response has images alone, and this scorer looks at words; pass those in them as text"
            return [self.make_undetermined("missing", score_rationale=why, objective=response.objective)]
        try:
            with ask_about(str(response)):
                scores = await self.score_async(response, trial=trial)
        except asyncio.CancelledError as problem:
            if is_cancelled():
                raise
            raise RuntimeError("the scorer raised CancelledError without being cancelled") from problem
        is_list = isinstance(scores, list)  # pyright: ignore[reportUnnecessaryIsInstance] - a class of the caller's own
        if not (is_list and scores and all(isinstance(one, Score) for one in cast("list[object]", scores))):
            raise TypeError(
                f"{type(self).__name__}.score_async returned {scores!r:.80}; return a list of at least one Score"
            )
        return scores

    async def _score_named(self, response: Response, *, trial: int) -> list[Score]:
        """Score a response; exceptions get a note that names it."""
        try:
            return await self.score_present(response, trial=trial)
        except Exception as problem:
            problem.add_note(f"while scoring {response}")
            raise

    async def evaluate_async(
        self, *, num_scorer_trials: int | None = None, dataset: HumanLabeledDataset | None = None, **options: Any
    ) -> ScorerMetrics:
        """Measure this scorer against human labels, unless the registry already has the result.

        Args:
            num_scorer_trials: How often each response is scored; if None, 1 if all judges have the temperature 0, and
                otherwise 3.
            dataset: The labelled responses; the scorer's default data if None.
            **options: ``table`` and its columns, as in ``judgecore.evaluation.evaluate``;
                ``update_registry_behavior``, ``registry``, ``ledger``, ``concurrency``, ``allow_unverified``,
                ``slice_by``, ``prices``, ``on_progress``: as in ``ScorerEvaluator.run_evaluation_async``.

        Returns:
            The metrics; their ``result`` has every item, unless they come from the registry.

        Raises:
            EvaluationError: If there are no data, or they do not fit; no judge was asked then.
            IdentityError: If the scorer has no ``eval_hash`` and ``ALWAYS_UPDATE`` would store the metrics; no judge
                was asked then.

        Warns:
            FewerTrialsWarning: If the registry keeps its entry, because that has more trials.
            UnnamedCodeWarning: If the scorer has no ``eval_hash``, so that the registry is neither read nor written.
        """
        # The one place where a station looks forward: a convenience, and so the import waits for the call.
        from judgecore.evaluation import evaluate  # noqa: PLC0415

        return await evaluate(self, dataset=dataset, num_scorer_trials=num_scorer_trials, **options)

    def get_scorer_metrics(
        self, *, registry: Registry | None = None, subject: str | None = None
    ) -> ScorerMetrics | None:
        """Return this scorer's metrics from the registry.

        Args:
            registry: The registry; the one in the default folder if None.
            subject: ``objective``, ``refusal`` or a harm; the first known one if None.

        Returns:
            The metrics, or None if it was not evaluated or has no ``eval_hash``.

        Raises:
            IdentityError: If its ``response_parser`` has no identity.

        Warns:
            UnnamedCodeWarning: If the scorer's code can't be identified, so that it has no ``eval_hash``.
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
