"""``ScorerEvaluator``: evaluates a scorer with human labels, and resumes interrupted evaluations."""

from __future__ import annotations

import asyncio
import difflib
import time
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, Unpack, cast

import numpy as np

from judgecore.errors import (
    EvaluationError,
    FewerTrialsWarning,
    IdentityError,
    RegistryError,
    UnnamedCodeWarning,
)
from judgecore.evaluation.dataset import HumanLabeledDataset
from judgecore.evaluation.dataset_columns import ColumnOptions
from judgecore.evaluation.dataset_entry import MetricsType
from judgecore.evaluation.default_data import default_files
from judgecore.evaluation.item import make_item
from judgecore.evaluation.measuring import measure
from judgecore.evaluation.registry import OBJECTIVE, REFUSAL, Registry, RegistryUpdateBehavior, harm_name, is_current
from judgecore.evaluation.result import DatasetSummary, EvaluationCost, EvaluationResult, Measure
from judgecore.identity import ScorerEvaluationIdentifier
from judgecore.reading import Reading
from judgecore.scorers import PairwiseScorer
from judgecore.targets import BatchRun, Ledger, keep_replies, model_name
from judgecore.targets.keeping import keeping_ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from judgecore.evaluation.item import ItemResult
    from judgecore.evaluation.measuring import Measured
    from judgecore.evaluation.result import ScorerMetrics
    from judgecore.identity import ComponentIdentifier
    from judgecore.scorers import Response, Score, Scorer
    from judgecore.targets import BatchTally, Budget, PriceTable, RequestTally

DEFAULT_TRIALS = 3
_SLICE = "slice"
_PER_CENT = 100


class EvaluationOptions(TypedDict, total=False):
    """The options of ``ScorerEvaluator.evaluate_async``, which explains them."""

    concurrency: int
    ledger: Ledger | None
    allow_unverified: bool
    slice_by: Sequence[str] | None
    prices: PriceTable | None
    budget: Budget | None
    wait_for_batches: bool
    check_first: Callable[[Response, Score], bool] | None
    on_progress: Callable[[int, int, list[Score]], None] | None
    on_batches: Callable[[BatchTally], None] | None


