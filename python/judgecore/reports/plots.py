"""The report's pictures: inline SVG, coloured by the page's style sheet, with every text escaped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from markupsafe import Markup

from judgecore.reports.measures import better_end, in_scale, interval_in_scale, to_points, unit_of
from judgecore.stats import describe
from judgecore.terminal import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from judgecore.evaluation import Measure, ScorerComparison
    from judgecore.reports.levels import LevelError

_WIDTH = 380
_TICKS = 5
_TINY = 1e-9
_NAME_SHOWN = 30
_LABEL_SHOWN = 17


class Axis:
    """A horizontal or vertical axis: where a value lies, and its round ticks."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high, self.start, self.end = low, high, start, end

    def at(self, value: float) -> float:
        """Return the place of a value; of one beyond the axis its end."""
        inside = min(max(value, self.low), self.high)
        return self.start + (inside - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> tuple[float, ...]:
        """Return some four to eight round numbers between both ends."""
        # Labels have ten digits at most, and a step of almost 0 has no logarithm.
        rough = max((self.high - self.low) / _TICKS, _TINY)
        power = 10.0 ** math.floor(math.log10(rough))
        step = min((one * power for one in (1, 2, 2.5, 5, 10)), key=lambda one: abs(one - rough))
        first, last = math.ceil(self.low / step - _TINY), math.floor(self.high / step + _TINY)
        return tuple(round(place * step, 10) for place in range(first, last + 1))


def distribution_plot(levels: Sequence[str], people: Sequence[float], judge: Sequence[float], *, unit: str) -> Markup:
    """Draw how often people and the judge gave each level, side by side."""
    height, left, bottom = 240, 60, 46
    most = max((*people, *judge, 0.01))
    y = Axis(0.0, most * 1.05, height - bottom, 10)
    wide = (_WIDTH - left - 8) / len(levels)
    parts = [_line(left, y.at(one), _WIDTH - 8, y.at(one), "grid") for one in y.ticks()]
    parts += [_text(left - 6, y.at(one) + 4, f"{one * 100:g}%", "tick end") for one in y.ticks()]
    for place, level in enumerate(levels):
        middle = left + (place + 0.5) * wide
        for share, kind, name, offset in ((people[place], "other", "people", -0.38), (judge[place], "", "judge", 0.02)):
            if share:
                parts.append(
                    _bar(
                        middle + offset * wide,
                        y.at(share),
                        wide * 0.36,
                        y.at(0) - y.at(share),
                        f"{name} {level}: {share:.1%}",
                        kind,
                    )
                )
        parts.append(_text(middle, height - bottom + 17, level, "tick middle"))
    parts.append(_line(left, y.at(0), _WIDTH - 8, y.at(0), "axis"))
    parts += _names(unit, "share of ratings", _WIDTH, height)
    said = ", ".join(
        f"{level}: people {a:.0%}, judge {b:.0%}" for level, a, b in zip(levels, people, judge, strict=True)
    )
    return _svg(f"Share of ratings by level. {said}", _WIDTH, height, parts)


def counts_plot(counts: Sequence[tuple[str, int]], name: str, noun: str) -> Markup:
    """Draw how often each of several things occurs, as horizontal bars with their counts."""
    row, left, right, top = 28, 124, 56, 24
    height = top + row * len(counts) + 40
    x = Axis(0.0, max((count for _, count in counts), default=1) or 1, left, _WIDTH - right)
    bottom = top + row * len(counts)
    parts = [_text(left - 8, 14, name, "tick end")]
    # Counts are whole, and so are their ticks.
    ticks = [one for one in x.ticks() if one == int(one)]
    parts += [_line(x.at(one), top - 2, x.at(one), bottom, "grid") for one in ticks]
    parts += [_text(x.at(one), bottom + 16, f"{one:,.0f}", "tick middle") for one in ticks]
    for place, (label, count) in enumerate(counts):
        y = top + row * place
        parts.append(_text(left - 8, y + 18, shorten(label, _LABEL_SHOWN), "end"))
        parts.append(_bar(left, y + 4, x.at(count) - left, row - 8, f"{label}: {count:,}"))
        parts.append(_text(x.at(count) + 6, y + 18, f"{count:,}", "tick"))
    parts.append(_line(left, top - 2, left, bottom, "axis"))
    parts.append(_text((left + _WIDTH - right) / 2, height - 6, f"{noun}s", "middle"))
    said = "; ".join(f"{label}: {count:,}" for label, count in counts)
    return _svg(f"{noun}s by {name}. {said}", _WIDTH, height, parts)


def level_error_plot(errors: Sequence[LevelError], *, unit: str) -> Markup:
    """Draw the mean of the judge's score less people's for each level of people, with its interval."""
    row, left, right, top = 30, 62, 54, 26
    height = top + row * len(errors) + 44
    ends = [
        abs(one)
        for each in errors
        for one in (each.bias, *(() if each.interval is None else (each.interval.low, each.interval.high)))
    ]
    # Without any error, the axis still has two sides.
    most = (max(ends, default=0.0) or 1.0) * 1.05
    x = Axis(-most, most, left, _WIDTH - right)
    bottom = top + row * len(errors)
    parts = [_line(x.at(one), top - 6, x.at(one), bottom, "grid") for one in x.ticks()]
    parts += [_text(x.at(one), bottom + 16, f"{one:+g}" if one else "0", "tick middle") for one in x.ticks()]
    parts.append(_line(x.at(0), top - 6, x.at(0), bottom, "axis"))
    parts += [_text(left - 10, top - 10, "people", "tick end"), _text(_WIDTH, top - 10, "items", "tick end")]
    for place, one in enumerate(errors):
        y = top + row * (place + 0.5)
        parts.append(_text(left - 10, y + 4, one.level, "end"))
        if one.interval is not None:
            parts.append(_line(x.at(one.interval.low), y, x.at(one.interval.high), y, "interval"))
        parts += [_dot(x.at(one.bias), y), _text(_WIDTH, y + 4, f"{one.num_items:,}", "tick end")]
    parts.append(_text((left + _WIDTH - right) / 2, height - 6, f"judge less people, {unit}", "middle"))
    said = "; ".join(f"{one.level}: {one.bias:+.2f} ({one.num_items} items)" for one in errors)
    return _svg(f"Mean error of the judge by people's level. {said}", _WIDTH, height, parts)


def calibration_plot(bins: Sequence[Mapping[str, float]], *, is_scale: bool = False) -> Markup:
    """Draw how often responses of a probability are true; on the diagonal a probability means what it says.

    If ``is_scale``, the probability is the confidence in a score, and not that of true.
    """
    what = "right" if is_scale else "true"
    filled = [one for one in bins if one["count"]]
    if not filled:
        return Markup("")
    size, left, top, bottom, high = 360, 64, 10, 46, 60
    x, y = Axis(0, 1, left, size - 12), Axis(0, 1, size - bottom, top)
    most = max(one["count"] for one in filled)
    base = size + high
    counts = Axis(0, most, base, size + 8)
    parts = [_line(x.at(one), y.at(0), x.at(one), y.at(1), "grid") for one in (0, 0.25, 0.5, 0.75, 1)]
    parts += [_line(x.at(0), y.at(one), x.at(1), y.at(one), "grid") for one in (0, 0.25, 0.5, 0.75, 1)]
    parts += [_text(left - 6, y.at(one) + 4, f"{one:.0%}", "tick end") for one in (0, 0.25, 0.5, 0.75, 1)]
    parts += [_text(x.at(one), size - bottom + 17, f"{one:.0%}", "tick middle") for one in (0, 0.25, 0.5, 0.75, 1)]
    parts.append(_line(x.at(0), y.at(0), x.at(1), y.at(1), "baseline"))
    points = [(x.at(one["mean_probability"]), y.at(one["observed_rate"]), one) for one in filled]
    path = " ".join(f"{at_x:.1f},{at_y:.1f}" for at_x, at_y, _ in points)
    parts.append(Markup('<polyline points="{}" class="curve"/>').format(path))
    for at_x, at_y, one in points:
        said = f"given {one['mean_probability']:.2f}, {what} {one['observed_rate']:.2f}: {one['count']:.0f}"
        parts.append(_dot(at_x, at_y, said))
        low, end = x.at(one.get("low", 0.0)), x.at(one.get("high", 1.0))
        parts.append(
            _bar(
                low + 1,
                counts.at(one["count"]),
                max(end - low - 2, 1),
                base - counts.at(one["count"]),
                f"{one['count']:.0f} items",
            )
        )
    parts += [_line(left, base, size - 12, base, "axis"), _text(left - 6, size + 16, f"{most:.0f}", "tick end")]
    parts += [
        _text(left - 6, base, "0", "tick end"),
        _text((left + size) / 2, base + 18, "items in each bin", "tick middle"),
    ]
    parts.append(
        _text(
            (left + size) / 2,
            size - 8,
            "confidence of the judge" if is_scale else "probability of true by the judge",
            "middle",
        )
    )
    parts.append(
        _side("share of right scores" if is_scale else "share that people call true", (top + size - bottom) / 2)
    )
    said = "; ".join(f"{one['mean_probability']:.0%} given, {one['observed_rate']:.0%} {what}" for one in filled)
    return _svg(
        f"Share of {what} {'scores' if is_scale else 'responses'} by the probability given. {said}",
        size,
        base + 24,
        parts,
    )


def comparison_plot(comparison: ScorerComparison, name: str, scale: tuple[float, float] | None) -> Markup:
    """Draw one measure of all scorers on one axis, as dots with intervals."""
    drawn = [
        (scorer, one)
        for scorer in comparison.names
        for one in comparison.values[scorer]
        if one.name == name and one.value is not None
    ]
    if not drawn:
        return Markup("")
    row, left, right, width = 48, 8, 8, 420
    height = row * len(drawn) + 52
    x = _axis_of([one for _, one in drawn], left, width - right, scale)
    bottom = row * len(drawn) + 6
    about = describe(name)

    def at(value: float) -> float:
        return x.at(to_points(value, name, scale))

    parts = [_line(x.at(one), 4, x.at(one), bottom, "grid") for one in x.ticks()]
    parts += [
        _text(x.at(one), bottom + 16, f"{one * 100:g}%" if about.unit == "share" else f"{one:g}", "tick middle")
        for one in x.ticks()
    ]
    baselines = {value for _, one in drawn for value in one.baselines.values() if value is not None}
    parts += [_line(at(one), 4, at(one), bottom, "baseline") for one in sorted(baselines)]
    for place, (scorer, one) in enumerate(drawn):
        y = row * place + 34
        parts.append(_text(left, y - 14, shorten(scorer, _NAME_SHOWN), ""))
        interval = interval_in_scale(one, scale)
        value = in_scale(one.value, name, scale)
        parts.append(_text(width - right, y - 14, f"{value} ({interval})" if interval else value, "tick end"))
        if one.low is not None and one.high is not None:
            parts.append(_line(at(one.low), y, at(one.high), y, "interval"))
        parts.append(_dot(at(one.value or 0.0), y))
    named = ", ".join(filter(None, (unit_of(name, scale), better_end(name))))
    parts.append(_text(width / 2, height - 6, f"{about.label}{f' ({named})' if named else ''}", "middle"))
    said = "; ".join(f"{scorer} {in_scale(one.value, name, scale)}" for scorer, one in drawn)
    return _svg(f"{about.label}. {said}", width, height, parts)


def _axis_of(measures: Sequence[Measure], start: float, end: float, scale: tuple[float, float] | None) -> Axis:
    """An axis that holds all values and intervals, and what trivial scorers reach."""
    values = [
        one
        for each in measures
        for one in (each.value, each.low, each.high, *each.baselines.values())
        if one is not None
    ]
    about = describe(measures[0].name)
    if about.better == "zero":
        values.append(0.0)
    low, high = min(values), max(values)
    space = max((high - low) * 0.06, 0.01)
    least, most = max(low - space, about.low), min(high + space, about.high)
    return Axis(to_points(least, about.name, scale), to_points(most, about.name, scale), start, end)


def _dot(x: float, y: float, said: str = "") -> Markup:
    title = Markup("<title>{}</title>").format(said) if said else ""
    return Markup('<circle cx="{:.1f}" cy="{:.1f}" r="5.5" class="dot">{}</circle>').format(x, y, title)


def _bar(  # noqa: PLR0917 - the ends of a rectangle, as SVG orders them
    x: float, y: float, width: float, height: float, said: str, kind: str = ""
) -> Markup:
    rect = '<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" class="bar {}"><title>{}</title></rect>'
    return Markup(rect).format(x, y, width, height, kind, said)  # noqa: S704 - written here


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return Markup('<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>').format(x1, y1, x2, y2, kind)


def _text(x: float, y: float, text: str, kind: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" class="{}">{}</text>').format(x, y, kind, text)


def _side(text: str, y: float) -> Markup:
    return Markup('<text x="12" y="{0:.1f}" class="middle" transform="rotate(-90 12 {0:.1f})">{1}</text>').format(
        y, text
    )


def _names(x_name: str, y_name: str, width: float, height: float) -> tuple[Markup, Markup]:
    return _text((width + 40) / 2, height - 8, x_name, "middle"), _side(y_name, (height - 36) / 2)


def _svg(title: str, width: float, height: float, parts: Sequence[Markup]) -> Markup:
    return Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        width, height, title, Markup("").join(parts)
    )
