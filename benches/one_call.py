"""Time single calls of ``parse`` and ``ResponseParser`` against plain Python."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice, permutations
from typing import TYPE_CHECKING, Any

import corpora
from references import inherited, reading
from replies import SIZES, beginning_with, ending_in, prose
from results import COMPARED, Group, Row, check, compared
from stopwatch import Call

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stopwatch import Stopwatch

ABOUT = (
    "One call, including its outcome object, compared with the same rules in plain Python (tests/references). Only "
    "distinct real replies have a target; `repeated` repeats one reply, `new` are distinct generated replies."
)
# For real replies: maximum size in bytes, and maximum time of `parse` for one of them.
REAL: dict[str, tuple[range, float]] = {"20B": (range(1, 41), 400e-9), "1kB": (range(500, 2001), 1.5e-6)}
REAL_FORMATS = ("mt_bench.single", "mt_bench.pair", "lmms_eval.yes_no", "llama_guard.3")


@dataclass(frozen=True)
class Read:
    """A bench of ``parse``: the generator of replies, their outcome, and the reference, if any.

    ``{}`` in ``new`` is replaced by a unique word, or four codes, per short reply.
    """

    name: str
    format_id: str
    short: str
    make: Callable[[int], str]
    want: Any
    reference: Callable[[str], Any] | None = None
    new: str = ""

    def reply(self, size: str) -> str:
        """Return the bench's reply of a size."""
        return self.short if size == "20B" else self.make(SIZES[size])


READS = (
    Read(
        "score",
        "mt_bench.single",
        "Clear. Rating: [[8]]",
        lambda length: ending_in("Rating: [[8]]", length),
        8.0,
        reading.read_rating,
        new="Clear {}. Rating: [[8]]",
    ),
    Read(
        "choice",
        "mt_bench.pair",
        "My verdict is: [[B]]",
        lambda length: ending_in("My verdict is: [[B]]", length),
        "B",
        reading.read_verdict,
        new="My {} verdict: [[B]]",
    ),
    Read(
        "binary",
        "lmms_eval.yes_no",
        "Yes, it names Paris.",
        lambda length: beginning_with("Yes. ", length),
        want=True,
        reference=reading.read_yes_no,
        new="Yes, it names {}.",
    ),
    Read(
        "guard",
        "llama_guard.3",
        "unsafe\nS1,S10,S11,S4",
        lambda length: beginning_with("unsafe\nS1,S10,S11,S4\n", length),
        reading.Unsafe(unsafe=True, categories=("S1", "S10", "S11", "S4")),
        reading.read_guard,
        new="unsafe\n{}",
    ),
    Read(
        "markdown",
        "mt_bench.single",
        "OK. **Rating: [[8]]**",
        lambda length: ending_in("**Rating: [[8]]**", length).replace(" It ", "\n\n- **It** "),
        8.0,
        reading.read_rating,
        new="{}. **Rating: [[8]]**",
    ),
    Read(
        "sentence",
        "mt_bench.single",
        "I would rate it an 8",
        lambda length: ending_in("Overall, I would rate it an 8 out of 10.", length),
        8.0,
        new="I would rate {} an 8",
    ),
    Read("nothing", "mt_bench.single", "It is hard to judge.", prose, "no_verdict", reading.read_rating),
)


def outcome(found: Any) -> Any:
    """Return an outcome of judgecore or a reference as (value, span), or its reason."""
    if isinstance(found, jc.Unreadable):
        return found.reason
    if not isinstance(found, jc.Reading | reading.Found):
        return found
    value = found.value
    if isinstance(value, jc.GuardVerdict):
        value = reading.Unsafe(unsafe=bool(value.unsafe), categories=value.categories)
    return (value, found.span)


def news(bench: Read, count: int) -> list[str]:
    """Return distinct short replies of a bench."""
    codes = (",".join(f"S{code}" for code in four) for four in permutations(range(1, 15), 4))
    return [bench.new.format(word) for word in islice(codes if bench.name == "guard" else corpora.words(), count)]


def read_all(replies: list[str], form: str) -> None:
    """Read replies one by one."""
    for reply in replies:
        jc.parse(reply, form)