class ScorerEvaluator:
    """Evaluates a scorer with human labels.

    Trials run concurrently. All replies go through the ledger, so that a killed evaluation can be resumed. An
    undetermined score affects only its item, and is counted.

    Args:
        scorer: The scorer.

    Attributes:
        metrics_type: The kind of labels that it requires.
    """

    metrics_type: ClassVar[MetricsType]

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer

    @classmethod
    def from_scorer(cls, scorer: Scorer) -> ScorerEvaluator:
        """Return the evaluator that fits a scorer's type."""
        return (ObjectiveScorerEvaluator if scorer.score_type == "true_false" else HarmScorerEvaluator)(scorer)

    async def evaluate_async(
        self,
        dataset: HumanLabeledDataset,
        *,
        num_scorer_trials: int = DEFAULT_TRIALS,
        concurrency: int = 32,
        ledger: Ledger | None = None,
        allow_unverified: bool = False,
        slice_by: Sequence[str] | None = None,
        prices: PriceTable | None = None,
        budget: Budget | None = None,
        wait_for_batches: bool = False,
        check_first: Callable[[Response, Score], bool] | None = None,
        on_progress: Callable[[int, int, list[Score]], None] | None = None,
        on_batches: Callable[[BatchTally], None] | None = None,
    ) -> EvaluationResult:
        """Score every response of a data set, several times, and measure the scores against the labels.

        Args:
            dataset: The labelled responses. Their other columns reach prompts that show them: ``response_b`` of pairs.
            num_scorer_trials: How many times each is scored, at least 1.
            concurrency: How many are scored at once, all trials together.
            ledger: Where requests and replies are kept. If None, that of the ``keep_replies`` around, else in memory,
                so that nothing outlives the process.
            allow_unverified: Go on where a harm definition is missing; the result says ``unverified``.
            slice_by: Columns by whose values items are measured in parts; ``slice`` if None and there is one.
            prices: What tokens cost; None where that is not known, and where a budget has them.
            budget: How much may be spent, what the ledger has spent before included; None for no limit. Once it is
                reached, the other items are not asked: the result rests on those that are scored, and says so.
            wait_for_batches: Whether to wait for the replies of batches, if judges send their requests so. Without it,
                the evaluation submits them and ends; the same call later collects them, and goes on.
            check_first: Told the score of one response after another, until it returns True; only then are the others
                scored. An exception that it raises ends the evaluation.
            on_progress: Told after each response how many are scored, of how many, and its scores. It begins again
                with 1 when batches have brought replies.
            on_batches: Told how far batches are.

        Returns:
            What was measured, with every item.

        Raises:
            EvaluationError: If labels and scorer do not fit; nothing was asked then.
            PendingReplyError: If replies of batches are pending; nothing is measured before all are there.
            NotAskedError: If nothing could be asked, for example because the budget is reached.
            DatasetError: If the data set is not fit for evaluation.
            JudgecoreError: If what failed is not one item's own: a key that is not accepted, a ledger that can't be
                written.
        """
        self._check(dataset, num_scorer_trials, slice_by, allow_unverified=allow_unverified)
        if budget is not None:
            prices = prices or budget.prices
            for judge in _judges(self.scorer.get_identifier()):
                budget.check(model_name(judge))
        columns = _columns(dataset, slice_by)
        started = time.perf_counter()
        with ExitStack() as opened:
            around = keeping_ledger() if ledger is None else ledger
            kept = opened.enter_context(Ledger()) if around is None else around
            tally = opened.enter_context(keep_replies(kept, budget=budget))

            run = _Run(self.scorer, dataset, num_scorer_trials, concurrency, check_first, on_progress)
            batches = BatchRun(kept, on_progress=on_batches)
            await batches.settle(lambda: run.score(batches), is_waiting=wait_for_batches)
            seconds = time.perf_counter() - started
            verdicts = [[scores[0] for scores in item] for item in zip(*run.trials, strict=True)]
            asked = [place for place, scores in enumerate(verdicts) if not all(one.is_not_asked for one in scores)]
            not_asked = [next((one for one in scores if one.is_not_asked), None) for scores in verdicts]
            reasons = [str(one.error or one.score_rationale) for one in not_asked if one is not None]
            if verdicts and not asked:
                raise cast("Exception", verdicts[0][0].error)
            items = tuple(make_item(dataset, place, verdicts[place], kept) for place in asked)
        if len(asked) < len(verdicts):
            dataset = replace(dataset, entries=tuple(dataset.entries[place] for place in asked))
            verdicts = [verdicts[place] for place in asked]
        measured = measure(
            dataset,
            np.array([[_value(score) for score in trial] for trial in zip(*verdicts, strict=True)], dtype=np.float64),
            configuration=self.scorer.configuration,
            probabilities=_probabilities(verdicts),
            slice_by=columns,
            seconds=seconds,
        )
        result = self._result(dataset, measured, items, _cost(tally, seconds, prices))
        return replace(
            result,
            position_bias=_position_bias(verdicts),
            num_not_asked=len(reasons),
            why_not_asked=reasons[0] if reasons else "",
            served=tuple(tally.served.values()),
        )

    async def run_evaluation_async(
        self,
        dataset: HumanLabeledDataset,
        *,
        num_scorer_trials: int = DEFAULT_TRIALS,
        update_registry_behavior: RegistryUpdateBehavior = RegistryUpdateBehavior.SKIP_IF_EXISTS,
        registry: Registry | None = None,
        allow_fewer_trials: bool = False,
        subject: str | None = None,
        **options: Unpack[EvaluationOptions],
    ) -> ScorerMetrics:
        """Evaluate, unless the registry has the answer already; and keep what was found, if anything was scored.

        A result of which items were not asked is not kept in the registry.

        Args:
            dataset: The labelled responses.
            num_scorer_trials: How many times each is scored.
            update_registry_behavior: What to do about the registry's line.
            registry: Where metrics are kept; the default folder if None.
            allow_fewer_trials: Let ``ALWAYS_UPDATE`` replace a line that rests on more trials.
            subject: Under what the metrics are kept: ``objective``, ``refusal`` or a harm; found from scorer and data
                if None.
            **options: As ``evaluate_async`` takes them.

        Returns:
            The metrics. Their ``result`` has every item; it is None where they come from the registry.

        Raises:
            EvaluationError: If labels and scorer do not fit; nothing was asked then.
            IdentityError: If the scorer has no ``eval_hash``, and ``ALWAYS_UPDATE`` asks to keep it; nothing was asked
                then.
            RegistryError: If the registry can't be read or written.

        Warns:
            FewerTrialsWarning: If the metrics were not kept, because the registry's line rests on more trials.
            UnnamedCodeWarning: If the scorer has no ``eval_hash``, so that the registry is neither read nor written.
        """
        is_unverified = options.get("allow_unverified", False)
        self._check(dataset, num_scorer_trials, options.get("slice_by"), allow_unverified=is_unverified)
        settled = self._subject(dataset, subject)
        behavior = RegistryUpdateBehavior(update_registry_behavior)
        known = registry if registry is not None else Registry()
        identity = _identity_for(self.scorer, behavior)
        if identity is not None and behavior is RegistryUpdateBehavior.SKIP_IF_EXISTS:
            kept = self._find_current(identity, known, settled, dataset, num_scorer_trials)
            if kept is not None:
                return kept
        result = await self.evaluate_async(dataset, num_scorer_trials=num_scorer_trials, **options)
        result = replace(result, subject=settled)
        metrics = replace(result.metrics, result=result)
        # A judge that was not there says nothing of the scorer, and must not stand in the way of the next run.
        if identity is not None and result.metrics.has_scores and not result.num_not_asked:
            # A line that does not answer what was asked is replaced, whatever it rests on.
            replaces = allow_fewer_trials or behavior is RegistryUpdateBehavior.SKIP_IF_EXISTS
            if known.replace(identity, settled, result.metrics, allow_fewer_trials=replaces):
                _save(result, known, identity)
            else:
                message = (
                    f"the registry keeps its line of {identity.identifier.class_name}, which rests on more trials than "
                    f"these metrics of {num_scorer_trials}; allow_fewer_trials=True replaces it"
                )
                warning = FewerTrialsWarning(message)
                warning.metrics = metrics
                warnings.warn(warning, stacklevel=2)
        return metrics

    def find_current(
        self, dataset: HumanLabeledDataset, *, num_scorer_trials: int, registry: Registry | None = None
    ) -> ScorerMetrics | None:
        """Return the registry's metrics with which ``SKIP_IF_EXISTS`` would ask nothing; None if it would ask.

        Args:
            dataset: The labelled responses.
            num_scorer_trials: How many times each is scored.
            registry: Where metrics are kept; the default folder if None.
        """
        try:
            identity = ScorerEvaluationIdentifier(self.scorer.get_identifier())
        except IdentityError:
            return None
        subject = self._subject(dataset, None)
        return self._find_current(identity, registry or Registry(), subject, dataset, num_scorer_trials)

    def _find_current(
        self,
        identity: ScorerEvaluationIdentifier,
        registry: Registry,
        subject: str,
        dataset: HumanLabeledDataset,
        num_scorer_trials: int,
    ) -> ScorerMetrics | None:
        entry = registry.find(identity, subject)
        if entry is None or not is_current(
            entry,
            dataset_version=dataset.version,
            dataset_hash=dataset.content_hash,
            num_scorer_trials=num_scorer_trials,
            harm_definition_version=dataset.harm_definition_version if self._is_harm else None,
        ):
            return None
        return entry.metrics

    @property
    def _is_harm(self) -> bool:
        return self.metrics_type is MetricsType.HARM

    def _check(
        self,
        dataset: HumanLabeledDataset,
        num_scorer_trials: int,
        slice_by: Sequence[str] | None,
        *,
        allow_unverified: bool,
    ) -> None:
        """Raise an error for an evaluation that is impossible, before any request."""
        if num_scorer_trials < 1:
            raise ValueError(f"num_scorer_trials must be at least 1, not {num_scorer_trials}")
        wanted = "true_false" if self.metrics_type is MetricsType.OBJECTIVE else "float_scale"
        if self.scorer.score_type != wanted:
            raise EvaluationError(
                f"{type(self).__name__} measures {wanted} scorers, and {type(self.scorer).__name__} is "
                f"{self.scorer.score_type}; use {type(self.from_scorer(self.scorer)).__name__}"
            )
        if dataset.metrics_type is not self.metrics_type:
            cure = "a threshold scorer makes true or false of a scale" if self._is_harm else "pass harm_category data"
            raise EvaluationError(
                f"{dataset.name} holds {dataset.metrics_type} labels, but {type(self.scorer).__name__} gives "
                f"{self.scorer.score_type} scores; {cure}, or pass another dataset="
            )
        dataset.validate(allow_unverified=allow_unverified)
        _columns(dataset, slice_by)

    def _subject(self, dataset: HumanLabeledDataset, subject: str | None) -> str:
        if subject is not None:
            return subject
        if self._is_harm:
            return harm_name(dataset.harm_categories[0])
        return REFUSAL if self.scorer.labelled_data == REFUSAL else OBJECTIVE

    def _result(
        self, dataset: HumanLabeledDataset, measured: Measured, items: tuple[ItemResult, ...], cost: EvaluationCost
    ) -> EvaluationResult:
        return EvaluationResult(
            scorer_identifier=self.scorer.get_identifier(),
            subject=self._subject(dataset, None),
            dataset=DatasetSummary(
                name=dataset.name,
                version=dataset.version,
                content_hash=dataset.content_hash,
                harm_definition=dataset.known_definition,
                harm_definition_version=dataset.harm_definition_version,
                scale=dataset.scale,
                raters=dataset.raters,
            ),
            metrics=measured.metrics,
            measures=measured.measures,
            slices=measured.slices,
            calibration=measured.calibration,
            cost=cost,
            items=items,
        )


