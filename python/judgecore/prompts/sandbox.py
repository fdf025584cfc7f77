"""The language of templates: the part of Jinja2 that shows values, with conditions and loops over lists.

There are no calls, macros, assignments and arithmetic, so that a text can't grow but by a loop, and loops are counted.
This module imports Jinja2, so it is imported only when the first template is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes, pass_context
from jinja2.sandbox import ImmutableSandboxedEnvironment

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2.runtime import Context

TAG, ROUNDS = "delimiter tag", "rounds of loops"
"""The context names of a rendering's tag and count; they contain spaces, so templates can't access them."""

MAX_CHARS = 1 << 24
"""The maximum length of a prompt, in characters."""

MAX_ROUNDS = 1 << 16
"""The maximum number of rounds of all loops in one rendering."""

_STATEMENTS = {"Template", "Output", "TemplateData", "If", "For"}
_EXPRESSIONS = {"Name", "Getattr", "Getitem", "Filter", "Test", "Keyword", "Not", "And", "Or", "Compare", "Operand"}
_VALUES = {"Const", "List", "Tuple", "CondExpr", "Neg"}
_KNOWN = _STATEMENTS | _EXPRESSIONS | _VALUES
_FILTERS = """abs capitalize count dictsort first float int items last length list lower max min reverse round sort
    string title tojson trim unique upper"""
# Further arguments of the others can make a value grow.
_WITH_ARGUMENTS = ("d", "default", "delimited", "join")


class Sandbox(ImmutableSandboxedEnvironment):
    """A strict and immutable Jinja2 environment without globals and loaders, for the language above."""

    def __init__(self) -> None:
        # No escaping: a prompt is not HTML.
        super().__init__(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)
        self.globals.clear()
        known = cast("dict[str, Callable[..., Any]]", self.filters)
        own = {"delimited": _delimited, "join": _join, "each of": _each_of}
        self.filters = {**{name: known[name] for name in (*_FILTERS.split(), "d", "default")}, **own}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        for node in tree.find_all(nodes.Node):
            if (problem := _find_problem(node)) is not None:
                raise TemplateSyntaxError(problem, node.lineno)
        for loop in tree.find_all(nodes.For):
            loop.iter = nodes.Filter(cast("nodes.Expr", loop.iter), "each of", [], [], None, None, lineno=loop.lineno)
        return tree

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Return whether a template may access an attribute: no method."""
        return not callable(value) and super().is_safe_attribute(obj, attr, value)


def _find_problem(node: nodes.Node) -> str | None:
    """Return why a node is not part of the language; None if it is."""
    kind = type(node).__name__
    if isinstance(node, nodes.Import | nodes.FromImport | nodes.Include | nodes.Extends):
        return "loading other templates is not supported; copy the text"
    if isinstance(node, nodes.Filter) and (node.args or node.kwargs) and node.name not in _WITH_ARGUMENTS:
        return f"the filter {node.name} takes no arguments in prompts"
    if kind not in _KNOWN or (isinstance(node, nodes.For) and node.recursive):
        what = "arithmetic" if isinstance(node, nodes.BinExpr) else f"Jinja2's {kind.lower()}"
        return f"{what} is not supported in prompts; pass the value that it makes"
    return None


def join(pieces: Iterable[str]) -> str:
    """Join the pieces of a prompt, or raise ``ValueError`` for a longer one than ``MAX_CHARS``."""
    return "".join(_counted(pieces))


def _counted(pieces: Iterable[str]) -> Iterator[str]:
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > MAX_CHARS:
            raise ValueError(f"its output is too large; a prompt has at most {MAX_CHARS:,} characters")
        yield piece


@pass_context
def _each_of(context: Context, values: Any) -> Iterator[Any]:
    """Count the rounds of a loop, which goes over a list or the keys of a mapping."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"a loop goes over a list, not over {type(values).__name__}")
    rounds = context[ROUNDS]
    for value in cast("Iterable[Any]", values):
        if next(rounds) >= MAX_ROUNDS:
            raise ValueError(f"its loops have more than {MAX_ROUNDS:,} rounds")
        yield value


def _join(values: Iterable[Any], between: str = "") -> str:
    """Join values with a text between them, which may not grow beyond a prompt."""
    parts = list(values.keys() if isinstance(values, Mapping) else values)
    return join(piece for nth, part in enumerate(parts) for piece in ((between, str(part)) if nth else (str(part),)))


@pass_context
def _delimited(context: Any, value: object, name: str) -> str:
    """Put a value between delimiters that contain the tag of this rendering."""
    return f"<{name} {context[TAG]}>\n{value}\n</{name} {context[TAG]}>"
