"""Use judgecore scorers in PyRIT, and PyRIT scorers in judgecore."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrit.exceptions import EmptyResponseException, InvalidJsonException, ScorerLLMResponseBlockedException
from pyrit.models import Score as TheirScore
from pyrit.models import ScoreStatus as TheirStatus
from pyrit.score import FloatScaleScorer, ScorerPromptValidator, TrueFalseScorer
from pyrit.score.float_scale.float_scale_scorer import MessageFloatScaleScorer
from pyrit.score.true_false.true_false_scorer import MessageTrueFalseScorer

from judgecore.identity import ComponentIdentifier
from judgecore.scorers import Response, Score, Scorer
from judgecore.scorers.scorer import only_score
from judgecore.targets import PromptImage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrit.models import ComponentIdentifier as TheirIdentifier
    from pyrit.models import MessagePiece
    from pyrit.score import Scorer as TheirScorer

_TYPES = ["text", "image_path"]
# PyRIT's exceptions for unreadable replies, and the corresponding reasons.
_REASONS: dict[type[Exception], str] = {
    InvalidJsonException: "malformed",
    EmptyResponseException: "missing",
    ScorerLLMResponseBlockedException: "refused",
}


def to_pyrit(scorer: Scorer) -> TheirScorer:
    """Convert a judgecore scorer to a PyRIT scorer; an undetermined score stays undetermined.

    Args:
        scorer: A scorer that returns one score per response. It asks its own target: replies go through judgecore's
            pacing and ledger, not through PyRIT's memory.

    Returns:
        A ``TrueFalseScorer`` or a ``FloatScaleScorer``, for texts and images.
    """
    return _TrueFalse(scorer=scorer) if scorer.score_type == "true_false" else _FloatScale(scorer=scorer)


class _Judged:
    """The common part of both kinds of scorer."""

    _scorer: Scorer

    def _build_identifier(self) -> TheirIdentifier:
        known = self._scorer.get_identifier()
        return self._create_identifier(  # type: ignore[attr-defined]
            params={"judgecore_scorer": known.class_name, "judgecore_hash": known.hash}
        )

    async def _score_piece_async(
        self, message_piece: MessagePiece, *, objective: str | None = None
    ) -> list[TheirScore]:
        is_text = message_piece.converted_value_data_type == "text"
        response = Response(
            text=message_piece.converted_value if is_text else "",
            images=() if is_text else (PromptImage.from_path(message_piece.converted_value),),
            objective=objective,
            name=f"message piece {message_piece.id}",
        )
        score = only_score(await self._scorer.score_present(response), self._scorer)
        common: dict[str, Any] = {
            "score_value_description": score.score_value_description,
            "score_type": score.score_type,
            "score_category": score.score_category or None,
            "score_metadata": dict(score.score_metadata),
            "score_rationale": score.score_rationale,
            "scorer_class_identifier": self.get_identifier(),  # type: ignore[attr-defined]
            "message_piece_id": message_piece.id,
            "objective": objective,
        }
        if score.is_undetermined:
            common["score_metadata"]["undetermined_reason"] = score.undetermined_reason
            return [TheirScore(score_value=None, status=TheirStatus.UNDETERMINED, **common)]
        return [TheirScore(score_value=str(score.get_value()).lower(), **common)]


class _TrueFalse(_Judged, MessageTrueFalseScorer):
    """A judgecore true/false scorer for PyRIT."""

    def __init__(self, *, scorer: Scorer) -> None:
        super().__init__(validator=ScorerPromptValidator(supported_data_types=_TYPES))
        self._scorer = scorer


class _FloatScale(_Judged, MessageFloatScaleScorer):
    """A judgecore float-scale scorer for PyRIT."""

    def __init__(self, *, scorer: Scorer) -> None:
        super().__init__(validator=ScorerPromptValidator(supported_data_types=_TYPES))
        self._scorer = scorer


class PyritScorer(Scorer):
    """A PyRIT scorer, to be evaluated, combined or compared with judgecore.

    It has PyRIT's identity, with the same hash. PyRIT must be initialized, because its scorers store their scores.
    If PyRIT gives up on a reply, the score is undetermined.

    Args:
        scorer: The PyRIT scorer.

    Raises:
        TypeError: If it is neither a true/false nor a float-scale scorer.
    """

    def __init__(self, scorer: TheirScorer) -> None:
        if not isinstance(scorer, TrueFalseScorer | FloatScaleScorer):
            raise TypeError(f"{type(scorer).__name__} is neither a TrueFalseScorer nor a FloatScaleScorer of PyRIT")
        self._theirs = scorer
        self.score_type = "true_false" if isinstance(scorer, TrueFalseScorer) else "float_scale"  # type: ignore[misc]

    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Score the text with PyRIT; each trial asks again, because PyRIT has no trials."""
        del trial
        if response.images or response.conversation:
            raise ValueError(f"{response}: PyRIT scorers only support a text without images and earlier turns")
        try:
            given = await self._theirs.score_text_async(response.text or "", objective=response.objective)
        except tuple(_REASONS) as problem:
            reason = next(name for kind, name in _REASONS.items() if isinstance(problem, kind))
            return [self.make_undetermined(reason, score_rationale=str(problem), objective=response.objective)]
        if not given:
            return [self.make_undetermined("empty", objective=response.objective)]
        return [self._score(one, response) for one in given]

    def params(self) -> Mapping[str, Any]:
        """Return the params of PyRIT's identity."""
        return self.get_identifier().params

    def get_identifier(self) -> ComponentIdentifier:
        """Return PyRIT's identity of the scorer, with the same hash."""
        return ComponentIdentifier.from_registry(self._theirs.get_identifier().model_dump())

    def _score(self, given: TheirScore, response: Response) -> Score:
        common: dict[str, Any] = {
            "score_rationale": given.score_rationale or "",
            "score_value_description": given.score_value_description or "",
            "score_category": given.score_category or [],
            "score_metadata": given.score_metadata or {},
            "objective": response.objective,
        }
        if given.status is TheirStatus.UNDETERMINED:
            return self.make_undetermined("undecided", **common)
        return self.make_score(given.get_value(), **common)