class ObjectiveScorerEvaluator(ScorerEvaluator):
    """Evaluates true/false scorers: accuracy, precision, recall, F1 and related metrics."""

    metrics_type = MetricsType.OBJECTIVE


class HarmScorerEvaluator(ScorerEvaluator):
    """Evaluates float-scale scorers: mean absolute error, agreement, bias and related metrics."""

    metrics_type = MetricsType.HARM


def results_folder(registry: Registry, subject: str, eval_hash: str) -> Path:
    """Return the folder of a registry with the items of a scorer's evaluation."""
    return registry.folder / "results" / harm_name(subject) / eval_hash


def kept_result(metrics: ScorerMetrics, registry: Registry, eval_hash: str) -> EvaluationResult | None:
    """Return the evaluation of a registry's entry."""
    line = metrics.to_registry()
    folders = (results_folder(registry, subject, eval_hash) for subject in registry.subjects())
    kept = (EvaluationResult.load(folder) for folder in folders if folder.is_dir())
    return next((one for one in kept if one.metrics.to_registry() == line), None)


class TableEvaluationOptions(ColumnOptions, EvaluationOptions, total=False):
    """The options of ``evaluate``: the columns of its table, and those of ``ScorerEvaluator.run_evaluation_async``."""

    update_registry_behavior: RegistryUpdateBehavior
    registry: Registry | None
    allow_fewer_trials: bool
    subject: str | None


