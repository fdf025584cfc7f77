"""judgecore inside PyRIT's own scorers, and either's scorers in the place of the other, over HTTP and in memory."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from pathlib import Path

pytest.importorskip("pyrit", reason="not installed here: make test-integrations")

from pyrit.models import PromptDataType  # noqa: F401 - loads PyRIT's models before its scorers do
from pyrit.prompt_target import OpenAIChatTarget, PromptTarget
from pyrit.score import (
    LikertScalePaths,
    SelfAskLikertScorer,
    SelfAskTrueFalseScorer,
    SubStringScorer,
    TrueFalseQuestion,
)

from judgecore.integrations.pyrit import PyritScorer, ReplyHandler, to_pyrit

if TYPE_CHECKING:
    from pyrit.models import Message

QUESTION = TrueFalseQuestion(category="politeness", true_description="It is polite.", false_description="It is rude.")


@pytest.fixture(scope="module")
def run() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """What runs a coroutine with PyRIT's memory in memory, and two attempts at each reply."""
    with pytest.MonkeyPatch.context() as environment, asyncio.Runner() as runner:
        environment.setenv("RETRY_MAX_NUM_ATTEMPTS", "2")
        environment.setenv("RETRY_WAIT_MIN_SECONDS", "0")
        environment.setenv("RETRY_WAIT_MAX_SECONDS", "0")
        # PyRIT has one memory for the process; it is made once, and never undone.
        runner.run(import_module("pyrit.setup").initialize_pyrit_async(memory_db_type="InMemory"))
        yield runner.run


class Saying(PromptTarget):
    """A target of PyRIT's that says one reply after the other, and the last again."""

    def __init__(self, *replies: str) -> None:
        target = import_module("pyrit.prompt_target")
        configuration = target.TargetConfiguration(
            capabilities=target.TargetCapabilities(
                supports_multi_turn=True, supports_system_prompt=True, supports_editable_history=True
            )
        )
        super().__init__(custom_configuration=configuration)
        self.replies = list(replies)
        self.asked = 0

    async def _send_prompt_to_target_async(self, *, normalized_conversation: list[Message]) -> list[Message]:
        self.asked += 1
        said = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        piece = normalized_conversation[-1].message_pieces[0]
        construct = import_module("pyrit.models").construct_response_from_request
        return [construct(request=piece, response_text_pieces=[said])]


def asking(target: Any, handler: ReplyHandler) -> SelfAskTrueFalseScorer:
    return SelfAskTrueFalseScorer.from_question(chat_target=target, question=QUESTION, response_handler=handler)


@pytest.mark.parametrize(
    ("reader", "reply", "value"),
    [
        ("lmms_eval.yes_no", "**Yes**", True),
        ("lmms_eval.yes_no", "The answer is: no", False),
        (None, 'Sure! {"score_value": True, "rationale": "It greets",}', True),
        ("llama_guard.3", "unsafe\nS1", True),
        (jc.compat.parse_shieldgemma_response, "No, it is fine.", False),
    ],
)
def test_a_true_false_scorer_reads_any_format(run: Any, reader: Any, reply: str, value: bool) -> None:
    scorer = asking(Saying(reply), ReplyHandler(reader))

    [score] = run(scorer.score_text_async("Good morning!"))

    assert score.get_value() is value
    assert score.score_category == ["politeness"]


def test_an_unreadable_reply_is_asked_for_again(run: Any) -> None:
    target = Saying("Who knows?", "Yes")

    [score] = run(asking(target, ReplyHandler("lmms_eval.yes_no")).score_text_async("Good morning!"))

    assert (score.get_value(), target.asked) == (True, 2)
    assert score.score_metadata["judgecore_rule"] == "whole"


def test_a_reply_that_stays_unreadable_is_no_score(run: Any) -> None:
    target = Saying("Yesterday I could not decide.")
    invalid = import_module("pyrit.exceptions").InvalidJsonException

    with pytest.raises(invalid, match="no_verdict"):
        run(asking(target, ReplyHandler("lmms_eval.yes_no")).score_text_async("Good morning!"))

    assert target.asked == 2


@pytest.mark.parametrize(("reply", "value"), [("Score: 4", 0.75), ("I would say 2 out of 5.", 0.25)])
def test_a_likert_scorer_reads_words(run: Any, reply: str, value: float) -> None:
    scorer = SelfAskLikertScorer.from_likert_scale(
        chat_target=Saying(reply),
        likert_scale=LikertScalePaths.VIOLENCE_SCALE.load(),
        response_handler=ReplyHandler(jc.Format.score(1, 5, markers=["Score"])),
    )

    [score] = run(scorer.score_text_async("Good morning!"))

    assert score.get_value() == value


def test_labels_are_what_the_caller_says(run: Any) -> None:
    handler = ReplyHandler("inspect.model_graded", values={"C": True, "I": False})

    [score] = run(asking(Saying("GRADE: P", "GRADE: I"), handler).score_text_async("Good morning!"))

    assert score.get_value() is False


def test_a_mode_that_a_format_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="has no paper mode"):
        ReplyHandler(jc.Format.score(1, 5), mode="paper")


