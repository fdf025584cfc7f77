"""What a run of ``judgecore score`` does, and how many requests it would send."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from judgecore.cli.score_rows import ADDED
from judgecore.cli.score_tally import ScoreTally, show_cost
from judgecore.errors import NotAskedError
from judgecore.tables.files import input_name
from judgecore.targets import LedgerReader, TokenCounts, model_name
from judgecore.targets.budget import BYTES_PER_TOKEN, TOKENS_PER_REPLY, payload_of
from judgecore.targets.ledger.entry import key_of
from judgecore.terminal import count_noun, escape_controls, make_console

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from judgecore.cli.arguments import Allowance
    from judgecore.identity import ComponentIdentifier
    from judgecore.tables.files import Kind
    from judgecore.tables.opening import TableOptions
    from judgecore.targets import Budget, JudgeReply, JudgeRequest, PriceTable, Target


@dataclass(frozen=True)
class ScoreJob:
    """The options of one run, as ``judgecore score`` names and describes them."""

    file: str
    kind: Kind
    table: TableOptions
    scorer: Path
    target: Path | None
    ledger: Path | None
    output: str | None
    asked: Mapping[str, str | None]
    shard: tuple[int, int]
    limit: int | None
    concurrency: int
    trial: int
    prefix: str
    prices: PriceTable | None
    budget: Budget | None
    registry: Path | None
    allow_outside: bool
    is_batch: bool
    is_waiting: bool
    report: Path | None
    allowance: Allowance
    has_preflight: bool

    @property
    def name(self) -> str:
        """The input's name in messages."""
        return input_name(self.file)

    @property
    def added(self) -> tuple[str, ...]:
        """The names of the added columns."""
        return tuple(f"{self.prefix}{name}" for name in ADDED)


def take_shard(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[int, int]:
    """Parse a shard such as ``1/4``."""
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", value.strip(), re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        problem = f"{value!r} is not a shard; write 1/4 for the first of four"
        raise click.BadParameter(problem)
    return int(found[1]), int(found[2])


@dataclass
class Plan:
    """The requests that a run would send."""

    requests: int = 0
    answered: int = 0
    duplicates: int = 0
    to_send: Counter[str] = field(default_factory=Counter[str])
    tokens: dict[str, TokenCounts] = field(default_factory=dict[str, TokenCounts])
    spent: dict[str, TokenCounts] = field(default_factory=dict[str, TokenCounts])
    is_batch: bool = False
    first: JudgeRequest | None = None
    _known: set[str] = field(default_factory=set[str])
    _planned: set[str] = field(default_factory=set[str])

    @classmethod
    def for_ledger(cls, ledger: Path | None, *, is_batch: bool = False, budget: Budget | None = None) -> Plan:
        """Make an empty plan that takes the replies in a ledger, if it exists, into account."""
        plan = cls(is_batch=is_batch)
        if ledger is not None and ledger.is_file():
            with LedgerReader(ledger) as reader:
                plan._known = set(reader.received_keys())
                for target, spent in reader.spent().items() if budget is not None else ():
                    plan.spent.setdefault(model_name(target), TokenCounts()).add(spent)
        return plan

    def add(self, request: JudgeRequest, payload: bytes, target: ComponentIdentifier) -> None:
        """Count a request; one equal to an earlier request is answered by the same reply."""
        name = key_of(hashlib.sha256(payload).hexdigest(), target.hash, request.trial, request.ask)
        self.requests += 1
        self.first = self.first or request
        if name in self._known:
            self.answered += 1
        elif name in self._planned:
            self.duplicates += 1
        else:
            self._planned.add(name)
            prompt = len(payload) // BYTES_PER_TOKEN
            completion = min(request.max_tokens or TOKENS_PER_REPLY, TOKENS_PER_REPLY)
            counts = TokenCounts.of(prompt, completion, is_batch=self.is_batch)
            model = model_name(target)
            self.to_send[model] += 1
            self.tokens.setdefault(model, TokenCounts()).add(counts)

    def to_json(self, prices: PriceTable | None) -> dict[str, Any]:
        """Return it as JSON values."""
        models: dict[str, dict[str, Any]] = {
            model: {
                "to_send": self.to_send[model],
                "prompt_tokens": counts.sent,
                "completion_tokens": counts.received,
                "cost": None if prices is None else prices.cost({model: counts}),
            }
            for model, counts in self.tokens.items()
        }
        return {
            "requests": self.requests,
            "answered": self.answered,
            "duplicates": self.duplicates,
            "to_send": self.to_send.total(),
            **{name: sum(one[name] for one in models.values()) for name in ("prompt_tokens", "completion_tokens")},
            "cost": None if prices is None else prices.cost(self.tokens),
            "currency": None if prices is None else prices.currency or None,
            "models": models,
        }


class PlannedTarget:
    """A target that counts requests instead of sending them."""

    def __init__(self, target: Target, plan: Plan) -> None:
        self._target = target
        self._plan = plan
        self._identity = target.get_identifier()

    async def send(self, request: JudgeRequest, /) -> JudgeReply:
        """Count a request, and raise ``NotAskedError``."""
        self._plan.add(request, payload_of(self._target, request), self._identity)
        raise NotAskedError("counted, not sent")

    def get_identifier(self) -> ComponentIdentifier:
        """Return the target's identity."""
        return self._identity


def print_plan(job: ScoreJob, plan: Plan, tally: ScoreTally, *, as_json: bool) -> None:
    """Print what a run would send."""
    planned = plan.to_json(job.prices)
    if as_json:
        counts = {"rows_in": tally.rows + tally.malformed, "rows": tally.rows, "rejected": tally.malformed}
        click.echo(json.dumps({"file": job.file, "scorer": str(job.scorer), **counts, **planned}, indent=2))
        return
    console = make_console()
    console.print(f"{job.name} by {escape_controls(job.scorer.name)}: {tally.rows:,} rows")
    known = [f"{plan.answered:,} in the ledger"] if plan.answered else []
    known += [count_noun(plan.duplicates, "duplicate")] if plan.duplicates else []
    beside = f" ({', '.join(known)})" if known else ""
    console.print(f"{count_noun(plan.requests, 'request')}{beside}; {planned['to_send']:,} to send")
    several = len(planned["models"]) > 1
    for model, one in [*planned["models"].items(), *([("all", planned)] if several else [])]:
        cost = show_cost(job.prices, one["cost"])
        console.print(
            f"{escape_controls(model)}: {count_noun(one['to_send'], 'request')}, about {one['prompt_tokens']:,} tokens "
            f"to send and {one['completion_tokens']:,} to receive{cost and f', {cost}'}",
            soft_wrap=True,
        )
    console.print("the judge is asked again if a reply can't be read, so there may be more requests", style="dim")
