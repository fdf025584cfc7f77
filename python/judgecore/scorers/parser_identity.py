"""The identity of a ``response_parser``: its import path, or the name that its author gave it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from judgecore.errors import IdentityError
from judgecore.hashing import canonical_json
from judgecore.identity import ComponentIdentifier, code_path
from judgecore.reading import READING_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class NamedParser:
    """A ``response_parser`` with a name and a version, for functions that an import path does not identify.

    Attributes:
        parser: The function.
        name: A name of your choice.
        version: A version, which you raise whenever its results change.

    Examples:
        >>> from judgecore.scorers import NamedParser
        >>> parser = NamedParser(lambda text: {"score_value": text == "ok", "rationale": text}, name="ok", version="1")
        >>> parser("ok")["score_value"]
        True
    """

    parser: Callable[[str], Mapping[str, Any]]
    name: str
    version: str

    def __call__(self, text: str) -> Mapping[str, Any]:
        """Read a reply."""
        return self.parser(text)


def parser_identifier(parser: Callable[..., Any]) -> ComponentIdentifier:
    """Return the identity of a parser.

    It is the import path of a function without a closure; the path and the arguments of a ``functools.partial``; or
    ``name`` and ``version``, if the parser has them. Parsers that use judgecore's rules also have ``READING_VERSION``.
    """
    name, version = getattr(parser, "name", None), getattr(parser, "version", None)
    if isinstance(name, str) and isinstance(version, str | int):
        return _identifier({"name": name, "parser_version": str(version)})
    if isinstance(parser, partial):
        bound = cast("partial[Any]", parser)
        arguments: dict[str, Any] = {"arguments": list(bound.args), "keywords": dict(bound.keywords)}
        try:
            canonical_json(arguments)
        except (TypeError, ValueError) as problem:
            raise _no_identity(f"an argument of the partial is no JSON value ({problem})") from None
        return _identifier({"function": _path_of(bound.func), **arguments})
    given: Any = parser
    if is_dataclass(given) and not isinstance(given, type) and type(given).__module__.startswith("judgecore."):
        return _identifier({"function": f"judgecore.{type(given).__name__}", "keywords": asdict(given)})
    return _identifier({"function": _path_of(parser)})


def _identifier(params: dict[str, Any]) -> ComponentIdentifier:
    is_ours = str(params.get("function", "")).startswith("judgecore.")
    return ComponentIdentifier(
        class_name="ResponseParser",
        class_module="judgecore",
        params={**params, "reading_version": READING_VERSION if is_ours else None},
    )


def _path_of(function: Callable[..., Any]) -> str:
    """Return the import path of a function."""
    try:
        return code_path(function)
    except IdentityError as problem:
        raise _no_identity(str(problem)) from None


def _no_identity(why: str) -> IdentityError:
    return IdentityError(
        f"the response_parser has no identity, so the scorer has no eval_hash: {why}; "
        "give it one with NamedParser(parser, name=..., version=...)"
    )
