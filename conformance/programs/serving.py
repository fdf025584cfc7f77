"""What the programs of this folder share: the loop over cases, and looking up verdicts in JSON documents."""

import json
import sys
from collections.abc import Callable
from typing import Any

Case = dict[str, Any]


class UnreadableError(Exception):
    """The parser returns no value; the message is the reason."""


class NotApplicableError(Exception):
    """The parser does not support the format; the message says why."""


def serve(read: Callable[[Case], Any]) -> None:
    """Answers every case of the standard input with the value that `read` returns, or with the error that it raises.

    The output of packages is redirected to the standard error, because the standard output is for answers.
    """
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin.buffer:
        try:
            answer = {"value": read(json.loads(line))}
        except UnreadableError as reason:
            answer = {"unreadable": str(reason)}
        except NotApplicableError as reason:
            answer = {"not_applicable": str(reason)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def forms_of(form: dict[str, Any]) -> list[tuple[Any, str]]:
    """The pairs of value and surface form of a binary, choice or guard format."""
    if form["kind"] == "choice":
        return [(label, one) for label, forms in form["labels"].items() for one in forms]
    words = ("unsafe", "safe") if form["kind"] == "guard" else ("true", "false")
    return [(value, one) for value, key in zip((True, False), words, strict=True) for one in form[key]]


def entry_of(document: Any, key: str) -> Any:
    """The entry of a key or dotted path; raises UnreadableError if there is none."""
    if isinstance(document, dict) and key in document:
        return document[key]
    first, dot, rest = key.partition(".")
    if isinstance(document, dict) and dot and first in document:
        return entry_of(document[first], rest)
    raise UnreadableError("missing")


def value_of(entry: Any, form: dict[str, Any]) -> Any:
    """The value of an entry of a document: a number, also in a string, or the label with this surface form.

    Bounds are not checked, because the parsers that use this do not check them.
    """
    if form["kind"] == "score":
        try:
            number = float(entry) if not isinstance(entry, bool) else None
        except (TypeError, ValueError):
            number = None
        if number is None:
            raise UnreadableError("malformed")
        return number if abs(number) < float("inf") else str(number)
    if form["kind"] not in {"binary", "choice"}:
        raise NotApplicableError(f"an entry of kind {form['kind']}")
    if form["kind"] == "binary" and isinstance(entry, bool):
        return entry
    for value, one in forms_of(form):
        if str(entry).casefold() == one.casefold():
            return value
    raise UnreadableError("malformed")


def verdict_of(load: Callable[[str], Any], case: Case) -> Any:
    """The verdict in the document that `load` returns for a reply; it raises ValueError if there is none."""
    form = case["format"]
    if form["kind"] != "json":
        raise NotApplicableError("not JSON")
    try:
        document = load(case["reply"])
    except ValueError as error:
        raise UnreadableError("malformed") from error
    if form["verdict"] is not None:
        return value_of(entry_of(document, form["verdict"]), form["fields"][form["verdict"]])
    return {key: value_of(entry_of(document, key), inner) for key, inner in form["fields"].items()}
