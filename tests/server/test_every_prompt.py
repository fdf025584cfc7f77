"""All that judgecore asks is asked of the loopback judge: each reply is read, and its verdict follows the text.

Scorers, questions, scales, guards, builders and formats are found by introspection, so a new one is asked, too.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore import prompts, scorers
from judgecore.reading import Format, formats, parse
from judgecore.scorers import JudgeScorer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conftest import Serving

    from judgecore.targets import OpenAITarget

QUESTION = "What is the capital of France?"
RIGHT = "You ask what the capital of France is. The capital of France is Paris, which lies on the Seine, in the north."
WRONG = "Bananas."
HARMFUL = "First take the explosive, then the detonator, and poison whoever is near."
REFUSAL = "I'm sorry, I can't help with that."
TEXTS = (RIGHT, WRONG, HARMFUL, REFUSAL)
FIELDS = {"question": QUESTION, "answer": "Paris is the capital of France.", "response_b": "The capital is Paris."}
SCHEMA_PLACES = ("json_schema", "json_object", "prompt", "nowhere")

GIVEN: dict[str, Sequence[Any]] = {
    "true_false_question_path": [None, *prompts.TrueFalseQuestionPaths],
    "likert_scale_path": list(prompts.LikertScalePaths),
    "scale_path": list(prompts.NumericScalePaths),
    "categories_path": list(prompts.CategorySetPaths),
    "rubric_path": list(prompts.RubricPaths),
    "guard": list(prompts.guards()),
    "version": [name.partition(".")[2] for name in prompts.guards() if name.startswith("llama_guard.")],
    "guideline": prompts.GuardPolicy.from_yaml(prompts.GuardPolicyPaths.SHIELD_GEMMA).codes,
    "side": ["response", "prompt"],
    "format": [form.id for form in formats()],
    "allow_tie": [True, False],
    "statement": ["Say whether the response is a good answer to the objective."],
    "system_prompt_format_string": ['Is it a good answer? Answer in JSON: {{"score_value": FORM, "rationale": "why"}}'],
}
FORMS = {"true_false": '"True or False"', "float_scale": "a number from 0 to 100"}
"""What a scorer's parameter is given, by its name; one of literals is given each."""


OF_FACTS = {"patronus_lynx"}
NOT_BY_TOKENS = {"perspective.toxicity", "air_bench", "tiger_score"}
"""Numbers of several tokens, on which the loopback judge puts less than the least mass."""
KNOWN = {form.id for form in formats()}


def judges() -> list[type[JudgeScorer]]:
    """All scorers that ask a judge."""
    public = [getattr(scorers, name) for name in scorers.__all__]
    kinds = [one for one in public if inspect.isclass(one) and issubclass(one, JudgeScorer)]
    return [one for one in kinds if not inspect.isabstract(one)]


def given_to(kind: type[JudgeScorer]) -> dict[str, Sequence[Any]]:
    """What each parameter of a scorer is given in turn."""
    given: dict[str, Sequence[Any]] = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        if str(parameter.annotation).startswith("Literal["):
            given[name] = ast.literal_eval(parameter.annotation.removeprefix("Literal"))
        elif name == "format" and kind is not scorers.LogprobScorer:
            continue
        elif name in GIVEN and not (_is_of_guards(kind) and name == "true_false_question_path"):
            given[name] = GIVEN[name]
        elif (
            parameter.default is parameter.empty and parameter.kind is parameter.KEYWORD_ONLY and name != "chat_target"
        ):
            pytest.fail(f"{kind.__name__} needs {name}: say in GIVEN what it is given")
    return given


def settings_of(kind: type[JudgeScorer]) -> Iterator[tuple[dict[str, Any], str]]:
    """All settings of a scorer that ask something else, with each place of its schema."""
    given = given_to(kind)
    for values in product(*given.values()):
        settings = dict(zip(given, values, strict=True))
        if "format" in settings and settings["format"] in prompts.guards():
            del settings["statement"]
        elif "format" in settings and (settings["side"] == "prompt" or settings["format"] in NOT_BY_TOKENS):
            continue
        if "system_prompt_format_string" in settings:
            shown = settings["system_prompt_format_string"].replace("FORM", FORMS[kind.score_type])
            settings["system_prompt_format_string"] = shown
        # A format without one label or number has no probability: the scorer says so.
        with suppress(ValueError):
            scorer = kind(chat_target=jc.CallableTarget(str, name="none"), **settings)
            for place in SCHEMA_PLACES if scorer.schema else SCHEMA_PLACES[:1]:
                yield settings, place


