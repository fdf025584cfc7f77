"""Check that each make target installs the modules that its Python files import.

The commands of a target come from ``make --dry-run``, so they always agree with the Makefile. A test may import other
modules with ``pytest.importorskip``, whose reason must name the target that installs them.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections import defaultdict
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
GROUPS = PROJECT["dependency-groups"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
# Tests and benches import our modules from their own folder and from these.
SHARED = ROOT / "tests"
# Distributions whose module has another name.
NAMES = {
    "griffelib": "griffe",
    "opentelemetry-api": "opentelemetry",
    "opentelemetry-sdk": "opentelemetry",
    "pillow": "PIL",
    "ppi-python": "ppi_py",
    "pyyaml": "yaml",
    "mlflow-skinny": "mlflow",
    "scikit-learn": "sklearn",
}
# This target runs third-party servers and clients in their own environments.
CLIENTS = SHARED / "programs" / "clients"
TARGET_OF_CLIENTS = "test-servers"


class Run(NamedTuple):
    """The files that one command of a target runs, and the modules in its environment."""

    target: str
    files: frozenset[Path]
    modules: frozenset[str]


def module(requirement: str) -> str:
    """Return the module that a requirement installs."""
    name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower().replace("_", "-")
    return NAMES.get(name, name.replace("-", "_"))


def group(name: str) -> set[str]:
    """Return the modules of a dependency group."""
    found: set[str] = set()
    for one in GROUPS[name]:
        found |= group(one["include-group"]) if isinstance(one, dict) else {module(one)}
    return found


def package(extras: str = "") -> set[str]:
    """Return the modules that judgecore and the extras install."""
    wanted = [*PROJECT["project"]["dependencies"], *(one for name in extras.split(",") if name for one in EXTRAS[name])]
    return {*map(module, wanted)}


def targets() -> list[str]:
    """Return the targets that ``make help`` lists."""
    return re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


def commands(target: str) -> list[list[str]]:
    """Return the commands of a target in a fresh clone, split into words."""
    done = subprocess.run(
        ["make", "--dry-run", "--always-make", target],  # noqa: S607 - the make that runs this
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL"}},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    lines = done.stdout.replace("\\\n", " ").splitlines()
    return [shlex.split(part) for line in lines for part in re.split(r"; |&& ", line) if "/bin/python " in part]


def installed(words: list[str]) -> set[str]:
    """Return the modules that a command of pip or maturin installs."""
    if "maturin" in words:
        return package() if "develop" in words else set()
    found: set[str] = set()
    rest = iter(words[words.index("install") + 1 :])
    for word in rest:
        if word == "--group":
            found |= group(next(rest))
        elif word == "--requirement":
            text = (ROOT / next(rest)).read_text("utf-8")
            found |= {
                module(line.removeprefix("# without what it requires: "))
                for line in text.splitlines()
                if "# " not in line or line.startswith("# without")
            }
        elif ".whl" in word:
            found |= package(word.partition("[")[2].rstrip("]"))
        elif not word.startswith("-") and word != "$package":
            found.add(module(word))
    return found


def python_files(folder: Path) -> set[Path]:
    """Return the files of a folder, except modules (they count where they are imported) and third-party programs."""
    files = {*folder.rglob("test_*.py"), *folder.rglob("conftest.py"), *folder.glob("programs/*.py")}
    return files if folder.is_relative_to(SHARED) else {*folder.glob("*.py")}


def started(words: list[str]) -> set[Path]:
    """Return the files that a Python command runs."""
    rest = words[next(nth for nth, word in enumerate(words) if word.endswith("/bin/python")) + 1 :]
    if rest[0] != "-m":
        return {ROOT / rest[0]}
    if rest[1] == "sphinx":
        return python_files(ROOT / "docs")
    if rest[1] != "pytest":
        return set()
    ignored = {ROOT / one for option, one in pairwise(rest) if option == "--ignore"}
    paths = [ROOT / one for one in rest[2:] if one.startswith("tests")]
    named = [one for one in paths if one not in ignored] or [SHARED]
    files = {one for path in named for one in (python_files(path) if path.is_dir() else {path})}
    return {one for one in files if not any(one.is_relative_to(path) for path in ignored)}


def runs() -> list[Run]:
    """Return the runs of all targets."""
    found: list[Run] = []
    for target in targets():
        brings: dict[str, set[str]] = defaultdict(set)
        files: dict[str, set[Path]] = defaultdict(set)
        for words in commands(target):
            environment = next(word for word in words if word.endswith("/bin/python"))
            if "pip" in words or "maturin" in words:
                brings[environment] |= installed(words)
            else:
                files[environment] |= started(words)
        found += [Run(target, frozenset(some), frozenset(brings[name])) for name, some in files.items()]
        if target == TARGET_OF_CLIENTS:
            found.append(Run(target, frozenset(CLIENTS.glob("*.py")), frozenset(set[str]().union(*brings.values()))))
    # Several targets test the examples, each of them the ones that it can run.
    everything = frozenset(set[str]().union(*(run.modules for run in found)))
    return [*found, Run("test-*", frozenset((ROOT / "examples").glob("*.py")), everything)]


class Imports(NamedTuple):
    """Return a file's imports, and the modules and reasons of its ``importorskip`` calls."""

    modules: frozenset[str]
    skipped: frozenset[tuple[str, str]]


