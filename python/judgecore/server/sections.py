"""Where a judge prompt holds what is judged: the response or responses, and the question."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TAGGED = re.compile(r"^[^\n]*?\b([0-9a-f]{16})\b[^\n]*\n(.*?)\n[^\n]*?\b\1\b", re.DOTALL | re.MULTILINE)
_TAG_NAME = re.compile(r"[A-Za-z_]+")
_START_END = re.compile(r"\[The Start of (?:the )?(.+?)\]\n(.*?)\n\[The End of (?:the )?\1\]", re.DOTALL)
_ELEMENT = re.compile(
    r"<(question|query|prompt|response|answer|output|reference)(?:_([ab12]))?>\n?(.*?)\n?</\1", re.DOTALL
)
_HEADED = re.compile(
    r"^\[(User Question|Question|Instruction|Reference Answer)\]\n(.*?)(?=\n\[|\Z)", re.DOTALL | re.MULTILINE
)
_OUTPUT = re.compile(r"^# Output \(([ab])\):\n(.*?)(?=\n#|\Z)", re.DOTALL | re.MULTILINE)
_LABELLED = re.compile(
    r"^\W*(question|instruction|user question|objective|task|reference(?: answer)?|ground truth|response|"
    r"model response|answer|assistant response|submission|prediction)\W*:[ \t]*(.*?)(?=^\W*[A-Z][\w ]{2,30}:|\Z)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_JUDGED = re.compile(r"response|answer|output|submission|prediction|conversation|message", re.IGNORECASE)
_ASKED = re.compile(r"question|query|prompt|instruction|objective|task|reference|truth|user", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:b|2)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Sections:
    """The parts of a judge prompt.

    Attributes:
        first: The response, or the first of two.
        second: The second of two; None where there is one.
        question: What they answer; empty where the prompt does not show it.
    """

    first: str
    second: str | None
    question: str


def find_sections(prompt: str) -> Sections:
    """Find what is judged, by the marks that judge prompts put around it.

    Args:
        prompt: The last words of the user.

    Returns:
        The sections; a prompt without marks is a response as a whole.
    """
    named = [
        *((_tag_name(found), found[2]) for found in _TAGGED.finditer(prompt)),
        *((found[1], found[2]) for found in _HEADED.finditer(prompt)),
        *((found[1], found[2]) for found in _START_END.finditer(prompt)),
        *((f"{found[1]} {found[2] or ''}", found[3]) for found in _ELEMENT.finditer(prompt)),
        *((f"output {found[1]}", found[2]) for found in _OUTPUT.finditer(prompt)),
    ] or [(found[1], found[2]) for found in _LABELLED.finditer(prompt)]
    judged = [(name, text) for name, text in named if _JUDGED.search(name) and not _is_asked(name)]
    question = "\n".join(text for name, text in named if _is_asked(name))
    if not judged:
        return Sections(prompt, None, question)
    second = next((text for name, text in judged[1:] if _SECOND.search(name)), None)
    return Sections(judged[0][1], second, question)


def _is_asked(name: str) -> bool:
    return _ASKED.search(name) is not None and "answer to" not in name.lower()


def _tag_name(found: re.Match[str]) -> str:
    """The word that stands beside a tag of sixteen hex digits."""
    line = found[0].partition("\n")[0].replace(found[1], " ")
    return " ".join(_TAG_NAME.findall(line)) or "response"
