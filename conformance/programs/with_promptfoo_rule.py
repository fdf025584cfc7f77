"""Parses cases of kind `json` with the rule of promptfoo's `extractFirstJsonObject` (TypeScript), written in Python.

The whole reply is parsed as JSON; else, at each opening brace in turn, a JSON value, or as YAML the text up to the
balancing brace. Missing braces at the end are added, and slash comments are treated as YAML comments.
"""

import json
import re
from itertools import accumulate
from typing import Any

import yaml
from serving import serve, verdict_of

STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*')


class Loader(yaml.SafeLoader):
    """YAML 1.2's core schema, as js-yaml has it: yes and no are strings, and no string is a date."""


Loader.yaml_implicit_resolvers = {}
for tag, pattern, first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|\.nan|\.NaN", "-+.0123456789"),
):
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"(?:{pattern})\Z"), list(first))


def block(reply: str, start: int) -> str:
    """The text from an opening brace to the balancing one, or to the end with the missing ones added."""
    depths = accumulate({"{": 1, "}": -1}.get(letter, 0) for letter in reply[start:])
    depth = 0
    for length, depth in enumerate(depths, start=1):
        if depth == 0:
            return reply[start : start + length]
    return reply[start:] + "}" * depth


def load(reply: str) -> Any:
    """The first object of a reply."""
    try:
        document = json.loads(reply)
    except ValueError:
        document = None
    if isinstance(document, dict):
        return document
    for brace in re.finditer(r"\{", reply):
        try:
            return json.JSONDecoder().raw_decode(reply, brace.start())[0]
        except ValueError:
            text = STRING_OR_COMMENT.sub(
                lambda one: one[0].replace("//", "#") if one[0][0] == "/" else one[0], block(reply, brace.start())
            )
        try:
            return yaml.load(text, Loader)  # noqa: S506 - a safe loader with fewer types
        except (yaml.YAMLError, ValueError):
            continue
    raise ValueError("no object")


serve(lambda case: verdict_of(load, case))
