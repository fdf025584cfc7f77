"""``render``: write a reply that states a verdict in a format, the inverse of reading."""

from __future__ import annotations

import json
import re
import tomllib
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, cast

from judgecore.reading import Format, GuardVerdict, Reading, parse, to_format

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_OPPOSITES = (("yes", "no"), ("unharmful", "harmful"), ("unsafe", "safe"), ("true", "false"), ("1", "0"))
_ANSWER = re.compile(r"\b(?:yes|no|unharmful|harmful|unsafe|safe|true|false|1|0)\b", re.IGNORECASE)
_MAX_ANSWERS = 7


def render(format: Format | str, verdict: Any) -> str:  # noqa: A002 - the contract's name
    """Write a reply that ``parse`` reads as a verdict, in strict mode if possible, else in lenient mode.

    Candidates are made from the format's declaration, then from its examples with their verdict replaced; the first one
    that ``parse`` reads as the verdict is returned.
    """
    form = to_format(format)
    return _rendered(form, json.dumps(verdict))


@lru_cache(maxsize=4096)
def _rendered(form: Format, verdict: str) -> str:
    wanted = json.loads(verdict)
    for mode in ("strict", "lenient"):
        for text in _candidates(form, wanted):
            outcome = parse(text, form, mode=mode)
            if isinstance(outcome, Reading) and _matches(outcome.value, wanted):
                return text
    raise ValueError(f"found no reply in {form.id} that states {verdict}")


def spellings(form: Format, verdict: Any) -> tuple[str, ...]:
    """Return the spellings of a verdict, without a marker."""
    if isinstance(verdict, bool):
        return form.labels.get(str(verdict).lower(), (json.dumps(verdict),))
    if isinstance(verdict, str):
        return form.labels.get(verdict, (verdict,))
    if isinstance(verdict, int | float):
        return (f"{verdict:g}",)
    if form.kind == "order":
        return (_order(list(form.labels), verdict),)
    words = [f"{one:g}" if isinstance(one, int | float) else str(one) for one in verdict]
    return " ".join(words), ",".join(words)


def marker_templates(form: Format) -> tuple[str, ...]:
    """Return the format's markers, with ``{}`` in place of the verdict."""
    return tuple(marker if "{}" in marker else f"{marker.removesuffix(':')}: {{}}" for marker in form.markers)


def declared(form: Format) -> dict[str, Any]:
    """Return the declaration of a custom format by key; empty for a built-in one."""
    # A custom format is pickled as its declaration, a built-in one as its name.
    (kept,) = form.__reduce__()[1]
    declared: list[dict[str, Any]] = []
    with suppress(tomllib.TOMLDecodeError):
        declared = cast("list[dict[str, Any]]", tomllib.loads(kept).get("formats", []))
    nothing: dict[str, Any] = {}
    return next((one for one in declared if one.get("id") == form.id), nothing)


def _order(names: Sequence[str], ranks: Sequence[int]) -> str:
    ranked = sorted(zip(ranks, names, strict=True), key=lambda one: one[0])
    words = ranked[0][1]
    for (before, _), (rank, name) in pairwise(ranked):
        words += (" = " if rank == before else " > ") + name
    return words


def _candidates(form: Format, wanted: Any) -> Iterator[str]:
    if form.kind == "guard":
        yield from _guards(form, wanted)
        return
    if form.id == "strong_reject":
        yield _strong_reject_reply(round(8 * wanted))
    if form.parts:
        yield from _documents(form, cast("dict[str, Any]", wanted))
    elif form.kind == "json" and (keys := declared(form).get("verdict")):
        written = spellings(form, wanted)[0]
        yield json.dumps({keys[0]: wanted if isinstance(wanted, float | list) else written})
    elif form.kind in ("binary", "choice", "score", "scores", "order"):
        yield from (
            frame.replace("{}", written)
            for frame in (*marker_templates(form), "{}")
            for written in spellings(form, wanted)
        )
    examples = _examples(form)
    for text, value in examples:
        yield from _replaced(form, text, value, wanted)
    yield from (text for text, value in examples if _matches(value, wanted))


def _examples(form: Format) -> list[tuple[str, Any]]:
    """Return the examples with a verdict and the verdict: strictly read ones first, then by length."""
    known = [
        (mode == "lenient", len(one["reply"]), one["reply"], one[mode]["value"])
        for mode in ("strict", "lenient")
        for one in form.examples
        if "value" in one[mode] and not one["cut"]
    ]
    return [(text, value) for _, _, text, value in sorted(known, key=lambda one: one[:2])]


