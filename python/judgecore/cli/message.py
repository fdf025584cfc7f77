"""Messages for people on standard error."""

from __future__ import annotations

import os
import sys
import textwrap

import click

_LEAST_WIDTH = 20
_USUAL_WIDTH = 80


def print_message(text: str) -> None:
    """Print lines to standard error; a terminal gets them wrapped between words, except for indented ones."""
    if sys.stderr.isatty():
        width = max(os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_WIDTH, _LEAST_WIDTH)
        wrapper = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
        text = "\n".join(line if line.startswith(" ") else wrapper.fill(line) for line in text.split("\n"))
    click.echo(text, err=True)
