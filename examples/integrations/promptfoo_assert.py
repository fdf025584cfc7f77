"""A promptfoo Python assertion. In its configuration use `type: python` and `value: file://promptfoo_assert.py`.

The output under test is a judge's reply, read in the format that the test's variable `format` names. promptfoo shows
what an assertion raises as an error of that test; a reply that can't be read is one, and no score of 0.
"""

from __future__ import annotations

from typing import Any

import judgecore as jc


def get_assert(output: str, context: dict[str, Any]) -> dict[str, Any]:
    given = context["vars"]
    form = jc.Format.get(given["format"])
    value = jc.parse(output, form).unwrap()
    if isinstance(value, jc.GuardVerdict):
        if value.unsafe is None:
            raise ValueError(f"{form.id}: the guard says nothing of its subject")
        value = value.unsafe
    if form.kind == "score" and form.scale is not None:
        low, high = form.scale
        score = (value - low) / (high - low)
        is_passed = score >= given.get("threshold", 0.5)
    else:
        is_passed = value == given["expected"]
        score = float(is_passed)
    return {"pass": is_passed, "score": score, "reason": f"{form.id} reads {value!r}"}


if __name__ == "__main__":
    print(get_assert("I give it an 8. Rating: [[8]]", {"vars": {"format": "mt_bench.single"}}))
