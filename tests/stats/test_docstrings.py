"""The examples in the docstrings of statistics give what stands there."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

from judgecore import stats

MODULES = [f"judgecore.stats.{module.name}" for module in pkgutil.iter_modules(stats.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_stands_there(name: str) -> None:
    failed, _ = doctest.testmod(import_module(name))

    assert failed == 0


def test_every_public_function_says_what_it_takes_gives_and_where_it_comes_from() -> None:
    own, lookups = {"majority", "why_undefined"}, {"describe", "metrics_of"}
    functions = [name for name in stats.__all__ if name.islower() and name not in lookups]

    for name in functions:
        text = getattr(stats, name).__doc__ or ""
        sections = {"Args:", "Returns:", "Raises:", *(() if name in own else ("References:",))}
        assert {section for section in sections if f"\n    {section}\n" not in text} == set(), name
