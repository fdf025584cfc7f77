"""Identity: PyRIT's hashes to the letter, and never one name for two judges."""

from __future__ import annotations

import copy
import json
import math
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import judgecore as jc

if TYPE_CHECKING:
    from pathlib import Path

RESERVED = [
    "class_name",
    "class_module",
    "hash",
    "pyrit_version",
    "eval_hash",
    "children",
    "params",
    "attributes",
    "__type__",
    "__module__",
    "unnamed_code",
]
NAMES = st.text(min_size=1, max_size=8).filter(lambda name: name not in RESERVED)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
PARAMS = st.dictionaries(NAMES, VALUES, max_size=5)


def component(class_name: str = "Scorer", **parts: Any) -> jc.ComponentIdentifier:
    return jc.ComponentIdentifier(class_name=class_name, class_module="my.scorers", **parts)


def eval_hash(identifier: jc.ComponentIdentifier) -> str:
    return jc.ScorerEvaluationIdentifier(identifier).eval_hash


def judged_by(**params: Any) -> jc.ComponentIdentifier:
    return component(children={"prompt_target": component("Target", params=params)})


def reference(shared: Path, key: str) -> Any:
    return json.loads((shared / "reference" / "pyrit_1_1_0.json").read_text("utf-8"))[key]


def published(shared: Path) -> list[dict[str, Any]]:
    files = sorted((shared / "pyrit").rglob("*_metrics.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").split("\n") if line.strip()]


def without(names: set[str], flat: Any) -> Any:
    """A flat form without some entries at any depth."""
    if isinstance(flat, dict):
        return {name: without(names, value) for name, value in flat.items() if name not in names}
    return [without(names, one) for one in flat] if isinstance(flat, list) else flat


def test_measured_identifiers_hold(shared: Path) -> None:
    cases = reference(shared, "identifiers")

    assert len(cases) == 19
    for case in cases:
        identifier = jc.ComponentIdentifier.from_registry(case["input"])
        assert case["hash"] == identifier.hash, case["name"]
        assert case["eval_hash"] == eval_hash(identifier), case["name"]
        assert without({"pyrit_version"}, case["flat"]) == identifier.to_registry(), case["name"]


def test_a_measured_flat_form_is_read_and_written_back(shared: Path) -> None:
    for case in reference(shared, "identifiers"):
        identifier = jc.ComponentIdentifier.from_registry(case["flat"])

        assert case["flat"] == identifier.to_registry(), case["name"]
        assert case["eval_hash"] == eval_hash(identifier), case["name"]


def test_measured_validation_holds(shared: Path) -> None:
    for case in reference(shared, "identifier_validation"):
        if "ok" in case["out"]:
            entry = jc.ComponentIdentifier.from_registry(case["in"]).to_registry()
            assert without({"pyrit_version"}, case["out"]["ok"]) == entry
        else:
            with pytest.raises(ValueError, match="params"):
                jc.ComponentIdentifier.from_registry(case["in"])


def test_measured_rules_are_those_of_the_eval_hash(shared: Path) -> None:
    rules = reference(shared, "eval_rules")["child_rules"]

    for name, rule in rules.items():
        params = {"temperature": 0.5, "top_p": 0.9, "underlying_model_name": "m", "endpoint": "e", "max_tokens": 7}
        kept = {key: value for key, value in params.items() if key in rule["included_params"]}
        given_all, given_kept = (component(children={name: component("T", params=one)}) for one in (params, kept))
        wrapped = component(
            children={name: component("W", children={rule["inner_child_name"]: [component("T", params=params)]})}
        )
        assert eval_hash(given_all) == eval_hash(given_kept) == eval_hash(wrapped)
        assert all(
            eval_hash(component(children={name: component("T", params=kept | {key: "other"})})) != eval_hash(given_kept)
            for key in rule["included_params"]
        )
        for primary, fallback in rule["param_fallbacks"].items():
            stands_in = {key: value for key, value in kept.items() if key != primary} | {fallback: kept[primary]}
            assert eval_hash(component(children={name: component("T", params=stands_in)})) == eval_hash(given_kept)


