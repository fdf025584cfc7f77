"""``build_report``: an evaluation as one self-contained page that runs nothing and asks no network."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from judgecore.reading import __version__
from judgecore.reports.measures import interval, shown
from judgecore.reports.plots import Confusion, agreement_plot, calibration_plot, interval_plot, ranking_plot
from judgecore.stats import describe
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from judgecore.evaluation import EvaluationResult, ItemTrial, Measure, ScorerComparison

_AMONG_PEOPLE = ("krippendorff_alpha_humans", "human_ceiling", "krippendorff_alpha_model")


def build_report(result: EvaluationResult, *, disagreements: int = 10) -> str:
    """Return an evaluation as an HTML page: one file, light and dark, without script or network.

    Everything that comes from data is escaped, and the page's policy forbids scripts and requests.

    Args:
        result: What the evaluation found.
        disagreements: How many of the worst disagreements are shown in full.
    """
    return _render(
        "report.html.jinja",
        title=f"{result.scorer_identifier.class_name} on {result.subject.replace('_', ' ')}",
        result=result,
        headline=[one for one in result.measures if describe(one.name).headline or one.name == "coverage"],
        agreement=[one for one in result.measures if one.name.startswith(_AMONG_PEOPLE)],
        confusion=Confusion.of(result.items),
        disagreements=result.disagreements(disagreements),
        undetermined=result.undetermined(),
        configuration=json.dumps(result.scorer_identifier.to_registry(), indent=2, ensure_ascii=False),
    )


def build_comparison(comparison: ScorerComparison) -> str:
    """Return a comparison of scorers as an HTML page, made as ``build_report`` makes one.

    Args:
        comparison: What ``compare_results`` found.
    """
    return _render("comparison.html.jinja", title="Comparison of scorers", comparison=comparison)


def _render(template: str, **values: Any) -> str:
    style = _text("report.css")
    html = (
        _environment()
        .get_template(template)
        .render(
            **_FUNCTIONS,
            version=__version__,
            style=Markup(style),  # noqa: S704 - the project's own file
            style_hash=f"sha256-{b64encode(sha256(style.encode()).digest()).decode()}",
            **values,
        )
    )
    # A lone surrogate has no UTF-8, and the page is a file.
    return html.encode("utf-8", "replace").decode()


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(_text), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def _text(name: str) -> str:
    return files("judgecore.reports").joinpath(name).read_text("utf-8")


def _names_of(values: Mapping[str, Sequence[Measure]]) -> list[str]:
    """The measures that a table of slices has a column for."""
    return list(dict.fromkeys(one.name for measures in values.values() for one in measures))


def _labels(human: Sequence[float | None]) -> str:
    return ", ".join("–" if one is None else f"{one:g}" for one in human)


def _parts(trial: ItemTrial) -> tuple[str, str, str]:
    """A reply before its verdict, the verdict, and what follows."""
    reply: Any = trial.reply or ""
    if trial.span is None:
        return reply, "", ""
    start, end = trial.span
    return reply[:start], reply[start:end], reply[end:]


_FUNCTIONS = {
    "agreement_plot": agreement_plot,
    "calibration_plot": calibration_plot,
    "counted": count_noun,
    "describe": describe,
    "interval": interval,
    "interval_plot": interval_plot,
    "labels": _labels,
    "names_of": _names_of,
    "parts": _parts,
    "ranking_plot": ranking_plot,
    "shown": shown,
}
