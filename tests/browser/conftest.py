"""What the tests in a browser share: a real headless Chromium, and the pages that it opens."""

from __future__ import annotations

import asyncio
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from judgecore import Unreadable, parse
from judgecore.evaluation import EvaluationResult, HumanLabeledDataset, ScorerEvaluator, compare_results
from judgecore.prompts import NumericScalePaths
from judgecore.reports import build_comparison, build_report
from judgecore.reports.run_page import build_run_report
from judgecore.reports.view.entry import ViewEntry
from judgecore.scorers import KeywordRefusalScorer, Scorer, SelfAskScaleScorer, SubStringScorer
from judgecore.targets import CallableTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from judgecore.targets import JudgeRequest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CALIBRATION = tuple(
    {
        "low": n / 5,
        "high": (n + 1) / 5,
        "mean_probability": n / 5 + 0.1,
        "observed_rate": n / 6 + 0.1,
        "count": 10.0 * n,
    }
    for n in range(5)
)
WIDTHS = {"phone": (375, 740), "desktop": (1280, 900)}


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of Chromium, or the one that ``CHROMIUM`` names."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no Chromium here: apt-get install chromium, then make test-browser")
    return path


@pytest.fixture(scope="session")
def playwright() -> Generator[Any]:
    """Playwright, which drives the browser."""
    api: Any = import_module("playwright.sync_api")
    with api.sync_playwright() as running:
        yield running


@pytest.fixture
def browse(playwright: Any, chromium: str, tmp_path: Path) -> Generator[Callable[..., Any]]:
    """What opens a file or an address in a browser of its own, with a width and a colour scheme."""
    opened: list[Any] = []

    def open_(file: Path | str, size: str = "desktop", scheme: str = "light", **options: Any) -> Any:
        width, height = WIDTHS[size]
        is_phone = size == "phone"
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path / f"profile-{len(opened)}"),
            executable_path=chromium,
            headless=True,
            args=ARGUMENTS,
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            device_scale_factor=2 if is_phone else 1,
            has_touch=is_phone,
            is_mobile=is_phone,
            **options,
        )
        opened.append(context)
        page = context.new_page()
        page.asked = []
        page.said = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda problem: page.said.append(str(problem)))
        page.on("dialog", lambda dialog: (page.said.append(dialog.message), dialog.dismiss()))
        page.goto(file if isinstance(file, str) else file.as_uri())
        return page

    yield open_
    for context in opened:
        context.close()


@pytest.fixture
def violations() -> Callable[[Any], list[str]]:
    """What finds the defects of a page for people with disabilities, by axe-core."""
    axe: Any = import_module("axe_playwright_python.sync_playwright").Axe()

    def find(page: Any) -> list[str]:
        found = axe.run(page).response["violations"]
        return [f"{one['id']}: {node['html']}" for one in found for node in one["nodes"]]

    return find


def evaluated(scorer: Scorer, dataset: HumanLabeledDataset) -> EvaluationResult:
    """What an evaluation with two trials finds."""
    work = ScorerEvaluator.from_scorer(scorer).evaluate_async(dataset, num_scorer_trials=2)
    # Playwright has an event loop of its own in this thread.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@pytest.fixture
def evaluate() -> Callable[[Scorer, HumanLabeledDataset], EvaluationResult]:
    """What evaluates a scorer."""
    return evaluated


def helpfulness(replies: Callable[[JudgeRequest], str]) -> EvaluationResult:
    judge = CallableTarget(replies, name="judge", version="1")
    scorer = SelfAskScaleScorer(chat_target=judge, scale_path=NumericScalePaths.HELPFULNESS_SCALE)
    return evaluated(scorer, HumanLabeledDataset.bundled("helpfulness"))


def grade(request: JudgeRequest) -> str:
    """A judge that grades by length, and now and then does not."""
    length = len(request.turns[0].text)
    if length % 11 == 0:
        return "I would rather not say."
    return f'{{"score_value": "{1 + length % 5}", "rationale": "It has {length} characters, <b>all</b> of them read."}}'


def entries() -> list[ViewEntry]:
    """Readings of replies, some of which can't be read."""
    found: list[ViewEntry] = []
    for n in range(40):
        reply = "Maybe." if n % 7 == 0 else f"It is good. Rating: [[{1 + n % 10}]]"
        outcome = parse(reply, "mt_bench.single")
        cells = {"side": "left" if n % 3 else "right", "note": f"a long note {n} " * 9}
        if isinstance(outcome, Unreadable):
            found.append(
                ViewEntry(where=f"line {n}", status="unreadable", reason=outcome.reason, reply=reply, cells=cells)
            )
            continue
        value = f"{outcome.value:g}"
        found.append(
            ViewEntry(
                where=f"line {n}",
                status="ok",
                value=value,
                number=float(value),
                reply=reply,
                span=outcome.span,
                labels={"rule": outcome.rule},
                cells=cells,
                key=n,
            )
        )
    return found


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of real evaluations, of an objective, a harm and several judges; and of a run of parse."""
    folder = tmp_path_factory.mktemp("pages")
    refusals = HumanLabeledDataset.bundled("refusals")
    objective = evaluated(KeywordRefusalScorer(), refusals)
    other = evaluated(SubStringScorer(substring="can"), refusals)
    texts = {
        "objective": build_report(objective),
        "harm": build_report(replace(helpfulness(grade), calibration=CALIBRATION)),
        "run": build_run_report("replies", "Read by a test.", "reading", entries()),
        "comparison": build_comparison(
            compare_results([objective, other, other], ["keywords", "a substring", "a-name-" * 12])
        ),
    }
    files: dict[str, Path] = {}
    for name, text in texts.items():
        files[name] = folder / f"{name}.html"
        files[name].write_text(text, "utf-8")
    return files
