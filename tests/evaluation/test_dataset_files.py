"""Data sets in JSON lines, Parquet and memory are those in CSV."""

from __future__ import annotations

import gzip
import json
import math
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc
from judgecore.evaluation import HumanLabeledDataset

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RECORDS = [
    {"objective": "o", "assistant_response": "NA", "human_score_1": 1, "human_score_2": None, "slice": "a"},
    {"objective": "p", "assistant_response": "# é\n", "human_score_1": 0, "human_score_2": 1, "slice": "b"},
]
CSV = (
    "# dataset_version=1.0\nobjective,assistant_response,human_score_1,human_score_2,slice\n"
    'o,NA,1,,a\np,"# é\n",0,1,b\n'
)


def write_jsonl(folder: Path, lines: list[Any]) -> Path:
    path = folder / "data.jsonl"
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_the_same_rows_have_the_same_hash_in_every_kind_of_file(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(CSV, "utf-8")

    from_csv = HumanLabeledDataset.from_csv(tmp_path / "data.csv")
    from_jsonl = HumanLabeledDataset.from_jsonl(write_jsonl(tmp_path, [{"dataset_version": "1.0"}, *RECORDS]))
    from_records = HumanLabeledDataset.from_records(RECORDS, dataset_name="r", version="2")

    assert from_csv.entries[1].assistant_response == "# é"
    assert from_csv.entries == from_jsonl.entries
    assert from_csv.content_hash == from_jsonl.content_hash == from_records.content_hash
    assert from_jsonl.version == "1.0"


@pytest.mark.parametrize("change", ["response", "label", "missing", "metadata", "objective", "rater"])
def test_every_change_of_content_changes_the_hash(change: str) -> None:
    changed = [dict(record) for record in RECORDS]
    changed[0] |= {
        "response": {"assistant_response": "na"},
        "label": {"human_score_1": 0},
        "missing": {"human_score_2": 0},
        "metadata": {"slice": "b"},
        "objective": {"objective": "O"},
        "rater": {"human_score_3": 1},
    }[change]

    hashes = {
        HumanLabeledDataset.from_records(records, dataset_name="r", version="1").content_hash
        for records in (RECORDS, changed)
    }

    assert len(hashes) == 2


def test_a_missing_label_is_none_nan_or_absent() -> None:
    rows = [
        {"objective": "o", "assistant_response": "r", "human_score": 1.0},
        {"objective": "o", "assistant_response": "s", "human_score": math.nan},
        {"objective": "o", "assistant_response": "t", "human_score": None},
        {"objective": "o", "assistant_response": "u"},
        {"objective": "o", "assistant_response": "v", "human_score": np.int64(0)},
        {"objective": "o", "assistant_response": "w", "human_score": np.True_},
    ]

    dataset = HumanLabeledDataset.from_records(rows, dataset_name="r", version="1")

    np.testing.assert_array_equal([[1, np.nan, np.nan, np.nan, 0, 1]], dataset.ratings())


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["{"], "line 1: not JSON"),
        ([*RECORDS, "[1]"], "line 3: an array, not an object"),
        (['{"objective": "o", "objective": "p"}'], "line 1: not JSON: the key 'objective' stands there twice"),
        (['{"human_score": NaN}'], "line 1: not JSON: NaN is no JSON; write null"),
        (["[" * 100_000], "line 1: nested too deeply"),
        ([], "holds no rows"),
        ([{"objective": 7, "assistant_response": "r", "human_score": 1}], "row 1 (line 1), column 'objective'"),
        ([{"objective": "o", "assistant_response": ["r"], "human_score": 1}], "holds ['r'], which is no text"),
        ([{"objective": "o", "assistant_response": "r", "human_score": [1]}], "[1] is no label"),
    ],
)
def test_a_broken_line_is_an_error_that_names_it(tmp_path: Path, lines: list[Any], said: str) -> None:
    with pytest.raises(jc.errors.DatasetError) as caught:
        HumanLabeledDataset.from_jsonl(write_jsonl(tmp_path, lines), version="1")

    assert said in str(caught.value)


def test_a_true_label_is_no_harm_score(tmp_path: Path) -> None:
    rows = [{"harm_category": "h", "assistant_response": "r", "human_score": True}]

    with pytest.raises(jc.errors.DatasetError, match="True is no number"):
        HumanLabeledDataset.from_jsonl(write_jsonl(tmp_path, rows), version="1")


