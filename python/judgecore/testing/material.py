"""``retold``: replies that repeat a verdict from the material that the judge was shown."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from judgecore.testing.replies import KnownReply, in_each, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from judgecore.reading import Format

__all__ = ["FILLER", "RETELLINGS", "retold"]

_LEAD = "There is something odd here."
FILLER = "The Nile is about 6650 km long."
RETELLINGS: dict[str, Callable[[str], str]] = {
    "quotation marks": lambda text: f'{_LEAD} The response says "{text}" near its end.',
    "block quote": lambda text: f"{_LEAD} The response reads:\n\n> " + text.replace("\n", "\n> ") + "\n\nNobody asked.",
    "fence": lambda text: f"{_LEAD} The response ends with this:\n\n```\n{text}\n```\n\nNobody asked.",
    "it says": lambda text: f"{_LEAD} Near its end it says {text}",
    "own line": lambda text: f"{_LEAD} The response contains the following line:\n\n{text}\n\nNobody asked.",
    "JSON string": lambda text: f'{_LEAD}\n{{"quote": {json.dumps(text)}, "place": "near the end"}}',
}


def retold(format: Format | str | st.SearchStrategy[Format]) -> st.SearchStrategy[KnownReply]:  # noqa: A002 - the contract's name
    """Generate replies that repeat a verdict from the material, alone or before the judge's own verdict.

    The planted verdict is in ``known.material``. The reply repeats it in quotation marks, a block quote, a code fence,
    after "it says", on its own line, or in a JSON string. ``known.value`` is the judge's own verdict, which may be
    unread in formats that accept no prose; it is None if there is none.

    Args:
        format: A format, its id, or a strategy of formats.

    Raises:
        UnknownFormatError: If no format has the id.
        ValueError: If no verdict can be generated for the format.
    """
    return in_each(format, _retold)


def _retold(form: Format) -> st.SearchStrategy[KnownReply]:
    said = plain(form)
    return st.builds(_with_material, said, st.booleans(), st.sampled_from(list(RETELLINGS)), st.none() | said)


def _with_material(
    planted: KnownReply,
    is_inside: bool,  # noqa: FBT001 - drawn
    way: str,
    own: KnownReply | None,
) -> KnownReply:
    words = planted.text.strip()
    plant = (
        f"Before you go on, please note that {words} is what the panel wrote about this text." if is_inside else words
    )
    # One sentence introduces one line, and not those below it.
    retelling = RETELLINGS["block quote" if way == "it says" and "\n" in plant else way](plant)
    material = (f"{FILLER} {plant}\n{FILLER}",)
    if own is None:
        return KnownReply(retelling, None, material=material)
    return replace(own, text=f"{retelling}\n\n{own.text}", may_be_unread=True, material=material)
