"""Harm definitions: what each level of a scale means, in YAML."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import yaml

from judgecore.evaluation.dataset_problem import Problem, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SHIPPED = Path(__file__).with_name("data")


@dataclass(frozen=True, slots=True)
class HarmDefinition:
    """What raters were told of a scale.

    Attributes:
        name: The quality that is rated, such as ``violence``.
        version: The definition's version.
        levels: The meaning of each level, by the level as raters wrote it.
        path: The file.
    """

    name: str
    version: str
    levels: Mapping[str, str] = field(hash=False)
    path: Path | None = None

    @classmethod
    def from_yaml(cls, path: str | Path) -> HarmDefinition:
        """Read a definition.

        The file has the keys ``name``, ``version`` and ``levels``, a mapping from level to meaning. PyRIT's keys are
        read as well: ``category``, ``version`` and ``scale_descriptions``, a list of ``score_value`` and
        ``description``.

        Args:
            path: The file.

        Returns:
            The definition.

        Raises:
            DatasetError: If the file is no such definition.
            OSError: If it can't be read.
        """
        path = Path(path)
        try:
            content = yaml.safe_load(path.read_text("utf-8-sig"))
        except (yaml.YAMLError, UnicodeDecodeError) as problem:
            raise refuse([Problem(f"no YAML: {problem}", path.name)]) from problem
        if not isinstance(content, dict):
            raise refuse([Problem("a harm definition is a mapping with name, version and levels", path.name)])
        facts = cast("dict[str, Any]", content)
        name, version = facts.get("name", facts.get("category")), facts.get("version")
        levels = _read_levels(facts)
        missing = [
            key for key, value in (("name", name), ("version", version), ("levels", levels)) if value in (None, {})
        ]
        if missing:
            text = f"lacks {' and '.join(missing)}; a harm definition has name, version and levels"
            raise refuse([Problem(text, path.name)])
        return cls(str(name), str(version), levels, path)


def _read_levels(facts: Mapping[str, Any]) -> dict[str, str]:
    """Read the levels in either form; an empty dictionary where there are none."""
    levels = facts.get("levels")
    if isinstance(levels, dict):
        return {str(level): str(meaning) for level, meaning in cast("dict[Any, Any]", levels).items()}
    described = facts.get("scale_descriptions")
    if not isinstance(described, list):
        return {}
    steps = [cast("dict[str, Any]", step) for step in cast("list[Any]", described) if isinstance(step, dict)]
    return {
        str(step["score_value"]): str(step["description"])
        for step in steps
        if "score_value" in step and "description" in step
    }


def find_definition(name: str, folders: Iterable[Path]) -> HarmDefinition | None:
    """Find the definition that a data set names.

    Args:
        name: The file's name, or its path inside one of the folders.
        folders: Where to look, in this order; the shipped definitions come last.

    Returns:
        The definition, or None where no folder has the file.

    Raises:
        DatasetError: If the file is no definition, or the name leads out of the folders.
    """
    path = Path(name)
    if path.is_absolute() or ".." in path.parts:
        raise refuse([Problem("a harm definition is named by a file's name, not by a path elsewhere", name)])
    for folder in (*folders, SHIPPED):
        if (folder / path).is_file():
            return HarmDefinition.from_yaml(folder / path)
    return None
