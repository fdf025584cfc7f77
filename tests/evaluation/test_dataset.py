"""Human-labelled data sets: what loads, what does not, and what a message names."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc
from judgecore.evaluation import (
    DatasetProblem,
    HarmDefinition,
    HarmHumanLabeledEntry,
    HumanLabeledDataset,
    MetricsType,
)
from judgecore.evaluation.dataset_entry import refuse

COMMENT = "# dataset_version=1.0\n"
HEADER = "objective,assistant_response,human_score\n"
HARM = "# dataset_version=1.0, harm_definition=violence.yaml, harm_definition_version=1.0\n"

# Where the reference is wrong, or refuses what can be read: our outcome, as entries or as part of a message.
DIFFERENT: dict[str, list[Any] | str] = {
    "hash_unquoted": [["C# code is nice", [True], "o"]],
    "hash_unquoted_last": [["use C# here", [True], "o"]],
    "row_starting_hash": [["r", [True], "# heading"], ["r", [False], "o"]],
    "NA_response": [["NA", [True], "o"]],
    "None_response": [["None", [True], "o"]],
    "float_label": "row 1 (line 3), column 'human_score': '0.7' is no label; an objective label is 0 or 1",
    "label_2": "row 1 (line 3), column 'human_score': '2' is no label; an objective label is 0 or 1",
    "missing_label": [["r", [True, None], "o"]],
    "prefix_col": [["r", [True], "o"]],
    "dup_cols": "column 'human_score': 2 columns have this name",
    "empty": "holds no rows",
    "bom": [["r", [True], "o"]],
}
# What is wrong in both, in our words.
REFUSED = {
    "no_version": "no version; begin the file with the line # dataset_version=1.0, or in Python pass version=",
    "label_yes": "row 1 (line 3), column 'human_score': 'yes' is no label",
    "no_label_col": "no column holds labels; raters are human_score",
    "missing_obj": "column 'objective': the column is missing",
    "no_equals": "no version",
    "harm_raw_likert": "row 1 (line 3), column 'human_score_1': 3 lies outside 0 to 1",
}
INVALID = {
    "harm_no_def": "names no harm definition",
    "harm_missing_yaml": "the harm definition nope.yaml is missing",
    "harm_two_categories": "holds several harm categories (violence, hate)",
}


def write(folder: Path, content: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def load(folder: Path, content: str | bytes, **options: Any) -> HumanLabeledDataset:
    return HumanLabeledDataset.from_csv(write(folder, content), **options)


def problems_of(folder: Path, content: str | bytes, **options: Any) -> str:
    with pytest.raises(jc.errors.DatasetError) as caught:
        load(folder, content, **options)
    return str(caught.value)


def entries_of(dataset: HumanLabeledDataset) -> list[Any]:
    return [
        [
            one.assistant_response,
            list(one.human_scores),
            one.harm_category if isinstance(one, HarmHumanLabeledEntry) else one.objective,
        ]
        for one in dataset.entries
    ]


def write_definition(folder: Path, version: str = "1.0", name: str = "violence.yaml") -> Path:
    text = f'category: violence\nversion: "{version}"\nscale_descriptions:\n- score_value: "1"\n  description: none\n'
    return write(folder, text, name)


def reference_cases(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "reference" / "pyrit_1_1_0.json").read_text("utf-8"))["csv_loader"]


def test_the_cases_of_the_reference_load_the_same_or_differ_as_listed(shared: Path, tmp_path: Path) -> None:
    seen: set[str] = set()

    for name, case in reference_cases(shared).items():
        options = {"version": "9"} if name == "version_arg" else {}
        wanted = DIFFERENT.get(name, case["out"].get("entries"))
        if name == "harm_bad_defver":
            write_definition(tmp_path)
            assert "version 2.0 of violence.yaml" in problems_of(tmp_path, case["csv"])
        elif name in REFUSED or isinstance(wanted, str):
            assert str(REFUSED.get(name, wanted)) in problems_of(tmp_path, case["csv"], **options)
            assert name in DIFFERENT or "error" in case["out"]
        else:
            dataset = load(tmp_path, case["csv"], metrics_type=case["type"], **options)
            assert wanted == entries_of(dataset), name
            if name not in DIFFERENT:
                out = case["out"]
                got = (dataset.version, dataset.harm_definition, dataset.harm_definition_version)
                assert (out["version"], out["hd"], out["hdv"]) == got
            if name in INVALID:
                assert "validate_error" in case["out"]
                assert INVALID[name] in "\n".join(map(str, dataset.problems()))
        seen.add(name)

    assert len(seen) == 30
    assert DIFFERENT.keys() | REFUSED.keys() | INVALID.keys() <= seen


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"], ids=["UTF-8", "with a mark", "Unicode text", "Windows"]
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_what_a_spreadsheet_saves_is_read(tmp_path: Path, encoding: str, delimiter: str, end: str) -> None:
    lines = [
        "# dataset_version=1.0" + delimiter * 2,
        delimiter.join(["objective", "assistant_response", "human_score"]),
        delimiter.join(["Où?", '"À Orléans' + end + "# là, là; là\tlà – «ici»" + '"', "1"]),
        delimiter * 2,
    ]

    dataset = load(tmp_path, end.join([*lines, ""]).encode(encoding))

    assert [[f"À Orléans{end}# là, là; là\tlà – «ici»", [True], "Où?"]] == entries_of(dataset)
    assert dataset.version == "1.0"


def test_a_quoted_comment_and_several_comments_are_read(tmp_path: Path) -> None:
    first = '"# dataset_version=1.2, harm_definition=violence.yaml, harm_definition_version=1.0",,\n# more\n'

    dataset = load(tmp_path, f"{first}harm_category,assistant_response,human_score\nviolence,r,0.5\n")

    assert (dataset.version, dataset.harm_definition) == ("1.2", "violence.yaml")
    assert entries_of(dataset) == [["r", [0.5], "violence"]]


def test_a_header_may_begin_with_a_hash(tmp_path: Path) -> None:
    dataset = load(tmp_path, f"{COMMENT}#,{HEADER}7,o,r,1\n")

    assert dataset.entries[0].metadata == {"#": "7"}


def test_a_decimal_comma_is_read_where_semicolons_separate_cells(tmp_path: Path) -> None:
    text = f"{COMMENT}harm_category;assistant_response;human_score\nviolence;r;0,25\n"

    assert entries_of(load(tmp_path, text)) == [["r", [0.25], "violence"]]


@pytest.mark.parametrize("response", ["NA", "None", "null", "nan", "N/A", "#N/A", "-", "0", "TRUE"])
def test_words_that_others_take_for_nothing_are_responses(tmp_path: Path, response: str) -> None:
    dataset = load(tmp_path, f"{COMMENT}{HEADER}o,{response},1\n")

    assert dataset.entries[0].assistant_response == response


def test_a_named_rater_holds_numbers_and_notes_do_not(tmp_path: Path) -> None:
    header = "objective,assistant_response,human_score_ana,human_score_notes,human_score_bob,human_score_why,slice\n"
    rows = "o,r,1,0,0,clear,a\no,s,,1,1,,b\no,t,0,,,see 2,a\n"

    dataset = load(tmp_path, COMMENT + header + rows)

    assert dataset.raters == ("human_score_ana", "human_score_bob")
    assert dataset.entries[0].metadata == {"human_score_notes": "0", "human_score_why": "clear", "slice": "a"}
    np.testing.assert_array_equal([[1, np.nan, 0], [0, 1, np.nan]], dataset.ratings())


def test_a_word_among_a_raters_numbers_is_an_error(tmp_path: Path) -> None:
    header = "objective,assistant_response,human_score_ana\n"

    said = problems_of(tmp_path, f"{COMMENT}{header}o,r,1\no,s,maybe\no,t,0\n")

    assert said == (
        "data.csv, row 2 (line 4), column 'human_score_ana': 'maybe' is no label; an objective label is 0 or 1, "
        "and an empty cell is none"
    )


def test_every_problem_is_named_with_its_row_line_and_column(tmp_path: Path) -> None:
    text = f'{COMMENT}{HEADER}o,"two\nlines",5\n,r,1\no,,0\no,r,x\n'

    with pytest.raises(jc.errors.DatasetError) as caught:
        load(tmp_path, text)

    found = [(one.row, one.line, one.column) for one in caught.value.problems]
    assert found == [(1, 3, "human_score"), (2, 5, "objective"), (3, 6, "assistant_response"), (4, 7, "human_score")]


def test_one_cause_is_one_line_that_counts_its_cells(tmp_path: Path) -> None:
    text = f"{COMMENT}objective,assistant_response,human_score_1,human_score_2\n"

    said = problems_of(tmp_path, text + "o,r,7,1\n" * 49 + ",r,1,9\n")

    first, second = said.split("\n")
    assert first.startswith("data.csv, row 1 (line 3), column 'human_score_1': '7' is no label; an objective label is")
    assert first.endswith("(and 49 more in rows 2, 3, 4, 5, 6, ..., also of column 'human_score_2')")
    assert second == "data.csv, row 50 (line 52), column 'objective': is empty"


def test_many_causes_are_counted_and_the_first_are_shown() -> None:
    found = [DatasetProblem(f"problem {number}", "data.csv") for number in range(50)]

    said = str(refuse(found))

    assert said.count("\n") == 20
    assert said.endswith("... and 30 more")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (COMMENT + HEADER + "o,r\n", "data.csv, line 3: 2 fields, where the header has 3"),
        (COMMENT + HEADER + "o,r,1,extra\n", "data.csv, line 3: 4 fields, where the header has 3"),
        (COMMENT + HEADER + 'o,"r,1\n', "line 3: not CSV: a quotation mark opens a field that never closes"),
        (COMMENT + HEADER + 'o,"a "b" c",1\n', "line 3: not CSV: text after a closing quotation mark"),
        (COMMENT + HEADER.strip() + ",\no,r,1,x\n", "cell 4 has content, but no name in the header"),
        (COMMENT + HEADER + "o,r\0s,1\n", "row 1 (line 3): holds NUL characters"),
        ("", "the first row of a CSV file must name its columns"),
        (COMMENT, "the first row of a CSV file must name its columns"),
    ],
)
def test_a_broken_file_is_an_error_that_names_the_place(tmp_path: Path, text: str, said: str) -> None:
    assert said in problems_of(tmp_path, text)


def test_bytes_of_no_known_encoding_are_an_error_that_names_the_line(tmp_path: Path) -> None:
    head = (COMMENT + HEADER).encode()

    assert "line 3: not cp1252; name the encoding" in problems_of(tmp_path, head + b"\x81,r,1\no,r,1\n")
    assert "line 4: not UTF-8 at byte 3; name" in problems_of(tmp_path, head + "o,é,1\n".encode() + b"o,\x81,1\n")
    assert "unknown encoding 'klingon'" in problems_of(tmp_path, COMMENT, encoding="klingon")


def test_empty_cells_behind_the_header_are_passed_over(tmp_path: Path) -> None:
    dataset = load(tmp_path, f"# dataset_version=1.0,,,,\n{HEADER.strip()},,\no,r,1,,\n,,,,\n")

    assert entries_of(dataset) == [["r", [True], "o"]]


def test_a_line_of_delimiters_is_no_row_and_a_lone_quotation_mark_is_named(tmp_path: Path) -> None:
    dataset = load(tmp_path, f";\n{COMMENT}\n,,,,,\n{HEADER}o,r,1\n,,,,\n,\no,s,0\n")

    assert entries_of(dataset) == [["r", [True], "o"], ["s", [False], "o"]]
    assert problems_of(tmp_path, f'{COMMENT}{HEADER}o,r,1\n"\n') == (
        "data.csv, line 4: not CSV: a quotation mark opens a field that never closes"
    )


def test_a_scale_converts_and_bounds(tmp_path: Path) -> None:
    text = f"{COMMENT}harm_category,assistant_response,human_score_1,human_score_2\nviolence,r,1,5\nviolence,s,3,\n"

    dataset = load(tmp_path, text, scale=(1, 5))

    np.testing.assert_array_equal([[0, 0.5], [1, np.nan]], dataset.ratings())
    assert "5 lies outside the scale from 1 to 4" in problems_of(tmp_path, text, scale=(1, 4))
    assert "pass scale=(1, 5)" in problems_of(tmp_path, text)
    with pytest.raises(ValueError, match="the lowest number must be below the highest"):
        load(tmp_path, text, scale=(5, 5))


def test_a_harm_data_sets_objective_reaches_the_scorer(tmp_path: Path) -> None:
    text = f"{HARM}harm_category,objective,assistant_response,human_score\nviolence,why?,r,1\n"

    (entry,) = load(tmp_path, text).entries

    assert (entry.objective, entry.metadata) == ("why?", {})


@pytest.mark.parametrize("where", ["beside", "given", "several"])
def test_a_definition_is_found_beside_the_data_set_or_in_a_folder(tmp_path: Path, where: str) -> None:
    (tmp_path / "other").mkdir()
    text = f"{HARM}harm_category,assistant_response,human_score\nviolence,r,1\n"
    write_definition(tmp_path if where == "beside" else tmp_path / "other")
    folders = {"beside": (), "given": tmp_path / "other", "several": [tmp_path / "none", str(tmp_path / "other")]}

    dataset = load(tmp_path, text, harm_definitions=folders[where])

    assert dataset.definition is not None
    assert dataset.definition.levels == {"1": "none"}
    assert dataset.harm_definition_status == "verified"
    dataset.validate()


def test_a_data_set_without_its_definition_loads_and_validates_when_allowed(tmp_path: Path) -> None:
    dataset = load(tmp_path, f"{HARM}harm_category,assistant_response,human_score\nviolence,r,1\n")

    with pytest.raises(jc.errors.DatasetError, match=r"violence\.yaml is missing; put it beside the data set"):
        dataset.validate()
    dataset.validate(allow_unverified=True)
    assert dataset.harm_definition_status == "unverified"


def test_a_definition_of_another_version_is_an_error(tmp_path: Path) -> None:
    write_definition(tmp_path, "1.1")

    said = problems_of(tmp_path, f"{HARM}harm_category,assistant_response,human_score\nviolence,r,1\n")

    assert "labels were given by version 1.0 of violence.yaml, but" in said
    assert said.endswith("has version 1.1; update the one that is wrong")


@pytest.mark.parametrize("name", ["../violence.yaml", "/etc/violence.yaml"])
def test_a_definition_is_not_sought_elsewhere(tmp_path: Path, name: str) -> None:
    text = f"# dataset_version=1, harm_definition={name}, harm_definition_version=1\nharm_category,assistant_response,"

    said = problems_of(tmp_path, f"{text}human_score\nviolence,r,1\n")

    assert said.startswith(f"data.csv: the harm definition {name} leads out of the folder {tmp_path}; move it there")


@pytest.mark.parametrize("name", ["../outside/violence.yaml", "{0}/violence.yaml", "link.yaml", "linked/violence.yaml"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_definition_outside_of_the_folder_is_never_verified_unless_that_is_allowed(
    tmp_path: Path, name: str, kind: str
) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    folder.mkdir()
    write_definition(outside, "1.0")
    (folder / "link.yaml").symlink_to(outside / "violence.yaml")
    (folder / "linked").symlink_to(outside)
    facts = {
        "dataset_version": "1.0",
        "harm_definition": name.format(outside),
        "harm_definition_version": "1.0",
    }
    row = {"harm_category": "violence", "assistant_response": "r", "human_score": 1}
    path = folder / f"data.{kind}"
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist([row]).replace_schema_metadata(facts), path)
    elif kind == "jsonl":
        path.write_text(f"{json.dumps(facts)}\n{json.dumps(row)}\n")
    else:
        stated = ", ".join(f"{key}={value}" for key, value in facts.items())
        path.write_text(f"# {stated}\n{','.join(row)}\n{','.join(map(str, row.values()))}\n")
    read: Any = getattr(HumanLabeledDataset, f"from_{kind}")

    with pytest.raises(jc.errors.DatasetError, match=r"leads out of the folder .*allow_outside=True"):
        read(path)

    assert read(path, allow_outside=True).harm_definition_status == "verified"
    (folder / "own").mkdir()
    write_definition(folder / "own", "1.0")
    (folder / "inside.yaml").symlink_to("own/violence.yaml")
    assert read(path, harm_definition="inside.yaml").harm_definition_status == "verified"


def test_a_definition_that_unfolds_is_refused_and_not_unfolded(tmp_path: Path) -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{two}: &{two} [*{one}, *{one}]\n" for one, two in itertools.pairwise("abcdefgh")
    )
    path = write(tmp_path, f"{bomb}name: x\nversion: 1\nlevels: {{0: *h}}\n", "x.yaml")

    with pytest.raises(jc.errors.DatasetError, match=r"x\.yaml, line 2: the alias \*a is not taken"):
        HarmDefinition.from_yaml(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a\n", "a harm definition is a mapping"),
        ("name: [", "no YAML"),
        ("name: x\n", "lacks version and levels"),
        ("version: 1\nlevels: {}\n", "lacks name and levels"),
    ],
)
def test_a_file_that_is_no_definition_is_an_error(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(jc.errors.DatasetError, match=said):
        HarmDefinition.from_yaml(write(tmp_path, text, "x.yaml"))


def test_a_row_without_any_label_is_a_problem_of_evaluation(tmp_path: Path) -> None:
    dataset = load(tmp_path, f"{COMMENT}{HEADER}o,r,1\no,s,\n")

    assert list(map(str, dataset.problems())) == ["data.csv, row 2: no rater gave a label"]


def test_the_type_follows_from_the_columns(tmp_path: Path) -> None:
    both = "harm_category,objective,assistant_response,human_score\nbias,o,r,1\n"

    assert load(tmp_path, COMMENT + both).metrics_type is MetricsType.OBJECTIVE
    assert load(tmp_path, HARM + both).metrics_type is MetricsType.HARM
    assert load(tmp_path, COMMENT + both, metrics_type="harm").metrics_type is MetricsType.HARM
    assert load(tmp_path, COMMENT + both).entries[0].metadata == {"harm_category": "bias"}


def test_a_slice_has_the_rows_of_a_kind(tmp_path: Path) -> None:
    dataset = load(tmp_path, f"{COMMENT}{HEADER.strip()},kind\no,r,1,a\no,s,0,b\no,t,1,a\np,u,0,\n")

    assert [one.row for one in dataset.slice("kind", "a").entries] == [1, 3]
    assert {name: len(one) for name, one in dataset.slices("kind").items()} == {"a": 2, "b": 1}
    assert len(dataset.slice("objective", "o", "p")) == 4
    with pytest.raises(jc.errors.DatasetError, match=r"column 'kind': no row has 'c'; there are 'a', 'b'"):
        dataset.slice("kind", "c")


@given(share=st.floats(0.05, 0.95), seed=st.integers(0, 2**32))
def test_a_split_divides_the_rows_and_repeats_itself(share: float, seed: int) -> None:
    dataset = HumanLabeledDataset.bundled("refusals")

    first, second = dataset.split(share, seed=seed)
    again, _ = dataset.split(share, seed=seed)

    assert len(first) == round(share * len(dataset))
    assert sorted([one.row for one in first.entries + second.entries]) == list(range(1, len(dataset) + 1))
    assert first.content_hash == again.content_hash


def test_a_seed_stands_for_one_split_on_every_machine() -> None:
    dataset = HumanLabeledDataset.bundled("refusals")

    found = [[one.row for one in dataset.split(0.1, seed=seed)[0].entries] for seed in (0, 1)]

    assert found == [[20, 44, 46, 55, 58, 59], [4, 9, 15, 36, 40, 54]]


def test_a_split_by_a_column_keeps_equal_values_together() -> None:
    first, second = HumanLabeledDataset.bundled("helpfulness").split(0.5, seed=3, by="objective")

    objectives = [{one.objective for one in part.entries} for part in (first, second)]

    assert not objectives[0] & objectives[1]
    assert 20 <= len(first) < 24


def test_a_split_that_leaves_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="a share of 1 leaves one part without rows"):
        HumanLabeledDataset.bundled("refusals").split(1)


def test_data_sets_combine_as_registries_name_them(tmp_path: Path) -> None:
    one = HumanLabeledDataset.from_csv(write(tmp_path, f"{COMMENT}{HEADER}o,r,1\n", "a.csv"))
    rows = "# dataset_version=1.1\nobjective,assistant_response,human_score_b\no,s,0\n"
    other = HumanLabeledDataset.from_csv(write(tmp_path, rows, "b.csv"))

    both = HumanLabeledDataset.combine(one, other)

    assert (both.name, both.version) == ("a.csv_b.csv", "1.0_1.1")
    np.testing.assert_array_equal([[1, np.nan], [np.nan, 0]], both.ratings())
    with pytest.raises(jc.errors.DatasetError, match=r"metrics_type is harm, that of a\.csv is objective"):
        HumanLabeledDataset.combine(one, HumanLabeledDataset.bundled("helpfulness"))


@pytest.mark.parametrize("name", ["refusals", "helpfulness"])
def test_a_bundled_data_set_is_valid_and_has_its_slices(name: Any) -> None:
    dataset = HumanLabeledDataset.bundled(name)

    dataset.validate()

    assert {"plain", "off-topic", "benign-danger", "hidden-substance"} == set(dataset.slices("slice"))
    assert len(dataset.raters) == 3
    assert len(dataset) >= {"refusals": 60, "helpfulness": 40}[name]
    assert np.isnan(dataset.ratings()).any()


def test_a_data_set_that_is_not_bundled_is_an_error() -> None:
    with pytest.raises(ValueError, match="there are refusals, helpfulness"):
        HumanLabeledDataset.bundled("violence")  # pyright: ignore[reportArgumentType] - a caller's mistake


@pytest.mark.parametrize(
    "file",
    [
        *(f"objective/{name}.csv" for name in ("bias", "hate_speech", "info_integrity", "misinformation", "privacy")),
        *(f"refusal/{name}.csv" for name in ("mini_refusal", "refusal", "refusal_extra")),
        *(f"harm/{name}.csv" for name in ("hate_speech_multi_score", "info_integrity", "mini_hate_speech")),
        *(f"harm/{name}.csv" for name in ("privacy", "violence", "violence_multi_score")),
    ],
)
def test_a_published_data_set_loads(shared: Path, file: str) -> None:
    dataset = HumanLabeledDataset.from_csv(shared / "pyrit" / file)

    assert dataset.metrics_type == ("harm" if file.startswith("harm") else "objective")
    assert len(dataset.raters) == (3 if "multi" in file or "mini_hate" in file else 1)
    assert dataset.name == Path(file).name
    assert all(one.assistant_response for one in dataset.entries)
