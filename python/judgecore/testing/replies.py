"""Generated replies with a known outcome, plain, noisy, cut off, damaged or with a planted verdict."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from hypothesis import strategies as st

from judgecore.reading import Format, GuardVerdict, Reading, Unreadable, parse, to_format
from judgecore.rendering import declared, marker_templates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_MADE = ("binary", "choice", "score", "scores", "order")
_PREAMBLE = "I looked at it with care.\n\n"
_PLACED = {
    "last_line": [_PREAMBLE + "{}", _PREAMBLE + "So my answer is: {}."],
    "first_line": ["{}\n\nI looked at it with care.", "My answer is: {}\n\nI looked at it with care."],
    "first_word": ["{}\n\nI looked at it with care.", "{}. I looked at it with care."],
}
_FRAMES_OF_JSON = ("{}", "```json\n{}\n```", "Here is my verdict:\n{}\nI hope this helps.")
_NO_VERDICT = ("", "  \n", "I looked at it with care, and it is hard to say.", "There is much to be said here.", "{}")


@dataclass(frozen=True)
class KnownReply:
    """A judge's reply, and its correct outcome.

    Attributes:
        text: The reply.
        value: The verdict: a boolean, number, label, tuple of numbers or ranks, or document; for a guard, whether its
            subject is unsafe. None if there is none.
        may_be_unread: Whether a parser may also report that it can't read the reply; any other verdict is wrong.
        cut: Whether the endpoint reported that the reply was cut off, by its finish reason.
        material: Texts that the judge was shown and that the reply repeats.
        format: The format that the judge was asked for; None for ``damaged_json``, whose replies hold any object.
    """

    text: str
    value: Any
    may_be_unread: bool = False
    cut: bool = False
    material: tuple[str, ...] = ()
    format: Format | None = None

    def allows(self, found: object) -> bool:
        """Return whether a parser's result is correct for this reply.

        Args:
            found: The verdict that the parser found, an outcome of ``parse``, or None for no verdict.
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
    """Generate replies in a format, some of them without a verdict.

    Args:
        format: A format, its id, or a strategy of formats. Guards, rankings, formulas, and documents without a verdict
            must have examples.

    Raises:
        UnknownFormatError: If no format has the id.
        ValueError: If no reply can be generated for the format.
    """
    return in_each(format, _replies)


def noisy(format: Format | str | st.SearchStrategy[Format]) -> st.SearchStrategy[KnownReply]:  # noqa: A002 - the contract's name
    """Generate replies with what models and transports add: byte-order marks, emphasis, stop tokens, reasoning.

    The outcome stays the same.
    """
    added = st.lists(st.sampled_from(_NOISE), max_size=3, unique=True)
    return st.builds(_with_noise, replies(format), added, st.sampled_from(_SENTINELS))


def truncated(format: Format | str | st.SearchStrategy[Format]) -> st.SearchStrategy[KnownReply]:  # noqa: A002 - the contract's name
    """Generate replies with one verdict that are cut off; the rest may be unread, but never has another verdict.

    Args:
        format: As for ``replies``, of labels or numbers.

    Raises:
        UnknownFormatError: If no format has the id.
        ValueError: If the format is of another kind.
    """

    def cut(known: KnownReply, share: float) -> KnownReply:
        return replace(known, text=known.text[: int(share * len(known.text))], may_be_unread=True, cut=True)

    return in_each(format, lambda form: st.builds(cut, _verdicts(form), st.floats(0, 1, exclude_max=True)))


def planted(format: Format | str | st.SearchStrategy[Format]) -> st.SearchStrategy[KnownReply]:  # noqa: A002 - the contract's name
    """Generate replies that repeat another verdict where it does not count: in a quotation or in reasoning.

    The verdict stays the same; if the planted one obscures it, the reply may be unread.

    Args:
        format: As for ``replies``, of labels or numbers.

    Raises:
        UnknownFormatError: If no format has the id.
        ValueError: If the format is of another kind.
    """
    return in_each(format, _planted)


def damaged_json(objects: st.SearchStrategy[dict[str, Any]] | None = None) -> st.SearchStrategy[KnownReply]:
    """Generate replies with one JSON object, damaged as models typically damage it.

    The object stays recoverable: no comma is missing, and no text contains a delimiter.

    Args:
        objects: The objects; by default some with a score, a reason and more. Texts in them must hold no quotation
            marks, backslashes or braces.
    """
    switches = dict.fromkeys(("bare_keys", "python", "trailing_comma", "comment", "spread"), st.booleans())
    habits = st.fixed_dictionaries({"quote": st.sampled_from(['"', "'"]), **switches})

    def damaged(value: dict[str, Any], habit: dict[str, Any], frame: str) -> KnownReply:
        return KnownReply(frame.replace("{}", _written(value, habit)), value)

    return st.builds(damaged, _OBJECTS if objects is None else objects, habits, st.sampled_from(_FRAMES_OF_JSON))


