"""Time ``extract_json`` against strict JSON parsers, on the text from first { to last }, and repair libraries."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import fast_json_repair
import jiter
import json_repair
import msgspec
import orjson
from hostile import GROWTH, HOPELESS_S, KIB, MEMORY_BOUND_S, repeated
from replies import prose
from results import Group, Row, check, shown_ratio, shown_seconds
from stopwatch import Call, Stopwatch

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

COLUMNS = ("bench", "judgecore", "orjson", "msgspec", "jiter", "json_repair", "fast_json_repair", "target")
ABOUT = (
    "One reply, including judgecore's outcome object. orjson, msgspec and jiter parse the text from the first { to the "
    "last }. After each time: whether the library's value is right; judgecore's value is checked first."
)
VERDICT = {
    "reasoning": "The answer names the cause and gives an example. It leaves out the history, which was asked for.",
    "score": 8,
    "passed": True,
    "criteria": {"accuracy": 9, "style": 7.5, "notes": None},
    "labels": ["clear", "short"],
}
CLEAN = json.dumps(VERDICT)
REASONED = {**VERDICT, "reasoning": prose(860)}


def sliced(decode: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a strict parser of the text from the first { to the last }."""
    return lambda reply: decode(reply[reply.index("{") : reply.rindex("}") + 1])


PEERS: dict[str, Callable[[str], Any]] = {
    "orjson": sliced(orjson.loads),
    "msgspec": sliced(msgspec.json.decode),
    "jiter": sliced(lambda text: jiter.from_json(text.encode())),
    "json_repair": json_repair.loads,
    "fast_json_repair": fast_json_repair.loads,
}


@dataclass(frozen=True)
class Bench:
    """A reply, its document, and the target: a speed ratio or a maximum in seconds."""

    name: str
    reply: str
    want: Any
    times_as_fast: Mapping[str, float]
    at_most_s: float | None = None


REPAIRERS = {"fast_json_repair": 1.5, "json_repair": 8.0}
DAMAGES: dict[str, tuple[str, Any]] = {
    "trailing_comma": (CLEAN[:-2] + ",],}", VERDICT),
    "missing_comma": (CLEAN.replace(', "score"', ' "score"'), VERDICT),
    "single_quotes": (repr(VERDICT).replace("True", "true").replace("None", "null"), VERDICT),
    "python_literals": (CLEAN.replace("true", "True").replace("null", "None"), VERDICT),
    "unquoted_keys": (CLEAN.replace('"score"', "score").replace('"style"', "style"), VERDICT),
    "comments": (CLEAN.replace('"passed"', '// out of ten\n"passed"'), VERDICT),
    "raw_newline": (
        CLEAN.replace("example. It", "example.\nIt"),
        VERDICT | {"reasoning": VERDICT["reasoning"].replace("example. It", "example.\nIt")},
    ),
    "inner_quotes": (
        CLEAN.replace("the cause", 'the "cause"'),
        VERDICT | {"reasoning": VERDICT["reasoning"].replace("the cause", 'the "cause"')},
    ),
    "smart_quotes": (CLEAN.replace('"score"', "“score”").replace('"clear"', "“clear”"), VERDICT),
    "latex": (
        CLEAN.replace("the cause", r"\frac{1}{2}"),
        VERDICT | {"reasoning": VERDICT["reasoning"].replace("the cause", r"\frac{1}{2}")},
    ),
    "missing_bracket": (CLEAN[:-2] + "}", VERDICT),
    "truncated": (CLEAN[:-6], VERDICT | {"labels": ["clear", "sh"]}),
}


def broken_document() -> tuple[str, Any]:
    """Return a list of verdicts of about 9 kB, each damaged differently."""
    kinds = ["trailing_comma", "python_literals", "unquoted_keys", "comments", "single_quotes", "raw_newline"]
    chosen = [DAMAGES[kinds[nth % len(kinds)]] for nth in range(36)]
    return "[" + ",\n".join(text for text, _ in chosen) + "]", [value for _, value in chosen]


