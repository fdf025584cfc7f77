"""The sandbox of templates: limits on what they can access, and on how much they can compute.

Each rendering has a budget, in characters. The inputs and outputs of operators, comparisons, filters, tests and calls,
and each loop iteration, are charged to it before any output is written. Operations whose output can be much larger than
their input are charged in advance: see ``_extra_cost``.

This module imports Jinja2, so it is imported only when the first template is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, MappingView, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, cast

from jinja2 import StrictUndefined, nodes, pass_context
from jinja2.compiler import CodeGenerator
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2.runtime import Context

TAG, BUDGET = "delimiter tag", "rendering's budget"
"""The context names of a rendering's tag and budget; they contain spaces, so templates can't access them."""

MAX_CHARS = 1 << 24
"""The maximum length of a prompt, and of every intermediate text, in characters."""

# In characters: the budget of a rendering, and the costs of an element or loop iteration, and of a call.
_MOST, _ELEMENT = 1 << 27, 1 << 6

_CALL = 1 << 11

# The maximum size of an integer; Python converts up to 4300 digits to text.
_MAX_BITS = 1 << 14

# Filters whose cost is not bounded by their input, or that are random.
_NO_FILTERS = ("attr", "pprint", "random", "striptags", "urlencode", "urlize", "wordwrap", "xmlattr")

_METHODS: dict[type | tuple[type, ...], frozenset[str]] = {
    str: frozenset(
        [
            "capitalize",
            "casefold",
            "center",
            "count",
            "endswith",
            "expandtabs",
            "find",
            "format",
            "format_map",
            "index",
            "isalnum",
            "isalpha",
            "isascii",
            "isdecimal",
            "isdigit",
            "isidentifier",
            "islower",
            "isnumeric",
            "isprintable",
            "isspace",
            "istitle",
            "isupper",
            "join",
            "ljust",
            "lower",
            "lstrip",
            "partition",
            "removeprefix",
            "removesuffix",
            "replace",
            "rfind",
            "rindex",
            "rjust",
            "rpartition",
            "rsplit",
            "rstrip",
            "split",
            "splitlines",
            "startswith",
            "strip",
            "swapcase",
            "title",
            "upper",
            "zfill",
        ]
    ),
    dict: frozenset(("get", "items", "keys", "values")),
    (list, tuple): frozenset(("count", "index")),
    (int, float, bytes): frozenset(),
}

_ITERATING = frozenset(
    [
        "batch",
        "groupby",
        "join",
        "list",
        "map",
        "max",
        "min",
        "reject",
        "rejectattr",
        "select",
        "selectattr",
        "slice",
        "sort",
        "sum",
        "unique",
    ]
)


class Budget:
    """The remaining budget of a rendering."""

    def __init__(self) -> None:
        self.left = _MOST

    def spend(self, cost: int) -> None:
        """Charge a cost, and raise ``ValueError`` if the budget is exceeded."""
        self.left -= cost
        if self.left < 0:
            _refuse(_MOST)

    def weigh(self, value: Any) -> Any:
        """Charge the weight of a value, counting each occurrence of nested values, and return the value."""
        waiting = [value]
        weight = 0
        while waiting:
            one = waiting.pop()
            weight += _ELEMENT
            if isinstance(one, str | bytes):
                _check_size(len(one))
                weight += len(one)
            elif isinstance(one, int):
                _check_size(one.bit_length(), _MAX_BITS)
            elif isinstance(one, dict):
                pairs = cast("dict[Any, Any]", one)
                waiting += [*pairs.keys(), *pairs.values()]
            elif isinstance(one, list | tuple | MappingView):
                waiting += cast("Iterable[Any]", one)
            if weight + _ELEMENT * len(waiting) > self.left:
                _refuse(_MOST)
        self.spend(weight)
        return self.counted(cast("Iterator[Any]", value)) if isinstance(value, Iterator) else value

    def counted(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield elements, charging each."""
        for value in values:
            yield self.weigh(value)


