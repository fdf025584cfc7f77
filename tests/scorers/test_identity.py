"""Two configurations that can answer differently never share an ``eval_hash``, whatever parameter sets them apart.

The parameters are found by introspection: a scorer or a parameter that is not listed here fails.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import typing
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc
from judgecore import scorers
from judgecore.scorers.comparative import PairJudgeScorer
from judgecore.scorers.composition import CombiningScorer
from judgecore.scorers.general import OwnPromptScorer
from judgecore.scorers.scale import ScaleJudgeScorer
from judgecore.scorers.substring import TextSearchScorer
from judgecore.scorers.true_false import TrueFalseJudgeScorer

if typing.TYPE_CHECKING:
    from pathlib import Path

SHARED_BASES = (
    jc.Scorer,
    jc.scorers.JudgeScorer,
    CombiningScorer,
    OwnPromptScorer,
    PairJudgeScorer,
    ScaleJudgeScorer,
    TextSearchScorer,
    TrueFalseJudgeScorer,
)


def find_scorers() -> list[type[jc.Scorer]]:
    """Every scorer of the package, exported or not."""
    found: list[type[jc.Scorer]] = []
    waiting: list[type[jc.Scorer]] = [jc.Scorer]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            if kind.__module__.startswith("judgecore.scorers.") and kind not in SHARED_BASES:
                found.append(kind)
    return sorted(set(found), key=lambda kind: kind.__name__)


def parameters_of(kind: type[jc.Scorer]) -> list[str]:
    """The parameters of a scorer, with those of its class of options where it takes one."""
    names: list[str] = []
    for name, parameter in inspect.signature(kind).parameters.items():
        assert parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD, f"{kind.__name__}({name}) has no keyword"
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            names += (
                kind.options_type if issubclass(kind, jc.scorers.JudgeScorer) else scorers.JudgeOptions
            ).__annotations__
        else:
            names.append(name)
    return names


def target(**params: Any) -> jc.CallableTarget:
    return jc.CallableTarget(lambda _: "", name="judge", params=params)


def template(*slots: str, words: str = "Judge.") -> jc.PromptTemplate:
    shown = "".join(f"{{{{ {slot} }}}}" for slot in slots)
    return jc.PromptTemplate(text=f"{words} {shown}", parameters=slots)


def parser(text: str) -> dict[str, Any]:
    return {"score_value": text, "rationale": ""}


def other_parser(text: str) -> dict[str, Any]:
    return {"score_value": text, "rationale": text}


class Unnamed:
    """A parser that is no function."""

    def __call__(self, text: str) -> dict[str, Any]:
        return parser(text)


QUESTION = jc.prompts.TrueFalseQuestion("c", "t", "f", "m")
LIKERT = jc.prompts.LikertScale("c", (jc.prompts.LikertLevel(1, "a"), jc.prompts.LikertLevel(2, "b")))
SCALE = jc.prompts.NumericScale("c", 0, 10, "l", "h", "s")
CATEGORIES = jc.prompts.CategorySet((jc.prompts.ResponseCategory("a", "d"), jc.prompts.ResponseCategory("b", "e")), "b")
RUBRIC = jc.prompts.Rubric("c", (jc.prompts.RubricCriterion("a", "d"), jc.prompts.RubricCriterion("b", "e")), 1, 5)
POLICY = jc.prompts.GuardPolicy((jc.prompts.PolicyCategory("S1", "n", "d"), jc.prompts.PolicyCategory("S2", "m", "e")))
YES = jc.scorers.SubStringScorer(substring="yes")
NO = jc.scorers.SubStringScorer(substring="no")

JUDGED: dict[str, Any] = {"chat_target": target(temperature=0.5)}
GENERAL: dict[str, Any] = {**JUDGED, "system_prompt_format_string": "Judge {response}"}

BASES: dict[str, dict[str, Any]] = {
    "ComparativeScorer": JUDGED,
    "CorrectnessScorer": JUDGED,
    "DecodingScorer": {},
    "FloatScaleThresholdScorer": {
        "scorer": jc.scorers.SelfAskLikertScorer(likert_scale=LIKERT, **JUDGED),
        "threshold": 0.5,
    },
    "GuardScorer": {**JUDGED, "guard": "wild_guard"},
    "JuryScorer": {"scorers": [YES, NO]},
    "KeywordRefusalScorer": {},
    "LlamaGuardScorer": JUDGED,
    "LogprobScorer": {**JUDGED, "statement": "Say whether it is rude."},
    "MarkdownInjectionScorer": {},
    "PairwiseScorer": JUDGED,
    "RegexScorer": {"patterns": {"a": "b"}},
    "RubricScorer": {**JUDGED, "rubric": RUBRIC},
    "SelfAskCategoryScorer": {**JUDGED, "categories": CATEGORIES},
    "SelfAskGeneralFloatScaleScorer": GENERAL,
    "SelfAskGeneralTrueFalseScorer": GENERAL,
    "SelfAskLikertScorer": {**JUDGED, "likert_scale": LIKERT},
    "SelfAskQuestionAnswerScorer": {**JUDGED, "true_false_question": QUESTION},
    "SelfAskRefusalScorer": {**JUDGED, "true_false_question": QUESTION},
    "SelfAskScaleScorer": {**JUDGED, "scale": SCALE},
    "SelfAskTrueFalseScorer": {**JUDGED, "true_false_question": QUESTION},
    "ShieldGemmaScorer": JUDGED,
    "SubStringScorer": {"substring": "a"},
    "TrueFalseCompositeScorer": {"aggregator": jc.scorers.TrueFalseScoreAggregator.AND, "scorers": [YES, NO]},
    "TrueFalseInverterScorer": {"scorer": YES},
    "WildGuardScorer": JUDGED,
}

# Values that differ from the default and from the base, by parameter; those of a scorer's own stand under its name.
OTHERS: dict[str, list[Any]] = {
    "aggregator": [jc.scorers.TrueFalseScoreAggregator.OR, jc.scorers.TrueFalseScoreAggregator.MAJORITY],
    "allow_tie": [False],
    "calls": ["each"],
    "categories": [["x"], ["y"], ["x", "y"]],
    "categories_path": [jc.prompts.CategorySetPaths.HARM, jc.prompts.CategorySetPaths.SENTIMENT],
    "category": ["x", "y"],
    "category_output_key": ["x"],
    "chat_target": [
        target(temperature=0.25),
        target(temperature=0.5, top_p=0.5),
        target(temperature=0.5, schema_in="prompt"),
        target(temperature=0.5, extra={"a": 1}),
        jc.CallableTarget(lambda _: "", name="another", params={"temperature": 0.5}),
        jc.CallableTarget(lambda _: "", name="judge", params={"temperature": 0.5}, version="2"),
    ],
    "description_output_key": ["x"],
    "disagreement": ["undetermined"],
    "first_characters": [7, None],
    "float_scale_aggregator": [jc.scorers.FloatScaleScoreAggregator.MIN],
    "format": ["mt_bench.single", jc.Format.score(1, 3)],
    "guard": ["llama_guard.3", "llama_guard.4", "nemo_guard.aegis2", "shield_gemma"],
    "guideline": ["harassment", "hate_speech"],
    "instruction": ["Weigh."],
    "integer": [True],
    "likert_scale_path": list(jc.prompts.LikertScalePaths),
    "max_reading_attempts": [1, 2],
    "max_tokens": [5, 6],
    "max_value": [7, 8],
    "metadata_output_key": ["x"],
    "min_mass": [0.25],
    "min_value": [2, 3],
    "mode": ["strict"],
    "orders": ["given"],
    "output_format": ["0/1"],
    "patterns": [{"a": "c"}, {"a": "b", "d": "e"}, {"x": "b"}],
    "patterns_path": list(jc.scorers.PatternSetPaths),
    "policy": [POLICY],
    "prompt_format_string": ["Show {response}", "Look: {response}"],
    "quorum": [1, 2],
    "rationale_output_key": ["x"],
    "reasoning_effort": ["low", "high"],
    "response_json_schema": [{"type": "object"}, {"type": "string"}],
    "response_parser": [
        parser,
        other_parser,
        jc.scorers.NamedParser(parser, "a", "1"),
        jc.scorers.NamedParser(parser, "a", "2"),
    ],
    "rubric_path": list(jc.prompts.RubricPaths),
    "say_what_was_wrong": [True],
    "scale_path": list(jc.prompts.NumericScalePaths),
    "score_value_output_key": ["x"],
    "scorer": [NO, jc.scorers.TrueFalseInverterScorer(scorer=YES)],
    "scorers": [[NO, YES], [YES, NO, NO], [YES, YES]],
    "seed": [0, 1],
    "side": ["prompt"],
    "substring": ["b"],
    "system_prompt_format_string": ["Weigh {response}"],
    "system_prompt_path": [template(words="one"), template(words="other")],
    "text_matcher": [
        jc.scorers.ExactTextMatching(case_sensitive=True),
        jc.scorers.ApproximateTextMatching(),
        jc.scorers.ApproximateTextMatching(n=4),
        jc.scorers.ApproximateTextMatching(threshold=0.25),
        jc.scorers.ApproximateTextMatching(case_sensitive=True),
    ],
    "threshold": [0.25, 0.75],
    "true_false_question_path": [jc.prompts.TrueFalseQuestionPaths.LEAKAGE, jc.prompts.TrueFalseQuestionPaths.VIOLENCE],
    "true_false_system_prompt_path": [template("true_description", words="one"), template("true_description")],
    "turns": ["last", "exchange"],
    "version": ["1", "2", "3_1b", "3_11b_vision", "4"],
    "CorrectnessScorer.prompt_path": [template("prediction"), template("prediction", "question")],
    "prompt_path": [template("response_a", "response_b"), template("response_b", "response_a")],
    "FloatScaleThresholdScorer.scorer": [
        jc.scorers.SelfAskLikertScorer(likert_scale_path=jc.prompts.LikertScalePaths.HARM_SCALE, **JUDGED)
    ],
    "GuardScorer.system_prompt_path": [template("true_description", words="one"), template("true_description")],
    "JuryScorer.aggregator": [jc.scorers.TrueFalseScoreAggregator.OR, jc.scorers.TrueFalseScoreAggregator.AND],
    "SelfAskGeneralTrueFalseScorer.format": ["harmbench", "lmms_eval.yes_no"],
    # The scorer's own sets of values, whose parts are changed one by one.
    "true_false_question": [],
    "likert_scale": [],
    "scale": [],
    "rubric": [],
    "SelfAskCategoryScorer.categories": [],
    "LogprobScorer.format": ["g_eval", "mt_bench.single"],
    "LogprobScorer.true_false_question_path": list(jc.prompts.TrueFalseQuestionPaths)[:2],
    "LogprobScorer.system_prompt_path": [template("statement", words="one"), template("statement")],
    "statement": ["Say whether it is kind."],
    "top_logprobs": [5, 1],
    "ShieldGemmaScorer.policy": [
        jc.prompts.GuardPolicy((jc.prompts.PolicyCategory(*words),))
        for words in (("dangerous_content", "n", "d"), ("dangerous_content", "n", "e"), ("dangerous_content", "m", "d"))
    ],
}
# Two ways to give one thing: one at a time.
EXCLUSIVE = {
    "true_false_question_path": "true_false_question",
    "likert_scale_path": "likert_scale",
    "scale_path": "scale",
    "rubric_path": "rubric",
    "categories_path": "categories",
    "patterns_path": "patterns",
}
# With a parser, only the parser knows keys; with the base's own reader they matter.
PARTS: dict[str, Any] = {
    "true_false_question": QUESTION,
    "likert_scale": LIKERT,
    "scale": SCALE,
    "rubric": RUBRIC,
    "SelfAskCategoryScorer.categories": CATEGORIES,
    "policy": POLICY,
}
# Parameters that matter only beside another one.
BESIDE: dict[str, dict[str, Any]] = {
    "LogprobScorer.side": {"format": "harmbench", "statement": None},
    "LogprobScorer.true_false_question": {"format": "harmbench", "statement": None},
    "LogprobScorer.true_false_question_path": {"format": "harmbench", "statement": None},
    "SelfAskGeneralFloatScaleScorer.mode": {"format": "mt_bench.single"},
    "SelfAskGeneralTrueFalseScorer.mode": {"format": "harmbench"},
}


def changed(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"{value}x"
    if isinstance(value, tuple):
        return changed_part(value)
    return value + 0.5 if isinstance(value, float) else value + 3


def changed_part(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """A tuple of dataclasses whose last one is another."""
    last = values[-1]
    field = dataclasses.fields(last)[-1].name
    return (*values[:-1], dataclasses.replace(last, **{field: changed(getattr(last, field))}))


def variants(value: Any) -> list[Any]:
    """A dataclass with each of its fields changed, one at a time, and each field of the parts it holds."""
    found: list[Any] = []
    for field in dataclasses.fields(value):
        held: Any = getattr(value, field.name)
        if isinstance(held, tuple):
            for part in dataclasses.fields(held[-1]):
                other = dataclasses.replace(held[-1], **{part.name: changed(getattr(held[-1], part.name))})
                found.append((field.name, (*held[:-1], other)))
        else:
            found.append((field.name, changed(held)))
    settled: list[Any] = []
    for name, other in found:
        try:
            settled.append(dataclasses.replace(value, **{name: other}))
        except jc.errors.PromptError:
            continue  # A change that leaves no sense, such as a category that is no longer there.
    return settled


def eval_hash(kind: type[jc.Scorer], arguments: dict[str, Any]) -> str:
    return jc.ScorerEvaluationIdentifier(kind(**arguments).get_identifier()).eval_hash


KINDS = find_scorers()
CASES = [(kind, name) for kind in KINDS for name in parameters_of(kind)]


def named(value: Any) -> str:
    return value if isinstance(value, str) else value.__name__


@pytest.mark.parametrize("kind", KINDS, ids=named)
def test_every_scorer_is_listed_and_public(kind: type[jc.Scorer]) -> None:
    assert kind.__name__ in BASES, "give the new scorer a base configuration here"
    assert getattr(jc.scorers, kind.__name__) is kind


@pytest.mark.parametrize(("kind", "name"), CASES, ids=named)
@pytest.mark.filterwarnings("ignore::judgecore.errors.UnusedQuestionWarning")
def test_every_parameter_tells_configurations_apart(kind: type[jc.Scorer], name: str) -> None:
    own = f"{kind.__name__}.{name}"
    key = own if own in OTHERS else name
    assert key in OTHERS, f"give the new parameter {own} other values here"
    base = {**BASES[kind.__name__], **BESIDE.get(own, {})}
    values: list[Any] = [*OTHERS[key], *(variants(PARTS[key]) if key in PARTS else [])]
    assert values
    settled = {one: value for one, value in base.items() if one != EXCLUSIVE.get(name)}

    hashes = [eval_hash(kind, base), *(eval_hash(kind, {**settled, name: value}) for value in values)]

    assert len(set(hashes)) == len(hashes)


@pytest.mark.parametrize("kind", KINDS, ids=named)
def test_the_same_configuration_has_the_same_hash(kind: type[jc.Scorer]) -> None:
    base = BASES[kind.__name__]

    assert eval_hash(kind, base) == eval_hash(kind, dict(base))
    assert kind(**base).get_identifier().class_module == "judgecore"
    assert kind(**base).get_identifier().class_name == kind.__name__


@given(st.text(min_size=1), st.text(min_size=1), st.booleans(), st.booleans())
def test_two_texts_share_a_hash_only_if_they_are_one(one: str, other: str, first: bool, second: bool) -> None:
    hashes = {
        eval_hash(
            jc.scorers.SubStringScorer,
            {"substring": text, "text_matcher": jc.scorers.ExactTextMatching(case_sensitive=case)},
        )
        for text, case in ((one, first), (other, second))
    }

    assert (len(hashes) == 1) == ((one, first) == (other, second))


@given(st.text(), st.text())
def test_two_questions_share_a_hash_only_if_they_are_one(one: str, other: str) -> None:
    hashes = {
        eval_hash(
            jc.scorers.SelfAskTrueFalseScorer,
            {**JUDGED, "true_false_question": jc.prompts.TrueFalseQuestion("c", "t", "f", metadata)},
        )
        for metadata in (one, other)
    }

    assert (len(hashes) == 1) == (one == other)


def judged_by(**settings: Any) -> list[jc.Scorer]:
    """A scorer for each kind of target, with these settings."""
    targets = [
        jc.OpenAITarget("m", api_key="k", base_url="http://a.example/v1", **settings),
        jc.AzureOpenAITarget("m", api_key="k", endpoint="http://a.example", **settings),
        jc.AnthropicTarget("m", api_key="k", **settings),
        target(**settings),
    ]
    return [jc.scorers.SelfAskTrueFalseScorer(chat_target=one) for one in targets]


NUMBERS: dict[str, typing.Callable[[float], list[jc.Scorer]]] = {
    "temperature": lambda number: judged_by(temperature=number),
    "top_p": lambda number: judged_by(top_p=number),
    "threshold": lambda number: [
        jc.scorers.FloatScaleThresholdScorer(
            scorer=jc.scorers.SelfAskLikertScorer(likert_scale_path=jc.prompts.LikertScalePaths.HARM_SCALE, **JUDGED),
            threshold=number,
        ),
        jc.scorers.SubStringScorer(substring="a", text_matcher=jc.scorers.ApproximateTextMatching(threshold=number)),
        jc.scorers.LogprobScorer(statement="Say whether it is polite.", min_mass=number, **JUDGED),
    ],
    "scale": lambda number: [
        jc.scorers.SelfAskScaleScorer(scale=jc.prompts.NumericScale("c", -number, number), **JUDGED),
        jc.scorers.SelfAskScaleScorer(
            scale=jc.prompts.NumericScale("c", -30 * number, 30 * number, integer=True), **JUDGED
        ),
        jc.scorers.SelfAskGeneralFloatScaleScorer(min_value=-number, max_value=number, **GENERAL),
        jc.scorers.SelfAskGeneralFloatScaleScorer(format=jc.Format.score(-number, number), **GENERAL),
        jc.scorers.ComparativeScorer(min_value=-number, max_value=number, **JUDGED),
    ],
    "weight": lambda number: [
        jc.scorers.RubricScorer(
            rubric=jc.prompts.Rubric(
                "c", (jc.prompts.RubricCriterion("a", "d", number), jc.prompts.RubricCriterion("b", "e"))
            ),
            **JUDGED,
        )
    ],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_whole_number_and_a_float_of_its_value_are_one_configuration(name: str) -> None:
    def hashes(number: float) -> list[str]:
        identifiers = [one.get_identifier() for one in NUMBERS[name](number)]
        return [jc.ScorerEvaluationIdentifier(one).eval_hash for one in identifiers]

    assert hashes(1) == hashes(1.0)
    assert all(one != other for one, other in zip(hashes(1), hashes(0.5), strict=True))


def test_a_judge_at_temperature_0_is_asked_in_the_same_bytes_however_the_0_is_written() -> None:
    request = jc.JudgeRequest("Is it good?")
    for kind in (jc.OpenAITarget, jc.AnthropicTarget):
        one, *others = (kind("m", api_key="k", temperature=number) for number in (0, 0.0, -0.0))

        assert {other.payload(request) for other in others} == {one.payload(request)}
        assert {other.get_identifier().hash for other in others} == {one.get_identifier().hash}


@pytest.mark.parametrize(
    ("name", "number"),
    [*(("temperature", one) for one in (math.nan, math.inf, 10**400, -5, True)), ("top_p", 0), ("top_p", 1.5)],
)
def test_a_setting_out_of_its_range_is_refused(name: str, number: float) -> None:
    for kind in (jc.OpenAITarget, jc.AnthropicTarget):
        with pytest.raises(ValueError, match=f"{name} must be a number"):
            kind("m", api_key="k", **cast("Any", {name: number}))


class TestWhereATargetStands:
    def test_another_address_is_the_same_judge(self) -> None:
        one, other = (
            jc.OpenAITarget("m", api_key="k", base_url=f"http://{host}/v1") for host in ("a.example", "b.example")
        )

        assert eval_hash(jc.scorers.SelfAskTrueFalseScorer, {"chat_target": one}) == eval_hash(
            jc.scorers.SelfAskTrueFalseScorer, {"chat_target": other}
        )

    @pytest.mark.parametrize(
        "option",
        [
            {"schema_in": "prompt"},
            {"extra": {"min_p": 0.1}},
            {"temperature": 1.0},
            {"max_tokens_key": "max_completion_tokens"},
        ],
    )
    def test_another_setting_is_another_judge(self, option: dict[str, Any]) -> None:
        one, other = (jc.OpenAITarget("m", api_key="k", base_url="http://a/v1", **more) for more in ({}, option))

        assert eval_hash(jc.scorers.SelfAskTrueFalseScorer, {"chat_target": one}) != eval_hash(
            jc.scorers.SelfAskTrueFalseScorer, {"chat_target": other}
        )

    def test_a_key_is_in_no_identity(self) -> None:
        scorer = jc.scorers.SelfAskTrueFalseScorer(
            chat_target=jc.OpenAITarget("m", api_key="canary-key", base_url="http://a/v1")
        )

        assert "canary-key" not in str(scorer.get_identifier().to_registry())


class TestParsers:
    def identity(self, given_parser: Any) -> jc.ComponentIdentifier:
        scorer = jc.scorers.SelfAskTrueFalseScorer(response_parser=given_parser, **JUDGED)
        return scorer.get_identifier().children_of("reader")[0]

    def test_a_function_is_where_it_is_imported_from(self) -> None:
        assert self.identity(parser).params["function"] == f"{__name__}.parser"

    def test_one_of_ours_has_the_version_of_our_rules(self) -> None:
        params = self.identity(jc.compat.parse_llamaguard_response).params

        assert params["function"] == "judgecore.parse_llamaguard_response"
        assert params["reading_version"] == jc.reading.READING_VERSION

    def test_a_partial_is_its_function_and_its_arguments(self) -> None:
        one, other = (
            functools.partial(jc.compat.parse_llamaguard_response, allowed_categories=codes)
            for codes in (["S1"], ["S2"])
        )

        assert self.identity(one).params["keywords"] == {"allowed_categories": ["S1"]}
        assert self.identity(one) != self.identity(other)

    def test_a_parser_of_json_is_its_configuration(self) -> None:
        assert self.identity(jc.compat.JsonResponseParser()) != self.identity(
            jc.compat.JsonResponseParser(rationale_key="why")
        )

    def test_a_name_and_a_version_are_enough(self) -> None:
        named_parser = jc.scorers.NamedParser(lambda _: {}, "mine", "3")

        assert self.identity(named_parser).params == {"name": "mine", "parser_version": "3", "reading_version": None}

    def test_what_nothing_tells_apart_has_no_identity_and_says_why(self) -> None:
        captured = "x"

        def closure(text: str) -> dict[str, Any]:
            return {"score_value": text + captured, "rationale": ""}

        def returned(text: str) -> dict[str, Any]:
            return parser(text)

        unnamed: list[tuple[Any, str]] = [
            (lambda _: {}, "is defined inside a function or is a lambda"),
            (closure, "is defined inside a function or is a lambda"),
            (functools.partial(parser, 1j), "an argument of the partial is no JSON value"),  # pyright: ignore[reportArgumentType] - the mistake
            (functools.partial(returned), "is defined inside a function"),
            (Unnamed(), "it is neither a function nor a class"),
        ]
        for one, why in unnamed:
            scorer = jc.scorers.SelfAskTrueFalseScorer(response_parser=one, **JUDGED)
            with pytest.raises(jc.errors.IdentityError, match=why) as caught:
                scorer.get_identifier()
            assert "no eval_hash" in str(caught.value)
            assert "NamedParser(parser, name=..., version=...)" in str(caught.value)

    def test_a_scorer_without_identity_scores_all_the_same(self) -> None:
        import asyncio

        scorer = jc.scorers.SelfAskTrueFalseScorer(
            response_parser=lambda _: {"score_value": True, "rationale": ""}, **JUDGED
        )

        [score] = asyncio.run(scorer.score_text_async("x"))

        assert score.get_value() is True
        assert score.scorer_identifier is None

    def test_a_function_of_a_script_has_no_identity(self, tmp_path: Path) -> None:
        import subprocess
        import sys

        script = tmp_path / "script.py"
        script.write_text(
            "import judgecore as jc\n"
            "def parse(text): return {'score_value': 'true', 'rationale': ''}\n"
            "target = jc.CallableTarget(parse, name='t')\n"
            "try: jc.scorers.SelfAskTrueFalseScorer(chat_target=target, response_parser=parse).get_identifier()\n"
            "except jc.errors.IdentityError as problem: print(problem)\n"
        )

        done = subprocess.run([sys.executable, script], check=True, capture_output=True, text=True)

        assert "every module is named __main__" in done.stdout
