"""Convert rows to responses, and scores to added columns."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from judgecore.cli.columns import find_column
from judgecore.containment import ALLOW_OUTSIDE, ContainedFile, LeadsOutsideError
from judgecore.errors import JudgecoreError, RequestError
from judgecore.scorers import Response, Score
from judgecore.tables.rows import name_json_type
from judgecore.targets import PromptImage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from judgecore.tables.rows import Row

# Default column names, in order of preference.
RESPONSES = ("response", "assistant_response", "text", "output", "prediction", "response_a")
CONVERSATIONS = ("conversation", "messages")
OBJECTIVES = ("objective",)
IMAGES = ("image",)

ADDED = (
    "score_value",
    "score_type",
    "score_status",
    "score_reason",
    "score_rationale",
    "score_category",
    "score_metadata",
    "score_parts",
    "score_attempts",
    "ledger_key",
    "scorer_hash",
)
"""The added columns, in order."""


@dataclass(frozen=True)
class ResponseColumns:
    """The column of each role; None if there is none."""

    response: str | None = None
    conversation: str | None = None
    image: str | None = None
    objective: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that exist."""
        every = (self.response, self.conversation, self.image, self.objective)
        return tuple(name for name in every if name is not None)


def find_columns(columns: Sequence[str], asked: Mapping[str, str | None], *, is_nested: bool) -> ResponseColumns:
    """Find the column of each role."""
    found: dict[str, str | None] = {}
    for what, usual in zip(
        ResponseColumns.__dataclass_fields__, (RESPONSES, CONVERSATIONS, IMAGES, OBJECTIVES), strict=True
    ):
        name = asked.get(what)
        found[what] = (
            next((one for one in usual if one in columns), None)
            if name is None
            else find_column(columns, name, f"--{what}", is_nested=is_nested)
        )
    if asked.get("conversation") is None and asked.get("response") is not None:
        found["conversation"] = None
    if columns and not any(found[what] for what in ("response", "conversation", "image")):
        find_column(columns, RESPONSES[0], "--response")
    return ResponseColumns(**found)


def to_response(row: Row, columns: ResponseColumns, *, file: str, allow_outside: bool = False) -> Response | ValueError:
    """Return a row's response, or the error that the row caused; image paths start from the table's folder."""
    name = f"{Path(file).name}, {row.where}"
    folder = Path(file).parent
    try:
        objective = _text(row, columns.objective)
        common: dict[str, Any] = {
            "objective": objective,
            "images": _images(row, columns.image, folder, allow_outside=allow_outside),
            "fields": _fields(row, columns),
            "name": name,
        }
        if columns.conversation is not None and row.cell(columns.conversation) is not None:
            return Response.from_conversation(_turns(row, columns.conversation), **common)
        text = _text(row, columns.response)
        return Response(text="" if text is None and common["images"] else text, **common)
    except (JudgecoreError, ValueError) as problem:
        return ValueError(f"{name}: {problem}")


def to_cells(scores: Sequence[Score], prefix: str, *, is_typed: bool) -> dict[str, Any]:
    """Return the added cells of a response: the first score, with further ones as parts; typed ones as JSON text."""
    score, *others = scores
    identity = score.scorer_identifier
    rationale = score.score_rationale
    parts = [_part(one) for one in (*score.parts, *(other for other in others if other not in score.parts))]
    metadata: Any = dict(score.score_metadata)
    if is_typed:
        metadata, parts = json.dumps(metadata, ensure_ascii=False), parts and json.dumps(parts, ensure_ascii=False)
    cells = (
        None if score.is_undetermined else score.get_value(),
        score.score_type,
        score.status.value,
        score.undetermined_reason,
        rationale,
        list(score.score_category),
        metadata,
        parts or None,
        score.attempts,
        score.ledger_key,
        None if identity is None else identity.hash,
    )
    return {f"{prefix}{name}": cell for name, cell in zip(ADDED, cells, strict=True)}


def _part(score: Score) -> dict[str, Any]:
    return {
        "scorer": None if score.scorer_identifier is None else score.scorer_identifier.class_name,
        "value": None if score.is_undetermined else score.get_value(),
        "reason": score.undetermined_reason,
        "category": list(score.score_category),
        "metadata": dict(score.score_metadata),
        "ledger_key": score.ledger_key,
    }


def _text(row: Row, column: str | None) -> str | None:
    value = row.cell(column) if column is not None else None
    if value is None or isinstance(value, str):
        return value
    raise ValueError(f"column {column!r} holds {name_json_type(value)}; it must be text or null")


def _turns(row: Row, column: str) -> list[Any]:
    """Return the turns of a conversation, given as a list or as JSON text."""
    value: object = row.cell(column)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise ValueError(f"column {column!r} holds text that is not JSON; it must be a list of turns") from None
    if not isinstance(value, list):
        raise ValueError(f"column {column!r} must hold a list of turns with role and content")  # noqa: TRY004 - of the row's parts
    return cast("list[Any]", value)


def _images(row: Row, column: str | None, folder: Path, *, allow_outside: bool) -> tuple[PromptImage, ...]:
    address = _text(row, column)
    if not address:
        return ()
    if address.startswith(("http://", "https://")):
        return (PromptImage.from_url(address),)
    try:
        return (PromptImage.from_path(ContainedFile(folder, address, allow_outside)),)
    except RequestError as problem:
        cure = f"; {ALLOW_OUTSIDE}" if isinstance(problem.__cause__, LeadsOutsideError) else ""
        raise ValueError(f"column {column!r}: {problem}{cure}") from problem


def _fields(row: Row, columns: ResponseColumns) -> dict[str, str]:
    """Return the other text columns of a row, for use in prompt templates."""
    return {name: value for name, value in row.cells.items() if isinstance(value, str) and name not in columns.names}
