"""Scorers and targets in YAML: what the classes take, what editors know, and errors that name file, key and cure."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import jsonschema
import pytest

import judgecore as jc
from judgecore.prompts.plain_yaml import load_plain_yaml
from judgecore.scorers.configuration import json_schema, load_scorer, load_target
from judgecore.scorers.configuration_fields import fields_of
from judgecore.scorers.registration import SCORERS
from judgecore.targets.registration import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

# A file for each scorer, with as many of its keys as go together.
FILES = {
    "ComparativeScorer": "min_value: 1\nmax_value: 5\ninstruction: Weigh.",
    "CorrectnessScorer": "output_format: 0/1\nprompt_path: answered",
    "DecodingScorer": "text_matcher: {matching: approximate, threshold: 0.5, n: 3}\ncategories: [x]",
    "FloatScaleThresholdScorer": (
        "threshold: 0.5\nfloat_scale_aggregator: MAX\nscorer: {type: SelfAskScaleScorer, scale_path: helpfulness}"
    ),
    "GuardScorer": "guard: wild_guard\nside: prompt\nmode: strict",
    "JuryScorer": (
        "quorum: 1\naggregator: OR\nscorers:\n  - {type: SubStringScorer, substring: a}\n"
        "  - {type: SelfAskTrueFalseScorer, chat_target: {type: OpenAITarget, model: other}}"
    ),
    "KeywordRefusalScorer": "first_characters: 50",
    "LlamaGuardScorer": "version: '4'\npolicy: {categories: [{code: S1, name: Rudeness}]}",
    "LogprobScorer": "format: g_eval\nstatement: Say how coherent it is.\nmin_mass: 0.25\ntop_logprobs: 5\ncategory: c",
    "MarkdownInjectionScorer": "categories: [x]",
    "PairwiseScorer": "orders: given\ndisagreement: undetermined\nallow_tie: false",
    "RegexScorer": "patterns_path: credential_leak",
    "RubricScorer": (
        "calls: each\nrubric: {category: c, criteria: [{name: a, description: d, weight: 2}], low: 0, high: 3}"
    ),
    "SelfAskCategoryScorer": "categories_path: sentiment",
    "SelfAskGeneralFloatScaleScorer": (
        "system_prompt_format_string: 'Rate {response}'\nmin_value: 1\nmax_value: 10\ninteger: true\n"
        "format: mt_bench.single"
    ),
    "SelfAskGeneralTrueFalseScorer": (
        "system_prompt_format_string: Judge.\nprompt_format_string: '{response}'\ncategory: c\n"
        "score_value_output_key: verdict\nresponse_json_schema: {type: object}"
    ),
    "SelfAskLikertScorer": "likert_scale_path: violence",
    "SelfAskQuestionAnswerScorer": "seed: 3",
    "SelfAskRefusalScorer": "true_false_question_path: refusal_lenient",
    "SelfAskScaleScorer": "scale: {category: c, low: 0, high: 10, integer: true}",
    "SelfAskTrueFalseScorer": (
        "true_false_question_path: llamaguard\ntrue_false_system_prompt_path: llamaguard_system_prompt\n"
        "response_parser: parse_llamaguard_response\nmax_reading_attempts: 2\nturns: last\nmax_tokens: 50\n"
        "say_what_was_wrong: true\nreasoning_effort: low"
    ),
    "ShieldGemmaScorer": "guideline: harassment",
    "SubStringScorer": "substring: sorry\ntext_matcher: {matching: exact, case_sensitive: true}",
    "TrueFalseCompositeScorer": (
        "aggregator: AND\nscorers:\n  - {type: KeywordRefusalScorer}\n  - {type: TrueFalseInverterScorer, "
        "scorer: {type: SelfAskRefusalScorer}}"
    ),
    "TrueFalseInverterScorer": "scorer: {type: SubStringScorer, substring: a}",
    "WildGuardScorer": "side: response",
}
TARGET_FILES = {
    "AnthropicTarget": "model: m\nbase_url: http://127.0.0.1:1\ntemperature: 0\nschema_in: prompt",
    "AzureOpenAITarget": "deployment: d\nendpoint: http://127.0.0.1:1\napi_version: v1",
    "OpenAITarget": (
        "model: m\nbase_url: http://127.0.0.1:1/v1\ntemperature: 0.5\ntop_p: 0.9\nextra: {min_p: 0.1}\n"
        "pacing: {concurrency: 4, requests_per_minute: 60}\nread_timeout_s: 30"
    ),
    "RecordedTarget": "source: recorded.jsonl",
}
OWN_FORMAT = """\
family = "mine"
title = "Mine"
evidence = "card"
sources = ["a note"]

