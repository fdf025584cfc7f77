"""A pytest plugin: judges in tests, with thresholds, recorded replies, and outcomes for unread and undetermined tests.

It is active if judgecore is installed, and imports the rest of it only when a test uses the fixture ``judge``.
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
    """A test has no result: a reply can't be read, or a score is undetermined.

    Attributes:
        name: ``unread`` or ``undetermined``.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message, pytrace=False)
        self.name = name


class _Kept(Protocol):
    """A ledger, or a read-only replay of one, through which scorers send requests."""

    async def send(self, target: Target, request: JudgeRequest) -> JudgeReply: ...

    def close(self) -> None: ...


class Replay:
    """A read-only ledger: a missing reply is an error, and nothing is sent.

    Args:
        path: The ledger.

    Raises:
        LedgerError: If it can't be read.
    """

    def __init__(self, path: Path) -> None:
        from judgecore.targets import LedgerReader  # noqa: PLC0415 - when a test needs it

        self._path = path
        self._reader = LedgerReader(path)

    async def send(self, target: Target, request: JudgeRequest) -> JudgeReply:
        """Replay a reply.

        Raises:
            NotRecordedError: If there is no reply; the message names the fix.
        """
        from judgecore.errors import NotRecordedError  # noqa: PLC0415 - as above

        name = target.get_identifier().hash
        entry = self._reader.answered(request.hash, trial=request.trial, ask=request.ask, target=name)
        if entry is None:
            asked = f"{request.turns[-1].text[:60]!r} of {target!r}"
            raise NotRecordedError(f"{self._path} has no reply to {asked}; record it with pytest --judge-mode=record")
        return entry.reply()

    def close(self) -> None:
        """Close the file."""
        self._reader.close()