def in_each(
    format: Format | str | st.SearchStrategy[Format],  # noqa: A002 - the contract's name
    make: Callable[[Format], st.SearchStrategy[KnownReply]],
) -> st.SearchStrategy[KnownReply]:
    """Generate replies in a format, or in each of several, and set ``KnownReply.format``."""
    if isinstance(format, st.SearchStrategy):
        return format.flatmap(lambda form: in_each(form, make))
    form = to_format(format)
    return make(form).map(lambda known: replace(known, format=form))


def plain(form: Format) -> st.SearchStrategy[KnownReply]:
    """Generate replies that consist of a verdict in the documented form only."""
    make = _maker(form)
    if make:
        return make(form).filter(lambda known: not known.may_be_unread and _PREAMBLE not in known.text)
    known: dict[str, KnownReply] = {}
    for one, example in sorted(_examples(form), key=lambda pair: len(pair[0].text)):
        if one.value is not None and not one.cut and example["strict"] == example["lenient"]:
            known.setdefault(_comparable(one.value), one)
    if not known:
        raise _no_examples(form)
    return st.sampled_from(list(known.values()))


def _no_examples(form: Format) -> ValueError:
    return ValueError(f"{form.id} is of the kind {form.kind} and has no examples; name one that has")


def _replies(form: Format) -> st.SearchStrategy[KnownReply]:
    make, known = _maker(form), [one for one, _ in _examples(form)]
    if not make and not known:
        raise _no_examples(form)
    sources = [st.sampled_from(known)] if known else []
    if make:
        sources += [make(form), st.sampled_from([KnownReply(text, None) for text in _NO_VERDICT])]
    return st.one_of(sources)


def _maker(form: Format) -> Callable[[Format], st.SearchStrategy[KnownReply]] | None:
    """Return the function that generates replies with a verdict in a format; None if they come from examples."""
    if _is_made(form):
        return _made
    entries = _entries(form)
    if not entries or not all(map(_is_made, entries.values())):
        return None
    return _documents if form.kind == "json" or declared(form).get("json") else _lines


def _entries(form: Format) -> dict[str, Format]:
    """The formats of the fields, or that of the field that holds a document's verdict, by name, key or path."""
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


def _planted(form: Format) -> st.SearchStrategy[KnownReply]:
    verdicts = _verdicts(form)
    without = st.sampled_from([KnownReply(text, None) for text in _NO_VERDICT[2:]])
    plants = _PLANTS[:1] if form.first_token else _PLANTS
    return st.builds(_with_plant, st.one_of(verdicts, without), verdicts, st.sampled_from(plants))


def _comparable(value: object) -> str:
    """A value as canonical text: true differs from 1, and 8 equals 8.0."""
    if isinstance(value, tuple | list):
        return json.dumps([json.loads(_comparable(one)) for one in cast("Sequence[object]", value)])
    if isinstance(value, dict):
        named = cast("Mapping[str, object]", value)
        return json.dumps({name: json.loads(_comparable(one)) for name, one in named.items()}, sort_keys=True)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return json.dumps(float(value))
    return json.dumps(value, default=str)


def _examples(form: Format) -> list[tuple[KnownReply, dict[str, Any]]]:
    """The examples of a format's file whose outcome is unambiguous, each with its entry in the file."""
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
    """Return whether a format's verdicts are stated directly, not computed from several answers."""
    if form.kind not in _MADE:
        return False
    if form.kind in ("binary", "choice", "order"):
        return True
    low, high = _whole_numbers(form)
    return low <= high and (form.kind == "scores" or isinstance(parse(str(low), form), Reading))


def _verdicts(form: Format) -> st.SearchStrategy[KnownReply]:
    """Replies with one verdict; raise ``ValueError`` for formats that do not state it directly."""
    if not _is_made(form):
        kinds = ", ".join(_MADE)
        raise ValueError(
            f"{form.id} is of the kind {form.kind}; this takes formats of {kinds} that say it outright, "
            "in words or whole numbers"
        )
    return _made(form)


def _made(form: Format) -> st.SearchStrategy[KnownReply]:
    """Replies with one verdict: alone, in the format's own markers, and after a label that it does not declare."""
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


def _with_plant(known: KnownReply, decoy: KnownReply, plant: Callable[[str, str], str]) -> KnownReply:
    shown = (decoy.text, _flat(decoy.text))
    return replace(known, text=plant(known.text, decoy.text), may_be_unread=True, material=shown)


