"""``ScorerRegistry``: scorers by tag, built from a registry's entries."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from judgecore.errors import ConfigurationError, IdentityError, RegistryError
from judgecore.evaluation.metrics_file import locked
from judgecore.evaluation.registry import OBJECTIVE, Registry
from judgecore.evaluation.result import HarmScorerMetrics, ObjectiveScorerMetrics
from judgecore.identity import ScorerEvaluationIdentifier
from judgecore.replacement import replace_file
from judgecore.scorers.configuration import build_scorer, documents_of, named_files, without_judges

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from judgecore.evaluation.metrics_file import RegistryEntry
    from judgecore.identity import ComponentIdentifier
    from judgecore.scorers import Scorer
    from judgecore.targets import Target

BEST: Final = "best"
"""The built-in tag of the scorer with the highest F1, or the lowest mean absolute error, on a data set."""

CONFIGURATION: Final = "configuration"
_TAGS_FILE = "tags.json"
_PARTS_SHOWN = 5
_HASH_SHOWN = 12


class ScorerRegistry:
    """Scorers by tag: ``best``, which is computed from the metrics, and your own tags, which are stored.

    Args:
        registry: The registry; the default one if None. Tags are in ``tags.json`` in its folder.

    Examples:
        >>> import asyncio, tempfile
        >>> from judgecore.evaluation import Registry, ScorerRegistry
        >>> from judgecore.scorers import KeywordRefusalScorer
        >>> registry = Registry(tempfile.mkdtemp())
        >>> metrics = asyncio.run(KeywordRefusalScorer().evaluate_async(num_scorer_trials=1, registry=registry))
        >>> type(ScorerRegistry(registry).get(tag="best", subject="refusal")).__name__
        'KeywordRefusalScorer'
    """

    def __init__(self, registry: Registry | None = None) -> None:
        self.registry = registry if registry is not None else Registry()
        self._ready: dict[str, Scorer] = {}

    def register(self, scorer: Scorer, *, tags: tuple[str, ...] = ()) -> str:
        """Register a scorer, so that ``get`` returns it instead of building it.

        Required for scorers of your own classes, because classes named in files are never imported.

        Args:
            scorer: The scorer.
            tags: Its tags.

        Returns:
            Its ``eval_hash``.

        Raises:
            IdentityError: If it has no ``eval_hash``.
            RegistryError: If the tags can't be written.
        """
        eval_hash = ScorerEvaluationIdentifier(scorer.get_identifier()).eval_hash
        self._ready[eval_hash] = scorer
        for tag in tags:
            self.tag(eval_hash, tag)
        return eval_hash

    def tag(self, eval_hash: str, tag: str) -> None:
        """Add a tag to a scorer; several scorers can have the same tag.

        Args:
            eval_hash: The scorer's ``eval_hash``.
            tag: Any text except ``best``.

        Raises:
            ValueError: If the tag is ``best`` or empty.
            RegistryError: If the tags can't be written.
        """
        if tag in ("", BEST):
            raise ValueError(f"{tag!r} can't be given: best is measured, and a tag has letters; name another")
        with locked(self._path):
            tags = self._tags()
            tags[tag] = sorted({*tags.get(tag, ()), eval_hash})
            self._write(tags)

    def untag(self, eval_hash: str, tag: str) -> None:
        """Remove a tag from a scorer, if it has it.

        Raises:
            RegistryError: If the tags can't be written.
        """
        with locked(self._path):
            tags = self._tags()
            tags[tag] = [one for one in tags.get(tag, ()) if one != eval_hash]
            self._write({name: hashes for name, hashes in tags.items() if hashes})

    def tags(self) -> dict[str, tuple[str, ...]]:
        """Return the stored tags, each with the ``eval_hash`` of its scorers.

        Raises:
            RegistryError: If the tags can't be read.
        """
        return {name: tuple(hashes) for name, hashes in sorted(self._tags().items())}

    def find(
        self, *, tag: str = BEST, subject: str = OBJECTIVE, dataset: str | None = None, basis: str | None = None
    ) -> RegistryEntry:
        """Return the entry of the best scorer with a tag.

        Args:
            tag: ``best`` for the best of all, or a stored tag.
            subject: ``objective``, ``refusal``, or a harm.
            dataset: The file name of the data set; it can be omitted if all entries have the same.
            basis: The content and versions of the data set, or a part of them, as listed in the error message that
                requests it; it can be omitted if all entries have the same.

        Raises:
            RegistryError: If there is no entry, if the entries can't be compared, or if the measure is undefined for
                all of them; the message lists the choices.
        """
        entries = self.registry.entries(subject)
        if tag != BEST:
            given = self._tags().get(tag)
            if given is None:
                known = ", ".join((BEST, *sorted(self._tags())))
                raise RegistryError(f"no scorer has the tag {tag!r}; tags: {known}")
            entries = tuple(one for one in entries if one.eval_hash in given)
        names = sorted({one.metrics.dataset_name or "" for one in entries})
        if dataset is None and len(names) > 1:
            raise RegistryError(
                f"scorers of {subject} were measured on {', '.join(names)}, which can't be compared; name one: dataset="
            )
        found = [one for one in entries if dataset in (None, one.metrics.dataset_name)]
        if not found:
            on = f" on {dataset}; there are {', '.join(names) or 'none'}" if dataset else ""
            raise RegistryError(f"no scorer of {subject} with the tag {tag!r} was measured{on}")
        bases = sorted({_basis(one) for one in found})
        named = [one for one in bases if basis is None or basis in one]
        if len(named) != 1:
            what = "several of these" if named else "none of these"
            asked = "" if basis is None else f", of which {basis!r} names {what}"
            raise RegistryError(
                f"scorers of {subject} on {found[0].metrics.dataset_name} rest on {'; '.join(bases)}{asked}; "
                "they can't be compared; name one, or a part of it: basis="
            )
        found = [one for one in found if _basis(one) == named[0]]
        if tag != BEST and len(found) == 1:
            return found[0]
        best = min(found, key=_place)
        if math.isinf(_place(best)):
            measure = "F1" if isinstance(best.metrics, ObjectiveScorerMetrics) else "mean absolute error"
            raise RegistryError(
                f"no scorer of {subject} is the best: {measure} is undefined for all {len(found)}; "
                "evaluate on other data, or with a judge whose replies can be read"
            )
        return best

    def get(
        self,
        *,
        tag: str = BEST,
        target: Target | None = None,
        subject: str = OBJECTIVE,
        dataset: str | None = None,
        basis: str | None = None,
        folder: str | PathLike[str] | None = None,
    ) -> Scorer:
        """Return the best scorer with a tag, ready for use; its ``eval_hash`` is that of the entry.

        Args:
            tag: As in ``find``, like ``subject``, ``dataset`` and ``basis``.
            target: The judge; None for scorers without one.
            subject: As in ``find``.
            dataset: As in ``find``.
            basis: As in ``find``.
            folder: The folder of the files in its configuration; None if it only names shipped files.

        Raises:
            RegistryError: If the scorer can't be built as it was evaluated; the message names what is missing.
        """
        entry = self.find(tag=tag, subject=subject, dataset=dataset, basis=basis)
        ready = self._ready.get(entry.eval_hash)
        return ready if ready is not None else _make(entry, target, folder)

    @property
    def _path(self) -> Path:
        return self.registry.folder / _TAGS_FILE

    def _tags(self) -> dict[str, list[str]]:
        try:
            found: object = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as problem:
            raise RegistryError(f"{self._path}: can't be read: {problem}; mend or remove it") from None
        if not isinstance(found, dict):
            raise RegistryError(f"{self._path}: must hold an object of tags; mend or remove it")
        tags = cast("dict[str, Any]", found)
        for name, hashes in tags.items():
            if not isinstance(hashes, list) or not all(isinstance(one, str) for one in cast("list[Any]", hashes)):
                raise RegistryError(f"{self._path}: {name!r} must hold a list of eval_hashes; mend or remove it")
        return tags

    def _write(self, tags: Mapping[str, list[str]]) -> None:
        replace_file(self._path, f"{json.dumps(tags, indent=2, sort_keys=True)}\n".encode())


def _basis(entry: RegistryEntry) -> str:
    """Describe what two entries of a data set must have in common to be compared."""
    metrics = entry.metrics
    content = metrics.beyond.get("dataset_hash")
    parts = {
        "version": metrics.dataset_version,
        "content": content[:_HASH_SHOWN] if isinstance(content, str) else None,
        "metrics": metrics.beyond.get("metrics_version"),
        "definition": getattr(metrics, "harm_definition_version", None),
    }
    return ", ".join(f"{name} {value}" for name, value in parts.items() if value is not None) or "no version"


def _place(entry: RegistryEntry) -> float:
    """Return the sort key of an entry: lower is better, and undefined ones are last."""
    metrics = entry.metrics
    value: float | None = None
    if isinstance(metrics, ObjectiveScorerMetrics):
        value = None if metrics.f1_score is None else -metrics.f1_score
    elif isinstance(metrics, HarmScorerMetrics):
        value = metrics.mean_absolute_error
    return math.inf if value is None else value


def _make(entry: RegistryEntry, target: Target | None, folder: str | PathLike[str] | None) -> Scorer:
    """Build the scorer of an entry, and check its ``eval_hash``."""
    wanted = entry.scorer_identifier
    name = f"{wanted.class_name} {entry.eval_hash[:8]}"
    if target is None and _models(wanted):
        raise RegistryError(f"{name} asks a judge, {_models(wanted)}; pass target=")
    kept = entry.metrics.beyond.get(CONFIGURATION)
    documents = [cast("dict[str, Any]", kept)] if isinstance(kept, dict) else list(documents_of(wanted))
    if not documents:
        raise RegistryError(
            f"{name} is not one of judgecore's own scorers ({wanted.class_module}); make it yourself and register() it"
        )
    problem, nearest = "", None
    for document in documents:
        try:
            _refuse_files_without_folder(document, name, folder)
            # Entries are not trusted: neither their names nor the judges that they specify.
            file = Path(folder or "", re.sub(r"[^\w .-]", "_", name))
            made = build_scorer(without_judges(document), file=file, chat_target=target)
            identifier = made.get_identifier()
            eval_hash = ScorerEvaluationIdentifier(identifier).eval_hash
        except (ConfigurationError, IdentityError) as error:
            problem = str(error)
            continue
        if eval_hash == entry.eval_hash:
            return made
        nearest = identifier
    if nearest is None:
        raise RegistryError(f"{name} can't be made: {problem}")
    differences = _differences(wanted, nearest)
    shown = "; ".join(differences[:_PARTS_SHOWN])
    raise RegistryError(
        f"{name} can't be made as it was measured: {shown}"
        + ("" if isinstance(kept, dict) else "; describe it in a YAML file and evaluate that, or register() it")
    )


def _refuse_files_without_folder(document: Mapping[str, Any], name: str, folder: str | PathLike[str] | None) -> None:
    """Require ``folder`` if the configuration names files; ``build_scorer`` checks that they are inside it."""
    file = next(named_files(document), None)
    if file is not None and folder is None:
        raise ConfigurationError(f"{name} names the file {file!r}; pass folder= with where it is")


def _models(scorer: ComponentIdentifier) -> str:
    """Describe the first judge of a scorer; empty if it asks none."""
    judge = next((one for part in scorer.walk() for one in part.children_of("prompt_target")), None)
    if judge is None:
        return ""
    model = judge.params.get("underlying_model_name") or judge.params.get("model_name") or judge.class_name
    temperature = judge.params.get("temperature")
    return f"{model}" if temperature is None else f"{model} at temperature {temperature:g}"


_OF_A_TARGET = ("underlying_model_name", "model_name", "temperature", "top_p")


def _differences(wanted: ComponentIdentifier, made: ComponentIdentifier, place: str = "") -> list[str]:
    """List the differences of two scorers that affect their ``eval_hash``."""
    found: list[str] = []
    if wanted.class_name != made.class_name:
        found.append(f"{place or 'the scorer'} was {wanted.class_name}, not {made.class_name}")
    names = dict.fromkeys((*wanted.params, *made.params))
    for name in names if "prompt_target" not in place else _OF_A_TARGET:
        was, now = wanted.params.get(name), made.params.get(name)
        if was != now:
            found.append(f"{place}{name} was {_short(was)}, not {_short(now)}")
    for name in dict.fromkeys((*wanted.children, *made.children)):
        olds, news = wanted.children_of(name), made.children_of(name)
        if len(olds) != len(news):
            found.append(f"{place}{name} were {len(olds)}, not {len(news)}")
        for old, new in zip(olds, news, strict=False):
            found += _differences(old, new, f"{place}{name}.")
    return found


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."  # noqa: PLR2004 - what a message holds
