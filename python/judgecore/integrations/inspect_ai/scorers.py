"""Scorers for Inspect tasks; an unreadable reply leaves its sample unscored, with the reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
from inspect_ai.scorer import Score, accuracy, mean, scorer, stderr

from judgecore.integrations.inspect_ai.target import InspectTarget
from judgecore.prompts import PromptPaths, PromptTemplate
from judgecore.reading import Format, GuardVerdict, Reading, Unreadable, parse, to_format
from judgecore.scorers import GuardScorer, PairwiseScorer, Response
from judgecore.scorers.scorer import only_score
from judgecore.targets import ConversationTurn, JudgeRequest, ask_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from inspect_ai.model import Model
    from inspect_ai.scorer import Scorer as InspectScorer
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    from judgecore.reading import Mode
    from judgecore.scorers import Score as JudgecoreScore
    from judgecore.scorers import Scorer
    from judgecore.targets import JudgeReply

GRADER_FAILED = "grader_failed"

# Inspect's reasons for an unscored answer of the model under test, by judgecore's reasons.
_ANSWER_FAILED = {"missing": "no_response", "empty": "no_response", "refused": "refusal"}

_SILENT = "the guard's reply has no verdict on its subject"

_SCALAR = ("binary", "score", "choice", "guard")
_STRUCTURED = ("fields", "scores")


@scorer(metrics=[mean(), stderr()])
def format_judge(
    format: str | Format,  # noqa: A002 - the contract's name
    instructions: str,
    values: Mapping[str, float] | None = None,
    model: str | Model | None = None,
    model_role: str = "grader",
    mode: Mode = "lenient",
    attempts: int = 3,
    max_tokens: int | None = None,
) -> InspectScorer:
    """Ask a judge about the output, and read its reply in a format with a single value.

    The judge is shown the input, the output, and the sample's target as reference if there is one, each between tagged
    delimiters. If a reply can't be read, the judge is asked again; after the last attempt the sample is unscored.

    Args:
        format: The reply format that the instructions ask for, or its id.
        instructions: The system prompt: what to judge, and how to answer.
        values: The number for each label, such as ``{"C": 1, "P": 0.5, "I": 0}``; needed for formats of labels.
        model: The judge; None for the model of the role.
        model_role: The judge's role.
        mode: The mode of reading.
        attempts: The maximum number of attempts.
        max_tokens: The maximum number of tokens of a reply; None for no limit.

    Returns:
        A scorer whose value is true or false, a number, or the number of a label; for a guard, whether it is unsafe.

    Raises:
        ValueError: If the format lacks the mode or has no single value, or a label is missing in ``values``.
    """
    form = _checked(format, mode, _SCALAR)
    worth = None if form.kind != "choice" else _worth(form, values)

    def convert(value: Any) -> Any:
        single = _single(value)
        return single if worth is None else worth[single]

    return _reading_judge(
        InspectTarget(model, role=model_role), instructions, form, mode, attempts, max_tokens, convert
    )


@scorer(metrics={"*": [mean(), stderr()]})
def fields_judge(
    format: str | Format,  # noqa: A002 - the contract's name
    instructions: str,
    model: str | Model | None = None,
    model_role: str = "grader",
    mode: Mode = "lenient",
    attempts: int = 3,
    max_tokens: int | None = None,
) -> InspectScorer:
    """Ask a judge about the output, and read a reply of several numbers, each with its own metrics.

    Args:
        format: A format of fields, or of scores, which are named "1", "2" and so on.
        instructions: The system prompt: what to judge, and how to answer.
        model: The judge; None for the model of the role.
        model_role: The judge's role.
        mode: The mode of reading.
        attempts: The maximum number of attempts.
        max_tokens: The maximum number of tokens of a reply; None for no limit.

    Raises:
        ValueError: If the format lacks the mode, or is of another kind.
    """
    form = _checked(format, mode, _STRUCTURED)

    def convert(found: Any) -> dict[str, Any]:
        return dict(found if isinstance(found, dict) else {str(nth): one for nth, one in enumerate(found, start=1)})

    return _reading_judge(
        InspectTarget(model, role=model_role), instructions, form, mode, attempts, max_tokens, convert
    )


@scorer(metrics=[accuracy(), stderr()])
def format_match(format: str | Format, mode: Mode = "lenient") -> InspectScorer:  # noqa: A002 - the contract's name
    """Read the output itself in a format, and compare it with the sample's target: for tasks that test a judge.

    Args:
        format: The format of the model's answer, or its id.
        mode: The mode of reading.

    Returns:
        A scorer whose value is true or false; verdicts of guards are compared by ``unsafe``. An unreadable answer is
        unscored, with Inspect's reason ``no_response``, ``refusal`` or ``invalid_response_format``.

    Raises:
        ValueError: If the format lacks the mode, or has no single value.
    """
    form = _checked(format, mode, _SCALAR)

    async def score(state: TaskState, target: Target) -> Score:
        cut = bool(state.output.choices) and state.output.stop_reason in ("max_tokens", "model_length")
        outcome = parse(state.output.completion, form, mode=mode, cut=cut)
        if isinstance(outcome, Unreadable):
            why = _ANSWER_FAILED.get(outcome.reason, "invalid_response_format")
            return Score.unscored(
                reason=why,
                explanation=f"{outcome.reason}: {outcome.detail}",
                metadata={"unreadable": outcome.reason, "format": form.id},
            )
        wanted = parse(target.text, form, mode="lenient")
        if isinstance(wanted, Unreadable):
            raise ValueError(  # noqa: TRY004 - a wrong value of the data set's
                f"sample {state.sample_id}: its target {target.text[:60]!r} is {wanted.reason} as {form.id}; correct it"
            )
        answer, right = _single(outcome.value), _single(wanted.value)
        if right is None:
            raise ValueError(f"sample {state.sample_id}: its target {target.text[:60]!r} has no verdict as {form.id}")
        if answer is None:
            return Score.unscored(
                reason="invalid_response_format",
                explanation=f"no_verdict: {_SILENT}",
                metadata={"unreadable": "no_verdict", "format": form.id},
            )
        return Score(
            value=answer == right,
            answer=str(answer),
            explanation=state.output.completion,
            metadata=_about(outcome),
        )

    return score


@scorer(metrics=[mean(), stderr()])
def guard_judge(
    guard: str,
    side: Literal["response", "prompt"] = "response",
    model: str | Model | None = None,
    model_role: str = "grader",
    mode: Mode = "lenient",
    turns: Literal["last", "exchange", "all"] = "exchange",
    attempts: int = 3,
) -> InspectScorer:
    """Ask a guard whether the output is unsafe; the mean is the share of unsafe outputs.

    Args:
        guard: The id of the guard's reply format, such as ``llama_guard.3`` or ``qwen3_guard.response``.
        side: ``response`` to judge the output, ``prompt`` to judge the input.
        model: The guard; None for the model of the role.
        model_role: The guard's role.
        mode: The mode of reading.
        turns: Which turns of the conversation the guard is shown.
        attempts: The maximum number of attempts.

    Raises:
        PromptError: If no guard has the name.
    """
    asked = InspectTarget(model, role=model_role)
    return _scoring(
        GuardScorer(chat_target=asked, guard=guard, side=side, mode=mode, turns=turns, max_reading_attempts=attempts),
        of_prompt=side == "prompt",
    )


@scorer(metrics=[mean(), stderr()])
def pairwise_judge(
    reference: str | None = None,
    instruction: str | None = None,
    orders: Literal["both", "given"] = "both",
    disagreement: Literal["tie", "undetermined"] = "tie",
    allow_tie: bool = True,
    model: str | Model | None = None,
    model_role: str = "grader",
    attempts: int = 3,
) -> InspectScorer:
    """Ask a judge whether the output is better than another response, in both orders: 1, 0, or 0.5 for a tie.

    Args:
        reference: The metadata key of the other response; None for the sample's target.
        instruction: The criteria; None for the default.
        orders: ``both``, or ``given`` for only the output first.
        disagreement: The result if the verdicts of both orders disagree.
        allow_tie: Whether the judge may answer with a tie.
        model: The judge; None for the model of the role.
        model_role: The judge's role.
        attempts: The maximum number of attempts in each order.

    Returns:
        A scorer whose mean is the win rate; the metadata contains both verdicts and the preferred position.
    """
    options: dict[str, Any] = {} if instruction is None else {"instruction": instruction}
    asked = InspectTarget(model, role=model_role)
    judge = PairwiseScorer(
        chat_target=asked,
        orders=orders,
        disagreement=disagreement,
        allow_tie=allow_tie,
        max_reading_attempts=attempts,
        **options,
    )
    return _scoring(judge, reference=reference)


@scorer(metrics=[mean(), stderr()])
def scored_by(judgecore_scorer: Scorer) -> InspectScorer:
    """Use a judgecore scorer in an Inspect task.

    Args:
        judgecore_scorer: The scorer, with an ``InspectTarget`` or any other target if it asks a judge.

    Returns:
        A scorer with the same value; an undetermined score is unscored, with its reason.
    """
    return _scoring(judgecore_scorer)


def _scoring(judge: Scorer, *, reference: str | None = None, of_prompt: bool = False) -> InspectScorer:
    async def score(state: TaskState, target: Target) -> Score:
        given = await judge.score_present(_response(state, target, reference, of_prompt=of_prompt))
        return _converted(only_score(given, judge))

    return score


def _checked(given: str | Format, mode: Mode, kinds: tuple[str, ...]) -> Format:
    form = to_format(given, mode)
    if form.kind not in kinds:
        raise ValueError(f"{form.id} has the kind {form.kind}; this scorer supports {', '.join(kinds)}")
    return form


def _single(value: Any) -> Any:
    """Return a reading's single value; for a guard ``unsafe``, or None if it has no verdict on its subject."""
    return value.unsafe if isinstance(value, GuardVerdict) else value


