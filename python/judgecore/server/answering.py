"""Answer a judge prompt in its format, found by the request's model, a shipped prompt, or the prompt's wording."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from judgecore.prompts import PromptPaths, PromptTemplate, guards
from judgecore.reading import Format, formats
from judgecore.rendering import marker_templates, render
from judgecore.server.heuristics import PAIRS, PromptAnalysis, analyze_prompt, scale_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from judgecore.server.heuristics import PromptAnalysis


_FORMAT_MARKS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("[[A>B]]",), "arena_hard"),
    (("[[A]]", "[[B]]"), "mt_bench.pair"),
    (("[[rating]]",), "mt_bench.single"),
    (("Rating: [[",), "mt_bench.single"),
    (("[RESULT]",), "prometheus.absolute"),
    (("GRADE:",), "inspect.model_graded"),
    (("Output (a)", "Output (b)"), "llmbar.pair"),
)
"""Texts in a prompt that indicate a format; the first match decides."""
_SLOT = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_SHORTEST_PIECE = 30
_JSON_KEY = re.compile(r"[\"'](\w{1,40})[\"']\s*:")
_NAME = re.compile(r"^(\w[\w -]{0,60}): ", re.MULTILINE)
_OFFERED = re.compile(
    r"\b(?:answer|reply|respond|output|write|return)\b(?: only)?(?: with)?(?: one word,| a single word,)? "
    r"[\"'<]?(\w+)[\"'>]?(?: if\b[^.\n]{0,120}?[, ](?:and|or|else)(?: with)?| or| and|/) ?[\"'<]?(\w+)",
    re.IGNORECASE,
)
_SCHEMA = re.compile(r"JSON Schema[^{}]{0,80}\{", re.IGNORECASE)
_MAX_KEYS = 256
# How publishers spell the words of a format's id in model names.
_SPELLINGS = {"april": "apriel", "attack": "prompt", "v1": r"v0?\W?_?1", "v2": r"v(?:0\W|0_)?2"}


def answer(
    messages: Sequence[tuple[str, str]], *, model: str = "", schema: Mapping[str, Any] | None = None, seed: int = 0
) -> str:
    """Answer a judge prompt in the format that it asks for; a sentence without a verdict if that is unknown.

    The model may be a guard, the id of a format, or any other name.
    """
    text = "\n".join(words for _, words in messages)
    schema = _schema_in(text) if schema is None else schema
    if schema is not None:
        return json.dumps(make_value(schema, analyze_prompt(messages, seed)))
    form, is_shown = _known_format(model, text)
    if form is not None:
        guard = guards().get(form.id)
        is_chat = guard is not None and not is_shown
        analysis = analyze_prompt(messages, seed, is_chat=is_chat)
        if guard is not None:
            analysis = replace(analysis, topic="harm")
            is_of_message = is_chat and messages[-1][0] == "user" and form.kind == "guard"
            form = form.judging("prompt") if is_of_message else form
        return _render(form, analysis)
    analysis = analyze_prompt(messages, seed)
    return next((reply for rule in RULES if (reply := rule(analysis)) is not None), analysis.rationale)


def _schema_in(text: str) -> Mapping[str, Any] | None:
    found = _SCHEMA.search(text)
    with suppress(ValueError, RecursionError):
        schema: object = json.JSONDecoder().raw_decode(text, found.end() - 1)[0] if found else None
        return cast("dict[str, Any]", schema) if isinstance(schema, dict) else None
    return None


def _known_format(model: str, text: str) -> tuple[Format | None, bool]:
    """Return the format by the model or the prompt, and whether the prompt decided it."""
    shown = [name for name, pieces in _prompt_texts() if all(piece in text for piece in pieces)]
    named = _format_of_model(model)
    if named is not None and (not shown or named in shown or named not in guards()):
        return Format.get(named), bool(shown)
    # Versions of one guard share a prompt; the version with the most markers and categories in it is chosen.
    return max(map(Format.get, shown), key=lambda form: _marks_shown(form, text), default=None), True


def _marks_shown(form: Format, text: str) -> int:
    marks = [frame.partition("{}")[0] for frame in marker_templates(form)]
    return sum(mark in text for mark in (*marks, *(f"{code}: {name}" for code, name in form.categories.items())))


@cache
def _prompt_texts() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return, by format, the literal texts between the slots of the shipped prompt that asks for it."""
    asked: list[tuple[str, Path | PromptPaths]] = [(name, one.system_prompt_path) for name, one in guards().items()]
    asked += [("strong_reject", PromptPaths.STRONGREJECT_SYSTEM_PROMPT)]
    asked += [("llama_guard.3", PromptPaths.LLAMAGUARD_POLICY_PROMPT)]
    texts = [(name, _SLOT.split(PromptTemplate.from_yaml(path).text)) for name, path in asked]
    return tuple((name, tuple(one.strip() for one in text if len(one) > _SHORTEST_PIECE)) for name, text in texts)


