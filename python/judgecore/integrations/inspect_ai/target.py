"""``InspectTarget``: an Inspect model as a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    GenerateConfig,
    ResponseSchema,
    get_model,
)
from inspect_ai.util import JSONSchema

from judgecore.identity import ComponentIdentifier
from judgecore.targets import JudgeReply, TokenUsage

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Model, ModelOutput

    from judgecore.targets import ConversationTurn, JudgeRequest
    from judgecore.targets.reply import ReplyOutcome

_OUTCOMES: dict[str, ReplyOutcome] = {"max_tokens": "cut", "model_length": "cut", "content_filter": "filtered"}


class InspectTarget:
    """An Inspect model as a judge, with Inspect's retries, limits, cache and log.

    Args:
        model: The model or its name; None for the model of the role.
        role: The role, such as ``grader``; if no model has it, the model under test is used.

    Examples:
        ``SelfAskRefusalScorer(chat_target=InspectTarget("openai/gpt-4o"))``
    """

    def __init__(self, model: str | Model | None = None, *, role: str = "grader") -> None:
        self._model = model
        self._role = role

    def get_identifier(self) -> ComponentIdentifier:
        """Return the target's identity: the model's name and sampling parameters."""
        model = self._resolved()
        return ComponentIdentifier(
            class_name="InspectTarget",
            class_module="judgecore",
            params={
                "underlying_model_name": str(model),
                "temperature": model.config.temperature,
                "top_p": model.config.top_p,
            },
        )

    async def send(self, request: JudgeRequest, /) -> JudgeReply:
        """Ask the model.

        Returns:
            The reply. Inspect's exceptions are not converted, because Inspect also uses them for its limits.
        """
        messages: list[ChatMessage] = [] if request.system is None else [ChatMessageSystem(content=request.system)]
        messages.extend(_message(turn) for turn in request.turns)
        return _reply(await self._resolved().generate(messages, config=_config(request)))

    def _resolved(self) -> Model:
        return get_model(role=self._role) if self._model is None else get_model(self._model)

    def __repr__(self) -> str:
        return f"InspectTarget({str(self._model or self._role)!r})"


def _config(request: JudgeRequest) -> GenerateConfig:
    settings: dict[str, Any] = {
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "reasoning_effort": request.reasoning_effort,
    }
    if request.logprobs is not None:
        settings |= {"logprobs": True, "top_logprobs": request.logprobs or None}
    if request.schema is not None:
        schema = JSONSchema.model_validate(dict(request.schema))
        settings["response_schema"] = ResponseSchema(name=request.schema_name, json_schema=schema)
    return GenerateConfig(**{name: value for name, value in settings.items() if value is not None})


def _message(turn: ConversationTurn) -> ChatMessage:
    kinds = {"assistant": ChatMessageAssistant, "system": ChatMessageSystem}
    kind = kinds.get(turn.role, ChatMessageUser)
    if not turn.images:
        return kind(content=turn.text)
    return kind(content=[*(ContentImage(image=one.address) for one in turn.images), ContentText(text=turn.text)])


def _reply(output: ModelOutput) -> JudgeReply:
    usage = output.usage
    counted = TokenUsage() if usage is None else TokenUsage(usage.input_tokens, usage.output_tokens)
    if output.empty:
        return JudgeReply(text=None, outcome="no_text", refusal=output.error, model=output.model, usage=counted)
    choice = output.choices[0]
    text = choice.message.text or None
    without: ReplyOutcome = "tool_calls" if choice.message.tool_calls else "no_text"
    outcome = _OUTCOMES.get(choice.stop_reason, "answered" if text is not None else without)
    logprobs = choice.logprobs
    return JudgeReply(
        text=text,
        outcome="filtered" if output.error is not None else outcome,
        finish_reason=choice.stop_reason,
        refusal=output.error,
        model=output.model,
        logprobs=None if logprobs is None else [one.model_dump() for one in logprobs.content],
        usage=counted,
    )
