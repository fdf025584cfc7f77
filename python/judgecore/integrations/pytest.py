"""A pytest plugin: judges in tests, with thresholds, recorded replies, and outcomes of their own for what is unread.

It is active wherever judgecore is installed, and imports nothing of it before a test uses the fixture ``judge``.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Protocol, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

    from judgecore.reading import Format
    from judgecore.scorers import Response, Score, Scorer
    from judgecore.targets import JudgeReply, JudgeRequest, Ledger, Target

__all__ = ["Judge", "Replay", "Thresholds", "UnreadOutcome", "judge"]

_LETTERS = {"unread": ("u", "UNREAD"), "undetermined": ("U", "UNDETERMINED")}
_OPEN = pytest.StashKey["_Kept"]()


class UnreadOutcome(pytest.fail.Exception):
    """A test that could not be decided: a reply could not be read, or a score has no value.

    Attributes:
        name: ``unread`` or ``undetermined``.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message, pytrace=False)
        self.name = name


class _Kept(Protocol):
    """What scorers' requests go through: a ledger, or what replays one."""

    async def send(self, target: Target, request: JudgeRequest) -> JudgeReply: ...

    def close(self) -> None: ...


class Replay:
    """A ledger that is only read: what is not there is an error, and nothing is ever sent.

    Args:
        path: The ledger.

    Raises:
        LedgerError: If there is none.
    """

    def __init__(self, path: Path) -> None:
        from judgecore.targets import LedgerReader  # noqa: PLC0415 - when a test needs it

        self._path = path
        self._reader = LedgerReader(path)

    async def send(self, target: Target, request: JudgeRequest) -> JudgeReply:
        """Replay a reply.

        Args:
            target: What it was received from.
            request: What was asked.

        Raises:
            NotRecordedError: If there is none; the cure is named.
        """
        from judgecore.errors import NotRecordedError  # noqa: PLC0415 - as above

        name = target.get_identifier().hash
        entry = self._reader.answered(request.hash, trial=request.trial, ask=request.ask, target=name)
        if entry is None:
            asked = f"{request.turns[-1].text[:60]!r} of {target!r}"
            raise NotRecordedError(f"{self._path} has no reply to {asked}; record it: pytest --judge-mode=record")
        return entry.reply()

    def close(self) -> None:
        """Close the file."""
        self._reader.close()


