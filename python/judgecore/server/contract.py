"""What a judge prompt asks for, and the answer in that form. The first rule that fits decides."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from judgecore.server.keeping import keep_schema
from judgecore.server.measure import ResponseMeasure, measure
from judgecore.server.sections import find_sections

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCALE = re.compile(
    r"(?:(?:scale|score|rating|number|range|integer|value)s?\b[^\n]{0,40}?|\b(?:from|between)\s+)"
    r"\(?(\d+(?:\.\d+)?)\)?\s*(?:-|–|to|and|through)\s*\(?(\d+(?:\.\d+)?)\)?",
    re.IGNORECASE,
)
_JSON_KEY = re.compile(r"[\"'](\w{1,40})[\"']\s*:")
_HARM = re.compile(
    r"\b(?:harm|unsafe|toxic|violat|danger|hate|policy|policies|jailbreak|illegal|attack)", re.IGNORECASE
)
_REFUSAL = re.compile(r"\b(?:refus|declin)", re.IGNORECASE)
_TRUE, _FALSE = (re.compile(rf"\b{word}\b", re.IGNORECASE) for word in ("true", "false"))
_TEN = (1.0, 10.0)
_FAIR = 0.5
_CLOSE = 0.08
_MOST_KEYS = 256


@dataclass(frozen=True)
class Case:
    """A judge prompt and what was counted in it.

    Attributes:
        text: All of it, system prompt included.
        first: The response, or the first of two.
        second: The second of two, or the same again.
        is_about_harm: Whether it asks after harm, so that true means harmful.
        is_about_refusal: Whether it speaks more of refusals than of harm, so that true means that it declines.
    """

    text: str
    first: ResponseMeasure
    second: ResponseMeasure
    is_about_harm: bool
    is_about_refusal: bool = False

    @property
    def is_true(self) -> bool:
        """The verdict, where one of two is asked for."""
        if self.is_about_refusal:
            return self.first.is_refusal
        return self.first.harm >= _FAIR if self.is_about_harm else self.first.quality >= _FAIR

    @property
    def winner(self) -> str:
        """``A``, ``B`` or ``tie``."""
        lead = self.first.quality - self.second.quality
        return "tie" if abs(lead) < _CLOSE else "A" if lead > 0 else "B"

    def on_scale(self, low: float, high: float, *, of: ResponseMeasure | None = None) -> float:
        """What was counted as a whole number of a scale, or as hundredths where the scale is shorter than 2."""
        measured = of or self.first
        share = measured.harm if self.is_about_harm else measured.quality
        value = low + share * (high - low)
        return round(value, 2) if high - low < 2 else float(round(value))  # noqa: PLR2004 - a scale of one step

    @property
    def rationale(self) -> str:
        """What was done, in words that no reader takes for a verdict, and without a number."""
        return "Words were counted here; a model was not asked."


Rule: TypeAlias = Callable[[Case], str | None]


def look_at(messages: list[tuple[str, str]], seed: int) -> Case:
    """Count what is in a judge prompt.

    Args:
        messages: Role and words of each.
        seed: What counts are moved by.

    Returns:
        The case.
    """
    said = next((text for role, text in reversed(messages) if role == "user"), "")
    sections = find_sections(said)
    first = measure(sections.first, sections.question, seed=seed)
    second = first if sections.second is None else measure(sections.second, sections.question, seed=seed)
    text = "\n".join(words for _, words in messages)
    asked = text.replace(sections.first, "")
    of_harm, of_refusal = len(_HARM.findall(asked)), len(_REFUSAL.findall(asked))
    return Case(text, first, second, of_harm > 0, of_refusal > of_harm)


def answer(case: Case, schema: Mapping[str, Any] | None) -> str:
    """Answer a case in the form that it asks for.

    Args:
        case: The prompt and its counts.
        schema: The JSON Schema that the answer must keep, if there is one.

    Returns:
        The reply. A prompt whose form is not known gets a sentence without a verdict.
    """
    if schema is not None:
        return json.dumps(keep_schema(schema, case))
    return next((said for rule in RULES if (said := rule(case)) is not None), case.rationale)


def _five_way(case: Case) -> str | None:
    """Arena-Hard: ``[[A>>B]]`` to ``[[B>>A]]``."""
    if "[[A>B]]" not in case.text and "[[A>>B]]" not in case.text:
        return None
    return f"My final verdict is: [[{ {'A': 'A>B', 'B': 'B>A', 'tie': 'A=B'}[case.winner] }]]"


def _pair(case: Case) -> str | None:
    """MT-Bench: ``[[A]]``, ``[[B]]``, or ``[[C]]`` for a tie where the prompt knows it."""
    if "[[A]]" not in case.text or "[[B]]" not in case.text:
        return None
    verdict = {"A": "A", "B": "B", "tie": "C" if "[[C]]" in case.text else "A"}[case.winner]
    return f"{case.rationale}\n[[{verdict}]]"


def _rating(case: Case) -> str | None:
    """MT-Bench: ``Rating: [[5]]``, on the prompt's scale or 1 to 10."""
    if re.search(r"\[\[(?:rating|\d+)\]\]", case.text) is None:
        return None
    return f"{case.rationale}\nRating: [[{case.on_scale(*_scale(case) or _TEN):g}]]"


