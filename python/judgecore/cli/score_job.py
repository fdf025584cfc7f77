"""``ScoreJob``: the options of one scoring run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from judgecore.cli.score_rows import ADDED
from judgecore.tables.files import input_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from judgecore.cli.arguments import Allowance
    from judgecore.tables.files import Kind
    from judgecore.tables.opening import TableOptions
    from judgecore.targets import Budget, PriceTable


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