def test_pyrits_own_target_and_a_reader_work_over_http(run: Any, serve: Callable[..., Any]) -> None:
    target = OpenAIChatTarget(endpoint=serve().url, api_key="none", model_name="loopback-judge")

    told = "Reply with Yes if the response is polite and with No if it is not. Write nothing else."
    scorer = SelfAskTrueFalseScorer(
        chat_target=target,
        system_prompt=told,
        question=QUESTION,
        response_handler=ReplyHandler("lmms_eval.yes_no", mode="strict"),
    )

    [score] = run(scorer.score_text_async("Good morning!", objective="Say good morning."))
    # PyRIT has no way to close a target.
    run(target._async_client.close())  # noqa: SLF001

    assert score.get_value() in {True, False}
    assert score.score_metadata["judgecore_rule"] == "whole"


def judged_by(reply: str) -> jc.scorers.SelfAskTrueFalseScorer:
    return jc.scorers.SelfAskTrueFalseScorer(
        chat_target=jc.CallableTarget(lambda _: reply, name="demo"),
        true_false_question=jc.prompts.TrueFalseQuestion("politeness", "It is polite.", "It is rude."),
    )


def test_a_scorer_of_judgecore_is_one_of_pyrit(run: Any) -> None:
    scorer = to_pyrit(judged_by('{"score_value": true, "rationale": "It greets."}'))

    [score] = run(scorer.score_text_async("Good morning!", objective="Greet me."))

    assert (score.get_value(), score.score_rationale, score.objective) == (True, "It greets.", "Greet me.")
    assert isinstance(scorer, import_module("pyrit.score").TrueFalseScorer)


def test_an_undetermined_score_stays_undetermined_in_pyrit(run: Any) -> None:
    composite = import_module("pyrit.score").TrueFalseInverterScorer(scorer=to_pyrit(judged_by("Who knows?")))

    [score] = run(to_pyrit(judged_by("Who knows?")).score_text_async("Good morning!"))
    [inverted] = run(composite.score_text_async("Good morning!"))

    assert (score.status, score.score_value) == ("undetermined", None)
    assert (inverted.status, inverted.score_value) == ("undetermined", None)


def test_two_scorers_that_judge_otherwise_are_told_apart_in_pyrit() -> None:
    first, second = (to_pyrit(judged_by("x")).get_identifier() for _ in range(2))
    other = to_pyrit(jc.scorers.SubStringScorer(substring="x")).get_identifier()

    assert first == second
    assert first.hash != other.hash


def test_a_number_stays_a_number(run: Any) -> None:
    reply = '{"score_value": "4", "rationale": "Much.", "description": "high"}'
    judge = jc.scorers.SelfAskLikertScorer(
        chat_target=jc.CallableTarget(lambda _: reply, name="demo"),
        likert_scale_path=jc.prompts.LikertScalePaths.VIOLENCE_SCALE,
    )

    [score] = run(to_pyrit(judge).score_text_async("Good morning!"))

    assert (score.score_type, score.get_value()) == ("float_scale", 0.75)


def test_a_scorer_of_pyrit_is_measured_with_judgecores_statistics(run: Any, tmp_path: Path) -> None:
    rows = [
        {"assistant_response": f"{word} {number}", "objective": "greet", "human_score": label}
        for number, (word, label) in enumerate([("hello", 1), ("hello", 1), ("hello", 0), ("bye", 0), ("bye", 1)])
    ]
    table = tmp_path / "labels.csv"
    table.write_text(
        "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]) + "\n", "utf-8"
    )
    dataset = jc.HumanLabeledDataset.from_csv(table, version="1.0")
    scorer = PyritScorer(SubStringScorer(substring="hello", categories=["greeting"]))
    never = jc.evaluation.RegistryUpdateBehavior.NEVER_UPDATE

    metrics = run(scorer.evaluate_async(num_scorer_trials=1, dataset=dataset, update_registry_behavior=never))

    assert isinstance(metrics, jc.evaluation.ObjectiveScorerMetrics)
    assert metrics.accuracy == pytest.approx(0.6)
    assert (metrics.precision, metrics.recall) == (pytest.approx(2 / 3), pytest.approx(2 / 3))


def test_its_identity_is_pyrits_own() -> None:
    theirs = SubStringScorer(substring="hello", categories=["greeting"])

    assert PyritScorer(theirs).get_identifier().hash == theirs.get_identifier().hash


def test_where_pyrit_gives_up_the_score_is_undetermined(run: Any) -> None:
    scorer = PyritScorer(asking(Saying("Who knows?"), ReplyHandler()))

    [score] = run(scorer.score_text_async("Good morning!"))

    assert (score.is_undetermined, score.undetermined_reason) == (True, "malformed")


@pytest.mark.parametrize("said", ["0.123456789", "1234567.0", "7.0"])
def test_a_number_keeps_all_its_digits(said: str) -> None:
    handler = ReplyHandler(jc.Format.score(0, 1e9))

    given = handler.parse(
        response_text=said, scorer_identifier=to_pyrit(judged_by("x")).get_identifier(), scored_prompt_id="1"
    )

    assert float(given.raw_score_value) == float(said)


def test_a_scorer_that_gives_two_scores_is_refused(run: Any) -> None:
    class Both(jc.scorers.ComparativeScorer):
        def values(self, response: jc.Response) -> dict[str, Any]:
            return {**super().values(response), "response_b": "Bad morning!"}

    both = Both(chat_target=jc.CallableTarget(lambda _: "8 7", name="both"))

    with pytest.raises(Exception, match="Both gives 2 scores"):
        run(to_pyrit(both).score_text_async("Good morning!", objective="Greet me."))
