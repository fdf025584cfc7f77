"""Generate the stubs of lazily imported names and shipped files, and the format names in the extension's stub."""

from __future__ import annotations

import ast
import importlib
import re
from enum import Enum
from pathlib import Path
from typing import Any

import judgecore as jc

PACKAGE = Path(jc.__file__).parent
CORE = PACKAGE / "_core.pyi"
NAMES = re.compile(r"(# Names of built-in formats[^\n]*\n).*?(?=# End of names)", re.DOTALL)
VALUES = {
    "bool": "_BoolFormat",
    "float": "_FloatFormat",
    "str": "_StrFormat",
    "tuple of float": "_FloatsFormat",
    "tuple of str": "_StrsFormat",
    "GuardVerdict": "_GuardFormat",
}
NOTE = "# Written by `make pages`; edit the list in __init__.py, not this file."


def sources() -> list[Path]:
    """Return the files that export names lazily."""
    return [path for path in sorted(PACKAGE.rglob("__init__.py")) if "lazy_exports(" in path.read_text("utf-8")]


def homes(source: Path) -> dict[str, list[str]]:
    """Return the names that a file exports lazily, by module."""
    [call] = [
        node
        for node in ast.walk(ast.parse(source.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "lazy_exports"
    ]
    found: dict[str, list[str]] = ast.literal_eval(call.args[1])
    return found


def stub(package: str, found: dict[str, list[str]]) -> str:
    """Return the stub of a package."""
    module = importlib.import_module(package)
    stations = sorted(set(dir(module)) - set(module.__all__))
    imports = [f"from {package} import {station} as {station}\n" for station in stations]
    for home, names in sorted(found.items()):
        listed = "".join(f"    {name},\n" for name in sorted(names, key=lambda name: (rank(name), name.lower())))
        imports.append(f"from {package}.{home} import (\n{listed})\n")
    listed = "".join(f'    "{name}",\n' for name in sorted(module.__all__, key=lambda name: (rank(name), name)))
    return f"{NOTE}\n\n{''.join(imports)}\n__all__ = [\n{listed}]\n"


def rank(name: str) -> int:
    """Return the linter's sort key of a name: constants, classes, functions."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2


def type_of(value: Any) -> str:
    """The type of a value in words."""
    return f"tuple of {type(value[0]).__name__}" if isinstance(value, tuple) else type(value).__name__


def names_by_value() -> str:
    """The ids and aliases of the built-in formats, as a type for each type of value."""
    found: dict[str, list[str]] = {name: [] for name in VALUES.values()}
    for form in jc.formats():
        outcomes = [
            jc.parse(one["reply"], form, mode=mode, cut=one["cut"]) for one in form.examples for mode in form.modes
        ]
        [kind] = {type_of(outcome.value) for outcome in outcomes if isinstance(outcome, jc.Reading)}
        found[VALUES[kind]] += [form.id, *form.aliases]
    lines: list[str] = []
    for name, ids in found.items():
        if len(ids) == 1:
            lines.append(f'{name}: TypeAlias = Literal["{ids[0]}"]')
        else:
            lines += [f"{name}: TypeAlias = Literal[", *(f'    "{id_}",' for id_ in sorted(ids)), "]"]
    return "\n".join([*lines, ""])


def stub_of_paths() -> str:
    """Return the stub of the module whose enums have the shipped files as members."""
    module = importlib.import_module("judgecore.prompts.paths")
    public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    lines = [f"{name}: Path" for name, value in public.items() if isinstance(value, Path)]
    for name, value in public.items():
        if isinstance(value, type) and issubclass(value, Enum) and value is not Enum:
            lines += ["", f"class {name}(Enum):", *(f"    {one.name} = ..." for one in value)]
    note = "# Written by `make pages`; add or remove files, don't edit this one."
    return "\n".join([note, "", "from enum import Enum", "from pathlib import Path", "", *lines, ""])


def stubs() -> dict[Path, str]:
    """Return all stubs by file; in the extension's stub only the format names are regenerated."""
    found = {CORE: NAMES.sub(lambda part: part[1] + names_by_value(), CORE.read_text("utf-8"))}
    found[PACKAGE / "prompts" / "paths.pyi"] = stub_of_paths()
    for source in sources():
        package = ".".join(("judgecore", *source.parent.relative_to(PACKAGE).parts))
        found[source.with_suffix(".pyi")] = stub(package, homes(source))
    return found


def write() -> None:
    """Write all stubs."""
    for path, text in stubs().items():
        path.write_text(text, "utf-8")