async def evaluate(
    scorer: Scorer,
    table: Any = None,
    *,
    dataset: HumanLabeledDataset | None = None,
    num_scorer_trials: int | None = None,
    **options: Unpack[TableEvaluationOptions],
) -> ScorerMetrics:
    """Evaluate a scorer on a table of ratings, on a data set, or on the data set that it names itself.

    Args:
        scorer: What is measured.
        table: A file's path, a table of pandas, polars or pyarrow, or a list of mappings; its columns have any names.
        dataset: The labelled responses, instead of a table; the scorer's default data if both are None.
        num_scorer_trials: How many times each is scored; if None 1 if all judges have the temperature 0, otherwise 3.
        **options: The table's columns, as ``ColumnOptions`` describes them; and as
            ``ScorerEvaluator.run_evaluation_async`` takes them.

    Raises:
        ColumnsNeededError: If something must be said about the table's columns.
        EvaluationError: If there is no data; the message names ``dataset=``.
        TypeError: If columns are named without a table, or both a table and a data set are given.
    """
    others: dict[str, Any] = dict(options)
    columns = cast(
        "ColumnOptions", {name: others.pop(name) for name in ColumnOptions.__annotations__ if name in others}
    )
    if table is not None:
        if dataset is not None:
            raise TypeError("table and dataset= are two kinds of data; leave one out")
        dataset = HumanLabeledDataset.from_ratings(table, **columns)
    elif any(columns.values()):
        raise TypeError(f"{next(name for name, value in columns.items() if value)}= describes a table; pass it, too")
    if dataset is None:
        files = default_files(scorer)
        if files is None:
            raise EvaluationError(
                f"{type(scorer).__name__} names no labelled data of its own; pass a table of ratings, "
                "or dataset=HumanLabeledDataset.from_csv(...)"
            )
        dataset = files.load()
    evaluator = ScorerEvaluator.from_scorer(scorer)
    trials = default_trials(scorer) if num_scorer_trials is None else num_scorer_trials
    return await evaluator.run_evaluation_async(dataset, num_scorer_trials=trials, **others)


