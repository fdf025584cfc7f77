"""Check that the files of a crate have no import cycles.

Siblings are compared: a folder counts as one unit with all files in it. A file may use what the module file of its own
folder defines.
"""

from __future__ import annotations

import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent
CRATES = [path.parent / "src" for path in sorted(ROOT.glob("rust/*/Cargo.toml")) if (path.parent / "src").is_dir()]
# Tests are at the end of their file, and may use anything.
TESTS = re.compile(r"^#\[cfg\(test\)\]\s*mod tests \{.*", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"//.*")
USE = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+(.*?);", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"\b(?:crate|super)(?:::\w+)+")

Module = tuple[str, ...]


def modules(source: Path) -> dict[Module, Path]:
    """Return the files of a crate by module."""
    found: dict[Module, Path] = {}
    for path in sorted(source.rglob("*.rs")):
        parts = path.relative_to(source).with_suffix("").parts
        found[parts[:-1] if parts[-1] in ("mod", "lib") else parts] = path
    return found


def paths(tree: str, before: str = "") -> list[str]:
    """Return the paths that a ``use`` names, with braces expanded."""
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
    """Return the crate's modules that a file uses."""
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


def cycles(source: Path) -> list[str]:
    """Return the cycles of a crate, at most one for each folder."""
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
            cycle = " -> ".join("::".join(module) for module in reversed(problem.args[1]))
            found.append(f"{source.relative_to(ROOT)}: {cycle}")
    return found


def main() -> None:
    """Print the cycles and exit."""
    found = [cycle for source in CRATES for cycle in cycles(source)]
    sys.exit("\n".join(found) or None)


if __name__ == "__main__":
    main()
