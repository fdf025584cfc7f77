"""Checks every case of `cases/*.jsonl` against README.md's schema and prints how many there are of each sort.

`frozen.json` names the number of frozen lines at the head of each file and their SHA-256: they never change.
"""

import hashlib
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

KEYS = {"id", "class", "language", "format", "reply", "material", "cut", "accept", "why"}
CLASSES = "declared plain scope retold withdrawn supposed number echo bracket reasoning contradiction silence"
REASONS = "missing empty no_verdict ambiguous out_of_range echoed truncated malformed refused"
PLACES = ("first_word", "first_line", "last_line", "whole", None)
KINDS = {kind: set(keys.split()) for kind, keys in {
    "score": "low high integer markers", "scores": "n low high names", "binary": "true false markers",
    "choice": "labels markers", "order": "n names", "fields": "fields", "json": "fields verdict",
    "guard": "unsafe safe categories",
}.items()}  # fmt: skip


def need(held: object, cure: str) -> None:
    """Raises ValueError with the cure unless the condition holds."""
    if not held:
        raise ValueError(cure)


def number(value: Any) -> bool:
    """Says whether a JSON value is a number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def strings(value: Any, least: int = 1) -> bool:
    """Says whether a JSON value is an array of at least `least` strings, filled and different."""
    filled = isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)
    return filled and len(set(value)) == len(value) >= least


def check_format(form: Any) -> None:
    """Checks that a format has its kind's keys and that their values make sense; fields inside it likewise."""
    need(isinstance(form, dict) and form.get("kind") in KINDS, f"give the format a kind of {', '.join(KINDS)}")
    kind, keys = form["kind"], KINDS[form["kind"]]
    need(set(form) - {"kind", "place", "instruction"} == keys, f"give {kind} these further keys: {sorted(keys)}")
    need(form.get("place") in PLACES, f"make place one of {PLACES}")
    for key in keys & {"markers", "names", "categories", "true", "false", "unsafe", "safe"}:
        least = int(key not in {"markers", "names", "categories"})
        need(strings(form[key], least), f"make {key} an array of at least {least} different strings")
    need(all("{}" in marker for marker in form.get("markers", [])), "put {} in every marker")
    low, high = form.get("low", 0), form.get("high", 1)
    need(number(low) and number(high) and low < high, "make low and high numbers, low < high")
    need("n" not in keys or len(form["names"]) in ({form["n"], 0} if kind == "scores" else {form["n"]}), "give n names")
    need(isinstance(form.get("integer", True), bool), "make integer true or false")
    need(isinstance(form.get("instruction", ""), str), "make instruction a string")
    for key in keys & {"labels", "fields"}:
        need(isinstance(form[key], dict) and form[key], f"make {key} an object with at least one key")
    need(all(strings(forms) for forms in form.get("labels", {}).values()), "give every label an array of surface forms")
    for inner in form.get("fields", {}).values():
        check_format(inner)
    need(kind != "json" or form["verdict"] in {*form["fields"], None}, "make verdict a key of fields, or null")


def possible(value: Any, form: dict[str, Any]) -> bool:
    """Says whether a reply in this format can have this value."""
    kind, many, keyed = form["kind"], isinstance(value, list), isinstance(value, dict)
    if kind == "json" and form["verdict"]:
        fit = possible(value, form["fields"][form["verdict"]])
    elif kind in {"json", "fields"}:
        fit = keyed and set(value) == set(form["fields"])
        fit = fit and all(possible(value[key], inner) for key, inner in form["fields"].items())
    elif kind in {"score", "scores"}:
        each = [value] if kind == "score" else value if many else []
        fit = len(each) == form.get("n", 1) and all(number(one) and form["low"] <= one <= form["high"] for one in each)
        fit = fit and not (form.get("integer") and value % 1)
    elif kind == "order":  # After a tie, ranks may skip (1, 1, 3) or not (1, 1, 2).
        fit = many and len(value) == form["n"] and all(type(rank) is int for rank in value)
        fit = fit and value in [[1 + sum(map(rank.__gt__, pool)) for rank in value] for pool in (value, set(value))]
    elif kind == "guard":
        fit = keyed and set(value) == {"unsafe", "categories"} and isinstance(value["unsafe"], bool)
        codes = form["categories"] if fit and value["unsafe"] else []
        fit = fit and strings(value["categories"], least=0) and set(value["categories"]) <= set(codes)
    else:
        fit = isinstance(value, bool) if kind == "binary" else isinstance(value, str) and value in form["labels"]
    return fit


