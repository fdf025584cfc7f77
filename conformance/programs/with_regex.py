"""Parses cases with plain regular expressions as users write them: the first match of marker, label or number."""

import json
import re
from typing import Any

from serving import Case, NotApplicableError, UnreadableError, forms_of, serve, verdict_of

NUMBER = r"-?\d+(?:\.\d+)?"


def first(slot: str, form: dict[str, Any], reply: str) -> str:
    """The first match of a pattern, inside a marker if the format has one."""
    markers = form.get("markers") or ["{}"]
    for marker in markers:
        before, _, after = marker.partition("{}")
        pattern = re.escape(before.strip()) + rf"\s*({slot})\s*" + re.escape(after.strip())
        if found := re.search(pattern, reply, re.IGNORECASE):
            return found[1]
    raise UnreadableError("no_verdict")


def labelled(form: dict[str, Any], reply: str) -> Any:
    """The value of the first surface form in the reply."""
    forms = sorted(forms_of(form), key=lambda one: -len(one[1]))
    words = "|".join(re.escape(one) for _, one in forms)
    bounded = words if form.get("markers") else rf"\b(?:{words})\b"
    said = first(bounded, form, reply).casefold()
    return next(value for value, one in forms if one.casefold() == said)


def document(reply: str) -> Any:
    """The text from the first to the last brace, parsed as JSON."""
    found = re.search(r"\{.*\}", reply, re.DOTALL)
    return json.loads(found[0] if found else "")


def ranks(form: dict[str, Any], reply: str) -> list[int]:
    """The rank of each name in the first chain of all names."""
    name = "|".join(map(re.escape, sorted(form["names"], key=len, reverse=True)))
    chain = re.search(rf"(?:{name})(?:\s*[>=]\s*(?:{name})){{{form['n'] - 1}}}", reply)
    if chain is None:
        raise UnreadableError("no_verdict")
    places = {one: place for place, tied in enumerate(chain[0].split(">"), 1) for one in re.findall(name, tied)}
    if len(places) < form["n"]:
        raise UnreadableError("malformed")
    return [places[one] for one in form["names"]]


def value(form: dict[str, Any], reply: str) -> Any:
    """The value of a format in a reply."""
    match form["kind"]:
        case "score":
            return float(first(NUMBER, form, reply))
        case "scores":
            numbers = re.findall(NUMBER, reply)[: form["n"]]
            if len(numbers) < form["n"]:
                raise UnreadableError("missing")
            return list(map(float, numbers))
        case "binary" | "choice":
            return labelled(form, reply)
        case "order":
            return ranks(form, reply)
        case "guard":
            codes = "|".join(map(re.escape, sorted(form["categories"], key=len, reverse=True)))
            unsafe = labelled(form, reply)
            found = re.findall(rf"\b(?:{codes})\b", reply) if codes and unsafe else []
            return {"unsafe": unsafe, "categories": list(dict.fromkeys(found))}
        case "fields":
            return {name: value(inner, after(name, reply)) for name, inner in form["fields"].items()}
        case kind:
            raise NotApplicableError(kind)


def after(name: str, reply: str) -> str:
    """The rest of the line after a name and its colon."""
    found = re.search(rf"{re.escape(name)}\W*[:：](.*)", reply)
    if found is None:
        raise UnreadableError("missing")
    return found[1]


def read(case: Case) -> Any:
    """The value of a case."""
    return verdict_of(document, case) if case["format"]["kind"] == "json" else value(case["format"], case["reply"])


serve(read)