[[formats]]
id = "mine.grade"
kind = "score"
about = "A grade."
low = 1
high = 6
"""
# That they are schemas is tested once, below, because it takes long.
SCORER_SCHEMA, TARGET_SCHEMA = (jsonschema.Draft202012Validator(json_schema(kind)) for kind in ("scorer", "target"))


def named(value: Any) -> str:
    return value if isinstance(value, str) else value.__name__


def write_outside(folder: Path) -> None:
    """A file of each kind that a scorer's file may name."""
    question = "category: mine\ntrue_description: It is mine.\n"
    (folder / "question.yaml").write_text(question)
    (folder / "deep.yaml").write_text(question)
    (folder / "prompt.yaml").write_text("value: Judge.\nparameters: []\nignores_question: true\n")
    (folder / "patterns.yaml").write_text("patterns: {a: a}\n")
    (folder / "own.toml").write_text(OWN_FORMAT)
    (folder / "recording.jsonl").write_text('{"prompt": "x", "reply": "y"}\n')

    async def ask() -> None:
        with jc.Ledger(folder / "ledger.db") as ledger, jc.targets.keep_replies(ledger):
            await jc.targets.ask_target(jc.CallableTarget(lambda _: "y", name="j"), jc.JudgeRequest("x"))

    asyncio.run(ask())


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """What writes a scorer's file beside a recording."""
    (tmp_path / "recorded.jsonl").write_text('{"prompt": "x", "reply": "y"}\n')

    def to_file(text: str) -> Path:
        path = tmp_path / "scorer.yaml"
        path.write_text(text, "utf-8")
        return path

    return to_file


def own_names(registry: Any) -> set[str]:
    """The names of judgecore's own classes; other tests register theirs in the same process."""
    return {kind.__name__ for kind in registry.classes().values() if kind.__module__.startswith("judgecore.")}


