"""A dead endpoint costs probes and no rows: on a clock that the tests move, and over real connections."""

from __future__ import annotations

import asyncio
import random
import socket
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc
from judgecore.errors import BadRequestError, ConnectError, EndpointDownError, ServerError, TargetError
from judgecore.server import JudgeServer
from judgecore.targets.circuit_breaker import CircuitBreaker
from judgecore.targets.pacing import Pacer, Pacing

if TYPE_CHECKING:
    from targets.conftest import ScriptedServer, VirtualClock

REFUSED, FAILED = ConnectError("refused"), ServerError("status 503")
OK = b'{"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}]}'


def breaker(**settings: float) -> CircuitBreaker:
    return CircuitBreaker(**{"no_answer_s": 25.0, "outage_s": 600.0, **settings}, backoff_s=lambda n: 2.0 ** (n - 1))


def fail(circuit: CircuitBreaker, times: int, problem: TargetError = FAILED, *, now: float = 0, **about: bool) -> None:
    for _ in range(times):
        circuit.take_failure(problem, now, **{"is_probe": False, "is_first": True, **about})


def probe(circuit: CircuitBreaker, now: float) -> None:
    """A probe that fails."""
    assert circuit.wait_s(now, 0) == 0
    assert circuit.let_through()
    fail(circuit, 1, now=now, is_probe=True)


class TestStates:
    @pytest.mark.parametrize(
        ("problem", "times", "is_first", "state"),
        [
            (REFUSED, 4, False, "closed"),
            (REFUSED, 5, False, "open"),
            (FAILED, 7, True, "closed"),
            (FAILED, 8, True, "open"),
            (FAILED, 99, False, "closed"),
        ],
    )
    def test_refused_connections_and_failures_of_different_requests_open_it(
        self, problem: TargetError, times: int, is_first: bool, state: str
    ) -> None:
        circuit = breaker()

        fail(circuit, times, problem, is_first=is_first)

        assert circuit.state == state

    def test_two_failed_requests_and_ten_seconds_without_an_answer_open_it(self) -> None:
        silent, answering = breaker(), breaker()

        for circuit in (silent, answering):
            fail(circuit, 1)
        answering.take_answer(is_probe=False)
        for circuit in (silent, answering):
            fail(circuit, 1, now=10)

        assert (silent.state, answering.state) == ("open", "closed")

    def test_one_answer_in_ten_that_fails_does_not_open_it(self) -> None:
        circuit, chance = breaker(), random.Random(0)  # noqa: S311 - no secret

        for now in range(10_000):
            if chance.random() < 0.1:
                fail(circuit, 1, now=now)
            else:
                circuit.take_answer(is_probe=False)

        assert circuit.state == "closed"

    def test_an_open_circuit_lets_one_probe_through_after_each_back_off(self) -> None:
        circuit = breaker()
        fail(circuit, 8)

        waits = []
        for now in (1, 3, 7):
            waits.append(circuit.wait_s(now - 1, 0))
            probe(circuit, now)

        assert (waits, circuit.n_probes) == ([1, 1, 1], 3)

    def test_nothing_passes_beside_a_probe_and_its_answer_closes_the_circuit(self) -> None:
        circuit = breaker()
        fail(circuit, 8)
        circuit.let_through()

        beside = circuit.wait_s(5, 0)
        circuit.take_answer(is_probe=True)

        assert (beside, circuit.state, circuit.wait_s(5, 0)) == (float("inf"), "closed", 0)

    def test_a_probe_that_is_cancelled_leaves_the_next_one_its_place(self) -> None:
        circuit = breaker()
        fail(circuit, 8)
        circuit.let_through()

        circuit.end_probe()

        assert (circuit.state, circuit.wait_s(1, 0)) == ("open", 0)

    @pytest.mark.parametrize(
        ("has_answered", "given_up_at", "setting"), [(False, 25, "no_answer_s"), (True, 600, "outage_s")]
    )
    def test_it_gives_up_after_its_time_and_says_why_and_what_to_do(
        self, has_answered: bool, given_up_at: float, setting: str
    ) -> None:
        circuit = breaker()
        if has_answered:
            circuit.take_answer(is_probe=False)
        fail(circuit, 8)
        probe(circuit, 1)
        circuit.wait_s(given_up_at - 0.001, 0)

        with pytest.raises(EndpointDownError, match=f"s: status 503; start it .*; {setting} of pacing"):
            circuit.wait_s(given_up_at, 0)

    def test_it_does_not_give_up_while_other_requests_are_in_flight_that_may_be_answered(self) -> None:
        circuit = breaker()
        fail(circuit, 8)
        probe(circuit, 1)

        assert circuit.wait_s(60, 3) == 0
        with pytest.raises(EndpointDownError):
            circuit.wait_s(60, 0)

    def test_given_up_it_refuses_at_once_and_probes_again_after_a_pause(self) -> None:
        circuit = breaker()
        fail(circuit, 8)
        probe(circuit, 1)

        for now in (25, 25.9, 26.8):
            with pytest.raises(EndpointDownError):
                circuit.wait_s(now, 0)

        assert circuit.wait_s(27.9, 0) == 0

    def test_an_untrusted_certificate_is_given_up_after_one_probe(self) -> None:
        circuit, untrusted = breaker(), ConnectError("certificate verify failed")
        untrusted.is_final = True
        fail(circuit, 5, untrusted)

        circuit.wait_s(0, 0)
        circuit.let_through()
        fail(circuit, 1, untrusted, is_probe=True)

        with pytest.raises(EndpointDownError, match="certificate verify failed"):
            circuit.wait_s(0, 0)

    @given(
        st.lists(
            st.tuples(st.sampled_from(["answer", "refused", "failed", "pass", "end"]), st.floats(0, 5)), max_size=80
        )
    )
    def test_whatever_happens_an_answered_probe_closes_it_and_at_most_one_is_out(
        self, events: list[tuple[str, float]]
    ) -> None:
        circuit, now, is_out = breaker(), 0.0, False

        for event, later in events:
            now += later
            if event == "pass":
                try:
                    wait = circuit.wait_s(now, 0)
                except EndpointDownError:
                    continue
                if wait == 0 and circuit.let_through():
                    assert not is_out
                    is_out = True
            elif event == "answer":
                circuit.take_answer(is_probe=is_out)
                assert not is_out or circuit.state == "closed"
                is_out = False
            elif event == "end":
                circuit.end_probe()
                is_out = False
            else:
                fail(circuit, 1, REFUSED if event == "refused" else FAILED, now=now, is_probe=is_out)
                is_out = False
            assert (circuit.state == "half_open") == is_out


