"""``FirstReplies``: end a run whose first replies can't be read, before the others are paid for."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from judgecore.errors import (
    AuthenticationError,
    BadRequestError,
    ConfigurationError,
    ConnectError,
    QuotaError,
    TargetError,
)
from judgecore.prompts.document import read_document
from judgecore.reading import Unreadable
from judgecore.targets.registration import TARGETS
from judgecore.terminal import count_noun, escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from judgecore.cli.arguments import Allowance
    from judgecore.scorers import Score
    from judgecore.targets import JudgeReply, JudgeRequest, RequestTally

# So many rows may be refused by the judge or by the endpoint until the run stops; what was said may be to blame.
REFUSED_ROWS = 3
# So many rows may be undetermined, if --allow-unread permits it.
UNREAD_ROWS = 5
_SHOWN = 2000
_REFUSALS = frozenset({"refused", "error"})


def prompt_text(request: JudgeRequest | None) -> str:
    """Return a request as text."""
    if request is None:
        return "no row has a prompt: the scorer asks no judge, or no row can be scored"
    parts = [] if request.system is None else [f"system:\n{request.system}"]
    for turn in request.turns:
        images = f" with {count_noun(len(turn.images), 'image')}" if turn.images else ""
        parts.append(f"{turn.role}{images}:\n{turn.text}")
    if request.schema is not None:
        parts.append(f"schema:\n{json.dumps(request.schema, ensure_ascii=False)}")
    return escape_controls("\n\n".join(parts), keep="\n")


class FirstReplyError(click.ClickException):
    """The first replies can't be read, or there are none."""

    exit_code = click.UsageError.exit_code


class FirstReplies:
    """Checks the first replies of a run, one after another, until one has a verdict."""

    def __init__(self, allowance: Allowance, rows: int | None, target: Path | None, tally: RequestTally) -> None:
        self._rows = sys.maxsize if rows is None else rows
        self.is_done = allowance.permits(self._rows, self._rows)
        self._allowance = allowance
        self._tally = tally
        self._target = target
        self._failed: list[tuple[str, Score]] = []
        # The request of the first row that failed, and the reply.
        self._first_asked: tuple[JudgeRequest, JudgeReply] | None = None

    def check(self, where: str, score: Score) -> None:
        """Check the score of the next row, and fail if more rows have no readable reply than are allowed."""
        if not score.is_undetermined or score.is_not_asked:
            self.is_done = True
            return
        asked = next((one for one in _flatten(score) if one.attempts or isinstance(one.error, TargetError)), None)
        if asked is None:
            # The row's own fault: nothing was asked.
            return
        if not self._failed:
            self._first_asked = self._tally.last
        self._failed.append((where, asked))
        n_failed = len(self._failed)
        if asked.undetermined_reason in _REFUSALS and n_failed < REFUSED_ROWS:
            return
        if n_failed < UNREAD_ROWS and self._allowance.permits(n_failed, self._rows):
            return
        raise FirstReplyError(self._explain())

    def _explain(self) -> str:
        """Explain the first row that failed, and count the others."""
        (where, score), *others = self._failed
        after = f"\n{count_noun(len(others), 'row')} after it failed too" if others else ""
        if isinstance(score.error, TargetError):
            said = f"the judge gave no reply to {where}: {escape_controls(str(score.error))}"
            return f"{said}{explain_cure(score.error, self._target)}{after}\n{_STOPPED}"
        why = f"{score.reading.reason}: {score.reading.detail}" if isinstance(score.reading, Unreadable) else ""
        said = escape_controls(why or score.score_rationale)
        asked = count_noun(score.attempts, "time")
        lines = [f"the judge's reply to {where} can't be read ({said}); it was asked {asked}{after}"]
        if self._first_asked is not None:
            request, reply = self._first_asked
            lines += ["", "the prompt:", _indented(prompt_text(request)), "", "the reply:"]
            lines += [_indented(escape_controls(reply.text or f"(no text: {reply.outcome})", keep="\n")), ""]
        cure = "let the prompt ask for what the scorer reads, or give the scorer's file the format of the replies"
        return "\n".join([*lines, cure, _STOPPED])


_STOPPED = (
    "nothing else was asked, and nothing is written; --allow-unread N permits N undetermined rows, and --no-preflight "
    "leaves out this check"
)


def _flatten(score: Score) -> Iterator[Score]:
    """Yield a score and its parts that have no value."""
    yield score
    for part in score.parts:
        if part.is_undetermined:
            yield from _flatten(part)


def describe_error(problem: Exception, target: Path | None) -> str:
    """Return an error that ends a run, where it occurred (its notes), and what to do about it."""
    where = "".join(f" ({note})" for note in getattr(problem, "__notes__", ()))
    return f"{problem}{where}{explain_cure(problem, target)}"


def explain_cure(problem: Exception, target: Path | None) -> str:
    """Return what to do about a target's error, in the words of the command line; "" if that is unknown."""
    file = "the judge's file" if target is None else str(target)
    if isinstance(problem, AuthenticationError):
        return f"; check {_key_variable(target)}, and base_url in {file}"
    if isinstance(problem, QuotaError):
        return "; add credit to the account"
    if isinstance(problem, ConnectError):
        return f"; check base_url in {file}, and that the server runs"
    if isinstance(problem, BadRequestError):
        return f"; check model, base_url and schema_in in {file}"
    return ""


def _key_variable(target: Path | None) -> str:
    """Return the name of the environment variable that holds a target's key."""
    name = None if target is None else read_document(target, ConfigurationError).get("type")
    kind = TARGETS.find(name) if isinstance(name, str) else None
    return str(getattr(kind, "key_variable", "the key in the environment"))


def _indented(text: str) -> str:
    cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]} [...]"
    return "\n".join(f"  {line}" for line in cut.split("\n"))
