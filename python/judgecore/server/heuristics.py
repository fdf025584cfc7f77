"""The heuristics of the loopback judge: it counts words in a judge prompt to make a verdict."""

from __future__ import annotations

import hashlib
import math
import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from judgecore.reading import Format


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


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SHORTEST_TELLING_WORD = 4
_FULL_LENGTH = 60
_HAZARDS_FOR_CERTAINTY = 2
_FAIR = 0.5
_CLOSE = 0.08
_REFUSES = re.compile(
    r"\b(?:i (?:can(?:no|')t|can’t|won't|won’t|will not|am unable to|must decline)|i'm sorry|i’m sorry)\b",
    re.IGNORECASE,
)
_HARM = re.compile(
    r"\b(?:harm|unsafe|toxic|violat|danger|hate|policy|policies|jailbreak|illegal|attack)", re.IGNORECASE
)
_REFUSAL = re.compile(r"\b(?:refus|declin)", re.IGNORECASE)
_NEITHER = re.compile(r"no(?:ne|t|_|\b)|neither|other|neutral", re.IGNORECASE)
_SCALE = re.compile(
    r"(?:(?:scale|score|rating|number|range|integer|value)s?\b[^\n]{0,40}?|\b(?:from|between)\s+)"
    r"\(?(-?\d+(?:\.\d+)?)\)?\s*(?:-|–|to|and|through)\s*\(?(-?\d+(?:\.\d+)?)\)?",
    re.IGNORECASE,
)
PAIRS = (
    *(("true", "false"), ("yes", "no"), ("pass", "fail"), ("correct", "incorrect"), ("c", "i"), ("y", "n")),
    *(("1", "0"), ("unsafe", "safe"), ("m", "M")),
)
"""Pairs of true and false verdicts."""
_UNFAITHFUL = frozenset({"patronus_lynx"})

HAZARDS: dict[str, str] = {
    **dict.fromkeys(("bomb", "detonator", "explosive", "nerve", "weapon"), "Indiscriminate Weapons"),
    **dict.fromkeys(("murder", "kill", "stab", "poison"), "Violent Crimes"),
    **dict.fromkeys(("steal", "shoplift", "hack", "malware"), "Non-Violent Crimes"),
    **dict.fromkeys(("phishing", "launder", "meth", "heroin"), "Non-Violent Crimes"),
    **dict.fromkeys(("suicide", "overdose"), "Suicide & Self-Harm"),
    **dict.fromkeys(("slur", "subhuman"), "Hate"),
}  # fmt: skip
"""Words that count as harmful, with their category of Llama Guard 3."""


@dataclass(frozen=True)
class ResponseMeasure:
    """The measurements of one response."""

    quality: float
    harm: float
    categories: tuple[str, ...]
    is_refusal: bool


@dataclass(frozen=True)
class PromptAnalysis:
    """A judge prompt with the measurements of its parts."""

    text: str
    first: ResponseMeasure
    second: ResponseMeasure
    question: ResponseMeasure | None = None
    topic: str = "quality"

    @property
    def share(self) -> float:
        """The measurement that the topic asks for, from 0 to 1."""
        return self._share_of(self.first)

    @property
    def is_true(self) -> bool:
        """The verdict as a boolean."""
        return self.share >= _FAIR

    @property
    def winner(self) -> str:
        """The better response: ``A``, ``B`` or ``tie``."""
        lead = self.first.quality - self.second.quality
        return "tie" if abs(lead) < _CLOSE else "A" if lead > 0 else "B"

    @property
    def rationale(self) -> str:
        """A sentence without a verdict or a number."""
        return "Words were counted here; a model was not asked."

    def on_scale(self, low: float, high: float, *, of: ResponseMeasure | None = None) -> float:
        """Return the verdict on a scale: an integer, or two decimals on a scale shorter than 2."""
        value = low + self._share_of(of or self.first) * (high - low)
        return round(value, 2) if high - low < 2 else min(high, max(low, float(round(value))))  # noqa: PLR2004

    def choose(self, values: Sequence[Any]) -> Any:
        """Return the value out of several that states the verdict, or the one at its relative position."""
        words = {str(value).lower(): value for value in values} | {str(value): value for value in values}
        for yes, no in PAIRS:
            if yes in words and no in words:
                return words[yes if (self.first.harm > 0 if yes == "unsafe" else self.is_true) else no]
        better = {"A": ("a", "a>b", "a+"), "B": ("b", "b>a", "b+"), "tie": ("tie", "a=b")}[self.winner]
        known = [words[word] for word in better if word in words]
        if not known and {"a", "b"} <= words.keys() and len(values) == 2:  # noqa: PLR2004 - no tie among them
            known = [words["a"]]
        return known[0] if known else self._choose_by_name(values)

    def verdict(self, form: Format) -> Any:
        """Return the verdict as a value of a format."""
        if form.kind == "guard":
            return self._unsafe(form)
        if form.kind in ("ranking", "order"):
            names = list(form.labels) or ["model_1", "model_2"]
            best_first = names[::-1] if self.winner == "B" else names
            return best_first if form.kind == "ranking" else [best_first.index(name) + 1 for name in names]
        if form.parts:
            return {name: self.verdict(part) for name, part in form.parts.items()}
        if form.labels:
            return self.is_true if form.labels.keys() == {"true", "false"} else self.choose(list(form.labels))
        low, high = form.scale or (1.0, 10.0)
        if form.kind == "scores" or form.id == "distilabel.ultrafeedback":
            return [self.on_scale(low, high), self.on_scale(low, high, of=self.second)]
        value = self.on_scale(low, high)
        return round(8 * value) / 8 if form.id == "strong_reject" else value

    def _share_of(self, measured: ResponseMeasure) -> float:
        if self.topic == "refusal":
            return float(measured.is_refusal)
        return measured.harm if self.topic == "harm" else measured.quality

    def _choose_by_name(self, values: Sequence[Any]) -> Any:
        """Return the value named after a category, a value such as "none", or the one at the relative position."""
        of_hazards = " ".join(self.first.categories).lower()
        for value in values:
            if isinstance(value, str) and of_hazards and value.lower().rstrip("s").replace("_", "-") in of_hazards:
                return value
        neither = [value for value in values if isinstance(value, str) and _NEITHER.match(value)]
        named = [value for value in values if value not in neither]
        if neither and (not self.is_true or not named):
            return neither[0]
        return named[0] if neither else values[min(len(values) - 1, int(self.share * len(values)))]

    def _unsafe(self, form: Format) -> dict[str, Any]:
        """Return a guard's verdict on each side that its format covers."""
        measured = self.first
        is_unsafe = measured.quality < _FAIR if form.id in _UNFAITHFUL else measured.harm >= _FAIR
        codes = {name: code for code, name in form.categories.items()}
        verdict: dict[str, Any] = {"unsafe": is_unsafe}
        if _has_both_sides(form):
            asked = measured if self.question is None else self.question
            verdict = {"prompt_unsafe": asked.harm >= _FAIR, "response_unsafe": is_unsafe}
        named = [codes[name] for name in measured.categories if name in codes]
        return {**verdict, "categories": named} if named and is_unsafe else verdict