@cache
def imports(path: Path) -> Imports:
    """Return what a file imports at run time; imports for type checking don't count."""
    tree = ast.parse(path.read_text("utf-8"))
    constants = {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    modules: set[str] = set()
    skipped: set[tuple[str, str]] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            modules |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.importorskip":
            reasons = [one.value for one in node.keywords if one.arg == "reason"]
            said = [constants.get(one.id) if isinstance(one, ast.Name) else ast.literal_eval(one) for one in reasons]
            skipped.add((ast.literal_eval(node.args[0]).partition(".")[0], str(*said)))
    return Imports(frozenset(modules), frozenset(skipped))


def ours(name: str, beside: Path) -> Path | None:
    """Return our own file that an import names, if any."""
    parts = name.split(".")
    for folder in (beside, SHARED):
        for path in (folder.joinpath(*parts).with_suffix(".py"), folder / parts[0]):
            if path.exists():
                return path
    return None


def missing(run: Run) -> list[str]:
    """Return the imports of a run's files that its target does not install."""
    found: list[str] = []
    done: set[tuple[Path, frozenset[str]]] = set()
    waiting = [(path, frozenset[str]()) for path in sorted(run.files, reverse=True)]
    while waiting:
        path, without = waiting.pop()
        # A program that a test starts is skipped with the test next to it, and a module with the test that imports it.
        skipped = without.union(name for one in path.parent.glob("*.py") for name, _ in imports(one).skipped)
        if (path, skipped) in done:
            continue
        done.add((path, skipped))
        for name in sorted(imports(path).modules):
            first = name.partition(".")[0]
            own = ours(name, path.parent)
            if own is not None:
                waiting += [(own, skipped)] if own.suffix == ".py" else []
                continue
            needed = package() if first == "judgecore" else {first}
            found += [
                f"{path.relative_to(ROOT)}: imports {one}, which make {run.target} does not install"
                for one in sorted(needed - sys.stdlib_module_names - run.modules - skipped)
            ]
    return found


def unkept(every: list[Run]) -> list[str]:
    """Return the skips whose reason names no target that runs the file and installs the module."""
    found: list[str] = []
    for path in sorted(set[Path]().union(*(run.files for run in every))):
        for name, reason in sorted(imports(path).skipped):
            named = re.search(r"make ([a-z-]+)", reason)
            if named is None:
                found.append(f"{path.relative_to(ROOT)}: skips without {name} and names no make target")
            elif not any(run.target == named[1] and path in run.files and name in run.modules for run in every):
                found.append(f"{path.relative_to(ROOT)}: make {named[1]} does not run it with {name}")
    return found


def main() -> int:
    """Print the errors, and return the exit code."""
    every = runs()
    wrong = list(dict.fromkeys([*(line for run in every for line in missing(run)), *unkept(every)]))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    if not wrong:
        print(f"{len(every)} commands of {len(targets())} targets import what their targets install")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
