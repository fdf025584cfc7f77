"""Requests: what is hashed, what is sent, and what is never part of either."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc
from judgecore.errors import AuthenticationError, RequestError
from judgecore.server import JudgeServer

if TYPE_CHECKING:
    from pathlib import Path

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
KEY = "a-key-that-nobody-may-see"


def openai(**settings: Any) -> jc.OpenAITarget:
    options: dict[str, Any] = {"base_url": "http://127.0.0.1:9/v1", "api_key": KEY, **settings}
    return jc.OpenAITarget("m", **options)


def anthropic(**settings: Any) -> jc.AnthropicTarget:
    options: dict[str, Any] = {"base_url": "http://127.0.0.1:9", "api_key": KEY, **settings}
    return jc.AnthropicTarget("m", **options)


def body(target: jc.OpenAITarget | jc.AnthropicTarget, request: jc.JudgeRequest) -> dict[str, Any]:
    return json.loads(target.payload(request))


def test_trial_and_ask_are_no_part_of_the_question_and_all_else_is() -> None:
    plain = jc.JudgeRequest("Is it good?")
    others = [
        jc.JudgeRequest("Is it bad?"),
        jc.JudgeRequest("Is it good?", system="You judge."),
        jc.JudgeRequest("Is it good?", schema=SCHEMA),
        jc.JudgeRequest("Is it good?", logprobs=0),
        jc.JudgeRequest("Is it good?", seed=0),
        jc.JudgeRequest("Is it good?", max_tokens=1),
        jc.JudgeRequest("Is it good?", reasoning_effort="low"),
        jc.JudgeRequest([jc.targets.ConversationTurn("assistant", "Is it good?")]),
        jc.JudgeRequest(
            [jc.targets.ConversationTurn("user", "Is it good?", (jc.targets.PromptImage.from_bytes(PNG),))]
        ),
        jc.JudgeRequest(
            [jc.targets.ConversationTurn("user", "Is it good?", (jc.targets.PromptImage.from_bytes(PNG + b"x"),))]
        ),
    ]

    hashes = {request.hash for request in [plain, *others]}

    assert len(hashes) == 1 + len(others)
    assert plain.hash == jc.JudgeRequest("Is it good?", trial=3, ask=2).hash
    assert plain.hash == jc.JudgeRequest([jc.targets.ConversationTurn("user", "Is it good?")]).hash


def test_the_openai_body_has_what_was_asked_for_and_nothing_else() -> None:
    request = jc.JudgeRequest(
        [
            jc.targets.ConversationTurn("user", "Hello"),
            jc.targets.ConversationTurn("assistant", "Hi"),
            jc.targets.ConversationTurn("user", "Good?"),
        ],
        system="You judge.",
        logprobs=5,
        seed=7,
        max_tokens=9,
        reasoning_effort="low",
    )

    full = body(openai(temperature=0.0, top_p=1.0, extra={"user": "me"}), request)
    bare = body(openai(), jc.JudgeRequest("Good?"))

    assert full == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "You judge."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hi"},
            {"role": "user", "content": "Good?"},
        ],
        "temperature": 0.0,
        "top_p": 1.0,
        "logprobs": True,
        "top_logprobs": 5,
        "seed": 7,
        "max_tokens": 9,
        "reasoning_effort": "low",
        "user": "me",
    }
    assert bare == {"model": "m", "messages": [{"role": "user", "content": "Good?"}]}


def test_reasoning_models_call_the_token_limit_otherwise() -> None:
    got = body(openai(max_tokens_key="max_completion_tokens"), jc.JudgeRequest("Good?", max_tokens=9))

    assert got["max_completion_tokens"] == 9
    assert "max_tokens" not in got


@pytest.mark.parametrize(
    ("schema_in", "want"),
    [
        ("json_schema", {"type": "json_schema", "json_schema": {"name": "verdict", "schema": SCHEMA, "strict": True}}),
        ("json_object", {"type": "json_object", "schema": SCHEMA}),
        ("prompt", None),
    ],
)
def test_a_schema_goes_where_the_endpoint_looks_for_it(schema_in: Any, want: dict[str, Any] | None) -> None:
    got = body(openai(schema_in=schema_in), jc.JudgeRequest("Good?", schema=SCHEMA))

    assert want == got.get("response_format")
    assert got["messages"][-1] == {"role": "user", "content": "Good?"}


@pytest.mark.parametrize("target", [openai(schema_in="prompt"), anthropic(schema_in="prompt")])
def test_a_schema_in_the_prompt_stands_before_what_is_judged(target: jc.OpenAITarget | jc.AnthropicTarget) -> None:
    got = body(target, jc.JudgeRequest("Good?", system="You judge.", schema=SCHEMA))

    system = got["system"] if "system" in got else got["messages"][0]["content"]
    assert system.startswith("You judge.")
    assert system.endswith(json.dumps(SCHEMA))
    assert got["messages"][-1] == {"role": "user", "content": "Good?"}


def test_pictures_are_sent_as_bytes_or_as_an_address(tmp_path: Path) -> None:
    file = tmp_path / "x.png"
    file.write_bytes(PNG)
    images = (jc.targets.PromptImage.from_path(file), jc.targets.PromptImage.from_url("https://example.org/x.png"))
    request = jc.JudgeRequest([jc.targets.ConversationTurn("user", "Good?", images)])

    of_openai = body(openai(), request)["messages"][0]["content"]
    of_anthropic = body(anthropic(), request)["messages"][0]["content"]

    data = "iVBORw0KGgoAAAAAAAAAAA=="
    assert of_openai == [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/x.png"}},
        {"type": "text", "text": "Good?"},
    ]
    assert of_anthropic == [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/x.png"}},
        {"type": "text", "text": "Good?"},
    ]


@pytest.mark.parametrize(
    ("start", "want"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (PNG, "image/png"),
    ],
)
def test_a_pictures_type_is_told_from_its_first_bytes(start: bytes, want: str) -> None:
    assert want == jc.targets.PromptImage.from_bytes(start).media_type


def test_what_is_no_picture_is_refused_with_the_cure(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text("no picture")

    with pytest.raises(RequestError, match="pass media_type="):
        jc.targets.PromptImage.from_bytes(b"no picture")
    for name, spelled in (("\ud800.png", r"\\ud800\.png"), ("\0.png", r"\\x00\.png")):
        with pytest.raises(RequestError, match=rf"can't read the image {spelled}: is no name"):
            jc.targets.PromptImage.from_path(name)
    with pytest.raises(RequestError, match=r"x\.txt is no PNG"):
        jc.targets.PromptImage.from_path(file)
    with pytest.raises(RequestError, match="No such file"):
        jc.targets.PromptImage.from_path(tmp_path / "none.png")
    with pytest.raises(RequestError, match="no http or https address"):
        jc.targets.PromptImage.from_url("file:///etc/passwd")
    assert jc.targets.PromptImage.from_bytes(b"bitmap", media_type="image/bmp").media_type == "image/bmp"


def test_the_anthropic_body_has_what_was_asked_for_and_nothing_else() -> None:
    request = jc.JudgeRequest("Good?", system="You judge.", schema=SCHEMA, max_tokens=9, reasoning_effort="low")

    full = body(anthropic(temperature=0.5, top_p=0.9), request)
    bare = body(anthropic(), jc.JudgeRequest("Good?"))

    assert full == {
        "model": "m",
        "max_tokens": 9,
        "system": "You judge.",
        "messages": [{"role": "user", "content": "Good?"}],
        "temperature": 0.5,
        "top_p": 0.9,
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}, "effort": "low"},
    }
    assert bare == {"model": "m", "max_tokens": 4096, "messages": [{"role": "user", "content": "Good?"}]}


@pytest.mark.parametrize("request_", [jc.JudgeRequest("x", seed=1), jc.JudgeRequest("x", logprobs=1)])
def test_what_an_endpoint_does_not_know_is_refused_and_not_dropped(request_: jc.JudgeRequest) -> None:
    with pytest.raises(RequestError, match=r"leave .* None, or use another target"):
        anthropic().payload(request_)


@pytest.mark.parametrize("model", ["", "  ", None])
def test_a_target_without_a_model_is_refused(model: Any) -> None:
    for kind in (jc.OpenAITarget, jc.AnthropicTarget):
        with pytest.raises(RequestError, match="model must be the name of a model"):
            kind(model, base_url="http://127.0.0.1:9", api_key="k")


def test_azure_is_asked_at_the_path_of_a_deployment_with_its_own_header_and_a_version() -> None:
    async def ask(key: str) -> jc.JudgeReply:
        async with JudgeServer(api_key="right") as server:
            root = server.url.removesuffix("/v1")
            async with jc.AzureOpenAITarget("my dep/1", endpoint=f"{root}/", api_key=key, temperature=0) as target:
                assert target.url() == f"{root}/openai/deployments/my%20dep%2F1/chat/completions?api-version=2024-10-21"
                return await target.send(jc.JudgeRequest("Is it good? Answer yes or no.", max_tokens=5))

    assert asyncio.run(ask("right")).text in ("Yes", "No")
    with pytest.raises(AuthenticationError, match="status 401"):
        asyncio.run(ask("wrong"))


@pytest.mark.parametrize(
    ("deployment", "endpoint", "says"),
    [
        (" ", "https://x.openai.azure.com", "deployment must be the name of a deployment"),
        ("d", "https://x.openai.azure.com/openai/v1/", "for the v1 API use OpenAITarget with a base_url"),
        ("d", "", "set AZURE_OPENAI_ENDPOINT"),
    ],
)
def test_what_is_no_deployment_of_azure_is_refused(
    monkeypatch: pytest.MonkeyPatch, deployment: str, endpoint: str, says: str
) -> None:
    monkeypatch.delenv("AZURE_OPENAI_ENDPOINT", raising=False)

    with pytest.raises(RequestError, match=says):
        jc.AzureOpenAITarget(deployment, model="m", endpoint=endpoint)


@given(st.text(), st.text())
def test_the_same_question_is_the_same_bytes_whatever_its_words(prompt: str, system: str) -> None:
    request = jc.JudgeRequest(prompt, system=system)

    payload = openai().payload(request)

    assert payload == openai().payload(jc.JudgeRequest(prompt, system=system))
    assert payload.isascii()
    said = json.loads(payload)["messages"]
    assert [system, prompt] == [message["content"] for message in said]


@pytest.mark.parametrize(
    ("changed", "param"),
    [
        ({"temperature": 0.0}, "temperature"),
        ({"top_p": 0.5}, "top_p"),
        ({"schema_in": "prompt"}, "schema_in"),
        ({"extra": {"user": "me"}}, "extra"),
        ({"base_url": "http://127.0.0.1:8/v1"}, "endpoint"),
    ],
)
def test_each_setting_is_part_of_the_identity(changed: dict[str, Any], param: str) -> None:
    before, after = openai().get_identifier(), openai(**changed).get_identifier()

    assert before.hash != after.hash
    assert before.params[param] != after.params[param]


def test_identities_have_a_public_home_and_the_names_that_evaluation_counts() -> None:
    targets = [
        openai(temperature=0.0, top_p=1.0),
        jc.AzureOpenAITarget("dep", model="m", endpoint="http://127.0.0.1:9", temperature=0.0, top_p=1.0),
        anthropic(temperature=0.0, top_p=1.0),
    ]

    for target in targets:
        identity = target.get_identifier()
        assert identity.class_module == "judgecore"
        assert identity.class_name == type(target).__name__
        assert getattr(jc.targets, identity.class_name) is type(target)
        named = {name: identity.params[name] for name in ("underlying_model_name", "temperature", "top_p")}
        assert named == {"underlying_model_name": "m", "temperature": 0.0, "top_p": 1.0}


def test_the_environment_names_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:7/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:6")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "http://127.0.0.1:5")
    monkeypatch.setenv("OPENAI_API_VERSION", "2030-01-01")

    azure = jc.AzureOpenAITarget("dep")

    assert jc.OpenAITarget("m").base_url == "http://127.0.0.1:7/v1"
    assert jc.AnthropicTarget("m").base_url == "http://127.0.0.1:6"
    assert (azure.base_url, azure.api_version) == ("http://127.0.0.1:5", "2030-01-01")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("ftp://x/v1", "no http or https address"),
        ("x", "no http or https address"),
        ("https://me:secret@x/v1", "holds a password"),
        ("http://[::1", "no valid host and port; write http://host:port/path"),
        ("http://x:99999/v1", "with a port from 1 to 65535"),
        ("http://x:0/v1", "with a port from 1 to 65535"),
        ("http://x:port/v1", "with a port from 1 to 65535"),
        ("http://me:secret/1@x/v1", "no valid host and port"),
        ("http://me:secret@[::1", "no valid host and port"),
        ("ftp://me:secret@x", "no http or https address"),
        ("https://x/v1?key=secret", "holds a query"),
    ],
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused(url: str, says: str) -> None:
    with pytest.raises(RequestError, match=says) as caught:
        openai(base_url=url)

    assert "secret" not in str(caught.value)


def test_azure_without_an_endpoint_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_OPENAI_ENDPOINT", raising=False)

    with pytest.raises(RequestError, match="AZURE_OPENAI_ENDPOINT"):
        jc.AzureOpenAITarget("dep")
