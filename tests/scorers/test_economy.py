"""What requests have in common comes first in them, so that an endpoint can take it from its prefix cache.

Scorers, builders and their settings are found by introspection, so a new one is held to it, too.
"""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

import pytest
from server.test_every_prompt import BUILDERS, judges, settings_of

import judgecore as jc
from judgecore import prompts, scorers
from judgecore.targets import ConversationTurn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from judgecore.scorers import JudgeScorer

LONG = "\n".join(f"line {number} of what is judged" for number in range(400))
OPENAI = jc.OpenAITarget("any", base_url="http://127.0.0.1:1/v1", api_key="any")


class Collecting:
    """A judge that keeps what it is asked, and answers nothing that can be read."""

    def __init__(self) -> None:
        self.requests: list[jc.JudgeRequest] = []

    async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
        self.requests.append(request)
        return jc.JudgeReply(text="Nothing.")

    def get_identifier(self) -> jc.ComponentIdentifier:
        return jc.ComponentIdentifier(class_name="Collecting", class_module="tests")


def response_of(name: str, text: str | None = None) -> jc.scorers.Response:
    """A response of which no line stands in another's."""
    fields = {one: f"{name} {one}" for one in ("question", "answer", "response_b", "context")}
    turns = (ConversationTurn("user", f"{name} asks"), ConversationTurn("assistant", f"{name} answers"))
    text = text or f"{name} response\n{name} again"
    return jc.scorers.Response(text=text, conversation=turns, objective=f"{name} objective", fields=fields)


def requests_of(kind: Callable[..., JudgeScorer], settings: dict[str, Any], response: Any) -> list[jc.JudgeRequest]:
    """What a scorer asks about a response, each question once."""
    judge = Collecting()
    scorer = kind(chat_target=judge, max_reading_attempts=1, **settings)
    asyncio.run(scorer.score_async(response))
    return judge.requests


def as_read(request: jc.JudgeRequest) -> str:
    """A request in the order in which endpoints show it to the model."""
    return "\n".join([request.system_with_schema or "", *(turn.text for turn in request.turns)])


def without_criterion(request: jc.JudgeRequest) -> str:
    """A request without what sets it apart from others about the same response."""
    text, last = as_read(request), request.turns[-1]
    return text[: len(text) - len(last.text) + last.n_shared] if last.n_shared else text


