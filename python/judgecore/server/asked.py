"""In which form a request wants its answer: by the model that it names, by the shipped prompts, by a prompt's words."""

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
from judgecore.server.heuristics import PAIRS, Case, look_at, scale_in
from judgecore.server.keeping import keep_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

_MARKS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("[[A>B]]",), "arena_hard"),
    (("[[A]]", "[[B]]"), "mt_bench.pair"),
    (("[[rating]]",), "mt_bench.single"),
    (("Rating: [[",), "mt_bench.single"),
    (("[RESULT]",), "prometheus.absolute"),
    (("GRADE:",), "inspect.model_graded"),
    (("Output (a)", "Output (b)"), "llmbar.pair"),
)
"""What a prompt shows of a format; the first that fits decides."""
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
_MOST_KEYS = 256
# How publishers spell a word of a format's id in the names of their models.
_SPELLINGS = {"april": "apriel", "attack": "prompt", "v1": r"v0?\W?_?1", "v2": r"v(?:0\W|0_)?2"}


def answer(
    messages: Sequence[tuple[str, str]], *, model: str = "", schema: Mapping[str, Any] | None = None, seed: int = 0
) -> str:
    """Answer a judge prompt in the form that it asks for.

    Args:
        messages: Role and words of each.
        model: What the request names as its model: a guard, the id of a format, or anything.
        schema: The JSON Schema that the answer must keep, if there is one.
        seed: What counts are moved by.

    Returns:
        The reply. A prompt whose form is not known gets a sentence without a verdict.
    """
    text = "\n".join(words for _, words in messages)
    schema = _schema_in(text) if schema is None else schema
    if schema is not None:
        return json.dumps(keep_schema(schema, look_at(messages, seed)))
    form, is_shown = _known_format(model, text)
    if form is not None:
        guard = guards().get(form.id)
        is_chat = guard is not None and not is_shown
        case = look_at(messages, seed, is_chat=is_chat)
        if guard is not None:
            case = replace(case, topic="harm")
            is_of_message = is_chat and messages[-1][0] == "user" and guard.prompt_format
            form = Format.get(guard.prompt_format) if is_of_message else form
        return _written(form, case)
    case = look_at(messages, seed)
    return next((said for rule in RULES if (said := rule(case)) is not None), case.rationale)


def _schema_in(text: str) -> Mapping[str, Any] | None:
    """A schema that the prompt shows."""
    found = _SCHEMA.search(text)
    with suppress(ValueError, RecursionError):
        schema: object = json.JSONDecoder().raw_decode(text, found.end() - 1)[0] if found else None
        return cast("dict[str, Any]", schema) if isinstance(schema, dict) else None
    return None


def _known_format(model: str, text: str) -> tuple[Format | None, bool]:
    """The format that the model or the prompt stands for, and whether it is the prompt that does."""
    shown = [name for name, pieces in _shipped() if all(piece in text for piece in pieces)]
    named = _format_of(model)
    if named is not None and (not shown or named in shown or named not in guards()):
        return Format.get(named), bool(shown)
    # Versions of one guard share a prompt; the one of whose markers and categories it shows most is meant.
    return max(map(Format.get, shown), key=lambda form: _n_shown(form, text), default=None), True


def _n_shown(form: Format, text: str) -> int:
    marks = [frame.partition("{}")[0] for frame in marker_templates(form)]
    return sum(mark in text for mark in (*marks, *(f"{code}: {name}" for code, name in form.categories.items())))