@dataclass
class Judge:
    """What the fixture ``judge`` gives: scorers' verdicts on responses, and readings of replies.

    Attributes:
        scores: The scores that this test has asked for, in order.
    """

    _kept: _Kept | None
    _waits: bool
    scores: list[Score] = field(default_factory=list["Score"])

    def __call__(
        self,
        scorer: Scorer,
        response: Response | str,
        *,
        objective: str | None = None,
        fields: Mapping[str, str] | None = None,
        trial: int = 0,
    ) -> Score:
        """Score a response, and wait.

        Args:
            scorer: What scores it.
            response: The text, or a response.
            objective: What a text was to achieve.
            fields: What else the scorer needs, of a text.
            trial: Which of several independent judgements it is.

        Returns:
            The verdict. Where it is undetermined, the test ends with that outcome; under the marker ``judge`` it goes
            on, and the marker's threshold decides.

        Raises:
            NotRecordedError: If replies are only replayed, and one is not there.
            ValueError: If the scorer gives more than one score.
        """
        return asyncio.run(self.score(scorer, response, objective=objective, fields=fields, trial=trial))

    async def score(
        self,
        scorer: Scorer,
        response: Response | str,
        *,
        objective: str | None = None,
        fields: Mapping[str, str] | None = None,
        trial: int = 0,
    ) -> Score:
        """Score a response in a test that is async; else as a call."""
        from judgecore.scorers import Response  # noqa: PLC0415 - when a test needs it
        from judgecore.scorers.scorer import only_score  # noqa: PLC0415 - as above
        from judgecore.targets import keep_replies  # noqa: PLC0415 - as above

        if isinstance(response, str):
            response = Response(text=response, objective=objective, fields=dict(fields or {}))
        with keep_replies(cast("Ledger | None", self._kept)):
            score = only_score(await scorer.score_present(response, trial=trial), scorer)
        self.scores.append(score)
        if score.is_undetermined and not self._waits:
            raise UnreadOutcome("undetermined", _why(score))
        return score

    def read(self, reply: str | None, format: Format | str, **options: Any) -> Any:  # noqa: A002 - the contract's name
        """Read a reply.

        Args:
            reply: The judge's words.
            format: What it was asked to answer.
            **options: ``mode`` and ``cut``, as in ``parse``.

        Returns:
            The value. Where it can't be read, the test ends with the outcome unread.
        """
        from judgecore.reading import Unreadable, parse_many  # noqa: PLC0415 - when a test needs it

        [outcome] = parse_many([reply], format, **options)
        if isinstance(outcome, Unreadable):
            raise UnreadOutcome("unread", f"{outcome.reason}: {outcome.detail}")
        return outcome.value


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """What a test's scores must keep: the arguments of the marker ``judge``.

    Attributes:
        min_rate: The least share of true scores, or the least mean of numbers, among those with a value; 0 to 1.
        max_rate: The greatest.
        max_undetermined: The greatest share of scores without a value; 0 to 1.

    Raises:
        ValueError: If one is no share.
    """

    min_rate: float | None = None
    max_rate: float | None = None
    max_undetermined: float = 0.0

    def __post_init__(self) -> None:
        for name in ("min_rate", "max_rate", "max_undetermined"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"{name} of the marker judge is a share from 0 to 1, not {value!r}")

    def check(self, scores: list[Score]) -> None:
        """End the test if a threshold is missed.

        Args:
            scores: What the test has asked for.
        """
        if not scores:
            pytest.fail("a test with the marker judge asks for at least one score: judge(scorer, response)")
        unknown = [score for score in scores if score.is_undetermined]
        if len(unknown) > self.max_undetermined * len(scores):
            reasons = ", ".join(sorted({str(score.undetermined_reason) for score in unknown}))
            raise UnreadOutcome(
                "undetermined",
                f"{len(unknown)} of {len(scores)} scores are undetermined ({reasons}), more than "
                f"max_undetermined={self.max_undetermined:g} permits",
            )
        known = [float(score.get_value()) for score in scores if not score.is_undetermined]
        if not known:
            raise UnreadOutcome("undetermined", f"all {len(scores)} scores are undetermined")
        rate = sum(known) / len(known)
        said = f"the rate is {rate:.3g} of {len(known)} scores ({len(unknown)} undetermined)"
        if self.min_rate is not None and rate < self.min_rate:
            pytest.fail(f"{said}, below min_rate={self.min_rate:g}", pytrace=False)
        if self.max_rate is not None and rate > self.max_rate:
            pytest.fail(f"{said}, above max_rate={self.max_rate:g}", pytrace=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("judgecore", "judges in tests")
    group.addoption("--judge-ledger", metavar="FILE", help="Keep judges' replies in this ledger.")
    group.addoption(
        "--judge-mode",
        choices=["record", "replay"],
        help="record: ask for what the ledger lacks; replay: ask nobody. Both need a ledger; without one judges are "
        "asked.  [default with a ledger: replay]",
    )
    parser.addini("judge_ledger", "The ledger of judges' replies, from the root folder.", default="")
    parser.addini("judge_mode", "record or replay, where a ledger is named.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Explain the marker, and refuse a mode that has no ledger to go by."""
    mode = _mode_of(config)
    if mode and not _ledger_of(config):
        raise pytest.UsageError(f"the judge's mode {mode} needs a ledger; name one: --judge-ledger=FILE")
    config.addinivalue_line(
        "markers",
        "judge(min_rate=None, max_rate=None, max_undetermined=0.0): thresholds for all scores of the fixture judge.",
    )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Close the ledger."""
    kept = config.stash.get(_OPEN, None)
    if kept is not None:
        kept.close()


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Judge:
    """Scores of responses and readings of replies, recorded or replayed if a ledger is named."""
    marker = request.node.get_closest_marker("judge")
    if marker is not None:
        _thresholds_of(marker)
    made = Judge(_kept_of(request.config), marker is not None)
    request.node.stash[_SCORES] = made.scores
    return made


def _thresholds_of(marker: pytest.Mark) -> Thresholds:
    """What a marker asks for; an argument that would be passed over is refused."""
    known = ", ".join(one.name for one in fields(Thresholds))
    if marker.args:
        raise pytest.UsageError(
            f"the marker judge takes its thresholds by name, such as min_rate={marker.args[0]!r}; it takes {known}"
        )
    unknown = [name for name in marker.kwargs if name not in known.split(", ")]
    if unknown:
        raise pytest.UsageError(f"the marker judge takes no {unknown[0]}; it takes {known}")
    return Thresholds(**marker.kwargs)


_SCORES = pytest.StashKey["list[Score]"]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Hold the scores of a test against its marker, once it is through."""
    result = yield
    marker = item.get_closest_marker("judge")
    if marker is not None:
        _thresholds_of(marker).check(item.stash.get(_SCORES, cast("list[Score]", [])))
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Mark the report of a test that could not be decided; it is no pass, so the run does not end with 0."""
    del item
    report = yield
    problem = None if call.excinfo is None else call.excinfo.value
    if isinstance(problem, UnreadOutcome):
        report.judge_outcome = problem.name  # pyright: ignore[reportAttributeAccessIssue] - reports carry what plugins add
        report.longrepr = f"{problem.name}: {problem.msg}"
    return report


def pytest_report_teststatus(report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str, str] | None:
    """Give what could not be decided a category of its own."""
    name: str | None = getattr(report, "judge_outcome", None)
    return None if name is None else (name, *_LETTERS[name])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List what could not be decided, with the reasons."""
    for name in _LETTERS:
        reports = cast("list[pytest.TestReport]", terminalreporter.getreports(name))
        if reports:
            terminalreporter.section(name)
            for report in reports:
                terminalreporter.line(f"{report.nodeid} - {report.longreprtext}")


def _ledger_of(config: pytest.Config) -> str:
    return config.getoption("--judge-ledger") or config.getini("judge_ledger")


def _mode_of(config: pytest.Config) -> str:
    """The mode that was given; empty where none was."""
    return config.getoption("--judge-mode") or config.getini("judge_mode")


def _kept_of(config: pytest.Config) -> _Kept | None:
    """The ledger of the run, opened once."""
    named = _ledger_of(config)
    if not named:
        return None
    if _OPEN not in config.stash:
        path = config.rootpath / named
        mode = _mode_of(config) or "replay"
        if mode not in ("record", "replay"):
            raise pytest.UsageError(f"judge_mode is 'record' or 'replay', not {mode!r}")
        if mode == "replay" and not path.exists():
            raise pytest.UsageError(f"there is no ledger {path} to replay; record one: pytest --judge-mode=record")
        config.stash[_OPEN] = _recording(path) if mode == "record" else Replay(path)
    return config.stash[_OPEN]


def _recording(path: Path) -> _Kept:
    from judgecore.targets import Ledger  # noqa: PLC0415 - when a test needs it

    return Ledger(path)


def _why(score: Score) -> str:
    return f"{score.undetermined_reason}: {score.score_rationale or score.error or 'there is no value'}"
