"""The public surface: small, listed once, documented, and cheap to import."""

from __future__ import annotations

import ast
import json
import pickle
import pkgutil
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from references import stubs

import judgecore as jc

PACKAGE = Path(jc.__file__).parent
DOCUMENTS = PACKAGE.parents[1] / "docs"
NAMES_AT_MOST = 45
REQUIRED = {
    "CallableTarget",
    "ComponentIdentifier",
    "Format",
    "GuardVerdict",
    "HumanLabeledDataset",
    "JudgePromptBuilder",
    "JudgeRequest",
    "JudgecoreError",
    "Ledger",
    "OpenAITarget",
    "Reading",
    "Readings",
    "ResponseParser",
    "Score",
    "Scorer",
    "ScorerEvaluationIdentifier",
    "TrueFalseEvalFiles",
    "Unreadable",
    "canonical_json",
    "content_hash",
    "detect",
    "extract_json",
    "formats",
    "parse",
    "parse_many",
    "score_logprobs",
    "send_many",
}
# The stations that need an extra, or whose parts do, are imported by name.
BY_NAME_ONLY = {"integrations", "testing"}
STATIONS = sorted(set(dir(jc)) - set(jc.__all__))
LAZY = [station for station in STATIONS if (PACKAGE / station).is_dir()]
PUBLIC = [(station, name) for station in STATIONS for name in import_module(f"judgecore.{station}").__all__]


def in_fresh_process(code: str) -> Any:
    """What code prints as JSON in a process that has imported nothing."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


@cache
def syntax(path: Path) -> ast.Module:
    """A parsed file."""
    return ast.parse(path.read_text("utf-8"))


def definition(value: Any) -> ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Where a class or a function is defined; of the extension's own, in its stub. None for other values."""
    module, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if not callable(value) or module is None or name is None:
        return None
    source = "_core.pyi" if module in {"judgecore", "judgecore._core"} else f"{module[len('judgecore.') :]}.py"
    path = PACKAGE / source.replace(".", "/", source.count(".") - 1)
    found = [
        node
        for node in syntax(path).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    ]
    # One of several overloads has the words.
    return next((node for node in found if ast.get_docstring(node)), found[-1])


VALUES = {name: getattr(import_module(f"judgecore.{station}"), name) for station, name in PUBLIC}


