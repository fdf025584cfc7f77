"""Pin the development dependencies: ``write`` rewrites constraints.txt, ``check`` verifies it.

It uses only the standard library, because it runs before anything is installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
HEADER = """\
# The versions that judgecore is developed and tested with; `make constraints` rewrites this file.
"""
PIN = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[A-Za-z0-9.!+]+)")
# The project itself, and what an interpreter may install into a new environment.
NOT_PINNED = {"judgecore", "setuptools", "wheel"}


def canonical(name: str) -> str:
    """Normalize the name of a distribution."""
    return re.sub(r"[-_.]+", "-", name).lower()


def write() -> None:
    """Install the newest versions into a new environment, and pin them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    runtime: list[str] = project["project"]["dependencies"]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        pip = [f"{folder}/bin/python", "-m", "pip"]
        subprocess.run([*pip, "install", "--quiet", "--upgrade", "pip"], check=True)
        groups = ["--group", "dev", "--group", "oracles", "--group", "docs"]
        subprocess.run([*pip, "install", "--quiet", *groups, *runtime], check=True, cwd=ROOT)
        frozen = subprocess.run([*pip, "freeze", "--all"], check=True, capture_output=True, text=True).stdout
    pins = [line for line in frozen.splitlines() if canonical(line.partition("==")[0]) not in NOT_PINNED]
    CONSTRAINTS.write_text("\n".join([HEADER.rstrip(), *sorted(pins, key=str.lower), ""]), encoding="utf-8")


def problems() -> list[str]:
    """Return the invalid lines of constraints.txt, and the installed versions that differ from it."""
    found: list[str] = []
    pinned: dict[str, str] = {}
    for number, line in enumerate(CONSTRAINTS.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("#") and "://" not in line:
            continue
        pin = PIN.fullmatch(line)
        if pin is None:
            found.append(f"constraints.txt:{number}: {line!r} does not have the form name==version")
        else:
            pinned[canonical(pin["name"])] = pin["version"]
    for distribution in distributions():
        name, version = canonical(distribution.name), distribution.version
        if name not in NOT_PINNED and pinned.get(name) != version:
            found.append(f"{name} {version} is installed, constraints.txt has {pinned.get(name, 'no version')}")
    return sorted(found)


if sys.argv[1:] == ["write"]:
    write()
elif sys.argv[1:] == ["check"]:
    if found := problems():
        sys.exit("\n".join([*found, "`make constraints` pins anew; `make clean develop` installs what is pinned"]))
else:
    sys.exit(f"usage: {sys.argv[0]} write | check")
