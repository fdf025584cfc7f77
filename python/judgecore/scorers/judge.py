"""``JudgeScorer``: the base class of scorers that ask a judge, with prompt, target and reader."""

from __future__ import annotations

import difflib
import inspect
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict, cast

from judgecore.errors import BadRequestError, MissingSlotError, PromptError
from judgecore.prompts import PromptPaths, PromptTemplate
from judgecore.prompts.document import nearest
from judgecore.reading import Unreadable
from judgecore.scorers.response import Response, TurnSelection, check_selection
from judgecore.scorers.scorer import Scorer
from judgecore.targets import ConversationTurn, JudgeRequest, PromptImage, Target, ask_target
from judgecore.targets.reply import MOST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from enum import Enum
    from os import PathLike

    from judgecore.identity import ComponentIdentifier
    from judgecore.scorers.reader import JudgeVerdict, ReplyReader
    from judgecore.scorers.score import Score

READING_ATTEMPTS = 3

# A reply that was cut off is asked again once, with so many times its tokens.
_MORE_TOKENS = 4

# Where a target stands and what is written in its own rule of identity; the rest of it can change a verdict.
_OF_THE_TARGET = frozenset({"underlying_model_name", "model_name", "temperature", "top_p"})
_WHERE_IT_STANDS = frozenset({"endpoint", "base_url", "deployment", "deployment_name", "api_version"})

_IN_IMAGES = "{} is what the attached image shows."

_PROBLEMS = {
    "missing": "it had no text",
    "empty": "it was empty",
    "no_verdict": "there was no verdict in it",
    "ambiguous": "it held two verdicts that contradict each other",
    "out_of_range": "its verdict does not lie on the scale",
    "echoed": "the only verdict in it was quoted from a text that it was shown",
    "truncated": "it was cut off before its verdict was complete",
    "malformed": "its verdict did not have the form that was asked for",
    "refused": "it declined to judge",
    "too_large": "it was too long",
    "low_mass": "the likely first words were not among those that were asked for",
}


class JudgeOptions(TypedDict, total=False):
    """Options of every scorer that asks a judge.

    Attributes:
        turns: Which earlier turns of a conversation the judge sees: ``last`` for none, ``exchange`` for the last user
            turn, ``all`` (the default).
        max_reading_attempts: The maximum number of requests until a reply can be read; 3 by default. A reply that
            reached its token limit is requested again once, with four times the limit.
        say_what_was_wrong: Whether a repeated request says why the last reply could not be read; False by default.
        max_tokens: The maximum tokens of a reply, a reasoning model's reasoning included; the endpoint's own limit by
            default.
        seed: The sampling seed; none by default.
        reasoning_effort: The endpoint's reasoning effort; none by default.
    """

    turns: TurnSelection
    max_reading_attempts: int
    say_what_was_wrong: bool
    max_tokens: int | None
    seed: int | None
    reasoning_effort: str | None


@dataclass(frozen=True, kw_only=True)
class JudgeQuestion:
    """What a judge is asked about one response.

    Attributes:
        turns: The turns that it is shown.
        system: The system prompt; None for none.
        schema: The JSON Schema of the reply; None for none.
        logprobs: As ``JudgeRequest.logprobs``.
    """

    turns: tuple[ConversationTurn, ...]
    system: str | None = None
    schema: Mapping[str, Any] | None = None
    logprobs: int | None = None


@dataclass(frozen=True, kw_only=True)
class JudgeAnswer:
    """The result of asking a judge.

    Attributes:
        verdict: The verdict on the scorer's scale; None if no reply could be read.
        unreadable: Why the last reply could not be read; None if it could.
        attempts: The number of requests.
        ledger_key: The ledger key of the last reply; None without a ledger.
    """

    verdict: JudgeVerdict | None
    unreadable: Unreadable | None
    attempts: int
    ledger_key: str | None


