"""``judgecore dataset``: validate human-labelled data sets before a judge is paid."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judgecore.cli.arguments import allow_unverified_option, harm_definitions_option, table_options
from judgecore.cli.evaluate_inputs import check_scale
from judgecore.cli.exit_status import USAGE
from judgecore.errors import DatasetError, TableError
from judgecore.evaluation import DatasetProblem, HumanLabeledDataset, MetricsType
from judgecore.evaluation.dataset_entry import summarize
from judgecore.stats import krippendorff_alpha, why_undefined
from judgecore.terminal import count_noun, escape_controls

if TYPE_CHECKING:
    from judgecore.evaluation import DatasetOptions
    from judgecore.tables.opening import TableOptions

EPILOG = """\b
The first line of a data set gives its version: # dataset_version=1.0 in CSV,
{"dataset_version": "1.0"} in JSON lines.

\b
Examples:
  judgecore dataset validate labels.csv
  judgecore dataset validate ratings.csv --type harm --scale 1 5
  judgecore dataset validate *.jsonl --json

\b
Exit status: 0 no problems, 2 there are problems.
"""


@click.group("dataset", epilog=EPILOG)
def dataset_command() -> None:
    """Work with human-labelled data sets."""


@dataset_command.command("validate", epilog=EPILOG)
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)
@click.option(
    "--type",
    "metrics_type",
    type=click.Choice([one.value for one in MetricsType]),
    help="What the labels measure: whether an objective is reached, or how harmful a response is.  "
    "[default: harm if the file names a harm definition or has no column objective]",
)
@click.option("--scale", nargs=2, type=float, metavar="LOW HIGH", help="The scale of the labels, if not 0 to 1.")
@harm_definitions_option
@allow_unverified_option
@click.option("--allow-outside", is_flag=True, help="Also read harm definitions outside these folders.")
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def validate_command(
    ctx: click.Context,
    *,
    files: tuple[Path, ...],
    metrics_type: str | None,
    scale: tuple[float, float] | None,
    harm_definitions: tuple[Path, ...],
    allow_unverified: bool,
    allow_outside: bool,
    table: TableOptions,
    as_json: bool,
) -> None:
    """Validate data sets; report problems with row and column.

    FILES are tables in any format that `judgecore parse` reads; - is standard input. They need the columns
    assistant_response, objective or harm_category, and human_score, human_score_N or human_score_NAME for each rater.
    A malformed line is a problem, too. Problems with the same cause share a line;
    --json lists all of them.
    """
    if scale is not None:
        check_scale(scale)
    options: DatasetOptions = {
        "metrics_type": None if metrics_type is None else MetricsType(metrics_type),
        "scale": scale,
        "harm_definitions": harm_definitions,
        "allow_outside": allow_outside,
    }
    reports = [check(file, table, options, allow_unverified=allow_unverified) for file in files]
    if as_json:
        click.echo(json.dumps(reports, indent=2, allow_nan=False))
    else:
        for report in reports:
            show(report)
    if any(report["problems"] for report in reports):
        ctx.exit(USAGE)


def check(file: Path, table: TableOptions, options: DatasetOptions, *, allow_unverified: bool) -> dict[str, Any]:
    """Return a file's problems; if there are none, also a description of the data set."""
    try:
        dataset = HumanLabeledDataset.from_table(file, **asdict(table), **options)
        dataset.validate(allow_unverified=allow_unverified)
    except DatasetError as error:
        return {"file": str(file), "problems": [asdict(problem) for problem in error.problems]}
    except ImportError as error:
        raise TableError(str(error)) from error
    return {"file": str(file), **describe(dataset), "problems": []}


def describe(dataset: HumanLabeledDataset) -> dict[str, Any]:
    """Describe a data set as a whole."""
    ratings = dataset.ratings()
    level = "nominal" if dataset.metrics_type is MetricsType.OBJECTIVE else "ordinal"
    return {
        "name": dataset.name,
        "version": dataset.version,
        "type": str(dataset.metrics_type),
        "rows": len(dataset),
        "raters": list(dataset.raters),
        "missing_labels": int(sum(score is None for entry in dataset.entries for score in entry.human_scores)),
        "harm_categories": list(dataset.harm_categories),
        "harm_definition": dataset.harm_definition,
        "harm_definition_status": dataset.harm_definition_status,
        "rater_agreement": krippendorff_alpha(ratings, level),
        "rater_agreement_undefined": why_undefined(krippendorff_alpha, ratings, level),
        "encoding": dataset.encoding,
        "content_hash": dataset.content_hash,
    }


def show(report: dict[str, Any]) -> None:
    """Print a report."""
    problems: list[dict[str, Any]] = report["problems"]
    file = escape_controls(report["file"])
    if problems:
        for line in summarize(DatasetProblem(**problem) for problem in problems):
            click.echo(escape_controls(line))
        click.echo(f"{file}: {count_noun(len(problems), 'problem')}")
        return
    alpha = report["rater_agreement"]
    agreement = report["rater_agreement_undefined"] if alpha is None else f"Krippendorff's alpha {alpha:.3f}"
    facts = {
        "type": report["type"],
        "version": report["version"],
        "rows": report["rows"],
        "raters": ", ".join(report["raters"]),
        "missing labels": report["missing_labels"],
        "rater agreement": agreement,
        "encoding": report["encoding"],
        "harm definition": report["harm_definition"]
        and f"{report['harm_definition']} ({report['harm_definition_status']})",
        "content hash": report["content_hash"],
    }
    click.echo(f"{file}: no problems")
    for name, value in facts.items():
        if value is not None:
            click.echo(f"  {name}: {escape_controls(str(value))}")