@cache
def _model_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return patterns of guards' model names by format; a family without a version means its first format."""
    ids = [form.id for form in formats() if form.id in guards()]
    families = {name.partition(".")[0]: name for name in reversed(ids)}
    known = [*zip(ids, ids, strict=True), *families.items()]
    known.sort(key=lambda one: (len(re.split(r"[._]", one[0])), len(one[0])), reverse=True)
    return tuple((name, _model_pattern(*spelled.partition(".")[::2])) for spelled, name in known)


def _model_pattern(family: str, version: str) -> re.Pattern[str]:
    words = r"[\W_]*(?:content[\W_]*)?".join(_SPELLINGS.get(word, word) for word in family.split("_"))
    steps = [rf"(?<![a-z\d]){_SPELLINGS.get(word, word)}(?![a-z\d])" for word in version.split("_") if word]
    return re.compile(".*?".join([words, *steps]))


def _format_of_model(model: str) -> str | None:
    """Return the id of the format that a model's name indicates; None if there is none."""
    if any(model == form.id or model in form.aliases for form in formats()):
        return Format.get(model).id
    return next((name for name, pattern in _model_patterns() if pattern.search(model.lower()[:200])), None)


def _render(form: Format, analysis: PromptAnalysis) -> str:
    """Render the verdict in a format, with its categories if the format supports them."""
    verdict = analysis.verdict(form)
    listed = analysis.text.partition("Categories:")[2]
    if form.kind == "guard" and verdict.get("categories") and listed:
        # The prompt lists a custom policy.
        codes = _NAME.findall(listed)
        verdict["categories"] = [code for code in verdict["categories"] if code in codes] or codes[:1]
    try:
        return render(form, verdict)
    except ValueError:
        return render(form, {name: one for name, one in verdict.items() if name != "categories"})


def _with_marks(analysis: PromptAnalysis) -> str | None:
    """Answer with the marks of known judges, such as ``[[A]]``, ``[RESULT]`` or ``GRADE:``."""
    name = next((name for marks, name in _FORMAT_MARKS if all(mark in analysis.text for mark in marks)), None)
    if name is None:
        return None
    form = Format.get(name)
    if form.scale:
        return f"{analysis.rationale}\n{marker_templates(form)[0].replace('{}', _number(analysis, *form.scale))}"
    spelled = {label: _label_shown(form, label, analysis.text) for label in form.labels}
    label = analysis.choose([label for label in spelled if spelled[label]] or list(spelled))
    return f"{analysis.rationale}\n{spelled[label] or render(form, label)}"


def _label_shown(form: Format, label: str, text: str) -> str:
    """Return a prompt's spelling of a label in a format; empty if it has none."""
    spelled = [frame.replace("{}", word) for frame in marker_templates(form) or ("{}",) for word in form.labels[label]]
    return next((one for one in spelled if one in text), "")


def _json(analysis: PromptAnalysis) -> str | None:
    """Answer with a JSON object that has the keys in the prompt, with values by their descriptions."""
    if "json" not in analysis.text.lower():
        return None
    found = list(_JSON_KEY.finditer(analysis.text))
    ends = [*(one.start() for one in found[1:]), len(analysis.text)]
    described = {
        one[1]: analysis.text[one.end() : end].partition("\n")[0] for one, end in zip(found, ends, strict=False)
    }
    values = {key: _value_of(key, words, analysis) for key, words in list(described.items())[:_MAX_KEYS]}
    if "a key for each" in analysis.text:
        values = {"rationale": analysis.rationale} | {
            name: int(_number(analysis, 1.0, 5.0)) for name in _listed_names(analysis)
        }
    return json.dumps(values) if values else None