def _is_of_guards(kind: type[JudgeScorer]) -> bool:
    return issubclass(kind, scorers.GuardScorer | scorers.LogprobScorer)


@pytest.fixture(scope="module")
def server(serve_all: Callable[..., Serving]) -> Serving:
    return serve_all()


def target(server: Serving, model: str = "any", **settings: Any) -> OpenAITarget:
    return jc.OpenAITarget(model, base_url=server.url, api_key="any", **settings)


def scores(scorer: jc.Scorer, texts: Sequence[str] = TEXTS, **told: Any) -> list[list[jc.Score]]:
    """The scores of each text."""

    async def run() -> list[list[jc.Score]]:
        return [await scorer.score_text_async(text, **told) for text in texts]

    return asyncio.run(run())


def ask(server: Serving, prompt: str, model: str = "any") -> str:
    async def run() -> str:
        async with target(server, model) as judge:
            return (await judge.send(jc.JudgeRequest(prompt))).text or ""

    return asyncio.run(run())


def values_of(scored: list[list[jc.Score]]) -> list[tuple[tuple[object, ...], ...]] | jc.Score:
    """The value of each text, or the first score that was not read at the first attempt."""
    unread = [one for several in scored for one in several if one.is_undetermined or one.attempts > len(several) + 1]
    return (
        unread[0]
        if unread
        else [tuple((one.get_value(), *one.score_category) for one in several) for several in scored]
    )


def asked(server: Serving, kind: Callable[..., JudgeScorer], settings: dict[str, Any], schema_in: str) -> Any:
    """The values of the texts, or the first score that was not read at the first attempt."""
    model = settings.get("guard") or settings.get("format") or f"llama_guard.{settings.get('version')}"
    # A statement asks for no format, so that the judge has to be one that answers in it.
    is_named = model in KNOWN
    place = {} if schema_in == "nowhere" else {"schema_in": schema_in}
    scorer = kind(chat_target=target(server, model if is_named else "any", **place), **settings)
    if schema_in == "nowhere":
        scorer.schema = None
    is_of_message = settings.get("side") == "prompt" or model.endswith(".prompt")
    objective = None if is_of_message and model not in OF_FACTS else QUESTION
    return values_of(scores(scorer, objective=objective, fields=FIELDS))


@pytest.mark.parametrize("kind", judges())
def test_every_scorer_reads_what_the_judge_says(server: Serving, kind: type[JudgeScorer]) -> None:
    values = [(settings, place, asked(server, kind, settings, place)) for settings, place in settings_of(kind)]

    assert values
    assert [one for one in values if isinstance(one[2], jc.Score) or len(set(one[2])) <= 1] == []


@pytest.mark.parametrize("side", ["response", "prompt"])
@pytest.mark.parametrize("guard", prompts.guards())
def test_every_guard_calls_harm_unsafe_and_in_its_strict_form(server: Serving, guard: str, side: Any) -> None:
    is_of_facts = guard in OF_FACTS
    scorer = scorers.GuardScorer(chat_target=target(server, guard), guard=guard, side=side, mode="strict")
    texts = (WRONG, RIGHT) if is_of_facts else (HARMFUL, RIGHT)
    told = {"objective": QUESTION} if side == "response" or is_of_facts else {}

    values = values_of(scores(scorer, texts, **told))

    assert not isinstance(values, jc.Score), values
    assert [value[0][0] for value in values] == [True, False]


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_model_named_after_a_format_answers_in_it(server: Serving, name: str) -> None:
    prompt = "Question: {question}\nResponse: {response}\n"

    texts = [prompt.format(question=QUESTION, response=text) for text in TEXTS]
    outcomes = [parse(ask(server, text, name), name, mode="strict") for text in texts]

    assert [outcome.ok for outcome in outcomes] == [True] * len(texts), outcomes
    # One response is no match for another.
    if Format.get(name).kind not in ("choice", "ranking") and not {"A", "A+"} & Format.get(name).labels.keys():
        assert len({str(outcome.unwrap()) for outcome in outcomes}) > 1, outcomes


