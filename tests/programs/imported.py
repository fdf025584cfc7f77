"""Imports what a run of ``judgecore`` may need, so that a process forked from this one has nothing left to import."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

import pyarrow as pa

from judgecore import evaluation, prompts, reports, scorers, targets
from judgecore.cli import COMMANDS


def import_all() -> None:
    names = [f"judgecore.cli.{command}" for command in COMMANDS]
    for station in (evaluation, prompts, reports, scorers, targets):
        names += [one.name for one in walk_packages(station.__path__, f"{station.__name__}.")]
    names += ["httpx", "jinja2.meta", "pyarrow.parquet", "pydantic.type_adapter", "rich.progress", "rich.table"]
    for name in names:
        import_module(name)
    # pyarrow imports pandas with the first array, if it is installed.
    pa.array([None])