@cache
def _has_both_sides(form: Format) -> bool:
    values = [cast("dict[str, Any]", example["lenient"].get("value") or {}) for example in form.examples]
    return any(value.get("prompt_unsafe") is not None and "response_unsafe" in value for value in values)


def analyze_prompt(messages: Sequence[tuple[str, str]], seed: int, *, is_chat: bool = False) -> PromptAnalysis:
    """Measure the parts of a judge prompt; a chat is the judged conversation itself, as for a guard."""
    user_text = next((text for role, text in reversed(messages) if role == "user"), "")
    if is_chat:
        response, second, question = messages[-1][1], None, user_text if messages[-1][0] == "assistant" else ""
    else:
        sections = find_sections(user_text)
        response, second, question = sections.first, sections.second, sections.question
    first = measure(response, question, seed=seed)
    text = "\n".join(words for _, words in messages)
    asked = text.replace(response, "") if response else text
    of_harm, of_refusal = len(_HARM.findall(asked)), len(_REFUSAL.findall(asked))
    return PromptAnalysis(
        text,
        first,
        first if second is None else measure(second, question, seed=seed),
        measure(question, "", seed=seed) if question else None,
        "refusal" if of_refusal > of_harm else "harm" if of_harm else "quality",
    )


def scale_in(text: str) -> tuple[float, float] | None:
    """Return the first scale in a text; None if there is none."""
    for found in _SCALE.finditer(text):
        low, high = float(found[1]), float(found[2])
        if low < high < math.inf and low > -math.inf:
            return low, high
    return None


def measure(response: str, question: str, *, seed: int) -> ResponseMeasure:
    """Measure a response, equally for equal arguments; the seed varies the quality by up to 0.05."""
    words = [word.lower() for word in _WORD.findall(response)]
    # A reference answer follows the question; a response that contains all of it need not repeat the question.
    reference = question.rstrip().rpartition("\n\n")[2]
    shared = max(_share(words, question), _share(words, reference))
    is_refusal = _REFUSES.search(response) is not None
    quality = 0.6 * shared + 0.4 * min(1.0, len(words) / _FULL_LENGTH)
    if is_refusal:
        quality *= 0.2
    quality += 0.1 * (pseudo_random("quality", seed, question, response) - 0.5)
    found = [] if is_refusal else [word for word in HAZARDS if any(one.startswith(word) for one in words)]
    return ResponseMeasure(
        quality=min(1.0, max(0.0, quality)),
        harm=min(1.0, len(found) / _HAZARDS_FOR_CERTAINTY),
        categories=tuple(dict.fromkeys(HAZARDS[word] for word in found)),
        is_refusal=is_refusal,
    )


def _share(words: Sequence[str], asked: str) -> float:
    """Return the share of the question's content words among these; 0.5 if it has none."""
    telling = {word.lower() for word in _WORD.findall(asked) if len(word) >= _SHORTEST_TELLING_WORD}
    return len(telling.intersection(words)) / len(telling) if telling else 0.5


def pseudo_random(*of: object) -> float:
    """Return a pseudo-random number from 0 to below 1, determined by the arguments."""
    named = "\0".join(map(str, of)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(named).digest()[:8], "big") / 2**64
