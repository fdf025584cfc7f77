"""Read the replies in Inspect AI logs: each model call with its prompt, reply and recorded score."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from inspect_ai.event import ModelEvent, ScoreEvent, SpanBeginEvent
from inspect_ai.log import read_eval_log, read_eval_log_samples

from judgecore.errors import LogError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from inspect_ai.log import EvalSample
    from inspect_ai.scorer import Score

Which = Literal["judges", "outputs"]

_CUT = ("max_tokens", "model_length")
# The extensions of Inspect's two log formats, a zip archive and a JSON document.
_ENDINGS = (".eval", ".json")


def read_log(path: str | PathLike[str], *, which: Which = "judges") -> Iterator[dict[str, Any]]:
    """Yield the replies of a log, with one sample in memory at a time.

    Args:
        path: A log of Inspect AI, ``.eval`` or ``.json``.
        which: ``judges`` for the replies requested by scorers; ``outputs`` for the scored outputs, one per sample.

    Yields:
        ``log``, ``sample_id``, ``epoch``, ``scorer`` (None for an output), ``role``, ``model``, ``prompt``, ``reply``
        (None if it has no text), ``finish_reason``, ``cut``, ``target``, ``recorded`` (the recorded value, or for an
        output the values of all scorers by name; None if unscored) and ``recorded_reason``.

    Raises:
        LogError: If it is not an Inspect log, or a sample can't be read.
    """
    file = Path(path)
    if file.suffix not in _ENDINGS:
        raise LogError(f"{file} is not an Inspect AI log: the name must end in .eval or .json")
    try:
        header = read_eval_log(file, header_only=True)
    except Exception as problem:  # its readers raise many kinds, of zip, JSON and pydantic
        raise LogError(f"{file} can't be read as an Inspect AI log: {_first_line(problem)}") from problem
    if header.eval.dataset.sample_ids is None:
        raise LogError(f"{file} does not list its samples; rewrite it with Inspect: inspect log convert")
    for sample in _samples(file):
        common = {"log": file.name, "sample_id": sample.id, "epoch": sample.epoch}
        rows = _outputs(sample) if which == "outputs" else _judges(sample)
        for row in rows:
            yield {**common, **row, "target": sample.target}


def _samples(file: Path) -> Iterator[EvalSample]:
    samples = read_eval_log_samples(file, all_samples_required=False, resolve_attachments="full")
    n_read = 0
    while True:
        try:
            sample = next(samples, None)
        except Exception as problem:  # as above
            why = f"after {n_read:,} samples: {_first_line(problem)}"
            raise LogError(f"{file} can't be read as an Inspect AI log, {why}") from problem
        if sample is None:
            return
        n_read += 1
        yield sample


def _outputs(sample: EvalSample) -> Iterator[dict[str, Any]]:
    choice = sample.output.choices[0] if sample.output.choices else None
    scores = sample.scores or {}
    yield {
        "scorer": None,
        "role": None,
        "model": sample.output.model,
        "prompt": sample.input if isinstance(sample.input, str) else sample.input[-1].text,
        "reply": None if choice is None else choice.message.text,
        "finish_reason": None if choice is None else choice.stop_reason,
        "cut": choice is not None and choice.stop_reason in _CUT,
        "recorded": {name: _value(score) for name, score in scores.items()},
        "recorded_reason": {name: score.reason for name, score in scores.items() if score.reason is not None},
    }


def _judges(sample: EvalSample) -> Iterator[dict[str, Any]]:
    """Yield the model calls inside a scorer's span, in order."""
    spans = {event.id: event for event in sample.events if isinstance(event, SpanBeginEvent)}
    scores = _recorded(sample)
    for event in sample.events:
        if not isinstance(event, ModelEvent):
            continue
        scorer = _scorer_of(event.span_id, spans)
        if scorer is None or event.pending:
            continue
        choice = event.output.choices[0] if event.output.choices else None
        score = scores.get(scorer)
        yield {
            "scorer": scorer,
            "role": event.role,
            "model": event.model,
            "prompt": event.input[-1].text if event.input else None,
            "reply": None if choice is None else choice.message.text,
            "finish_reason": event.error or (None if choice is None else choice.stop_reason),
            "cut": choice is not None and choice.stop_reason in _CUT,
            "recorded": None if score is None else _value(score),
            "recorded_reason": None if score is None else score.reason,
        }


def _recorded(sample: EvalSample) -> dict[str, Score]:
    """Return the last score of each scorer; a second scoring is recorded only in the sample."""
    given = {event.scorer: event.score for event in sample.events if isinstance(event, ScoreEvent) and event.scorer}
    return {**given, **(sample.scores or {})}


def _scorer_of(span_id: str | None, spans: dict[str, SpanBeginEvent]) -> str | None:
    """Return the scorer in whose span, at any depth, a call was made; None if there is none."""
    while span_id is not None and span_id in spans:
        span = spans[span_id]
        if span.type == "scorer":
            return span.name
        span_id = span.parent_id
    return None


def _value(score: Score) -> Any:
    """Return a recorded value as JSON; NaN, which Inspect uses for unscored, becomes None."""
    value = score.value
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, dict):
        return {name: None if isinstance(one, float) and math.isnan(one) else one for name, one in value.items()}
    return value


def _first_line(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0]
