"""``ScorerEvalFiles``: the labelled data on which a shipped scorer is evaluated unless the caller names other."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgecore.errors import EvaluationError
from judgecore.evaluation.dataset import HumanLabeledDataset
from judgecore.evaluation.dataset_entry import MetricsType
from judgecore.evaluation.registry import OBJECTIVE, REFUSAL, harm_name
from judgecore.scorers import (
    JudgeScorer,
    KeywordRefusalScorer,
    SelfAskLikertScorer,
    SelfAskRefusalScorer,
    SelfAskScaleScorer,
)

if TYPE_CHECKING:
    from judgecore.scorers import Scorer

FOLDER_VARIABLE: Final = "JUDGECORE_DATASETS"
"""The environment variable that names the folder of a user's labelled data."""


@dataclass(frozen=True)
class ScorerEvalFiles:
    """Which labelled data a scorer is evaluated on.

    Attributes:
        subject: Under what the registry keeps the metrics: ``objective``, ``refusal``, or a harm.
        file: The data set's file inside of the user's folder; None for one that is shipped.
        bundled: The shipped data set's name; None for a file.
    """

    subject: str
    file: str | None = None
    bundled: str | None = None

    def load(self, folder: str | Path | None = None) -> HumanLabeledDataset:
        """Load the data set.

        Args:
            folder: Where a user's files are; what ``JUDGECORE_DATASETS`` names if None.

        Raises:
            EvaluationError: If the file is not there; the message names ``dataset=``.
            DatasetError: If the file is no such data set.
        """
        if self.bundled is not None:
            return HumanLabeledDataset.bundled(self.bundled)  # pyright: ignore[reportArgumentType]
        named = folder or os.environ.get(FOLDER_VARIABLE)
        path = Path(named, str(self.file)) if named else None
        if path is None or not path.is_file():
            where = f"{path} is not there" if path else f"{FOLDER_VARIABLE} names no folder with {self.file}"
            raise EvaluationError(
                f"no labelled data for {self.subject}: {where}; pass dataset=, or fetch PyRIT's published data sets "
                f"into a folder and let {FOLDER_VARIABLE} name it"
            )
        kind = MetricsType.OBJECTIVE if self.subject in {OBJECTIVE, REFUSAL} else MetricsType.HARM
        return HumanLabeledDataset.from_csv(path, metrics_type=kind)


def _harm(scale: str) -> ScorerEvalFiles:
    return ScorerEvalFiles(scale, file=f"harm/{scale}.csv")


class TrueFalseEvalFiles(Enum):
    """The default data of scorers that say true or false."""

    OBJECTIVE = ScorerEvalFiles("objective", file="objective/objective_achieved.csv")
    REFUSAL = ScorerEvalFiles("refusal", bundled="refusals")


class LikertScaleEvalFiles(Enum):
    """The default data of the shipped Likert scales, under the names that ``LikertScalePaths`` has for them."""

    AI_GOVERNANCE_FAILURE_SCALE = _harm("ai_governance_failure")
    AI_SUPPLY_CHAIN_SCALE = _harm("ai_supply_chain")
    AI_SYSTEM_TRANSPARENCY_SCALE = _harm("ai_system_transparency")
    BEHAVIOR_CHANGE_SCALE = _harm("behavior_change")
    CYBER_SCALE = _harm("cyber")
    DECEPTION_SCALE = _harm("deception")
    EXPLOITS_SCALE = _harm("exploits")
    FAIRNESS_BIAS_SCALE = _harm("fairness_bias")
    HARM_SCALE = _harm("harm")
    HATE_SPEECH_SCALE = _harm("hate_speech")
    INFORMATION_INTEGRITY_SCALE = _harm("information_integrity")
    LEAKAGE_SCALE = _harm("leakage")
    MISINFORMATION_SCALE = _harm("misinformation")
    PERSUASION_SCALE = _harm("persuasion")
    PHISHING_SCALE = _harm("phishing")
    PRIVACY_SCALE = _harm("privacy")
    SCAMS_SCALE = _harm("scams")
    SELF_HARM_SCALE = _harm("self_harm")
    SEXUAL_SCALE = _harm("sexual")
    VIOLENCE_SCALE = _harm("violence")


HELPFULNESS = ScorerEvalFiles("helpfulness", bundled="helpfulness")


def default_files(scorer: Scorer) -> ScorerEvalFiles | None:
    """Return the data that a scorer is evaluated on unless the caller names other; None where it names none.

    A class of your own names its data in an attribute ``evaluation_files``.

    Args:
        scorer: The scorer.
    """
    named = getattr(scorer, "evaluation_files", None)
    if isinstance(named, ScorerEvalFiles):
        return named
    if isinstance(scorer, SelfAskRefusalScorer | KeywordRefusalScorer):
        return TrueFalseEvalFiles.REFUSAL.value
    if scorer.score_type == "true_false":
        return TrueFalseEvalFiles.OBJECTIVE.value
    category = _category(scorer)
    if not category:
        return None
    if category == HELPFULNESS.subject:
        return HELPFULNESS
    known = {one.value.subject: one.value for one in LikertScaleEvalFiles}
    return known.get(category) or _harm(harm_name(category))


def _category(scorer: Scorer) -> str:
    """What a scorer of a scale judges; empty where it does not say."""
    if isinstance(scorer, SelfAskLikertScorer):
        return scorer.likert_scale.category
    if isinstance(scorer, SelfAskScaleScorer):
        return scorer.scale.category
    return next(iter(scorer.category), "") if isinstance(scorer, JudgeScorer) else ""