def _replaced(form: Format, text: str, value: Any, wanted: Any) -> Iterator[str]:
    """Yield an example with its verdict replaced, in all places or in one of them."""
    if _matches(value, wanted) and any(written.lower() in text.lower() for written in spellings(form, wanted)):
        yield text
    if isinstance(value, list):
        yield from _replaced_in_turn(text, cast("list[Any]", value), wanted)
        return
    for old, new in product(spellings(form, value), spellings(form, wanted)):
        pattern = re.compile(rf"(?<![\w.]){re.escape(old)}(?![\w]|\.\d)", re.IGNORECASE)
        places = [found.span() for found in pattern.finditer(text)]
        if places:
            yield pattern.sub(lambda _, new=new: new, text)
        yield from (text[:start] + new + text[end:] for start, end in reversed(places))


def _replaced_in_turn(text: str, values: Sequence[Any], wanted: Sequence[Any]) -> Iterator[str]:
    """Yield an example of several verdicts, replaced in order."""
    written, past = "", 0
    for value, new in zip(values, wanted, strict=False):
        words = f"{value:g}" if isinstance(value, int | float) else str(value)
        place = re.compile(rf"(?<![\w.]){re.escape(words)}(?!\w)").search(text, past)
        if place is None:
            return
        written += text[past : place.start()] + (f"{new:g}" if isinstance(new, int | float) else str(new))
        past = place.end()
    yield written + text[past:]


def _documents(form: Format, wanted: Mapping[str, Any]) -> Iterator[str]:
    """Yield a JSON object with all fields, and a text with one line for each field."""
    named = {name: spellings(part, wanted[name])[0] for name, part in form.parts.items() if name in wanted}
    yield json.dumps({name: _entry(form.parts[name], wanted[name]) for name in named})
    yield "\n".join(f"{name}: {words}" for name, words in named.items())


def _entry(part: Format, value: Any) -> Any:
    return spellings(part, value)[0] if part.kind in ("binary", "choice", "order") else value


def _strong_reject_reply(eighths: int) -> str:
    convincing = min(4, eighths)
    marks = (
        f"1.a It is no refusal.\n1.b 0\n2.a So far.\n2.b {1 + convincing}\n3.a So far.\n3.b {1 + eighths - convincing}"
    )
    return f"#overall_reasoning The three marks follow.\n#scores\n{marks}"


def _guards(form: Format, wanted: Mapping[str, Any]) -> Iterator[str]:
    """Yield a guard's matching examples, then examples with other categories, then with flipped answers."""
    known = _examples(form)
    categories = cast("list[str]", wanted.get("categories") or [])
    for text, value in known:
        if _matches(value, wanted):
            yield text
        if categories and value.get("categories"):
            yield _with_categories(text, value["categories"], categories)
    for text, _ in known:
        answers = list(_ANSWER.finditer(text))
        if len(answers) <= _MAX_ANSWERS:
            for flips in product((False, True), repeat=len(answers)):
                yield _with_flipped_answers(text, [answer for answer, flip in zip(answers, flips, strict=True) if flip])


def _with_categories(text: str, old: Sequence[str], new: Sequence[str]) -> str:
    start = text.rfind(old[0])
    end = max(text.find(old[-1], start) + len(old[-1]), start)
    return text[:start] + ",".join(new) + text[end:]


def _with_flipped_answers(text: str, answers: Sequence[re.Match[str]]) -> str:
    written, past = "", 0
    for answer in answers:
        word = answer[0]
        pair = next(pair for pair in _OPPOSITES if word.lower() in pair)
        other = pair[1 - pair.index(word.lower())]
        written += text[past : answer.start()] + (
            other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other
        )
        past = answer.end()
    return written + text[past:]


def _matches(value: Any, wanted: Any) -> bool:
    """Return whether a value of a reading or an example equals the wanted one; true is not equal to 1."""
    if isinstance(value, GuardVerdict):
        return all(_matches(getattr(value, name), one) for name, one in wanted.items())
    if isinstance(value, dict) and isinstance(wanted, dict):
        # A guard's example leaves out what is None or empty.
        known, named = cast("dict[str, Any]", value), cast("dict[str, Any]", wanted)
        return all(_matches(known.get(name), one) for name, one in named.items())
    if isinstance(value, tuple | list) and isinstance(wanted, tuple | list):
        several, others = cast("Sequence[Any]", value), cast("Sequence[Any]", wanted)
        return len(several) == len(others) and all(map(_matches, several, others))
    return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted
