"""Replies whose outcome is known by how they are made, and what becomes of them in the wild."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from hypothesis import strategies as st

from judgecore.reading import Format, GuardVerdict, Reading, Unreadable, parse
from judgecore.rendering import declared, marker_templates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["KnownReply", "damaged_json", "in_each", "noisy", "plain", "planted", "replies", "truncated"]

_MADE = ("binary", "choice", "score", "scores", "order")
_PREAMBLE = "I looked at it with care.\n\n"
_PLACED = {
    "last_line": [_PREAMBLE + "{}", _PREAMBLE + "So my answer is: {}."],
    "first_line": ["{}\n\nI looked at it with care.", "My answer is: {}\n\nI looked at it with care."],
    "first_word": ["{}\n\nI looked at it with care.", "{}. I looked at it with care."],
}
_NO_VERDICT = ("", "  \n", "I looked at it with care, and it is hard to say.", "There is much to be said here.", "{}")


@dataclass(frozen=True)
class KnownReply:
    """A judge's reply, and what there is to read in it.

    Attributes:
        text: The reply.
        value: The verdict: a boolean, a number, a label, numbers, ranks, a document; of a guard whether its subject is
            unsafe. None where there is none.
        may_be_unread: Whether a reader may also say that it can't read the reply; another verdict it may not find.
        cut: Whether the reply is known to be cut off, as an endpoint says with its finish reason.
        material: Texts that the judge was shown and that the reply repeats.
        format: What the judge was asked to answer; None for ``damaged_json``, whose replies hold any object.
    """

    text: str
    value: Any
    may_be_unread: bool = False
    cut: bool = False
    material: tuple[str, ...] = ()
    format: Format | None = None

    def allows(self, found: object) -> bool:
        """Tell whether a parser's result does justice to the reply.

        Args:
            found: The verdict that it found, an outcome of ``parse``, or None for none.
        """
        if isinstance(found, Unreadable):
            found = None
        if isinstance(found, Reading):
            found = cast("Reading", found).value
        if isinstance(found, GuardVerdict):
            found = found.unsafe
        if found is None:
            return self.value is None or self.may_be_unread
        return _comparable(found) == _comparable(self.value)


def replies(format: Format | str | st.SearchStrategy[Format]) -> st.SearchStrategy[KnownReply]:  # noqa: A002 - the contract's name
    """Make replies in a format, some of them without a verdict.

    Args:
        format: What the judge was asked to answer, or a strategy of formats. Guards and rankings must have examples,
            and so must formulas and documents of which nothing is asked.

    Raises:
        UnknownFormatError: If no format has the name.
        ValueError: If there is nothing to make replies of.
    """
    return in_each(format, _replies)


def noisy(format: Format | str | st.SearchStrategy[Format]) -> st.SearchStrategy[KnownReply]:  # noqa: A002 - the contract's name
    """Make replies with what models and transports add: marks of order, emphasis, sentinels, reasoning, line ends.

    The outcome stays the same.

    Args:
        format: As ``replies`` takes it.
    """
    added = st.lists(st.sampled_from(_NOISE), max_size=3, unique=True)
    return st.builds(_with_noise, replies(format), added, st.sampled_from(_SENTINELS))


def truncated(format: Format | str | st.SearchStrategy[Format]) -> st.SearchStrategy[KnownReply]:  # noqa: A002 - the contract's name
    """Make replies with one verdict that end too early; what is left may be unread, and is no other verdict.

    Args:
        format: One of labels or numbers.

    Raises:
        UnknownFormatError: If no format has the name.
        ValueError: If the format is of another kind.
    """
    return in_each(format, _truncated)


def planted(format: Format | str | st.SearchStrategy[Format]) -> st.SearchStrategy[KnownReply]:  # noqa: A002 - the contract's name
    """Make replies that repeat another verdict where it is no evidence: in a quotation, and in reasoning.

    The verdict stays the same; one that the planted one makes hard to see may be unread.

    Args:
        format: One of labels or numbers.

    Raises:
        UnknownFormatError: If no format has the name.
        ValueError: If the format is of another kind.
    """
    return in_each(format, _planted)


def damaged_json(
    objects: st.SearchStrategy[dict[str, Any]] | None = None,
) -> st.SearchStrategy[KnownReply]:
    """Make replies that hold one JSON object, damaged in the ways in which models damage it.

    The object can still be told: commas are missing nowhere, and no text holds what would end it.

    Args:
        objects: The objects; by default some with a score, a reason and more. Texts in them must hold no quotation
            marks, backslashes or braces.
    """
    habits = st.fixed_dictionaries(
        {
            "quote": st.sampled_from(['"', "'"]),
            "bare_keys": st.booleans(),
            "python": st.booleans(),
            "trailing_comma": st.booleans(),
            "comment": st.booleans(),
            "spread": st.booleans(),
        }
    )
    around = st.sampled_from(["{}", "```json\n{}\n```", "Here is my verdict:\n{}\nI hope this helps."])
    return st.builds(_damaged, _OBJECTS if objects is None else objects, habits, around)


def in_each(
    format: Format | str | st.SearchStrategy[Format],  # noqa: A002 - the contract's name
    make: Callable[[Format], st.SearchStrategy[KnownReply]],
) -> st.SearchStrategy[KnownReply]:
    """Make replies in a format, or in each of several, and say in which."""
    if isinstance(format, st.SearchStrategy):
        return format.flatmap(lambda form: in_each(form, make))
    form = Format.get(format) if isinstance(format, str) else format
    return make(form).map(lambda known: replace(known, format=form))


def plain(form: Format) -> st.SearchStrategy[KnownReply]:
    """Make replies that say a verdict as the format documents it, and nothing beside it.

    Raises:
        ValueError: If there is nothing to make a verdict of.
    """
    make = _maker(form)
    if make:
        return make(form).filter(lambda known: not known.may_be_unread and _PREAMBLE not in known.text)
    known: dict[str, KnownReply] = {}
    for one, example in sorted(_examples(form), key=lambda pair: len(pair[0].text)):
        if one.value is not None and not one.cut and example["strict"] == example["lenient"]:
            known.setdefault(_comparable(one.value), one)
    if not known:
        raise ValueError(f"{form.id} is of the kind {form.kind} and has no examples; name one that has")
    return st.sampled_from(list(known.values()))


def _replies(form: Format) -> st.SearchStrategy[KnownReply]:
    make, known = _maker(form), [one for one, _ in _examples(form)]
    if not make and not known:
        raise ValueError(f"{form.id} is of the kind {form.kind} and has no examples; name one that has")
    sources = [st.sampled_from(known)] if known else []
    if make:
        sources += [make(form), st.sampled_from([KnownReply(text, None) for text in _NO_VERDICT])]
    return st.one_of(sources)


def _maker(form: Format) -> Callable[[Format], st.SearchStrategy[KnownReply]] | None:
    """What makes replies with a verdict in a format; None where that takes examples."""
    if _is_made(form):
        return _made
    entries = _entries(form)
    if not entries or not all(map(_is_made, entries.values())):
        return None
    return _documents if form.kind == "json" or declared(form).get("json") else _lines


def _entries(form: Format) -> dict[str, Format]:
    """The formats of a caller's fields, or that of the entry that is a document's verdict, by name, key or path."""
    asked = declared(form)
    if form.parts or not asked.get("verdict"):
        return form.parts
    (entry,) = asked["fields"].values()
    labels, scale = form.labels, form.scale or (0.0, 1.0)
    kinds: dict[str, Callable[[], Format]] = {
        "binary": lambda: Format.binary(true=labels["true"], false=labels["false"]),
        "choice": lambda: Format.choice(labels),
        "score": lambda: Format.score(*scale, integer=entry["integer"]),
        "scores": lambda: Format.scores(entry["count"], *scale, names=entry["names"] or None),
        "order": lambda: Format.order(len(labels), entry["names"] or None),
    }
    # Of several keys any may be there.
    return dict.fromkeys(asked["verdict"][:1], kinds[entry["kind"]]())


def _truncated(form: Format) -> st.SearchStrategy[KnownReply]:
    _check_made(form)
    return st.builds(_cut, _made(form), st.floats(0, 1, exclude_max=True))


def _planted(form: Format) -> st.SearchStrategy[KnownReply]:
    _check_made(form)
    without = st.sampled_from([KnownReply(text, None) for text in _NO_VERDICT[2:]])
    plants = _PLANTS[:1] if form.first_token else _PLANTS
    return st.builds(_with_plant, st.one_of(_made(form), without), _made(form), st.sampled_from(plants))


def _comparable(value: object) -> str:
    """A value in words: true is not 1, and 8 is 8.0."""
    if isinstance(value, tuple | list):
        return json.dumps([json.loads(_comparable(one)) for one in cast("Sequence[object]", value)])
    if isinstance(value, dict):
        named = cast("Mapping[str, object]", value)
        return json.dumps({name: json.loads(_comparable(one)) for name, one in named.items()}, sort_keys=True)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return json.dumps(float(value))
    return json.dumps(value, default=str)


def _examples(form: Format) -> list[tuple[KnownReply, dict[str, Any]]]:
    """The examples of a format's file that a careful reader knows the outcome of, beside what the file says of them."""
    known: list[tuple[KnownReply, dict[str, Any]]] = []
    for example in form.examples:
        outcome = example["lenient"]
        value: Any = outcome.get("value")
        if form.kind == "guard" and isinstance(value, dict):
            value = cast("dict[str, Any]", value).get("unsafe")
            if value is None:
                continue
        known.append((KnownReply(example["reply"], value, cut=example["cut"]), example))
    return known


def _is_made(form: Format) -> bool:
    """Whether a verdict in a format is said outright, and not worked out of several answers."""
    if form.kind not in _MADE:
        return False
    if form.kind in ("binary", "choice", "order"):
        return True
    low, high = _whole_numbers(form)
    return low <= high and (form.kind == "scores" or isinstance(parse(str(low), form), Reading))


def _check_made(form: Format) -> None:
    if not _is_made(form):
        kinds = ", ".join(_MADE)
        raise ValueError(
            f"{form.id} is of the kind {form.kind}; this takes formats of {kinds} that say it outright, "
            "in words or whole numbers"
        )


def _made(form: Format) -> st.SearchStrategy[KnownReply]:
    """Replies with one verdict: alone, in the format's own markers, and behind a label that it does not name."""
    own = marker_templates(form)
    behind = [_PREAMBLE + frame for frame in own]
    framed = ["{}"] if form.first_token else ["{}", *own, *(behind if form.place != "whole" else [])]
    framed += _PLACED.get(form.place or "", [])
    others = [] if form.first_token or form.place == "first_word" else ["Verdict: {}", f"{_PREAMBLE}Verdict: {{}}"]
    # A judge that was asked for the verdict alone, and says more, may be unread.
    others += behind if form.place == "whole" and not form.first_token else []
    frames = [(frame, frame in others) for frame in (*framed, *others)]
    return st.builds(_framed, _said(form), st.sampled_from(frames))


def _framed(said: tuple[str, Any], frame: tuple[str, bool]) -> KnownReply:
    words, value = said
    around, may_be_unread = frame
    return KnownReply(around.replace("{}", words), value, may_be_unread=may_be_unread)


def _cut(known: KnownReply, share: float) -> KnownReply:
    return replace(known, text=known.text[: int(share * len(known.text))], may_be_unread=True, cut=True)


def _with_plant(known: KnownReply, decoy: KnownReply, plant: Callable[[str, str], str]) -> KnownReply:
    shown = (decoy.text, _flat(decoy.text))
    return replace(known, text=plant(known.text, decoy.text), may_be_unread=True, material=shown)


def _damaged(value: dict[str, Any], habit: dict[str, Any], frame: str) -> KnownReply:
    return KnownReply(frame.replace("{}", _written(value, habit)), value)


def _said(form: Format) -> st.SearchStrategy[tuple[str, Any]]:
    """A verdict in words, and its value."""
    if form.kind in ("binary", "choice"):
        named = [(spoken, label) for label, all_spoken in form.labels.items() for spoken in all_spoken]
        is_binary = form.kind == "binary"
        return st.sampled_from([(spoken, label == "true" if is_binary else label) for spoken, label in named])
    if form.kind == "order":
        return _orders(form)
    numbers = st.integers(*_whole_numbers(form))
    if form.kind == "score":
        return numbers.map(lambda number: (str(number), float(number)))
    length = _length(form)
    many = st.lists(numbers, min_size=length, max_size=length)
    return many.map(lambda chosen: (" ".join(map(str, chosen)), tuple(map(float, chosen))))


