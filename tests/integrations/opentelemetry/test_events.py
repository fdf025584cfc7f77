"""Events of OpenTelemetry, as its own SDK receives them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest

import judgecore as jc

pytest.importorskip("opentelemetry.sdk", reason="not installed here: make test-integrations")

JUDGED = "the response under test"


class Received:
    """A provider of the SDK, and what came to it."""

    def __init__(self) -> None:
        logs = import_module("opentelemetry.sdk._logs")
        export = import_module("opentelemetry.sdk._logs.export")
        self._exporter = export.InMemoryLogRecordExporter()
        self.provider = logs.LoggerProvider()
        self.provider.add_log_record_processor(export.SimpleLogRecordProcessor(self._exporter))

    def events(self) -> list[Any]:
        return [one.log_record for one in self._exporter.get_finished_logs()]

    def attributes(self) -> list[dict[str, Any]]:
        return [dict(event.attributes) for event in self.events()]


@pytest.fixture
def received() -> Received:
    return Received()


def observed(reply: str | Exception, received: Received, **options: Any) -> Any:
    def say(request: jc.JudgeRequest) -> str:
        if isinstance(reply, Exception):
            raise reply
        assert JUDGED in request.turns[-1].text
        return reply

    target = jc.CallableTarget(say, name="demo")
    own = import_module("judgecore.integrations.opentelemetry").ObservedScorer
    scorer = jc.scorers.SelfAskRefusalScorer(chat_target=target)
    return own(scorer, logger_provider=received.provider, **options), scorer


VERDICT = '{"score_value": true, "rationale": "It says: the response under test."}'


def test_a_score_is_an_event_with_its_value(received: Received) -> None:
    scorer, own = observed(VERDICT, received)

    [score] = asyncio.run(scorer.score_text_async(JUDGED))

    [event] = received.events()
    assert event.event_name == "gen_ai.evaluation.result"
    assert dict(event.attributes) == {
        "gen_ai.evaluation.name": "SelfAskRefusalScorer",
        "gen_ai.evaluation.score.value": 1.0,
        "gen_ai.evaluation.score.label": "true",
        "judgecore.attempts": 1,
        "judgecore.format": score.reading.format,
        "judgecore.mode": "lenient",
        "judgecore.rule": score.reading.rule,
        "judgecore.scorer": own.get_identifier().hash[:8],
    }


def test_an_unreadable_reply_is_an_error_type_and_no_value(received: Received) -> None:
    scorer, _ = observed("Who knows?", received)

    [score] = asyncio.run(scorer.score_text_async(JUDGED))

    [attributes] = received.attributes()
    assert score.is_undetermined
    assert (attributes["error.type"], attributes["judgecore.attempts"]) == ("no_verdict", 3)
    assert not [name for name in attributes if ".score." in name]


def test_an_exception_of_a_judge_is_emitted_and_raised(received: Received) -> None:
    scorer, _ = observed(ConnectionError("down"), received)

    with pytest.raises(jc.errors.TargetError):
        asyncio.run(scorer.score_text_async(JUDGED))

    assert [one["error.type"] for one in received.attributes()] == ["CallableError"]


def test_content_is_emitted_only_if_enabled(received: Received) -> None:
    quiet, _ = observed(VERDICT, received)
    telling, _ = observed(VERDICT, received, content=True)

    asyncio.run(quiet.score_text_async(JUDGED))
    asyncio.run(telling.score_text_async(JUDGED))

    first, second = received.attributes()
    assert JUDGED not in str(first)
    assert second["gen_ai.evaluation.explanation"] == f"It says: {JUDGED}."


def test_an_observed_scorer_is_the_same_scorer(received: Received) -> None:
    scorer, own = observed(VERDICT, received)

    assert scorer.get_identifier() == own.get_identifier()
    assert scorer.score_type == own.score_type


def test_an_event_belongs_to_the_callers_span(received: Received) -> None:
    tracer = import_module("opentelemetry.sdk.trace").TracerProvider().get_tracer("test")
    scorer, _ = observed(VERDICT, received)

    with tracer.start_as_current_span("judging") as span:
        asyncio.run(scorer.score_text_async(JUDGED))

    assert received.events()[0].trace_id == span.get_span_context().trace_id


@pytest.mark.parametrize(
    ("reply", "form", "want"),
    [
        ("Rating: [[8]]", "mt_bench.single", {"gen_ai.evaluation.score.value": 8.0}),
        ("[[B]]", "mt_bench.pair", {"gen_ai.evaluation.score.label": "B"}),
        ("unsafe\nS1", "llama_guard.3", {"gen_ai.evaluation.score.label": "unsafe"}),
        ("[[A]] for accuracy, [[B]] for style.", "mt_bench.pair", {"error.type": "ambiguous"}),
        ('{"a": "the response under test"}', "json", {}),
    ],
)
def test_readings_are_events_too(reply: str, form: str, want: dict[str, Any], received: Received) -> None:
    outcome = jc.extract_json(reply) if form == "json" else jc.parse(reply, form)

    import_module("judgecore.integrations.opentelemetry").emit_result(
        "quality", outcome, response_id="r1", logger_provider=received.provider
    )

    [attributes] = received.attributes()
    assert want.items() <= attributes.items()
    assert attributes["gen_ai.response.id"] == "r1"
    assert JUDGED not in str(attributes)


def test_only_the_api_is_needed() -> None:
    code = (
        "import sys; sys.modules['opentelemetry.sdk'] = None\n"
        "from judgecore.integrations.opentelemetry import emit_result\n"
        "import judgecore as jc; emit_result('quality', jc.parse('[[8]]', 'mt_bench.single'))"
    )

    subprocess.run([sys.executable, "-c", code], check=True)
