"""Harm definitions: what each level of a scale means, in YAML."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import yaml

from judgecore.containment import ContainedFile, to_file
from judgecore.evaluation.dataset_entry import DatasetProblem, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

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
    def from_yaml(cls, path: str | PathLike[str]) -> HarmDefinition:
        """Read a definition.

        The file has the keys ``name``, ``version`` and ``levels``, a mapping from level to meaning. PyRIT's keys are
        read as well: ``category``, ``version`` and ``scale_descriptions``, a list of ``score_value`` and
        ``description``.

        Raises:
            DatasetError: If the file is no such definition.
            OSError: If it can't be read.
        """
        file, path = to_file(path), Path(path)
        try:
            text = file.read_bytes().decode("utf-8-sig")
            # Aliases cost nothing until their values are written out as text, and then a small file fills the memory.
            events = cast("Iterable[yaml.Event]", yaml.parse(text))  # pyright: ignore[reportUnknownMemberType] - of PyYAML's stub
            alias = next((event for event in events if isinstance(event, yaml.AliasEvent)), None)
            if alias is not None:
                problem = f"the alias *{alias.anchor} is not taken; write the value out"
                raise refuse([DatasetProblem(problem, path.name, line=alias.start_mark.line + 1)])
            content = yaml.safe_load(text)
        except (yaml.YAMLError, UnicodeDecodeError) as problem:
            raise refuse([DatasetProblem(f"no YAML: {problem}", path.name)]) from problem
        if not isinstance(content, dict):
            raise refuse([DatasetProblem("a harm definition is a mapping with name, version and levels", path.name)])
        facts = cast("dict[str, Any]", content)
        name, version = facts.get("name", facts.get("category")), facts.get("version")
        levels = _read_levels(facts)
        missing = [
            key for key, value in (("name", name), ("version", version), ("levels", levels)) if value in (None, {})
        ]
        if missing:
            text = f"lacks {' and '.join(missing)}; a harm definition has name, version and levels"
            raise refuse([DatasetProblem(text, path.name)])
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


def find_definition(name: str, folders: Iterable[Path], *, allow_outside: bool = False) -> HarmDefinition | None:
    """Find the definition that a data set names, in folders and then among the shipped ones; None if there is none."""
    for folder in (*folders, SHIPPED):
        try:
            return HarmDefinition.from_yaml(ContainedFile(folder, name, allow_outside))
        except (FileNotFoundError, NotADirectoryError):
            continue
    return None
