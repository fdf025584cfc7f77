"""Measure judgecore's import time, modules, distributions and installed size."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import time
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from results import Group, Row, shown_seconds

import judgecore as jc

if TYPE_CHECKING:
    from stopwatch import Stopwatch

ROOT = Path(__file__).parent.parent
MB = 1e6
MODULES = "import json, sys; print(json.dumps(sorted(sys.modules)))"
STARTS = {
    "python": "pass",
    "import": "import judgecore",
    "parse": "import judgecore; judgecore.parse('Rating: [[8]]', 'mt_bench.single')",
}
UNWANTED = ("httpx", "pydantic", "numpy")
IMPORT_S = 0.050
DISTRIBUTIONS = 25
INSTALLED_MB = 120
# The release build of the extension is measured by `make bench`.
OTHERS_MB = 90


def python(program: str) -> str:
    """Run a program in a fresh interpreter and return its output."""
    done = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 - the programs are this file's own
    return done.stdout


def start_times(repeats: int) -> dict[str, float]:
    """Return the median seconds of each start, measured in turn."""
    times: dict[str, list[float]] = {name: [] for name in STARTS}
    for _ in range(repeats):
        for name, program in STARTS.items():
            before = time.perf_counter()
            python(program)
            times[name].append(time.perf_counter() - before)
    return {name: statistics.median(each) for name, each in times.items()}


def loaded(program: str) -> set[str]:
    """Return the modules that a program loads in addition to the bare interpreter."""
    bare = set(json.loads(python(MODULES)))
    return set(json.loads(python(f"{program}; {MODULES}"))) - bare


def needed(name: str, found: dict[str, Distribution] | None = None) -> dict[str, Distribution]:
    """Return a distribution and its dependencies on this machine, by name."""
    found = {} if found is None else found
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in found:
        return found
    try:
        found[key] = distribution(name)
    except PackageNotFoundError:
        # An environment marker, such as `sys_platform == "win32"`, excludes it on this machine.
        return found
    for requirement in found[key].requires or []:
        requirement_name = re.match(r"[A-Za-z0-9._-]+", requirement)
        if requirement_name is not None and "extra ==" not in requirement:
            needed(requirement_name[0], found)
    return found


def size(package: Distribution) -> int:
    """Return the size of a distribution's files in bytes, without bytecode."""
    listed = [Path(str(package.locate_file(file))) for file in package.files or []]
    if package.name == "judgecore":
        # An editable install lists only a link to the sources.
        listed = list(Path(jc.__path__[0]).rglob("*"))
    return sum(path.stat().st_size for path in listed if path.is_file() and "__pycache__" not in path.parts)


def newest_wheel() -> Path | None:
    """Return the newest wheel, if any."""
    wheels = [*ROOT.glob("dist/*.whl"), *ROOT.glob("target/wheels/*.whl")]
    return max(wheels, key=lambda wheel: wheel.stat().st_mtime, default=None)


def measure(stopwatch: Stopwatch) -> Group:
    """Measure start times and installed size."""
    times = start_times(3 if stopwatch.is_quick else 25)
    importing, reading = times["import"] - times["python"], times["parse"] - times["python"]
    imported, used = loaded(STARTS["import"]), loaded(STARTS["parse"])
    unwanted = sorted({name.partition(".")[0] for name in imported | used} & set(UNWANTED))
    packages = needed("judgecore")
    installed = sum(size(package) for package in packages.values()) / MB
    limit = f"<= {shown_seconds(IMPORT_S)}"
    rows = [
        Row(("start/import", shown_seconds(max(importing, 0.0)), limit), importing <= IMPORT_S),
        Row(("start/import_and_first_parse", shown_seconds(max(reading, 0.0)), limit), reading <= IMPORT_S),
        Row(("start/modules_of_import", str(len(imported)), "")),
        Row(("start/modules_of_first_parse", str(len(used)), "")),
        Row(("start/unwanted_modules", ", ".join(unwanted) or "none", "none"), not unwanted),
        Row(("size/distributions", str(len(packages)), f"<= {DISTRIBUTIONS}"), len(packages) <= DISTRIBUTIONS),
        Row(("size/installed", f"{installed:.1f} MB", f"<= {INSTALLED_MB} MB"), installed <= INSTALLED_MB),
    ]
    wheel = newest_wheel()
    if wheel is not None:
        rows.append(Row(("size/wheel", f"{wheel.stat().st_size / MB:.2f} MB", "")))
    about = (
        f"Time in a fresh interpreter, minus the {shown_seconds(times['python'])} of the interpreter itself; "
        f"unwanted modules: {', '.join(UNWANTED)}."
    )
    return Group(
        "start", about, ("bench", "judgecore", "target"), tuple(rows), (f"All: {', '.join(sorted(packages))}.",)
    )


def main() -> None:
    """Fail if what judgecore installs exceeds the limits; unlike times, sizes don't depend on the machine."""
    packages = needed("judgecore")
    others = sum(size(package) for name, package in packages.items() if name != "judgecore") / MB
    print(
        f"{len(packages)} distributions (at most {DISTRIBUTIONS}); "
        f"those besides judgecore have {others:.1f} MB (at most {OTHERS_MB})"
    )
    unwanted = sorted({name.partition(".")[0] for name in loaded(STARTS["parse"])} & set(UNWANTED))
    if unwanted:
        sys.exit(f"import judgecore loads {', '.join(unwanted)}; import them where they are used")
    if len(packages) > DISTRIBUTIONS or others > OTHERS_MB:
        sys.exit(f"too much is installed: {', '.join(sorted(packages))}")


if __name__ == "__main__":
    main()