def default_trials(scorer: Scorer) -> int:
    """Return how many trials a scorer needs: 1 if it asks judges and all have the temperature 0, otherwise 3."""
    judges = list(_judges(scorer.get_identifier()))
    return 1 if judges and all(one.params.get("temperature") == 0 for one in judges) else DEFAULT_TRIALS


def _judges(component: ComponentIdentifier) -> Iterator[ComponentIdentifier]:
    for name in component.children:
        for child in component.children_of(name):
            if name == "prompt_target":
                yield from child.children_of("targets") or (child,)
            else:
                yield from _judges(child)


def known_metrics(
    scorer: Scorer, *, registry: Registry | None = None, subject: str | None = None
) -> ScorerMetrics | None:
    """Return a registry's metrics of a scorer.

    Args:
        scorer: The scorer.
        registry: Where metrics are kept; the default folder if None.
        subject: ``objective``, ``refusal`` or a harm; the first that is known if None.

    Returns:
        The metrics, or None where the scorer was not evaluated or has no ``eval_hash``.

    Warns:
        UnnamedCodeWarning: If the scorer has no ``eval_hash``.
    """
    known = registry if registry is not None else Registry()
    identity = _identity_for(scorer, RegistryUpdateBehavior.SKIP_IF_EXISTS)
    if identity is None:
        return None
    if subject is not None:
        entry = known.find(identity, subject)
        return None if entry is None else entry.metrics
    return next((entry.metrics for entry in known.find_all(identity)), None)


