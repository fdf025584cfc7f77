"""Propose a format for replies that no built-in format fits.

Most judges write their verdict in the same place: as an entry of a JSON document, after the same words, or alone on the
last line. A proposal is made from the labels or numbers found there in most replies of a sample, and is returned only
if it reads most of the sample.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from judgecore.arrow import without_surrogates
from judgecore.declaring import declare_labels, write_file
from judgecore.errors import FormatError
from judgecore.reading import Format, Reading, extract_json_many, parse_many, read_formats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# The minimum share of replies that must have a value in a place.
SHARE = 0.6
MIN_REPLIES = 3
MAX_LABELS = 8
MAX_LABEL_LENGTH = 30
MAX_NUMBERS = 101
MAX_FIELDS = 12
MAX_PATH_LENGTH = 2
EXAMPLES = 3
# Long replies have their verdict at the beginning or the end.
LINES_PER_END = 30
TAIL_LENGTH = 2000

# Common upper ends of scales; the first that covers all numbers is proposed.
HIGHS = (1, 3, 5, 7, 10, 20, 50, 100)

EMPHASIS = re.compile(r"[*_`#]+")
NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
LABEL = r"[^\W\d_][\w'’/+-]*(?:[ ][\w'’/+-]+){0,2}|[^\W\d_]?\d*[<>=]{1,2}[^\W\d_]"
# A line that ends in a value: the text before it ends in a punctuation mark, and a mark, tag or unit may follow.
LINE = re.compile(
    rf"(?P<head>.*(?<!<)[^\w\s.,;!?'\"’/])(?P<space>[ \t]*)(?P<value>{NUMBER}|{LABEL})"
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
    """A format made from a sample."""

    format: Format
    python: str
    keys: Mapping[str, Any]
    toml: str
    share: float
    examples: tuple[tuple[str, Reading], ...]


_Keys: TypeAlias = "dict[str, Any]"
"""What declares a drafted format."""


class _LineEnd(NamedTuple):
    """A label or a number at the end of a line, with the text around it."""

    head: str
    text: str
    tail: str
    is_spaced: bool
    lines_after: int


def propose(sample: Sequence[str]) -> Proposal | None:
    """Propose a format for replies.

    Examples:
        >>> replies = [f"Text {n}. MY VERDICT => {word}" for n, word in enumerate(["good", "bad"] * 5)]
        >>> proposal = propose(replies)
        >>> print(proposal.python if proposal else None)
        jc.Format.choice({'bad': ['bad'], 'good': ['good']}, markers=['MY VERDICT => {}'])
    """
    if len(sample) < MIN_REPLIES:
        return None
    # A declaration can't contain lone surrogates; readers treat them as U+FFFD.
    texts = without_surrogates(list(sample))
    for guess in (_guess_document, _guess_markers, _guess_order, _guess_place):
        try:
            proposals = [proposal for keys in guess(texts) if (proposal := _check(keys, sample))]
        except FormatError:  # For example, two labels that readers can't distinguish.
            continue
        if proposals:
            # Of proposals that read about as many replies, the first is in the likeliest place.
            return max(proposals, key=lambda one: round(one.share, 1))
    return None


def _check(keys: _Keys, sample: Sequence[str]) -> Proposal | None:
    """Return a proposal from a draft; None if the draft does not read most of the sample."""
    toml = write_file(NAME, keys, evidence="observed", sources=["a sample of its replies"])
    [made] = read_formats(f"{NAME}.toml", toml)
    for mode in ("strict", "lenient"):
        readings = parse_many(sample, made, mode=mode)
        read = [(text, one) for text, one in zip(sample, readings, strict=True) if isinstance(one, Reading)]
        if len(read) >= SHARE * len(sample):
            return Proposal(made, _write_python(keys), keys, toml, len(read) / len(sample), tuple(read[:EXAMPLES]))
    return None


def _write_python(keys: _Keys) -> str:
    """Write the call that makes the format which keys declare."""
    around = "".join(f", {name}={keys[name]!r}" for name in ("markers", "place") if name in keys)
    written = {name: _write_python(part) for name, part in keys.get("fields", {}).items()}
    match keys["kind"]:
        case "score":
            return f"jc.Format.score({keys['low']}, {keys['high']}{around})"
        case "binary":
            return f"jc.Format.binary(true={keys['true']!r}, false={keys['false']!r}{around})"
        case "choice":
            return f"jc.Format.choice({keys['labels']!r}{around})"
        case "order":
            return f"jc.Format.order({keys['count']}, names={keys['names']!r})"
        case "json":
            return f"jc.Format.json_field({', '.join(f'{name!r}, {one}' for name, one in written.items())})"
        case _:
            parts = ", ".join(f"{name!r}: {one}" for name, one in written.items())
            return f"jc.Format.{'json_fields' if keys.get('json') else 'fields'}({{{parts}}})"


def _guess_document(sample: Sequence[str]) -> list[_Keys]:
    """Find the entries of JSON documents that hold labels or numbers."""
    documents = [one.value for one in extract_json_many(sample) if isinstance(one, Reading)]
    entries: dict[str, list[object]] = defaultdict(list)
    for document in documents:
        if isinstance(document, dict):
            for path, value in _nested_entries(cast("dict[str, object]", document)):
                entries[path].append(value)
    drafts = {
        path: draft
        for path, values in entries.items()
        if len(values) >= SHARE * len(sample) and (draft := _draft_entry(values))
    }
    if not drafts or len(drafts) > MAX_FIELDS:
        return []
    if len(drafts) == 1:
        return [{"kind": "json", "verdict": list(drafts), "fields": drafts}]
    return [{"kind": "fields", "json": True, "fields": drafts}]


def _nested_entries(document: dict[str, object], before: tuple[str, ...] = ()) -> Iterator[tuple[str, object]]:
    for key, value in document.items():
        path = (*before, key)
        if isinstance(value, dict) and len(path) < MAX_PATH_LENGTH:
            yield from _nested_entries(cast("dict[str, object]", value), path)
        elif key and "." not in key:
            yield ".".join(path), value


def _draft_entry(values: list[object]) -> _Keys | None:
    if all(isinstance(value, bool) for value in values):
        return _draft_labels(["true", "false"])
    texts = [str(value) for value in values if isinstance(value, str | int | float) and not isinstance(value, bool)]
    return _draft_values(texts) if len(texts) >= SHARE * len(values) else None


def _draft_values(texts: Sequence[str], markers: Sequence[str] = (), place: str | None = None) -> _Keys | None:
    """Draft the format of the values in one place: numbers, or a few labels."""
    numbers = [text.replace(",", ".") for text in texts if re.fullmatch(NUMBER, text)]
    if len(numbers) >= SHARE * len(texts):
        return None if len(set(numbers)) > MAX_NUMBERS else _draft_numbers([float(one) for one in numbers], markers)
    counts = Counter(text.strip() for text in texts)
    labels = {text.lower(): text for text, count in counts.items() if count > 1 or len(texts) < MAX_LABELS}
    n_labelled = sum(counts[label] for label in counts if label.lower() in labels)
    is_set = 1 < len(labels) <= MAX_LABELS and n_labelled >= SHARE * len(texts)
    if not is_set or any(len(label) > MAX_LABEL_LENGTH or not label for label in labels):
        return None
    return _draft_labels(sorted(labels.values()), markers, place)


def _draft_numbers(numbers: list[float], markers: Sequence[str]) -> _Keys | None:
    """Draft a score on the smallest common scale that covers the numbers."""
    low = 0 if min(numbers) < 1 else 1
    high = next((high for high in HIGHS if high >= max(numbers) and high > low), None)
    if high is None or min(numbers) < 0:
        return None
    return {"kind": "score", "low": low, "high": high, **({"markers": list(markers)} if markers else {})}


def _draft_labels(labels: list[str], markers: Sequence[str] = (), place: str | None = None) -> _Keys:
    """Draft a choice of labels, or a yes or no."""
    around = {"markers": list(markers)} if markers else {"place": place} if place else {}
    return {**declare_labels(labels), **around}


def _guess_markers(sample: Sequence[str]) -> list[_Keys]:
    """Find the words and signs that precede a label or a number in most replies."""
    ends_by_frame: dict[tuple[str, str], dict[int, _LineEnd]] = defaultdict(dict)
    for nth, text in enumerate(sample):
        for end in _find_line_ends(text):
            ends_by_frame[end.head, end.tail][nth] = end
    common = {around: found for around, found in ends_by_frame.items() if len(found) >= SHARE * len(sample)}
    drafts: list[tuple[float, str, _Keys]] = []
    for (head, tail), found in common.items():
        longer = [one for one, end in common if end == tail and one != head and one.endswith(head)]
        # Of heads with the same ending, the longest is the marker, unless it is much rarer.
        if any(len(common[one, tail]) >= LONGER * len(found) for one in longer):
            continue
        space = " " if sum(end.is_spaced for end in found.values()) * 2 > len(found) else ""
        draft = _draft_values([end.text for end in found.values()], [f"{head}{space}{{}}{tail}"])
        if draft:
            drafts.append((sum(end.lines_after for end in found.values()) / len(found), head, draft))
    # A verdict is more often at the end than at the beginning.
    ordered = sorted(drafts, key=lambda one: one[0])
    named = {
        name: draft for _, head, draft in reversed(ordered) if FIELD.fullmatch(name := head.rstrip(" :：")) and name
    }
    # A field's name takes the place of markers.
    bare = {name: {key: one for key, one in draft.items() if key != "markers"} for name, draft in named.items()}
    fields: list[_Keys] = [{"kind": "fields", "fields": bare}] if 1 < len(named) <= MAX_FIELDS else []
    return [*fields, *(draft for _, _, draft in ordered)]


def _find_line_ends(text: str) -> Iterator[_LineEnd]:
    """Yield the values at line ends, once for each ending of the text before them that may be a marker."""
    lines = [line for one in EMPHASIS.sub("", text).splitlines() if (line := one.strip())]
    ends = list(enumerate(lines))
    for nth, line in ends if len(ends) <= 2 * LINES_PER_END else ends[:LINES_PER_END] + ends[-LINES_PER_END:]:
        found = LINE.fullmatch(line[-LINE_LENGTH:])
        if found is None:
            continue
        sentences = SENTENCE_END.match(found["head"])
        head = found["head"][sentences.end() if sentences else 0 :].strip()
        words = head.split(" ")
        for start in range(max(0, len(words) - WORDS_IN_HEAD), len(words)):
            ending = " ".join(words[start:])
            tail = found["tail"].strip()
            if len(ending) <= HEAD_LENGTH and (len(ending) > 1 or tail):
                yield _LineEnd(
                    ending, found["value"], tail, is_spaced=bool(found["space"]), lines_after=len(lines) - nth
                )


def _guess_order(sample: Sequence[str]) -> list[_Keys]:
    """Find an order of the same candidates in most replies: ``A > B = C``."""
    orders = Counter[tuple[str, ...]]()
    for text in sample:
        found = RELATION.findall(EMPHASIS.sub("", text[-TAIL_LENGTH:]))
        if found:
            names = [name.rpartition(":")[2].strip(" .\t[]()") for name in re.split(r"[<>=]+", found[-1])]
            orders[tuple(sorted(names))] += 1
    names, count = orders.most_common(1)[0] if orders else ((), 0)
    if count < SHARE * len(sample) or len(set(names)) != len(names) or not all(names):
        return []
    return [{"kind": "order", "count": len(names), "names": list(names)}]


def _guess_place(sample: Sequence[str]) -> list[_Keys]:
    """Find a label that is the whole reply, its last or first line, or its first word."""
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
        if len(short) >= SHARE * len(sample) and (draft := _draft_values(short, place=place)):
            return [draft]
    return []