def _guard(analysis: PromptAnalysis) -> str | None:
    """Answer as Llama Guard: ``safe``, or ``unsafe`` and the categories on the next line."""
    if "unsafe" not in analysis.text.lower() or re.search(r"\bS1\b|categor", analysis.text) is None:
        return None
    return _render(Format.get("llama_guard.3"), analysis).strip()


def _two_scores(analysis: PromptAnalysis) -> str | None:
    """Answer as JudgeLM, Vicuna and ComparativeScorer ask: two numbers on the first line."""
    if re.search(r"two (?:values|scores|numbers)", analysis.text, re.IGNORECASE) is None:
        return None
    low, high = scale_in(analysis.text) or (1.0, 10.0)
    return (
        f"{analysis.on_scale(low, high):g} {analysis.on_scale(low, high, of=analysis.second):g}\n{analysis.rationale}"
    )


def _one_of_two(analysis: PromptAnalysis) -> str | None:
    """Answer with ``1`` or ``0``, ``Yes`` or ``No``, or another pair that the prompt offers."""
    for found in _OFFERED.finditer(analysis.text):
        if any({word.lower() for word in found.groups()} == set(pair) for pair in PAIRS):
            choice = str(analysis.choose(found.groups()))
            return choice.capitalize() if choice in ("yes", "no", "true", "false") else choice
    if re.search(r"\b(?:0 or 1|1 or 0|0/1)\b|['\"]1['\"] or ['\"]0['\"]", analysis.text):
        return "1" if analysis.is_true else "0"
    return _both(analysis, "Yes", "No")


def _score(analysis: PromptAnalysis) -> str | None:
    """Answer with ``Score: 7``, on the scale in the prompt."""
    return f"{analysis.rationale}\nScore: {_number(analysis, 0.0, 1.0)}" if scale_in(analysis.text) else None


def _both(analysis: PromptAnalysis, true: str = "True", false: str = "False") -> str | None:
    """Answer with ``True`` or ``False``, or another pair, if the prompt has both words."""
    shown = all(re.search(rf"\b{word}\b", analysis.text, re.IGNORECASE) for word in (true, false))
    return (true if analysis.is_true else false) if shown else None


RULES: tuple[Callable[[PromptAnalysis], str | None], ...] = (
    _with_marks,
    _json,
    _guard,
    _two_scores,
    _one_of_two,
    _score,
    _both,
)
"""The rules for prompts of unknown formats; the first that applies answers."""


def _number(analysis: PromptAnalysis, low: float, high: float) -> str:
    """Format the verdict on the scale in the prompt, or on the given one."""
    return f"{analysis.on_scale(*(scale_in(analysis.text) or (low, high))):g}"


def _listed_names(analysis: PromptAnalysis) -> list[str]:
    """Return the names listed under the heading of a shipped prompt."""
    after = analysis.text.partition("## The criteria\n")[2] or analysis.text.partition("## The categories\n")[2]
    return _NAME.findall(after.partition("\n\n")[0])


def _value_of(key: str, description: str, analysis: PromptAnalysis) -> object:
    """Return the value of a key; an empty string for an unknown key."""
    if _REASONS.search(key):
        return analysis.rationale
    is_verdict = key == "score_value"
    scale = scale_in(description) or scale_in(analysis.text)
    if all(re.search(rf"\b{word}\b", description, re.IGNORECASE) for word in ("true", "false")):
        value: object = analysis.is_true
    elif "name of the category" in description:
        return analysis.choose([*_listed_names(analysis), *re.findall(r"none fits, choose (\w+)", analysis.text)])
    elif is_verdict and scale_in(description) is None and _both(analysis):
        value = analysis.is_true
    elif is_verdict or _NUMBERS.search(key):
        value = analysis.on_scale(*(scale or (1.0, 5.0 if is_verdict else 10.0)))
        return f"{value:g}" if is_verdict else value
    else:
        return next((value(analysis) for pattern, value in _VALUES if pattern.search(key)), "")
    return str(value) if is_verdict else value


_REASONS = re.compile("ration|reason|explan|descr|feedback|thought|analysis|comment|justif|critique", re.IGNORECASE)
_NUMBERS = re.compile("score|rating|grade|points", re.IGNORECASE)
_VALUES: tuple[tuple[re.Pattern[str], Callable[[PromptAnalysis], object]], ...] = (
    (re.compile("winner|prefer|better", re.IGNORECASE), lambda of: of.winner),
    (re.compile("categor", re.IGNORECASE), lambda of: ", ".join(of.first.categories)),
    (re.compile("verdict|pass|correct|label|is_|unsafe|harm|violat|refus", re.IGNORECASE), lambda of: of.is_true),
)