def _worth(form: Format, values: Mapping[str, float] | None) -> dict[str, float]:
    given = dict(values or {})
    missing = [label for label in form.labels if label not in given]
    if missing:
        raise ValueError(f"{form.id} has the labels {', '.join(form.labels)}; values= has no number for {missing[0]!r}")
    return {label: float(given[label]) for label in form.labels}


def _shown(state: TaskState, target: Target, instructions: str, max_tokens: int | None) -> JudgeRequest:
    if target.text:
        template = PromptTemplate.from_yaml(PromptPaths.ANSWERED)
        prompt = template.render(question=state.input_text, answer=target.text, prediction=state.output.completion)
    else:
        template = PromptTemplate.from_yaml(PromptPaths.JUDGED)
        prompt = template.render(objective=state.input_text, conversation=[], response=state.output.completion)
    return JudgeRequest(prompt, system=instructions, max_tokens=max_tokens)


def _material(state: TaskState, target: Target) -> tuple[str, ...]:
    """Return the texts of a sample that the judge is shown."""
    return (state.output.completion, state.input_text, target.text)


def _reading_judge(
    asked: InspectTarget,
    instructions: str,
    form: Format,
    mode: Mode,
    attempts: int,
    max_tokens: int | None,
    convert: Callable[[Any], Any],
) -> InspectScorer:
    """Return a scorer that asks until a reply can be read, or the attempts are used up."""

    async def score(state: TaskState, target: Target) -> Score:
        request, material = _shown(state, target, instructions, max_tokens), _material(state, target)
        ask = 0
        while True:
            reply = await ask_target(asked, replace(request, ask=ask))
            outcome = reply.read(form, mode=mode, material=material)
            ask += 1
            if isinstance(outcome, Reading) or ask >= attempts:
                break
        if isinstance(outcome, Unreadable):
            return _unscored(outcome, reply, ask)
        value = convert(outcome.value)
        if value is None:
            return _unscored(Unreadable("no_verdict", _SILENT), reply, ask)
        return Score(value=value, explanation=reply.text, metadata={**_about(outcome), "attempts": ask})

    return score