def check_case(case: Any, name: str, seen: set[str]) -> None:
    """Checks one case of `cases/<name>.jsonl`; `seen` holds the ids, and the formats with replies, of those before."""
    need(isinstance(case, dict) and set(case) == KEYS and case["why"], f"fill these keys and no others: {sorted(KEYS)}")
    need(name in CLASSES.split() and case["class"] == name, f"make class and file name one of: {CLASSES}")
    marks = f"{case['id']} {case['language']}"
    need(re.fullmatch(rf"{name}-[0-9]{{4}} [a-z]{{2}}", marks), f"write id and language like {name}-0001 en: {marks}")
    need(isinstance(case["cut"], bool) and isinstance(case["material"], list), "cut: true or false, material: an array")
    need(all(isinstance(text, str) for text in (*case["material"], case["reply"], case["why"])), "make texts strings")
    check_format(case["format"])
    need(isinstance(case["accept"], list) and case["accept"], "accept at least one outcome")
    for way in case["accept"]:
        need(isinstance(way, dict) and set(way) in ({"value"}, {"unreadable"}), "accept {value} or {unreadable}")
        fit = strings(way["unreadable"]) if "unreadable" in way else possible(way["value"], case["format"])
        need(fit and set(way.get("unreadable", [])) <= set(REASONS.split()), f"accept what the format can hold: {way}")
    for mark in (case["id"], json.dumps([case["format"], case["reply"]], sort_keys=True)):
        need(mark not in seen, f"take another id, or drop the case; seen before: {mark[:200]}")
        seen.add(mark)


FROZEN = json.loads((Path(__file__).parent / "frozen.json").read_bytes())
seen, wrong, counts = set[str](), 0, Counter[tuple[str, str]]()
for path in sorted((Path(__file__).parent / "cases").glob("*.jsonl")):
    lines = path.read_bytes().removesuffix(b"\n").split(b"\n")
    frozen = FROZEN.get(path.stem, {"lines": 0, "sha256": hashlib.sha256().hexdigest()})
    head = b"".join(line + b"\n" for line in lines[: frozen["lines"]])
    if hashlib.sha256(head).hexdigest() != frozen["sha256"]:
        wrong = sys.stderr.write(f"{path}: a frozen case differs; restore the first {frozen['lines']} lines\n")
    for row, line in enumerate(lines, start=1):
        try:
            check_case(case := json.loads(line), path.stem, seen)
        except (TypeError, ValueError) as error:
            cure = error if type(error) is ValueError else f"write JSON of README.md's types: {error}"
            wrong = sys.stderr.write(f"{path}:{row}: {cure}\n")
            continue
        ways = "/".join(sorted({key for way in case["accept"] for key in way}))
        counts.update((key, ways) for key in (f"1 {path.stem}", f"2 {case['format']['kind']}", f"3 {case['language']}"))
sys.stdout.write(f"{'':<16}{'must read':>10}{'must not':>10}{'either':>10}\n")
for key in sorted({key for key, _ in counts}):
    held = (counts[key, ways] for ways in ("value", "unreadable", "unreadable/value"))
    sys.stdout.write(f"{key[2:]:<16}" + "".join(f"{cases:>10}" for cases in held) + "\n")
sys.exit(wrong > 0)
