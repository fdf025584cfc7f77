"""The terminal: consoles that fit it, and text that can't steer it."""

from __future__ import annotations

from rich.cells import cell_len, chop_cells
from rich.console import Console

ELLIPSIS = " … "

# What is left of a text shows no less than its two ends.
LEAST_WIDTH = 12
# A longer word is cut, so that a text without spaces is not left out altogether.
LONGEST_WORD_LEFT_OUT = 12


class PipedConsole(Console):
    """A console that leaves a closed pipe to ``main``, where rich would leave with status 1."""

    def on_broken_pipe(self) -> None:
        """Let ``main`` see it."""
        raise BrokenPipeError


def make_console(*, stderr: bool = False) -> Console:
    """Make a console on standard output, or on standard error.

    Args:
        stderr: Whether it writes to standard error.

    Returns:
        A console without markup, highlighting or emoji codes, so that data is shown as it stands. A reader that
        went away raises ``BrokenPipeError``.
    """
    return PipedConsole(stderr=stderr, markup=False, highlight=False, emoji=False)


def escape_controls(text: str) -> str:
    r"""Spell out what a terminal would obey or hide, such as ``\x1b``, ``\n`` and ``\u202e``.

    Args:
        text: Any text.

    Returns:
        The text on one line, with every character that is not printable as its escape sequence.

    Examples:
        >>> print(escape_controls("8/10" + chr(27) + "[2J"))
        8/10\x1b[2J
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)


def shorten(text: str, width: int) -> str:
    """Shorten a text to its beginning and its end, where verdicts stand.

    Args:
        text: Any text; controls are spelled out.
        width: The most terminal cells to fill; 12 where it is less.

    Returns:
        The text on one line; a left-out middle is shown as an ellipsis.

    Examples:
        >>> shorten("The first answer is longer, but the second is right.", 30)
        'The first answer … is right.'
    """
    width = max(width, LEAST_WIDTH)
    # No character shrinks when it is spelled out, so what lies beyond the width on both sides can't show.
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
    """Give the start of a text up to the end of a word, if that is not far."""
    words, _, rest = start.rpartition(" ")
    is_inside_word = text[len(start) : len(start) + 1] not in ("", " ")
    return words.rstrip() if words and is_inside_word and len(rest) < LONGEST_WORD_LEFT_OUT else start.rstrip()