def _unscored(unreadable: Unreadable, reply: JudgeReply, attempts: int) -> Score:
    return Score.unscored(
        reason=GRADER_FAILED,
        explanation=f"{unreadable.reason}: {unreadable.detail}",
        metadata={
            "unreadable": unreadable.reason,
            "format": unreadable.format,
            "reply": reply.text,
            "attempts": attempts,
        },
    )


def _about(reading: Reading) -> dict[str, Any]:
    return {
        "format": reading.format,
        "mode": reading.mode,
        "rule": reading.rule,
        "evidence": reading.evidence,
        "invented": reading.invented,
    }


def _converted(score: JudgecoreScore) -> Score:
    about: dict[str, Any] = {**score.score_metadata, "attempts": score.attempts}
    if score.scorer_identifier is not None:
        about["scorer_hash"] = score.scorer_identifier.hash
    if isinstance(score.reading, Reading):
        about |= _about(score.reading)
    if score.is_undetermined:
        return Score.unscored(
            reason=GRADER_FAILED,
            explanation=score.score_rationale or score.undetermined_reason,
            metadata={**about, "unreadable": score.undetermined_reason},
        )
    return Score(value=score.get_value(), explanation=score.score_rationale, metadata=about)


def _response(state: TaskState, target: Target, reference: str | None, *, of_prompt: bool) -> Response:
    if reference is not None and reference not in state.metadata:
        raise ValueError(f"sample {state.sample_id} has no {reference!r} in its metadata, which reference= names")
    other = target.text if reference is None else str(state.metadata[reference])
    fields = {"question": state.input_text, "answer": target.text, "response_b": other}
    if of_prompt:
        return Response(text=state.input_text, fields=fields, name=f"sample {state.sample_id}")
    return Response(
        text=state.output.completion if state.output.choices else None,
        conversation=tuple(_turns(state)),
        objective=state.input_text,
        fields=fields,
        name=f"sample {state.sample_id}",
    )


def _turns(state: TaskState) -> list[ConversationTurn]:
    """Return the turns of user and assistant before the output, without tools and system prompts."""
    messages = list(state.messages)
    if messages and isinstance(messages[-1], ChatMessageAssistant):
        messages.pop()
    turns: list[ConversationTurn] = []
    for message in messages:
        if isinstance(message, ChatMessageUser):
            turns.append(ConversationTurn("user", message.text))
        elif isinstance(message, ChatMessageAssistant) and message.text:
            turns.append(ConversationTurn("assistant", message.text))
    return turns
