"""``ConsoleScorerPrinter``: a scorer and what is known of it, on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from rich import box
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from judgecore.errors import IdentityError
from judgecore.evaluation import Measure, Registry
from judgecore.identity import ScorerEvaluationIdentifier
from judgecore.reports.measures import difference, in_scale, in_units, interval_in_scale, show_p, shown
from judgecore.stats import HarmMetrics, ObjectiveMetrics, describe, metrics_of
from judgecore.targets.reply import describe_served
from judgecore.terminal import count_noun, escape_controls, make_console, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import Console

    from judgecore.evaluation import EvaluationResult, RegistryEntry, ScorerComparison, ScorerMetrics
    from judgecore.identity import ComponentIdentifier

# A prompt is a page long; its beginning and its end tell which it is.
_PARAM_CELLS = 60
_HASH_SHOWN = 16
_WIDEST = 10_000
_NAME_CELLS, _NUMBER_CELLS = 8, 8


class ConsoleScorerPrinter:
    """Shows a scorer's configuration and what was measured of it.

    Text of data can't steer the terminal, and colours follow ``NO_COLOR``.

    Args:
        console: Where; standard output if None.

    Examples:
        >>> from judgecore import ComponentIdentifier
        >>> from judgecore.reports import ConsoleScorerPrinter
        >>> ConsoleScorerPrinter().print_scorer(ComponentIdentifier(class_name="MyScorer", class_module="mine"))
        MyScorer  mine
        not evaluated
    """

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or make_console()

    def print_scorer(self, scorer: ComponentIdentifier, known: Iterable[RegistryEntry] | None = None) -> None:
        """Show a scorer, and the metrics that a registry has of it; ``not evaluated`` where it has none.

        Args:
            scorer: Its identity.
            known: What ``Registry.find_all`` gives of it; what the default registry has if None.

        Raises:
            RegistryError: If the default registry can't be read.
        """
        self._print_configuration(scorer)
        why = ""
        if known is None:
            try:
                known = Registry().find_all(ScorerEvaluationIdentifier(scorer))
            except IdentityError as problem:
                known, why = (), f": {problem}"
        entries = list(known)
        for entry in entries:
            self.console.print()
            self.print_metrics(entry.metrics)
        if not entries:
            self.console.print(Text(f"not evaluated{escape_controls(why)}", style="yellow"), soft_wrap=True)

    def print_known(self, known: Iterable[RegistryEntry]) -> None:
        """Show the metrics that a registry has of a scorer, in a line for each data set; or ``not evaluated``.

        Args:
            known: What ``Registry.find_all`` gives of it.
        """
        entries = list(known)
        for entry in entries:
            metrics = metrics_shown(entry.metrics.to_registry())
            said = ", ".join(f"{describe(name).label} {shown(value, name)}" for name, value in metrics.items())
            self.console.print(Text(f"evaluated: {said}"))
            self.console.print(Text(f"  on {escape_controls(_about(entry.metrics))}", style="dim"))
        if not entries:
            self.console.print(Text("not evaluated", style="yellow"))

    def print_result(self, result: EvaluationResult) -> None:
        """Show what an evaluation found: on what data, measures with intervals and baselines, and of which scorer.

        Args:
            result: The evaluation; ``print_scorer`` shows all that its scorer is made of.
        """
        self.console.print(escape_controls(f"{result.subject}, {_about(result.metrics)}"))
        self.print_measures(result.measures, result.dataset.scale)
        undetermined = result.undetermined()
        if undetermined:
            counts = ", ".join(f"{escape_controls(reason)} {count:,}" for reason, count in undetermined.items())
            self.console.print(Text(f"undetermined trials: {counts}", style="yellow"))
        error = result.commonest_error()
        if error:
            self.console.print(Text(f"commonest error: {escape_controls(error)}", style="yellow"), soft_wrap=True)
        for line in describe_served(result.served):
            self.console.print(Text(escape_controls(line), style="yellow"), soft_wrap=True)
        name = escape_controls(result.scorer_identifier.class_name)
        shown_hash = "none" if result.eval_hash is None else result.eval_hash[:_HASH_SHOWN]
        self.console.print(Text.assemble((name, "bold cyan"), f"  eval_hash {shown_hash}"))

    def print_comparison(self, comparison: ScorerComparison) -> None:
        """Show scorers in their order, and what is between each pair.

        Args:
            comparison: What ``compare_results`` found.
        """
        scale = comparison.results[comparison.names[0]].dataset.scale
        ranking = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
        ranking.add_column("", justify="right")
        ranking.add_column("scorer", overflow="fold", style="cyan", min_width=_NAME_CELLS)
        for name in comparison.measures:
            ranking.add_column(describe(name).label, justify="right", min_width=_NUMBER_CELLS)
            ranking.add_column("95 % interval", no_wrap=True)
        for place, scorer in enumerate(comparison.names, 1):
            cells = [
                cell
                for one in comparison.values[scorer]
                for cell in (in_scale(one.value, one.name, scale), interval_in_scale(one, scale))
            ]
            ranking.add_row(str(place), escape_controls(scorer), *cells)
        self._print_table(ranking)
        pairs = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
        for head in ("first less second", "measure"):
            pairs.add_column(head, overflow="fold", min_width=_NAME_CELLS)
        for head in ("difference", "95 % interval", "p"):
            pairs.add_column(head, justify="right", no_wrap=True)
        pairs.add_column("better", overflow="fold", min_width=_NAME_CELLS)
        for one in comparison.differences:
            ends = one.reason
            if one.low is not None and one.high is not None:
                ends = " to ".join(difference(end, one.measure_name, scale) for end in (one.low, one.high))
            pairs.add_row(
                escape_controls(f"{one.first} less {one.second}"),
                describe(one.measure_name).label,
                difference(one.difference, one.measure_name, scale),
                ends,
                show_p(one.p_value),
                escape_controls(one.better or "not known"),
            )
        self._print_table(pairs)
        if scale is not None:
            self.console.print(Text(f"distances in points on {scale[0]:g} to {scale[1]:g}", style="dim"))

    def print_measures(self, measures: Iterable[Measure], scale: tuple[float, float] | None = None) -> None:
        """Show measures as a table: value, 95 % interval, and what trivial scorers reach.

        Args:
            measures: Those to show, in their order.
            scale: The lowest and the highest rating, to show distances in these units, too; None for none.
        """
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
        table.add_column("measure", overflow="fold", min_width=_NAME_CELLS)
        table.add_column("value", justify="right", no_wrap=True)
        if scale is not None:
            table.add_column(f"on {scale[0]:g} to {scale[1]:g}", justify="right", no_wrap=True)
        table.add_column("95 % interval", no_wrap=True)
        table.add_column("trivial scorers", overflow="fold", min_width=_NAME_CELLS)
        for one in measures:
            trivial = ", ".join(
                f"{name.replace('_', ' ')} {shown(value, one.name)}" for name, value in one.baselines.items()
            )
            note = f"undefined: {one.reason}" if one.reason else trivial
            table.add_row(
                describe(one.name).label,
                Text(shown(one.value, one.name), style="bold" if one.value is not None else "yellow"),
                *(() if scale is None else (in_units(one.value, one.name, scale),)),
                interval_in_scale(one, None),
                escape_controls(note),
            )
        self._print_table(table)

    def _print_table(self, table: Table) -> None:
        """Print a table, wider than the terminal where numbers would have to be cut."""
        needed = Measurement.get(self.console, self.console.options.update(max_width=_WIDEST), table).minimum
        if needed > self.console.width:
            table.width = needed
        self.console.print(table, crop=False)

    def _print_configuration(self, scorer: ComponentIdentifier, depth: int = 0) -> None:
        """Show a class, its params and its children."""
        indent = "  " * depth
        self.console.print(
            Text.assemble(
                indent,
                (escape_controls(scorer.class_name), "bold cyan"),
                f"  {escape_controls(scorer.class_module)}",
            )
        )
        for name, value in sorted({**scorer.attributes, **scorer.params}.items()):
            if value is not None:
                self.console.print(f"{indent}  {escape_controls(name)}: {_short(value)}", soft_wrap=True)
        for name in scorer.children:
            for child in scorer.children_of(name):
                self.console.print(f"{indent}  {escape_controls(name)}:")
                self._print_configuration(child, depth + 2)

    def print_metrics(self, metrics: ScorerMetrics) -> None:
        """Show what a registry line says of a scorer: on what data, and its measures."""
        self.console.print(escape_controls(_about(metrics)))
        self.print_measures(known_measures(metrics), metrics.scale)


def metrics_shown(metrics: Mapping[str, Any]) -> dict[str, float | None]:
    """Return those of a registry line's metrics that tell how good a scorer is.

    Args:
        metrics: What stands under ``metrics`` in the line.
    """
    known = (*metrics_of(HarmMetrics), *metrics_of(ObjectiveMetrics))
    published = (one.name for one in known if one.is_published and one.role == "measure")
    return {name: metrics[name] for name in published if name in metrics}


def known_measures(metrics: ScorerMetrics) -> tuple[Measure, ...]:
    """Return a registry line's metrics with what is kept beside them; PyRIT's own lines have no intervals."""
    statistics = _object(metrics.beyond.get("statistics"))
    intervals, baselines = _object(statistics.get("intervals")), _object(statistics.get("baselines"))
    found = [
        Measure(
            name=name,
            value=value,
            low=_number(_object(intervals.get(name)).get("low")),
            high=_number(_object(intervals.get(name)).get("high")),
            baselines={rule: _number(each[name]) for rule, one in baselines.items() if name in (each := _object(one))},
        )
        for name, value in metrics_shown(metrics.to_registry()).items()
    ]
    scored, undetermined = (_number(statistics.get(name)) for name in ("num_scored", "num_undetermined"))
    if scored is not None and undetermined is not None and scored + undetermined > 0:
        found.append(Measure(name="coverage", value=scored / (scored + undetermined)))
    return tuple(found)


def _object(value: object) -> dict[str, Any]:
    """What stands in a line, which may be anybody's, if it is an object; else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _short(value: object) -> str:
    return shorten(value if isinstance(value, str) else repr(value), _PARAM_CELLS)


def _about(metrics: ScorerMetrics) -> str:
    """On what data metrics rest."""
    version = f" {metrics.dataset_version}" if metrics.dataset_version else ""
    counts = (
        (metrics.num_responses, "response"),
        (metrics.num_human_raters, "rater"),
        (metrics.num_scorer_trials, "trial"),
    )
    numbers = ", ".join(count_noun(count, noun) for count, noun in counts)
    return f"{metrics.dataset_name or 'data without a name'}{version}: {numbers}"
