"""The sentences at the top of a report: what was found, fit for a paper, with intervals and baselines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judgecore.reports.levels import is_preference
from judgecore.reports.measures import shown
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.evaluation import EvaluationResult, Measure


def say_result(result: EvaluationResult) -> tuple[str, ...]:
    """Say what an evaluation found, in sentences."""
    first = _on_scale(result) if result.is_harm else _objective(result)
    return tuple(filter(None, (*first, _coverage(result))))


def judge_name(result: EvaluationResult) -> str:
    """Return the name of the judge's model and of its scorer; of the scorer alone if it asks no judge."""
    scorer = result.scorer_identifier
    judges = scorer.children_of("prompt_target") if "prompt_target" in scorer.children else ()
    models = [one.params.get("underlying_model_name") or one.params.get("model_name") for one in judges]
    named = ", ".join(str(one) for one in models if one)
    return f"{named} ({scorer.class_name})" if named else scorer.class_name


def _objective(result: EvaluationResult) -> Sequence[str]:
    accuracy, f1, kappa = (result.measure(name) for name in ("accuracy", "f1_score", "cohen_kappa"))
    scored = sum(item.model is not None for item in result.items)
    said: list[str] = []
    if accuracy is not None and accuracy.value is not None:
        best = _best_baseline(accuracy)
        beside = [] if best is None else [f"{best[0]} reaches {shown(best[1], 'accuracy')}"]
        ceiling = result.measure("human_ceiling")
        if ceiling is not None and ceiling.value is not None:
            beside.append(f"a rater agrees with the others on {shown(ceiling.value, 'accuracy')}")
        said.append(
            f"On {_data(result)}, {judge_name(result)} gave the same verdict as people for "
            f"{shown(accuracy.value, 'accuracy')} of {count_noun(scored, 'response')}{_interval(accuracy)}"
            f"{'; ' if beside else ''}{', and '.join(beside)}."
        )
        if best is not None:
            said.append(_compared(accuracy, best, higher_is_better=True))
    more = [
        f"{label} is {shown(one.value, one.name)}{_interval(one, f'; {extra}' if extra else '')}"
        for label, one, extra in (
            ("F1", f1, _baseline_note(f1)),
            ("Cohen's kappa", kappa, "0 is chance"),
        )
        if one is not None and one.value is not None
    ]
    if more:
        said.append(" and ".join(more) + ".")
    return said


def _on_scale(result: EvaluationResult) -> Sequence[str]:
    alpha, error, bias = (
        result.measure(name) for name in ("krippendorff_alpha_human_judge", "mean_absolute_error", "bias")
    )
    low, high = result.dataset.scale or (0.0, 1.0)
    length = high - low
    ends = "0 (b is better) to 1 (a is better)" if is_preference(result) else f"{low:.12g} to {high:.12g}"
    scored = sum(item.model is not None for item in result.items)
    said: list[str] = []
    if error is not None and error.value is not None:
        constant = error.baselines.get("best_constant")
        beside: list[str] = []
        best = _best_constant(result)
        if constant is not None:
            given = "the best constant score" if best is None else f"always giving {low + best * length:.12g}"
            beside.append(f"{given} would be {_points(constant * length)} off")
        ceiling = result.measure("human_ceiling_error")
        if ceiling is not None and ceiling.value is not None:
            beside.append(f"a rater is {_points(ceiling.value * length)} off the others")
        said.append(
            f"On {_data(result)}, the scores of {judge_name(result)} from {ends} were "
            f"{_points(error.value * length)} off the median of people on average for "
            f"{count_noun(scored, 'response')}{_interval(error, scale=length)}"
            f"{'; ' if beside else ''}{', and '.join(beside)}."
        )
        if constant is not None:
            said.append(_compared(error, ("a constant score", constant), higher_is_better=False))
    if alpha is not None and alpha.value is not None:
        among = result.measure("krippendorff_alpha_humans")
        people = "" if among is None or among.value is None else f"; among people {among.value:.2f}"
        said.append(
            f"Krippendorff's ordinal alpha of people and judge is {alpha.value:.2f}"
            f"{_interval(alpha, f'; 0 is chance{people}', digits=2)}."
        )
    if bias is not None and bias.value is not None:
        said.append(_bias(bias, length))
    return said


def _bias(bias: Measure, length: float) -> str:
    value, interval = bias.value or 0.0, _interval(bias, scale=length)
    if bias.low is not None and bias.high is not None and bias.low <= 0 <= bias.high:
        return (
            f"On average it scored neither higher nor lower than people for certain: {value * length:+.2f}{interval}."
        )
    way = "higher" if value > 0 else "lower"
    return f"On average it scored {_points(abs(value) * length)} {way} than people{interval}."


def _compared(measure: Measure, baseline: tuple[str, float], *, higher_is_better: bool) -> str:
    """Whether a judge is shown to be better than a baseline: its interval excludes what that reaches."""
    if measure.low is None or measure.high is None:
        return ""
    name, value = baseline
    above, below = measure.low > value, measure.high < value
    if not above and not below:
        return f"That does not show that the judge is better than {name}."
    return f"That is {'better' if above == higher_is_better else 'worse'} than {name}."


def _coverage(result: EvaluationResult) -> str:
    """How many responses are not in the numbers; empty if all are."""
    said: list[str] = []
    undetermined = sum(item.model is None for item in result.items)
    if undetermined:
        share = undetermined / len(result.items)
        said.append(
            f"{undetermined:,} of {count_noun(len(result.items), 'response')} ({share:.1%}) got no readable score and "
            "are not in these numbers."
        )
    if result.num_not_asked:
        were = f"{count_noun(result.num_not_asked, 'response')} {'was' if result.num_not_asked == 1 else 'were'}"
        said.append(f"The evaluation is not complete: {were} not asked in all trials.")
    return " ".join(said)


def _data(result: EvaluationResult) -> str:
    count = result.metrics.num_human_raters
    return f"{result.dataset.name or 'the data'}, labelled by {count_noun(count, 'rater')}"


def _best_baseline(measure: Measure) -> tuple[str, float] | None:
    known = {name: value for name, value in measure.baselines.items() if value is not None}
    if not known:
        return None
    name = max(known, key=lambda one: known[one])
    said = {"always_true": "always answering true", "always_false": "always answering false"}
    return said.get(name, f"{name.replace('_', ' ')} guessing"), known[name]


def _baseline_note(measure: Measure | None) -> str:
    best = None if measure is None else _best_baseline(measure)
    return "" if measure is None or best is None else f"{best[0]}: {shown(best[1], measure.name)}"


def _best_constant(result: EvaluationResult) -> float | None:
    statistics: object = result.metrics.beyond.get("statistics")
    value: object = statistics.get("best_constant") if isinstance(statistics, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - a file's JSON
    return float(value) if isinstance(value, int | float) else None


def _points(value: float) -> str:
    return f"{value:.2f} points"


def _interval(measure: Measure, more: str = "", *, scale: float | None = None, digits: int | None = None) -> str:
    if measure.low is None or measure.high is None:
        return f" ({more.removeprefix('; ')})" if more else ""
    if scale is not None:
        ends = f"{measure.low * scale:.2f} to {measure.high * scale:.2f}"
    elif digits is not None:
        ends = f"{measure.low:.{digits}f} to {measure.high:.{digits}f}"
    else:
        ends = f"{shown(measure.low, measure.name)} to {shown(measure.high, measure.name)}"
    return f" (95 % CI {ends}{more})"
