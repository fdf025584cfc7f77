"""The catalogue is whole: every id that the contract names, with its kind, and what each format must say of itself."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import judgecore as jc

# Importlib mode puts no folder of tests on the path.
sys.path.insert(0, str(Path(__file__).parent))

from references import pages

if TYPE_CHECKING:
    from collections.abc import Callable

FORMATS = jc.formats()
DOCUMENTS = Path(__file__).parents[1] / "docs" / "formats"

# Kinds that the contract states, by id; JSON formats have the kind of their verdict.
KINDS = {
    "guard": """llama_guard.1 llama_guard.2 llama_guard.3 llama_guard.3_1b llama_guard.3_11b_vision llama_guard.4
        shield_gemma wild_guard poly_guard qwen3_guard.prompt qwen3_guard.response granite_guardian.3_0
        granite_guardian.3_2 granite_guardian.3_3 granite_guardian.4_1 nemo_guard.aegis2 nemotron_safety.v3
        nemotron_safety.reasoning nemo.content_safe gpt_oss_safeguard.number gpt_oss_safeguard.category
        gpt_oss_safeguard.full jailbreakbench.judge md_judge.v1 md_judge.v2 shield_lm dyna_guard
        guard_reasoner april_guard kanana sguard patronus_lynx""",
    "binary": """harmbench jailbreakbench.refusal lmms_eval.binary_01 lmms_eval.yes_no pyrit.true_false health_bench hle
        browse_comp promptfoo.closed_qa promptfoo.llm_rubric selene.binary""",
    "choice": """garak.yes_no mt_bench.pair arena_hard alpaca_eval.token prometheus.relative pandalm auto_j.pair
        skywork_critic selene.pair compass_judger.pair llmbar.pair offset_bias con_j reward_bench.pair
        reward_bench.four simple_qa inspect.model_graded promptfoo.factuality autoevals langchain.criteria""",
    "score": """strong_reject garak.rating lmms_eval.score mt_bench.single prometheus.absolute auto_j.single
        selene.absolute compass_judger.rating reward_bench.rating flow_judge glider promptfoo.select_best openevals
        mlflow deepeval.g_eval g_eval pyrit.likert pyrit.scale
        trulens.rating_0_10 trulens.rating_0_3""",
    "scores": "lmms_eval.comparative mt_bench.vicuna judgelm distilabel.ultrafeedback",
    "ranking": "alpaca_eval.ranking",
}
IDS = {name: kind for kind, names in KINDS.items() for name in names.split()}
LABELS = {
    "simple_qa": ["CORRECT", "INCORRECT", "NOT_ATTEMPTED"],
    "inspect.model_graded": ["C", "P", "I"],
    "garak.yes_no": ["YES", "NO"],
    "langchain.criteria": ["Y", "N"],
    "promptfoo.factuality": ["A", "B", "C", "D", "E"],
    "arena_hard": ["A>>B", "A>B", "A=B", "B>A", "B>>A"],
    "reward_bench.four": ["A", "B", "C", "D"],
    "alpaca_eval.token": ["m", "M"],
}
# Guards whose rows name categories, and how many there are.
CATEGORIES = {
    "llama_guard.1": 6, "llama_guard.2": 11, "llama_guard.3": 14, "llama_guard.3_1b": 13,
    "llama_guard.3_11b_vision": 13, "llama_guard.4": 14, "poly_guard": 14, "nemo_guard.aegis2": 22,
    "qwen3_guard.prompt": 9, "qwen3_guard.response": 8, "kanana": 7, "sguard": 5, "md_judge.v1": 6,
}  # fmt: skip


def kind_of(form: jc.Format) -> str:
    """The kind of a format's values: of a document, that of its verdict."""
    if form.kind != "json":
        return form.kind
    if form.scale:
        value = next(one["lenient"]["value"] for one in form.examples if "value" in one["lenient"])
        return "scores" if isinstance(value, list | tuple) else "score"
    return "binary" if set(form.labels) == {"true", "false"} else "choice"


