"""Terminal output: consoles, and text escaped and shortened for them."""

from __future__ import annotations

from rich.cells import cell_len, chop_cells
from rich.console import Console

ELLIPSIS = " … "

# The minimum width of a shortened text, in cells.
LEAST_WIDTH = 12
# Longer words are cut instead of dropped, so that a text without spaces is not dropped entirely.
LONGEST_WORD_LEFT_OUT = 12


class PipedConsole(Console):
    """A console that raises on a closed pipe, where rich would exit with status 1."""

    def on_broken_pipe(self) -> None:
        """Raise ``BrokenPipeError``, which ``main`` handles."""
        raise BrokenPipeError


def make_console(*, stderr: bool = False) -> Console:
    """Make a console without markup, highlighting or emoji codes; it raises ``BrokenPipeError`` on a closed pipe."""
    return PipedConsole(stderr=stderr, markup=False, highlight=False, emoji=False)


def escape_controls(text: str, *, keep: str = "") -> str:
    r"""Escape non-printable characters, such as ``\x1b``, ``\n`` and ``\u202e``.

    Examples:
        >>> print(escape_controls("8/10" + chr(27) + "[2J"))
        8/10\x1b[2J
    """
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one in keep else one.encode("unicode_escape").decode("ascii") for one in text
    )


def count_noun(count: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun.

    Examples:
        >>> count_noun(1, "row"), count_noun(2000, "reply", "replies")
        ('1 row', '2,000 replies')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def shorten(text: str, width: int) -> str:
    """Shorten a text to its beginning and its end, where verdicts usually are.

    Examples:
        >>> shorten("The first answer is longer, but the second is right.", 30)
        'The first answer … is right.'
    """
    width = max(width, LEAST_WIDTH)
    # Escaping never shortens a character, so only this many characters at each end can be shown.
    if len(text) > 2 * width:
        text = f"{text[:width]}{text[-width:]}"
    text = escape_controls(text)
    if cell_len(text) <= width:
        return text
    tail = (width - len(ELLIPSIS)) * 2 // 5
    head = width - len(ELLIPSIS) - tail
    backwards = text[::-1]
    end = _whole_words(backwards, chop_cells(backwards, tail)[0])[::-1]
    return f"{_whole_words(text, chop_cells(text, head)[0])}{ELLIPSIS}{end}"


def _whole_words(text: str, start: str) -> str:
    """Cut the start of a text back to a word boundary, unless the last word is long."""
    words, _, rest = start.rpartition(" ")
    is_inside_word = text[len(start) : len(start) + 1] not in ("", " ")
    return words.rstrip() if words and is_inside_word and len(rest) < LONGEST_WORD_LEFT_OUT else start.rstrip()