def _length(form: Format) -> int:
    """How many numbers a format of scores has, as its examples or its declaration say."""
    for example in form.examples:
        value = example["lenient"].get("value")
        if isinstance(value, list | tuple):
            return len(cast("Sequence[object]", value))
    count = declared(form).get("count")
    if isinstance(count, int):
        return count
    raise ValueError(f"{form.id} does not say how many scores it has; declare count, or give it an example")


def _orders(form: Format) -> st.SearchStrategy[tuple[str, Any]]:
    """An order of all candidates in words, and the rank of each; those who tie share the better one."""
    names = list(form.labels)
    best_first = st.permutations(range(len(names)))
    signs = st.lists(st.sampled_from([" > ", " = "]), min_size=len(names) - 1, max_size=len(names) - 1)
    return st.builds(_said_order, st.just(names), best_first, signs)


def _said_order(names: Sequence[str], order: Sequence[int], between: Sequence[str]) -> tuple[str, Any]:
    words = names[order[0]]
    ranks = {order[0]: 1}
    rank = 1
    for place, (sign, candidate) in enumerate(zip(between, order[1:], strict=True), start=2):
        words += sign + names[candidate]
        rank = rank if sign == " = " else place
        ranks[candidate] = rank
    return words, tuple(ranks[candidate] for candidate in range(len(names)))


def _documents(form: Format) -> st.SearchStrategy[KnownReply]:
    """JSON documents with all entries of a format, by key or path."""
    said = st.fixed_dictionaries({name: _said(part) for name, part in _entries(form).items()})
    around = st.sampled_from(["{}", "```json\n{}\n```", "Here is my verdict:\n{}\nI hope this helps."])
    return st.builds(_document, said, st.booleans(), around, st.just(form.kind == "json"))


def _document(
    said: Mapping[str, tuple[str, Any]],
    is_nested: bool,  # noqa: FBT001 - drawn
    frame: str,
    is_lone: bool,  # noqa: FBT001 - as above
) -> KnownReply:
    document: dict[str, Any] = {}
    for name, (words, value) in said.items():
        written = value if isinstance(value, float) else words
        *outer, key = name.split(".") if is_nested else [name]
        inner = document
        for step in outer:
            inner = inner.setdefault(step, {})
        is_listed = isinstance(value, tuple) and " > " not in words and " = " not in words
        inner[key] = list(cast("tuple[object, ...]", value)) if is_listed else written
    return KnownReply(frame.replace("{}", json.dumps(document)), _values(said, is_lone=is_lone))


def _lines(form: Format) -> st.SearchStrategy[KnownReply]:
    """Lines with all fields of a format, each behind its name."""
    said = st.fixed_dictionaries({name: _said(part) for name, part in form.parts.items()})
    frames = st.sampled_from(["{}: {}", "**{}**: {}", "- {}: {}"])
    return st.builds(_named_lines, said, frames, st.sampled_from(["", _PREAMBLE]))


