"""``Response``: what is judged, with what is known about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, cast, get_args

from judgecore.targets import ConversationTurn, PromptImage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

TurnSelection: TypeAlias = Literal["last", "exchange", "all"]
"""Which turns of a conversation a scorer sees: the last, it and the user's turn before it, or all."""

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]

_ROLES = get_args(Role)
_NAMED = 40


@dataclass(frozen=True, kw_only=True)
class Response:
    """A text, an image or a conversation under test.

    Attributes:
        text: The text; of a conversation, its last turn. None where there is none, which no judge is asked about.
        images: Pictures that belong to it.
        conversation: The turns before it, oldest first.
        objective: What it was to achieve, such as the user's request; None where nobody said.
        fields: What else a scorer needs, by name: ``question``, ``answer``, ``response_b``, ``context``, ...
        name: What errors call it, such as a file and a line.
    """

    text: str | None
    images: tuple[PromptImage, ...] = ()
    conversation: tuple[ConversationTurn, ...] = ()
    objective: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(cast("object", self.text), str | None):
            raise TypeError(f"a response's text is a str, not {type(self.text).__name__}")
        object.__setattr__(self, "images", tuple(self.images))
        object.__setattr__(self, "conversation", tuple(self.conversation))

    @classmethod
    def from_conversation(cls, turns: Sequence[ConversationTurn | Mapping[str, Any]], **attributes: Any) -> Self:
        """Make the response of a conversation's last turn.

        Args:
            turns: Turns, or dictionaries with ``role`` and ``content`` (a text, or OpenAI's list of text parts). Roles
                are ``system``, ``user``, ``assistant`` and ``tool``.
            **attributes: Further attributes of the response.

        Raises:
            ValueError: If there are no turns, or one is none; it is named.
        """
        settled = [_turn(turn, number) for number, turn in enumerate(turns, start=1)]
        if not settled:
            raise ValueError("a conversation has at least one turn; the last is what is judged")
        last = settled[-1]
        images = (*last.images, *attributes.pop("images", ()))
        return cls(text=last.text, images=images, conversation=tuple(settled[:-1]), **attributes)

    def seen(self, selection: TurnSelection) -> tuple[ConversationTurn, ...]:
        """Return the turns before the response that a selection shows.

        Args:
            selection: ``last`` for none, ``exchange`` for the last turn of the user, ``all``.
        """
        if selection == "all":
            return self.conversation
        if selection == "last":
            return ()
        return tuple([turn for turn in self.conversation if turn.role == "user"][-1:])

    @property
    def material(self) -> tuple[str, ...]:
        """The texts that a judge may be shown of it: a verdict that a reply copies from them is none of the judge's."""
        turns = (turn.text for turn in self.conversation)
        texts = (self.text, *turns, self.objective, *self.fields.values())
        return tuple(text for text in texts if isinstance(cast("object", text), str) and text)

    def __str__(self) -> str:
        if self.name:
            return self.name
        shown = repr((self.text or "")[:_NAMED])
        return f"the response {shown}" if self.text else f"a response of {len(self.images)} images"


def to_image(image: PromptImage | bytes | str | PathLike[str]) -> PromptImage:
    """Make an image of bytes, of an address that begins with http, or of a file."""
    if isinstance(image, PromptImage):
        return image
    if isinstance(image, bytes):
        return PromptImage.from_bytes(image)
    if isinstance(image, str) and image.startswith(("http://", "https://")):
        return PromptImage.from_url(image)
    return PromptImage.from_path(Path(image))


def check_selection(selection: TurnSelection) -> TurnSelection:
    """Return a selection of turns if it is one, else raise ``ValueError``."""
    if selection not in get_args(TurnSelection):
        raise ValueError(f"turns must be 'last', 'exchange' or 'all', not {selection!r}")
    return selection


def _turn(turn: object, number: int) -> ConversationTurn:
    if isinstance(turn, ConversationTurn):
        return turn
    if not isinstance(turn, dict):
        raise ValueError(f"turn {number} is {type(turn).__name__}; it must be a Turn, or have role and content")  # noqa: TRY004 - of the value's parts, as the next ones
    named = cast("dict[str, Any]", turn)
    role, content = named.get("role"), named.get("content", named.get("text"))
    if role not in _ROLES:
        raise ValueError(f"turn {number} has the role {role!r}; it must be one of {', '.join(_ROLES)}")
    if isinstance(content, list):
        content = _text_of(cast("list[object]", content), number)
    if not isinstance(content, str):
        raise ValueError(f"turn {number} has no text in content")  # noqa: TRY004 - of the value's parts
    return ConversationTurn(cast("Literal['user', 'assistant']", role), content)


def _text_of(parts: Sequence[object], number: int) -> str:
    """The text of OpenAI's content parts; pictures are no text and can't be passed over in silence."""
    texts: list[str] = []
    for part in parts:
        named = cast("dict[str, Any]", part) if isinstance(part, dict) else {}
        text = named.get("text")
        if named.get("type", "text") != "text" or not isinstance(text, str):
            raise ValueError(f"turn {number} holds what is no text; pass a Turn with images")
        texts.append(text)
    return "\n".join(texts)
