"""``Registry``: the durable list of scorers with their metrics."""

from __future__ import annotations

import os
import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from judgecore.containment import ContainedFile, LeadsOutsideError
from judgecore.errors import RegistryError
from judgecore.evaluation.metrics_file import MetricsFile
from judgecore.evaluation.result import HarmScorerMetrics, ObjectiveScorerMetrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from judgecore.evaluation.metrics_file import RegistryEntry, RegistryProblem
    from judgecore.evaluation.result import ScorerMetrics
    from judgecore.identity import ScorerEvaluationIdentifier

OBJECTIVE: Final = "objective"
REFUSAL: Final = "refusal"
METRICS_VERSION = 1
"""The version of the metrics; raised whenever the same scores and labels would give other values."""

_SUFFIX = "_metrics.jsonl"
_FILES = {OBJECTIVE: Path("objective", f"objective_achieved{_SUFFIX}"), REFUSAL: Path("refusal", f"refusal{_SUFFIX}")}
# The folder of the refusal registry in PyRIT's package has another name.
_FILES_ELSE = {REFUSAL: Path("refusal_scorer", f"refusal{_SUFFIX}")}

# Names in PyRIT's taxonomy (`HarmCategory`, 1.1.0) whose published files have shorter names.
_ALIASES = {
    "bias": "representational",
    "graphic_violence_and_gore": "violence",
    "hate": "hate_speech",
    "inaccurate_incomplete_false_misleading_information": "information_integrity",
    "info_integrity": "information_integrity",
    "misinformation": "information_integrity",
    "pornography_sexual_content": "sexual",
    "ppi": "privacy",
    "private_personal_information": "privacy",
    "representational_harms_stereotyping_demeaning_erasing_outputs": "representational",
    "sexual_content": "sexual",
    "violent": "violence",
    "violent_content": "violence",
}


class RegistryUpdateBehavior(Enum):
    """How an evaluation uses the registry's entry of the scorer.

    Attributes:
        SKIP_IF_EXISTS: Reuse the entry if it is current (``is_current``); otherwise evaluate and replace it.
        ALWAYS_UPDATE: Evaluate and replace the entry, unless it has more trials.
        NEVER_UPDATE: Evaluate, and leave the registry unchanged.
    """

    SKIP_IF_EXISTS = "skip_if_exists"
    ALWAYS_UPDATE = "always_update"
    NEVER_UPDATE = "never_update"


