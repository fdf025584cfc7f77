"""Rankings from preferences, and position bias."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from judgecore._core import bradley_terry as core_bradley_terry
from judgecore._core import position_bias as core_position_bias
from judgecore.stats.metric import described, metric
from judgecore.stats.result import Interval, Measurement, to_interval, to_places, to_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from judgecore.stats.result import Values


@dataclass(frozen=True, slots=True)
class RankedPlayer:
    """A player of a ranking.

    Attributes:
        name: The name.
        strength: The log strength, with mean 0 over all players: the exponential of a difference is the odds of
            winning; multiplied by 400 / ln 10, it is in Elo points.
        interval: The interval of the strength.
        rank: The rank, from 1; equal strengths share it.
        num_wins: Games won.
        num_losses: Games lost.
        num_ties: Games tied.
    """

    name: str
    strength: float | None
    interval: Interval | None
    rank: int | None
    num_wins: int
    num_losses: int
    num_ties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Measurement):
    """Players by strength.

    Attributes:
        players: From the strongest to the weakest; in order of occurrence if strengths are undefined.
        num_games: The number of games with an outcome.
        num_missing: The number of games without an outcome, which are omitted.
    """

    players: tuple[RankedPlayer, ...]
    num_games: int
    num_missing: int


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class PositionBias(Measurement):
    """The position bias of a judge on pairs that were shown in both orders.

    Attributes:
        num_consistent: The number of pairs with the same winner, or a tie, in both orders.
        num_first: The number of pairs that favour the first position: it wins in both orders, or in one with a tie in
            the other.
        num_second: The number of pairs that favour the second position.
        num_missing: The number of pairs without both verdicts.
        consistency_interval: The interval of the consistency.
        p_value: The two-sided p-value of the sign test; 1 if no pair favours a position.
    """

    num_pairs: int = metric(
        "Pairs",
        "pairs with a verdict in both orders, over all trials",
        name="pairs",
        unit="count",
        high=inf,
        better=None,
    )
    num_consistent: int
    num_first: int
    num_second: int
    num_missing: int
    consistency: float | None = metric(
        "Consistency", "share of pairs of which the same response wins, or that tie, in both orders", unit="share"
    )
    consistency_interval: Interval | None
    preference_fairness: float | None = metric(
        "Preference for a place",
        "share of pairs that lean to the second place less that which lean to the first; 1 is always the second",
        low=-1.0,
        better="zero",
        source="Shi et al. (2024), Judging the Judges, arXiv 2406.07791",
    )
    p_value: float | None


def bradley_terry(
    first: Sequence[str],
    second: Sequence[str],
    outcomes: Values | Iterable[Any],
    *,
    prior_games: float = 0.0,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Ranking:
    """Rank players by the maximum-likelihood strengths of the Bradley-Terry model.

    A tie is half a win for both. Intervals resample games. Releases the GIL.

    Args:
        first: The name of each game's first player.
        second: The name of each game's second player.
        outcomes: 1, ``"A"`` or ``"first"`` if the first player won; 0, ``"B"`` or ``"second"`` if the second did; 0.5
            or ``"tie"``; None or NaN for a missing outcome.
        prior_games: The number of additional games of each player against an average player, half of them won. Above
            0, all strengths are defined and shrunk towards the mean.
        resamples: The number of resamples.
        seed: The random seed.
        confidence: The nominal coverage of intervals.

    Returns:
        The players by strength. Without prior games, strengths are None if the players can be split into two groups
        such that one never beats the other.

    Raises:
        ValueError: If lengths differ, an outcome is invalid, or a player plays against itself.

    Examples:
        >>> ranking = bradley_terry(["x", "x", "y", "x"], ["y", "y", "x", "y"], ["A", "A", "A", "B"])
        >>> [(player.name, round(player.strength, 3)) for player in ranking.players]
        [('x', 0.0), ('y', 0.0)]

    References:
        Bradley and Terry (1952), Rank Analysis of Incomplete Block Designs; Newman (2023), Efficient Computation of
        Rankings from Pairwise Comparisons; Ford (1957) for when strengths exist.
    """
    results = to_places(outcomes, "outcomes").tolist()
    if not len(first) == len(second) == len(results):
        raise ValueError(f"first has {len(first)} games, second {len(second)}, outcomes {len(results)}")
    numbers: dict[str, int] = {}
    for one, other in zip(first, second, strict=True):
        if one == other:
            raise ValueError(f"{one!r} plays against itself")
        numbers.setdefault(one, len(numbers))
        numbers.setdefault(other, len(numbers))
    games = [
        (numbers[one], numbers[other], result)
        for one, other, result in zip(first, second, results, strict=True)
        if result == result  # noqa: PLR0124 - NaN is not itself
    ]
    settings = to_settings(resamples, seed, confidence)
    found = core_bradley_terry(games, len(numbers), prior_games, settings)
    players = [
        RankedPlayer(name=name, **dict(own, interval=to_interval(own["interval"])))
        for name, own in zip(numbers, found["players"], strict=True)
    ]
    names = list(numbers)
    return Ranking(
        players=tuple(sorted(players, key=lambda one: one.rank or 0)),
        num_games=found["num_games"],
        num_missing=len(results) - len(games),
        undefined={_name_player(key, names): reason for key, reason in found["undefined"].items()},
    )


def _name_player(key: str, names: list[str]) -> str:
    _, number, what = key.split(".")
    return f"players.{names[int(number)]}.{what}"


def position_bias(
    original: Values | Iterable[Any], swapped: Values | Iterable[Any], *, confidence: float = 0.95
) -> PositionBias:
    """Measure how much a judge's preferences depend on the order of the responses.

    Releases the GIL.

    Args:
        original: Shape ``(n_pairs,)``: 1, ``"A"`` or ``"first"`` if the response shown first won; 0, ``"B"`` or
            ``"second"`` if the one shown second did; 0.5 or ``"tie"``; None or NaN for a missing verdict.
        swapped: The same in swapped order, so that an unbiased judge's ``"A"`` becomes ``"B"``.
        confidence: The nominal coverage of the interval.

    Returns:
        Consistency and preference fairness; None for no pairs.

    Raises:
        ValueError: If lengths differ, or another value occurs.

    Examples:
        >>> found = position_bias(["A", "A", "B", "tie"], ["B", "A", "A", "tie"])
        >>> found.consistency, found.preference_fairness
        (0.75, -0.25)

    References:
        Shi et al. (2024), Judging the Judges: A Systematic Study of Position Bias in LLM-as-a-Judge, arXiv 2406.07791.
        Their ratios of leanings, weighted by their counts, sum to this difference.
    """
    found = core_position_bias(to_places(original, "original"), to_places(swapped, "swapped"), confidence)
    return PositionBias(**dict(found, consistency_interval=to_interval(found["consistency_interval"])))