@cache
def _shipped() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What stands between the slots of each shipped prompt that asks for a format of its own, by the format."""
    asked: list[tuple[str, Path | PromptPaths]] = [(name, one.system_prompt_path) for name, one in guards().items()]
    asked += [("strong_reject", PromptPaths.STRONGREJECT_SYSTEM_PROMPT)]
    asked += [("llama_guard.3", PromptPaths.LLAMAGUARD_POLICY_PROMPT)]
    texts = [(name, _SLOT.split(PromptTemplate.from_yaml(path).text)) for name, path in asked]
    return tuple((name, tuple(one.strip() for one in text if len(one) > _SHORTEST_PIECE)) for name, text in texts)


@cache
def _models() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """How guards' models are called; a family without a version stands for its first format, and comes last."""
    ids = [form.id for form in formats() if form.id in guards()]
    families = {name.partition(".")[0]: name for name in reversed(ids)}
    known = [*zip(ids, ids, strict=True), *families.items()]
    known.sort(key=lambda one: (len(re.split(r"[._]", one[0])), len(one[0])), reverse=True)
    return tuple((name, _model_pattern(*spelled.partition(".")[::2])) for spelled, name in known)


def _model_pattern(family: str, version: str) -> re.Pattern[str]:
    words = r"[\W_]*(?:content[\W_]*)?".join(_SPELLINGS.get(word, word) for word in family.split("_"))
    steps = [rf"(?<![a-z\d]){_SPELLINGS.get(word, word)}(?![a-z\d])" for word in version.split("_") if word]
    return re.compile(".*?".join([words, *steps]))


def _format_of(model: str) -> str | None:
    """The format that a model is named after, or that a guard's model answers in."""
    if any(model == form.id or model in form.aliases for form in formats()):
        return Format.get(model).id
    return next((name for name, pattern in _models() if pattern.search(model.lower()[:200])), None)


def _written(form: Format, case: Case) -> str:
    """A reply in a format that says the case's verdict, with its categories where the format can."""
    verdict = case.verdict(form)
    listed = case.text.partition("Categories:")[2]
    if form.kind == "guard" and verdict.get("categories") and listed:
        # A policy of the caller's own.
        codes = _NAME.findall(listed)
        verdict["categories"] = [code for code in verdict["categories"] if code in codes] or codes[:1]
    try:
        return render(form, verdict)
    except ValueError:
        return render(form, {name: one for name, one in verdict.items() if name != "categories"})


def _marks(case: Case) -> str | None:
    """The marks of known judges, as ``[[A]]``, ``[RESULT]`` or ``GRADE:``."""
    name = next((name for marks, name in _MARKS if all(mark in case.text for mark in marks)), None)
    if name is None:
        return None
    form = Format.get(name)
    if form.scale:
        return f"{case.rationale}\n{marker_templates(form)[0].replace('{}', _number(case, *form.scale))}"
    spelled = {label: _shown(form, label, case.text) for label in form.labels}
    said = case.choose([label for label in spelled if spelled[label]] or list(spelled))
    return f"{case.rationale}\n{spelled[said] or render(form, said)}"


def _shown(form: Format, label: str, text: str) -> str:
    """How a prompt spells an answer in a format; empty where it does not."""
    spelled = [frame.replace("{}", word) for frame in marker_templates(form) or ("{}",) for word in form.labels[label]]
    return next((one for one in spelled if one in text), "")


def _json(case: Case) -> str | None:
    """An object with the keys that the prompt shows, each with what the prompt says of it."""
    if "json" not in case.text.lower():
        return None
    found = list(_JSON_KEY.finditer(case.text))
    ends = [*(one.start() for one in found[1:]), len(case.text)]
    said = {one[1]: case.text[one.end() : end].partition("\n")[0] for one, end in zip(found, ends, strict=False)}
    values = {key: _value_of(key, words, case) for key, words in list(said.items())[:_MOST_KEYS]}
    if "a key for each" in case.text:
        values = {"rationale": case.rationale} | {name: int(_number(case, 1.0, 5.0)) for name in _listed(case)}
    return json.dumps(values) if values else None


def _guard(case: Case) -> str | None:
    """Llama Guard: ``safe``, or ``unsafe`` and the categories on the next line."""
    if "unsafe" not in case.text.lower() or re.search(r"\bS1\b|categor", case.text) is None:
        return None
    return _written(Format.get("llama_guard.3"), case).strip()


