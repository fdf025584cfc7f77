"""Read the rows of a scoring job, make its scorer, and score row by row."""

from __future__ import annotations

from collections import deque
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from judgecore.cli.asking import prepare_judge
from judgecore.cli.message import print_message
from judgecore.cli.outputs import refuse_taken_names
from judgecore.cli.score_rows import find_columns, to_response
from judgecore.scorers import Response
from judgecore.scorers.configuration import load_scorer, load_target
from judgecore.tables.rows import Malformed, Row
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from judgecore.cli.first_replies import FirstReplies
    from judgecore.cli.score_plan import ScoreJob
    from judgecore.cli.score_tally import ScoreTally
    from judgecore.scorers import Score, Scorer
    from judgecore.tables.opening import Rows
    from judgecore.targets import Target

# Rows of JSON lines may have different columns; those in use must occur in the first rows.
ROWS_FOR_COLUMNS = 100


async def stream_scores(
    scorer: Scorer,
    job: ScoreJob,
    table: Rows,
    tally: ScoreTally,
    *,
    first: FirstReplies | None = None,
    is_silent: bool = False,
) -> AsyncGenerator[tuple[Row, list[Score]]]:
    """Yield the rows of a table in order with their scores; a row that can't be scored has one undetermined score."""
    waiting: deque[tuple[Row, ValueError | None]] = deque()

    def responses() -> Iterator[Response]:
        for row, response in take_rows(job, table, tally, is_silent=is_silent):
            problem = response if isinstance(response, ValueError) else None
            waiting.append((row, problem))
            yield Response(text=None) if isinstance(response, ValueError) else response

    def settle(scores: list[Score]) -> tuple[Row, list[Score]]:
        row, problem = waiting.popleft()
        if problem is None:
            return row, scores
        return row, [scorer.make_undetermined("error", error=problem, score_rationale=str(problem))]

    source = responses()
    while first is not None and not first.is_done and (response := next(source, None)) is not None:
        async for scores in scorer.score_stream([response], trial=job.trial):
            row, settled = settle(scores)
            first.check(f"{row.where} of {job.name}", settled[0])
            yield row, settled
    async for scores in scorer.score_stream(source, concurrency=job.concurrency, trial=job.trial):
        yield settle(scores)


def take_rows(
    job: ScoreJob, table: Rows, tally: ScoreTally, *, is_silent: bool = False
) -> Iterator[tuple[Row, Response | ValueError]]:
    """Yield the rows of a job's shard with their responses, or with the error that the row caused."""
    part, parts = job.shard
    rows = iter(table)
    first = list(islice(rows, ROWS_FOR_COLUMNS))
    columns = find_columns(table.header, job.asked, is_nested=table.kind != "csv")
    of_shard = (row for number, row in enumerate(chain(first, rows)) if number % parts == part - 1)
    for row in islice(of_shard, job.limit):
        if isinstance(row, Malformed):
            tally.malformed += 1
            if not is_silent:
                print_message(f"{job.name}: {table.place} {row.line}: {escape_controls(row.problem)}; skipped")
            continue
        refuse_taken_names(row.cells, job.added, row.where)
        file = "input" if job.file == "-" else job.file
        yield row, to_response(row, columns, file=file, allow_outside=job.allow_outside)


def make_scorer(job: ScoreJob, wrap: Any) -> Scorer:
    """Make a job's scorer, with each judge wrapped."""

    def settle(target: Target) -> Target:
        prepare_judge(target, job.budget, is_batch=job.is_batch)
        return wrap(target)

    target = None if job.target is None else settle(load_target(job.target, allow_outside=job.allow_outside))
    return load_scorer(job.scorer, chat_target=target, wrap_target=settle, allow_outside=job.allow_outside)


async def close_target(target: Any) -> None:
    """Close a target's connections."""
    if hasattr(target, "aclose"):
        await target.aclose()
    elif hasattr(target, "close"):
        target.close()


def count_rows(n_rows: int | None, job: ScoreJob) -> int | None:
    """Return how many rows of a table will be scored; None if unknown."""
    if n_rows is None:
        return job.limit
    part, parts = job.shard
    of_shard = len(range(part - 1, n_rows, parts))
    return min(of_shard, job.limit or of_shard)