@pytest.mark.parametrize("name", ["data.csv.gz", "data.jsonl.gz", "data.json", "data.arrow", "data.txt"])
def test_any_table_gives_the_same_data_set(tmp_path: Path, name: str) -> None:
    lines = "".join(json.dumps(one) + "\n" for one in [{"dataset_version": "1.0"}, *RECORDS]).encode()
    arrow = pa.BufferOutputStream()
    table = pa.Table.from_pylist(RECORDS).replace_schema_metadata({"dataset_version": "1.0"})
    with pa.ipc.new_stream(arrow, table.schema) as writer:
        writer.write_table(table)
    (tmp_path / name).write_bytes(
        {
            "data.csv.gz": gzip.compress(CSV.encode()),
            "data.jsonl.gz": gzip.compress(lines),
            "data.json": json.dumps([{"dataset_version": "1.0"}, *RECORDS]).encode(),
            "data.arrow": arrow.getvalue().to_pybytes(),
            "data.txt": CSV.replace(",", "|").encode("utf-16"),
        }[name]
    )

    dataset = HumanLabeledDataset.from_table(tmp_path / name, kind="csv" if name == "data.txt" else None)

    other = HumanLabeledDataset.from_records(RECORDS, dataset_name="r", version="1")
    assert (dataset.version, dataset.name, dataset.content_hash) == ("1.0", name, other.content_hash)


def test_an_item_of_an_array_is_named_by_its_number(tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text(json.dumps([*RECORDS, 7, {**RECORDS[0], "human_score_1": 9}]))

    with pytest.raises(jc.errors.DatasetError) as caught:
        HumanLabeledDataset.from_table(tmp_path / "data.json", version="1")

    assert str(caught.value) == "data.json: item 3: a number, not an object"


def test_a_file_of_no_known_kind_or_none_at_all_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data.xlsx").write_text(CSV)

    with pytest.raises(jc.errors.DatasetError, match=r"data\.xlsx: unknown table extension .* \(in Python: kind=\)"):
        HumanLabeledDataset.from_table(tmp_path / "data.xlsx")
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        HumanLabeledDataset.from_csv(tmp_path / "none.csv")
    with pytest.raises(FileNotFoundError, match=r"none\.parquet"):
        HumanLabeledDataset.from_table(tmp_path / "none.parquet")


def test_a_damaged_gzip_is_an_error_of_the_data_set(tmp_path: Path) -> None:
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(CSV.encode() * 50)[:-30])

    with pytest.raises(jc.errors.DatasetError, match=r"data\.csv\.gz: can't be read"):
        HumanLabeledDataset.from_table(tmp_path / "data.csv.gz")


CELL = st.sampled_from(
    [None, True, False, 0, 1, 2, -1, 0.5, math.nan, math.inf, 10**400, "", " ", "1", "0,5", "yes", "r", [1], {"a": 1}]
)
KEY = st.sampled_from(
    ["assistant_response", "objective", "harm_category", "human_score", "human_score_2", "human_score_x", "slice", ""]
)


def outcome_of(load: Callable[[], HumanLabeledDataset]) -> HumanLabeledDataset | tuple[Any, ...]:
    """The data set, or the problems that keep it from loading."""
    try:
        return load()
    except jc.errors.DatasetError as error:
        return error.problems


@given(rows=st.lists(st.dictionaries(KEY, CELL), max_size=4), kind=st.sampled_from(["objective", "harm", None]))
def test_any_records_load_or_are_refused(rows: list[dict[str, Any]], kind: Any) -> None:
    outcome = outcome_of(
        lambda: HumanLabeledDataset.from_records(rows, dataset_name="r", version="1", metrics_type=kind)
    )

    assert outcome
    if isinstance(outcome, HumanLabeledDataset):
        ratings = outcome.ratings()
        labels = ratings[~np.isnan(ratings)]
        assert ((labels >= 0) & (labels <= 1)).all()
        assert len(outcome.content_hash) == 64


@given(data=st.binary(max_size=200))
def test_any_bytes_load_or_are_refused_with_their_problems(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "data.csv"
    path.write_bytes(b"assistant_response,objective,human_score\n" + data)

    assert outcome_of(lambda: HumanLabeledDataset.from_csv(path, version="1"))


def test_parquet_without_pyarrow_says_how_to_get_it(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from judgecore.evaluation import HumanLabeledDataset\n"
        f"HumanLabeledDataset.from_parquet({str(tmp_path / 'data.parquet')!r})\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "ImportError: data.parquet: a table of Parquet needs pyarrow: pip install 'judgecore[arrow]'" in done.stderr


def test_parquet_holds_the_same_rows_and_its_facts(tmp_path: Path) -> None:
    table = pa.Table.from_pylist(RECORDS).replace_schema_metadata({"dataset_version": "3"})
    pq.write_table(table, tmp_path / "data.parquet")

    dataset = HumanLabeledDataset.from_parquet(tmp_path / "data.parquet")

    other = HumanLabeledDataset.from_records(RECORDS, dataset_name="r", version="1")
    assert (dataset.version, dataset.content_hash) == ("3", other.content_hash)
    (tmp_path / "x.parquet").write_bytes(b"no")
    with pytest.raises(jc.errors.DatasetError, match=r"x\.parquet: can't be read: Parquet"):
        HumanLabeledDataset.from_parquet(tmp_path / "x.parquet")
