"""Floods: texts that say a format's own words again and again, made from what the format declares."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import judgecore as jc

FORMATS = Path(__file__).parents[2] / "rust" / "judgecore" / "formats"
# Keys of a declaration that hold no word of a reply.
SILENT = {
    "about", "aliases", "evidence", "examples", "formula", "id", "kind", "like", "logprobs", "name", "paper",
    "place", "precedence", "side", "sources", "strict", "subject",
}  # fmt: skip
# Tables whose keys are words of replies too.
NAMED = {"labels", "categories", "words", "fields"}
# What stands behind a word, or between two.
ENDS = (" ", ": ", "\n")
PAIRED = ((": ", ", "), (" ", "\n"))


@dataclass(frozen=True)
class Flood:
    """A text of any length: each unit again and again, one after the other.

    Attributes:
        units: What is repeated; several share the length.
        before: What stands before them, once.
    """

    units: tuple[str, ...]
    before: str = ""

    def text(self, size: int) -> str:
        """The flood with about so many bytes."""
        share = (size - len(self.before.encode())) // len(self.units)
        return self.before + "".join(unit * (share // len(unit.encode())) for unit in self.units)


@cache
def _declared() -> dict[str, dict[str, Any]]:
    """The built-in declarations by id."""
    families = [tomllib.loads(path.read_text("utf-8")) for path in sorted(FORMATS.glob("*.toml"))]
    return {form["id"]: form for family in families for form in family["formats"]}


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """All texts in a declaration, each with the keys that lead to it; a key that is true stands in brackets."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, path)
    elif isinstance(value, dict):
        is_named = path.rpartition(".")[2] in NAMED
        path += "".join(f"[{name}]" for name, one in value.items() if one is True)
        for name, one in value.items():
            if is_named:
                yield f"{path}.key", name
            if is_named or name not in SILENT:
                yield from _texts(one, f"{path}.{'value' if is_named else name}")


def _spelled(path: str, text: str) -> list[str]:
    """How a text of a declaration is written in replies: a marker in its halves too, a code with a number."""
    if path.endswith(".prefix"):
        return [f"{text}1", f"{text}99"]
    pieces = (piece.strip() for piece in (*text.split("{}"), text.replace("{}", "")))
    return [piece for piece in dict.fromkeys(pieces) if piece]


def _declaration(form: jc.Format) -> dict[str, Any]:
    # A pickled format of the caller's holds its declaration.
    return _declared().get(form.id) or tomllib.loads(form.__reduce__()[1][0])["formats"][0]


def words(form: jc.Format) -> dict[str, list[str]]:
    """The words that a format declares, by the keys that lead to them."""
    declared = _declaration(form)
    found: dict[str, list[str]] = {}
    for source in (declared, _declared().get(declared.get("like", ""), {})):
        for path, text in _texts(source, "format"):
            known = found.setdefault(path, [])
            known += [word for word in _spelled(path, text) if word not in known]
    if form.scale:
        found["scale"] = [f"{end:g}" for end in form.scale]
    return {path: known for path, known in found.items() if known}


def is_like_another(form: jc.Format) -> bool:
    """Whether a format declares its differences from another alone."""
    return "like" in _declared().get(form.id, {})


def way(form: jc.Format) -> tuple[str, ...]:
    """How a format looks for its verdict: its kind, and which of several places and claims it takes."""
    declared = _declaration(form)
    return (form.kind, *(str(declared.get(key)) for key in ("place", "precedence", "strict")))


def verdict(form: jc.Format) -> str:
    """The shortest of a format's examples that is read, on a line of its own."""
    read = [one["reply"] for one in form.examples if "value" in one["lenient"] and "think>" not in one["reply"]]
    return f"{min(read, key=len)}\n" if read else ""


def single(form: jc.Format) -> list[Flood]:
    """Floods of one word each, of the first and the last that stand under a key; some behind a verdict."""
    chosen = dict.fromkeys(word for found in words(form).values() for word in (found[0], found[-1]))
    behind = [(end, verdict(form)) for end in ENDS[:2] if verdict(form)]
    return [Flood((word + end,), head) for word in chosen for end, head in (*((end, "") for end in ENDS), *behind)]


def paired(form: jc.Format) -> list[Flood]:
    """Floods of two words of different keys, in turn and one behind the other."""
    chosen = list(dict.fromkeys(found[0] for found in words(form).values()))
    floods = [Flood((one + glue + other + end,)) for one, other in permutations(chosen, 2) for glue, end in PAIRED]
    return floods + [Flood((f"{one}: ", f"{other}: ")) for one, other in permutations(chosen, 2)]