@dataclass
class Judge:
    """The fixture ``judge``: scores of responses, and readings of replies.

    Attributes:
        scores: The scores of this test, in order.
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
        """Score a response, and wait for the score.

        Args:
            scorer: The scorer.
            response: A text, or a ``Response``.
            objective: The objective, if ``response`` is a text.
            fields: Further values that the scorer needs, if ``response`` is a text.
            trial: The number of this trial, from 0.

        Returns:
            The score. If it is undetermined, the test ends with that outcome; with the marker ``judge`` the test
            continues, and the marker's threshold decides.

        Raises:
            NotRecordedError: In replay mode, if the ledger has no reply.
            ValueError: If the scorer returns more than one score.
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
        """Score a response in an async test; otherwise like ``__call__``."""
        from judgecore.scorers import Response  # noqa: PLC0415 - when a test needs it
        from judgecore.scorers.scorer import only_score  # noqa: PLC0415 - as above
        from judgecore.targets import keep_replies  # noqa: PLC0415 - as above

        if isinstance(response, str):
            response = Response(text=response, objective=objective, fields=dict(fields or {}))
        with keep_replies(cast("Ledger | None", self._kept)):
            score = only_score(await scorer.score_present(response, trial=trial), scorer)
        self.scores.append(score)
        if score.is_undetermined and not self._waits:
            why = score.score_rationale or score.error or "there is no value"
            raise UnreadOutcome("undetermined", f"{score.undetermined_reason}: {why}")
        return score

    def read(self, reply: str | None, format: Format | str, **options: Any) -> Any:  # noqa: A002 - the contract's name
        """Read a reply.

        Args:
            reply: The judge's reply.
            format: Its format, or the format's id.
            **options: ``mode`` and ``cut``, as in ``parse``.

        Returns:
            The value. If the reply can't be read, the test ends with the outcome unread.
        """
        from judgecore.reading import Unreadable, parse_many  # noqa: PLC0415 - when a test needs it

        [outcome] = parse_many([reply], format, **options)
        if isinstance(outcome, Unreadable):
            raise UnreadOutcome("unread", f"{outcome.reason}: {outcome.detail}")
        return outcome.value


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """Thresholds for a test's scores: the arguments of the marker ``judge``.

    Attributes:
        min_rate: The minimum share of true scores, or mean of numbers, among determined scores, from 0 to 1.
        max_rate: The maximum of the same.
        max_undetermined: The maximum share of undetermined scores, from 0 to 1.

    Raises:
        ValueError: If one is not from 0 to 1.
    """

    min_rate: float | None = None
    max_rate: float | None = None
    max_undetermined: float = 0.0

    def __post_init__(self) -> None:
        for name in ("min_rate", "max_rate", "max_undetermined"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"{name} of the marker judge must be from 0 to 1, not {value!r}")

    def check(self, scores: list[Score]) -> None:
        """End the test if a threshold is missed."""
        if not scores:
            pytest.fail("a test with the marker judge needs at least one score: judge(scorer, response)")
        unknown = [score for score in scores if score.is_undetermined]
        if len(unknown) > self.max_undetermined * len(scores):
            reasons = ", ".join(sorted({str(score.undetermined_reason) for score in unknown}))
            raise UnreadOutcome(
                "undetermined",
                f"{len(unknown)} of {len(scores)} scores are undetermined ({reasons}), more than "
                f"max_undetermined={self.max_undetermined:g} allows",
            )
        known = [float(score.get_value()) for score in scores if not score.is_undetermined]
        if not known:
            raise UnreadOutcome("undetermined", f"all {len(scores)} scores are undetermined")
        rate = sum(known) / len(known)
        measured = f"the rate is {rate:.3g} over {len(known)} scores ({len(unknown)} undetermined)"
        if self.min_rate is not None and rate < self.min_rate:
            pytest.fail(f"{measured}, below min_rate={self.min_rate:g}", pytrace=False)
        if self.max_rate is not None and rate > self.max_rate:
            pytest.fail(f"{measured}, above max_rate={self.max_rate:g}", pytrace=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("judgecore", "judges in tests")
    group.addoption("--judge-ledger", metavar="FILE", help="Store judges' replies in this ledger.")
    group.addoption(
        "--judge-mode",
        choices=["record", "replay"],
        help="record: ask judges for replies that the ledger lacks; replay: never ask. Both need a ledger; without "
        "one, judges are always asked.  [default with a ledger: replay]",
    )
    parser.addini("judge_ledger", "The ledger of judges' replies, relative to the root folder.", default="")
    parser.addini("judge_mode", "record or replay, if a ledger is named.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and reject a mode without a ledger."""
    mode = _mode_of(config)
    if mode and not _ledger_of(config):
        raise pytest.UsageError(f"judge mode {mode} needs a ledger; name one with --judge-ledger=FILE")
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
    """Score responses and read replies, with recorded replies if a ledger is named."""
    marker = request.node.get_closest_marker("judge")
    if marker is not None:
        _thresholds_of(marker)
    made = Judge(_kept_of(request.config), marker is not None)
    request.node.stash[_SCORES] = made.scores
    return made


def _thresholds_of(marker: pytest.Mark) -> Thresholds:
    """Return the thresholds of a marker; reject unknown arguments."""
    known = ", ".join(one.name for one in fields(Thresholds))
    if marker.args:
        raise pytest.UsageError(
            f"pass the thresholds of the marker judge by name, such as min_rate={marker.args[0]!r}; they are {known}"
        )
    unknown = [name for name in marker.kwargs if name not in known.split(", ")]
    if unknown:
        raise pytest.UsageError(f"the marker judge has no argument {unknown[0]}; its arguments are {known}")
    return Thresholds(**marker.kwargs)


_SCORES = pytest.StashKey["list[Score]"]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Check the scores of a test against its marker after it has run."""
    result = yield
    marker = item.get_closest_marker("judge")
    if marker is not None:
        _thresholds_of(marker).check(item.stash.get(_SCORES, cast("list[Score]", [])))
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Mark the report of a test without a result; it counts as failed, so the exit status is not 0."""
    del item
    report = yield
    problem = None if call.excinfo is None else call.excinfo.value
    if isinstance(problem, UnreadOutcome):
        report.judge_outcome = problem.name  # pyright: ignore[reportAttributeAccessIssue] - reports carry what plugins add
        report.longrepr = f"{problem.name}: {problem.msg}"
    return report


def pytest_report_teststatus(report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str, str] | None:
    """Report tests without a result in a category of their own."""
    name: str | None = getattr(report, "judge_outcome", None)
    return None if name is None else (name, *_LETTERS[name])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List tests without a result, with the reasons."""
    for name in _LETTERS:
        reports = cast("list[pytest.TestReport]", terminalreporter.getreports(name))
        if reports:
            terminalreporter.section(name)
            for report in reports:
                terminalreporter.line(f"{report.nodeid} - {report.longreprtext}")


def _ledger_of(config: pytest.Config) -> str:
    return config.getoption("--judge-ledger") or config.getini("judge_ledger")


def _mode_of(config: pytest.Config) -> str:
    """Return the given mode; empty if none was given."""
    return config.getoption("--judge-mode") or config.getini("judge_mode")


def _kept_of(config: pytest.Config) -> _Kept | None:
    """Return the ledger of the run, opened once; None if none is named."""
    named = _ledger_of(config)
    if not named:
        return None
    if _OPEN not in config.stash:
        path = config.rootpath / named
        mode = _mode_of(config) or "replay"
        if mode not in ("record", "replay"):
            raise pytest.UsageError(f"judge_mode must be 'record' or 'replay', not {mode!r}")
        if mode == "replay" and not path.exists():
            raise pytest.UsageError(f"the ledger {path} does not exist; record it with pytest --judge-mode=record")
        config.stash[_OPEN] = _recording(path) if mode == "record" else Replay(path)
    return config.stash[_OPEN]


def _recording(path: Path) -> _Kept:
    from judgecore.targets import Ledger  # noqa: PLC0415 - when a test needs it

    return Ledger(path)