def test_published_identities_recompute(shared: Path) -> None:
    rows = published(shared)

    identifiers = [jc.ComponentIdentifier.from_registry(row) for row in rows]

    assert rows
    assert [row["hash"] for row in rows] == [one.hash for one in identifiers]


def test_published_lines_are_written_back_without_what_is_not_theirs(shared: Path) -> None:
    for row in published(shared):
        assert without({"eval_hash", "metrics"}, row) == jc.ComponentIdentifier.from_registry(row).to_registry()


def test_more_than_half_of_the_published_eval_hashes_recompute(shared: Path) -> None:
    # The others were written under older rules.
    rows = published(shared)

    same = [row["eval_hash"] == eval_hash(jc.ComponentIdentifier.from_registry(row)) for row in rows]

    assert sum(same) > len(rows) / 2


@pytest.mark.parametrize("name", RESERVED)
def test_a_reserved_name_is_no_param(name: str) -> None:
    with pytest.raises(ValueError, match=f"Scorer: params must not use reserved names: {name}"):
        component(params={name: 1})


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ({"params": {"a": [1, {"b": math.nan}]}}, ValueError, r"Scorer: params: \$\.a\[1\]\.b: "),
        ({"params": {"a": {1}}}, TypeError, r"Scorer: params: \$\.a: .*set"),
        ({"params": {1: 2}}, TypeError, "keys must be str, not int"),
        ({"attributes": {"a": b""}}, TypeError, r"Scorer: attributes: \$\.a: .*bytes"),
        ({"children": {"x": "y"}}, TypeError, r"children\['x'\] must be a ComponentIdentifier .*not str"),
        ({"children": {"x": [1]}}, TypeError, r"children\['x'\] must be a ComponentIdentifier .*not int"),
        ({"children": {1: []}}, TypeError, "name of a child must be a str, not int"),
        ({"class_name": ""}, ValueError, "class_name must not be empty"),
        ({"class_name": 1}, TypeError, "class_name must be a str, not int"),
    ],
)
def test_an_invalid_identity_is_refused(parts: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        component(**parts)


@pytest.mark.parametrize(
    "entry", [{"params": 1}, {"children": [1]}, {"children": {"x": "y"}}, {"children": {"x": [None, 1]}}]
)
def test_a_line_of_the_wrong_shape_is_a_type_error(entry: Any) -> None:
    with pytest.raises(TypeError, match="must be a dictionary"):
        jc.ComponentIdentifier.from_registry({"class_name": "A", "class_module": "m", **entry})


def test_metrics_are_a_param_unless_an_eval_hash_stands_beside_them() -> None:
    entry = {"class_name": "A", "class_module": "m", "metrics": [1]}

    assert jc.ComponentIdentifier.from_registry(entry).params == {"metrics": [1]}
    assert jc.ComponentIdentifier.from_registry({**entry, "eval_hash": "0"}).params == {}


def test_an_identifier_keeps_nothing_of_what_it_was_given() -> None:
    params = {"a": [1, {"b": 2}]}
    children = {"x": [component("A")]}
    identifier = component(params=params, children=children)
    before = identifier.to_registry()

    params["a"].append(3)
    children["x"].append(component("B"))
    identifier.to_registry()["a"].append(4)

    assert identifier.to_registry() == before
    assert identifier.hash == jc.ComponentIdentifier.from_registry(before).hash


def test_an_identifier_does_not_change() -> None:
    identifier = component(params={"a": 1})

    with pytest.raises(AttributeError):
        setattr(identifier, "hash", "0")  # noqa: B010 - a type checker would refuse the assignment
    with pytest.raises(TypeError):
        identifier.params["a"] = 2  # pyright: ignore[reportIndexIssue] - the refusal is the point


@settings(max_examples=50)
@given(PARAMS, PARAMS, st.lists(PARAMS, max_size=3))
def test_an_identifier_survives_the_registry_pickle_and_copy(params: Any, attributes: Any, below: list[Any]) -> None:
    children = {"one": component("Child"), "several": [component("Child", params=one) for one in below]}
    identifier = component(params=params, attributes=attributes, children=children)

    line = json.loads(json.dumps(identifier.to_registry()))

    for again in (
        jc.ComponentIdentifier.from_registry(line),
        pickle.loads(pickle.dumps(identifier)),
        copy.copy(identifier),
        copy.deepcopy(identifier),
    ):
        assert again == identifier
        assert hash(again) == hash(identifier)
        assert again.to_registry() == identifier.to_registry()


@settings(max_examples=50)
@given(PARAMS, PARAMS)
def test_scorers_that_differ_in_a_param_never_share_an_eval_hash(one: Any, other: Any) -> None:
    said = [{name: value for name, value in params.items() if value is not None} for params in (one, other)]
    assume(jc.canonical_json(said[0]) != jc.canonical_json(said[1]))

    assert eval_hash(component(params=one)) != eval_hash(component(params=other))
    # Nor at any depth below a composite.
    pair = [component("Composite", children={"sub_scorers": [component(params=each)]}) for each in (one, other)]
    assert eval_hash(pair[0]) != eval_hash(pair[1])


@settings(max_examples=50)
@given(PARAMS, NAMES, VALUES, VALUES)
def test_a_single_param_that_changes_changes_the_eval_hash(rest: Any, name: str, one: Any, other: Any) -> None:
    assume(jc.canonical_json(one) != jc.canonical_json(other))

    assert eval_hash(component(params=rest | {name: one})) != eval_hash(component(params=rest | {name: other}))


@pytest.mark.parametrize("name", ["temperature", "top_p", "underlying_model_name", "model_name"])
def test_sampling_parameters_of_a_target_are_part_of_the_eval_hash(name: str) -> None:
    assert eval_hash(judged_by(**{name: "a"})) != eval_hash(judged_by(**{name: "b"}))


def test_the_order_of_children_is_part_of_the_eval_hash() -> None:
    one, other = component("A"), component("B")

    assert eval_hash(component(children={"x": [one, other]})) != eval_hash(component(children={"x": [other, one]}))


def test_where_a_target_is_deployed_is_no_part_of_the_eval_hash() -> None:
    one = judged_by(endpoint="https://one.example", model_name="deployment", underlying_model_name="gpt-4o")
    other = judged_by(endpoint="https://other.example", model_name="gpt-4o")

    assert one.hash != other.hash
    assert eval_hash(one) == eval_hash(other)
    assert jc.ScorerEvaluationIdentifier(one) == jc.ScorerEvaluationIdentifier(other)


def test_readers_of_different_formats_or_modes_have_different_identities() -> None:
    readers = [jc.identity.reader_identifier(form, mode=mode) for form in jc.formats() for mode in form.modes]

    assert len({reader.hash for reader in readers}) == len(readers)
    assert readers[0].params["reading_version"] == jc.reading.READING_VERSION


def test_a_reader_is_named_by_id_or_by_format() -> None:
    assert jc.identity.reader_identifier("mt_bench.single") == jc.identity.reader_identifier(
        jc.Format.get("mt_bench.single")
    )


def test_a_mode_that_the_format_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="has no paper mode; its modes are lenient, strict"):
        jc.identity.reader_identifier(jc.Format.score(1, 5), mode="paper")


def test_identities_are_shown_on_one_line() -> None:
    identifier = component(params={"prompt": "two\nlines"})

    for shown in (repr(identifier), repr(jc.ScorerEvaluationIdentifier(identifier))):
        assert "\n" not in shown
        assert identifier.hash[:8] in shown
