"""Detecting: which formats a sample of replies is written in.

Every built-in format reads the sample in both modes. What counts is how many replies stand in the form that the
format documents; formats that the sample can't tell apart share a rank.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from judgecore.arrow import import_arrow
from judgecore.reading import Format, GuardVerdict, Reading, formats, parse_many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from judgecore.reading import Readings, Unreadable

__all__ = ["Detected", "EvenSample", "detect", "sample_replies"]

EXAMPLES = 3

# A judge fails now and then; what fails in more than half of its replies is not what it was asked for.
FITTING_SHARE = 0.5
# A document with a common key, such as "score", or a line with a common label need not be of this judge: more than half
# of the keys and labels must be those of the format's examples.
LIKENESS = 0.5
# Rules of lenient reading that need the declared keys or names, and so are as telling as strict reading.
DECLARED_RULES = ("json", "fields")
# Bare numbers of more values than a scale from 0 to 10 in halves has are measurements, not verdicts.
BARE_VALUES = 21
# Numbers on a longer scale are those of this format, such as the places of a list, if most between them occur.
DENSITY = 0.5
# One word before a format's marker in so many replies belongs to another, longer label.
LONGER_LABEL_SHARE = 0.8

# How much the likeness to the format's own examples counts beside the share of replies that it reads.
LIKENESS_WEIGHT = 0.25
# Reading without the declared form counts little: it is what formats do with replies of other judges.
LENIENT_WEIGHT = 0.05
# Scores this near are not told apart by a sample of some hundred replies.
NEAR = 0.02

# The form of a verdict shows in its first few thousand characters.
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
        rank: 1 for the best. Formats that the sample can't tell apart have the same rank, and as many ranks are left
            out after them: 1, 1, 3.
        fits: Whether at least half of the replies stand in the form that the format documents, and nothing in them is
            of another judge, such as a longer label or other JSON keys. If the first of a list does not fit, no
            built-in format is right.
        strict: The share of replies that strict reading reads, from 0 to 1.
        lenient: The share of replies that lenient reading reads.
        agreement: The share of the replies read in either mode to which both give the same value.
        likeness: How much of the replies' form (JSON keys, tags, labels before a colon) is that of the format's own
            examples, from 0 to 1.
        examples: Up to three replies of the sample with their readings.
    """

    format: Format
    rank: int
    fits: bool
    strict: float
    lenient: float
    agreement: float
    likeness: float
    examples: tuple[tuple[str, Reading], ...]


@dataclass
class EvenSample:
    """Replies of a stream at even distances, the same in each run, in memory that does not grow with the stream.

    Attributes:
        limit: How many replies the sample holds at most.
        replies: Those that are kept, at most twice as many.
    """

    limit: int
    replies: list[str | None] = field(default_factory=list["str | None"])
    _seen: int = 0
    _stride: int = 1

    def add(self, n: int, reply_of: Callable[[int], str | None]) -> None:
        """Take what is needed of a batch.

        Args:
            n: How many replies it holds.
            reply_of: What gives a reply by its number in the batch.
        """
        while len(self.replies) + n // self._stride > 2 * self.limit:
            self.replies = self.replies[::2]
            self._stride *= 2
        first = -self._seen % self._stride
        self.replies.extend(reply_of(nth) for nth in range(first, n, self._stride))
        self._seen += n

    def chosen(self) -> list[str]:
        """Return the replies that hold text, evenly spaced, no more than the limit."""
        usable = [reply for reply in self.replies if reply and not reply.isspace()]
        return _evenly(usable, self.limit)


class _Evidence(NamedTuple):
    """What a format made of the sample.

    Attributes:
        format: The format.
        strict: The outcomes of strict reading.
        lenient: The outcomes of lenient reading.
        declared: For each reply its reading in the declared form, or None.
    """

    format: Format
    strict: Sequence[Reading | Unreadable]
    lenient: Sequence[Reading | Unreadable]
    declared: Sequence[Reading | None]


