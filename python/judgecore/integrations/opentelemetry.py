"""OpenTelemetry: emit a ``gen_ai.evaluation.result`` event for each score, in the caller's span.

It is opt-in and needs only the OpenTelemetry API (``pip install 'judgecore[opentelemetry]'``). Events contain neither
the judged text nor the judge's reply unless you enable ``content``.

References:
    OpenTelemetry semantic conventions for generative AI, the event ``gen_ai.evaluation.result``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentelemetry._logs import SeverityNumber, get_logger

from judgecore.reading import GuardVerdict, Reading, Unreadable
from judgecore.scorers import Score, Scorer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry._logs import LoggerProvider

    from judgecore.identity import ComponentIdentifier
    from judgecore.scorers import Response

__all__ = ["ObservedScorer", "emit_result"]

EVENT = "gen_ai.evaluation.result"

_NAME = "gen_ai.evaluation.name"
_VALUE = "gen_ai.evaluation.score.value"
_LABEL = "gen_ai.evaluation.score.label"
_EXPLANATION = "gen_ai.evaluation.explanation"
_ERROR = "error.type"

_HASH_DIGITS = 8


def emit_result(
    name: str,
    result: Score | Reading | Unreadable | Exception,
    *,
    content: bool = False,
    response_id: str | None = None,
    logger_provider: LoggerProvider | None = None,
) -> None:
    """Emit an event for one result.

    A value is emitted as ``gen_ai.evaluation.score.value`` (true is 1) or ``gen_ai.evaluation.score.label``. Without a
    value, ``error.type`` has the reason instead, such as ``truncated``.

    Args:
        name: The name of the evaluation, such as the scorer's name.
        result: A score, a reading, an unreadable outcome, or an exception.
        content: Whether to include the rationale, which may quote the judged text.
        response_id: The ``gen_ai.response.id`` of the judged response.
        logger_provider: The provider of the event logger; None for the global one.
    """
    attributes: dict[str, Any] = {_NAME: name}
    if response_id is not None:
        attributes["gen_ai.response.id"] = response_id
    if isinstance(result, Score):
        attributes |= _of_score(result, content=content)
    elif isinstance(result, Reading):
        attributes |= {**_of_value(result.value), **_of_reading(result)}
        if content:
            attributes[_EXPLANATION] = result.evidence
    elif isinstance(result, Unreadable):
        attributes |= {_ERROR: result.reason, "judgecore.format": result.format}
    else:
        attributes[_ERROR] = type(result).__qualname__
    severity = SeverityNumber.WARN if _ERROR in attributes else SeverityNumber.INFO
    logger = get_logger("judgecore", logger_provider=logger_provider)
    logger.emit(event_name=EVENT, severity_number=severity, attributes=attributes)


class ObservedScorer(Scorer):
    """A wrapper that emits an event for each score; it has the identity of the wrapped scorer.

    Args:
        scorer: The scorer.
        name: Its name in events; None for its class.
        content: Whether to include the judge's rationale.
        logger_provider: The provider of the event logger; None for the global one.
    """

    def __init__(
        self,
        scorer: Scorer,
        *,
        name: str | None = None,
        content: bool = False,
        logger_provider: LoggerProvider | None = None,
    ) -> None:
        self._scorer = scorer
        self._name = name or type(scorer).__name__
        self._content = content
        self._logger_provider = logger_provider
        self.score_type = scorer.score_type  # type: ignore[misc]

    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Score one response, and emit an event for each score, or for an exception."""
        try:
            scores = await self._scorer.score_present(response, trial=trial)
        except Exception as problem:
            self._emit(problem)
            raise
        for score in scores:
            self._emit(score)
        return scores

    def params(self) -> Mapping[str, Any]:
        """Return those of the wrapped scorer."""
        return self._scorer.params()

    def children(self) -> Mapping[str, ComponentIdentifier | Sequence[ComponentIdentifier]]:
        """Return those of the wrapped scorer."""
        return self._scorer.children()

    def get_identifier(self) -> ComponentIdentifier:
        """Return the identity of the wrapped scorer."""
        return self._scorer.get_identifier()

    def _emit(self, result: Score | Exception) -> None:
        emit_result(self._name, result, content=self._content, logger_provider=self._logger_provider)


def _of_score(score: Score, *, content: bool) -> dict[str, Any]:
    attributes: dict[str, Any] = {"judgecore.attempts": score.attempts}
    if score.scorer_identifier is not None:
        attributes["judgecore.scorer"] = score.scorer_identifier.hash[:_HASH_DIGITS]
    if isinstance(score.reading, Reading):
        attributes |= _of_reading(score.reading)
    if content and score.score_rationale:
        attributes[_EXPLANATION] = score.score_rationale
    if not score.is_undetermined:
        return {**attributes, **_of_value(score.get_value())}
    why = type(score.error).__qualname__ if score.error is not None else score.undetermined_reason
    return {**attributes, _ERROR: why}


def _of_reading(reading: Reading) -> dict[str, Any]:
    return {"judgecore.format": reading.format, "judgecore.mode": reading.mode, "judgecore.rule": reading.rule}


def _of_value(value: Any) -> dict[str, Any]:
    """Return a value as number and label; other values, such as documents, are content and omitted."""
    if isinstance(value, GuardVerdict):
        if value.unsafe is None:
            return {}
        return {_VALUE: float(value.unsafe), _LABEL: "unsafe" if value.unsafe else "safe"}
    if isinstance(value, bool):
        return {_VALUE: float(value), _LABEL: str(value).lower()}
    if isinstance(value, int | float):
        return {_VALUE: float(value)}
    return {_LABEL: value} if isinstance(value, str) else {}
