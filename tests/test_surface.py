"""The public surface: listed once, documented, and cheap to import."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import judgecore as jc

PACKAGE = Path(jc.__file__).parent
FACADE = ast.parse(Path(jc.__file__).read_text("utf-8"))


def in_fresh_process(code: str) -> Any:
    """What code prints as JSON in a process that has imported nothing."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def imported(body: list[ast.stmt]) -> dict[str, str | None]:
    """The names that statements import from modules, with their modules."""
    return {name.name: node.module for node in body if isinstance(node, ast.ImportFrom) for name in node.names}


def definitions() -> dict[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """The classes and functions that the package's files and its stub define, by name; the stub comes last."""
    files = [*PACKAGE.rglob("*.py"), PACKAGE / "_core.pyi"]
    nodes = [node for path in files for node in ast.parse(path.read_text("utf-8")).body]
    return {
        node.name: node for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    }


DEFINED = definitions()
CALLABLE = [name for name in jc.__all__ if callable(getattr(jc, name))]


def test_the_list_is_alphabetical() -> None:
    assert sorted(jc.__all__) == jc.__all__
    assert len(set(jc.__all__)) == len(jc.__all__)


def test_the_list_is_the_namespace() -> None:
    code = "import json, judgecore; print(json.dumps([name for name in dir(judgecore) if name[0] != '_']))"
    own = imported(FACADE.body)

    names = in_fresh_process(code)

    assert set(jc.__all__) == {*names, "__version__"} - own.keys()


def test_type_checkers_and_the_interpreter_find_the_same_names() -> None:
    [block] = [node for node in FACADE.body if isinstance(node, ast.If)]
    [homes] = [node.value for node in FACADE.body if isinstance(node, ast.Assign) and "_HOME" in ast.unparse(node)]

    home = ast.literal_eval(homes)

    assert home == imported(block.body)
    assert sorted(jc.__all__) == list(home)


def test_every_name_can_be_had() -> None:
    code = "import json, judgecore as jc; print(json.dumps([name for name in jc.__all__ if getattr(jc, name) is None]))"

    assert in_fresh_process(code) == []


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'judgecore' has no attribute 'parse_all'"):
        getattr(jc, "parse_all")  # noqa: B009 - a type checker would refuse the attribute


@pytest.mark.parametrize("name", CALLABLE)
def test_a_public_name_is_documented(name: str) -> None:
    node = DEFINED[name]

    documentation = ast.get_docstring(node)

    assert documentation
    assert len(documentation.splitlines()[0]) <= 120
    assert documentation.splitlines()[0].endswith(".")


@pytest.mark.parametrize("name", [name for name in CALLABLE if isinstance(getattr(jc, name), type)])
def test_a_public_classs_members_are_documented(name: str) -> None:
    node = DEFINED[name]
    documentation = ast.get_docstring(node) or ""

    for member in node.body:
        if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and not member.name.startswith("_"):
            is_attribute = any(ast.unparse(one) == "property" for one in member.decorator_list)
            # Attributes are listed in their class, because a stub's properties hold no text.
            listed = f"\n    {member.name}: " in documentation
            assert listed if is_attribute else ast.get_docstring(member), member.name


@pytest.mark.parametrize("heavy", ["numpy", "httpx", "pydantic", "rich", "click", "judgecore._core"])
def test_the_import_alone_loads_nothing_heavy(heavy: str) -> None:
    code = f"import judgecore, json, sys; print(json.dumps({heavy!r} in sys.modules))"

    assert in_fresh_process(code) is False


@pytest.mark.parametrize("heavy", ["numpy", "httpx", "pydantic"])
def test_reading_a_reply_loads_no_library(heavy: str) -> None:
    code = (
        "import json, sys, judgecore as jc\n"
        "assert jc.parse('Rating: [[8]]', 'mt_bench.single').unwrap() == 8\n"
        "assert len(jc.parse_many(['Yes', None], 'harmbench')) == 2\n"
        f"print(json.dumps({heavy!r} in sys.modules))"
    )

    assert in_fresh_process(code) is False
