"""What all pages share: one self-contained HTML file, whose policy runs its own script alone and asks no network."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from judgecore.reading import __version__
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

_STYLE, _SCRIPT = "report.css", "report.js"


def render_page(
    template: str,
    *,
    title: str,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    connects: bool = False,
    **values: Any,
) -> str:
    """Return a page that extends ``page.html.jinja``, with more styles and scripts after its own.

    Everything that comes from data is escaped. The page's policy permits its own style and script, and no requests, but
    for those to the server that the page came from if it connects.
    """
    style, script = ("\n".join(map(_text, names)) for names in ((_STYLE, *styles), (_SCRIPT, *scripts)))
    policy = (
        f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; "
        f"connect-src '{'self' if connects else 'none'}'; base-uri 'none'; form-action 'none'"
    )
    html = (
        _environment()
        .get_template(template)
        .render(
            version=__version__,
            title=title,
            policy=Markup(policy),  # noqa: S704 - made here
            style=Markup(style),  # noqa: S704 - the project's own file
            script=Markup(script),  # noqa: S704 - the project's own file
            counted=count_noun,
            highlight=highlight,
            **values,
        )
    )
    # A lone surrogate has no UTF-8, and the page is a file.
    return html.encode("utf-8", "replace").decode()


def highlight(text: str, span: tuple[int, int] | None) -> Markup:
    """Return a text, escaped, as HTML in which a part is marked; None or an empty part marks nothing."""
    if span is None or span[0] == span[1]:
        return Markup("{}").format(text)
    start, end = span
    return Markup("{}<mark>{}</mark>{}").format(text[:start], text[start:end], text[end:])


def _source(text: str) -> str:
    """How a policy names an inline style or script."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(_text), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


@cache
def _text(name: str) -> str:
    return files("judgecore.reports").joinpath(name).read_text("utf-8")