def run(
    clock: VirtualClock, n: int, base_url: str, *, concurrency: int = 8, **settings: Any
) -> tuple[list[Any], jc.OpenAITarget]:
    """What requests end with, when the time between them passes at once."""

    async def send() -> list[Any]:
        async with target:
            requests = [jc.JudgeRequest(f"{number}: good? Answer yes or no.") for number in range(n)]
            return await jc.send_many(target, requests, concurrency=concurrency)

    target = jc.OpenAITarget("m", base_url=base_url, api_key="k")
    target.pacer = Pacer(Pacing(**settings), clock=clock, chance=random.Random(0))  # noqa: S311 - jitter keeps no secret
    return clock.run(send(), is_busy=lambda: target.pacer.in_flight > 0), target


@pytest.fixture
def nowhere() -> str:
    """The address of a port at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


class TestRuns:
    @pytest.mark.parametrize("concurrency", [1, 64])
    def test_a_run_that_nothing_answers_ends_in_30_seconds_with_every_place_not_sent(
        self, clock: VirtualClock, nowhere: str, concurrency: int
    ) -> None:
        results, target = run(clock, 100, nowhere, concurrency=concurrency)

        assert {EndpointDownError} == {type(one) for one in results}
        assert 20 < clock.now() <= 30
        assert "has answered nothing for 25 s: no connection to 127.0.0.1:" in str(results[0])
        assert target.pacer.in_flight == 0

    @pytest.mark.parametrize("concurrency", [1, 8])
    def test_a_judge_that_always_fails_is_given_up_in_30_seconds(self, clock: VirtualClock, concurrency: int) -> None:
        async def send() -> tuple[list[Any], int]:
            async with JudgeServer(faults={"status.503": 1.0}) as server:
                target = jc.OpenAITarget("m", base_url=server.url, api_key="k")
                target.pacer = Pacer(Pacing(), clock=clock, chance=random.Random(0))  # noqa: S311 - no secret
                busy.append(target)
                requests = [jc.JudgeRequest(f"{number}: good?") for number in range(100)]
                async with target:
                    return await jc.send_many(target, requests, concurrency=concurrency), server.seen

        busy: list[jc.OpenAITarget] = []
        results, seen = clock.run(send(), is_busy=lambda: bool(busy) and busy[0].pacer.in_flight > 0)

        assert clock.now() <= 30
        assert sum(isinstance(one, EndpointDownError) for one in results) >= 98
        assert seen < 50

    def test_requests_that_are_at_fault_themselves_never_open_it(self) -> None:
        async def send() -> list[Any]:
            async with JudgeServer(faults={"status.400": 1.0}) as server:
                target = jc.OpenAITarget("m", base_url=server.url, api_key="k")
                busy.append(target)
                async with target:
                    return await jc.send_many(target, [jc.JudgeRequest(f"{one}?") for one in range(40)], concurrency=8)

        busy: list[jc.OpenAITarget] = []
        results = asyncio.run(send())

        assert {BadRequestError} == {type(one) for one in results}
        assert busy[0].pacer.breaker.state == "closed"

    @pytest.mark.parametrize("concurrency", [1, 8])
    def test_an_endpoint_that_goes_away_and_comes_back_is_probed_and_costs_no_request_its_attempts(
        self, clock: VirtualClock, scripted: ScriptedServer, concurrency: int
    ) -> None:
        down_from, down_to, seen = 50, 300.0, 0
        refused: list[float] = []

        async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal seen
            while True:
                await scripted.read_request(reader)
                seen += 1
                if seen > down_from and clock.now() < down_to:
                    refused.append(clock.now())
                    return
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(OK), OK))
                await writer.drain()

        async def send() -> tuple[list[Any], jc.OpenAITarget]:
            async with scripted(converse) as server:
                target = jc.OpenAITarget("m", base_url=server.url, api_key="k")
                target.pacer = Pacer(Pacing(), clock=clock, chance=random.Random(0))  # noqa: S311 - no secret
                busy.append(target)
                requests = [jc.JudgeRequest(f"{number}: good?") for number in range(200)]
                async with target:
                    return await jc.send_many(target, requests, concurrency=concurrency), target

        busy: list[jc.OpenAITarget] = []
        results, target = clock.run(send(), is_busy=lambda: bool(busy) and busy[0].pacer.in_flight > 0)

        lost = [one for one in results if isinstance(one, TargetError)]
        assert len(lost) <= (1 if concurrency == 1 else 0)
        assert down_to <= clock.now() < down_to + 20
        assert len(refused) < 60
        assert target.pacer.breaker.state == "closed"

    def test_a_probe_that_hangs_ends_when_the_endpoint_is_given_up(self, scripted: ScriptedServer) -> None:
        hung: list[bool] = []

        async def converse(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
            await scripted.read_request(reader)
            if scripted.n_connections > 10:
                hung.append(True)
                await asyncio.sleep(3600)

        async def send() -> list[Any]:
            pacing = Pacing(backoff_s=0.01, no_answer_s=0.3)
            async with (
                scripted(converse) as server,
                jc.OpenAITarget("m", base_url=server.url, api_key="k", pacing=pacing) as target,
            ):
                return await jc.send_many(target, [jc.JudgeRequest(f"{one}?") for one in range(20)], concurrency=10)

        results = asyncio.run(asyncio.wait_for(send(), 30))

        assert hung == [True]
        assert {EndpointDownError} == {type(one) for one in results}
        assert "no whole answer within" in str(results[0])