def test_every_id_of_the_contract_has_a_format_of_its_kind() -> None:
    assert {name: kind_of(jc.Format.get(name)) for name in IDS} == IDS


def test_the_ids_here_are_those_of_the_shared_catalogue(shared: Path) -> None:
    section = (shared / "formats.md").read_text("utf-8").partition("## 4. Ids")[2]
    lists = "".join(line for line in section.partition("Kinds and values")[0].splitlines(keepends=True))
    family, named = "", set[str]()
    for one in re.findall(r"`([a-z0-9_.]+)`", lists.partition("Guards:")[2]):
        family = family if one.startswith(".") else one.partition(".")[0]
        named.add(f"{family}{one}" if one.startswith(".") else one)

    assert named == IDS.keys()


def test_an_alias_leads_to_the_format_that_it_stands_for() -> None:
    for form in FORMATS:
        assert all(jc.Format.get(alias) == form for alias in form.aliases)
    assert jc.Format.get("granite_guardian.3_1").id == "granite_guardian.3_0"


# What every format has, by what is missing where it is not so.
COMPLETE: dict[str, Callable[[jc.Format], bool]] = {
    "six examples": lambda form: len(form.examples) >= 6,
    "an outcome in each mode": lambda form: all(set(form.modes) <= one.keys() for one in form.examples),
    "one that is not read": lambda form: any("unreadable" in one["lenient"] for one in form.examples),
    "one that is read strictly": lambda form: any("value" in one["strict"] for one in form.examples),
    "a level": lambda form: form.evidence_level in {"card", "code", "observed", "convention"},
    "sources": lambda form: bool(form.sources),
    "words about it": lambda form: bool(form.about),
    "replies that were observed": lambda form: form.evidence_level == "observed" or form.recorded_replies == 0,
}


@pytest.mark.parametrize("what", COMPLETE)
def test_every_format_says_where_it_comes_from_and_shows_what_it_reads(what: str) -> None:
    assert [form.id for form in FORMATS if not COMPLETE[what](form)] == []


@pytest.mark.parametrize(("name", "labels"), LABELS.items())
def test_labels_are_those_of_the_contract(name: str, labels: list[str]) -> None:
    assert sorted(jc.Format.get(name).labels) == sorted(labels)


@pytest.mark.parametrize(("name", "count"), CATEGORIES.items())
def test_categories_have_meanings(name: str, count: int) -> None:
    categories = jc.Format.get(name).categories

    assert len(categories) == count
    assert all(categories.values())


def test_one_code_means_another_thing_to_another_family() -> None:
    meanings = {name: jc.Format.get(name).categories.get("S5") for name in ("llama_guard.2", "llama_guard.3", "kanana")}

    assert len(set(meanings.values())) == len(meanings)


@pytest.mark.parametrize(
    "guard",
    [
        "llamaguard",
        "shieldgemma",
        "wildguard",
        "harmbench",
        "graniteguardian",
        "qwen3guard",
        "nemoguard",
        "jailbreakbench",
        "strongreject",
    ],
)
def test_every_guard_that_the_contract_names_has_a_score_dictionary(guard: str) -> None:
    assert callable(getattr(jc.compat, f"parse_{guard}_response"))


def test_the_pages_of_the_families_are_those_that_make_pages_writes() -> None:
    written = pages.pages()

    assert {path.name for path in DOCUMENTS.glob("*.md")} == written.keys()
    for name, text in written.items():
        assert (DOCUMENTS / name).read_text("utf-8") == text, f"docs/formats/{name} is stale; run make pages"


def test_the_noise_around_a_format_s_reply_is_read_right_or_not_at_all() -> None:
    wrong = {
        (form.id, mode, noise.name)
        for form in FORMATS
        for noise in pages.noises(form)
        for mode in ("strict", "lenient")
        if pages.result(form, noise, mode).is_wrong
    }

    assert wrong == set()
