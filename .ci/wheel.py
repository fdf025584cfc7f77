"""Build the wheel and the sdist into dist/, and test both in new environments of each available Python.

It uses only the standard library, because it runs where nothing is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
OLDEST = (3, 11)
NEWEST = (3, 14)
SMOKE = """
import sys, judgecore as jc
assert not {"httpx", "numpy", "pydantic"} & set(sys.modules)
assert jc.parse("Rating: [[8]]", "mt_bench.single").value == 8.0
assert jc.parse("no idea", "mt_bench.single").reason == "no_verdict"
assert jc.parse_many(["[[A]]", None], "mt_bench.pair").counts() == {"ok": 1, "missing": 1}
assert jc.extract_json("{'score': 8,}").value == {"score": 8}
assert all(getattr(jc, name) is not None for name in jc.__all__)
assert len(jc.HumanLabeledDataset.bundled("refusals")) == 61
print(jc.__version__)
"""


def environment() -> dict[str, str]:
    """Return the environment variables of a user, who has none of the developers' pins."""
    return {name: value for name, value in os.environ.items() if name not in {"PIP_CONSTRAINT", "VIRTUAL_ENV"}}


def run(*command: str | Path, **env: str) -> str:
    """Run a command outside the checkout, so that it imports the installed package."""
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            [str(part) for part in command],
            check=False,
            stdout=subprocess.PIPE,
            text=True,
            cwd=empty,
            env={**environment(), **env},
        )
    if done.returncode:
        sys.exit(f"{' '.join(str(part) for part in command)}: status {done.returncode}")
    return done.stdout.strip()


def pythons() -> list[str]:
    """Return the interpreters to test: those in PYTHONS, else every version on the path, else this one."""
    named = os.environ.get("PYTHONS", "").split()
    if named:
        return named
    names = [f"python{OLDEST[0]}.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
    works = [
        name
        for name in names
        if shutil.which(name) and not subprocess.call([name, "-c", ""], stderr=subprocess.DEVNULL)
    ]
    return works or [sys.executable]


def try_in(python: str, archive: Path, **env: str) -> None:
    """Install an archive into a new environment, and test the package and the program there."""
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", folder)
        inside = Path(folder, "bin", "python")
        run(inside, "-m", "pip", "install", "--quiet", archive, **env)
        version = run(inside, "-c", SMOKE)
        shown = run(Path(folder, "bin", "judgecore"), "--version")
        run(Path(folder, "bin", "judgecore"), "formats", "mt_bench.pair")
        if version not in shown:
            sys.exit(f"{archive.name}: the program reports {shown!r}, the package {version!r}")
    print(f"{archive.name} works in {run(python, '--version')}")


def main() -> None:
    """Build and test."""
    shutil.rmtree(DIST, ignore_errors=True)
    subprocess.run(
        [sys.executable, "-m", "maturin", "build", "--release", "--locked", "--sdist", "--out", str(DIST)],
        check=True,
        cwd=ROOT,
    )
    (wheel,) = DIST.glob("*.whl")
    (sdist,) = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    missing = [name for name in ("LICENSE", "LICENSES-CRATES.txt", "Cargo.lock", "README.md") if name not in names]
    if missing:
        sys.exit(f"{sdist.name} has no {', '.join(missing)}")
    for python in pythons():
        try_in(python, wheel)
    # The sdist must contain all our sources, so cargo runs offline; third-party crates are cached from the wheel.
    try_in(
        pythons()[0],
        sdist,
        CARGO_NET_OFFLINE="true",
        CARGO_TARGET_DIR=os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target")),
    )
    print(f"{wheel.name} {wheel.stat().st_size / 1e6:.2f} MB, {sdist.name} {sdist.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
