"""``PromptTemplate``: a strict prompt template that is safe against injection by values."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count
from string import Formatter
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

from judgecore.errors import PromptError
from judgecore.hashing import content_hash
from judgecore.prompts.document import ABOUT, nearest, read_document, to_path

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from enum import Enum
    from os import PathLike

    from judgecore.prompts.sandbox import Sandbox

TAG_DIGITS = 16

_KEYS = ("value", "parameters", "ignores_question", "response_json_schema", *ABOUT)


@dataclass(frozen=True, kw_only=True)
class PromptTemplate:
    r"""A prompt with slots, as a strict Jinja2 template.

    Values are inserted literally, including braces. ``{{ response | delimited("response") }}`` puts a value between two
    delimiters that contain a tag: the first 16 hex digits of SHA-256 over the template's hash and all values. No value
    can contain its own tag, and equal values give equal prompts. ``{{ tag }}`` inserts the tag, if ``tag`` is declared.

    Attributes:
        text: The template.
        parameters: The declared slots, which must be exactly those in use.
        name: Its name in messages.
        ignores_question: Whether it intentionally omits the scorer's question.
        response_schema: The JSON Schema of the reply that it asks for; None if it does not ask for JSON.

    Raises:
        PromptError: If the text is not valid Jinja2, or uses more of it than conditions, loops and filters, or if the
            declared slots are not those in use.

    Examples:
        >>> from judgecore import PromptTemplate
        >>> template = PromptTemplate(text="Is it polite?\n{{ reply | delimited('reply') }}", parameters=("reply",))
        >>> print(template.render(reply="{{ 7 * 7 }}"))
        Is it polite?
        <reply 8eb50424e714c726>
        {{ 7 * 7 }}
        </reply 8eb50424e714c726>
    """

    text: str
    parameters: tuple[str, ...] = ()
    name: str = "the template"
    ignores_question: bool = False
    response_schema: Mapping[str, Any] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", tuple(self.parameters))
        twice = sorted({one for one in self.parameters if self.parameters.count(one) > 1})
        if twice:
            raise PromptError(f"{self.name} declares {', '.join(twice)} twice")
        used = _used_parameters(self.text, self.name)
        undeclared = sorted(used.difference(self.parameters))
        unused = sorted(set(self.parameters).difference(used))
        if undeclared:
            raise PromptError(f"{self.name} uses {', '.join(undeclared)} without declaring it; add it to parameters")
        if unused:
            raise PromptError(f"{self.name} declares {', '.join(unused)} without using it; remove it from parameters")

    @classmethod
    def from_yaml(cls, path: str | PathLike[str] | Enum) -> Self:
        """Read a template from a YAML file with ``value`` and ``parameters``.

        Args:
            path: The file, or a member of ``PromptPaths``.

        Raises:
            PromptError: If the file is invalid; the message names it, the key and the fix.
        """
        file = to_path(path)
        document = read_document(file)
        for key in document:
            if key not in _KEYS:
                raise PromptError(f"{file}: {key} is not a key of a template; {nearest(key, _KEYS)}")
        text: object = document.get("value")
        parameters: object = document.get("parameters") or []
        if not isinstance(text, str):
            raise PromptError(f"{file}: value must be the template's text")
        names = cast("list[object]", parameters) if isinstance(parameters, list) else [None]
        if not all(isinstance(one, str) for one in names):
            raise PromptError(f"{file}: parameters must be a list of names")
        if document.get("data_type", "text") != "text":
            raise PromptError(f"{file}: data_type must be text")
        schema, ignores = document.get("response_json_schema"), document.get("ignores_question", False)
        if not isinstance(schema, dict | None):
            raise PromptError(f"{file}: response_json_schema must be a JSON Schema, as keys and values")
        if not isinstance(ignores, bool):
            raise PromptError(f"{file}: ignores_question must be true or false")
        return cls(
            text=text,
            parameters=tuple(cast("list[str]", names)),
            name=str(file),
            ignores_question=ignores,
            response_schema=cast("dict[str, Any] | None", schema),
        )

    @classmethod
    def from_format_string(cls, text: str, *, name: str = "the format string") -> Self:
        """Make a template from a text with ``{slots}``, and put delimiters around each value.

        Only plain names are supported as slots, not the full syntax of ``str.format``.

        Args:
            text: The text; ``{{`` and ``}}`` are literal braces.
            name: Its name in messages.

        Raises:
            PromptError: If the braces do not match, or a slot is not a plain name.
        """
        pieces: list[str] = []
        slots: list[str] = []
        try:
            parts = list(Formatter().parse(text))
        except ValueError as problem:
            raise PromptError(f"{name}: {problem}; write a literal brace twice") from None
        for literal, slot, form, conversion in parts:
            pieces.append(f"{{{{ {literal!a} }}}}" if literal else "")
            if slot is None:
                continue
            if not slot.isidentifier() or form or conversion:
                raise PromptError(f"{name}: the slot {{{slot}}} must be a plain name, such as {{response}}")
            pieces.append(f"{{{{ {slot} | delimited({slot!r}) }}}}")
            slots.append(slot)
        return cls(text="".join(pieces), parameters=tuple(dict.fromkeys(slots)), name=name)

    @cached_property
    def hash(self) -> str:
        """The SHA-256 hash of the text and the parameters, in 64 hex digits."""
        return content_hash({"text": self.text, "parameters": sorted(self.parameters)})

    def tag(self, values: Mapping[str, Any]) -> str:
        """Return the tag of the delimiters for given values.

        Args:
            values: The value of each parameter except ``tag``.

        Returns:
            16 hex digits.

        Raises:
            TypeError: If a value is not a JSON value.
        """
        return content_hash({"template": self.hash, "parameters": dict(values)})[:TAG_DIGITS]

    def render(self, **values: Any) -> str:
        """Fill the slots.

        Args:
            **values: A JSON value for each parameter except ``tag``, which is computed.

        Raises:
            PromptError: If a value is missing or has no slot, the template raises any exception, or a text exceeds
                16,777,216 characters, or loops have more than 65,536 rounds.
            TypeError: If a value is not a JSON value.
        """
        wanted = set(self.parameters) - {"tag"}
        if wanted != values.keys():
            missing, strange = sorted(wanted - values.keys()), sorted(values.keys() - wanted)
            problem = f"needs {', '.join(missing)}" if missing else f"has no slot for {', '.join(strange)}"
            raise PromptError(f"{self.name} {problem}")
        tag = self.tag(values)
        filled = {**values, **({"tag": tag} if "tag" in self.parameters else {})}
        return self._compiled(filled, tag)

    @cached_property
    def _compiled(self) -> Callable[[Mapping[str, Any], str], str]:
        from judgecore.prompts.sandbox import ROUNDS, TAG, join  # noqa: PLC0415 - jinja2, when a template is filled

        sandbox = _sandbox()
        with _as_prompt_errors(self.name):
            template = sandbox.from_string(self.text)

        def fill(values: Mapping[str, Any], tag: str) -> str:
            with _as_prompt_errors(self.name):
                return join(template.generate({**values, TAG: tag, ROUNDS: count()}))

        return fill

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_compiled"}

    def __repr__(self) -> str:
        return f"PromptTemplate({self.name}, parameters={list(self.parameters)}, hash={self.hash[:8]})"


@cache
def _sandbox() -> Sandbox:
    from judgecore.prompts.sandbox import Sandbox  # noqa: PLC0415 - jinja2, when a template is loaded

    return Sandbox()


@contextmanager
def _as_prompt_errors(name: str) -> Generator[None]:
    """Convert exceptions of a template to ``PromptError``; its expressions may raise any exception."""
    try:
        yield
    except PromptError:
        raise
    except RecursionError as problem:
        raise PromptError(f"{name} is nested too deeply, or has an infinite recursion") from problem
    except MemoryError as problem:
        raise PromptError(f"{name} needs too much memory") from problem
    except Exception as problem:
        raise PromptError(f"{name} can't be rendered: {problem}") from problem


def _used_parameters(text: str, name: str) -> set[str]:
    """Return the names of a template's slots."""
    from jinja2 import TemplateSyntaxError, meta, nodes  # noqa: PLC0415 - loaded when a template is

    sandbox = _sandbox()

    def refuse(line: int, problem: str) -> NoReturn:
        raise PromptError(f"{name}, line {line} of the template: {problem}")

    with _as_prompt_errors(name):
        try:
            tree = sandbox.parse(text)
        except TemplateSyntaxError as problem:
            refuse(problem.lineno, str(problem.message))
        for kind, known in ((nodes.Filter, sandbox.filters), (nodes.Test, sandbox.tests)):
            for used in tree.find_all(kind):
                if used.name not in known:
                    refuse(
                        used.lineno, f"there is no {kind.__name__.lower()} {used.name!r}; {nearest(used.name, known)}"
                    )
        return meta.find_undeclared_variables(tree)
