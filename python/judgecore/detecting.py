"""Detect the built-in formats that fit a sample of replies.

The sample is read in every built-in format in both modes. Formats are ranked mainly by the share of replies in their
documented form; formats that the sample can't distinguish share a rank.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from judgecore.arrow import import_arrow
from judgecore.reading import Format, GuardVerdict, Reading, formats, parse_many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from judgecore.reading import Unreadable

__all__ = ["Detected", "EvenSample", "detect", "sample_replies"]

EXAMPLES = 3

# A judge sometimes fails, but a format that fails for more than half of its replies is not the one it was asked for.
FITTING_SHARE = 0.5
# Common keys such as "score" and common labels occur in many formats, so more than half of the keys and labels must be
# those of the format's examples.
MIN_SIMILARITY = 0.5
# Rules of lenient reading that need the declared keys or names, and so are as specific as strict reading.
DECLARED_RULES = ("json", "fields")
# The number of values of a scale from 0 to 10 in steps of 0.5; more different bare numbers are measurements.
MAX_SCALE_VALUES = 21
# On a longer scale, at least this share of the values between the lowest and the highest must occur.
DENSITY = 0.5
# If the same word precedes the marker in this share of replies, the marker is part of a longer label.
LONGER_LABEL_SHARE = 0.8

# The weight of the similarity, relative to the share of replies in the documented form.
SIMILARITY_WEIGHT = 0.25
# Lenient reading without the documented form has little weight: formats also read replies of other judges that way.
LENIENT_WEIGHT = 0.05
# A sample of a few hundred replies can't distinguish smaller differences of scores.
SCORE_TOLERANCE = 0.02

# The maximum length of a verdict in which features are searched, in characters.
FORM_LENGTH = 5000
DOCUMENT = re.compile(r"\s*(?:\{|\[\s*[{\"])")
PLAIN_LABEL = re.compile(r"\W*[^\W\d][\w ]*\W{0,3}[:：=]\W{0,4}\w+\W*\Z")
KEY = re.compile(r"""["']([^\W\d][\w -]{0,40})["']\s*:""")
TAG = re.compile(r"<(/?[^\W\d]\w*)>")
BRACKET = re.compile(r"\[(?=\[)|\[[^\W\d][\w ]{0,20}\]")
HEAD = re.compile(r"^[^\w\n]{0,6}([^\W\d][\w ./()-]{0,30}?)[^\w\n]{0,3}[:：=]", re.MULTILINE)
NUMBER = re.compile(r"\d+(?:\.\d+)?")
NOT_OF_A_NUMBER = re.compile(r"[^\d\s.,;:/+-]")
WORD_AFTER = re.compile(r"[^\w\n]*\w")
WORD_BEFORE = re.compile(r"([^\W\d_]+)[ \t]+\Z")


@dataclass(frozen=True, slots=True)
class Detected:
    """How well a format fits a sample of replies.

    Attributes:
        format: The format.
        rank: 1 for the best. Formats that the sample can't distinguish share a rank, and the following ranks are
            skipped: 1, 1, 3.
        fits: Whether at least half of the replies have the documented form of the format, and nothing in them indicates
            another judge, such as a longer label or other JSON keys. If the first format of a list does not fit, none
            does.
        strict: The share of replies that are read in strict mode, from 0 to 1.
        lenient: The share of replies that are read in lenient mode, from 0 to 1.
        agreement: The share of equal values in both modes, among the replies read in either mode, from 0 to 1.
        similarity: The similarity of the verdicts' features (JSON keys, tags, labels before a colon) to those of the
            format's examples, from 0 to 1.
        examples: Up to three replies of the sample with their readings.
    """

    format: Format
    rank: int
    fits: bool
    strict: float
    lenient: float
    agreement: float
    similarity: float
    examples: tuple[tuple[str, Reading], ...]


@dataclass
class EvenSample:
    """A systematic sample of a stream of replies: evenly spaced, deterministic, and in bounded memory.

    Attributes:
        limit: The maximum size of the sample.
        replies: The kept replies, at most twice the limit.
    """

    limit: int
    replies: list[str | None] = field(default_factory=list["str | None"])
    _seen: int = 0
    _stride: int = 1

    def add(self, n: int, reply_of: Callable[[int], str | None]) -> None:
        """Add a batch of ``n`` replies; ``reply_of`` returns one by its index."""
        while len(self.replies) + n // self._stride > 2 * self.limit:
            self.replies = self.replies[::2]
            self._stride *= 2
        first = -self._seen % self._stride
        self.replies.extend(reply_of(nth) for nth in range(first, n, self._stride))
        self._seen += n

    def chosen(self) -> list[str]:
        """Return the sample: evenly spaced replies that hold text, at most ``limit``."""
        usable = [reply for reply in self.replies if reply and not reply.isspace()]
        return _evenly(usable, self.limit)


class _Evidence(NamedTuple):
    """The outcomes of reading the sample in one format."""

    format: Format
    strict: Sequence[Reading | Unreadable]
    lenient: Sequence[Reading | Unreadable]
    declared: Sequence[Reading | None]


def detect(replies: Any, limit: int = 200) -> list[Detected]:
    r"""Detect the built-in formats of replies, best first.

    Args:
        replies: Replies of one judge: a list, another iterable, a NumPy array or an Arrow column (which needs pyarrow).
            None and replies without text are ignored.
        limit: The sample size; replies are taken at even distances, so the result is deterministic.

    Returns:
        Every format that reads at least one reply, ranked by the share of replies in its documented form, the share
        that it reads at all, and the similarity to its examples. Empty if no reply has text, or none is read. Check
        ``fits``: if the first format does not fit, no built-in format does.

    Raises:
        ValueError: If the limit is below 1.
        TypeError: If a reply is neither a string nor None, or the column does not hold strings.
        ImportError: If the Arrow column needs pyarrow, which is not installed.

    Examples:
        >>> import judgecore as jc
        >>> found = jc.detect(["Clear. Rating: [[8]]", "It misses the point.\n\nRating: [[2]]"])
        >>> [(one.format.id, one.rank, one.strict) for one in found if one.rank == 1][0]
        ('mt_bench.single', 1, 1.0)
        >>> any(one.fits for one in jc.detect(["I like trains.", "The sea is blue today."]))
        False
    """
    sample = sample_replies(replies, limit)
    if not sample:
        return []
    are_measurements = _are_measurements(sample)
    found = [_evaluate(evidence, sample, are_measurements=are_measurements) for evidence in _read(sample)]
    return _rank([one for one in found if one is not None])


def sample_replies(replies: Any, limit: int = 200) -> list[str]:
    """Take a sample of at most ``limit`` replies that hold text, in order and at even distances."""
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    usable = [text for row, reply in enumerate(_iterate(replies)) if (text := _check_text(row, reply))]
    return _evenly(usable, limit)


def _evenly(texts: list[str], limit: int) -> list[str]:
    """Take up to ``limit`` texts at even distances."""
    n = min(limit, len(texts))
    return [texts[nth * len(texts) // n] for nth in range(n)]


def _iterate(replies: Any) -> Iterable[object]:
    if isinstance(replies, str | bytes):
        raise TypeError(f"replies must be a list or a column of replies, not {type(replies).__name__}")
    if hasattr(replies, "__arrow_c_stream__") or hasattr(replies, "__arrow_c_array__"):
        try:
            pa = import_arrow("a column of Arrow")
        except ImportError:
            # A polars column can be iterated without pyarrow.
            if hasattr(replies, "__iter__"):
                return replies
            raise
        is_stream = hasattr(replies, "__arrow_c_stream__")
        column: Any = pa.chunked_array(replies) if is_stream else pa.array(replies)
        if pa.types.is_struct(column.type) and column.type.num_fields == 1:
            column = pa.table(replies).column(0)
        return column.to_pylist()
    return replies


def _check_text(row: int, reply: object) -> str | None:
    """Return a reply if it holds text, else None; raise if it is not a string."""
    if reply is None:
        return None
    if not isinstance(reply, str):
        raise TypeError(f"replies[{row}] must be a str or None, not {type(reply).__name__}")
    return None if reply.isspace() else reply


def _read(sample: list[str]) -> Iterable[_Evidence]:
    """Read the sample in every built-in format that has a publisher."""
    for format_ in formats():
        if format_.evidence_level == "convention":
            continue
        strict, lenient = (list(parse_many(sample, format_, mode=mode)) for mode in ("strict", "lenient"))
        declared = [_declared(*pair) for pair in zip(strict, lenient, strict=True)]
        yield _Evidence(format_, strict, lenient, declared)


def _has_other_form(evidence: _Evidence, sample: list[str]) -> bool:
    """Return whether the verdicts are JSON documents while the format's examples are text, or vice versa."""
    pairs = [(text, one) for text, one in zip(sample, evidence.declared, strict=True) if one is not None]
    documents = sum(bool(DOCUMENT.match(one.evidence) or DOCUMENT.match(text)) for text, one in pairs)
    usual = _document_share(evidence.format)
    return usual == 0 if 2 * documents > len(pairs) else 2 * usual > 1


def _sentence_continues(text: str, reading: Reading | None) -> bool:
    """Return whether the verdict opens a sentence that continues after it."""
    return reading is not None and reading.rule == "opening" and bool(WORD_AFTER.match(text, reading.span[1]))


@cache
def _document_share(format_: Format) -> float:
    """Return the share of a format's examples that are JSON documents."""
    examples = _examples(format_)
    return sum(bool(DOCUMENT.match(one.evidence)) for _, one in examples) / len(examples) if examples else 0.0


def _declared(strict: Reading | Unreadable, lenient: Reading | Unreadable) -> Reading | None:
    """Return the reading if the reply has the documented form, else None."""
    if isinstance(strict, Reading):
        return strict
    return lenient if isinstance(lenient, Reading) and lenient.rule in DECLARED_RULES else None


class _Candidate(NamedTuple):
    """How well a format fits, before ranking."""

    found: Detected
    score: float
    signature: tuple[int, ...]
    named: float
    tightness: float


def _named(evidence: _Evidence) -> float:
    """Return the share of the readings whose evidence holds the label's own name; 1 where the format has no labels."""
    labels = evidence.format.labels
    if not labels:
        return 1.0
    read = [one for one in evidence.lenient if isinstance(one, Reading)]
    names = {key.lower(): [name.lower() for name in some] for key, some in labels.items()}
    own = sum(any(name in one.evidence.lower() for name in names.get(str(one.value).lower(), ())) for one in read)
    return own / len(read) if read else 0.0


def _evaluate(evidence: _Evidence, sample: list[str], *, are_measurements: bool) -> _Candidate | None:
    """Measure how well a format fits; None if it reads nothing."""
    n = len(sample)
    pairs = list(zip(evidence.strict, evidence.lenient, strict=True))
    read = [(strict, lenient) for strict, lenient in pairs if strict.ok or lenient.ok]
    if not read:
        return None
    declared = [one for one in evidence.declared if one is not None]
    agreeing = sum(
        isinstance(strict, Reading) and isinstance(lenient, Reading) and bool(strict.value == lenient.value)
        for strict, lenient in read
    )
    similarity = _similarity(evidence)
    share = len(declared) / n
    lenient = sum(outcome.ok for outcome in evidence.lenient) / n
    is_foreign = (
        are_measurements
        or _is_in_longer_label(evidence, sample)
        or _has_other_form(evidence, sample)
        or _leaves_gaps(evidence.format, declared)
    )
    is_common = _majority(declared, lambda one: bool(DOCUMENT.match(one.evidence) or PLAIN_LABEL.match(one.evidence)))
    is_unlike = is_common and similarity <= MIN_SIMILARITY
    # Ordinary chat answers also begin with "yes" or "no"; a judge asked for the word ends the sentence there.
    is_chat = 2 * sum(map(_sentence_continues, sample, evidence.declared)) > len(declared)
    weight = (share + SIMILARITY_WEIGHT * similarity) if declared else 0
    found = Detected(
        evidence.format,
        rank=0,
        fits=share >= FITTING_SHARE and not (is_foreign or is_unlike or is_chat),
        strict=sum(outcome.ok for outcome in evidence.strict) / n,
        lenient=lenient,
        agreement=agreeing / len(read),
        similarity=similarity,
        examples=_choose_examples(evidence, sample),
    )
    return _Candidate(
        found,
        score=weight * (0.5 if is_foreign else 1) + LENIENT_WEIGHT * lenient,
        signature=(bool(declared), *_signature(evidence.declared if declared else evidence.lenient)),
        named=_named(evidence),
        tightness=_tightness(evidence.format, declared),
    )


def _majority(readings: Sequence[Reading], is_so: Callable[[Reading], bool]) -> bool:
    """Return whether a predicate holds for more than half of the readings."""
    return 2 * sum(map(is_so, readings)) > len(readings)


def _rank(found: list[_Candidate]) -> list[Detected]:
    """Rank formats; those with equal signatures, and fitting ones with nearly equal scores, share a rank."""
    best: dict[tuple[int, ...], _Candidate] = {}
    for one in found:
        rival = best.get(one.signature)
        if rival is None or (one.found.fits, one.score) > (rival.found.fits, rival.score):
            best[one.signature] = one
    # A format is ranked by the best one with the same signature.
    ordered = sorted(found, key=lambda one: _order(one, best[one.signature]))
    detected: list[Detected] = []
    rank, leader = 0, None
    for place, one in enumerate(ordered, start=1):
        head = best[one.signature]
        if leader is None or not _is_as_good(head, leader):
            rank, leader = place, head
        detected.append(replace(one.found, rank=rank))
    return detected


def _choose_examples(evidence: _Evidence, sample: list[str]) -> tuple[tuple[str, Reading], ...]:
    """Choose example replies: in the documented form, else leniently read ones, with different values first."""
    for outcomes in (evidence.declared, evidence.lenient):
        read = [(text, one) for text, one in zip(sample, outcomes, strict=True) if isinstance(one, Reading)]
        if read:
            break
    seen: Counter[str] = Counter()
    turns: list[int] = []
    for _, one in read:
        value = repr(_comparable(one.value))
        turns.append(seen[value])
        seen[value] += 1
    order = sorted(range(len(read)), key=turns.__getitem__)
    return tuple(read[nth] for nth in sorted(order[:EXAMPLES]))


def _order(one: _Candidate, head: _Candidate) -> tuple[object, ...]:
    """Return the sort key of a format: that of its group, then its own rank within the group."""
    found = one.found
    # Candidates are also read by other names than the labels: "Response 1" where they are A and B.
    own = (-found.lenient, -round(one.named, 1))
    attested = (*own, -found.format.recorded_replies, -round(found.similarity, 1), -one.tightness)
    return (not head.found.fits, -head.score, head.signature, not found.fits, *attested, found.format.id)


def _is_as_good(one: _Candidate, leader: _Candidate) -> bool:
    """Return whether the sample can't distinguish two formats."""
    if one.signature == leader.signature:
        return True
    return one.found.fits and leader.found.fits and leader.score - one.score < SCORE_TOLERANCE


def _signature(outcomes: Sequence[Reading | Unreadable | None]) -> tuple[int, ...]:
    """Number the values in order of first occurrence, so that label names make no difference."""
    numbers: dict[str, int] = {}
    return tuple(
        numbers.setdefault(repr(_comparable(one.value)), len(numbers)) if isinstance(one, Reading) else -1
        for one in outcomes
    )


def _comparable(value: Any) -> Any:
    if isinstance(value, GuardVerdict):
        return (value.unsafe, value.prompt_unsafe, value.response_unsafe, value.categories)
    return value


def _similarity(evidence: _Evidence) -> float:
    """Return the mean similarity of the verdicts' features to those of the format's examples."""
    usual, known = _usual_features(evidence.format)
    shares: list[float] = []
    for reading in evidence.declared:
        if reading is not None:
            own = _features(reading.evidence)
            union = own | usual
            shares.append(len(own & known) / len(union) if union else 1.0)
    return sum(shares) / len(shares) if shares else 0.0


@cache
def _usual_features(format_: Format) -> tuple[frozenset[str], frozenset[str]]:
    """Return the features of most of a format's examples, and those of any."""
    good = [_features(reading.evidence) for _, reading in _examples(format_)]
    counts = Counter(feature for features in good for feature in features)
    usual = frozenset(feature for feature, count in counts.items() if count * 2 > len(good))
    return usual, frozenset(counts)


@cache
def _examples(format_: Format) -> list[tuple[str, Reading]]:
    """Return a format's examples that strict mode reads, with their readings."""
    replies = [one["reply"] for one in format_.examples]
    read = zip(replies, parse_many(replies, format_, mode="strict"), strict=True)
    return [(reply, reading) for reply, reading in read if isinstance(reading, Reading)]


def _features(evidence: str) -> frozenset[str]:
    """Return the features of a verdict: JSON keys, or tags, brackets and labels before a colon."""
    text = evidence[:FORM_LENGTH]
    keys = {f"key {key}" for key in KEY.findall(text)}
    if keys:
        return frozenset(keys)
    found = {f"tag {tag}" for tag in TAG.findall(text) if tag not in ("think", "/think")}
    found |= {f"bracket {bracket}" for bracket in BRACKET.findall(text)}
    found |= {f"head {head.lower()}" for head in HEAD.findall(text)}
    return frozenset(found)


def _is_in_longer_label(evidence: _Evidence, sample: list[str]) -> bool:
    """Return whether the marker is only the end of a longer label in most replies, such as ``FINAL SCORE``."""
    words = Counter[str]()
    marked = 0
    for text, one in zip(sample, evidence.declared, strict=True):
        if one is None or one.rule != "marker" or not one.evidence[:1].isalpha():
            continue
        marked += 1
        before = WORD_BEFORE.search(text[max(0, one.span[0] - 40) : one.span[0]])
        if before:
            words[before[1].lower()] += 1
    if not words:
        return False
    [(word, count)] = words.most_common(1)
    return count >= max(2, LONGER_LABEL_SHARE * marked) and word not in _words_before(evidence.format)


@cache
def _words_before(format_: Format) -> frozenset[str]:
    """Return the words that precede the marker in a format's examples."""
    found = [WORD_BEFORE.search(reply[: reading.span[0]]) for reply, reading in _examples(format_)]
    return frozenset(before[1].lower() for before in found if before)


def _are_measurements(sample: list[str]) -> bool:
    """Return whether most replies are bare numbers, with more different values than a judge's scale has."""
    bare = [text for text in sample if not NOT_OF_A_NUMBER.search(text)]
    values = {number for text in bare for number in NUMBER.findall(text)}
    return 2 * len(bare) > len(sample) and len(values) > MAX_SCALE_VALUES


def _leaves_gaps(format_: Format, declared: list[Reading]) -> bool:
    """Return whether bare numbers leave out most of a long scale, such as percentages in steps of 5."""
    numbers = {
        one.value for one in declared if not NOT_OF_A_NUMBER.search(one.evidence) and isinstance(one.value, float)
    }
    if format_.scale is None or format_.scale[1] - format_.scale[0] < MAX_SCALE_VALUES or not numbers:
        return False
    return len(numbers) < DENSITY * (max(numbers) - min(numbers) + 1)


def _tightness(format_: Format, declared: list[Reading]) -> float:
    """Return how much of a format's scale the values span."""
    values = [one.value for one in declared if isinstance(one.value, float)]
    if format_.scale is None or not values:
        return 1.0
    low, high = format_.scale
    return (max(values) - min(low, *values)) / (high - low) if high > low else 1.0
