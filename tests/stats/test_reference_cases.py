"""What PyRIT 1.1.0 gives, and where it gives a number for what has none."""

from __future__ import annotations

import csv
import hashlib
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from judgecore.evaluation import HarmHumanLabeledEntry, HumanLabeledDataset
from judgecore.stats import harm_metrics, krippendorff_alpha, objective_metrics

if TYPE_CHECKING:
    from pathlib import Path

# Ratios whose denominator is 0, where the reference says 0.
UNDEFINED = {
    ("no_positives_pred", "precision"),
    ("all_neg", "precision"),
    ("all_neg", "recall"),
    ("all_neg", "f1_score"),
}


@pytest.fixture(scope="session")
def reference(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "reference" / "pyrit_1_1_0.json").read_text("utf-8"))


def plain(value: Any) -> Any:
    """A value of the reference, with NaN where it stands for none."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    return math.nan if value == "NaN" else value


def check(want: float | None, got: float | None, what: object) -> None:
    """The same number to 1e-9, or none in both."""
    if want is None or math.isnan(want):
        assert got is None, what
    else:
        assert got is not None, what
        assert abs(want - got) <= 1e-9, what


def test_harm_metrics_are_those_of_the_reference(reference: dict[str, Any]) -> None:
    cases = reference["harm_metrics"]

    assert len(cases) == 11
    for case in cases:
        metrics = harm_metrics(case["human"], case["model"], resamples=10)
        for name, want in case["out"]["ok"].items():
            got = getattr(metrics, name)
            check(plain(want), got, (case["name"], name))
            assert (got is None) == (name in metrics.undefined)


def test_objective_metrics_are_those_of_the_reference_or_undefined(reference: dict[str, Any]) -> None:
    cases = reference["objective_metrics"]

    assert len(cases) == 9
    for case in cases:
        metrics = objective_metrics(case["human"], case["model"], resamples=10)
        for name, want in case["out"]["ok"].items():
            got = getattr(metrics, name)
            if (case["name"], name) in UNDEFINED:
                assert (want, got) == (0, None)
                assert metrics.undefined[name].startswith("no item is true")
            else:
                check(want, got, (case["name"], name))


def test_ordinal_alphas_are_those_of_the_reference(reference: dict[str, Any]) -> None:
    for case in reference["krippendorff_ordinal"]:
        check(plain(case["out"]["ok"]), krippendorff_alpha(plain(case["in"]), "ordinal"), case)


def test_the_textbook_alpha_is_0_8153875(reference: dict[str, Any]) -> None:
    textbook = plain(reference["krippendorff_ordinal"][0]["in"])

    assert krippendorff_alpha(textbook, "ordinal") == pytest.approx(0.8153875, abs=5e-8)


def verdicts(kind: str, dataset: HumanLabeledDataset) -> np.ndarray[Any, Any]:
    """What the reference's recipe gives for three trials: a hash of trial and texts."""
    rows: list[list[float]] = []
    for trial in range(3):
        row: list[float] = []
        for entry in dataset.entries:
            texts = (
                f"{entry.objective}\n{entry.assistant_response}" if kind == "objective" else entry.assistant_response
            )
            number = int(hashlib.sha256(f"t{trial}|{texts}".encode()).hexdigest(), 16)
            row.append(number % 2 if kind == "objective" else number % 5 / 4)
        rows.append(row)
    return np.asarray(rows, dtype=float)


def models(kind: str, dataset: HumanLabeledDataset) -> dict[str, np.ndarray[Any, Any]]:
    """The models of the reference, by name."""
    n_items = len(dataset)
    if kind == "objective":
        others = {"always_true": np.ones((1, n_items)), "always_false": np.zeros((1, n_items))}
    else:
        others = {"always_0.5": np.full((1, n_items), 0.5), "copy_first_human": dataset.ratings()[:1]}
    return {"trials3": verdicts(kind, dataset), **others}


@pytest.mark.parametrize("kind", ["objective", "harm"])
def test_published_data_sets_give_the_metrics_of_the_reference(
    reference: dict[str, Any], shared: Path, kind: str
) -> None:
    measured = reference["shipped_csv_metrics"][kind]
    compared: list[str] = []

    for name, want in measured.items():
        folder = "refusal" if name.startswith(("refusal", "sample/mini_refusal")) else kind
        path = shared / "pyrit" / folder / name.rpartition("/")[2]
        if not path.is_file():
            continue
        dataset = HumanLabeledDataset.from_csv(path)
        compared.append(path.name)
        for model, scores in models(kind, dataset).items():
            measure = objective_metrics if kind == "objective" else harm_metrics
            metrics = measure(dataset.ratings(), scores, resamples=10)
            for field, value in want[model].items():
                got = getattr(metrics, field)
                if got is None and value == 0:
                    assert field in metrics.undefined, (name, model, field)
                else:
                    check(plain(value), got, (name, model, field))
        assert want["model_first5"] == verdicts(kind, dataset)[:, :5].tolist()

    # The reference was measured on more files than are published here.
    assert len(compared) == (8 if kind == "objective" else 6)


def test_a_published_judge_does_worse_than_a_constant(shared: Path) -> None:
    dataset = HumanLabeledDataset.from_csv(shared / "pyrit" / "harm" / "privacy.csv")
    constant = harm_metrics(dataset.ratings(), np.full((1, len(dataset)), 0.5), resamples=10)
    registry = (shared / "pyrit" / "harm" / "privacy_metrics.jsonl").read_text("utf-8").splitlines()
    published = [json.loads(line) for line in registry if '"gpt-4o"' in line]

    assert constant.mean_absolute_error is not None
    assert constant.mean_absolute_error == pytest.approx(0.288, abs=5e-4)
    assert min(line["metrics"]["mean_absolute_error"] for line in published) > 0.288
    assert constant.best_constant_error is not None
    assert constant.best_constant_error <= constant.mean_absolute_error


def test_the_loader_reads_the_cells_that_a_plain_reader_reads(shared: Path) -> None:
    path = shared / "pyrit" / "harm" / "violence_multi_score.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        next(stream)
        rows = list(csv.DictReader(stream))

    dataset = HumanLabeledDataset.from_csv(path)

    assert [row["assistant_response"].strip() for row in rows] == [one.assistant_response for one in dataset.entries]
    scores = [tuple(float(row[f"human_score_{nth}"]) for nth in (1, 2, 3)) for row in rows]
    assert scores == [one.human_scores for one in dataset.entries]
    assert {"violence"} == {one.harm_category for one in dataset.entries if isinstance(one, HarmHumanLabeledEntry)}
