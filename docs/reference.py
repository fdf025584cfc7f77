"""Generate the API reference from docstrings, as a Sphinx extension.

Sources are parsed, not imported, because the extension module's documentation is in its stub.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import griffe
from sphinx.errors import ExtensionError
from sphinx.ext.napoleon import Config, GoogleDocstring

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sphinx.application import Sphinx

PACKAGE = Path(__file__).parents[1] / "python" / "judgecore"
PAGES = Path(__file__).parent / "api"
# The stations in pipeline order; a name that judgecore itself exports is described in its station.
STATIONS = (
    "reading",
    "detecting",
    "compat",
    "prompts",
    "targets",
    "scorers",
    "evaluation",
    "reports",
    "stats",
    "hashing",
    "identity",
    "engines",
    "integrations",
    "testing",
    "errors",
)
INDENT = "   "


def names_of(module: griffe.Module) -> list[str]:
    """Return the public names of a module, sorted."""
    return sorted(name for name in map(str, module.exports or ()) if not name.startswith("_"))


def target_of(member: griffe.Object | griffe.Alias) -> griffe.Object:
    return member.final_target if isinstance(member, griffe.Alias) else member


def described(thing: griffe.Object, depth: int) -> list[str]:
    """Convert a Google-style docstring to lines of reStructuredText."""
    text = thing.docstring.value if thing.docstring else ""
    config = Config(napoleon_use_rtype=False, napoleon_use_ivar=True)
    # Napoleon returns the lines of an error's description as one string.
    lines = "\n".join(GoogleDocstring(text, config).lines()).splitlines()
    return [(INDENT * depth + line).rstrip() for line in lines]


def signatures(function: griffe.Function) -> list[str]:
    return [one.signature(name=function.name) for one in function.overloads or [function]]


def public(thing: griffe.Class) -> Iterator[griffe.Object]:
    """Return the documented public members of a class, and of its bases that have no place of their own."""
    hidden = [base for base in thing.mro() if base.name not in names_of(base.package[base.path.split(".")[1]])]
    members = {name: member for one in (*reversed(hidden), thing) for name, member in one.members.items()}
    for name, member in members.items():
        if not name.startswith("_") and not member.is_alias and member.docstring:
            yield target_of(member)


def directive(kind: str, heads: list[str], body: list[str], depth: int, flags: Iterable[str] = ()) -> list[str]:
    margin = INDENT * depth
    first = f".. py:{kind}:: "
    more = [margin + " " * len(first) + head for head in heads[1:]]
    options = [f"{margin}{INDENT}:{flag}:" for flag in flags]
    return [f"{margin}{first}{heads[0]}", *more, *options, "", *body, ""]


def lines_of(thing: griffe.Object, prefix: str, depth: int = 0) -> list[str]:
    """Return the Sphinx directive of a public object, with its members."""
    body = described(thing, depth + 1)
    if isinstance(thing, griffe.Class):
        start = thing.members.get("__new__") or thing.members.get("__init__")
        heads = [f"{prefix}{thing.name}"]
        if isinstance(start, griffe.Function) and not start.is_alias:
            heads = [f"{prefix}{call_of(one)}" for one in start.overloads or [start]]
            heads = [head.replace("__new__", thing.name).replace("__init__", thing.name) for head in heads]
        members = [line for member in public(thing) for line in lines_of(member, "", depth + 1)]
        return directive("class", heads, [*body, "", *members], depth)
    if isinstance(thing, griffe.Function):
        kind = "function" if not depth else "method"
        heads = [prefix + head for head in signatures(thing)]
        flags = sorted({"async", "classmethod", "staticmethod"} & thing.labels)
        return directive(kind, heads, body, depth, flags)
    kind = "data" if not depth else "attribute"
    return directive(kind, [prefix + thing.name], body, depth)


def call_of(start: griffe.Function) -> str:
    """Return the constructor's signature, without ``self`` and the return type."""
    shown = start.signature(return_type=False)
    for receiver in ("cls, ", "self, ", "cls", "self"):
        if shown.startswith(f"{start.name}({receiver}"):
            return shown.replace(f"({receiver}", "(", 1)
    return shown


