"""Proposing: a format for replies of a judge that no built-in format fits.

Most judges write their verdict in the same place: as an entry of a JSON document, behind the same words, or alone on
the last line. A proposal is made of what stands there in most replies of a sample, and holds only if it reads them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from judgecore.declaring import declare_labels, write_file
from judgecore.errors import FormatError
from judgecore.reading import Format, Reading, extract_json_many, parse_many

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Proposal", "propose"]

# In fewer replies a place is not where the judge was asked to put its verdict.
SHARE = 0.6
REPLIES_AT_LEAST = 3
LABELS_AT_MOST = 8
LABEL_LENGTH = 30
NUMBERS_AT_MOST = 101
FIELDS_AT_MOST = 12
PATH_LENGTH = 2
EXAMPLES = 3
# Long replies have their verdict at one of their ends.
LINES_AT_END = 30
TEXT_AT_END = 2000

# The usual ends of scales; the first that holds all numbers is proposed.
HIGHS = (1, 3, 5, 7, 10, 20, 50, 100)

EMPHASIS = re.compile(r"[*_`#]+")
NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
LABEL = r"[^\W\d_][\w'’/+-]*(?:[ ][\w'’/+-]+){0,2}|[^\W\d_]?\d*[<>=]{1,2}[^\W\d_]"
# A line that ends in a slot: what stands before it ends in a sign, what stands after it is a sign, a tag or a unit.
LINE = re.compile(
    rf"(?P<head>.*(?<!<)[^\w\s.,;!?'\"’/])(?P<space>[ \t]*)(?P<slot>{NUMBER}|{LABEL})"
    r"(?:[ \t]*(?:/|out of)[ \t]*\d+)?"
    r"(?P<tail>[ \t]*(?:</?\w+>|[^\w\s]*|[分点점%]))[ \t]*[.。!]?"
)
SENTENCE_END = re.compile(r".*(?:[.!?]\s+|[。！？])")
HEAD_LENGTH = 40
WORDS_IN_HEAD = 5
RELATION = re.compile(r"[^<>=\n]{1,30}(?:\s*(?:>|=)\s*[^<>=\n]{1,30})+")
FIRST_WORD = re.compile(r"\s*[^\W\d_]+(?=[.,:;!\n]|\Z)")
FIELD = re.compile(r"[^\W\d][\w /()-]*")
LINE_LENGTH = 400
LONGER = 0.8
WORDS_IN_LABEL = 3
NAME = "my_judge"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A format that was made of a sample.

    Attributes:
        format: The format.
        python: The call that makes it, where ``jc`` is judgecore.
        keys: The keys of a file that declare it, with their values.
        toml: A file that holds it.
        share: The share of the sample that it reads in strict mode, from 0 to 1.
        examples: Up to three replies of the sample with their readings.
    """

    format: Format
    python: str
    keys: Mapping[str, Any]
    toml: str
    share: float
    examples: tuple[tuple[str, Reading], ...]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A format in three writings.

    Attributes:
        format: The format.
        python: The call that makes it.
        keys: The keys of a file that declare it.
    """

    format: Format
    python: str
    keys: dict[str, Any]


class _Slot(NamedTuple):
    """A label or a number at the end of a line, with what stands around it.

    Attributes:
        head: What stands before it.
        text: The label or the number.
        tail: What stands after it.
        is_spaced: Whether a space stands before it.
        lines_after: How many lines from the end it stands.
    """

    head: str
    text: str
    tail: str
    is_spaced: bool
    lines_after: int


def propose(sample: Sequence[str]) -> Proposal | None:
    """Propose a format for replies.

    Args:
        sample: Replies of one judge that hold text, some dozens at least.

    Returns:
        The first format that reads most of the sample: of entries of JSON documents, of what stands after the same
        words, of an order, or of a label alone in its place. None if there is none.

    Examples:
        >>> replies = [f"Text {n}. MY VERDICT => {word}" for n, word in enumerate(["good", "bad"] * 5)]
        >>> proposal = propose(replies)
        >>> print(proposal.python if proposal else None)
        jc.Format.choice({'bad': ['bad'], 'good': ['good']}, markers=['MY VERDICT => {}'])
    """
    if len(sample) < REPLIES_AT_LEAST:
        return None
    # A lone surrogate can't stand in a declaration; the readers take it for U+FFFD.
    texts = [
        one if one.isascii() else one.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for one in sample
    ]
    for guess in (_guess_document, _guess_markers, _guess_order, _guess_place):
        try:
            drafts = guess(texts)
        except FormatError:  # Two labels that are one to a reader, for instance.
            continue
        proposals = [proposal for draft in drafts if (proposal := _check(draft, sample))]
        if proposals:
            # Of those that read about as much the first: it stands where a verdict is likelier.
            return max(proposals, key=lambda one: round(one.share, 1))
    return None


def _check(draft: _Draft, sample: Sequence[str]) -> Proposal | None:
    """Read the sample with a draft; one that does not read most of it is none."""
    for mode in ("strict", "lenient"):
        readings = parse_many(sample, draft.format, mode=mode)
        read = [(text, one) for text, one in zip(sample, readings, strict=True) if isinstance(one, Reading)]
        if len(read) >= SHARE * len(sample):
            share = len(read) / len(sample)
            toml = write_file(NAME, draft.keys, evidence="observed", sources=["a sample of its replies"])
            return Proposal(draft.format, draft.python, draft.keys, toml, share, tuple(read[:EXAMPLES]))
    return None


def _guess_document(sample: Sequence[str]) -> list[_Draft]:
    """Find the entries of JSON documents that hold labels or numbers."""
    documents = [one.value for one in extract_json_many(sample) if isinstance(one, Reading)]
    entries: dict[str, list[object]] = defaultdict(list)
    for document in documents:
        if isinstance(document, dict):
            for path, value in _walk(cast("dict[str, object]", document)):
                entries[path].append(value)
    drafts = {
        path: draft
        for path, values in entries.items()
        if len(values) >= SHARE * len(sample) and (draft := _draft_entry(values))
    }
    if not drafts or len(drafts) > FIELDS_AT_MOST:
        return []
    formats = {path: draft.format for path, draft in drafts.items()}
    if len(drafts) == 1:
        [(path, draft)] = drafts.items()
        keys = {"kind": "json", "verdict": [path], "fields": {path: draft.keys}}
        return [_Draft(Format.json_field(path, draft.format), f"jc.Format.json_field({path!r}, {draft.python})", keys)]
    keys = {"kind": "fields", "json": True, "fields": {path: draft.keys for path, draft in drafts.items()}}
    return [_Draft(Format.json_fields(formats), f"jc.Format.json_fields({_spell_drafts(drafts)})", keys)]


def _walk(document: dict[str, object], before: tuple[str, ...] = ()) -> Iterator[tuple[str, object]]:
    """Give the entries of an object and of those in it, each with its path."""
    for key, value in document.items():
        path = (*before, key)
        if isinstance(value, dict) and len(path) < PATH_LENGTH:
            yield from _walk(cast("dict[str, object]", value), path)
        elif key and "." not in key:
            yield ".".join(path), value


def _draft_entry(values: list[object]) -> _Draft | None:
    """Draft the format of an entry."""
    if all(isinstance(value, bool) for value in values):
        return _draft_labels(["true", "false"])
    texts = [str(value) for value in values if isinstance(value, str | int | float) and not isinstance(value, bool)]
    return _draft_slot(texts) if len(texts) >= SHARE * len(values) else None


def _draft_slot(texts: Sequence[str], markers: Sequence[str] = (), place: str | None = None) -> _Draft | None:
    """Draft the format of what stands in one place of most replies: numbers, or a few labels."""
    numbers = [text.replace(",", ".") for text in texts if re.fullmatch(NUMBER, text)]
    if len(numbers) >= SHARE * len(texts):
        return None if len(set(numbers)) > NUMBERS_AT_MOST else _draft_numbers([float(one) for one in numbers], markers)
    counts = Counter(text.strip() for text in texts)
    labels = {text.lower(): text for text, count in counts.items() if count > 1 or len(texts) < LABELS_AT_MOST}
    told = sum(counts[label] for label in counts if label.lower() in labels)
    is_set = 1 < len(labels) <= LABELS_AT_MOST and told >= SHARE * len(texts)
    if not is_set or any(len(label) > LABEL_LENGTH or not label for label in labels):
        return None
    return _draft_labels(sorted(labels.values()), markers, place)


def _draft_numbers(numbers: list[float], markers: Sequence[str]) -> _Draft | None:
    """Draft a score on the scale that is usual for such numbers."""
    low = 0 if min(numbers) < 1 else 1
    high = next((high for high in HIGHS if high >= max(numbers) and high > low), None)
    if high is None or min(numbers) < 0:
        return None
    keys: dict[str, Any] = {"kind": "score", "low": low, "high": high}
    said = f", markers={list(markers)!r}" if markers else ""
    if markers:
        keys["markers"] = list(markers)
    return _Draft(Format.score(low, high, markers=markers), f"jc.Format.score({low}, {high}{said})", keys)


def _draft_labels(labels: list[str], markers: Sequence[str] = (), place: Any = None) -> _Draft:
    """Draft a choice of labels, or a yes or no."""
    around: dict[str, Any] = {"markers": list(markers)} if markers else {"place": place} if place else {}
    said = "".join(f", {name}={value!r}" for name, value in around.items())
    keys = declare_labels(labels)
    if keys["kind"] == "binary":
        words = {"true": keys["true"], "false": keys["false"]}
        python = f"jc.Format.binary(true={words['true']!r}, false={words['false']!r}{said})"
        return _Draft(Format.binary(**words, **around), python, {**keys, **around})
    python = f"jc.Format.choice({keys['labels']!r}{said})"
    return _Draft(Format.choice(keys["labels"], **around), python, {**keys, **around})


def _guess_markers(sample: Sequence[str]) -> list[_Draft]:
    """Find the words and signs after which a label or a number stands in most replies."""
    slots: dict[tuple[str, str], dict[int, _Slot]] = defaultdict(dict)
    for nth, text in enumerate(sample):
        for slot in _find_slots(text):
            slots[slot.head, slot.tail][nth] = slot
    common = {around: found for around, found in slots.items() if len(found) >= SHARE * len(sample)}
    drafts: list[tuple[float, str, _Draft]] = []
    for (head, tail), found in common.items():
        longer = [one for one, end in common if end == tail and one != head and one.endswith(head)]
        # Of heads that end alike the longest is the marker, unless it is much rarer.
        if any(len(common[one, tail]) >= LONGER * len(found) for one in longer):
            continue
        space = " " if sum(slot.is_spaced for slot in found.values()) * 2 > len(found) else ""
        draft = _draft_slot([slot.text for slot in found.values()], [f"{head}{space}{{}}{tail}"])
        if draft:
            drafts.append((sum(slot.lines_after for slot in found.values()) / len(found), head, draft))
    # A verdict stands at the end more often than at the beginning.
    ordered = sorted(drafts, key=lambda one: one[0])
    named = {
        name: draft for _, head, draft in reversed(ordered) if FIELD.fullmatch(name := head.rstrip(" :：")) and name
    }
    fields = [_draft_fields(named)] if 1 < len(named) <= FIELDS_AT_MOST else []
    return [*fields, *(draft for _, _, draft in ordered)]


def _find_slots(text: str) -> Iterator[_Slot]:
    """Give what may be a marker with its slot: each ending of what stands before a lone label or number."""
    lines = [line for one in EMPHASIS.sub("", text).splitlines() if (line := one.strip())]
    ends = list(enumerate(lines))
    for nth, line in ends if len(ends) <= 2 * LINES_AT_END else ends[:LINES_AT_END] + ends[-LINES_AT_END:]:
        found = LINE.fullmatch(line[-LINE_LENGTH:])
        if found is None:
            continue
        said = SENTENCE_END.match(found["head"])
        head = found["head"][said.end() if said else 0 :].strip()
        words = head.split(" ")
        for start in range(max(0, len(words) - WORDS_IN_HEAD), len(words)):
            ending = " ".join(words[start:])
            tail = found["tail"].strip()
            if len(ending) <= HEAD_LENGTH and (len(ending) > 1 or tail):
                yield _Slot(ending, found["slot"], tail, is_spaced=bool(found["space"]), lines_after=len(lines) - nth)


def _draft_fields(drafts: dict[str, _Draft]) -> _Draft:
    """Draft a format of several named values."""
    inner = {name: _without_markers(draft) for name, draft in drafts.items()}
    return _Draft(
        Format.fields({name: draft.format for name, draft in inner.items()}),
        f"jc.Format.fields({_spell_drafts(inner)})",
        {"kind": "fields", "fields": {name: draft.keys for name, draft in inner.items()}},
    )


def _without_markers(draft: _Draft) -> _Draft:
    """Draft the same without what stands around it, because a field's name does."""
    keys = {name: value for name, value in draft.keys.items() if name != "markers"}
    if "low" in keys:
        return cast("_Draft", _draft_numbers([keys["low"], keys["high"]], ()))
    return _draft_labels([form for forms in draft.format.labels.values() for form in forms])


