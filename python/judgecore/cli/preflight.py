"""Read all rows of a scoring job before the first request, to find what would make the run fail."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from judgecore.cli.message import print_message
from judgecore.cli.score_plan import Plan, PlannedTarget
from judgecore.cli.score_stream import make_scorer, stream_scores, take_rows
from judgecore.cli.score_tally import ScoreTally, show_cost
from judgecore.errors import MissingSlotError, TableError
from judgecore.prompts.document import nearest
from judgecore.tables.arrow import ROWS_FOR_TYPES, RowColumns
from judgecore.tables.files import kind_of
from judgecore.tables.opening import open_rows
from judgecore.tables.rows import Row
from judgecore.targets import TokenCounts
from judgecore.targets.prices import format_amount
from judgecore.terminal import count_noun, escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from judgecore.cli.score_plan import ScoreJob
    from judgecore.scorers import Score
    from judgecore.targets import Budget, PriceTable, Target


@dataclass
class _Lack:
    count: int
    where: str
    known: tuple[str, ...]


@dataclass
class ReadAhead:
    """What reading all rows found."""

    plan: Plan
    tally: ScoreTally = field(default_factory=ScoreTally)
    lacks: dict[str, _Lack] = field(default_factory=dict[str, _Lack])
    columns: dict[str, None] = field(default_factory=dict[str, None])

    def add(self, scores: Sequence[Score], where: str) -> None:
        """Take the scores of one row into account."""
        self.tally.rows += 1
        slots = {name: problem for problem in _missing_slots(scores) for name in problem.slots}
        for name, problem in slots.items():
            self.lacks.setdefault(name, _Lack(0, where, problem.known)).count += 1

    def check(self, scorer: Path | str, file: str) -> None:
        """Report values that prompts show and rows lack; fail if no row has one, with the nearest columns."""
        problems: list[str] = []
        for name, lack in self.lacks.items():
            if lack.count == self.tally.rows:
                cure = escape_controls(nearest(name, lack.known))
                problems.append(f"{scorer} shows {name!r} to the judge, and no row of {file} has it; {cure}")
            else:
                rows = f"{lack.count:,} of {self.tally.rows:,} rows of {file} lack {name!r}, first {lack.where}"
                print_message(f"{rows}; {scorer} shows it to the judge, so they are undetermined")
        if problems:
            raise TableError("\n".join(problems))

    def estimate(self, prices: PriceTable | None, budget: Budget | None) -> str:
        """Return what the run will send and cost, in one line."""
        planned = self.plan.to_json(prices)
        if not planned["to_send"]:
            return ""
        tokens = planned["prompt_tokens"] + planned["completion_tokens"]
        cost = show_cost(prices, planned["cost"])
        limits: list[str] = []
        if budget is not None:
            spent = TokenCounts.sum(self.plan.spent.values()).total
            if budget.max_tokens is not None and spent + tokens > budget.max_tokens:
                limits.append(f"--max-tokens {budget.max_tokens:,}")
            before = None if prices is None else prices.cost(self.plan.spent)
            whole = None if before is None or planned["cost"] is None else before + planned["cost"]
            if budget.max_cost is not None and whole is not None and whole > budget.max_cost:
                limits.append(f"--max-cost {format_amount(budget.max_cost)}")
        over = f"; {' and '.join(limits)} will end it early" if limits else ""
        parts = (count_noun(planned["to_send"], "request"), count_noun(tokens, "token"), cost)
        return f"about {', '.join(part for part in parts if part)}{over}"


def _missing_slots(scores: Sequence[Score]) -> Iterator[MissingSlotError]:
    for score in scores:
        for problem in (score.error, score.error and score.error.__cause__):
            if isinstance(problem, MissingSlotError):
                yield problem
        yield from _missing_slots(score.parts)


async def read_ahead(job: ScoreJob, *, is_silent: bool = False) -> ReadAhead:
    """Read all rows, and fill their prompts without sending them."""
    found = ReadAhead(Plan.for_ledger(job.ledger, is_batch=job.is_batch, budget=job.budget))

    judges: list[PlannedTarget] = []

    def wrap(target: Target) -> Target:
        judges.append(PlannedTarget(target, found.plan))
        return judges[-1]

    scorer = make_scorer(job, wrap)
    with ExitStack() as stack:
        table = stack.enter_context(open_rows(job.file, job.kind, job.table))
        typed = _TypedOutput() if table.kind == "jsonl" and kind_of(job.output or "") in ("parquet", "arrow") else None

        def take(row: Row, scores: Sequence[Score]) -> None:
            found.columns.update(dict.fromkeys(row.cells))
            found.add(scores, row.where)
            if typed is not None:
                typed.add(row)

        if judges:
            async for row, scores in stream_scores(scorer, job, table, found.tally, is_silent=is_silent):
                take(row, scores)
        else:
            # Nothing is paid, so only the columns matter.
            for row, _ in take_rows(job, table, found.tally, is_silent=is_silent):
                take(row, ())
        if typed is not None:
            typed.convert()
    return found


class _TypedOutput:
    """Converts rows as the writer of a typed table does, to find what does not fit the first rows."""

    def __init__(self) -> None:
        self._waiting: list[Row] = []
        self._columns: RowColumns | None = None

    def add(self, row: Row) -> None:
        self._waiting.append(Row(row.line, row.exact_cells(), place=row.place))
        if len(self._waiting) == ROWS_FOR_TYPES:
            self.convert()

    def convert(self) -> None:
        if self._columns is None:
            self._columns = RowColumns(self._waiting)
        self._columns.piece(self._waiting)
        self._waiting = []
