"""``ReplyHandler``: read a judge's reply for a PyRIT scorer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrit.exceptions import InvalidJsonException
from pyrit.models import JsonResponseConfig, UnvalidatedScore
from pyrit.score import ResponseHandler

from judgecore.compat import JsonResponseParser
from judgecore.reading import Format, GuardVerdict, Unreadable, to_format
from judgecore.scorers.reader import FormatReader, JudgeVerdict, ParserReader, to_names
from judgecore.targets import JudgeReply

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable, Mapping, Sequence

    from pyrit.models import ComponentIdentifier

    from judgecore.reading import Mode


class ReplyHandler(ResponseHandler):
    """Reads a judge's replies with judgecore; PyRIT asks the judge again if a reply can't be read.

    This is what PyRIT does for invalid JSON. After the last attempt, its scorer raises ``InvalidJsonException``, whose
    message begins with the reason.

    Args:
        reader: A judgecore format or its id, or a ``response_parser`` such as ``parse_llamaguard_response``; None for
            JSON with ``score_value`` and ``rationale``, with or without text around it.
        mode: The mode of reading a format.
        values: The value of each label, for formats of labels, such as ``{"A": True, "B": False}``.
        json_schema: The JSON Schema that the target is asked for; None for none.

    Raises:
        UnknownFormatError: If no format has the id.
        ValueError: If the format has no such mode.
    """

    def __init__(
        self,
        reader: Format | str | Callable[[str], Mapping[str, Any]] | None = None,
        *,
        mode: Mode = "lenient",
        values: Mapping[str, bool | float] | None = None,
        json_schema: dict[str, Any] | None = None,
    ) -> None:
        is_format = isinstance(reader, Format | str)
        if isinstance(reader, Format | str):
            self._reader: FormatReader | ParserReader = FormatReader(format=to_format(reader, mode), mode=mode)
        else:
            self._reader = ParserReader(reader or JsonResponseParser())
        self._values = dict(values or {})
        self._config = JsonResponseConfig(enabled=reader is None or json_schema is not None, json_schema=json_schema)
        self._is_format = is_format

    @property
    def json_response_config(self) -> JsonResponseConfig:
        """The response format that the target is asked for: JSON if there is no format, else none."""
        return self._config

    def parse(
        self,
        *,
        response_text: str,
        scorer_identifier: ComponentIdentifier,
        scored_prompt_id: str | uuid.UUID,
        category: Sequence[str] | str | None = None,
        objective: str | None = None,
    ) -> UnvalidatedScore:
        """Read a reply.

        Args:
            response_text: The judge's reply.
            scorer_identifier: The scorer's identity.
            scored_prompt_id: The id of the scored message piece.
            category: The scorer's category; the reply's category is added to it.
            objective: The objective of the scored message.

        Raises:
            InvalidJsonException: If the reply can't be read, so that PyRIT asks again; the message names the reason.
        """
        verdict = self._reader.read(JudgeReply(text=response_text))
        if isinstance(verdict, Unreadable):
            raise InvalidJsonException(message=f"{verdict.reason}: {verdict.detail}")
        own = (category,) if isinstance(category, str) else tuple(category or ())
        categories = list(dict.fromkeys((*own, *(to_names(verdict.category) or ()))))
        return UnvalidatedScore(
            raw_score_value=self._in_words(verdict),
            score_value_description=verdict.description,
            score_category=[name for name in categories if name] or None,
            score_rationale=verdict.rationale,
            scorer_class_identifier=scorer_identifier,
            score_metadata=_metadata(verdict),
            message_piece_id=scored_prompt_id,
            objective=objective,
        )

    def _in_words(self, verdict: JudgeVerdict) -> str:
        value = verdict.value
        if isinstance(value, GuardVerdict):
            value = value.unsafe
        if isinstance(value, str) and self._is_format:
            if value not in self._values:
                raise InvalidJsonException(message=f"malformed: values= has no value for {value!r}")
            value = self._values[value]
        if isinstance(value, bool):
            return str(value).lower()
        return repr(value) if isinstance(value, float) else str(value)


def _metadata(verdict: JudgeVerdict) -> dict[str, str | int | float]:
    """Return the metadata that PyRIT's scores can hold, with the format and the rule of the reading."""
    kept: dict[str, str | int | float] = dict(verdict.metadata)
    if verdict.reading is not None:
        kept |= {"judgecore_format": verdict.reading.format, "judgecore_rule": verdict.reading.rule}
    return kept