def n_shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many of the first characters or lines are the same."""
    return next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(one))


def lines_apart(one: str, other: str) -> list[str]:
    """The lines that two texts share after the first in which they differ."""
    first, second = one.split("\n"), other.split("\n")
    shared = n_shared(first, second)
    rest = [set(lines[shared:]) for lines in (first, second)]
    return sorted(line for line in rest[0] & rest[1] if line)


POLICY = prompts.GuardPolicy.from_yaml(prompts.GuardPolicyPaths.LLAMA_GUARD_3)


def asked_late(kind: type[JudgeScorer], settings: dict[str, Any]) -> list[str]:
    """What requests about two responses share behind the first difference."""
    asked = [requests_of(kind, settings, response_of(name)) for name in ("Alpha", "Omega")]
    assert len(asked[0]) == len(asked[1]) > 0, settings
    first, second = asked[0][0], asked[1][0]
    bodies = [OPENAI.payload(one).decode() for one in (first, second)]
    before = bodies[0].index("Alpha") - len("<objective 0123456789abcdef>\\n")
    assert n_shared(*bodies[:2]) >= min(before, len(as_read(first)) - len(first.turns[-1].text)), settings
    return lines_apart(*map(without_criterion, (first, second)))


@pytest.mark.parametrize("kind", judges())
def test_whatever_is_the_same_for_all_responses_comes_before_the_response(kind: type[JudgeScorer]) -> None:
    # Where the schema stands makes no difference here.
    every = {repr(settings): settings for settings, _ in settings_of(kind)}
    if kind is scorers.LlamaGuardScorer:
        every["policy"] = {"policy": POLICY}

    assert every
    assert {name: late for name, settings in every.items() if (late := asked_late(kind, settings))} == {}


@pytest.mark.parametrize("path", list(prompts.RubricPaths))
def test_criteria_of_a_rubric_share_all_but_their_last_line(path: prompts.RubricPaths) -> None:
    asked = requests_of(scorers.RubricScorer, {"rubric_path": path, "calls": "each"}, response_of("Alpha", LONG))

    bodies = [OPENAI.payload(one).decode() for one in asked]
    texts = [as_read(one).rsplit("\n", 1) for one in asked]

    assert len({before for before, _ in texts}) == 1
    assert len({criterion for _, criterion in texts}) == len(asked) > 1
    assert n_shared(*bodies[:2]) > bodies[0].index(LONG.rsplit("\n", 1)[1])
    for one in asked:
        last = one.turns[-1]
        assert last.text[: last.n_shared] == asked[0].turns[-1].text[: last.n_shared]
        assert "\n" not in last.text[last.n_shared :]


@pytest.mark.parametrize("build", BUILDERS, ids=lambda build: build.__name__)
def test_whatever_is_the_same_comes_before_what_a_builder_is_given(build: Callable[..., str]) -> None:
    slots = [
        name for name in inspect.signature(build).parameters
        if name in ("question", "answer", "prediction", "response1", "response2", "context")
    ]  # fmt: skip

    one, other = (build(**{slot: f"{name} {slot}" for slot in slots}) for name in ("Alpha", "Omega"))

    headings = [f"[{heading}]" for heading in ("Question", "Reference answer", "Standard answer", "Context")]
    assert [line for line in lines_apart(one, other) if not line.startswith("[")] == []
    assert n_shared(one, other) >= min(one.find(head) for head in headings if head in one)


def test_a_question_that_is_asked_again_begins_with_what_was_asked_before() -> None:
    judge = Collecting()
    scorer = scorers.SelfAskTrueFalseScorer(chat_target=judge, say_what_was_wrong=True)

    asyncio.run(scorer.score_async(response_of("Alpha")))

    texts: Sequence[str] = [as_read(one) for one in judge.requests]
    assert len(texts) == 3
    assert all(text.startswith(texts[0]) for text in texts)


def cut_at(limit: int | None) -> jc.JudgeReply:
    usage = jc.targets.TokenUsage(20, limit)
    return jc.JudgeReply(text='{"rationale": "It', outcome="cut", finish_reason="length", usage=usage)


def asked_until(*replies: Any, **options: Any) -> tuple[jc.Score, list[jc.JudgeRequest]]:
    """The score that replies give, one after the other, and what was asked."""
    given = iter(replies)

    class Scripted(Collecting):
        async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
            self.requests.append(request)
            if isinstance(reply := next(given), Exception):
                raise reply
            return reply

    judge = Scripted()
    scorer = scorers.SelfAskTrueFalseScorer(chat_target=judge, **options)
    [score] = asyncio.run(scorer.score_async(response_of("Alpha")))
    return score, judge.requests


WHOLE = jc.JudgeReply(text='{"rationale": "It is.", "description": "d", "metadata": "", "score_value": true}')
NO_ROOM = jc.errors.BadRequestError("max_tokens is too large")


@pytest.mark.parametrize(
    ("replies", "options", "limits", "reason"),
    [
        ([cut_at(50), WHOLE], {"max_tokens": 50}, [50, 200], None),
        ([cut_at(50), cut_at(200)], {"max_tokens": 50}, [50, 200], "truncated"),
        ([cut_at(4096), WHOLE], {}, [None, 16384], None),
        ([cut_at(None)], {}, [None], "truncated"),
        ([cut_at((1 << 63) - 1)], {}, [None], "truncated"),
        ([cut_at(50), jc.JudgeReply(text="hm"), WHOLE], {"max_tokens": 50}, [50, 200, 200], None),
        ([cut_at(50), NO_ROOM], {"max_tokens": 50}, [50, 200], "truncated"),
        ([cut_at(50)], {"max_tokens": 50, "max_reading_attempts": 1}, [50], "truncated"),
    ],
    ids=[
        "longer",
        "twice",
        "endpoints_limit",
        "unknown_limit",
        "largest_limit",
        "then_unreadable",
        "no_room",
        "one_attempt",
    ],
)
def test_a_cut_reply_is_asked_again_once_with_a_larger_limit(
    replies: list[Any], options: dict[str, Any], limits: list[int | None], reason: str | None
) -> None:
    score, asked = asked_until(*replies, **options)

    assert [one.max_tokens for one in asked] == limits
    assert [one.ask for one in asked] == list(range(len(asked)))
    assert (score.undetermined_reason, score.attempts) == (reason, len(asked) - (NO_ROOM in replies))


def test_an_endpoint_that_rejects_the_first_question_is_no_truncated_reply() -> None:
    with pytest.raises(jc.errors.BadRequestError):
        asked_until(NO_ROOM)
