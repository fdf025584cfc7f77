"""Readings as others have them: plain rows, tables of pyarrow, and a table in a notebook."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc

COLUMNS = ["status", "reason", "value", "rule", "start", "end"]
HOSTILE = '<script>alert("x")</script><img src=x onerror=alert(1)> Rating: [[8]]'


class Page(HTMLParser):
    """The tags, attributes and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.cells: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag in {"td", "th"}:
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self.cells:
            self.cells[-1] += data


def page_of(readings: Any) -> Page:
    return Page(readings._repr_html_())


def test_dictionaries_hold_the_columns_as_plain_values() -> None:
    readings = jc.parse_many(["Rating: [[8]]", None, "é Rating: [[2.5]]"], "mt_bench.single")

    assert readings.to_dicts() == [
        {"status": "ok", "reason": None, "value": 8.0, "rule": "marker", "start": 0, "end": 13},
        {"status": "unreadable", "reason": "missing", "value": None, "rule": None, "start": None, "end": None},
        {"status": "ok", "reason": None, "value": 2.5, "rule": "marker", "start": 2, "end": 17},
    ]
    assert [list(row) for row in readings.to_dicts()] == [COLUMNS] * 3


def test_dictionaries_of_every_format_are_those_of_arrow_and_can_be_written_as_json() -> None:
    others = [*(form.examples[0]["reply"] for form in jc.formats()), None]
    for form in jc.formats():
        replies = [*(example["reply"] for example in form.examples), *others]
        rows = jc.parse_many(replies, form).to_dicts()
        table = jc.parse_many(replies, form).to_arrow()

        json.dumps(rows)
        for row in rows:
            if form.kind == "guard" and row["value"] is not None:
                row["value"]["fields"] = json.dumps(row["value"]["fields"], ensure_ascii=False, separators=(",", ":"))
        assert table.to_pylist() == rows


def test_dictionaries_of_documents_hold_the_documents() -> None:
    readings = jc.extract_json_many(['Here: {"a": [1, {"b": null}]}', "nothing"])

    assert [row["value"] for row in readings.to_dicts()] == [{"a": [1, {"b": None}]}, None]


def test_arrow_shares_the_memory_of_numbers() -> None:
    readings = jc.parse_many(["Rating: [[8]]"] * 1000, "mt_bench.single")

    one, other = readings.to_arrow(), pa.table(readings)

    assert isinstance(one, pa.Table)
    assert one.equals(other)
    assert one["value"].chunk(0).buffers()[1].address == other["value"].chunk(0).buffers()[1].address


@pytest.mark.parametrize(
    ("missing", "method", "says"),
    [
        ("pyarrow", "to_arrow", "Readings.to_arrow needs pyarrow: pip install 'judgecore[arrow]'"),
        ("pandas", "to_pandas", "Readings.to_pandas needs pandas: pip install 'judgecore[pandas]'"),
        ("polars", "to_polars", "Readings.to_polars needs polars: pip install 'judgecore[polars]'"),
    ],
)
def test_a_library_that_is_missing_is_an_error_that_says_what_to_install(missing: str, method: str, says: str) -> None:
    code = (
        "import sys, judgecore as jc\n"
        f"sys.modules[{missing!r}] = None\n"
        "readings = jc.parse_many(['Yes', None], 'harmbench')\n"
        "assert readings.to_dicts()[0]['value'] is True\n"
        f"try:\n    readings.{method}()\n"
        "except ImportError as problem:\n    print(problem)\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == f"{says}\n"


def test_a_notebook_shows_counts_the_first_rows_and_one_of_each_reason() -> None:
    replies = ["Rating: [[8]]"] * 20 + [None, "", None, "Rating: [[77]]", ""]

    page = page_of(jc.parse_many(replies, "mt_bench.single"))

    assert page.texts[0] == "25 readings, mt_bench.single, lenient: 20 ok, 2 missing, 2 empty, 1 out_of_range"
    assert page.cells[:4] == ["row", "value", "rule", "evidence"]
    rows = [page.cells[at : at + 4] for at in range(4, len(page.cells), 4)]
    assert [row[0] for row in rows] == ["0", "1", "2", "3", "4", "20", "21", "23"]
    assert rows[0] == ["0", "8.0", "marker", "Rating: [[8]]"]
    assert rows[5] == ["20", "missing", "", "there is no reply"]


def test_what_a_judge_wrote_is_no_markup_in_a_notebook() -> None:
    hostile = jc.Format.choice({"<b>A</b>": ["<b>A</b>"], "B": ["B"]})
    for readings in (
        jc.parse_many([HOSTILE, f"[[{HOSTILE}]]"], "mt_bench.single", mode="lenient"),
        jc.extract_json_many([json.dumps({HOSTILE: HOSTILE})]),
        jc.parse_many(["<b>A</b>", '<script>"'], hostile),
        jc.parse_many(["unsafe\n<script>alert(1)</script>"], "llama_guard.3"),
    ):
        page = page_of(readings)

        assert page.tags <= {"div", "table", "thead", "tbody", "tr", "th", "td", "bdi", "code", "em"}
        assert page.attributes <= {"style"}
    assert "<script>" not in jc.extract_json_many([json.dumps({"a": HOSTILE})])._repr_html_()


@given(st.lists(st.none() | st.text(), max_size=8), st.sampled_from([None, *jc.formats()]))
def test_any_reply_is_inert_and_one_page_in_a_notebook(replies: list[str | None], form: jc.Format | None) -> None:
    readings: Any = jc.extract_json_many(replies) if form is None else jc.parse_many(replies, form)

    page = readings._repr_html_()

    assert Page(page).tags <= {"div", "table", "thead", "tbody", "tr", "th", "td", "bdi", "code", "em"}
    page.encode("utf-8")
    assert "\x00" not in page
    assert "http" not in page.replace("".join(one or "" for one in replies), "")


def test_a_notebook_shows_what_is_long_or_deep_in_short() -> None:
    words, deep = "word " * 10_000, "[" * 5_000 + "]" * 5_000
    for readings in (
        jc.extract_json_many([json.dumps({f"{nth} {words}": words for nth in range(50)}), deep], max_depth=9_000),
        jc.parse_many([f"{words} Rating: [[8]] {words}", words], "mt_bench.single"),
    ):
        page: Any = readings

        assert len(page._repr_html_()) < 10_000


def test_a_notebook_shows_readings_without_rows_or_replies() -> None:
    none = page_of(jc.parse_many([], "harmbench"))
    loaded = page_of(pickle.loads(pickle.dumps(jc.parse_many(["Yes", "?"], "harmbench"))))

    assert none.texts == ["0 readings, harmbench, lenient: 0 ok"]
    assert loaded.cells[4:] == ["0", "True", "whole", "", "1", "no_verdict", "", ""]


def test_the_page_of_a_notebook_sets_no_colour_and_loads_nothing() -> None:
    readings: Any = jc.parse_many(["Yes", "?"], "harmbench")

    page = readings._repr_html_()

    assert [one for one in ("http", "url(", "src", "href", "background", "rgb", "#") if one in page] == []
    assert page.count("color") == page.count("border-color:currentColor")
