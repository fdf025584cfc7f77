"""One batch in, one batch out, wherever it is run."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import judgecore as jc
from judgecore.engines import ParseBatch

if TYPE_CHECKING:
    from engines.conftest import Rows

OWN = jc.Format.fields({"Clear": jc.Format.score(1, 5), "Better": jc.Format.choice({"A": ["A"], "B": ["B"]})})


@pytest.mark.parametrize("make", [pa.record_batch, pa.table])
def test_a_batch_comes_back_with_its_readings(rows: Rows, make: Any) -> None:
    read = ParseBatch("mt_bench.single", "reply")

    batch = read(make(rows.columns()))

    assert isinstance(batch, pa.Table if make is pa.table else pa.RecordBatch)
    assert rows.read() == batch.to_pylist()
    assert batch.schema == read.schema(make(rows.columns()).schema)


def test_the_columns_are_of_plain_types() -> None:
    kinds = [field.type for field in ParseBatch("mt_bench.pair", "reply").fields]

    assert kinds == [pa.string()] * 4 + [pa.int64()] * 2


def test_a_choice_inside_fields_is_plain_too() -> None:
    batch = pa.record_batch({"reply": ["Clear: 4\nBetter: A", None, "?"]})

    value = ParseBatch(OWN, "reply")(batch).column("value")

    value.validate(full=True)
    assert pa.struct({"Clear": pa.float64(), "Better": pa.string()}) == value.type
    assert value.to_pylist() == [{"Clear": 4.0, "Better": "A"}, None, None]


def test_documents_have_the_type_that_is_asked_for() -> None:
    form = jc.extract_json_many([], keys=["score"]).format
    batch = pa.record_batch({"reply": ['{"score": 8, "why": "clear"}', "none"]})

    text = ParseBatch(form, "reply")(batch).column("value")
    typed = ParseBatch(form, "reply", value=pa.struct({"score": pa.int8(), "why": pa.string()}))(batch).column("value")

    assert text.to_pylist() == ['{"score":8,"why":"clear"}', None]
    assert typed.to_pylist() == [{"score": 8, "why": "clear"}, None]


def test_a_column_says_which_replies_are_cut_off() -> None:
    batch = pa.record_batch({"reply": ["Rating: 1"] * 3, "cut": [True, False, None]})

    read = ParseBatch("lmms_eval.score", "reply", cut="cut", prefix="jc_")(batch)

    assert read.column("jc_reason").to_pylist() == ["truncated", None, None]


@pytest.mark.parametrize("form", ["mt_bench.single", OWN])
def test_it_pickles_with_its_format(form: jc.Format | str) -> None:
    read = ParseBatch(form, "reply", mode="strict", prefix="x_", value=None)
    assert len(read.fields) == 6

    again = pickle.loads(pickle.dumps(read))

    assert read == again
    batch = pa.record_batch({"reply": ["Rating: [[8]]", "Clear: 4\nBetter: A"]})
    assert read(batch).equals(again(batch))


def test_another_process_reads_the_same(rows: Rows) -> None:
    read, batch = ParseBatch(OWN, "reply"), pa.record_batch(rows.columns())
    script = (
        "import pickle, sys\n"
        "read, batch = pickle.load(sys.stdin.buffer)\n"
        "sys.stdout.buffer.write(pickle.dumps(read(batch)))"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps((read, batch)), capture_output=True, check=True
    )

    assert read(batch).equals(pickle.loads(done.stdout))


def test_invalid_arguments_are_refused_at_once() -> None:
    with pytest.raises(jc.errors.UnknownFormatError):
        ParseBatch("no.such", "reply")
    with pytest.raises(ValueError, match="declares no publisher's rule"):
        ParseBatch(OWN, "reply", mode="paper")
    with pytest.raises(ValueError, match="threads must be from 1"):
        ParseBatch(OWN, "reply", threads=0)


def test_a_batch_without_the_column_names_those_it_has() -> None:
    batch = pa.record_batch({"id": [1], "text": ["8"]})

    with pytest.raises(KeyError, match="no column 'reply'; it has 'id', 'text'"):
        ParseBatch(OWN, "reply")(batch)
    with pytest.raises(KeyError, match="no column 'cut'"):
        ParseBatch(OWN, "text", cut="cut")(batch)


def test_a_column_of_that_name_is_not_overwritten() -> None:
    batch = pa.record_batch({"reply": ["8"], "value": [1]})

    with pytest.raises(
        ValueError, match="already has 'value'; rename the added columns, for example with prefix='jc_'"
    ):
        ParseBatch("mt_bench.single", "reply")(batch)
    with pytest.raises(ValueError, match="already has 'value'"):
        ParseBatch("mt_bench.single", "reply").schema(batch.schema)
    assert ParseBatch("mt_bench.single", "reply", prefix="jc_")(batch).column("jc_value").to_pylist() == [8.0]


def test_importing_engines_imports_none_of_them() -> None:
    script = (
        "import sys, judgecore.engines\n"
        "found = {'polars', 'duckdb', 'ray', 'pyspark', 'pyarrow', 'numpy'} & set(sys.modules)\n"
        "assert not found, found"
    )

    subprocess.run([sys.executable, "-c", script], check=True)
