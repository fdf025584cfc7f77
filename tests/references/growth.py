"""By how much the processor time of a call grows with its text.

Nothing is held against a time: the least time of several runs is held against that of a quarter of the text, in turn.
"""

from __future__ import annotations

import os
import time
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

KIB = 1024
IS_SOAK = "JUDGECORE_SOAK" in os.environ
# Sizes in KiB that are held against each other, until they tell. Even the fastest search of all the text for each word,
# 0.05 ns a byte, makes the slowest floods, 1000 ns a byte, grow more than plainly linear from 8 to 32.
STEPS = ((4, 16, 64), (16, 64, 256), (256, 1024, 4096)) if IS_SOAK else ((2, 8, 32), (8, 32, 128))
# Of what is linear only a busy machine makes anything else, and seldom again and again.
ATTEMPTS = 25
# Four times the text: 4 is linear, 16 the square.
GROWTH = 2.5**2
PLAINLY_LINEAR = 5.0
# What is faster is told apart by the clock and the caches rather than by the text: 1 GB/s.
BRIEF_S_PER_BYTE = 1e-9


def seconds(call: Callable[[], object]) -> float:
    """The processor time that a call takes; other processes have no part in it."""
    start = time.thread_time()
    call()
    return time.thread_time() - start


def factors(calls: list[Callable[[], object]], bytes_of_last: int) -> list[float]:
    """By how much time grows from call to call; nothing where it is too short to tell."""
    least = [float("inf")] * len(calls)
    found: list[float] = []
    for attempt in range(ATTEMPTS):
        least = [min(known, seconds(call)) for known, call in zip(least, calls, strict=True)]
        found = [large / small for small, large in pairwise(least)]
        is_linear = max(found) <= PLAINLY_LINEAR or (attempt and found[-1] <= PLAINLY_LINEAR)
        if is_linear or (attempt and min(found) > 1.5 * GROWTH):
            break
    return found if least[-1] > BRIEF_S_PER_BYTE * bytes_of_last else []


def growth(call: Callable[[int], Callable[[], object]]) -> float:
    """By how much time grows where the text grows fourfold, at the first sizes that tell.

    Of three sizes the lesser growth counts, because the other may be where a text becomes too long to be read in
    another way.

    Args:
        call: Makes the call that reads a text of so many bytes.
    """
    least = 0.0
    for sizes in STEPS:
        in_bytes = [size * KIB for size in sizes]
        found = factors([call(size) for size in in_bytes], in_bytes[-1])
        least = min(found, default=0.0)
        if least > GROWTH or (not IS_SOAK and found and found[-1] <= PLAINLY_LINEAR):
            break
    return least
