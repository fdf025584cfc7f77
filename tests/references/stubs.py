"""Generate the stubs of packages with lazily imported names, for type checkers."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import judgecore as jc

PACKAGE = Path(jc.__file__).parent
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


def stubs() -> dict[Path, str]:
    """Return all stubs by file."""
    found: dict[Path, str] = {}
    for source in sources():
        package = ".".join(("judgecore", *source.parent.relative_to(PACKAGE).parts))
        found[source.with_suffix(".pyi")] = stub(package, homes(source))
    return found


def write() -> None:
    """Write all stubs."""
    for path, text in stubs().items():
        path.write_text(text, "utf-8")
