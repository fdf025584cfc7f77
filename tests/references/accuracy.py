"""Measure accuracy on real replies, by family: judgecore, the publishers' rules and other parsers.

Readers are only applied to families that they claim to read. The publishers' records are the reference.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from references import inherited

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# What peers write where they read nothing; no verdict is one of these.
SENTINELS = (None, {}, "", -1.0, (-1.0, -1.0))

# LLMBar's evaluators whose configuration wants the sentence; the others want a line that begins with the name.
SENTENCE = ("CoT", "Swap", "Swap_CoT")
EXCEPT = ("PaLM2", "CoT")


@dataclass(frozen=True)
class Family:
    """Replies of one kind, and the parsers that read them.

    Attributes:
        stems: The names of the corpora.
        title: What its replies are.
        format: The format that judgecore reads them with; None for JSON.
        others: What others read in a row of a corpus, by their names.
        is_doubtful: Whether it is of the rows whose record the corpus doubts; other families have none of them.
    """

    stems: tuple[str, ...]
    title: str
    format: jc.Format | None
    others: dict[str, Callable[[dict[str, Any]], Any]]
    is_doubtful: bool = False

    def rows(self, folder: Path) -> list[dict[str, Any]]:
        """The rows of the family, from the folder of the corpora."""
        texts = [(folder / f"{stem}.jsonl").read_text("utf-8") for stem in self.stems]
        found = [json.loads(line) for text in texts for line in text.splitlines()]
        return [row for row in found if is_doubtful(row) is self.is_doubtful]

    def readers(self) -> dict[str, Callable[[dict[str, Any]], Any]]:
        """All readers by name, judgecore first."""
        return {"judgecore": self.read, **self.others}

    def read(self, row: dict[str, Any]) -> Any:
        """What judgecore reads, or None."""
        outcome = jc.parse(row["raw"], self.format) if self.format else jc.extract_json(row["raw"])
        return outcome.value if isinstance(outcome, jc.Reading) else None


class Count(NamedTuple):
    """The number of replies that a reader reads correctly, wrongly, and not at all.

    For a reply without a verdict, reading none is correct.
    """

    right: int
    wrong: int
    unread: int


def paper(name: str) -> Callable[[dict[str, Any]], Any]:
    """Return a publisher's own rule."""

    def read(row: dict[str, Any]) -> Any:
        outcome = jc.parse(row["raw"], name, mode="paper")
        return outcome.value if isinstance(outcome, jc.Reading) else None

    return read


def wants_sentence(row: dict[str, Any]) -> bool:
    """Return whether LLMBar searched a sentence in a reply instead of a line that starts with a name."""
    judge, prompt = row["source"].split("/")[-3:-1]
    return prompt in SENTENCE and (judge, prompt) != EXCEPT


def llmbar(row: dict[str, Any]) -> Any:
    """Apply LLMBar's rule for the evaluator that wrote a reply."""
    return paper("llmbar.cot" if wants_sentence(row) else "llmbar.pair")(row)


def first_number(row: dict[str, Any]) -> Any:
    """Apply lmms-eval's rule for a score."""
    return inherited.parse_score_response(row["raw"], (1, 10))


def two_numbers(row: dict[str, Any]) -> Any:
    """Apply lmms-eval's rule for two scores."""
    return inherited.parse_comparative_response(row["raw"])


def braces(row: dict[str, Any]) -> Any:
    """Apply lmms-eval's rule for JSON."""
    return inherited.parse_json_response(row["raw"])


def repaired(row: dict[str, Any]) -> Any:
    """Parse with json_repair."""
    import json_repair

    return json_repair.loads(row["raw"])