@cache
def defined() -> dict[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Where each public class and function is defined."""
    return {name: node for name, value in sorted(VALUES.items()) if (node := definition(value))}


def classes() -> dict[str, ast.ClassDef]:
    """Where each public class is defined."""
    return {name: node for name, node in defined().items() if isinstance(node, ast.ClassDef)}


def rows_of(heading: str) -> list[tuple[str, str]]:
    """The rows of a section of ``docs/from-0.1.md``: the old path and the new one."""
    section = (DOCUMENTS / "from-0.1.md").read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `judgecore\.([\w.]+)` \| `judgecore\.([\w.]+)` \|$", section, re.MULTILINE)


def test_the_top_level_has_what_everyone_needs_and_little_more() -> None:
    names = set(jc.__all__) - {"__version__"}

    assert set() == REQUIRED - names
    assert len(names) <= NAMES_AT_MOST


@pytest.mark.parametrize("module", ["judgecore", *(f"judgecore.{station}" for station in STATIONS)])
def test_a_list_has_each_name_once(module: str) -> None:
    names = import_module(module).__all__

    assert len(names) == len(set(names))


def test_completion_shows_the_list_and_the_stations_before_anything_is_loaded() -> None:
    shown = in_fresh_process("import json, judgecore; print(json.dumps(dir(judgecore)))")

    assert shown == sorted([*jc.__all__, *STATIONS])
    assert {"scorers", "targets", "prompts", "evaluation", "stats", "identity", "compat", "errors"} <= set(shown)


@pytest.mark.parametrize("source", stubs.sources(), ids=lambda source: source.parent.name)
def test_a_list_is_in_the_order_of_the_linter(source: Path) -> None:
    for names in stubs.homes(source).values():
        assert sorted(names, key=lambda name: (stubs.rank(name), name)) == names


def test_the_stubs_are_those_that_make_pages_writes() -> None:
    written = stubs.stubs()

    assert set(written) == {PACKAGE / "_core.pyi", PACKAGE / "prompts" / "paths.pyi", *PACKAGE.rglob("__init__.pyi")}
    assert len(written) == 3 + len(LAZY)
    for path, text in written.items():
        assert path.read_text("utf-8") == text, f"{path.relative_to(PACKAGE)} is stale; run make pages"


def test_the_reference_has_a_page_for_every_station() -> None:
    tree = syntax(DOCUMENTS / "reference.py")
    [stations] = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "STATIONS"
    ]

    assert {*STATIONS, *BY_NAME_ONLY} == set(stations)


@pytest.mark.parametrize("name", jc.__all__)
def test_a_name_of_the_top_level_is_public_in_its_station(name: str) -> None:
    homes = [station for station, public in PUBLIC if public == name]

    assert homes or name == "__version__"
    assert all(getattr(import_module(f"judgecore.{home}"), name) is getattr(jc, name) for home in homes)


@pytest.mark.parametrize("station", STATIONS)
def test_a_station_is_there_without_an_import_of_its_own(station: str) -> None:
    code = (
        f"import json, judgecore\nmodule = judgecore.{station}\n"
        "print(json.dumps([module.__name__, all(getattr(module, name) is not None for name in module.__all__)]))"
    )

    assert in_fresh_process(code) == [f"judgecore.{station}", True]


@pytest.mark.parametrize("station", LAZY)
def test_no_public_name_hides_a_module(station: str) -> None:
    package = import_module(f"judgecore.{station}")

    assert set() == {module.name for module in pkgutil.iter_modules(package.__path__)} & set(package.__all__)


def test_a_star_takes_the_list() -> None:
    code = "import json\nfrom judgecore import *\nprint(json.dumps(sorted({*globals()} - {'json'})))"

    taken = in_fresh_process(code)

    assert set() == set(jc.__all__) - set(taken)
    assert set() == set(STATIONS) & set(taken)


def test_what_tools_ask_of_any_module_loads_nothing() -> None:
    code = (
        "import json, sys, judgecore\n"
        "assert not any(hasattr(judgecore, name) for name in ('__wrapped__', '__signature__', '_ipython_display_'))\n"
        "print(json.dumps([name for name in sys.modules if name.startswith('judgecore.')]))"
    )

    assert in_fresh_process(code) == ["judgecore.lazy"]


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"^module 'judgecore' has no attribute 'parse_all'$"):
        getattr(jc, "parse_all")  # noqa: B009 - a type checker would refuse the attribute


def test_a_name_of_0_1_is_where_the_page_says_or_says_so_itself() -> None:
    for old, new in rows_of("Top-level names"):
        module, _, name = new.rpartition(".")
        assert hasattr(import_module(f"judgecore.{module}".rstrip(".")), name), old
        if old == new:
            assert old in jc.__all__
            continue
        with pytest.raises(AttributeError, match=rf"it is judgecore\.{re.escape(new)}$"):
            getattr(jc, old)
        with pytest.raises(ImportError, match=old):
            exec(f"from judgecore import {old}")  # noqa: S102 - as users write it


def test_the_page_of_0_1_has_every_name_of_the_top_level() -> None:
    old = [name for name, _ in rows_of("Top-level names")]

    assert len(old) == len(set(old)) == 152


@pytest.mark.parametrize(("old", "new"), rows_of("Names in stations"))
def test_a_name_of_a_station_of_0_1_is_where_the_page_says(old: str, new: str) -> None:
    station, name = new.split(".")

    assert old.split(".")[1] not in import_module(f"judgecore.{station}").__all__
    assert name in import_module(f"judgecore.{station}").__all__


def test_every_public_name_is_documented() -> None:
    first = {name: (ast.get_docstring(node) or "").partition("\n")[0] for name, node in defined().items()}

    assert [name for name, line in first.items() if not line.endswith(".") or len(line) > 120] == []


def undocumented(node: ast.ClassDef) -> list[str]:
    """The members of a class that are described nowhere."""
    members = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    # A property is described by itself or in its class, because a stub has no place for its text.
    listed = set(re.findall(r"^    (\w+): ", ast.get_docstring(node) or "", re.MULTILINE))
    written = {one.name for one in members if ast.get_docstring(one)}
    attributes = {one.name for one in members if any(ast.unparse(mark) == "property" for mark in one.decorator_list)}
    public = [one.name for one in members if not one.name.startswith("_")]
    return [name for name in public if name not in (listed | written if name in attributes else written)]


def test_every_public_classs_members_are_documented() -> None:
    assert {name: missing for name, node in classes().items() if (missing := undocumented(node))} == {}


def test_a_class_that_says_it_is_of_the_top_level_is_found_there_by_pickle() -> None:
    of_top = [VALUES[name] for name in classes() if getattr(VALUES[name], "__module__", "") == "judgecore"]

    assert of_top
    assert all(pickle.loads(pickle.dumps(one)) is one for one in of_top)


@pytest.mark.parametrize("heavy", ["numpy", "httpx", "pydantic", "rich", "click", "judgecore._core"])
def test_the_import_alone_loads_nothing_heavy(heavy: str) -> None:
    code = f"import judgecore, json, sys; print(json.dumps({heavy!r} in sys.modules))"

    assert in_fresh_process(code) is False


@pytest.mark.parametrize("station", LAZY)
def test_a_station_alone_loads_no_module_of_its_own(station: str) -> None:
    code = (
        f"import judgecore.{station}, json, sys\n"
        f"print(json.dumps([name for name in sys.modules if name.startswith('judgecore.{station}.')]))"
    )

    assert in_fresh_process(code) == []


@pytest.mark.parametrize("heavy", ["numpy", "httpx", "pydantic"])
def test_reading_a_reply_loads_no_library(heavy: str) -> None:
    code = (
        "import json, sys, judgecore as jc\n"
        "assert jc.parse('Rating: [[8]]', 'mt_bench.single').unwrap() == 8\n"
        "assert len(jc.parse_many(['Yes', None], 'harmbench')) == 2\n"
        f"print(json.dumps({heavy!r} in sys.modules))"
    )

    assert in_fresh_process(code) is False
