"""Generate replies: prose of any length, with a verdict at a given place."""

from __future__ import annotations

from itertools import cycle

# Without digits, labels or markers, so that the only verdict is the one that a bench adds.
SENTENCES = (
    "The response covers the main points of the question in plain words.",
    "It names the cause, explains how the parts work together, and gives an example that fits.",
    "The second paragraph, however, repeats what was said before (in other words).",
    'The phrase "as everybody knows" adds nothing; a source would have been more useful here.',
    "Its tone is friendly and the structure is easy to follow.",
    "Some details about the history of the method are missing.",
    "The user's request for a short summary was honoured.",
)
SIZES = {"20B": 20, "1kB": 1000, "20kB": 20_000}


def prose(length: int) -> str:
    """Return whole sentences of at most, and about, ``length`` characters."""
    sentences: list[str] = []
    left = length
    for sentence in cycle(SENTENCES):
        if len(sentence) > left:
            return " ".join(sentences)
        sentences.append(sentence)
        left -= len(sentence) + 1
    return ""


def ending_in(verdict: str, length: int) -> str:
    """Return a reply of about ``length`` characters with the verdict after prose."""
    return f"{prose(length - len(verdict) - 1)} {verdict}".strip()


def beginning_with(verdict: str, length: int) -> str:
    """Return a reply of about ``length`` characters with the verdict before prose."""
    return f"{verdict}{prose(length - len(verdict))}".strip()