def _no_keyword(kind: type[JudgeScorer], name: str, cure: str) -> TypeError:
    return TypeError(f"{kind.__name__} takes no {name}=; {cure}")


class JudgeScorer(Scorer):
    """The base class of scorers that ask a judge.

    An unreadable reply is requested again. If no reply can be read, the score is undetermined: never false and never 0.

    Attributes:
        chat_target: The judge.
        reader: What reads its replies.
        system_prompt: The system prompt; None for none.
        prompt: The template that shows the response.
        schema: The JSON Schema that its replies must match; None for none.
        category: What is judged; it becomes ``Score.score_category``.
        renamed_keywords: PyRIT's names of keywords, with the names to use.
        options_type: The class of its other keywords.
    """

    renamed_keywords: ClassVar[Mapping[str, str]] = {}
    options_type: ClassVar[type[Any]] = JudgeOptions

    def __new__(cls, *_: Any, **keywords: Any) -> Self:
        """Refuse renamed keywords before a constructor misses the new ones."""
        for renamed in cls.renamed_keywords.keys() & keywords.keys():
            raise _no_keyword(cls, renamed, f"use {cls.renamed_keywords[renamed]}=")
        return super().__new__(cls)

    def __init__(
        self,
        *,
        chat_target: Target,
        reader: ReplyReader,
        system_prompt: str | None,
        prompt: PromptTemplate,
        schema: Mapping[str, Any] | None = None,
        category: Sequence[str] = (),
        options: JudgeOptions,
    ) -> None:
        for unknown in options.keys() - JudgeOptions.__annotations__.keys():
            known = [*inspect.signature(type(self)).parameters, *self.options_type.__annotations__]
            known.remove("options")
            near = difflib.get_close_matches(unknown, known, n=1)
            raise _no_keyword(type(self), unknown, f"use {near[0]}=" if near else f"it takes {', '.join(known)}")
        if not isinstance(cast("object", chat_target), Target):
            raise TypeError(f"chat_target must be a Target, not {type(chat_target).__name__}")
        attempts = options.get("max_reading_attempts", READING_ATTEMPTS)
        if attempts < 1:
            raise ValueError(f"max_reading_attempts must be at least 1, not {attempts}")
        self.chat_target = chat_target
        self.reader = reader
        self.system_prompt = system_prompt
        self.prompt = prompt
        self.schema = schema
        self.category = tuple(name for name in category if name)
        if self.score_type == "float_scale":
            self.labelled_data = self.labelled_data or next(iter(self.category), None)
        self._max_reading_attempts = attempts
        self._turns: TurnSelection = check_selection(options.get("turns", "all"))
        self._say_what_was_wrong = options.get("say_what_was_wrong", False)
        self._max_tokens = options.get("max_tokens")
        self._seed = options.get("seed")
        self._reasoning_effort = options.get("reasoning_effort")

    @abstractmethod
    def interpret(self, verdict: JudgeVerdict) -> JudgeVerdict | Unreadable:
        """Convert a judge's verdict to the scorer's scale.

        Args:
            verdict: What the reader found.

        Returns:
            The verdict with the score as its value, or why it is not on the scale; then the judge is asked again.
        """

    def values(self, response: Response) -> dict[str, Any]:
        """Return the values of the prompt's slots for a response."""
        return {
            **response.fields,
            "objective": response.objective,
            "conversation": [
                {"role": turn.role, "text": shown_text(turn.text, turn.images)} for turn in response.seen(self._turns)
            ],
            "response": shown_text(response.text, response.images, name="The response"),
        }

    def question(self, response: Response) -> JudgeQuestion:
        """Return what the judge is asked about a response.

        Raises:
            PromptError: If the prompt has a slot that the response can't fill.
        """
        shown = fill(self.prompt, self.values(response), str(response))
        images = [image for turn in response.seen(self._turns) for image in turn.images]
        return self.asked(shown, images=(*images, *response.images))

    def asked(self, prompt: str, *, images: Sequence[PromptImage] = ()) -> JudgeQuestion:
        """Return a question with this prompt and these images."""
        return JudgeQuestion(
            turns=(ConversationTurn("user", prompt, tuple(images)),), system=self.system_prompt, schema=self.schema
        )

    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Ask the judge about one response."""
        answer = await self.ask(self.question(response), self.interpret, trial=trial, material=response.material)
        return [self.settle(answer, response)]

    async def ask(
        self,
        question: JudgeQuestion,
        interpret: Callable[[JudgeVerdict], JudgeVerdict | Unreadable],
        *,
        trial: int,
        reader: ReplyReader | None = None,
        material: Sequence[str] = (),
    ) -> JudgeAnswer:
        """Ask the judge until a reply can be read, at most ``max_reading_attempts`` times.

        A reply that was cut off is asked again once, with four times the limit that it reached; not at all if that
        limit is unknown.

        Args:
            question: What it is asked.
            interpret: Converts a verdict to the scorer's scale.
            trial: The number of the independent judgement.
            reader: What reads the replies; the scorer's own by default.
            material: The texts that the judge is shown; a verdict copied from them does not count.

        Raises:
            TargetError: If there is no reply.
        """
        read = (reader or self.reader).read
        request = self._request(question, trial=trial)
        is_longer = False
        answer = JudgeAnswer(verdict=None, unreadable=None, attempts=0, ledger_key=None)
        for ask in range(self._max_reading_attempts):
            try:
                reply = await ask_target(self.chat_target, replace(request, ask=ask))
            except BadRequestError:
                if not is_longer:
                    raise
                # The endpoint has no room for a longer reply.
                break
            found = read(reply, material=material)
            verdict = found if isinstance(found, Unreadable) else interpret(found)
            if not isinstance(verdict, Unreadable):
                return JudgeAnswer(verdict=verdict, unreadable=None, attempts=ask + 1, ledger_key=reply.key)
            answer = JudgeAnswer(verdict=None, unreadable=verdict, attempts=ask + 1, ledger_key=reply.key)
            limit = request.max_tokens or reply.usage.completion_tokens or 0
            if reply.cut:
                if is_longer or not 0 < limit <= MOST // _MORE_TOKENS:
                    break
                is_longer = True
                request = replace(request, max_tokens=_MORE_TOKENS * limit)
            if self._say_what_was_wrong:
                request = replace(request, prompt=(*question.turns, *_correction(reply.text, verdict)))
        return answer

    def settle(self, answer: JudgeAnswer, response: Response) -> Score:
        """Convert an answer to a score."""
        common: dict[str, Any] = {
            "attempts": answer.attempts,
            "ledger_key": answer.ledger_key,
            "objective": response.objective,
        }
        verdict = answer.verdict
        if verdict is None:
            unreadable = answer.unreadable if answer.unreadable is not None else Unreadable("missing")
            return self.make_undetermined(
                unreadable.reason,
                reading=unreadable,
                score_rationale=f"no reply could be read: {unreadable.reason}: {unreadable.detail}",
                score_category=list(self.category),
                **common,
            )
        return self.make_score(
            verdict.value,
            score_rationale=verdict.rationale,
            score_value_description=verdict.description,
            score_category=list(dict.fromkeys((*self.category, *verdict.category))),
            score_metadata=verdict.metadata,
            reading=verdict.reading,
            **common,
        )

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        return {
            "system_prompt": self.system_prompt,
            "prompt": self.prompt.text,
            "schema": None if self.schema is None else dict(self.schema),
            "category": list(self.category) or None,
            "turns": self._turns,
            "max_reading_attempts": self._max_reading_attempts,
            "say_what_was_wrong": self._say_what_was_wrong,
            "max_tokens": self._max_tokens,
            "seed": self._seed,
            "reasoning_effort": self._reasoning_effort,
            "target_settings": _settings_of(self.chat_target.get_identifier()),
        }

    def children(self) -> dict[str, ComponentIdentifier | Sequence[ComponentIdentifier]]:
        """Return the identities of the judge and the reader."""
        return {"prompt_target": self.chat_target.get_identifier(), "reader": self.reader.get_identifier()}

    def _request(self, question: JudgeQuestion, *, trial: int) -> JudgeRequest:
        return JudgeRequest(
            question.turns,
            system=question.system,
            schema=question.schema,
            logprobs=question.logprobs,
            seed=self._seed,
            max_tokens=self._max_tokens,
            reasoning_effort=self._reasoning_effort,
            trial=trial,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}(chat_target={self.chat_target!r})"


def shown_text(text: str | None, images: Sequence[PromptImage], *, name: str = "This message") -> str:
    """Return what a prompt shows of a turn: its text, or a note if it consists of images only."""
    return text or (_IN_IMAGES.format(name) if images else "")


def fill(
    template: PromptTemplate, values: Mapping[str, Any], what: str, *, others: Sequence[PromptTemplate] = ()
) -> str:
    """Fill a template's declared slots; others that are filled later are checked too."""
    wanted = [name for name in template.parameters if name != "tag"]
    every = dict.fromkeys((*wanted, *(name for other in others for name in other.parameters if name != "tag")))
    missing = [name for name in every if name not in values]
    if missing:
        names = ", ".join(missing)
        known = [name for name, value in values.items() if value is not None and value != []]
        problem = MissingSlotError(f"{what} has no {names}, which the prompt shows; {nearest(missing[0], known)}")
        problem.slots, problem.known = tuple(missing), tuple(known)
        raise problem
    return template.render(**{name: values[name] for name in wanted})