def _two_scores(case: Case) -> str | None:
    """JudgeLM, Vicuna and ComparativeScorer: two numbers on the first line."""
    if re.search(r"two (?:values|scores|numbers)", case.text, re.IGNORECASE) is None:
        return None
    low, high = scale_in(case.text) or (1.0, 10.0)
    return f"{case.on_scale(low, high):g} {case.on_scale(low, high, of=case.second):g}\n{case.rationale}"


def _one_of_two(case: Case) -> str | None:
    """``1`` or ``0``, ``Yes`` or ``No``, or another pair that the prompt offers."""
    for found in _OFFERED.finditer(case.text):
        if any({word.lower() for word in found.groups()} == set(pair) for pair in PAIRS):
            said = str(case.choose(found.groups()))
            return said.capitalize() if said in ("yes", "no", "true", "false") else said
    if re.search(r"\b(?:0 or 1|1 or 0|0/1)\b|['\"]1['\"] or ['\"]0['\"]", case.text):
        return "1" if case.is_true else "0"
    return _both(case, "Yes", "No")


def _score(case: Case) -> str | None:
    """``Score: 7``, on the scale that the prompt names."""
    return f"{case.rationale}\nScore: {_number(case, 0.0, 1.0)}" if scale_in(case.text) else None


def _both(case: Case, true: str = "True", false: str = "False") -> str | None:
    """``True`` or ``False``, or another pair, where the prompt has both words."""
    shown = all(re.search(rf"\b{word}\b", case.text, re.IGNORECASE) for word in (true, false))
    return (true if case.is_true else false) if shown else None


RULES: tuple[Callable[[Case], str | None], ...] = (_marks, _json, _guard, _two_scores, _one_of_two, _score, _both)
"""In this order."""


def _number(case: Case, low: float, high: float) -> str:
    """The verdict on the scale that the prompt names, or on another."""
    return f"{case.on_scale(*(scale_in(case.text) or (low, high))):g}"


def _listed(case: Case) -> list[str]:
    """The names that stand under the heading of a shipped prompt."""
    after = case.text.partition("## The criteria\n")[2] or case.text.partition("## The categories\n")[2]
    return _NAME.findall(after.partition("\n\n")[0])


def _value_of(key: str, said: str, case: Case) -> object:
    """What stands under a key of an object; an empty text under one that says nothing to the rules."""
    if _REASONS.search(key):
        return case.rationale
    is_verdict = key == "score_value"
    scale = scale_in(said) or scale_in(case.text)
    if all(re.search(rf"\b{word}\b", said, re.IGNORECASE) for word in ("true", "false")):
        value: object = case.is_true
    elif "name of the category" in said:
        return case.choose([*_listed(case), *re.findall(r"none fits, choose (\w+)", case.text)])
    elif is_verdict and scale_in(said) is None and _both(case):
        value = case.is_true
    elif is_verdict or _NUMBERS.search(key):
        value = case.on_scale(*(scale or (1.0, 5.0 if is_verdict else 10.0)))
        return f"{value:g}" if is_verdict else value
    else:
        return next((value(case) for pattern, value in _VALUES if pattern.search(key)), "")
    return str(value) if is_verdict else value


_REASONS = re.compile("ration|reason|explan|descr|feedback|thought|analysis|comment|justif|critique", re.IGNORECASE)
_NUMBERS = re.compile("score|rating|grade|points", re.IGNORECASE)
_VALUES: tuple[tuple[re.Pattern[str], Callable[[Case], object]], ...] = (
    (re.compile("winner|prefer|better", re.IGNORECASE), lambda of: of.winner),
    (re.compile("categor", re.IGNORECASE), lambda of: ", ".join(of.first.categories)),
    (re.compile("verdict|pass|correct|label|is_|unsafe|harm|violat|refus", re.IGNORECASE), lambda of: of.is_true),
)