def things_of(module: griffe.Module, facade: Iterable[str] = ()) -> list[str]:
    """Return the exports of a module; those of ``judgecore`` itself have the shorter name."""
    page: list[str] = []
    for name in names_of(module):
        prefix = "judgecore." if name in facade else f"{module.path}."
        page += lines_of(target_of(module.members[name]), prefix)
    return page


def facade_of(package: griffe.Module) -> dict[str, list[str]]:
    """Return the names that ``judgecore`` itself exports, by station."""
    found: dict[str, list[str]] = {}
    for name in names_of(package):
        station = package.members[name].target_path.split(".")[1]
        if station not in STATIONS or name not in names_of(package[station]):
            raise ExtensionError(f"judgecore.{name} stands on no page; export it from judgecore.{station} too")
        found.setdefault(station, []).append(name)
    return found


def overview(package: griffe.Module) -> list[str]:
    """Return the page of ``judgecore``: its names and stations with one line each."""
    page = [".. This page is made from the sources.", "", "judgecore", "=========", "", *described(package, 0), ""]
    facade = facade_of(package)
    for station in STATIONS:
        heads = [f"judgecore.{station}", "-" * len(f"judgecore.{station}")]
        page += [*heads, "", f":doc:`{summary(package[station])} <{station}>`", ""]
        for name in facade.get(station, ()):
            page += [f"* :py:obj:`judgecore.{name}`: {summary(target_of(package.members[name]))}"]
        page += [""]
    return page


def summary(thing: griffe.Object) -> str:
    """Return the first line of a docstring."""
    return thing.docstring.value.partition("\n")[0] if thing.docstring else ""


def parts_of(module: griffe.Module) -> list[str]:
    """Return the public modules of a station without its own names, each with a heading."""
    page: list[str] = []
    for _, part in sorted(module.modules.items()):
        if not part.exports:
            raise ExtensionError(f"{part.path} has no __all__, so its page would be empty; name what is public there")
        heads = [part.path, "-" * len(part.path)]
        page += [*heads, "", *described(part, 0), "", *things_of(part)]
    if not page:
        raise ExtensionError(f"{module.path} has no __all__ and no modules, so its page would be empty")
    return page


class StubOverloads(griffe.Extension):
    """Keep functions of which a stub has overloads alone, each with the words of its first."""

    def on_members(self, *, obj: griffe.Object, **_: Any) -> None:
        if isinstance(obj, griffe.Class):
            for name, overloads in obj.overloads.items():
                if overloads and name not in obj.members:
                    obj.set_member(name, overloads[0])
                    overloads[0].overloads = list(overloads)


def write_pages(_: Sphinx) -> None:
    """Write a page for ``judgecore``, and one per station."""
    package = griffe.load(
        "judgecore",
        search_paths=[PACKAGE.parent],
        resolve_aliases=True,
        allow_inspection=False,
        extensions=griffe.load_extensions(StubOverloads),
    )
    PAGES.mkdir(exist_ok=True)
    for station in STATIONS:
        if station not in package.members:
            raise ExtensionError(f"there is no judgecore.{station}; mend STATIONS in {Path(__file__).name}")
    pages = {"judgecore": overview(package)}
    for station, facade in {**dict.fromkeys(STATIONS, ()), **facade_of(package)}.items():
        title = f"judgecore.{station}"
        module = target_of(package[station])
        page = [".. This page is made from the sources.", "", title, "=" * len(title), "", *described(module, 0), ""]
        pages[station] = [*page, *(things_of(module, facade) if module.exports else parts_of(module))]
    for name, page in pages.items():
        path = PAGES / f"{name}.rst"
        text = "\n".join(page) + "\n"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}