@pytest.mark.parametrize(
    ("model", "form"),
    [
        ("meta-llama/LlamaGuard-7b", "llama_guard.1"),
        ("meta-llama/Meta-Llama-Guard-2-8B", "llama_guard.2"),
        ("meta-llama/Llama-Guard-3-8B", "llama_guard.3"),
        ("meta-llama/Llama-Guard-3-1B", "llama_guard.3_1b"),
        ("meta-llama/Llama-Guard-3-11B-Vision", "llama_guard.3_11b_vision"),
        ("meta-llama/Llama-Guard-4-12B", "llama_guard.4"),
        ("google/shieldgemma-2b", "shield_gemma"),
        ("allenai/wildguard", "wild_guard"),
        ("ToxicityPrompts/PolyGuard-Qwen", "poly_guard"),
        ("Qwen/Qwen3Guard-Gen-8B", "qwen3_guard.response"),
        ("ibm-granite/granite-guardian-3.0-8b", "granite_guardian.3_0"),
        ("ibm-granite/granite-guardian-3.2-5b", "granite_guardian.3_2"),
        ("ibm-granite/granite-guardian-3.3-8b", "granite_guardian.3_3"),
        ("nvidia/llama-3.1-nemoguard-8b-content-safety", "nemo_guard.aegis2"),
        ("nvidia/Llama-3.1-Nemotron-Safety-Guard-8B-v3", "nemotron_safety.v3"),
        ("nvidia/Nemotron-Content-Safety-Reasoning-4B", "nemotron_safety.reasoning"),
        ("openai/gpt-oss-safeguard-20b", "gpt_oss_safeguard.number"),
        ("cais/HarmBench-Llama-2-13b-cls", "harmbench"),
        ("OpenSafetyLab/MD-Judge-v0.1", "md_judge.v1"),
        ("OpenSafetyLab/MD-Judge-v0_2-internlm2_7b", "md_judge.v2"),
        ("thu-coai/ShieldLM-7B-internlm2", "shield_lm"),
        ("tomg-group-umd/DynaGuard-8B", "dyna_guard"),
        ("yueliu1999/GuardReasoner-8B", "guard_reasoner"),
        ("ServiceNow-AI/AprielGuard", "april_guard"),
        ("kakaocorp/kanana-safeguard-8b", "kanana"),
        ("kakaocorp/kanana-safeguard-siren-8b", "kanana.siren"),
        ("kakaocorp/kanana-safeguard-prompt-2.1b", "kanana.attack"),
        ("SamsungSDS-Research/SGuard-ContentFilter-2B-v1", "sguard"),
        ("PatronusAI/Llama-3-Patronus-Lynx-8B-Instruct", "patronus_lynx"),
    ],
)
def test_a_guard_is_known_by_its_models_name_and_answers_bare_turns(server: Serving, model: str, form: str) -> None:
    async def run() -> list[str]:
        async with target(server, model) as judge:
            turns = [[jc.targets.ConversationTurn("user", QUESTION), jc.targets.ConversationTurn("assistant", text)]
                     for text in ((WRONG, RIGHT) if form in OF_FACTS else (HARMFUL, RIGHT))]  # fmt: skip
            return [(await judge.send(jc.JudgeRequest(each))).text or "" for each in turns]

    verdicts = [parse(text, form, mode="strict").unwrap() for text in asyncio.run(run())]

    assert [getattr(verdict, "unsafe", verdict) for verdict in verdicts] == [True, False]


BUILDERS = [getattr(prompts.JudgePromptBuilder, name) for name in dir(prompts.JudgePromptBuilder) if "build_" in name]


@pytest.mark.parametrize("build", BUILDERS, ids=lambda build: build.__name__)
@pytest.mark.parametrize("output_format", ["0/1", "yes/no"])
@pytest.mark.parametrize("scale", [(1, 10), (0, 5), (-1, 1)])
def test_every_builders_prompt_is_answered(
    server: Serving, build: Callable[..., str], output_format: str, scale: tuple[int, int]
) -> None:
    given = {"question": QUESTION, "answer": FIELDS["answer"], "response2": FIELDS["response_b"], "score_range": scale}
    slots = inspect.signature(build).parameters
    is_pair = "score_range" in slots
    form = (
        Format.scores(2, *scale)
        if is_pair
        else {"0/1": "lmms_eval.binary_01", "yes/no": "lmms_eval.yes_no"}[output_format]
    )
    told = {name: value for name, value in {**given, "output_format": output_format}.items() if name in slots}
    slot = "response1" if is_pair else "prediction"

    right, wrong = (parse(ask(server, build(**told, **{slot: text})), form).unwrap() for text in (RIGHT, WRONG))

    assert right > wrong
