"""A recording replays what it holds, and makes nothing up."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.errors import NotRecordedError, RequestError
from judgecore.scorers.configuration import load_target
from judgecore.server import JudgeServer
from judgecore.targets import merge_ledgers

if TYPE_CHECKING:
    from pathlib import Path

REQUEST = jc.JudgeRequest("Is it good? Answer yes or no.", system="You judge.", logprobs=2)


def replay(target: jc.RecordedTarget, request: jc.JudgeRequest) -> jc.JudgeReply:
    return asyncio.run(target.send(request))


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger with one reply of each of two endpoints."""

    async def ask() -> None:
        async with JudgeServer() as server:
            with jc.Ledger(tmp_path / "run.ledger") as ledger:
                async with jc.OpenAITarget("one", base_url=server.url, api_key="k") as target:
                    await ledger.send(target, REQUEST)
                    await ledger.send(target, jc.JudgeRequest("second", trial=1))

    asyncio.run(ask())
    return tmp_path / "run.ledger"


def test_a_ledger_is_replayed_under_the_identity_of_what_was_asked(ledger: Path) -> None:
    target = jc.RecordedTarget(ledger)

    reply = replay(target, REQUEST)

    assert (reply.text, reply.attempts, len(reply.logprobs or ())) == ("No", 0, 1)
    assert target.get_identifier().class_name == "OpenAITarget"
    assert target.get_identifier().params["underlying_model_name"] == "one"
    assert replay(target, jc.JudgeRequest("second", trial=1)).model == "judgecore-serve-is-no-model"


def test_an_export_is_replayed_like_its_ledger(ledger: Path, tmp_path: Path) -> None:
    export = tmp_path / "run.jsonl"
    with jc.LedgerReader(ledger) as reading:
        export.write_text("".join(json.dumps(entry.to_json()) + "\n" for entry in reading.entries()))

    of_ledger, of_export = jc.RecordedTarget(ledger), jc.RecordedTarget(export)

    assert of_ledger.get_identifier() == of_export.get_identifier()
    one, other = replay(of_ledger, REQUEST), replay(of_export, REQUEST)
    for name in ("text", "outcome", "finish_reason", "model", "logprobs", "usage", "key"):
        assert getattr(one, name) == getattr(other, name)


def test_an_export_tells_which_configuration_of_the_model_answered(tmp_path: Path) -> None:
    told = jc.JudgeReply(text="Yes", model="m-1", fingerprint="fp_1")
    judge, export = jc.CallableTarget(lambda _: told, name="judge"), tmp_path / "run.jsonl"
    with jc.Ledger(tmp_path / "run.ledger") as ledger:
        asyncio.run(ledger.send(judge, REQUEST))
        export.write_text("".join(json.dumps(entry.to_json()) + "\n" for entry in ledger.entries()))

    assert replay(jc.RecordedTarget(export), REQUEST).fingerprint == "fp_1"


@pytest.mark.parametrize(
    "request_",
    [
        jc.JudgeRequest("Is it good? Answer yes or no."),
        jc.JudgeRequest("Is it good? Answer yes or no.", system="You judge.", logprobs=2, trial=1),
        jc.JudgeRequest("Is it good? Answer yes or no.", system="You judge.", logprobs=2, ask=1),
        jc.JudgeRequest("second"),
    ],
)
def test_what_was_not_recorded_is_refused(ledger: Path, request_: jc.JudgeRequest) -> None:
    with pytest.raises(NotRecordedError, match="the recording has no reply"):
        replay(jc.RecordedTarget(ledger), request_)


