"""``ScoreJob``: the options of one scoring run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from judgecore.cli.arguments import Allowance
from judgecore.cli.score_rows import ADDED
from judgecore.tables.files import input_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from judgecore.tables.files import Kind
    from judgecore.tables.opening import TableOptions
    from judgecore.targets import Budget, PriceTable


@dataclass(frozen=True)
class ScoreJob:
    """The options of one run.

    Attributes:
        file: The input table; ``-`` is standard input.
        kind: The kind of table.
        table: How to read it.
        scorer: The scorer's file.
        target: The target's file; None if the scorer asks no judge, or names its own.
        ledger: The file in which replies are stored; None to store none.
        output: The output; None to write no rows, ``-`` is standard output.
        asked: The columns that the caller named, by role.
        shard: The shard's number, from 1, and the number of shards.
        limit: The maximum number of rows; None for all.
        concurrency: How many rows are scored at once.
        trial: The number of this trial, from 0.
        prefix: The prefix of the added columns' names.
        prices: The prices of tokens; None if unknown.
        budget: How much may be spent; None for no limit.
        registry: The folder of the registry of metrics; None for the default one.
        allow_outside: Whether to read files outside the folder of the file that names them.
        is_batch: Whether to send the requests in batches.
        is_waiting: Whether to wait for the replies of the batches.
        report: The HTML report to write; None to write none.
        allowance: How many rows may be undetermined.
        has_preflight: Whether to check everything that can be checked before and with the first request.
    """

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
    registry: Path | None = None
    allow_outside: bool = False
    is_batch: bool = False
    is_waiting: bool = False
    report: Path | None = None
    allowance: Allowance = field(default_factory=Allowance)
    has_preflight: bool = True

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