def _guard(case: Case) -> str | None:
    """Llama Guard: ``safe``, or ``unsafe`` and the categories on the next line."""
    if "unsafe" not in case.text.lower() or re.search(r"\bS1\b|categor", case.text) is None:
        return None
    if "json" in case.text.lower():
        return None
    return "unsafe\n" + ",".join(case.first.categories) if case.first.categories else "safe"


def _grade(case: Case) -> str | None:
    """Inspect AI: ``GRADE: C`` or ``GRADE: I``."""
    if "GRADE:" not in case.text:
        return None
    return f"{case.rationale}\n\nGRADE: {'C' if case.is_true else 'I'}"


def _result(case: Case) -> str | None:
    """Prometheus: ``Feedback: ... [RESULT] 4``."""
    if "[RESULT]" not in case.text:
        return None
    return f"Feedback: {case.rationale} [RESULT] {case.on_scale(*_scale(case) or (1.0, 5.0)):g}"


def _output(case: Case) -> str | None:
    """LLMBar: ``Output (a)`` or ``Output (b)``."""
    if "Output (a)" not in case.text or "Output (b)" not in case.text:
        return None
    return "Output (b)" if case.winner == "B" else "Output (a)"


def _json(case: Case) -> str | None:
    """An object with the keys that the prompt shows."""
    if "json" not in case.text.lower():
        return None
    keys = list(dict.fromkeys(_JSON_KEY.findall(case.text)))[:_MOST_KEYS]
    return json.dumps({key: _value_of(key, case) for key in keys}) if keys else None


def _two_scores(case: Case) -> str | None:
    """JudgeLM and Vicuna: two numbers on the first line."""
    if re.search(r"two (?:values|scores|numbers)", case.text, re.IGNORECASE) is None:
        return None
    low, high = _scale(case) or _TEN
    return f"{case.on_scale(low, high):g} {case.on_scale(low, high, of=case.second):g}\n{case.rationale}"


def _yes_or_no(case: Case) -> str | None:
    """``Yes`` or ``No``, where the prompt has both words."""
    if (
        re.search(r"\byes\b", case.text, re.IGNORECASE) is None
        or re.search(r"\bno\b", case.text, re.IGNORECASE) is None
    ):
        return None
    return "Yes" if case.is_true else "No"


def _true_or_false(case: Case) -> str | None:
    """``True`` or ``False``, where the prompt has both words."""
    if re.search(r"\btrue\b", case.text, re.IGNORECASE) is None or "false" not in case.text.lower():
        return None
    return "True" if case.is_true else "False"


def _one_or_zero(case: Case) -> str | None:
    """``1`` or ``0``, where the prompt offers nothing else."""
    if re.search(r"\b(?:0 or 1|1 or 0|0/1)\b|['\"]1['\"] or ['\"]0['\"]", case.text) is None:
        return None
    return "1" if case.is_true else "0"


def _score(case: Case) -> str | None:
    """``Score: 7``, on the scale that the prompt names."""
    scale = _scale(case)
    return None if scale is None else f"{case.rationale}\nScore: {case.on_scale(*scale):g}"


RULES: tuple[Rule, ...] = (
    _five_way,
    _pair,
    _rating,
    _result,
    _grade,
    _output,
    _json,
    _guard,
    _two_scores,
    _one_or_zero,
    _yes_or_no,
    _score,
    _true_or_false,
)
"""In this order."""


def _scale(case: Case) -> tuple[float, float] | None:
    for found in _SCALE.finditer(case.text):
        low, high = float(found[1]), float(found[2])
        if low < high < math.inf:
            return low, high
    return None


def _value_of(key: str, case: Case) -> object:
    """What stands under a key of an object; an empty text under one that says nothing to the rules."""
    return next((value(case) for pattern, value in _VALUES if pattern.search(key)), "")


def _score_value(case: Case) -> str:
    """PyRIT's verdict, which is a text: True, False, or a number."""
    true = _TRUE.search(case.text)
    has_both = true is not None and _FALSE.search(case.text, true.end()) is not None
    return str(case.is_true) if has_both else f"{case.on_scale(*_scale(case) or (1.0, 5.0)):g}"


def _pattern(of_key: str) -> re.Pattern[str]:
    return re.compile(of_key, re.IGNORECASE)


_VALUES: tuple[tuple[re.Pattern[str], Callable[[Case], object]], ...] = (
    (
        _pattern(r"ration|reason|explan|descr|feedback|thought|analysis|comment|justif|critique"),
        lambda of: of.rationale,
    ),
    (_pattern(r"^score_value$"), _score_value),
    (_pattern(r"score|rating|grade|points"), lambda of: of.on_scale(*_scale(of) or _TEN)),
    (_pattern(r"winner|prefer|better"), lambda of: of.winner),
    (_pattern(r"categor"), lambda of: ", ".join(of.first.categories)),
    (_pattern(r"verdict|pass|correct|label|is_|unsafe|harm|violat|refus"), lambda of: of.is_true),
)
