"""Parses cases with lmms-eval's `ResponseParser`: yes and no, a score without a marker, two scores, JSON."""

from typing import Any

from lmms_eval.llm_judge.utils import ResponseParser
from serving import Case, NotApplicableError, UnreadableError, serve, verdict_of


def loaded(reply: str) -> Any:
    """The document that the parser returns; it returns an empty one if it finds none."""
    document = ResponseParser.parse_json_response(reply)
    if not document:
        raise ValueError("no document")
    return document


def read(case: Case) -> Any:
    """The value that the parser's function for this kind returns, including its defaults."""
    form, reply = case["format"], case["reply"]
    words = {word.casefold() for key in ("true", "false") for word in form.get(key, ())}
    if form["kind"] == "json":
        return verdict_of(loaded, case)
    if form["kind"] == "score" and not form["markers"]:
        return ResponseParser.parse_score_response(reply, (form["low"], form["high"]))
    if form["kind"] == "scores" and form["n"] == 2:  # noqa: PLR2004 - two responses are compared
        scores = ResponseParser.parse_comparative_response(reply)
        if scores == (-1.0, -1.0):
            raise UnreadableError("no_verdict")
        return list(scores)
    if words == {"yes", "no"} and not form["markers"]:
        return ResponseParser.parse_binary_response(reply, "yes/no")
    if words == {"0", "1"} and not form["markers"]:
        return bool(ResponseParser.parse_binary_response(reply, "0/1"))
    raise NotApplicableError("the parser has no function for this format")


serve(read)