def test_of_several_targets_one_must_be_named(ledger: Path, tmp_path: Path) -> None:
    other, both = tmp_path / "other.ledger", tmp_path / "both.ledger"
    with jc.Ledger(other) as kept:
        asyncio.run(kept.send(jc.CallableTarget(lambda _: "Perhaps", name="other"), REQUEST))
    merge_ledgers(both, [ledger, other])
    name = jc.RecordedTarget(other).get_identifier().hash

    with pytest.raises(RequestError, match=r"holds 2 such targets; pass target= as one of: .*\(one\)"):
        jc.RecordedTarget(both)
    with pytest.raises(RequestError, match="holds 0 such targets"):
        jc.RecordedTarget(both, target="ffff")
    assert replay(jc.RecordedTarget(both, target=name[:8]), REQUEST).text == "Perhaps"


def test_lines_answer_by_prompt_by_system_and_prompt_or_by_hash() -> None:
    target = jc.RecordedTarget(
        [
            {"prompt": "Good?", "reply": "Yes"},
            {"prompt": "Good?", "system": "Be strict.", "reply": "No", "outcome": "cut", "finish_reason": "length"},
            {"request_hash": jc.JudgeRequest("Good?", seed=1).hash, "reply": None},
            {"prompt": "Good?", "trial": 1, "reply": "Perhaps"},
        ]
    )

    replies = [
        replay(target, jc.JudgeRequest("Good?")),
        replay(target, jc.JudgeRequest("Good?", system="Be kind.", max_tokens=3)),
        replay(target, jc.JudgeRequest("Good?", system="Be strict.")),
        replay(target, jc.JudgeRequest("Good?", seed=1)),
        replay(target, jc.JudgeRequest("Good?", trial=1)),
    ]

    assert [reply.text for reply in replies] == ["Yes", "Yes", "No", None, "Perhaps"]
    assert [reply.outcome for reply in replies] == ["answered", "answered", "cut", "no_text", "answered"]


def test_a_recording_is_what_it_holds() -> None:
    yes, no = ([{"prompt": "Good?", "reply": reply}] for reply in ("Yes", "No"))

    assert jc.RecordedTarget(yes).get_identifier() == jc.RecordedTarget(list(yes)).get_identifier()
    assert jc.RecordedTarget(yes).get_identifier() != jc.RecordedTarget(no).get_identifier()


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([{"reply": "Yes"}], "line 1 of the recording needs 'reply', and 'prompt' or 'request_hash'"),
        ([{"prompt": "Good?"}], "line 1 of the recording needs"),
        ([{"prompt": "Good?", "reply": "Yes", "model": []}], r"line 1 of the recording: model must be text, not \[\]"),
        ([{"prompt": "Good?", "reply": "Yes", "fingerprint": 1}], "line 1 of the recording: fingerprint must be text"),
        (
            [{"prompt": "Good?", "reply": "Yes"}, {"prompt": "Good?", "reply": "No"}],
            "line 2 of the recording contradicts an earlier line",
        ),
    ],
)
def test_a_line_that_is_none_is_named(lines: list[dict[str, Any]], says: str) -> None:
    with pytest.raises(RequestError, match=says):
        jc.RecordedTarget(lines)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"prompt": "x"\n', "line 1 is not JSON: "),
        (b"[]\n", "line 1 is not a JSON object"),
        (b'{"prompt": "x", "reply": "y"}\n\xff\n', "line 2 is not valid UTF-8"),
    ],
)
def test_a_file_that_is_none_is_named(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(content)

    with pytest.raises(RequestError, match=rf"run\.jsonl, {says}"):
        jc.RecordedTarget(file)


def test_a_line_separator_inside_a_reply_is_no_new_line(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_text('{"prompt": "x", "reply": "a\u2028b"}\n\n', "utf-8")

    assert replay(jc.RecordedTarget(file), jc.JudgeRequest("x")).text == "a\u2028b"


def test_a_recording_that_a_file_names_and_nobody_can_read_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("type: recorded\nsource: missing.jsonl\n")

    with pytest.raises(jc.errors.ConfigurationError, match=r"t\.yaml: can't read '.*missing\.jsonl': No such file"):
        load_target(tmp_path / "t.yaml")