_MAX_DEPTH = 12
_MAX_CHARACTERS = 1 << 18
_MAX_NUMBER = 1e300


def make_value(schema: Mapping[str, Any], analysis: PromptAnalysis) -> Any:
    """Make a value that conforms to a schema, with enumerations and numbers chosen by the verdict.

    Supported are ``type``, ``properties``, ``items``, ``minItems``, ``enum``, ``const``, ``minimum``, ``maximum``,
    ``anyOf``, ``oneOf``, ``allOf``, ``minLength``, ``maxLength`` and ``$ref`` within the schema. Properties are made
    whether they are required or not. A value of more than 262,144 characters is refused.
    """
    return _ValueBuilder(schema, analysis).make(schema, 0)


class _ValueBuilder:
    """Builds one value of limited size, because a short schema may ask for a huge one."""

    def __init__(self, root: Mapping[str, Any], analysis: PromptAnalysis) -> None:
        self._root = root
        self._case = analysis
        self._left = _MAX_CHARACTERS

    def make(self, schema: Mapping[str, Any], depth: int) -> Any:
        """Make a value that conforms to a schema."""
        schema = _resolve(schema, self._root)
        if "const" in schema:
            return self._count(schema["const"])
        if "enum" in schema:
            return self._count(_choose(schema["enum"], self._case))
        several = next((schema[name] for name in ("anyOf", "oneOf", "allOf") if schema.get(name)), None)
        if several is not None:
            return self.make(several[0], depth + 1)
        kind = _kind(schema)
        if kind == "object":
            properties = cast("dict[str, dict[str, Any]]", {} if depth > _MAX_DEPTH else schema.get("properties", {}))
            return {self._count(name): self.make(one, depth + 1) for name, one in properties.items()}
        if kind == "array":
            n_items = 0 if depth > _MAX_DEPTH else _size(schema, "minItems", 1)
            # Each item takes at least a comma; this also counts items that are empty objects.
            self._charge(3 * n_items)
            return [self.make(schema.get("items", {}), depth + 1) for _ in range(n_items)]
        return self._count(self._scalar(kind, schema))

    def _scalar(self, kind: str, schema: Mapping[str, Any]) -> Any:
        if kind == "boolean":
            return self._case.is_true
        if kind in ("integer", "number"):
            low = _limit(schema, "minimum", _limit(schema, "exclusiveMinimum", 0.0))
            value = self._case.on_scale(low, _limit(schema, "maximum", _limit(schema, "exclusiveMaximum", low + 10)))
            return round(value) if kind == "integer" else value
        if kind == "null":
            return None
        shortest = _size(schema, "minLength", 0)
        self._charge(shortest)
        words = self._case.rationale.ljust(shortest, ".")
        return words[: _size(schema, "maxLength", len(words))]

    def _count(self, value: Any) -> Any:
        self._charge(len(json.dumps(value)))
        return value

    def _charge(self, n_characters: int) -> None:
        self._left -= n_characters
        if self._left < 0:
            raise ValueError(f"the schema asks for more than {_MAX_CHARACTERS:,} characters")


def _size(schema: Mapping[str, Any], name: str, default: int) -> int:
    """Return a number of items or characters."""
    value = schema.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} must be a non-negative integer")
    return value


def _limit(schema: Mapping[str, Any], name: str, default: float) -> float:
    value = schema.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _MAX_NUMBER:
        raise ValueError(f"{name} must be a number of at most {_MAX_NUMBER:g}")
    return float(value)


def _kind(schema: Mapping[str, Any]) -> str:
    """Return the type of a value; if there are several, the first that is not null."""
    kind: str | list[str] = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, str):
        return kind
    return next((one for one in kind if one != "null"), "null")


def _resolve(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow references to a schema."""
    for _ in range(_MAX_DEPTH):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        found: Any = root
        for step in reference.lstrip("#/").split("/"):
            found = found.get(step, {}) if step else found
        schema = found
    return {}


def _choose(values: Any, analysis: PromptAnalysis) -> Any:
    """Return the value of an enumeration that states the verdict."""
    if not isinstance(values, list) or not values:
        raise ValueError("enum must be a non-empty list")
    return analysis.choose(cast("list[Any]", values))
