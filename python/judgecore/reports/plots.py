"""The report's pictures: inline SVG, coloured by the page's style sheet, with every text escaped."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from judgecore.reports.measures import interval, shown
from judgecore.stats import describe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from judgecore.evaluation import ItemResult, Measure, ScorerComparison

_SIZE, _EDGE = 320, 44
_INSIDE = _SIZE - 2 * _EDGE
_STRIP, _MIDDLE, _MARGIN = 320, 11, 8


def interval_plot(measures: Sequence[Measure]) -> Markup:
    """Draw each measure as a dot with its interval, and what trivial scorers reach as ticks.

    Args:
        measures: Those to draw; undefined ones are left out.
    """
    return _strips([(describe(one.name).label, one) for one in measures if one.value is not None])


def _strips(drawn: Sequence[tuple[str, Measure]]) -> Markup:
    """A strip for each number, as many beside each other as there is room for."""
    strips = Markup("").join(
        Markup('<div><div class="strip">{} <strong>{}</strong></div>{}</div>').format(
            name, shown(one.value, one.name), _strip(name, one)
        )
        for name, one in drawn
    )
    return Markup('<div class="strips">{}</div>').format(strips) if drawn else Markup("")


def _strip(name: str, measure: Measure) -> Markup:
    about = describe(measure.name)
    # An axis has ends, also where the values have none.
    low, high = max(about.low, -1.0), min(about.high, 1.0)

    def at(value: float) -> str:
        share = (min(max(value, low), high) - low) / (high - low)
        return f"{_MARGIN + share * (_STRIP - 2 * _MARGIN):.1f}"

    parts = [
        Markup('<line x1="{0}" x2="{1}" y1="{2}" y2="{2}" class="axis"/>').format(_MARGIN, _STRIP - _MARGIN, _MIDDLE)
    ]
    parts += [
        Markup('<line x1="{0}" x2="{0}" y1="2" y2="{1}" class="baseline"><title>{2}: {3}</title></line>').format(
            at(value), 2 * _MIDDLE - 2, trivial.replace("_", " "), shown(value, measure.name)
        )
        for trivial, value in measure.baselines.items()
        if value is not None
    ]
    if measure.low is not None and measure.high is not None:
        parts.append(
            Markup('<line x1="{0}" x2="{1}" y1="{2}" y2="{2}" class="interval"/>').format(
                at(measure.low), at(measure.high), _MIDDLE
            )
        )
    said = f"{name}: {shown(measure.value, measure.name)} {interval(measure)}".strip()
    if measure.value is not None:
        parts.append(
            Markup('<circle cx="{}" cy="{}" r="5" class="dot"><title>{}</title></circle>').format(
                at(measure.value), _MIDDLE, said
            )
        )
    return _svg(said, _STRIP, 2 * _MIDDLE, parts)


def ranking_plot(comparison: ScorerComparison, name: str) -> Markup:
    """Draw one measure of every scorer as a dot with its interval.

    Args:
        comparison: The scorers.
        name: The measure.
    """
    return _strips(
        [
            (scorer, one)
            for scorer in comparison.names
            for one in comparison.values[scorer]
            if one.name == name and one.value is not None
        ]
    )


@dataclass(frozen=True)
class Confusion:
    """How often scorer and people said what: the counts of a table of people by scorer.

    Attributes:
        counts: The count by (what people say, what the scorer says or None where it is undetermined).
    """

    counts: Mapping[tuple[bool, bool | None], int]

    @classmethod
    def of(cls, items: Sequence[ItemResult]) -> Confusion:
        """Count items whose labels are 0 or 1; a scorer's value of at most one half is false, as for a tie."""
        return cls(
            Counter((one.gold > 0.5, None if one.model is None else one.model > 0.5) for one in items)  # noqa: PLR2004
        )

    def rows(self) -> list[tuple[str, list[tuple[int, str]]]]:
        """Return a row for each human label: how often the scorer said true, false, and nothing, with a class."""
        return [
            (
                "people: true" if human else "people: false",
                [
                    (
                        self.counts.get((human, model), 0),
                        "open" if model is None else "agree" if model is human else "differ",
                    )
                    for model in (True, False, None)
                ],
            )
            for human in (True, False)
        ]


def agreement_plot(items: Sequence[ItemResult]) -> Markup:
    """Draw the scorer's value over the human label, both in [0, 1]; a larger dot stands for more responses."""
    counts = Counter((round(one.gold, 3), round(one.model, 3)) for one in items if one.model is not None)
    if not counts:
        return Markup("")
    most = max(counts.values())
    parts = [_frame("people", "scorer"), _diagonal()]
    parts += [
        Markup('<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" class="point"><title>{}</title></circle>').format(
            _EDGE + x * _INSIDE,
            _SIZE - _EDGE - y * _INSIDE,
            3 + 9 * (count / most) ** 0.5,
            f"people {x:g}, scorer {y:g}: {count}",
        )
        for (x, y), count in sorted(counts.items())
    ]
    return _svg("The scorer's value over the human label", _SIZE, _SIZE, parts)


def calibration_plot(bins: Sequence[Mapping[str, float]]) -> Markup:
    """Draw how often responses of a probability are true; on the diagonal a probability means what it says.

    Args:
        bins: ``mean_probability`` and ``observed_rate`` in [0, 1] and ``count`` of each.
    """
    filled = [one for one in bins if one["count"]]
    if not filled:
        return Markup("")
    most = max(one["count"] for one in filled)
    points = [
        (_EDGE + one["mean_probability"] * _INSIDE, _SIZE - _EDGE - one["observed_rate"] * _INSIDE, one)
        for one in filled
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    parts = [
        _frame("probability given", "share true"),
        _diagonal(),
        Markup('<polyline points="{}" class="curve"/>').format(path),
    ]
    parts += [
        Markup('<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" class="point"><title>{}</title></circle>').format(
            x,
            y,
            3 + 6 * (one["count"] / most) ** 0.5,
            f"given {one['mean_probability']:.2f}, true {one['observed_rate']:.2f}: {one['count']:.0f}",
        )
        for x, y, one in points
    ]
    return _svg("Share of true responses over the probability given", _SIZE, _SIZE, parts)


def _frame(x_label: str, y_label: str) -> Markup:
    """The square from 0 to 1, with its two names."""
    low, high = _EDGE, _SIZE - _EDGE
    ticks = Markup("").join(
        Markup(
            '<text x="{0:.0f}" y="{1}" class="tick middle">{2}</text>'
            '<text x="{3}" y="{4:.0f}" class="tick end">{2}</text>'
        ).format(low + share * _INSIDE, high + 16, f"{share:g}", low - 6, high - share * _INSIDE + 4)
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    return Markup(
        '<rect x="{0}" y="{0}" width="{1}" height="{1}" class="frame"/>{2}'
        '<text x="{3}" y="{4}" class="name middle">{5}</text>'
        '<text x="12" y="{3}" class="name middle" transform="rotate(-90 12 {3})">{6}</text>'
    ).format(low, _INSIDE, ticks, _SIZE / 2, _SIZE - 8, x_label, y_label)


def _diagonal() -> Markup:
    return Markup('<line x1="{0}" y1="{1}" x2="{1}" y2="{0}" class="baseline"/>').format(_EDGE, _SIZE - _EDGE)


def _svg(title: str, width: int, height: int, parts: Sequence[Markup]) -> Markup:
    return Markup('<svg viewBox="0 0 {} {}" role="img"><title>{}</title>{}</svg>').format(
        width, height, title, Markup("").join(parts)
    )