def _guess_order(sample: Sequence[str]) -> list[_Draft]:
    """Find an order of the same candidates in most replies: ``A > B = C``."""
    orders = Counter[tuple[str, ...]]()
    for text in sample:
        found = RELATION.findall(EMPHASIS.sub("", text[-TEXT_AT_END:]))
        if found:
            names = [name.rpartition(":")[2].strip(" .\t[]()") for name in re.split(r"[<>=]+", found[-1])]
            orders[tuple(sorted(names))] += 1
    names, count = orders.most_common(1)[0] if orders else ((), 0)
    if count < SHARE * len(sample) or len(set(names)) != len(names) or not all(names):
        return []
    python = f"jc.Format.order({len(names)}, names={list(names)!r})"
    keys = {"kind": "order", "count": len(names), "names": list(names)}
    return [_Draft(Format.order(len(names), names=names), python, keys)]


def _guess_place(sample: Sequence[str]) -> list[_Draft]:
    """Find a label that stands alone as the reply, on the last line, or on the first."""
    lines = [[line for one in EMPHASIS.sub("", text).splitlines() if (line := one.strip())] for text in sample]
    whole = [one[0] for one in lines if len(one) == 1]
    ends = {
        "whole": whole,
        "last_line": [one[-1] for one in lines if one],
        "first_line": [one[0] for one in lines if one],
        "first_word": [found[0] for text in sample if (found := FIRST_WORD.match(EMPHASIS.sub("", text)))],
    }
    for place, found in ends.items():
        words = [one.strip(" .!\"'[]()") for one in found]
        short = [word for word in words if word and len(word.split()) <= WORDS_IN_LABEL]
        if len(short) >= SHARE * len(sample) and (draft := _draft_slot(short, place=place)):
            return [draft]
    return []


def _spell_drafts(drafts: dict[str, _Draft]) -> str:
    """Spell a dictionary of formats."""
    return "{" + ", ".join(f"{name!r}: {draft.python}" for name, draft in drafts.items()) + "}"