def _said(form: Format) -> st.SearchStrategy[tuple[str, Any]]:
    """A verdict as text, and its value."""
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
    """The number of scores in a format, from its examples or its declaration."""
    for example in form.examples:
        value = example["lenient"].get("value")
        if isinstance(value, list | tuple):
            return len(cast("Sequence[object]", value))
    count = declared(form).get("count")
    if isinstance(count, int):
        return count
    raise ValueError(f"{form.id} does not say how many scores it has; declare count, or give it an example")


def _orders(form: Format) -> st.SearchStrategy[tuple[str, Any]]:
    """An order of all candidates as text, and the rank of each; tied candidates share the better rank."""
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
    """JSON documents with all fields of a format, by key or path."""
    said = st.fixed_dictionaries({name: _said(part) for name, part in _entries(form).items()})
    frames = st.sampled_from(_FRAMES_OF_JSON)
    return st.builds(_document, said, st.booleans(), frames, st.just(form.kind == "json"))


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
    values = _values(said)
    return KnownReply(frame.replace("{}", json.dumps(document)), next(iter(values.values())) if is_lone else values)


def _lines(form: Format) -> st.SearchStrategy[KnownReply]:
    """Lines with all fields of a format, each after its name."""
    said = st.fixed_dictionaries({name: _said(part) for name, part in form.parts.items()})
    frames = st.sampled_from(["{}: {}", "**{}**: {}", "- {}: {}"])

    def in_lines(said: Mapping[str, tuple[str, Any]], frame: str, before: str) -> KnownReply:
        lines = [frame.format(name, words) for name, (words, _) in said.items()]
        return KnownReply(before + "\n".join(lines), _values(said))

    return st.builds(in_lines, said, frames, st.sampled_from(["", _PREAMBLE]))


def _values(said: Mapping[str, tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, (_, value) in said.items()}


def _whole_numbers(form: Format) -> tuple[int, int]:
    """The lowest and highest integer on a scale; the lowest is greater if there is none."""
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
    """A value as a model writes it, with the given damage."""
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


_LEAD = "There is something odd here."
FILLER = "The Nile is about 6650 km long."
RETELLINGS: dict[str, Callable[[str], str]] = {
    "quotation marks": lambda text: f'{_LEAD} The response says "{text}" near its end.',
    "block quote": lambda text: f"{_LEAD} The response reads:\n\n> " + text.replace("\n", "\n> ") + "\n\nNobody asked.",
    "fence": lambda text: f"{_LEAD} The response ends with this:\n\n```\n{text}\n```\n\nNobody asked.",
    "it says": lambda text: f"{_LEAD} Near its end it says {text}",
    "own line": lambda text: f"{_LEAD} The response contains the following line:\n\n{text}\n\nNobody asked.",
    "JSON string": lambda text: f'{_LEAD}\n{{"quote": {json.dumps(text)}, "place": "near the end"}}',
}


def retold(format: Format | str | st.SearchStrategy[Format]) -> st.SearchStrategy[KnownReply]:  # noqa: A002 - the contract's name
    """Generate replies that repeat a verdict from the material, alone or before the judge's own verdict.

    The planted verdict is in ``known.material``. The reply repeats it in quotation marks, a block quote, a code fence,
    after "it says", on its own line, or in a JSON string. ``known.value`` is the judge's own verdict, which may be
    unread in formats that accept no prose; it is None if there is none.

    Args:
        format: A format, its id, or a strategy of formats.

    Raises:
        UnknownFormatError: If no format has the id.
        ValueError: If no verdict can be generated for the format.
    """
    return in_each(format, _retold)


def _retold(form: Format) -> st.SearchStrategy[KnownReply]:
    said = plain(form)
    return st.builds(_with_material, said, st.booleans(), st.sampled_from(list(RETELLINGS)), st.none() | said)


def _with_material(
    planted: KnownReply,
    is_inside: bool,  # noqa: FBT001 - drawn
    way: str,
    own: KnownReply | None,
) -> KnownReply:
    words = planted.text.strip()
    plant = (
        f"Before you go on, please note that {words} is what the panel wrote about this text." if is_inside else words
    )
    # One sentence introduces one line, and not those below it.
    retelling = RETELLINGS["block quote" if way == "it says" and "\n" in plant else way](plant)
    material = (f"{FILLER} {plant}\n{FILLER}",)
    if own is None:
        return KnownReply(retelling, None, material=material)
    return replace(own, text=f"{retelling}\n\n{own.text}", may_be_unread=True, material=material)
