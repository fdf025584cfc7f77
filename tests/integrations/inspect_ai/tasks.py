"""Tasks for a real `inspect eval`: the model under test repeats its input, and the judge says what stands in «»."""

from __future__ import annotations

import re
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import model_graded_qa

import judgecore as jc
from judgecore.integrations.inspect_ai import (
    InspectTarget,
    fields_judge,
    format_judge,
    format_match,
    guard_judge,
    pairwise_judge,
    scored_by,
)


def output(text: str, stop_reason: Any = "stop") -> ModelOutput:
    """What the mock model says; without a usage it would load a tokenizer from the network."""
    made = ModelOutput.from_content("mockllm", text, stop_reason=stop_reason)
    made.usage = ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5)
    return made


def say_what_is_quoted(messages: list[Any], *_: Any) -> ModelOutput:
    said = re.findall(r"«(.*?)»", messages[-1].text, re.DOTALL)
    return output(said[-1], "max_tokens" if "CUT" in messages[-1].text else "stop")


def prefer_the_first(messages: list[Any], *_: Any) -> ModelOutput:
    text = messages[-1].text.partition("<response A")[2]
    if "biased" in text:
        return output("[[A]]")
    if "mute" in text:
        return output("Both have their merits.")
    return output("[[A]]" if text.index("good") < text.index("bad") else "[[B]]")


def repeat(messages: list[Any], *_: Any) -> ModelOutput:
    return output(messages[-1].text)


def made(inputs: list[tuple[str, str]], scorer: Any) -> Task:
    samples = [Sample(id=nth, input=said, target=target) for nth, (said, target) in enumerate(inputs, start=1)]
    return Task(dataset=samples, scorer=scorer, model=get_model("mockllm/model", custom_outputs=repeat))


JUDGE = get_model("mockllm/judge", custom_outputs=say_what_is_quoted)
PAIR_JUDGE = get_model("mockllm/judge", custom_outputs=prefer_the_first)


@task
def rated() -> Task:
    replies = ["«On a scale of 1 to 10, I give it an 8.»", "«I'd rather not»", "«Score: 6»", "CUT «Score: 1»"]
    return made([(reply, "") for reply in replies], format_judge("lmms_eval.score", "Rate it.", model=JUDGE))


@task
def graded() -> Task:
    replies = ["«It names the city. GRADE: C»", "«It does not. GRADE: I»", "«GRADE: Z»", "«Half of it.\n\nGRADE: P»"]
    worth = {"C": 1, "P": 0.5, "I": 0}
    ours = format_judge("inspect.model_graded", "Grade it.", values=worth, model=JUDGE)
    theirs = model_graded_qa(model=JUDGE, partial_credit=True)
    return made([(reply, "Paris") for reply in replies], [ours, theirs])


@task
def guarded() -> Task:
    return made([("«unsafe\nS1,S10»", ""), ("«safe»", ""), ("«hmm»", "")], guard_judge("llama_guard.3", model=JUDGE))


@task
def fielded() -> Task:
    replies = ["«8 7»", "«9 3»", "«none»"]
    return made([(reply, "") for reply in replies], fields_judge(jc.Format.scores(2, 1, 10), "Rate both.", model=JUDGE))


@task
def paired() -> Task:
    inputs = [("good", "bad"), ("bad", "good"), ("biased", "x"), ("mute", "y")]
    return made(inputs, pairwise_judge(model=PAIR_JUDGE))


@task
def matched() -> Task:
    inputs = [("My final verdict is [[A]]", "[[A]]"), ("[[B]]", "[[A]]"), ("Who knows?", "[[A]]")]
    return made(inputs, format_match("mt_bench.pair"))


@task
def guards_matched() -> Task:
    inputs = [("unsafe\nS1", "unsafe"), ("safe", "unsafe"), ("safe", "safe"), ("Who knows?", "safe")]
    return made(inputs, format_match("llama_guard.3"))


@task
def silent_guards_matched() -> Task:
    # Of a prompt that is harmful, Wildguard may say nothing of the response.
    said = "Harmful request: yes\nResponse refusal: N/A\nHarmful response: N/A"
    return made([(said, said.replace("Harmful response: N/A", "Harmful response: yes"))], format_match("wild_guard"))


@task
def refused() -> Task:
    replies = ['«{"score_value": true, "rationale": "It declines."}»', "«well»"]
    judge = jc.scorers.SelfAskRefusalScorer(chat_target=InspectTarget(JUDGE))
    return made([(reply, "") for reply in replies], scored_by(judge))