class Pieces(list[str]):
    """The output of a macro or a block, charged to the budget."""

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self._budget = budget

    def append(self, piece: str, /) -> None:
        """Add a piece."""
        super().append(self._budget.weigh(piece))

    def extend(self, pieces: Iterable[str], /) -> None:
        """Add pieces."""
        super().extend(self._budget.counted(pieces))


def _through(name: str, node: nodes.Node) -> nodes.Expr:
    return nodes.Filter(cast("nodes.Expr", node), name, [], [], None, None, lineno=node.lineno)


class _Weighing(NodeTransformer):
    """Wraps loops, comparisons, slices and ``a ~ b`` into filters that charge the budget."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - Jinja2's name, as those below
        node.iter = _through("each of", node.iter)
        return self.generic_visit(node)

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802
        node.expr = _through("weighed", node.expr)
        for operand in node.ops:
            operand.expr = _through("weighed", operand.expr)
        return self.generic_visit(node)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return _through("weighed", node) if isinstance(node.arg, nodes.Slice) else node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return _through("joined", nodes.List(node.nodes, lineno=node.lineno))


class _Generator(CodeGenerator):
    def visit_Template(self, node: nodes.Template, frame: Any = None) -> None:  # noqa: N802 - Jinja2's name
        super().visit_Template(cast("nodes.Template", _Weighing().visit(node)), frame)

    def buffer(self, frame: Any) -> None:
        frame.buffer = self.temporary_identifier()
        self.writeline(f"{frame.buffer} = environment.pieces(context)")


class Sandbox(ImmutableSandboxedEnvironment):
    """A Jinja2 environment that is immutable, strict and bounded, without globals, loaders and other templates."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})
    code_generator_class = _Generator

    def __init__(self) -> None:
        # No escaping: a prompt is not HTML.
        super().__init__(
            undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True, finalize=_weighed
        )
        self.globals.clear()
        filters, tests = (cast("dict[str, Callable[..., Any]]", known) for known in (self.filters, self.tests))
        for name in _NO_FILTERS:
            del filters[name]
        filters["delimited"] = _delimited
        for functions in (filters, tests):
            functions.update({name: _bounded(name, function) for name, function in functions.items()})
        filters.update({"weighed": _weighed, "each of": _each_of, "joined": _joined})

    @staticmethod
    def pieces(context: Context) -> Pieces:
        """Make the output buffer of a macro or a block."""
        return Pieces(context[BUDGET])

    @staticmethod
    def concat(parts: Iterable[str]) -> str:
        """Join pieces of a rendering."""
        return "".join(_counted(parts))

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Return whether a template may access an attribute: only methods with predictable cost are allowed."""
        allowed = next((names for kind, names in _METHODS.items() if isinstance(obj, kind)), None)
        is_known = allowed is None or attr in allowed or not callable(value)
        return is_known and super().is_safe_attribute(obj, attr, value)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Apply an operator."""
        _weigh_before(context[BUDGET], operator, (left, right))
        return context[BUDGET].weigh(super().call_binop(context, operator, left, right))

    def call(self, context: Context, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a method or a macro."""
        if isinstance(function, LoopContext):
            args = tuple(context[BUDGET].counted(one) for one in args)
        method = getattr(function, "__wrapped__", function)
        owner, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
        _weigh_before(context[BUDGET], name, (owner, *args, *kwargs.values()))
        return context[BUDGET].weigh(super().call(context, function, *args, **kwargs))


@pass_context
def _weighed(context: Context, value: Any) -> Any:
    return context[BUDGET].weigh(value)


@pass_context
def _each_of(context: Context, values: Iterable[Any]) -> Iterator[Any]:
    return context[BUDGET].counted(values)


@pass_context
def _joined(context: Context, parts: list[object]) -> str:
    return Sandbox.concat(map(str, context[BUDGET].weigh(parts)))


@pass_context
def _delimited(context: Any, value: object, name: str) -> str:
    """Put a value between delimiters that contain the tag of this rendering."""
    return f"<{name} {context[TAG]}>\n{value}\n</{name} {context[TAG]}>"


def _bounded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a filter or a test to charge the budget; needing a context, it is never evaluated at compile time."""
    passed = getattr(function, "jinja_pass_arg", None)

    @wraps(function)
    def bounded(context: Context, *args: Any, **kwargs: Any) -> Any:
        own = {None: (), "context": (context,), "eval_context": (context.eval_ctx,)}.get(
            passed and passed.name, (context.environment,)
        )
        if name in _ITERATING and args and not isinstance(args[0], list | tuple):
            args = (context[BUDGET].counted(args[0]), *args[1:])
        if name == "join":
            args = (list(cast("Iterable[Any]", args[0])), *args[1:])
        _weigh_before(context[BUDGET], name, (*args, *kwargs.values()))
        return context[BUDGET].weigh(function(*own, *args, **kwargs))

    return pass_context(bounded)


def _weigh_before(budget: Budget, name: str, values: Sequence[Any]) -> None:
    """Charge the inputs of a call, and its expected output."""
    budget.spend(_CALL)
    before = budget.left
    for value in values:
        budget.weigh(value)
    budget.spend(_extra_cost(name, values, before - budget.left))


def _extra_cost(name: str, values: Sequence[Any], weight: int) -> int:  # noqa: C901, PLR0911, PLR0912 - one case for each kind
    """Return the expected cost of a call's output beyond the weight of its inputs."""
    text = values[0] if values and isinstance(values[0], str) else ""
    counts = sum(abs(value) for value in values if isinstance(value, int))
    match name:
        case "*":
            return counts * weight if any(isinstance(value, str | list | tuple) for value in values) else 0
        case "**" if all(isinstance(value, int) for value in values):
            base, exponent = cast("Sequence[int]", values)
            _check_size(base.bit_length() * exponent, _MAX_BITS)
        case "%" | "format" | "format_map" if text:
            if name != "%" and re.search(r"\{[^{}]*\{", text.replace("{{", "")):
                raise ValueError("the width of a slot must be a literal in the format string")
            widths = sum(map(int, re.findall(r"\d+", text)))
            if "*" in text:
                among = cast("Sequence[Any]", values[1]) if isinstance(values[1], tuple) else values[1:]
                widths += sum(abs(value) for value in among if isinstance(value, int))
            return widths + (text.count("%") + text.count("{")) * weight
        case "replace" if len(values) > 2:  # noqa: PLR2004 - text, old, new
            return str(values[0]).count(str(values[1])) * len(str(values[2]))
        case "join" if len(values) > 1:
            return _length(values[0]) * _length(values[1])
        case "split" | "rsplit" | "splitlines":
            between = values[1] if len(values) > 1 and isinstance(values[1], str) else ""
            return _ELEMENT * (text.count(between) if between else sum(map(str.isspace, text)))
        case "indent" | "expandtabs":
            step = max((counts, *map(_length, values[1:])))
            return (text.count("\n") + text.count("\t") + 1) * max(step, 8)
        case "center" | "ljust" | "rjust" | "zfill":
            return counts
        case "batch" | "slice":
            return counts * _ELEMENT
        case "tojson":
            return 8 * weight * (counts + 1)
        case "sum" if any(isinstance(value, list | tuple) for value in values[1:]):
            raise ValueError("sum only adds numbers")
        case _:
            pass
    return 0


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str | list | tuple) else 0  # pyright: ignore[reportUnknownArgumentType] - of any values


def _counted(pieces: Iterable[str]) -> Iterator[str]:
    total = 0
    for piece in pieces:
        total += len(piece)
        _check_size(total)
        yield piece


def _check_size(size: int, most: int = MAX_CHARS) -> None:
    if size > most:
        _refuse(most)


def _refuse(most: int) -> NoReturn:
    raise ValueError(f"its output is too large: above {most:,}; a prompt has at most {MAX_CHARS:,} characters")