class TestScorers:
    def test_every_scorer_can_be_named_and_has_a_file_here(self) -> None:
        public = {name for name in jc.scorers.__all__ if name.endswith("Scorer")} - {"Scorer", "JudgeScorer"}

        assert own_names(SCORERS) == set(FILES) == public

    @pytest.mark.parametrize("kind", SCORERS.classes().values(), ids=named)
    def test_a_file_can_set_every_parameter(self, kind: type[jc.Scorer]) -> None:
        assert fields_of(kind).refused == {}

    @pytest.mark.parametrize("name", FILES)
    def test_a_file_makes_the_scorer(self, write: Callable[[str], Path], judge: Any, name: str) -> None:
        text = f"type: {name}\n{FILES[name]}\n"

        scorer = load_scorer(write(text), chat_target=judge("safe"))

        assert type(scorer).__name__ == name
        SCORER_SCHEMA.validate(load_plain_yaml(text))

    @pytest.mark.parametrize(("name", "kind"), SCORERS.classes().items())
    def test_the_registered_name_means_the_class(
        self, write: Callable[[str], Path], judge: Any, name: str, kind: type[jc.Scorer]
    ) -> None:
        text = f"type: {name}\n{FILES[kind.__name__]}\n"

        scorer = load_scorer(write(text), chat_target=judge("safe"))

        assert type(scorer) is kind
        SCORER_SCHEMA.validate(load_plain_yaml(text))

    def test_a_file_and_python_make_the_same_scorer(self, write: Callable[[str], Path], judge: Any) -> None:
        target = judge("safe")
        folder = jc.prompts.TRUE_FALSE_QUESTIONS_PATH
        text = (
            "type: SelfAskTrueFalseScorer\ntrue_false_question_path: llamaguard\n"
            "true_false_system_prompt_path: llamaguard_system_prompt\nresponse_parser: parse_llamaguard_response\n"
        )

        of_file = load_scorer(write(text), chat_target=target)

        assert (
            of_file.get_identifier()
            == jc.scorers.SelfAskTrueFalseScorer(
                chat_target=target,
                true_false_question_path=folder / "llamaguard.yaml",
                true_false_system_prompt_path=folder / "llamaguard_system_prompt.yaml",
                response_parser=jc.compat.parse_llamaguard_response,
            ).get_identifier()
        )

    def test_files_beside_it_are_found(self, write: Callable[[str], Path], judge: Any, tmp_path: Path) -> None:
        (tmp_path / "mine.yaml").write_text("category: mine\ntrue_description: It is mine.\n")
        path = write("type: SelfAskTrueFalseScorer\ntrue_false_question_path: mine.yaml\n")

        scorer = load_scorer(path, chat_target=judge('{"score_value": true, "rationale": "r"}'))

        assert asyncio.run(scorer.score_text_async("x"))[0].score_category == ["mine"]

    @pytest.mark.parametrize("name", ["../outside/{}", "{0}/{1}", "link-{}", "linked/{}"])
    @pytest.mark.parametrize(
        ("file", "text"),
        [
            ("question.yaml", "type: SelfAskTrueFalseScorer\ntrue_false_question_path: {}"),
            ("prompt.yaml", "type: SelfAskRefusalScorer\ntrue_false_system_prompt_path: {}"),
            ("patterns.yaml", "type: RegexScorer\npatterns_path: {}"),
            ("own.toml", "type: LogprobScorer\nstatement: s\ncategory: c\nformat: {}:grade"),
            ("recording.jsonl", "type: WildGuardScorer\nchat_target: {{type: RecordedTarget, source: '{}'}}"),
            ("ledger.db", "type: WildGuardScorer\nchat_target: {{type: RecordedTarget, source: '{}'}}"),
            (
                "deep.yaml",
                "type: TrueFalseInverterScorer\nscorer:\n  type: SelfAskRefusalScorer\n  true_false_question_path: {}",
            ),
        ],
        ids=["question", "prompt", "patterns", "format", "recording", "ledger", "nested"],
    )
    def test_a_file_outside_of_the_folder_is_read_only_where_that_is_allowed(
        self, judge: Any, tmp_path: Path, name: str, file: str, text: str
    ) -> None:
        outside, folder = tmp_path / "outside", tmp_path / "folder"
        outside.mkdir()
        folder.mkdir()
        write_outside(outside)
        (folder / f"link-{file}").symlink_to(outside / file)
        (folder / "linked").symlink_to(outside)
        named = name.format(*([outside, file] if "1" in name else [file]))
        path = folder / "scorer.yaml"
        path.write_text(text.format(named))

        with pytest.raises(jc.errors.ConfigurationError) as caught:
            load_scorer(path, chat_target=judge("safe"))

        assert str(caught.value).startswith(f"{path}: ")
        assert f"leads out of the folder {folder}; move it there" in str(caught.value)
        assert load_scorer(path, chat_target=judge("safe"), allow_outside=True).get_identifier()

    def test_a_judge_in_the_file_goes_before_the_given_one_and_is_wrapped(
        self, write: Callable[[str], Path], judge: Any
    ) -> None:
        wrapped: list[jc.Target] = []

        def wrap(target: jc.Target) -> jc.Target:
            wrapped.append(target)
            return judge("safe")

        text = "type: WildGuardScorer\nchat_target: {type: OpenAITarget, model: inner}\n"
        load_scorer(write(text), chat_target=judge("outer"), wrap_target=wrap)

        assert [type(one) for one in wrapped] == [jc.OpenAITarget]

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("substring: a", "type is missing; it names the class, such as"),
            ("type: SubstringScorer", "type 'SubstringScorer' is not known; did you mean 'SubStringScorer'?"),
            ("type: 3", "type 3 is not known"),
            ("type: [a]", "type ['a'] is not known"),
            ("type: OpenAITarget\nmodel: m", "OpenAITarget is a judge; name such a file with --target"),
            ("type: SubStringScorer", "substring is missing"),
            ("type: SubStringScorer\nsubstring: 3", "substring: input should be a valid string, not 3; quote it"),
            (
                "type: SubStringScorer\nsubstring: a\nsubstrng: b",
                "substrng is not a key of SubStringScorer; did you mean 'substring'?",
            ),
            ("type: SubStringScorer\nsubstring: ''", "substring is empty"),
            ("type: SubStringScorer\nsubstring: a\ntext_matcher: {matching: fuzzy}", "text_matcher"),
            ("type: SelfAskRefusalScorer\nmax_reading_attempts: 0", "max_reading_attempts: input should be greater"),
            ("type: SelfAskRefusalScorer\nturns: some", "turns: input should be 'last', 'exchange' or 'all'"),
            ("type: SelfAskRefusalScorer\ntrue_false_question_path: refusal_lenien", "did you mean 'refusal_lenient'?"),
            ("type: SelfAskRefusalScorer\ntrue_false_question: {true_description: ''}", "true_description is missing"),
            (
                "type: SelfAskRefusalScorer\ntrue_false_question: {true_desc: x}",
                "true_desc is not a key of true_false_question; did you mean 'true_description'?",
            ),
            ("type: SelfAskRefusalScorer\nresponse_parser: os.system", "response_parser: input should be"),
            ("type: SelfAskRefusalScorer\napi_key: k", "api_key is not a key of SelfAskRefusalScorer"),
            ("type: SelfAskRefusalScorer\nchat_target: {type: OpenAITarget}", "chat_target: model is missing"),
            ("type: SelfAskRefusalScorer\nchat_target: {type: OpenTarget}", "chat_target: type 'OpenTarget'"),
            ("type: SelfAskLikertScorer", "give one scale"),
            ("type: SelfAskScaleScorer\nscale: {category: c, low: 5, high: 1}", "low must be below high"),
            ("type: GuardScorer\nguard: wildguard", "guard: input should be"),
            ("type: SelfAskGeneralTrueFalseScorer\nsystem_prompt_format_string: '{x.y}'", "must be a plain name"),
            ("type: SelfAskGeneralTrueFalseScorer\nsystem_prompt_format_string: x\nformat: nope", "format: "),
            (
                "type: TrueFalseCompositeScorer\naggregator: AND\nscorers: [{type: KeywordRefusalScorer}, {type: X}]",
                "scorers.1: type 'X' is not known",
            ),
            (
                (
                    "type: TrueFalseInverterScorer\n"
                    "scorer: {type: TrueFalseInverterScorer, scorer: {type: SubStringScorer}}"
                ),
                "scorer.scorer: substring is missing",
            ),
            ("type: RegexScorer\npatterns: {a: '('}", "the pattern 'a' is no regular expression"),
            ("type: !!python/object/apply:os.system ['true']", "line 1: the tag"),
            ("a: &a x\nb: *a", "line 2: the alias"),
        ],
    )
    def test_an_error_names_file_key_and_cure(
        self, write: Callable[[str], Path], judge: Any, text: str, problem: str
    ) -> None:
        path = write(text)

        with pytest.raises(jc.errors.ConfigurationError) as caught:
            load_scorer(path, chat_target=judge(""))

        assert str(caught.value).startswith(str(path))
        assert problem in str(caught.value)

    def test_a_scorer_that_asks_needs_a_judge(self, write: Callable[[str], Path]) -> None:
        with pytest.raises(jc.errors.ConfigurationError, match="WildGuardScorer asks a judge; name one"):
            load_scorer(write("type: WildGuardScorer"))