class Registry:
    """A folder of metrics: one file for objective metrics, one for refusal, one per harm category.

    The files have PyRIT's names and format, and PyRIT's own files can be read. Unreadable lines stay in their file and
    are listed in ``problems``.

    Args:
        folder: The folder to write to; by default that in ``JUDGECORE_REGISTRY``, else in the user's data folder.
        published: Further folders, which are only read, in order of precedence.

    Examples:
        >>> import tempfile
        >>> from judgecore.evaluation import Registry
        >>> Registry(tempfile.mkdtemp()).objective_metrics()
        ()
    """

    def __init__(self, folder: str | Path | None = None, *, published: Sequence[str | Path] = ()) -> None:
        self.folder = Path(folder) if folder is not None else default_folder()
        self.published = tuple(Path(one) for one in published)
        self._files: dict[Path, MetricsFile] = {}

    def __repr__(self) -> str:
        return f"Registry({str(self.folder)!r})"

    def objective_metrics(self, *, refusal: bool = False) -> tuple[RegistryEntry, ...]:
        """Return all entries of true/false scorers, those of ``folder`` first.

        Args:
            refusal: Whether to return the entries for refusals instead of objectives.
        """
        return self.entries(REFUSAL if refusal else OBJECTIVE)

    def harm_metrics(self, category: str) -> tuple[RegistryEntry, ...]:
        """Return all entries for a harm, those of ``folder`` first.

        Args:
            category: The name of the harm's file, or one of PyRIT's names for it, in any case.

        Raises:
            ValueError: If the name has no letters or digits.
        """
        return self.entries(harm_name(category))

    def entries(self, subject: str) -> tuple[RegistryEntry, ...]:
        """Return all entries for a subject, those of ``folder`` first.

        Args:
            subject: ``"objective"``, ``"refusal"``, or a harm.
        """
        return tuple(entry for file in self._subject_files(subject) for entry in file.entries)

    def harm_categories(self) -> tuple[str, ...]:
        """Return the harms with a file in any of the folders, sorted."""
        found = {
            path.name.removesuffix(_SUFFIX)
            for folder in (self.folder, *self.published)
            for path in folder.joinpath("harm").glob(f"*{_SUFFIX}")
        }
        return tuple(sorted(found))

    def subjects(self) -> tuple[str, ...]:
        """Return the subjects: ``objective``, ``refusal`` and the harms."""
        return (OBJECTIVE, REFUSAL, *self.harm_categories())

    def find(self, scorer: ScorerEvaluationIdentifier, subject: str) -> RegistryEntry | None:
        """Return a scorer's entry, preferably from ``folder``; None if there is none.

        Args:
            scorer: The scorer.
            subject: ``"objective"``, ``"refusal"``, or a harm.
        """
        for file in self._subject_files(subject):
            entry = file.find(scorer.eval_hash)
            if entry is not None:
                return entry
        return None

    def find_all(self, scorer: ScorerEvaluationIdentifier) -> tuple[RegistryEntry, ...]:
        """Return a scorer's entries for all subjects."""
        found = (self.find(scorer, subject) for subject in self.subjects())
        return tuple(one for one in found if one is not None)

    def replace(
        self,
        scorer: ScorerEvaluationIdentifier,
        subject: str,
        metrics: ScorerMetrics,
        *,
        allow_fewer_trials: bool = False,
    ) -> bool:
        """Add a scorer's entry to the folder, or replace it.

        Args:
            scorer: The scorer.
            subject: ``"objective"``, ``"refusal"``, or a harm.
            metrics: The metrics.
            allow_fewer_trials: Whether to replace an entry that has more trials.

        Returns:
            False if the existing entry has more trials and was kept.

        Raises:
            RegistryError: If the file can't be written; it is unchanged.
            TypeError: If the metrics have the wrong type for the subject.
        """
        name, kind = _subject(subject), _kind(subject)
        if not isinstance(metrics, kind):
            raise TypeError(f"metrics of {name} must be {kind.__name__}, not {type(metrics).__name__}")
        return self._file(self.folder, _path(name), kind).replace(
            scorer, metrics, allow_fewer_trials=allow_fewer_trials
        )

    def problems(self) -> tuple[RegistryProblem, ...]:
        """Return the unreadable lines of all files."""
        return tuple(
            problem for name in self.subjects() for file in self._subject_files(name) for problem in file.problems
        )

    def _subject_files(self, subject: str) -> Iterator[MetricsFile]:
        name, kind = _subject(subject), _kind(subject)
        for folder in (self.folder, *self.published):
            path = _path(name)
            if name in _FILES_ELSE and not folder.joinpath(path).exists():
                path = _FILES_ELSE[name] if folder.joinpath(_FILES_ELSE[name]).exists() else path
            yield self._file(folder, path, kind)

    def _file(self, folder: Path, inside: Path, kind: type[ScorerMetrics]) -> MetricsFile:
        path = folder / inside
        file = ContainedFile(folder, str(inside))
        try:
            file.resolve()
        except LeadsOutsideError as problem:
            raise RegistryError(f"{path}: {problem.strerror}; remove the link") from None
        return self._files.setdefault(path, MetricsFile(file, kind))


def default_folder() -> Path:
    """Return the default folder: that in ``JUDGECORE_REGISTRY``, else a subfolder of the user's data folder."""
    named = os.environ.get("JUDGECORE_REGISTRY")
    if named:
        return Path(named)
    from platformdirs import user_data_path  # noqa: PLC0415 - most callers name a folder

    return user_data_path("judgecore", appauthor=False) / "registry"


def harm_name(category: str) -> str:
    """Return the name of a harm's file."""
    name = re.sub(r"[^\w]+", "_", category.casefold()).strip("_")
    if not name:
        raise ValueError(f"{category!r} is no name of a harm; name one, such as 'violence'")
    return _ALIASES.get(name, name)


def is_current(
    entry: RegistryEntry,
    *,
    dataset_version: str | None,
    dataset_hash: str,
    num_scorer_trials: int,
    harm_definition_version: str | None = None,
) -> bool:
    """Return whether an entry makes an evaluation unnecessary; an entry without any score never does."""
    metrics = entry.metrics
    return (
        metrics.has_scores
        and metrics.num_scorer_trials >= num_scorer_trials
        and metrics.dataset_version == dataset_version
        and metrics.beyond.get("dataset_hash") == dataset_hash
        and metrics.beyond.get("metrics_version") == METRICS_VERSION
        and getattr(metrics, "harm_definition_version", None) == harm_definition_version
    )


def get_all_objective_metrics(registry: Registry | None = None, **options: Any) -> tuple[RegistryEntry, ...]:
    """Return the entries of all true/false scorers.

    Args:
        registry: The registry; the default one if None.
        options: The arguments of ``Registry.objective_metrics``.
    """
    return (registry or Registry()).objective_metrics(**options)


def get_all_harm_metrics(category: str, registry: Registry | None = None) -> tuple[RegistryEntry, ...]:
    """Return the entries of all scorers of a harm.

    Args:
        category: Any of the harm's names.
        registry: The registry; the default one if None.
    """
    return (registry or Registry()).harm_metrics(category)


def _subject(subject: str) -> str:
    return subject if subject in _FILES else harm_name(subject)


def _kind(subject: str) -> type[ScorerMetrics]:
    return ObjectiveScorerMetrics if subject in _FILES else HarmScorerMetrics


def _path(name: str) -> Path:
    return _FILES.get(name) or Path("harm", f"{name}{_SUFFIX}")
