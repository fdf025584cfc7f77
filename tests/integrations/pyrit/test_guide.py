"""The calls that the guide from PyRIT calls old are PyRIT's."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyrit", reason="not installed here: make test-integrations")
import_module("pyrit.models")
score: Any = import_module("pyrit.score")

GUIDE = (Path(__file__).parents[3] / "docs" / "from-pyrit.md").read_text("utf-8")
OLD = re.findall(r"^\| `(\w+Scorer[.(].*?)` \| `", GUIDE, re.MULTILINE)
OPTIONS = re.findall(r"^\| `([a-z_]+)` \| `(\w+Scorer)`", GUIDE, re.MULTILINE)


def attribute(node: ast.expr) -> Any:
    """What a name of a call is in PyRIT."""
    return (
        getattr(attribute(node.value), node.attr)
        if isinstance(node, ast.Attribute)
        else getattr(score, ast.unparse(node))
    )


@pytest.mark.parametrize("call", OLD)
def test_each_old_call_fits_its_signature(call: str) -> None:
    calls = [node for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Call)]

    assert calls
    for one in calls:
        inspect.signature(attribute(one.func)).bind(**{str(word.arg): word.value for word in one.keywords})


@pytest.mark.parametrize(("option", "of"), OPTIONS)
def test_each_option_that_is_not_in_judgecore_is_one_of_pyrits(option: str, of: str) -> None:
    makers = [
        getattr(score, of),
        *(member for name, member in inspect.getmembers(getattr(score, of)) if "from_" in name),
    ]

    assert any(option in inspect.signature(maker).parameters for maker in makers)