class TestTargets:
    @pytest.mark.parametrize("name", TARGET_FILES)
    def test_a_file_makes_the_target(
        self, write: Callable[[str], Path], name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        text = f"type: {name}\n{TARGET_FILES[name]}\n"

        target = load_target(write(text))

        assert type(target) is TARGETS.find(name)
        TARGET_SCHEMA.validate(load_plain_yaml(text))

    def test_every_target_has_a_file_here(self) -> None:
        assert own_names(TARGETS) == set(TARGET_FILES)

    @pytest.mark.parametrize("kind", TARGETS.classes().values(), ids=named)
    def test_a_file_can_set_every_parameter_but_the_key_and_the_client(self, kind: type[Any]) -> None:
        assert set(fields_of(kind).refused) <= {"api_key", "client"}

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            (
                "type: OpenAITarget\nmodel: m\napi_key: secret-canary",
                "api_key does not belong into a file; set OPENAI_API_KEY",
            ),
            ("type: OpenAITarget", "model is missing"),
            ("type: OpenAITarget\nmodel:", "model is empty; give it a value, or remove it"),
            ("type: OpenAITarget\nmodel: ''", "model must be the name of a model, as the endpoint names it; not ''"),
            ("type: OpenAITarget\nmodel: m\ntemperature: -5", "temperature must be a number, at least 0"),
            ("type: OpenAITarget\nmodel: m\ntemperature: hot", "temperature: input should be a valid number"),
            ("type: OpenAITarget\nmodel: m\nbase_url: ftp://x", "is no http or https address"),
            ("type: OpenAITarget\nmodel: m\npacing: {concurrency: 0}", "concurrency must be at least 1"),
            ("type: OpenAITarget\nmodel: m\npacing: {speed: 9}", "speed"),
            ("type: RecordedTarget\nsource: gone.jsonl", "gone.jsonl"),
            ("type: CallableTarget", "type 'CallableTarget' is not known"),
        ],
    )
    def test_an_error_names_file_key_and_cure(self, write: Callable[[str], Path], text: str, problem: str) -> None:
        path = write(text)

        with pytest.raises(jc.errors.ConfigurationError) as caught:
            load_target(path)

        assert str(caught.value).startswith(str(path))
        assert problem in str(caught.value)
        assert "secret-canary" not in str(caught.value)