@dataclass
class _Run:
    """Scores the responses of a data set in several trials; the arguments are those of ``evaluate_async``."""

    scorer: Scorer
    dataset: HumanLabeledDataset
    n_trials: int
    concurrency: int
    check_first: Callable[[Response, Score], bool] | None
    on_progress: Callable[[int, int, list[Score]], None] | None
    trials: list[list[list[Score]]] = field(default_factory=list["list[list[Score]]"])
    n_done: int = 0

    async def score(self, batches: BatchRun) -> bool:
        """Score all responses once; return whether replies are pending."""
        self.n_done = 0
        first = await self._score_first()
        self.trials = await _gather(
            [self._score_trial(trial, () if trial else first, batches) for trial in range(self.n_trials)]
        )
        return any(scores[0].undetermined_reason == "pending" for trial in self.trials for scores in trial)

    async def _score_first(self) -> list[list[Score]]:
        """Score one response after another until a check permits to score the others."""
        found: list[list[Score]] = []
        if self.check_first is not None:
            for response in self.dataset.responses():
                found += await self.scorer.score_batch_async([response])
                self._count(found[-1])
                if self.check_first(response, found[-1][0]):
                    break
        return found

    async def _score_trial(self, trial: int, first: Sequence[list[Score]], batches: BatchRun) -> list[list[Score]]:
        found = list(first)
        responses = islice(self.dataset.responses(), len(first), None)
        async for scores in self.scorer.score_stream(
            responses, concurrency=max(1, self.concurrency // self.n_trials), trial=trial
        ):
            found.append(scores)
            await batches.submit(is_partial=False)
            self._count(scores)
        return found

    def _count(self, scores: list[Score]) -> None:
        self.n_done += 1
        if self.on_progress is not None:
            self.on_progress(self.n_done, len(self.dataset) * self.n_trials, scores)


async def _gather(trials: Sequence[Coroutine[Any, Any, list[list[Score]]]]) -> list[list[list[Score]]]:
    """Run all trials; if one fails, cancel the others first."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(trial) for trial in trials]
    except BaseExceptionGroup as problems:
        raise problems.exceptions[0] from None
    return [task.result() for task in tasks]


def _identity_for(scorer: Scorer, behavior: RegistryUpdateBehavior) -> ScorerEvaluationIdentifier | None:
    """Return the scorer's identity in a registry; None if no registry is used."""
    identifier = scorer.get_identifier()
    if behavior is RegistryUpdateBehavior.NEVER_UPDATE:
        return None
    try:
        return ScorerEvaluationIdentifier(identifier)
    except IdentityError as problem:
        # Who asks to keep metrics is not given a run whose metrics nobody keeps.
        if behavior is RegistryUpdateBehavior.ALWAYS_UPDATE:
            raise
        message = f"{problem}. The registry is neither read nor written for it"
        warnings.warn(message, UnnamedCodeWarning, stacklevel=3)
        return None


def _columns(dataset: HumanLabeledDataset, slice_by: Sequence[str] | None) -> tuple[str, ...]:
    there = list(dict.fromkeys(name for entry in dataset.entries for name in entry.metadata))
    if slice_by is None:
        return (_SLICE,) if _SLICE in there else ()
    missing = [name for name in slice_by if name not in there]
    if missing:
        near = difflib.get_close_matches(missing[0], there, n=1)
        cure = f"did you mean {near[0]}? " if near else ""
        raise EvaluationError(
            f"{dataset.name} has no column {', '.join(missing)} to slice by; {cure}"
            f"there are {', '.join(there) or 'none'}"
        )
    return tuple(slice_by)


def _value(score: Score) -> float:
    return np.nan if score.is_undetermined else float(score.get_value())


def _probabilities(items: list[list[Score]]) -> npt.NDArray[np.float64] | None:
    """How probable judges say it is that each item is true, or that its score is right; None unless all say so."""
    found: list[float] = []
    for scores in items:
        said = [_probability(one) for one in scores if not one.is_undetermined]
        given = [one for one in said if one is not None]
        if len(given) < len(said):
            return None
        found.append(sum(given) / len(given) if given else np.nan)
    return np.array(found) if np.isfinite(found).any() else None


def _probability(score: Score) -> float | None:
    """A verdict's probability of being true, or a number's of being right, by token probabilities or confidence."""
    is_verdict = score.score_type == "true_false"
    probability = score.score_metadata.get("probability")
    if is_verdict and isinstance(probability, float):
        return probability
    confidence = score.score_metadata.get("confidence")
    fields: object = score.reading.fields if isinstance(score.reading, Reading) else None
    if confidence is None and isinstance(fields, Mapping):
        confidence = cast("Mapping[str, Any]", fields).get("confidence")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= _PER_CENT:
        return None
    # Above 1 it is in per cent.
    share = confidence / _PER_CENT if confidence > 1 else float(confidence)
    return share if not is_verdict or score.get_value() else 1 - share


def _position_bias(items: list[list[Score]]) -> tuple[Measure, ...]:
    """Return the position bias of verdicts on pairs; empty if no pair was judged in both orders."""
    found = PairwiseScorer.position_bias(items)
    if not found.num_pairs:
        return ()
    return (
        Measure(name="pairs", value=float(found.num_pairs)),
        Measure.within(found.consistency_interval, name="consistency", value=found.consistency),
        Measure(name="preference_fairness", value=found.preference_fairness),
    )


def _cost(tally: RequestTally, seconds: float, prices: PriceTable | None) -> EvaluationCost:
    tokens = tally.total
    return EvaluationCost(
        calls=tally.calls + tally.collected,
        replayed=tally.replayed,
        input_tokens=tokens.sent,
        output_tokens=tokens.received,
        retries=tally.retries,
        seconds=seconds,
        price=None if prices is None else prices.cost(tally.tokens),
        currency="" if prices is None else prices.currency,
    )


def _save(result: EvaluationResult, registry: Registry, identity: ScorerEvaluationIdentifier) -> None:
    folder = results_folder(registry, result.subject, identity.eval_hash)
    try:
        result.save(folder)
    except OSError as problem:
        raise RegistryError(f"{folder}: the items can't be written: {problem.strerror}; the metrics are kept") from None
