"""The JSON Schema of format files, and what a file is told that breaks it."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema.exceptions import best_match

import judgecore as jc
from judgecore.declaring import write_toml
from judgecore.reading import format_schema, key_lines, read_formats

FOLDER = Path(__file__).parents[1] / "rust" / "judgecore" / "formats"
FILES = {path.name: tomllib.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.toml"))}
SCHEMA = json.loads(format_schema())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
KEYS = sorted({key for table in SCHEMA["$defs"].values() for key in table["properties"]})
# What a value means is told with the format's id; what it is, with its key alone.
OF_MEANING = re.compile(r"my\.toml(, line \d+)?: (format \"|has no format)")
SCORE = 'kind = "score"\nlow = 1\nhigh = 6\n'
HEAD = 'family = "mine"\ntitle = "Mine"\nevidence = "card"\nsources = ["a paper"]\n\n[[formats]]\nid = "mine"\n'

VALUES = st.recursive(
    st.booleans() | st.integers(-(2**40), 2**40) | st.sampled_from([0.5, "", "score", "last_line", "A", "1"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=2),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all that a document holds."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in inner for place in places(part, (*path, key)))]


@st.composite
def changed_files(draw: st.DrawFn) -> dict[str, Any]:
    """A shipped file with a value or two changed, taken away or added."""
    document = copy.deepcopy(draw(st.sampled_from(list(FILES.values()))))
    # Examples are most of a file, and any of them may be any value.
    for form in document["formats"]:
        form["examples"] = form.get("examples", [])[:1]
    for _ in range(draw(st.integers(1, 2))):
        *holder, key = draw(st.sampled_from(places(document)[1:]))
        table: Any = document
        for part in holder:
            table = table[part]
        act = draw(st.sampled_from(["change", "remove", "add"]))
        if act == "remove" and isinstance(table, dict):
            del table[key]
        elif act == "add" and isinstance(table, dict):
            table[draw(st.sampled_from(KEYS))] = draw(VALUES)
        else:
            table[key] = draw(VALUES)
    return document


def as_toml(document: dict[str, Any]) -> str:
    return "".join(f"{write_toml(key)} = {write_toml(value)}\n" for key, value in document.items())


def test_every_shipped_file_is_valid() -> None:
    for name, document in FILES.items():
        problem = best_match(VALIDATOR.iter_errors(document))
        assert problem is None, (name, problem)


def test_the_schema_is_one_and_every_table_of_it_is_closed() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    assert all(table["additionalProperties"] is False and table["properties"] for table in SCHEMA["$defs"].values())
    assert {"kind", "markers", "n", "true"} <= SCHEMA["$defs"]["Declaration"]["properties"].keys()
    assert SCHEMA["$defs"]["Family"]["required"] == ["family", "title", "evidence", "sources"]


@given(changed_files())
def test_what_the_schema_accepts_is_loaded_or_refused_for_its_meaning(document: dict[str, Any]) -> None:
    is_valid = VALIDATOR.is_valid(document)

    try:
        read_formats("my.toml", as_toml(document))
    except jc.errors.FormatError as problem:
        is_loaded, told = bool(OF_MEANING.match(str(problem))), str(problem)
    else:
        is_loaded, told = True, "it is loaded"

    assert is_valid == is_loaded, (told, best_match(VALIDATOR.iter_errors(document)))


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('kind = "score"\nlow = "1"\nhigh = 6', 'line 9: low takes a number, not the text "1"; write low = 1\n'),
        (f"{SCORE}integr = true", "line 11: integr is no key of a format; did you mean integer?"),
        ('kind = "chioce"', 'not the text "chioce"; did you mean choice?\n  kind = "chioce"\n         ^^^^^^^^'),
        (SCORE + 'markers = "[[{}]]"', 'write markers = ["[[{}]]"]'),
        (f'{SCORE}integer = "true"', "integer takes true or false, not the text"),
        ('kind = "scores"\ncount = -1', "count takes a whole number from 0 to 9223372036854775807, not the number -1"),
        ('kind = "scores"\ncount = 1.5', "not the number 1.5"),
        ('kind = "score"\nversion = 4294967296', "from 0 to 4294967295, not"),
        ("about = 3", 'line 8: about takes a text in quotation marks, not the number 3; write about = "3"'),
        ("about = 'x'", "line 6: a format has no kind; give it, one of binary, choice"),
        ('kind = "choice"\nlabels = ["A", "B"]', "line 9: labels takes a table, not a list"),
        ('kind = "choice"\nlabels.A = "A"', "line 9: labels.A takes a list of texts in square brackets"),
        ('kind = "choice"\nlabels.A = [1]',
         'an item of labels.A takes a text in quotation marks, not the number 1; write "1"'),
        ('kind = "score"\nlow = 6\nhigh = 1', 'line 9: format "mine": low, high: 6 to 1 is not a scale'),
        ('kind = "fields"\nfields.Style = { kind = "score", low = 5, high = 1 }',
         'line 9: format "mine": fields.Style.low, high: 5'),
        ('kind = "fields"\nfields.A = { kind = "score", like = "mine", low = 1, high = 5 }',
         "fields.A.like: only a format of the file"),
        (SCORE + 'markers = ["{} of {}"]', 'line 11: format "mine": markers: '),
        (SCORE + 'markers = ["Grade {} of {}"]', "has {} twice; a marker has one verdict"),
        ('kind = "score"\nlow = 1_0\nhigh = 0x10\nexamples = [{ reply = "x", lenient = 1 }]',
         "an example has no strict; give it"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_line_key_what_is_given_and_what_is_wanted(lines: str, told: str) -> None:
    with pytest.raises(jc.errors.FormatError) as caught:
        read_formats("my.toml", f"{HEAD}{lines}\n")

    assert str(caught.value).startswith("my.toml, line ")
    assert told in str(caught.value)


def test_all_mistakes_of_a_file_are_told_in_the_order_of_its_lines() -> None:
    with pytest.raises(jc.errors.FormatError) as caught:
        read_formats("my.toml", f'{HEAD}kind = "score"\nhigh = "6"\nlwo = 1\n')

    assert re.findall(r"my\.toml, line \d+: \w+", str(caught.value)) == [
        "my.toml, line 9: high",
        "my.toml, line 10: lwo",
    ]


def test_a_format_like_another_may_leave_out_what_that_has_and_its_mistakes_have_lines() -> None:
    like = f'{HEAD}kind = "score"\nlow = 1\nhigh = 6\n\n[[formats]]\nid = "mine.b"\nlike = "mine"\n'

    first, second = read_formats("my.toml", f"{like}high = 9\n")

    assert (first.scale, second.scale) == ((1, 6), (1, 9))
    for wrong, told in (
        ("high = []", "line 15: high takes a number, not a list"),
        ("high = 0", "line 15: format"),
        ("low = []\n[[formats]]\nid = 'mine.c'\nlike = 'mine.d'", "line 15: low takes"),
    ):
        with pytest.raises(jc.errors.FormatError, match=told):
            read_formats("my.toml", f"{like}{wrong}\n")


def test_a_long_line_is_shown_around_its_mistake() -> None:
    labels = ", ".join(f'A{n} = ["A{n}"]' for n in range(20))

    with pytest.raises(jc.errors.FormatError) as caught:
        read_formats("my.toml", f'{HEAD}kind = "choice"\nlabels = {{ {labels}, last = 3 }}\n')

    *_, line, carets = str(caught.value).splitlines()
    assert "last = 3 }" in line
    assert line[carets.index("^")] == "3"
    assert max(len(line), len(carets)) <= 80


@given(st.text(max_size=60), st.sampled_from(["{}", HEAD + "{}", HEAD + 'kind = "{}"', HEAD + "kind = 1 # {}"]))
def test_every_text_is_refused_by_name(text: str, around: str) -> None:
    with pytest.raises(jc.errors.FormatError, match=r"my\.toml"):
        read_formats("my.toml", around.replace("{}", text))


def test_lines_are_those_of_every_key_and_item() -> None:
    text = 'a = 1\n[[b]]\nc = { d = [\n  "x",\n  "y"] }\n[[b]]\n"e.f" = 2\n'

    lines = key_lines(text)

    assert {"a": 1, "b.0.c": 3, "b.0.c.d": 3, "b.0.c.d.1": 5, "b.1.e.f": 7}.items() <= lines.items()
    with pytest.raises(jc.errors.FormatError, match="line 1"):
        key_lines("a =")
