"""Our server under lmms-eval's own provider factory, asked as its tasks and verifiers ask."""

from __future__ import annotations

import base64
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.integrations.lmms_eval import TargetServer, install_provider, uninstall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

theirs: Any = pytest.importorskip("lmms_eval.llm_judge", reason="not installed here: make test-integrations")

PROVIDERS: dict[str, type] = theirs.ProviderFactory._provider_classes  # noqa: SLF001 - it can be asked no other way
# The smallest picture there is.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    before = dict(PROVIDERS)
    yield
    uninstall()
    assert before == PROVIDERS


def saying(reply: str) -> jc.CallableTarget:
    return jc.CallableTarget(lambda _: reply, name="demo")


@pytest.mark.parametrize(
    ("reply", "result", "is_failed"), [("1", True, False), ("0 (step 1 is wrong)", False, False), ("Hm.", False, True)]
)
def test_a_verifier_of_lmms_evals_tells_an_unread_reply_from_a_wrong_answer(
    reply: str, result: Any, *, is_failed: bool
) -> None:
    install_provider(saying(reply))

    verifier = import_module("lmms_eval.verifiers.openai").OpenAIVerifier(api_type="judgecore")
    found = verifier.verify("2 + 2?", "four", "4")

    assert (found.is_correct, found.metadata.get("judge_failed", False)) == (result, is_failed)


def test_the_factory_that_reads_the_api_type_asks_over_http_and_keeps_every_reply(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    judge = serve()
    monkeypatch.setenv("OPENAI_API_URL", judge.url)
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    monkeypatch.setenv("API_TYPE", "judgecore")
    with jc.Ledger(tmp_path / "run.ledger") as ledger:
        install_provider(ledger=ledger)
        config = theirs.ServerConfig(model_name="loopback-judge", num_retries=1)
        with theirs.ProviderFactory.create_provider(config=config) as server:
            assert isinstance(server, TargetServer)
            assert isinstance(server, theirs.ServerInterface)
            asked = theirs.Request(messages=[{"role": "user", "content": "Rate it."}], config=server.config)
            first, again = server.evaluate(asked), server.evaluate(asked)
            binary = server.evaluate_binary("Capital of France?", "Paris", "Paris", output_format="yes/no")

        assert (first.success, first.content) == (True, again.content)
        assert (binary["success"], binary["result"]) == (True, True)
        assert ledger.counts()["received"] == 2
    assert judge.count() == 2


def test_pictures_in_the_forms_that_tasks_send_reach_the_judge() -> None:
    seen: list[jc.JudgeRequest] = []
    install_provider(jc.CallableTarget(lambda request: seen.append(request) or "1", name="demo"))
    request = theirs.Request(messages=[{"role": "user", "content": "Is it red?"}], images=[base64.b64encode(PIXEL)])

    with theirs.get_server("judgecore") as server:
        assert server.evaluate(request).content == "1"

    assert len(seen[0].turns[-1].images) == 1


def test_other_providers_stay_as_they_are_and_ours_can_be_installed_again() -> None:
    before = dict(PROVIDERS)

    install_provider(saying("0"))
    install_provider(saying("1"))

    after = dict(PROVIDERS)
    with theirs.get_server("judgecore") as server:
        assert server.evaluate_binary("?", "a", "b")["result"] == 1
    assert before == {name: after[name] for name in before}
    assert after.keys() - before.keys() == {"judgecore"}


def test_uninstalling_leaves_no_provider_behind_and_gives_one_of_that_name_back() -> None:
    install_provider(saying("1"))
    uninstall()
    with pytest.raises(ValueError, match="Unknown API type: judgecore"):
        theirs.get_server("judgecore")

    dummy = PROVIDERS["dummy"]
    theirs.ProviderFactory.register_provider("judgecore", dummy)
    try:
        install_provider(saying("1"))
        uninstall()
        assert PROVIDERS["judgecore"] is dummy
    finally:
        PROVIDERS.pop("judgecore")