def detect(replies: Any, limit: int = 200) -> list[Detected]:
    r"""Find the built-in formats that replies are written in, best first.

    Args:
        replies: Replies of one judge, as ``parse_many`` takes them: a list, another iterable, a NumPy array or a column
            of Arrow (which needs pyarrow). None and replies without text don't count.
        limit: How many of them are read, at even distances; the same replies give the same result.

    Returns:
        Every format that reads at least one reply, ranked by the share of replies in the form that it documents, the
        share that it reads at all, and its likeness to them. Empty if there is no reply with text, or none is read.
        Look at ``fits``: a list whose first does not fit says that no built-in format is right.

    Raises:
        ValueError: If the limit is below 1.
        TypeError: If a reply is neither a string nor None, or if the column is not of strings.
        ImportError: If the column is one of Arrow that only pyarrow reads, which is not installed.

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
    found = [_weigh(evidence, sample, are_measurements=are_measurements) for evidence in _read(sample)]
    return _rank([one for one in found if one is not None])


def sample_replies(replies: Any, limit: int = 200) -> list[str]:
    """Choose replies that hold text at even distances.

    Args:
        replies: As ``detect`` takes them.
        limit: How many to choose at most.

    Returns:
        The replies, in their order.

    Raises:
        ValueError: If the limit is below 1.
        TypeError: If a reply is neither a string nor None, or if the column is not of strings.
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    usable = [text for row, reply in enumerate(_iterate(replies)) if (text := _check_text(row, reply))]
    return _evenly(usable, limit)


