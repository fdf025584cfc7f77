"""The sandbox of templates: what they may reach, and how much they may produce.

This module imports Jinja2, so it is imported when the first template is loaded.
"""

from __future__ import annotations

import math
import re
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, cast

from jinja2 import StrictUndefined, pass_context
from jinja2.compiler import CodeGenerator
from jinja2.sandbox import ImmutableSandboxedEnvironment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from jinja2 import nodes
    from jinja2.runtime import Context

TAG = "delimiter tag"
"""The name under which a rendering knows its tag; no template can write it."""

MAX_CHARS = 1 << 24
"""The most characters of a prompt, and of every text that is made on the way to it."""

# Of a width, a count and a list; and of a whole number, which Python writes out up to 4300 digits.
_MAX_COUNT, _MAX_BITS = 1 << 20, 1 << 14


class Pieces(list[str]):
    """The pieces of a macro or a block, which are not too many."""

    total = 0

    def append(self, piece: str, /) -> None:
        """Add a piece."""
        self.total += len(piece)
        _check_size(self.total)
        super().append(piece)

    def extend(self, pieces: Iterable[str], /) -> None:
        """Add pieces."""
        for piece in pieces:
            self.append(piece)


class _Generator(CodeGenerator):
    """Has the environment look at what macros and blocks gather, and at what ``a ~ b`` makes."""

    def buffer(self, frame: Any) -> None:
        frame.buffer = self.temporary_identifier()
        self.writeline(f"{frame.buffer} = environment.pieces()")

    def visit_Concat(self, node: nodes.Concat, frame: Any) -> None:  # noqa: N802 - Jinja2's name
        self.write("environment.joined((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")


class Sandbox(ImmutableSandboxedEnvironment):
    """Immutable, strict, without globals, loaders and the means to reach another template, and bounded."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})
    code_generator_class = _Generator
    pieces = Pieces

    def __init__(self) -> None:
        # A prompt is no HTML: what the judge is shown is what the response says.
        super().__init__(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)
        self.globals.clear()
        known = cast("dict[str, Callable[..., Any]]", self.filters)
        known.update({name: _bounded_filter(name, function) for name, function in known.items()})
        known["delimited"] = _delimited

    @staticmethod
    def concat(parts: Iterable[str]) -> str:
        """Join pieces of a rendering.

        Raises:
            ValueError: If they are too many.
        """
        return "".join(_counted(parts))

    def joined(self, parts: Iterable[object]) -> str:
        """Join the operands of ``~``."""
        return self.concat(map(str, parts))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Apply an operator whose result is not too large."""
        if operator == "*":
            _check_product(left, right)
            _check_product(right, left)
        if operator == "**" and isinstance(left, int) and isinstance(right, int) and right > 0:
            _check_size(left.bit_length() * right, _MAX_BITS)
        if operator == "%" and isinstance(left, str):
            _check_form(left, right if isinstance(right, tuple) else (right,))  # pyright: ignore[reportUnknownArgumentType] - of any values
        return _bounded(super().call_binop(context, operator, left, right))

    def call(self, context: Context, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a method or a macro whose result is not too large."""
        method = getattr(function, "__wrapped__", function)
        owner = getattr(method, "__self__", None)
        _check_call(getattr(method, "__name__", ""), (owner, *args), kwargs.values())
        return _bounded(super().call(context, function, *args, **kwargs))


@pass_context
def _delimited(context: Any, value: object, name: str) -> str:
    """Put a value between delimiters with the tag of this rendering."""
    return f"<{name} {context[TAG]}>\n{value}\n</{name} {context[TAG]}>"


def _bounded_filter(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    n_passed = int(hasattr(function, "jinja_pass_arg"))

    @wraps(function)
    def bounded(*args: Any, **kwargs: Any) -> Any:
        if name == "join" and not isinstance(args[n_passed], str | list | tuple):
            args = (*args[:n_passed], list(args[n_passed]), *args[n_passed + 1 :])
        _check_call(name, args[n_passed:], kwargs.values())
        return _bounded(function(*args, **kwargs))

    return bounded


def _check_call(name: str, args: Sequence[Any], named: Iterable[Any]) -> None:
    """Refuse a call whose result would be too large, before it is made."""
    values = [*args, *named]
    for value in values:
        if isinstance(value, int):
            _check_size(abs(value), _MAX_COUNT)
    if name == "replace" and len(values) > 2:  # noqa: PLR2004 - text, old, new
        text, old, new = map(str, values[:3])
        _check_size(len(text) + text.count(old) * len(new))
    if name in ("indent", "expandtabs") and len(values) > 1:
        text, steps = str(values[0]), [value if isinstance(value, int) else _size(value) for value in values[1:]]
        _check_size(len(text) + (text.count("\n") + text.count("\t") + 1) * max(steps))
    if name == "join":
        # What is joined is a list, or the letters of a text; what stands between is a text.
        sizes = [_size(value) for value in values]
        lists = [cast("Sequence[Any]", value) for value in values if isinstance(value, list | tuple)]
        _check_size(sum(_size(item) for items in lists for item in items) + math.prod(sizes[:2] if sizes[1:] else ()))
    if name in ("format", "format_map"):
        _check_form(str(values[0]), values[1:])


def _check_form(form: str, values: Sequence[Any]) -> None:
    """Refuse a format string whose widths, or whose slots with these values, are too large."""
    for digits in re.findall(r"\d+", form):
        _check_size(int(digits), _MAX_COUNT)
    _check_call("", values, ())
    longest = max((_size(value) for value in values), default=0)
    _check_size(len(form) + (form.count("%") + form.count("{")) * longest)


def _check_product(one: Any, times: Any) -> None:
    if isinstance(times, int):
        _check_size(_size(one) * times, MAX_CHARS if isinstance(one, str) else _MAX_COUNT)


def _bounded(value: Any) -> Any:
    """A value, if it is not too large."""
    if isinstance(value, int):
        _check_size(value.bit_length(), _MAX_BITS)
    _check_size(_size(value), MAX_CHARS if isinstance(value, str | bytes) else _MAX_COUNT)
    return value


def _counted(pieces: Iterable[str]) -> Iterator[str]:
    total = 0
    for piece in pieces:
        total += len(piece)
        _check_size(total)
        yield piece


def _size(value: Any) -> int:
    return len(value) if isinstance(value, str | bytes | list | tuple | dict) else 0  # pyright: ignore[reportUnknownArgumentType] - of any values


def _check_size(size: int, most: int = MAX_CHARS) -> None:
    if size > most:
        _refuse(most)


def _refuse(most: int) -> NoReturn:
    raise ValueError(f"what it makes is too large: above {most:,}; a prompt has at most {MAX_CHARS:,} characters")