def families() -> list[Family]:
    """Return the families in display order."""
    get = jc.Format.get
    of_llmbar = {"LLMBar's rules": llmbar}
    documents = {"lmms-eval": braces, "json_repair": repaired}
    one_to_five = jc.Format.score(1, 5)
    four = jc.Format.fields(dict.fromkeys(("Relevance", "Consistency", "Fluency", "Coherence"), one_to_five))
    both = ("llmbar_pairwise", "llmbar_conflict")
    return [
        Family(both[:1], "LLMBar: which output is better", get("llmbar.pair"), of_llmbar),
        Family(both[1:], "LLMBar: both are called better", get("llmbar.pair"), of_llmbar),
        Family(both, "LLMBar: closes with the other output", get("llmbar.pair"), of_llmbar, is_doubtful=True),
        Family(("llmbar_rating",), "LLMBar: a rating", jc.Format.score(1, 10), {"lmms-eval": first_number}),
        Family(
            ("mtbench_pair",),
            "MT-Bench: which is better",
            get("mt_bench.pair"),
            {"MT-Bench's rule": paper("mt_bench.pair")},
        ),
        Family(
            ("mtbench_single",),
            "MT-Bench: a rating",
            get("mt_bench.single"),
            {"MT-Bench's rule": paper("mt_bench.single"), "lmms-eval": first_number},
        ),
        Family(
            ("vicuna_review_pairs",),
            "Vicuna reviews: two scores",
            get("judgelm"),
            {"FastChat's rule": paper("judgelm"), "lmms-eval": two_numbers},
        ),
        Family(
            ("inspect_model_graded",),
            "Inspect AI: a grade",
            get("inspect.model_graded"),
            {"Inspect AI's rule": paper("inspect.model_graded")},
        ),
        Family(("chateval_nlg_fields",), "ChatEval: four scores", four, {}),
        Family(("pandalm_reason_prose",), "PandaLM: reasons alone", get("pandalm"), {}),
        Family(("alpaca_eval_ranking_json",), "AlpacaEval: a ranking in JSON", None, documents),
        Family(("langchain_instructor_json",), "LangChain's and instructor's tests: JSON", None, documents),
        Family(("json_repair_asserts",), "json_repair's tests: broken JSON", None, documents),
    ]


def verdict(recorded: dict[str, Any]) -> Any:
    """Convert a recorded decision to a reading's value."""
    match recorded["type"]:
        case "pairwise":
            return recorded["winner"]
        case "score":
            return float(recorded["value"])
        case "scores":
            return tuple(map(float, recorded["values"]))
        case _:
            return recorded["value"]


SEEN: dict[str, dict[str, Any]] = {
    "chateval_nlg_fields-00039": {
        "type": "fields",
        "value": {"Relevance": 2.0, "Consistency": 1.0, "Fluency": 2.0, "Coherence": 1.0},
    },
}
"""Verdicts in a sentence that the publisher's patterns and the corpus miss, by row: `2 for relevance`."""


def wanted(row: dict[str, Any]) -> Any:
    """What stands in a reply: what was recorded, or what a person sees where nothing was; None for no verdict.

    Where the corpus doubts the record, it is because the reply closes with the other output.
    """
    recorded = row["gold"] or (row.get("aux") or {}).get("apparent") or SEEN.get(row["id"])
    want: Any = verdict(recorded) if recorded else None
    return {"A": "B", "B": "A"}[want] if is_doubtful(row) else want


def is_doubtful(row: dict[str, Any]) -> bool:
    """Return whether the corpus marks the record as doubtful."""
    return bool((row.get("aux") or {}).get("suspect"))


def count(found: list[dict[str, Any]], read: Callable[[dict[str, Any]], Any]) -> Count:
    """Compare a reader with the rows."""
    right = wrong = unread = 0
    for row in found:
        got, want = read(row), wanted(row)
        is_right = got == want or (want is None and got in SENTINELS)
        right += is_right
        unread += not is_right and got in SENTINELS
        wrong += not is_right and got not in SENTINELS
    return Count(right, wrong, unread)


def counts(folder: Path) -> dict[str, dict[str, Count]]:
    """Return the counts by family title and reader name."""
    table: dict[str, dict[str, Count]] = {}
    for family in families():
        found = family.rows(folder)
        table[family.title] = {name: count(found, read) for name, read in family.readers().items()}
    return table


def table_lines(table: dict[str, dict[str, Count]]) -> list[str]:
    """Format the counts as a Markdown table."""
    lines = ["| replies | number | reader | right | wrong | unread |", "| --- | ---: | --- | ---: | ---: | ---: |"]
    for title, readers in table.items():
        for nth, (name, found) in enumerate(readers.items()):
            first = f"{title} | {sum(found)}" if nth == 0 else " | "
            lines.append(f"| {first} | {name} | {found.right} | {found.wrong} | {found.unread} |")
    return lines
