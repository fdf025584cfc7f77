"""Check that no files of a crate use each other in a circle.

A folder stands for all files in it, so that what lies beside each other is compared, and a file may use what the file
of its own folder defines.
"""

from __future__ import annotations

import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent
CRATES = [path.parent / "src" for path in sorted(ROOT.glob("rust/*/Cargo.toml")) if (path.parent / "src").is_dir()]
# Tests stand at the end of their file, and may look back at anything.
TESTS = re.compile(r"^#\[cfg\(test\)\]\s*mod tests \{.*", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"//.*")
USE = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+(.*?);", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"\b(?:crate|super)(?:::\w+)+")

Module = tuple[str, ...]


def modules(source: Path) -> dict[Module, Path]:
    """The files of a crate by their modules."""
    found: dict[Module, Path] = {}
    for path in sorted(source.rglob("*.rs")):
        parts = path.relative_to(source).with_suffix("").parts
        found[parts[:-1] if parts[-1] in ("mod", "lib") else parts] = path
    return found


def paths(tree: str, before: str = "") -> list[str]:
    """The paths that a ``use`` names, whatever it has in braces."""
    head, brace, inner = tree.partition("{")
    if not brace:
        return [f"{before}{tree.partition(' as ')[0].strip()}"]
    depth, item, found = 0, "", []
    for letter in f"{inner.rpartition('}')[0]},":
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            found += paths(item.strip(), before + head.strip()) if item.strip() else []
            item = ""
        else:
            item += letter
    return found


def used(module: Module, text: str, known: dict[Module, Path]) -> set[Module]:
    """The modules of the crate that a file uses."""
    code = COMMENT.sub("", TESTS.sub("", text))
    named = [path for use in USE.findall(code) for path in paths(" ".join(use.split()))] + PATH.findall(code)
    found: set[Module] = set()
    for path in named:
        first, *rest = path.split("::")
        base: Module
        match first:
            case "crate":
                base = ()
            case "self":
                base = module
            case "super":
                base = module[:-1]
                while rest and rest[0] == "super":
                    base, rest = base[:-1], rest[1:]
            case _ if (*module, first) in known:
                base, rest = module, [first, *rest]
            case _:
                continue
        whole = (*base, *rest)
        found.add(next(whole[:length] for length in range(len(whole), -1, -1) if whole[:length] in known))
    return found - {module}


def circles(source: Path) -> list[str]:
    """The circles of a crate, one for each folder that has any."""
    known = modules(source)
    uses = {module: used(module, path.read_text("utf-8"), known) for module, path in known.items()}
    found: list[str] = []
    for folder in sorted({module[:length] for module in known for length in range(len(module))}):
        depth = len(folder)
        beside: dict[Module, set[Module]] = {}
        for module, others in uses.items():
            if module[:depth] == folder and len(module) > depth:
                near = {other[: depth + 1] for other in others if other[:depth] == folder and len(other) > depth}
                beside.setdefault(module[: depth + 1], set()).update(near - {module[: depth + 1]})
        try:
            TopologicalSorter(beside).prepare()
        except CycleError as problem:
            circle = " -> ".join("::".join(module) for module in reversed(problem.args[1]))
            found.append(f"{source.relative_to(ROOT)}: {circle}")
    return found


def main() -> None:
    """Name each circle."""
    found = [circle for source in CRATES for circle in circles(source)]
    sys.exit("\n".join(found) or None)


if __name__ == "__main__":
    main()
