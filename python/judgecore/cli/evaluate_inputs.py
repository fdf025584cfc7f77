"""What ``judgecore evaluate`` measures and compares with: the scorer and the labelled responses."""

from __future__ import annotations

import math
import shlex
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from judgecore.errors import ColumnsNeededError, ConfigurationError
from judgecore.evaluation import ColumnOptions, HumanLabeledDataset, MetricsType
from judgecore.evaluation.default_data import default_files
from judgecore.prompts import NumericScale, TrueFalseQuestion
from judgecore.prompts.document import read_document
from judgecore.scorers import PairwiseScorer, SelfAskScaleScorer, SelfAskTrueFalseScorer
from judgecore.scorers.configuration import load_scorer, load_target
from judgecore.scorers.registration import SCORERS
from judgecore.terminal import count_noun, escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from judgecore.scorers import Scorer
    from judgecore.tables.opening import TableOptions
    from judgecore.targets import Target

# What a scorer that is made of a task judges; it becomes the category of its scores.
QUALITY = "quality"


@dataclass(frozen=True, kw_only=True)
class EvaluationInputs:
    """The options that say what is evaluated, and on which labels, as ``judgecore evaluate`` describes them."""

    file: Path | None
    judge: Path | None
    task: str | None
    response: str | None
    human: tuple[str, ...]
    scale: tuple[float, float] | None
    objective: str | None
    item: str | None
    rater: str | None
    true: tuple[str, ...]
    prefer: tuple[str, str] | None
    limit: int | None
    scorer: Path | None
    target: Path | None
    datasets: tuple[Path, ...]
    harm_definitions: tuple[Path, ...]
    table: TableOptions
    allow_outside: bool
    tables: dict[Path, HumanLabeledDataset] = field(default_factory=dict[Path, HumanLabeledDataset], init=False)

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that are read."""
        named = (self.file, self.judge, self.scorer, self.target, *self.datasets)
        return tuple(one for one in named if one is not None)

    @property
    def scorer_name(self) -> str:
        """The name of the file that has the prompts."""
        file = self.scorer or self.judge
        return "" if file is None else file.name

    @property
    def judge_file(self) -> Path | None:
        """The file of the target, or of a scorer that names it."""
        return self.target or self.judge or self.scorer

    def load(self, wrap_target: Callable[[Target], Target]) -> tuple[Scorer, HumanLabeledDataset]:
        """Load the scorer, its judges wrapped, and the labelled responses."""
        scorer, data = self._load(wrap_target)
        return scorer, data if self.limit is None else data.head(self.limit)

    def _load(self, wrap_target: Callable[[Target], Target]) -> tuple[Scorer, HumanLabeledDataset]:
        columns = cast("ColumnOptions", {name: getattr(self, name) for name in ColumnOptions.__annotations__})
        if self.scale is not None:
            check_scale(self.scale)
        if self.file is not None and self.datasets:
            raise click.UsageError("FILE and --dataset are two kinds of data; leave one out")
        if self.file is None and any(columns.values()):
            option = next(name for name, value in columns.items() if value)
            raise click.UsageError(f"--{option} describes FILE; name it, too")
        scorer_file, target_file = self._files()
        judge = None
        if target_file is not None:
            judge = wrap_target(load_target(target_file, allow_outside=self.allow_outside))
        if scorer_file is None:
            return self._load_task(judge, columns)
        if self.task is not None:
            raise click.UsageError("--task is for a --judge that is a target; a scorer's file says its task itself")
        scorer = load_scorer(scorer_file, chat_target=judge, wrap_target=wrap_target, allow_outside=self.allow_outside)
        return scorer, self._load_dataset(scorer) if self.file is None else self._load_ratings(self.file, columns)

    def _files(self) -> tuple[Path | None, Path | None]:
        """The files of the scorer and of the target, one of which may be that of ``--judge``."""
        if self.judge is None:
            if self.scorer is None:
                raise click.UsageError("name the judge with --judge: a YAML file of a target, or of a scorer")
            return self.scorer, self.target
        name: object = read_document(self.judge, ConfigurationError).get("type")
        is_scorer = isinstance(name, str) and SCORERS.find(name) is not None
        if (self.scorer if is_scorer else self.target) is not None:
            raise click.UsageError(f"--judge and {'--scorer' if is_scorer else '--target'} are the same; leave one out")
        return (self.judge, self.target) if is_scorer else (self.scorer, self.judge)

    def _load_task(self, judge: Target | None, columns: ColumnOptions) -> tuple[Scorer, HumanLabeledDataset]:
        """The ratings, and a scorer that gives a judge the raters' task."""
        if self.file is None or judge is None:
            raise click.UsageError("--judge names a target; name a FILE of ratings, or a scorer's file with --scorer")
        data = self._load_ratings(self.file, columns, is_task_needed=True)
        if not self.task:
            example = '--task "How helpful is the answer?"'
            raise click.UsageError(f"say what raters judged with {example}, or name a scorer's file with --scorer")
        return make_scorer(judge, self.task, data), data

    def _load_ratings(self, file: Path, columns: ColumnOptions, *, is_task_needed: bool = False) -> HumanLabeledDataset:
        if file not in self.tables:
            try:
                with as_usage_errors(file):
                    self.tables[file] = HumanLabeledDataset.from_ratings(file, options=self.table, **columns)
            except ColumnsNeededError as problem:
                raise to_usage_error(problem, is_task_missing=is_task_needed and not self.task) from None
        return self.tables[file]

    def _load_dataset(self, scorer: Scorer) -> HumanLabeledDataset:
        if self.datasets:
            found = [self._read_dataset(path) for path in self.datasets]
            return HumanLabeledDataset.combine(*found) if len(found) > 1 else found[0]
        files = default_files(scorer)
        if files is None:
            name = type(scorer).__name__
            raise click.UsageError(f"{name} has no data set of its own; name a FILE of ratings, or one with --dataset")
        return files.load()

    def _read_dataset(self, path: Path) -> HumanLabeledDataset:
        if path not in self.tables:
            with as_usage_errors(path):
                self.tables[path] = HumanLabeledDataset.from_table(
                    path, **asdict(self.table), allow_outside=self.allow_outside, harm_definitions=self.harm_definitions
                )
        return self.tables[path]


