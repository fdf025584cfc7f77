"""Measure how often common parsers read a reply correctly, on replies with a known outcome.

Needs hypothesis, lmms-eval's judge package and Inspect AI: see tests/integrations/evals.txt. Usage, with the number of
replies per cell: python examples/integrations/hold_parsers.py 1000
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, settings
from inspect_ai.scorer._model import DEFAULT_GRADE_PATTERN
from lmms_eval.llm_judge.utils import ResponseParser

import judgecore as jc
from judgecore.testing import noisy, planted, replies, truncated

if TYPE_CHECKING:
    from collections.abc import Callable

    from judgecore.testing import KnownReply

GRADED = "inspect.model_graded"
SCALE = jc.Format.score(1, 10)
PAIR = jc.Format.scores(2, 1, 10)


def inspect_grade(text: str) -> str | None:
    found = re.search(DEFAULT_GRADE_PATTERN, text)
    return found[1].upper() if found else None


PARSERS: list[tuple[str, jc.Format | str, Callable[[str], Any]]] = [
    ("lmms-eval, 0/1", "lmms_eval.binary_01", lambda text: bool(ResponseParser.parse_binary_response(text, "0/1"))),
    ("lmms-eval, yes/no", "lmms_eval.yes_no", lambda text: ResponseParser.parse_binary_response(text, "yes/no")),
    ("lmms-eval, score", SCALE, lambda text: ResponseParser.parse_score_response(text, (1, 10))),
    ("lmms-eval, two scores", PAIR, ResponseParser.parse_comparative_response),
    ("Inspect AI, GRADE", GRADED, inspect_grade),
]
STRATEGIES = {"replies": replies, "noisy": noisy, "truncated": truncated, "planted": planted}


def wrong_among(strategy: Any, count: int, parse: Callable[[KnownReply], Any]) -> tuple[list[KnownReply], int]:
    """Return the replies that a parser reads wrongly, and the number of replies that it was given."""
    wrong: list[KnownReply] = []
    given_to_it: list[KnownReply] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(known: KnownReply) -> None:
        given_to_it.append(known)
        found = parse(known)
        # An unread reply is not a wrong verdict, however readable it is.
        if found is not None and not known.allows(found):
            wrong.append(known)

    draw()
    return wrong, len(given_to_it)


def main(count: int) -> None:
    print("parser | replies | theirs are wrong | judgecore's are wrong | of | such as")
    for name, form, parser in PARSERS:
        for kind, strategy in STRATEGIES.items():
            theirs, drawn = wrong_among(strategy(form), count, lambda known, parser=parser: parser(known.text))
            ours, _ = wrong_among(
                strategy(form),
                count,
                lambda known, form=form: jc.parse(known.text, form, cut=known.cut).value_or(None),
            )
            shown = (
                repr(min((known.text for known in theirs), key=lambda text: (not text.strip(), len(text))))
                if theirs
                else ""
            )
            print(f"{name} | {kind} | {len(theirs)} | {len(ours)} | {drawn} | {shown}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