def render_declared(template: PromptTemplate, values: Mapping[str, Any]) -> str:
    """Render a template with those of the values that it declares."""
    return template.render(**{name: value for name, value in values.items() if name in template.parameters})


def to_template(template: PromptTemplate | str | PathLike[str] | Enum, *, shows: Sequence[str] = ()) -> PromptTemplate:
    """Return a template, from its file if necessary, that declares at least one of the slots ``shows``."""
    known = template if isinstance(template, PromptTemplate) else _from_file(template)
    if shows and not set(shows).intersection(known.parameters):
        raise PromptError(
            f"{known.name} has no slot {shows[0]!r}, so the judge would not see what it judges; declare it"
        )
    return known


def schema_of(
    template: PromptTemplate, parser: object, shipped: PromptPaths, schema: Mapping[str, Any] | None = None
) -> Mapping[str, Any] | None:
    """Return the JSON Schema sent with a system prompt: its own, or ``schema`` if it is the shipped one.

    None with a ``response_parser``, because the parser defines the form.
    """
    if parser is not None:
        return None
    if template.response_schema is not None:
        return template.response_schema
    return schema if template == _shipped(shipped) else None


def _from_file(path: str | PathLike[str] | Enum) -> PromptTemplate:
    return _shipped(path) if isinstance(path, PromptPaths) else PromptTemplate.from_yaml(path)


@cache
def _shipped(path: PromptPaths) -> PromptTemplate:
    """A shipped template, read once."""
    return PromptTemplate.from_yaml(path)


def _correction(text: str | None, unreadable: Unreadable) -> tuple[ConversationTurn, ...]:
    """The judge's last reply, and why it could not be read, without any text of the response."""
    said = _shipped(PromptPaths.REASK).render(problem=_PROBLEMS[unreadable.reason])
    return (ConversationTurn("assistant", text or ""), ConversationTurn("user", said))


def _settings_of(target: ComponentIdentifier) -> dict[str, Any] | None:
    """The params of a target that can change a verdict but are not in ``eval_hash`` as params of the target."""
    wrapped = target.children_of("targets")
    named = (wrapped[0] if wrapped else target).params
    settings = {
        name: value
        for name, value in named.items()
        if value is not None and name not in _OF_THE_TARGET and name not in _WHERE_IT_STANDS
    }
    return settings or None
