"""Parses cases with a marker like `GRADE: {}` with Inspect's grade pattern, adapted to the marker and the labels.

Users of `model_graded_qa` pass such a pattern as `grade_pattern`; the last match counts.
"""

import re
from typing import Any

from inspect_ai.scorer._model import DEFAULT_GRADE_PATTERN
from serving import Case, NotApplicableError, UnreadableError, forms_of, serve

GRADE, LETTERS = "GRADE", "([CPI])"


def read(case: Case) -> Any:
    """The value of the last grade in the reply."""
    form = case["format"]
    markers = [found for one in form.get("markers", ()) if (found := re.fullmatch(r"(\w[\w ]*?) ?([:：]) ?\{\}", one))]
    if form["kind"] not in {"binary", "choice", "score"} or not markers:
        raise NotApplicableError("no marker like GRADE: {}")
    numbers = form["kind"] == "score"
    forms = [] if numbers else sorted(forms_of(form), key=lambda one: -len(one[1]))
    group = r"-?\d+(?:\.\d+)?" if numbers else "|".join(re.escape(one) for _, one in forms)
    for marker in markers:
        pattern = DEFAULT_GRADE_PATTERN.replace(":", marker[2]).replace(GRADE, re.escape(marker[1]))
        pattern = pattern.replace(LETTERS, f"({group})")
        if found := re.search(pattern, case["reply"]):
            if numbers:
                return float(found[1])
            return next(value for value, one in forms if one.casefold() == found[1].casefold())
    raise UnreadableError("no_verdict")


serve(read)
