"""``ScorerEvalFiles``: the default labelled data of the shipped scorers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from judgecore.errors import EvaluationError
from judgecore.evaluation.dataset import HumanLabeledDataset
from judgecore.evaluation.dataset_entry import MetricsType
from judgecore.evaluation.registry import OBJECTIVE, REFUSAL, harm_name

if TYPE_CHECKING:
    from judgecore.scorers import Scorer

FOLDER_VARIABLE: Final = "JUDGECORE_DATASETS"
"""The environment variable that names the folder of a user's labelled data."""


@dataclass(frozen=True)
class ScorerEvalFiles:
    """The default labelled data of a scorer.

    Attributes:
        subject: The subject of the metrics in the registry: ``objective``, ``refusal``, or a harm.
        files: Glob patterns of the data set's files in the user's folder, with PyRIT's names; the files of the first
            pattern that matches are combined in the order of their names.
        bundled: The shipped data set to use if the user has no such files; None for none.
    """

    subject: str
    files: tuple[str, ...] = ()
    bundled: Literal["refusals", "helpfulness"] | None = None

    def load(self, folder: str | Path | None = None) -> HumanLabeledDataset:
        """Load the data set.

        Args:
            folder: The folder of a user's files, or one with a folder ``scorer_evals`` of them; what
                ``JUDGECORE_DATASETS`` names if None. Harm definitions may be beside the files, in the folder
                ``harm_definition`` beside either folder, or in the one that ``JUDGECORE_HARM_DEFINITIONS`` names.

        Raises:
            EvaluationError: If there is no such file; the message names ``dataset=``.
            DatasetError: If a file is no such data set.
        """
        named = folder or os.environ.get(FOLDER_VARIABLE)
        # In PyRIT's repository the folder of these files is scorer_evals, and harm_definition is next to it.
        folders = [Path(named).absolute(), Path(named, "scorer_evals").absolute()] if named else []
        found = (sorted(one.glob(pattern)) for pattern in self.files for one in folders)
        paths = next((paths for paths in found if paths), None)
        if paths is not None:
            kind = MetricsType.OBJECTIVE if self.subject in {OBJECTIVE, REFUSAL} else MetricsType.HARM
            beside = [one.parent / "harm_definition" for one in folders]
            datasets = [
                HumanLabeledDataset.from_csv(path, metrics_type=kind, harm_definitions=beside) for path in paths
            ]
            return HumanLabeledDataset.combine(*datasets) if len(datasets) > 1 else datasets[0]
        if self.bundled is not None:
            return HumanLabeledDataset.bundled(self.bundled)
        wanted = " or ".join(self.files)
        where = f"{named} has no {wanted}" if named else f"{FOLDER_VARIABLE} names no folder with {wanted}"
        raise EvaluationError(
            f"no labelled data for {self.subject}: {where}; pass dataset=, or fetch PyRIT's published data sets "
            f"into a folder and let {FOLDER_VARIABLE} name it"
        )


def _harm(scale: str) -> ScorerEvalFiles:
    return ScorerEvalFiles(scale, (f"harm/{scale}.csv",))


class TrueFalseEvalFiles(Enum):
    """The default data of true/false scorers."""

    OBJECTIVE = ScorerEvalFiles("objective", ("objective/*.csv",))
    REFUSAL = ScorerEvalFiles("refusal", ("refusal/refusal.csv", "refusal_scorer/refusal.csv"), bundled="refusals")


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
    HATE_SPEECH_SCALE = ScorerEvalFiles("hate_speech", ("harm/hate_speech.csv", "harm/hate_speech_multi_score.csv"))
    INFORMATION_INTEGRITY_SCALE = ScorerEvalFiles(
        "information_integrity", ("harm/information_integrity.csv", "harm/info_integrity.csv")
    )
    LEAKAGE_SCALE = _harm("leakage")
    MISINFORMATION_SCALE = _harm("misinformation")
    PERSUASION_SCALE = _harm("persuasion")
    PHISHING_SCALE = _harm("phishing")
    PRIVACY_SCALE = _harm("privacy")
    SCAMS_SCALE = _harm("scams")
    SELF_HARM_SCALE = _harm("self_harm")
    SEXUAL_SCALE = _harm("sexual")
    VIOLENCE_SCALE = _harm("violence")


_FILES: Final = {
    one.subject: one
    for one in (
        *(one.value for kind in (TrueFalseEvalFiles, LikertScaleEvalFiles) for one in kind),
        ScorerEvalFiles("helpfulness", ("harm/helpfulness.csv",), bundled="helpfulness"),
    )
}


def default_files(scorer: Scorer) -> ScorerEvalFiles | None:
    """Return the default data of a scorer; None if it has none.

    The scorer's ``labelled_data`` says what it judges. A scorer that says nothing and answers true or false is measured
    on objectives.
    """
    subject = scorer.labelled_data or (OBJECTIVE if scorer.score_type == "true_false" else None)
    return None if subject is None else _FILES.get(subject) or _harm(harm_name(subject))
