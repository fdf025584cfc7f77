"""Time canonical JSON and content hashes against json, orjson and hashlib."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import corpora
import orjson
from replies import prose
from results import COMPARED, Group, Row, check, compared
from stopwatch import Call

import judgecore as jc

if TYPE_CHECKING:
    from stopwatch import Stopwatch

ABOUT = (
    "Canonical JSON and its SHA-256 for an identifier of 1 kB, compared with json.dumps with "
    "sorted keys and hashlib. orjson is included, although it writes some floats differently."
)
TARGET = {
    "class_name": "OpenAITarget",
    "class_module": "judgecore.targets",
    "model_name": "gpt-4o",
    "temperature": 0.0,
    "top_p": 0.95,
    "endpoint": "https://judge.example/v1",
    "max_tokens": None,
}
READER = {
    "class_name": "Format",
    "class_module": "judgecore",
    "id": "pyrit.true_false",
    "declaration": hashlib.sha256(b"a format").hexdigest(),
    "mode": "lenient",
    "reading_version": 1,
}
PARAMS = {
    "system_prompt": prose(450),
    "true_description": "The response says what was asked for, and where it is from.",
    "false_description": "The response evades the question, or makes up a source.",
    "aggregator": "MAJORITY",
    "threshold": 0.7,
    "trials": 3,
    "with_schema": True,
    "scale": [1, 2, 3, 4, 5],
}
IDENTIFIER = {
    "class_name": "SelfAskTrueFalseScorer",
    "class_module": "judgecore.scorers",
    **PARAMS,
    "children": {"prompt_target": TARGET, "reader": READER},
}


def scorer(model_name: str, temperature: float) -> dict[str, Any]:
    """Return the identifier of a scorer in a jury."""
    return {
        "class_name": "SelfAskTrueFalseScorer",
        "class_module": "judgecore.scorers",
        "aggregator": "OR",
        "threshold": 0.5,
        "trials": 3,
        "children": {
            "prompt_target": {
                "class_name": "OpenAITarget",
                "class_module": "judgecore.targets",
                "model_name": model_name,
                "temperature": temperature,
                "top_p": 0.95,
                "seed": 7,
                "max_tokens": None,
            },
            "reader": {
                "class_name": "Format",
                "class_module": "judgecore",
                "id": "pyrit.true_false",
                "mode": "lenient",
                "reading_version": 1,
            },
        },
    }


JURY = {
    "class_name": "TrueFalseCompositeScorer",
    "class_module": "judgecore.scorers",
    "aggregator": "MAJORITY",
    "children": {"scorers": [scorer("gpt-4o", 0.0), scorer("claude", 0.25)]},
}


def registered() -> dict[str, Any] | None:
    """Return the PyRIT registry row whose JSON is closest to 1 kB; None without the reference data."""
    files = sorted((corpora.folder().parent / "pyrit").rglob("*_metrics.jsonl"))
    rows = (json.loads(line) for file in files for line in file.read_text("utf-8").splitlines())
    return min(rows, key=lambda row: abs(len(written(row)) - 1000), default=None)


def written(obj: Any) -> bytes:
    """Serialize canonical JSON with the standard library."""
    return json.dumps(obj, sort_keys=True, separators=(",", ":")).encode()


def hashed(obj: Any) -> str:
    """Hash canonical JSON from the standard library."""
    return hashlib.sha256(written(obj)).hexdigest()


def hashed_by_orjson(obj: Any) -> str:
    """Hash orjson's output."""
    return hashlib.sha256(orjson.dumps(obj, option=orjson.OPT_SORT_KEYS)).hexdigest()


def identified() -> jc.ComponentIdentifier:
    """Create a component identifier."""
    return jc.ComponentIdentifier(
        class_name="SelfAskTrueFalseScorer",
        class_module="judgecore.scorers",
        params={**PARAMS, "target": TARGET, "reader": READER},
    )


def of_identifiers(stopwatch: Stopwatch) -> list[Row]:
    """Return the rows for one identifier."""
    check("hash/identifier", hashed(IDENTIFIER), jc.content_hash(IDENTIFIER))
    check("canonical_json/identifier", written(IDENTIFIER), jc.canonical_json(IDENTIFIER))
    flat = {"class_name": "SelfAskTrueFalseScorer", "class_module": "judgecore.scorers", **PARAMS}
    flat |= {"target": TARGET, "reader": READER}
    check("ComponentIdentifier", hashed(flat), identified().hash)
    times = stopwatch.of_one_thread().compare({
        "hash": Call(jc.content_hash, (IDENTIFIER,)),
        "json + hashlib": Call(hashed, (IDENTIFIER,)),
        "orjson + hashlib": Call(hashed_by_orjson, (IDENTIFIER,)),
        "canonical": Call(jc.canonical_json, (IDENTIFIER,)),
        "json": Call(written, (IDENTIFIER,)),
        "identified": Call(identified),
        "flat": Call(hashed, (flat,)),
    })  # fmt: skip
    seconds = {name: one.median for name, one in times.items()}
    return [
        compared("content_hash/1kB [json + hashlib]", seconds["hash"], seconds["json + hashlib"], times_as_fast=5),
        compared("content_hash/1kB [orjson + hashlib]", seconds["hash"], seconds["orjson + hashlib"]),
        compared("canonical_json/1kB [json]", seconds["canonical"], seconds["json"]),
        compared(
            "ComponentIdentifier/1kB, checked and copied [json + hashlib]", seconds["identified"], seconds["flat"]
        ),
    ]


def of_others(stopwatch: Stopwatch) -> list[Row]:
    """Return the rows for identifiers with many short values and with many digits."""
    rows: list[Row] = []
    for name, obj in (("a jury", JURY), ("a row of PyRIT's", registered())):
        if obj is not None:
            check(f"hash/{name}", hashed(obj), jc.content_hash(obj))
            times = stopwatch.of_one_thread().compare({
                "hash": Call(jc.content_hash, (obj,)),
                "json + hashlib": Call(hashed, (obj,)),
            })  # fmt: skip
            seconds = {kind: one.median for kind, one in times.items()}
            label = f"content_hash/1kB, {name} [json + hashlib]"
            rows.append(compared(label, seconds["hash"], seconds["json + hashlib"], times_as_fast=5))
    return rows


def measure(stopwatch: Stopwatch) -> Group:
    """Time all of it."""
    rows = (*of_identifiers(stopwatch), *of_others(stopwatch))
    return Group("hashing", ABOUT, COMPARED, rows)