def new_reads(stopwatch: Stopwatch) -> list[Row]:
    """Return the benches of ``parse`` with distinct generated replies."""
    rows: list[Row] = []
    for bench in READS:
        if not bench.new:
            continue
        name, replies = f"reading/{bench.name}/20B/new", news(bench, 1_000 if stopwatch.is_quick else 20_000)
        unread = [reply for reply in replies if not jc.parse(reply, bench.format_id).ok]
        check(name, [], unread)
        seconds = stopwatch.times(Call(read_all, (replies, bench.format_id))).median / len(replies)
        rows.append(compared(name, seconds, None))
    return rows


def read_next(replies: Iterator[str], count: int, form: str) -> None:
    """Read the next replies that were not read before."""
    for reply in islice(replies, count):
        jc.parse(reply, form)


def real_reads(stopwatch: Stopwatch) -> list[Row]:
    """Return the benches of ``parse`` with distinct real replies, each read once per process."""
    rows: list[Row] = []
    real = corpora.replies()
    for size, (lengths, limit) in REAL.items():
        texts = [text for text in real if len(text.encode()) in lengths]
        for form in REAL_FORMATS if texts else ():
            # One more than the batches, because the stopwatch calibrates with one.
            batch = 100 if stopwatch.is_quick else 2_000
            once = replace(stopwatch, batch_s=0.0)
            replies = corpora.different(texts, batch * (once.repeats + 1))
            for reply in texts[:50]:
                check(f"reading/{form}", jc.parse_many([reply], form).values, [jc.parse(reply, form).value_or(None)])
            seconds = once.times(Call(read_next, (iter(replies), batch, form))).median / batch
            rows.append(compared(f"reading/{form}/{size}/real", seconds, at_most_s=limit))
    return rows


def reads(stopwatch: Stopwatch) -> list[Row]:
    """Return the benches of ``parse`` that repeat one reply."""
    rows: list[Row] = []
    for size in SIZES:
        for bench in READS:
            name, reply = f"reading/{bench.name}/{size}/repeated", bench.reply(size)
            got = outcome(jc.parse(reply, bench.format_id))
            check(name, bench.want, got[0] if isinstance(got, tuple) else got)
            calls = {"judgecore": Call(jc.parse, (reply, bench.format_id))}
            if bench.reference is not None:
                check(name, outcome(bench.reference(reply)), got)
                calls["reference"] = Call(bench.reference, (reply,))
            times = {engine: times.median for engine, times in stopwatch.compare(calls).items()}
            rows.append(compared(name, times["judgecore"], times.get("reference")))
    return rows


@dataclass(frozen=True)
class Inherited:
    """A bench of ``ResponseParser``: replies, other arguments, and target ratio by size."""

    name: str
    function: str
    short: str
    make: Callable[[int], str]
    others: tuple[Any, ...]
    times_as_fast: dict[str, float]

    def args(self, size: str) -> tuple[Any, ...]:
        """Return the arguments of a call with a reply of a size."""
        return (self.short if size == "20B" else self.make(SIZES[size]), *self.others)


INHERITED = (
    Inherited("binary_miss", "parse_binary_response", "It is not the same.", prose, (), {"20B": 2}),
    Inherited(
        "score_at_end",
        "parse_score_response",
        "Clear and complete 8",
        lambda length: ending_in("8", length),
        ((1, 10),),
        {"20B": 2, "1kB": 10},
    ),
    Inherited(
        "two_scores_at_end",
        "parse_comparative_response",
        "Good and better: 7 8",
        lambda length: ending_in("7 8", length),
        (),
        {"20B": 2, "1kB": 10},
    ),
    Inherited("json_open_braces", "parse_json_response", "{" * 20, lambda length: "{" * length, (), {"20B": 2}),
)


def inherited_functions(stopwatch: Stopwatch) -> list[Row]:
    """Return the benches of ``ResponseParser``."""
    rows: list[Row] = []
    for size in SIZES:
        for bench in INHERITED:
            name, args = f"inherited/{bench.name}/{size}", bench.args(size)
            ours = Call(getattr(jc.ResponseParser, bench.function), args)
            reference = Call(getattr(inherited, bench.function), args)
            check(name, reference(), ours())
            times = stopwatch.compare({"judgecore": ours, "reference": reference})
            target = bench.times_as_fast.get(size)
            rows.append(
                compared(name, times["judgecore"].median, times["reference"].median, times_as_fast=target),
            )
    return rows


def measure(stopwatch: Stopwatch) -> Group:
    """Time every kind of call at every size."""
    alone = stopwatch.of_one_thread()
    return Group(
        "one_call", ABOUT, COMPARED, (*real_reads(alone), *new_reads(alone), *reads(alone), *inherited_functions(alone))
    )
