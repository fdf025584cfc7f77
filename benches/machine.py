"""Describe where and when the benches ran."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent


def processor() -> str:
    """Return the processor's name, if the system reports it."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()


def commit() -> str:
    """Return the measured commit, and whether the sources differ from it."""
    git = shutil.which("git")
    if git is None:
        return "unknown"

    def ask(*words: str) -> str:
        return subprocess.run([git, *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603 - the words are this file's own

    name = ask("rev-parse", "--short", "HEAD") or "unknown"
    changed = ask("status", "--porcelain", "--", "rust", "python", "benches/*.py", "tests/references", "Cargo.lock")
    return f"{name}, with changes" if changed else name


def described() -> list[str]:
    """Return machine, date and commit, one line each."""
    return [
        f"Machine: {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        f"Python: {platform.python_implementation()} {platform.python_version()}",
        f"Date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"Commit: {commit()}",
        f"Load: {os.getloadavg()[0]:.1f} at the start; above the number of cores, other processes slowed the run.",
    ]