@dataclass(frozen=True)
class Settings:
    low: int
    high: int = 9


class Own:
    """A target of one's own, with parameters of many kinds."""

    def __init__(
        self,
        plain,  # pyright: ignore[reportMissingParameterType]  # noqa: ANN001 - an annotation is not needed
        *more: str,
        path: Path | None = None,
        like: str | os.PathLike[str] = "",
        choice: Literal["a", "b"] = "a",
        sizes: Sequence[int] = (),
        settings: Settings | None = None,
        call: Callable[[str], str] | None = None,
        gone: Nowhere | None = None,  # pyright: ignore[reportUndefinedVariable]  # noqa: F821
        api_key: str | None = None,
        **rest: Any,
    ) -> None:
        del more, call, gone, api_key, rest
        self.given = (plain, path, like, choice, sizes, settings)

    async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
        return jc.JudgeReply(text=str(request))

    def get_identifier(self) -> jc.ComponentIdentifier:
        return jc.ComponentIdentifier(class_name="Own", class_module="t")


class TestClassesOfOnesOwn:
    @pytest.fixture(autouse=True)
    def register(self) -> None:
        jc.targets.register_target("own")(Own)

    def test_parameters_are_keys_by_their_annotations(self, write: Callable[[str], Path], tmp_path: Path) -> None:
        text = "plain: [x]\npath: a.txt\nlike: b.txt\nchoice: b\nsizes: [1, 2]\nsettings: {low: 3}\n"

        target = load_target(write(f"type: own\n{text}"))

        assert isinstance(target, Own)
        plain, path, like, *others = target.given
        assert (["x"], tmp_path / "a.txt") == (plain, path)
        assert os.fspath(like) == str(tmp_path / "b.txt")
        assert others == ["b", [1, 2], Settings(3)]
        jsonschema.validate(load_plain_yaml(f"type: own\n{text}"), json_schema("target"))

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("choice: b", "plain is missing"),
            ("plain: 1\nchoice: c", "choice: input should be 'a' or 'b'"),
            ("plain: 1\nsettings: {high: 3}", "settings.low is missing"),
            ("plain: 1\npath: ../a.txt", "path: '../a.txt' leads out of the folder"),
            ("plain: 1\nlike: ../a.txt", "like: '../a.txt' leads out of the folder"),
            ("plain: 1\ncall: print", "call can't be set in a file, which holds no"),
            ("plain: 1\ngone: 1", "gone can't be set in a file, which holds no Nowhere | None; pass it in Python"),
            ("plain: 1\napi_key: k", "api_key does not belong into a file; set the environment variable"),
            ("plain: 1\nmore: [x]", "more is not a key of Own"),
            ("plain: 1\nrest: x", "rest is not a key of Own"),
        ],
    )
    def test_an_error_names_file_key_and_cure(self, write: Callable[[str], Path], text: str, problem: str) -> None:
        path = write(f"type: Own\n{text}")

        with pytest.raises(jc.errors.ConfigurationError) as caught:
            load_target(path)

        assert str(caught.value).startswith(f"{path}: ")
        assert problem in str(caught.value)


class TestSchemas:
    @pytest.mark.parametrize("schema", [SCORER_SCHEMA.schema, TARGET_SCHEMA.schema])
    def test_it_is_a_schema_and_describes_every_key(self, schema: Any) -> None:
        jsonschema.Draft202012Validator.check_schema(schema)
        for kind in schema["anyOf"]:
            definition = schema["$defs"][kind["$ref"].rpartition("/")[2]]
            assert all(one.get("description") for one in definition["properties"].values()), kind

    @pytest.mark.parametrize(
        "text",
        [
            "type: SubStringScorer",
            "type: SubStringScorer\nsubstring: 3",
            "type: Nothing",
            "type: SelfAskRefusalScorer\nturns: some",
            "type: SelfAskRefusalScorer\nother: 3",
            "type: TrueFalseInverterScorer\nscorer: {type: SubStringScorer}",
        ],
    )
    def test_an_editor_sees_what_is_wrong(self, text: str) -> None:
        with pytest.raises(jsonschema.ValidationError):
            SCORER_SCHEMA.validate(load_plain_yaml(text))