def make_scorer(judge: Target, task: str, data: HumanLabeledDataset) -> Scorer:
    """Make a scorer that gives a judge the raters' task, and expects answers on their scale."""
    if data.metrics_type is MetricsType.OBJECTIVE:
        question = TrueFalseQuestion(QUALITY, true_description=task)
        return SelfAskTrueFalseScorer(chat_target=judge, true_false_question=question)
    if "response_b" in data.entries[0].metadata:
        return PairwiseScorer(chat_target=judge, instruction=task)
    low, high = data.scale or (0.0, 1.0)
    given = (score * (high - low) + low for one in data.entries for score in one.human_scores if score is not None)
    is_whole = data.scale is not None and all(abs(one - round(one)) < 1e-9 for one in given)  # noqa: PLR2004 - rounding
    scale = NumericScale(QUALITY, low, high, steps=task, integer=is_whole)
    return SelfAskScaleScorer(chat_target=judge, scale=scale)


def check_scale(scale: tuple[float, float]) -> None:
    """Reject a scale without two finite ends in ascending order."""
    low, high = scale
    if not -math.inf < low < high < math.inf:
        problem = f"LOW must be below HIGH, and both finite, not {low:g} {high:g}"
        raise click.BadParameter(problem, param_hint="--scale")


def to_usage_error(problem: ColumnsNeededError, *, is_task_missing: bool) -> click.UsageError:
    """Convert the question about a table's columns to the words of the command line."""
    if is_task_missing:
        problem.missing = (*problem.missing, "task")
        problem.suggested = {**problem.suggested, "task": "How helpful is the answer?"}
    return click.UsageError(problem.say(name_option))


def name_option(name: str, value: Any) -> str:
    """Write an option, with its value unless that is None: a text, repeated texts, or the two ends of a scale."""
    if isinstance(value, list):
        return " ".join(name_option(name, one) for one in value)  # pyright: ignore[reportUnknownVariableType] - texts
    if isinstance(value, tuple):
        return f"--{name} " + " ".join(f"{one:g}" for one in value)  # pyright: ignore[reportUnknownVariableType] - numbers
    return f"--{name}" if value is None else f"--{name} {shlex.quote(str(value))}"


def describe_ratings(data: HumanLabeledDataset) -> str:
    """Say how a table's ratings were understood."""
    low, high = data.scale or (0.0, 1.0)
    units = "as true or false" if data.metrics_type is MetricsType.OBJECTIVE else f"from {low:g} to {high:g}"
    if "response_b" in data.entries[0].metadata:
        units = "by preference"
    said = f"{data.name}: {count_noun(len(data), 'response')}, rated {units}, by {', '.join(data.raters)}"
    if all(one.objective is None for one in data.entries):
        said += "; the judge sees no requests: --objective names their column"
    return escape_controls(said)


@contextmanager
def as_usage_errors(path: Path) -> Generator[None]:
    """Convert what reading a file raises to usage errors."""
    try:
        yield
    except OSError as problem:
        raise click.UsageError(f"{escape_controls(str(path))}: {problem.strerror}") from None
    except ImportError as problem:
        raise click.UsageError(str(problem)) from None
