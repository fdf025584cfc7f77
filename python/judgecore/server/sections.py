"""Find the parts of a judge prompt: the response or responses, and the question."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAG = re.compile(r"\b[0-9a-f]{16}\b")
_TAG_NAME = re.compile(r"[A-Za-z_]+")
_START = re.compile(r"\[The Start of (?:the )?([^\]\n]{1,80})\]\n")
_END = re.compile(r"\n\[The End of (?:the )?([^\]\n]{1,80})\]")
_NAMES = "question|query|prompt|response|answer|output|reference"
_OPENED = re.compile(rf"<({_NAMES})(?:_([ab12]))?>\n?")
_CLOSED = re.compile(rf"\n?</({_NAMES})")
_HEADED = re.compile(
    r"^\[(?!The (?:Start|End) )([A-Z][\w ]{2,40})\]\n(.*?)(?=\n\[|\n\n(?:Reply|Answer|On the|Please) |\Z)",
    re.DOTALL | re.MULTILINE,
)
_OUTPUT = re.compile(r"^# Output \(([ab])\):\n(.*?)(?=\n#|\Z)", re.DOTALL | re.MULTILINE)
_LABEL = re.compile(
    r"[^\w\n]*(question|instruction|user question|objective|task|reference(?: answer)?|ground truth|response|"
    r"model response|answer|assistant response|submission|prediction)[^\w\n]*:[ \t]*",
    re.IGNORECASE,
)
_NEXT_LABEL = re.compile(r"[^\w\n]*[A-Za-z][\w ]{2,30}:")
_WORDLESS = re.compile(r"\W*")
_JUDGED = re.compile(r"response|answer|output|submission|prediction|conversation|message", re.IGNORECASE)
_ASKED = re.compile(r"question|query|prompt|instruction|objective|task|reference|standard|truth|user", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:b|2)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Sections:
    """The parts of a judge prompt."""

    first: str
    second: str | None
    question: str


def find_sections(prompt: str) -> Sections:
    """Find the parts by the delimiters that judge prompts use, in linear time; without any, all is the response."""
    named = [
        *_tagged(prompt),
        *((found[1], found[2]) for found in _HEADED.finditer(prompt)),
        *((found[1], text) for found, text in _paired(prompt, _START, _END)),
        *((f"{found[1]} {found[2] or ''}", text) for found, text in _paired(prompt, _OPENED, _CLOSED)),
        *((f"output {found[1]}", found[2]) for found in _OUTPUT.finditer(prompt)),
    ] or list(_labelled(prompt))
    judged = [(name, text) for name, text in named if _JUDGED.search(name) and not _is_asked(name)]
    question = "\n".join(text for name, text in named if _is_asked(name))
    if not judged:
        return Sections(prompt, None, question)
    second = next((text for name, text in judged[1:] if _SECOND.search(name)), None)
    return Sections(judged[0][1], second, question)


def _is_asked(name: str) -> bool:
    return _ASKED.search(name) is not None and "answer to" not in name.lower()


def _tagged(prompt: str) -> Iterator[tuple[str, str]]:
    """Yield the texts between two lines with the same tag of 16 hex digits, with the words of the first line."""
    lines = prompt.split("\n")
    tags = [_TAG.findall(line) for line in lines]
    lines_of: dict[str, list[int]] = defaultdict(list)
    for number, found in enumerate(tags):
        for tag in found:
            lines_of[tag].append(number)
    past = 0
    for number, line in enumerate(lines):
        if number < past:
            continue
        for tag in tags[number]:
            ends = lines_of[tag]
            place = bisect_left(ends, number + 2)
            if place < len(ends):
                words = " ".join(_TAG_NAME.findall(line.replace(tag, " ")))
                yield words or "response", "\n".join(lines[number + 1 : ends[place]])
                past = ends[place] + 1
                break


def _paired(prompt: str, opens: re.Pattern[str], closes: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the texts between an opening delimiter and the next closing one of the same name."""
    ends_of: dict[str, list[int]] = defaultdict(list)
    for found in closes.finditer(prompt):
        ends_of[found[1]].append(found.start())
    past = 0
    for found in opens.finditer(prompt):
        ends = ends_of[found[1]]
        place = bisect_left(ends, found.end())
        if found.start() >= past and place < len(ends):
            yield found, prompt[found.end() : ends[place]]
            past = ends[place]


def _labelled(prompt: str) -> Iterator[tuple[str, str]]:
    """Yield the texts between a label at a line start and the next one."""
    name: str | None = None
    lines: list[str] = []
    for line in [*prompt.splitlines(keepends=True), ""]:
        is_end = not line or _NEXT_LABEL.match(line) is not None
        if name is not None and is_end:
            if line:
                while lines and _WORDLESS.fullmatch(lines[-1]):
                    lines.pop()
            yield name, "".join(lines)
            name, lines = None, []
        if name is not None:
            lines.append(line)
        elif (found := _LABEL.match(line)) is not None:
            name, lines = found[1], [line[found.end() :]]
