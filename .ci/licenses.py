"""Collect the licences of the extension's crates: ``write`` rewrites LICENSES-CRATES.txt, ``check`` verifies it.

It uses only the standard library, because it runs before anything is installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FILE = ROOT / "LICENSES-CRATES.txt"
HEADER = """\
judgecore's extension contains code of the crates below, under the licences that follow. judgecore's own is in LICENSE.
`make licenses` rewrites this file.
"""
LICENSES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE")
# A fixed platform, so that the file is the same on every machine; others link the same crates and a few of the system.
PLATFORM = "x86_64-unknown-linux-gnu"
RULE = "=" * 100


def metadata() -> dict[str, Any]:
    """Return cargo's metadata of the workspace."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--all-features"]
    done = subprocess.run(
        [*command, f"--filter-platform={PLATFORM}"], check=True, capture_output=True, text=True, cwd=ROOT
    )
    return json.loads(done.stdout)


def linked(graph: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the third-party crates linked into the extension, without dependencies of build scripts and tests."""
    packages = {one["id"]: one for one in graph["packages"]}
    nodes = {one["id"]: one for one in graph["resolve"]["nodes"]}
    waiting = [key for key, one in packages.items() if one["name"] == "judgecore-py"]
    seen: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key in seen or any("proc-macro" in target["kind"] for target in packages[key]["targets"]):
            continue
        seen.add(key)
        deps = nodes[key]["deps"]
        waiting.extend(one["pkg"] for one in deps if any(kind["kind"] is None for kind in one["dep_kinds"]))
    others = [packages[key] for key in seen if packages[key]["source"]]
    return sorted(others, key=lambda one: (one["name"], one["version"]))


def texts_of(package: dict[str, Any]) -> list[str]:
    """Return the texts of a crate's licence files, with normalized white space."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.upper().startswith(LICENSES))
    # If a crate offers a choice of licences, take MIT, which is ours, too, and the shortest.
    if " AND " not in package["license"]:
        files = [path for path in files if "MIT" in path.name.upper()] or files
    found = (path.read_text(encoding="utf-8", errors="replace") for path in files)
    return ["\n".join(line.rstrip() for line in text.strip().splitlines()) for text in found]


def gathered() -> str:
    """Return the whole file: the crates, then each text once, with the crates that it applies to."""
    crates = linked(metadata())
    owners: dict[str, list[str]] = {}
    for package in crates:
        for text in texts_of(package):
            owners.setdefault(text, []).append(f"{package['name']} {package['version']}")
    table = [f"{one['name']} {one['version']}: {one['license']}" for one in crates]
    parts = [f"{RULE}\n{', '.join(names)}\n{RULE}\n\n{text}" for text, names in owners.items()]
    return "\n\n".join([HEADER.rstrip(), "\n".join(table), *parts]) + "\n"


def main() -> int:
    """Write or check the file."""
    if sys.argv[1:] == ["write"]:
        FILE.write_text(gathered(), encoding="utf-8")
        return 0
    if not FILE.exists() or FILE.read_text(encoding="utf-8") != gathered():
        sys.stderr.write("LICENSES-CRATES.txt does not match Cargo.lock; run: make licenses\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