def _evenly(texts: list[str], limit: int) -> list[str]:
    """Choose so many texts at even distances."""
    n = min(limit, len(texts))
    return [texts[nth * len(texts) // n] for nth in range(n)]


def _iterate(replies: Any) -> Iterable[object]:
    """Give the replies one by one, whatever holds them."""
    if isinstance(replies, str | bytes):
        raise TypeError(f"replies must be a list or a column of replies, not {type(replies).__name__}")
    if hasattr(replies, "__arrow_c_stream__") or hasattr(replies, "__arrow_c_array__"):
        try:
            pa = import_arrow("a column of Arrow")
        except ImportError:
            # A column of Polars gives its texts one by one.
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
    """Give a reply's text, or None where there is none."""
    if reply is None:
        return None
    if not isinstance(reply, str):
        raise TypeError(f"replies[{row}] must be a str or None, not {type(reply).__name__}")
    return None if reply.isspace() else reply


def _read(sample: list[str]) -> Iterable[_Evidence]:
    """Read the sample as every built-in format that has a publisher."""
    for format_ in formats():
        if format_.evidence_level == "convention":
            continue
        strict, lenient = (_outcomes(parse_many(sample, format_, mode=mode)) for mode in ("strict", "lenient"))
        declared = [_declared(*pair) for pair in zip(strict, lenient, strict=True)]
        yield _Evidence(format_, strict, lenient, declared)


def _is_of_other_form(evidence: _Evidence, sample: list[str]) -> bool:
    """Tell whether verdicts stand in JSON documents and the format's own examples in text, or the other way round."""
    pairs = [(text, one) for text, one in zip(sample, evidence.declared, strict=True) if one is not None]
    documents = sum(bool(DOCUMENT.match(one.evidence) or DOCUMENT.match(text)) for text, one in pairs)
    usual = _documents(evidence.format)
    return usual == 0 if 2 * documents > len(pairs) else 2 * usual > 1


def _goes_on(text: str, reading: Reading | None) -> bool:
    """Tell whether the sentence that a verdict opens goes on after it."""
    return reading is not None and reading.rule == "opening" and bool(WORD_AFTER.match(text, reading.span[1]))


@cache
def _documents(format_: Format) -> float:
    """Give the share of a format's own examples that are JSON documents."""
    examples = _examples(format_)
    return sum(bool(DOCUMENT.match(one.evidence)) for _, one in examples) / len(examples) if examples else 0.0


def _outcomes(readings: Readings) -> list[Reading | Unreadable]:
    """Give the outcomes one by one."""
    return list(readings)


def _declared(strict: Reading | Unreadable, lenient: Reading | Unreadable) -> Reading | None:
    """Give the reading of what stands in the form that the format declares."""
    if isinstance(strict, Reading):
        return strict
    return lenient if isinstance(lenient, Reading) and lenient.rule in DECLARED_RULES else None


class _Weighed(NamedTuple):
    """How well a format did, before it is ranked among others.

    Attributes:
        evidence: What it made of the sample.
        fits: As in ``Detected``.
        strict: As in ``Detected``.
        lenient: As in ``Detected``.
        agreement: As in ``Detected``.
        likeness: As in ``Detected``.
        score: What it is ranked by.
        signature: Which replies it tells apart: equal for formats that read the sample alike.
        tightness: How closely its scale encloses the numbers that were read, from 0 to 1.
        examples: As in ``Detected``.
    """

    evidence: _Evidence
    fits: bool
    strict: float
    lenient: float
    agreement: float
    likeness: float
    score: float
    signature: tuple[int, ...]
    tightness: float
    examples: tuple[tuple[str, Reading], ...]


def _weigh(evidence: _Evidence, sample: list[str], *, are_measurements: bool) -> _Weighed | None:
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
    likeness = _likeness(evidence)
    share = len(declared) / n
    lenient = sum(outcome.ok for outcome in evidence.lenient) / n
    is_foreign = (
        are_measurements
        or _is_in_longer_label(evidence, sample)
        or _is_of_other_form(evidence, sample)
        or _is_sparse(evidence.format, declared)
    )
    is_common = _are_most(declared, lambda one: bool(DOCUMENT.match(one.evidence) or PLAIN_LABEL.match(one.evidence)))
    is_unlike = is_common and likeness <= LIKENESS
    # Any chat begins answers with "yes" and "no"; a judge that is asked for the word ends the line there.
    is_chat = 2 * sum(map(_goes_on, sample, evidence.declared)) > len(declared)
    weight = (share + LIKENESS_WEIGHT * likeness) if declared else 0
    return _Weighed(
        evidence,
        fits=share >= FITTING_SHARE and not (is_foreign or is_unlike or is_chat),
        strict=sum(outcome.ok for outcome in evidence.strict) / n,
        lenient=lenient,
        agreement=agreeing / len(read),
        likeness=likeness,
        score=weight * (0.5 if is_foreign else 1) + LENIENT_WEIGHT * lenient,
        signature=(bool(declared), *_sign(evidence.declared if declared else evidence.lenient)),
        tightness=_tightness(evidence.format, declared),
        examples=_choose_examples(evidence, sample),
    )


def _are_most(readings: Sequence[Reading], is_so: Callable[[Reading], bool]) -> bool:
    """Tell whether something holds of more than half of some readings."""
    return 2 * sum(map(is_so, readings)) > len(readings)


def _rank(found: list[_Weighed]) -> list[Detected]:
    """Put formats in order; those that read alike, and those that are as good, share a rank."""
    best: dict[tuple[int, ...], _Weighed] = {}
    for one in found:
        rival = best.get(one.signature)
        if rival is None or (one.fits, one.score) > (rival.fits, rival.score):
            best[one.signature] = one
    # A format is as good as the best of those that read the sample like it.
    ordered = sorted(found, key=lambda one: _order(one, best[one.signature]))
    detected: list[Detected] = []
    rank, leader = 0, None
    for place, one in enumerate(ordered, start=1):
        head = best[one.signature]
        if leader is None or not _is_as_good(head, leader):
            rank, leader = place, head
        detected.append(
            Detected(
                one.evidence.format,
                rank,
                one.fits,
                one.strict,
                one.lenient,
                one.agreement,
                one.likeness,
                one.examples,
            )
        )
    return detected


def _choose_examples(evidence: _Evidence, sample: list[str]) -> tuple[tuple[str, Reading], ...]:
    """Choose replies in the declared form, or if there are none what lenient reading reads; different values first."""
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


def _order(one: _Weighed, head: _Weighed) -> tuple[object, ...]:
    """Give what a format is sorted by: what sets it apart, then what speaks for it among its like."""
    format_ = one.evidence.format
    attested = (-one.lenient, -format_.recorded_replies, -round(one.likeness, 1), -one.tightness)
    return (not head.fits, -head.score, head.signature, not one.fits, *attested, format_.id)


def _is_as_good(one: _Weighed, leader: _Weighed) -> bool:
    """Tell whether two formats can't be told apart by the sample."""
    if one.signature == leader.signature:
        return True
    return one.fits and leader.fits and leader.score - one.score < NEAR


def _sign(outcomes: Sequence[Reading | Unreadable | None]) -> tuple[int, ...]:
    """Number the values in the order in which they come, so that names of labels make no difference."""
    numbers: dict[str, int] = {}
    return tuple(
        numbers.setdefault(repr(_comparable(one.value)), len(numbers)) if isinstance(one, Reading) else -1
        for one in outcomes
    )


def _comparable(value: Any) -> Any:
    """Give what two values are compared by."""
    if isinstance(value, GuardVerdict):
        return (value.unsafe, value.prompt_unsafe, value.response_unsafe, value.categories)
    return value


def _likeness(evidence: _Evidence) -> float:
    """Measure how much of the verdicts' form is that of the format's examples."""
    usual, known = _form(evidence.format)
    shares: list[float] = []
    for reading in evidence.declared:
        if reading is not None:
            own = _features(reading.evidence)
            union = own | usual
            shares.append(len(own & known) / len(union) if union else 1.0)
    return sum(shares) / len(shares) if shares else 0.0


@cache
def _form(format_: Format) -> tuple[frozenset[str], frozenset[str]]:
    """Give the features of most of a format's examples, and those of any."""
    good = [_features(reading.evidence) for _, reading in _examples(format_)]
    counts = Counter(feature for features in good for feature in features)
    usual = frozenset(feature for feature, count in counts.items() if count * 2 > len(good))
    return usual, frozenset(counts)


@cache
def _examples(format_: Format) -> list[tuple[str, Reading]]:
    """Read a format's own examples, those that strict reading reads."""
    replies = [one["reply"] for one in format_.examples]
    read = zip(replies, parse_many(replies, format_, mode="strict"), strict=True)
    return [(reply, reading) for reply, reading in read if isinstance(reading, Reading)]


def _features(evidence: str) -> frozenset[str]:
    """Find what shows the form of a verdict: JSON keys, tags, brackets, labels before a colon."""
    text = evidence[:FORM_LENGTH]
    keys = {f"key {key}" for key in KEY.findall(text)}
    if keys:
        return frozenset(keys)
    found = {f"tag {tag}" for tag in TAG.findall(text) if tag not in ("think", "/think")}
    found |= {f"bracket {bracket}" for bracket in BRACKET.findall(text)}
    found |= {f"head {head.lower()}" for head in HEAD.findall(text)}
    return frozenset(found)


def _is_in_longer_label(evidence: _Evidence, sample: list[str]) -> bool:
    """Tell whether the marker is only the end of a label that the replies have in common: ``FINAL SCORE``."""
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
    """Give the words that stand before the marker in a format's own examples."""
    found = [WORD_BEFORE.search(reply[: reading.span[0]]) for reply, reading in _examples(format_)]
    return frozenset(before[1].lower() for before in found if before)


def _are_measurements(sample: list[str]) -> bool:
    """Tell whether most replies are bare numbers, of more values than a judge's scale has."""
    bare = [text for text in sample if not NOT_OF_A_NUMBER.search(text)]
    values = {number for text in bare for number in NUMBER.findall(text)}
    return 2 * len(bare) > len(sample) and len(values) > BARE_VALUES


def _is_sparse(format_: Format, declared: list[Reading]) -> bool:
    """Tell whether bare numbers leave out most of a long scale, as a percentage in steps of 5 does."""
    numbers = {
        one.value for one in declared if not NOT_OF_A_NUMBER.search(one.evidence) and isinstance(one.value, float)
    }
    if format_.scale is None or format_.scale[1] - format_.scale[0] < BARE_VALUES or not numbers:
        return False
    return len(numbers) < DENSITY * (max(numbers) - min(numbers) + 1)


def _tightness(format_: Format, declared: list[Reading]) -> float:
    """Measure how much of a format's scale the numbers that were read span."""
    values = [one.value for one in declared if isinstance(one.value, float)]
    if format_.scale is None or not values:
        return 1.0
    low, high = format_.scale
    return (max(values) - min(low, *values)) / (high - low) if high > low else 1.0
