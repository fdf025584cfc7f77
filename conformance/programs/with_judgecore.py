"""Parses cases with judgecore: python3 with_judgecore.py lenient, strict or paper.

In paper mode a case is parsed with the publisher's own rule, if its format is that of a publisher.
"""

import json
import re
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from serving import Case, NotApplicableError, UnreadableError, serve

import judgecore as jc

MODE = sys.argv[1] if sys.argv[1:] else "lenient"
GUARD = """\
family = "conformance"
title = "A guard of a case"
evidence = "code"
sources = ["a case"]
[[formats]]
id = "conformance.guard"
about = "A guard of a case."
kind = "guard"
[formats.guard]
subject = "response"
answers = [{{ side = "response", true = {unsafe}, false = {safe} }}]
{codes}
[formats.categories]
{categories}
"""


def guard(form: dict[str, Any]) -> jc.Format:
    """The format of a guard, which can be declared only in a file."""
    numbered = [found for one in form["categories"] if (found := re.fullmatch(r"([^\W\d]+)(\d+)", one))]
    codes = "codes = { prefix = '', last = 0, words = true }" if form["categories"] else ""
    if numbered:
        prefix, last = json.dumps(numbered[0][1], ensure_ascii=False), max(int(one[2]) for one in numbered)
        codes = f"codes = {{ prefix = {prefix}, last = {last} }}"
    text = GUARD.format(
        unsafe=json.dumps(form["unsafe"], ensure_ascii=False),
        safe=json.dumps(form["safe"], ensure_ascii=False),
        codes=codes,
        categories="\n".join(f"{json.dumps(one, ensure_ascii=False)} = 'a category'" for one in form["categories"]),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "guard.toml"
        path.write_text(text, "utf-8")
        return jc.Format.from_toml(path)


def made(form: dict[str, Any]) -> jc.Format:  # noqa: PLR0911 - a line for each kind
    """The format that a case declares."""
    markers, place = form.get("markers", []), form.get("place")
    match form["kind"]:
        case "score":
            return jc.Format.score(form["low"], form["high"], integer=form["integer"], markers=markers)
        case "scores":
            return jc.Format.scores(form["n"], form["low"], form["high"], names=form["names"] or None)
        case "binary":
            return jc.Format.binary(true=form["true"], false=form["false"], markers=markers, place=place)
        case "choice":
            return jc.Format.choice(form["labels"], markers=markers, place=place)
        case "order":
            return jc.Format.order(form["n"], names=form["names"] or None)
        case "fields":
            return jc.Format.fields({name: made(inner) for name, inner in form["fields"].items()})
        case "json" if form["verdict"] is not None:
            return jc.Format.json_field(form["verdict"], made(form["fields"][form["verdict"]]))
        case "json":
            return jc.Format.json_fields({name: made(inner) for name, inner in form["fields"].items()})
        case _:
            return guard(form)


def published(form: dict[str, Any]) -> jc.Format:
    """The built-in format with the kind, markers, and labels or scale of a case, if its publisher has a rule."""
    kind, markers = form["kind"], form.get("markers") or [""]
    scale = (form.get("low"), form.get("high"))
    forms = sorted(one for label in form.get("labels", {}).values() for one in label)
    name = {
        ("score", "[[{}]]", (1, 10)): "mt_bench.single",
        ("score", "[RESULT] {}", (1, 5)): "prometheus.absolute",
        ("score", "<score>{}</score>", (1, 5)): "flow_judge",
    }.get((kind, markers[-1].removeprefix("Rating: "), scale))
    if kind == "scores" and form["n"] == 2 and "single line" in form.get("instruction", ""):  # noqa: PLR2004 - a pair
        name = "judgelm"
    if kind == "choice":
        name = {
            ("[[{}]]", "A A=B A>B A>>B B B>A B>>A"): "arena_hard",
            ("[[{}]]", "A=B A>B A>>B B>A B>>A"): "arena_hard",
            ("[[{}]]", "A B C"): "mt_bench.pair",
            ("[[{}]]", "A B"): "skywork_critic",
            ("[RESULT] {}", "A B"): "prometheus.relative",
            ("GRADE: {}", "C I P"): "inspect.model_graded",
        }.get((markers[-1], " ".join(forms)))
    if {*form.get("labels", ())} == {"CORRECT", "INCORRECT", "NOT_ATTEMPTED"} and forms == ["A", "B", "C"]:
        name = "simple_qa"
    if name is None:
        raise NotApplicableError("no publisher's rule for this format")
    return jc.Format.get(name)


@cache
def format_of(declared: str) -> jc.Format:
    """The format of a declaration, given as JSON."""
    return published(json.loads(declared)) if MODE == "paper" else made(json.loads(declared))


def plain(value: Any, form: dict[str, Any]) -> Any:
    """A reading's value as the cases write it."""
    if isinstance(value, jc.GuardVerdict):
        return {"unsafe": value.unsafe, "categories": list(value.categories)}
    if MODE == "paper" and form["kind"] == "choice":
        forms = {value, "C"} if value == "tie" else {value}
        return next((label for label, held in form["labels"].items() if label == value or forms & {*held}), value)
    return list(value) if isinstance(value, tuple) else value


def read(case: Case) -> Any:
    """The value that judgecore reads in a case."""
    form = format_of(json.dumps(case["format"]))
    outcome = jc.parse(case["reply"], form, mode=MODE, cut=case["cut"], material=case["material"])
    if isinstance(outcome, jc.Unreadable):
        raise UnreadableError(outcome.reason)
    value, low = plain(outcome.value, case["format"]), case["format"].get("low")
    # A publisher's default below the scale means that nothing was found; a default on the scale is a value.
    if outcome.invented and low is not None and min(value if isinstance(value, list) else [value]) < low:
        raise UnreadableError("no_verdict")
    return value


serve(read)
