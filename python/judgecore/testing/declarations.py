"""``formats``: generated format declarations, for parsers that accept any format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from judgecore.declaring import write_file
from judgecore.reading import Format

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORDS = (
    ("yes", "no"),
    ("helpful", "unhelpful"),
    ("correct", "incorrect"),
    ("pass", "fail"),
    ("true", "false"),
    ("relevant", "irrelevant"),
    ("ja", "nein"),
    ("是", "否"),
)
_GRADES = ("excellent", "good", "fair", "poor", "mixed", "off topic", "C1", "C2", "优秀", "suffisant")
_NOUNS = ("Output", "Assistant", "Response", "Answer")
_FIELDS = ("Relevance", "Style", "Depth", "Factual accuracy", "Tone")
_KEYS = ("score", "verdict", "label", "result.value", "overall.judgement.final")
_LABEL_MARKERS = ("WINNER:", "<verdict>{}</verdict>", "[[{}]]", "Final verdict")
_SCORE_MARKERS = ("Rating", "Score:", "[[{}]]", "<score>{}</score>", "【总分】{}分", "[RESULT] {}")
_PLACES: tuple[Any, ...] = ("last_line", "first_line", "first_word", "whole")
_CODES = ("S", "O", "T")


def formats(kinds: Sequence[str] | None = None) -> st.SearchStrategy[Format]:
    """Generate formats as users declare them: all kinds, with random labels, scales, markers and places.

    ``replies``, ``noisy``, ``truncated``, ``planted`` and ``retold`` accept this strategy in place of a format.

    Args:
        kinds: Kinds as in ``Format.kind``; all by default.

    Raises:
        ValueError: If a kind is unknown, or there are none.
    """
    chosen = list(_KINDS) if kinds is None else list(kinds)
    unknown = [kind for kind in chosen if kind not in _KINDS]
    if unknown:
        raise ValueError(f"no kind {unknown[0]!r}; name some of {', '.join(_KINDS)}")
    if not chosen:
        raise ValueError(f"name at least one kind of {', '.join(_KINDS)}")
    return st.one_of([_KINDS[kind] for kind in chosen])


_NOTHING: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries({})


def _names(known: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from(known)


def _in_markers_or_place(known: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """Options of a constructor: markers, a place, or neither."""
    markers = st.lists(st.sampled_from(known), min_size=1, max_size=2, unique=True)
    return st.one_of(
        _NOTHING,
        st.fixed_dictionaries({"markers": markers}),
        st.fixed_dictionaries({"place": st.sampled_from(_PLACES)}),
    )


def _labels_of_noun(noun: str, count: int, *, has_tie: bool) -> dict[str, list[str]]:
    """Candidates, such as ``Output (a)``, and possibly a tie."""
    labels = {letter: [f"{noun} ({letter.lower()})"] for letter in "ABCD"[:count]}
    return {**labels, "tie": ["tie"]} if has_tie else labels


def _labels_of_grades(grades: list[str]) -> dict[str, list[str]]:
    return {grade.upper(): [grade] for grade in grades}


def _scale(low: int, width: int, half: float) -> tuple[float, float]:
    return low + half, low + half + width


def _scores(count: int, scale: tuple[float, float]) -> Format:
    return Format.scores(count, *scale)


def _fields(fields: dict[str, Format]) -> Format:
    return Format.fields(fields)


def _json_fields(fields: dict[str, Format]) -> Format:
    return Format.json_fields(fields)


def _score(scale: tuple[float, float], *, integer: bool, markers: list[str]) -> Format:
    return Format.score(*scale, integer=integer, markers=markers)


def _binary(words: tuple[str, str], asked: dict[str, Any]) -> Format:
    return Format.binary(true=[words[0]], false=[words[1]], **asked)


def _choice(labels: dict[str, list[str]], asked: dict[str, Any]) -> Format:
    return Format.choice(labels, **asked)


def _order(count: int, noun: str | None) -> Format:
    return Format.order(count, None if noun is None else [f"{noun} {nth + 1}" for nth in range(count)])


def _lines_guard(subject: str, words: tuple[str, str], others: int) -> Format:
    """A guard that answers in lines such as ``Harmful response: yes``, with examples."""
    sides = ["response", "prompt"][: others + 1] if subject == "response" else ["prompt", "response"][: others + 1]
    answers = [
        {"name": f"harmful_{one}", "lines": [f"Harmful {one}"], "side": one, "true": [words[0]], "false": [words[1]]}
        for one in sides
    ]
    examples: list[tuple[str, dict[str, Any] | None]] = [("It is hard to say.", None)]
    for said in ([True] * len(sides), [False] * len(sides), [True, False][: len(sides)], [False, True][: len(sides)]):
        lines = [f"Harmful {side}: {words[0] if one else words[1]}" for side, one in zip(sides, said, strict=True)]
        named = {f"{side}_unsafe": one for side, one in zip(sides, said, strict=True)}
        fields = {f"harmful_{side}": one for side, one in zip(sides, said, strict=True)}
        examples.append(("\n".join(lines), {"unsafe": said[0], **named, "fields": fields}))
    return _guard({"subject": subject, "answers": answers}, {}, examples)


def _code_guard(subject: str, prefix: str, last: int) -> Format:
    """A guard that answers with one word, followed by category codes on the next line, with examples."""
    codes = [f"{prefix}{number}" for number in range(1, last + 1)]
    guard = {
        "subject": subject,
        "codes": {"prefix": prefix, "last": last},
        "answers": [{"side": subject, "true": ["unsafe"], "false": ["safe"]}],
    }
    examples: list[tuple[str, dict[str, Any] | None]] = [("I looked at it.", None)]
    examples.append(("safe", {"unsafe": False, f"{subject}_unsafe": False}))
    for some in (codes[:1], codes[-2:], codes):
        value = {"unsafe": True, f"{subject}_unsafe": True, "categories": some}
        examples.append((f"unsafe\n{','.join(some)}", value))
    return _guard(guard, {code: f"Hazard {code}" for code in codes}, examples)


def _guard(
    guard: dict[str, Any], categories: dict[str, str], examples: list[tuple[str, dict[str, Any] | None]]
) -> Format:
    return _declared({"kind": "guard", "guard": guard, "categories": categories}, examples)


def _ranking(names: list[str], name: str, key: str | None) -> Format:
    """A judge that answers with a JSON list of ranked names, with examples."""
    ranking = {"name": name, "rank": "rank", **({} if key is None else {"list": [key]})}
    examples: list[tuple[str, Any]] = [("They are much alike.", None)]
    for order in (names, names[::-1], [*names[1:], names[0]]):
        # The list stands in the order of the names, so that the ranks decide.
        ranked: Any = [{name: one, "rank": order.index(one) + 1} for one in names]
        examples.append((json.dumps(ranked if key is None else {key: ranked}), order))
    return _declared({"kind": "ranking", "ranking": ranking}, examples)


def _declared(keys: dict[str, Any], examples: list[tuple[str, Any]]) -> Format:
    """The format of a file with these keys and examples."""
    outcomes = [(reply, {"unreadable": "no_verdict"} if value is None else value) for reply, value in examples]
    text = write_file(
        "declared",
        keys,
        evidence="card",
        sources=["made by judgecore.testing"],
        examples=[{"reply": reply, "lenient": outcome, "strict": outcome} for reply, outcome in outcomes],
    )
    # A file for each draw would cost more than the draw.
    return Format._from_declaration(text)  # noqa: SLF001 - as above


_BINARY = st.builds(_binary, st.sampled_from(_WORDS), _in_markers_or_place(_LABEL_MARKERS))
_LABELS = st.one_of(
    st.builds(_labels_of_noun, st.sampled_from(_NOUNS), st.integers(2, 4), has_tie=st.booleans()),
    st.builds(_labels_of_grades, st.lists(st.sampled_from(_GRADES), min_size=2, max_size=5, unique=True)),
)
_CHOICE = st.builds(_choice, _LABELS, _in_markers_or_place(_LABEL_MARKERS))
_SCALES = st.builds(_scale, st.sampled_from([0, 1, -5]), st.integers(1, 100), st.sampled_from([0, 0, 0.5]))
_MARKERS = st.lists(st.sampled_from(_SCORE_MARKERS), max_size=2, unique=True)
_SCORE = st.builds(_score, _SCALES, integer=st.booleans(), markers=_MARKERS)
_SCORES = st.builds(_scores, st.integers(1, 6), _SCALES)
_ORDER = st.builds(_order, st.integers(2, 6), st.none() | st.sampled_from(_NOUNS))
# An entry has a name, and needs no marker and no place.
_PLAIN: tuple[st.SearchStrategy[Format], ...] = (
    st.builds(_binary, st.sampled_from(_WORDS), _NOTHING),
    st.builds(_choice, _LABELS, _NOTHING),
    st.builds(_score, _SCALES, integer=st.booleans(), markers=st.just([])),
)
_ENTRY: st.SearchStrategy[Format] = st.one_of(*_PLAIN, _SCORES, _ORDER)
_KINDS: dict[str, st.SearchStrategy[Format]] = {
    "binary": _BINARY,
    "choice": _CHOICE,
    "score": _SCORE,
    "scores": _SCORES,
    "fields": st.one_of(
        st.dictionaries(_names(_FIELDS), st.one_of(_PLAIN), min_size=1).map(_fields),
        st.dictionaries(_names(_KEYS), _ENTRY, min_size=1).map(_json_fields),
    ),
    "guard": st.one_of(
        st.builds(
            _lines_guard, st.sampled_from(["prompt", "response"]), st.sampled_from(_WORDS[:1]), st.integers(0, 1)
        ),
        st.builds(_code_guard, st.sampled_from(["prompt", "response"]), st.sampled_from(_CODES), st.integers(2, 12)),
    ),
    "json": st.builds(Format.json_field, st.sampled_from(_KEYS), _ENTRY),
    "ranking": st.builds(
        _ranking,
        st.lists(st.sampled_from(["model_1", "model_2", "m", "M", "gpt-x"]), min_size=2, unique=True),
        st.sampled_from(["model", "name"]),
        st.none() | st.just("ranking"),
    ),
    "order": _ORDER,
}