def benches() -> list[Bench]:
    """Return all benches that are timed once."""
    reasoning = f"<think>{prose(10_000)}</think>\n"
    decoys = reasoning.replace("plain words", "the set {a, b}").replace("the history", 'a {"score": 3}')
    broken, value = broken_document()
    strict = {"orjson": 1 / 1.5}
    return [
        Bench("clean/217B", CLEAN, VERDICT, {"orjson": 1 / 2}),
        Bench("fenced/1kB", f"Here it is:\n\n```json\n{json.dumps(REASONED)}\n```\n", REASONED, strict),
        Bench("after_reasoning/10kB", reasoning + CLEAN, VERDICT, strict),
        Bench("decoys/10kB", decoys + CLEAN, VERDICT, {}, at_most_s=15e-6),
        *(Bench(f"damage/{name}", *damage, REPAIRERS) for name, damage in DAMAGES.items()),
        Bench("broken/9kB", broken, value, REPAIRERS),
    ]


def is_right(read: Callable[[str], Any], bench: Bench) -> bool:
    """Return whether a library returns the value."""
    try:
        return read(bench.reply) == bench.want
    except Exception:  # noqa: BLE001 - any failure of a peer is a wrong result
        return False


def guarded(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a parser whose exceptions are caught, so that failures are timed too."""

    def attempt(reply: str) -> Any:
        try:
            return read(reply)
        except Exception:  # noqa: BLE001 - what a failure costs is the point
            return None

    return attempt


def timed(bench: Bench, stopwatch: Stopwatch) -> Row:
    """Return a table row."""
    check(bench.name, bench.want, jc.extract_json(bench.reply).value_or(None))
    right = {name: is_right(read, bench) for name, read in PEERS.items()}
    calls = {"judgecore": Call(jc.extract_json, (bench.reply,))}
    for name, read in PEERS.items():
        calls[name] = Call(read if right[name] else guarded(read), (bench.reply,))
    times = {name: each.median for name, each in stopwatch.compare(calls).items()}
    ours = times["judgecore"]
    # A library that is wrong or fails is not a valid comparison.
    due = {name: factor for name, factor in bench.times_as_fast.items() if right[name]}
    met = [times[name] / ours >= factor for name, factor in due.items()]
    targets = [f">= {shown_ratio(factor)} {name}" for name, factor in due.items()]
    if bench.at_most_s is not None:
        met.append(ours <= bench.at_most_s)
        targets.append(f"<= {shown_seconds(bench.at_most_s)}")
    peers = [f"{shown_seconds(times[name])} {'right' if right[name] else 'wrong'}" for name in PEERS]
    return Row((bench.name, shown_seconds(ours), *peers, ", ".join(targets)), all(met) if met else None)


HOSTILE: dict[str, Callable[[int], str]] = {
    "open_braces_in_prose": repeated("words { "),
    "open_objects": repeated('{"a": '),
    "mixed_quotes": repeated("\"a' \u201cb ", '{"a": '),
    "brackets": repeated("["),
    "lists_in_a_line": repeated("[1] "),
    "quotes_and_commas": repeated('", "', '{"a": "'),
    "fences": repeated("```json\n{"),
    "bare_words": repeated("a: b\n", "{"),
}


def growth(read: Callable[[str], Any], texts: list[str]) -> tuple[float, float]:
    """Return the maximum growth factor when a text doubles, and the longest time."""
    steepest, before = 1.0, 0.0
    for text in texts:
        # A deep recursion in C would crash the process before Python's limit applies.
        taken = Stopwatch(2, 0.5e-3, is_quick=True).times(Call(guarded(read), (text,))).least
        if before > MEMORY_BOUND_S:
            steepest = max(steepest, taken / before)
        before = taken
        if taken > HOPELESS_S:
            break
    return steepest, before


def hostile(stopwatch: Stopwatch) -> list[Row]:
    """Return how time grows on adversarial texts."""
    sizes = [64 * KIB, 128 * KIB] if stopwatch.is_quick else [64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, 1024 * KIB]
    rows: list[Row] = []
    for name, make in HOSTILE.items():
        texts = [make(size) for size in sizes]
        # A missed target is measured again, because another process may have caused it.
        factor, longest = min(growth(jc.extract_json, texts) for _ in range(3))
        cells = (f"hostile/{name}", f"{shown_seconds(longest)}, {factor:.2f}x", *("",) * len(PEERS), f"<= {GROWTH}x")
        rows.append(Row(cells, factor <= GROWTH))
    return rows


def measure(stopwatch: Stopwatch) -> Group:
    """Time every kind of reply."""
    notes = ("hostile: the time for the largest text, and the maximum growth when a text doubles.",)
    return Group(
        "json", ABOUT, COLUMNS, (*(timed(bench, stopwatch) for bench in benches()), *hostile(stopwatch)), notes
    )