def _named_lines(said: Mapping[str, tuple[str, Any]], frame: str, before: str) -> KnownReply:
    lines = [frame.format(name, words) for name, (words, _) in said.items()]
    return KnownReply(before + "\n".join(lines), _values(said, is_lone=False))


def _values(said: Mapping[str, tuple[str, Any]], *, is_lone: bool) -> Any:
    values = {name: value for name, (_, value) in said.items()}
    return next(iter(values.values())) if is_lone else values


def _whole_numbers(form: Format) -> tuple[int, int]:
    """The least and the greatest whole number of a scale; the least is greater where there is none."""
    low, high = form.scale or (1.0, 10.0)
    return math.ceil(low), math.floor(high)


_NOISE: list[Callable[[str], str]] = [
    lambda text: "\ufeff" + text,
    lambda text: f"\n\n{text}\n",
    lambda text: text.replace("\n", "\r\n"),
    lambda text: text if any(sign in text for sign in "*\n{<") or not text.strip() else f"**{text}**",
    lambda text: text if "think>" in text or "<|" in text else f"<think>I look at it again.</think>\n{text}",
]
# A model ends its turn in its own way, and in one.
_SENTINELS = ("", "<|eot_id|>", "</s>", "<|im_end|>")
_PLANTS: list[Callable[[str, str], str]] = [
    lambda text, decoy: f"<think>Perhaps {decoy}? No, not that.</think>\n{text}",
    lambda text, decoy: f'The response says "in the end {_flat(decoy)} is my verdict" and goes on.\n\n{text}',
    lambda text, decoy: f"> it says {_flat(decoy)}, which is its own opinion\n\n{text}",
]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _with_noise(known: KnownReply, added: Sequence[Callable[[str], str]], sentinel: str) -> KnownReply:
    # Behind a cut nothing stands: a line end there would complete a number.
    if known.cut:
        return known
    text = known.text
    for add in added:
        text = add(text)
    is_ended = "<|" in known.text or "</s>" in known.text
    return replace(known, text=text if is_ended else text + sentinel)


_WORDS = st.text("abcdefghij XYZ0123456789,.;!?-", max_size=20)
_OBJECTS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"score": st.integers(-100, 100), "reason": _WORDS},
    optional={
        "passed": st.booleans(),
        "note": st.none(),
        "levels": st.lists(st.integers(0, 10), max_size=3),
        "more": st.fixed_dictionaries({"text": _WORDS}),
    },
)


def _written(value: object, habit: Mapping[str, Any]) -> str:
    """A value as a model writes it, with its habits."""
    if isinstance(value, dict):
        named = cast("dict[str, object]", value)
        items = [f"{_key(name, habit)}: {_written(one, habit)}" for name, one in named.items()]
        return _joined("{", items, "}", habit)
    if isinstance(value, list):
        return _joined(
            "[", [_written(one, habit) for one in cast("list[object]", value)], "]", {**habit, "spread": False}
        )
    if isinstance(value, str):
        return f"{habit['quote']}{value}{habit['quote']}"
    if value is None or isinstance(value, bool):
        return str(value) if habit["python"] else json.dumps(value)
    return json.dumps(value)


def _key(name: str, habit: Mapping[str, Any]) -> str:
    return name if habit["bare_keys"] else f"{habit['quote']}{name}{habit['quote']}"


def _joined(opening: str, items: Sequence[str], closing: str, habit: Mapping[str, Any]) -> str:
    comma = "," if habit["trailing_comma"] and items else ""
    if not habit["spread"]:
        return f"{opening}{', '.join(items)}{comma}{closing}"
    comment = "  // as asked\n" if habit["comment"] else "\n"
    inside = ",\n".join(f"  {item}" for item in items)
    return f"{opening}{comment}{inside}{comma}\n{closing}"
