"""``judgecore view`` in a real browser: every filter, the spot check by keyboard, many rows, and who can use it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from judgecore import stats

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

pytest.importorskip("playwright", reason="not installed here: make test-browser")

pytestmark = [pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parents[2]
PAYLOADS = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "<!--<script>",
    "\u2028\u2029 ${7*7} {{ 7 * 7 }}",
    "\ud800 a lone surrogate",
    "javascript:alert(3)",
]
REPLIES = [
    *(f"The answer {number} is fine. Rating: [[{1 + number % 5}]] and {'more ' * 40}" for number in range(60)),
    "I would rather not say.",
    "\U0001f600\U0001f600 Rating: [[9]] \U0001f600",
    *(f"{text} Rating: [[7]]" for text in PAYLOADS),
]
BROKEN = "{not JSON\n"
# What a screen reader is told of the list's active row.
ACTIVE = """(list) => {
  const row = document.getElementById(list.getAttribute("aria-activedescendant"));
  return [row.getAttribute("role"), row.ariaPosInSet, row.ariaSetSize, row.ariaSelected, row.textContent];
}"""
IS_INSIDE = """(row) => {
  const own = row.getBoundingClientRect(), list = document.getElementById("list").getBoundingClientRect();
  return own.top >= list.top && own.bottom <= list.bottom + 1;
}"""
SIZES, SCHEMES = ("phone", "desktop"), ("light", "dark")


def run(*arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "judgecore", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 3), done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def readings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output of ``parse`` with hostile texts, and a line that is none."""
    folder = tmp_path_factory.mktemp("view")
    rows = [{"id": number, "judge": "ab"[number % 2], "raw": reply} for number, reply in enumerate(REPLIES)]
    for row, text in zip(rows, PAYLOADS * 2, strict=False):
        row |= {"note": text, text: "a name"}
    for row in rows:
        row["constructor"] = str(row["id"] % 3)
    (folder / "replies.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    run("parse", folder / "replies.jsonl", "--format", "mt_bench.single", "-o", folder / "<b>readings.jsonl")
    with (folder / "<b>readings.jsonl").open("a") as file:
        file.write(BROKEN)
    return folder / "<b>readings.jsonl"


@pytest.fixture
def serve(tmp_path: Path) -> Generator[Callable[..., str]]:
    """Starts ``judgecore view``, and returns the address that it prints."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str | Path) -> str:
        command = [sys.executable, "-m", "judgecore", "view", *map(str, arguments), "--no-open"]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ})
        started.append(process)
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        return found[0]

    yield start
    for process in started:
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture(params=["served", "file"])
def show(
    request: pytest.FixtureRequest,
    browse: Callable[..., Any],
    serve: Callable[..., str],
    readings: Path,
    tmp_path: Path,
) -> Callable[..., Any]:
    """Opens the readings in a browser: served, and as one file."""

    def open_(size: str = "desktop", scheme: str = "light", **options: Any) -> Any:
        if request.param == "served":
            page = browse(serve(readings), size, scheme, **options)
        else:
            run("view", readings, "--html", tmp_path / "page.html")
            page = browse((tmp_path / "page.html").as_uri(), size, scheme, **options)
        page.wait_for_selector(".row .said")
        until(page, "document.getElementById('progress').textContent === ''")
        until(page, "document.getElementById('count').textContent !== ''")
        return page

    return open_


def count(page: Any) -> int:
    return int(page.inner_text("#count").split()[0].replace(",", ""))


def until(page: Any, expression: str, arg: Any = None) -> None:
    """Wait for an expression to be true; Playwright's own way of waiting needs ``eval``, which the page forbids."""
    for _ in range(600):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(50)
    raise AssertionError(expression)


def wait_for_count(page: Any, wanted: int) -> None:
    until(
        page, "wanted => parseInt(document.getElementById('count').textContent.replaceAll(',', '')) === wanted", wanted
    )


def wait_for_text(page: Any, id_: str, beginning: str) -> None:
    until(page, "([id, text]) => document.getElementById(id).textContent.startsWith(text)", [id_, beginning])


@pytest.mark.parametrize("view", list(product(SIZES, SCHEMES)), ids="-".join)
def test_the_page_fits_and_axe_finds_nothing_in_the_list_and_in_the_spot_check(
    show: Callable[..., Any], violations: Callable[[Any], list[str]], tmp_path: Path, view: tuple[str, str]
) -> None:
    page = show(*view)
    fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    found: list[Any] = []

    for state, keys in {"list": "j", "keys": "?", "check": ("Escape", "s", "1", "2")}.items():
        for key in keys:
            page.keyboard.press(key)
            page.wait_for_timeout(200)
        page.screenshot(path=str(tmp_path / f"{'-'.join(view)}-{state}.png"), full_page=True)
        found += [] if page.evaluate(fits) else [f"too wide: {state}"]
        found += violations(page)

    assert found == []
    assert page.said == []


def test_every_value_of_every_filter_leaves_the_rows_that_it_counts(show: Callable[..., Any], readings: Path) -> None:
    page = show()
    rows = [json.loads(line) for line in readings.read_text("utf-8").splitlines()[: len(REPLIES)]]
    every = len(rows) + 1
    names = page.eval_on_selector_all("#columns > details", "found => found.map((one) => one.dataset.name)")
    tried: dict[str, Counter[str]] = {}

    for name in names:
        box = page.locator("#columns > details").nth(names.index(name))
        if not box.evaluate("one => one.open"):
            box.locator("summary").click()
        for label in box.locator("label").all():
            said = int(label.locator(".n").inner_text())
            label.locator("input").check()
            wait_for_count(page, said)
            tried.setdefault(name, Counter())[label.get_attribute("data-value")] = said
            label.locator("input").uncheck()
            wait_for_count(page, every)

    values = Counter("" if row["value"] is None else f"{row['value']:g}" for row in rows)
    assert tried["value"] == values + Counter({"": 1})
    assert tried["status"] == Counter({"ok": every - 2, "unreadable": 1, "rejected": 1})
    assert tried["judge"] == Counter(row["judge"] for row in rows) + Counter({"": 1})
    assert {"reason", "rule"} <= set(tried)
    assert "id" not in tried


def test_filters_combine_are_cleared_and_stay_in_the_address(show: Callable[..., Any]) -> None:
    page = show()
    every = count(page)

    page.locator("#columns label[data-value='7'] input").check()
    wait_for_count(page, len(PAYLOADS))
    page.keyboard.press("/")
    page.keyboard.type("LONE SURR")
    wait_for_count(page, 1)
    page.reload()
    wait_for_count(page, 1)

    assert page.input_value("#text") == "LONE SURR"
    assert page.locator("#columns label[data-value='7'] input").is_checked()
    assert "alone" not in page.inner_text("#shown")
    page.click("#clear")
    wait_for_count(page, every)
    assert page.locator("#columns input:checked").count() == 0
    page.fill("#text", "no such text")
    wait_for_count(page, 0)
    until(page, "document.getElementById('chosen-head').textContent.startsWith('No ')")


def test_evidence_is_marked_where_it_stands_and_what_is_missing_is_said(show: Callable[..., Any]) -> None:
    page = show()
    page.fill("#text", "\U0001f600")
    wait_for_count(page, 1)
    until(page, "document.querySelector('#shown mark')?.textContent === 'Rating: [[9]]'")

    assert page.inner_text("#list mark") == "Rating: [[9]]"
    assert page.inner_text("#shown pre") == "\U0001f600\U0001f600 Rating: [[9]] \U0001f600"
    page.click("#clear")
    page.locator("#columns label[data-value='rejected'] input").check()
    wait_for_count(page, 1)
    until(page, "document.getElementById('shown').textContent.includes('not JSON')")
    assert BROKEN.strip() in page.inner_text("#shown")


def test_data_is_shown_as_it_stands_and_never_obeyed(show: Callable[..., Any]) -> None:
    page = show()
    address = page.url.partition("#")[0]
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    page.locator("#columns label[data-value='7'] input").check()
    wait_for_count(page, len(PAYLOADS))

    for number, text in enumerate(PAYLOADS):
        wait_for_text(page, "chosen-head", f"Line {len(REPLIES) - len(PAYLOADS) + number + 1}")
        assert page.text_content("#shown pre") == f"{text} Rating: [[7]]"
        page.keyboard.press("j")

    assert page.locator("img, iframe, object, [onerror], #shown script, #list script, #columns script").count() == 0
    assert page.title() == "<b>readings.jsonl"
    assert page.inner_text("h1") == "<b>readings.jsonl"
    assert page.said == []
    assert {url.partition("?")[0] for url in page.asked} <= {address, f"{address}rows", f"{address}row"}


def test_a_spot_check_by_keyboard_gives_the_error_rate_with_its_interval(show: Callable[..., Any]) -> None:
    page = show()
    page.keyboard.press("s")
    until(page, "document.activeElement.id === 'question'")
    asked: list[str] = []

    for nth, key in enumerate("1121u213"):
        asked.append(page.inner_text("#question"))
        page.keyboard.press(key)
        wanted = [1, 2, 3, 4, 3, 4, 5, 6][nth]
        wait_for_text(page, "question", f"{wanted + 1} of ")

    # 1 1 2, a 1 that is undone, then 2 1 3: five judged, two wrong, one that can't be told.
    interval = stats.wilson_interval(2, 5)
    assert interval is not None
    tally = page.inner_text("#tally").replace("\xa0", " ")
    assert f"{100 * interval.low:.1f} % to {100 * interval.high:.1f} %" in tally
    assert tally.startswith("5 judged, 2 wrong: error rate 40.0 %, 95 % interval")
    assert "1 can’t be told" in tally
    # The question that was undone is asked again.
    assert asked[3] == asked[5]
    page.keyboard.press("Escape")
    assert page.locator("#list").is_visible()
    page.keyboard.press("s")
    wait_for_text(page, "tally", "5 judged")


def test_the_pages_interval_is_that_of_the_statistics(show: Callable[..., Any]) -> None:
    page = show()

    for wrong, n in ((0, 1), (1, 1), (0, 100), (3, 100), (50, 100), (999, 1000)):
        low, high = page.evaluate(f"judgecore.wilson({wrong}, {n})")
        want = stats.wilson_interval(wrong, n)
        assert want is not None
        assert (low, high) == pytest.approx((want.low, want.high), abs=1e-12)


def test_judgements_of_a_file_continue_in_another_page_and_on_the_server(
    browse: Callable[..., Any], serve: Callable[..., str], readings: Path, tmp_path: Path
) -> None:
    run("view", readings, "--html", tmp_path / "page.html")
    page = browse((tmp_path / "page.html").as_uri())
    page.wait_for_selector(".row .said")
    page.keyboard.press("s")
    for nth, key in enumerate("122", 2):
        wait_for_text(page, "question", f"{nth - 1} of ")
        page.keyboard.press(key)
    wait_for_text(page, "tally", "3 judged, 2 wrong")
    with page.expect_download() as saving:
        page.click("#save")
    saving.value.save_as(tmp_path / "judged.jsonl")

    again = browse((tmp_path / "page.html").as_uri())
    again.wait_for_selector(".row .said")
    again.keyboard.press("s")
    again.set_input_files("#load", tmp_path / "judged.jsonl")
    wait_for_text(again, "tally", "3 judged, 2 wrong")
    served = browse(serve(readings, "--judgements", tmp_path / "judged.jsonl"))
    until(served, "document.getElementById('count').textContent !== ''")
    served.keyboard.press("s")
    wait_for_text(served, "tally", "3 judged, 2 wrong")
    served.keyboard.press("2")
    wait_for_text(served, "tally", "4 judged, 3 wrong")

    assert "judged.jsonl" in served.inner_text("#results")
    assert [json.loads(line)["judgement"] for line in (tmp_path / "judged.jsonl").read_text().splitlines()] == [
        "right",
        "wrong",
        "wrong",
        "wrong",
    ]


def test_the_list_can_be_used_by_keyboard_and_tells_a_screen_reader_where_it_is(show: Callable[..., Any]) -> None:
    page = show()
    every = count(page)
    page.focus("#list")
    found: list[Any] = []

    for key in ("ArrowDown", "PageDown", "End", "Home"):
        page.keyboard.press(key)
        page.wait_for_timeout(250)
        found.append((*page.eval_on_selector("#list", ACTIVE), page.inner_text("#chosen-head")))
    page.keyboard.press("Enter")

    assert {one[0] for one in found} == {"option"}
    assert [one[1] for one in found][::2] == ["2", str(every)]
    assert found[3][1] == "1"
    assert {(one[2], one[3]) for one in found} == {(str(every), "true")}
    assert all(one[4].lower().startswith(one[5].lower()) for one in found)
    assert page.evaluate("document.activeElement.id") == "chosen-head"
    assert page.get_attribute("#count", "aria-live") == "polite"


def test_single_keys_can_be_switched_off_and_never_act_while_typing(show: Callable[..., Any]) -> None:
    page = show()
    page.keyboard.press("/")
    page.keyboard.type("s?1")
    assert page.input_value("#text") == "s?1"
    page.keyboard.press("Escape")

    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.uncheck("#single")
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.wait_for_timeout(200)

    assert page.locator("dialog[open]").count() == 0
    assert page.locator("#check").is_hidden()


def test_a_served_page_says_when_its_server_is_gone(browse: Callable[..., Any], readings: Path) -> None:
    command = [sys.executable, "-m", "judgecore", "view", str(readings), "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[3]
        page = browse(url)
        page.wait_for_selector(".row .said")
        process.send_signal(signal.SIGINT)
        process.wait(20)

    page.fill("#text", "fine")
    page.wait_for_selector("#problem:not([hidden])")

    assert "has ended" in page.inner_text("#problem")


def test_200_000_rows_scroll_with_few_elements(
    browse: Callable[..., Any], serve: Callable[..., str], tmp_path: Path
) -> None:
    with (tmp_path / "many.jsonl").open("w") as file:
        for number in range(200_000):
            row = {"raw": f"Row {number}: [[{number % 10}]]", "value": number % 10, "status": "ok", "reason": None}
            file.write(f"{json.dumps(row)}\n")

    page = browse(serve(tmp_path / "many.jsonl"))
    # The first rows are there long before the last.
    page.wait_for_selector(".row .said", timeout=20_000)
    wait_for_count(page, 200_000)
    most = 0
    for share in (0.5, 0.001, 0.999, 0.25, 1):
        page.evaluate(
            f"list => {{ const one = document.getElementById('list'); one.scrollTop = {share} * one.scrollHeight; }}"
        )
        until(page, "document.querySelectorAll('.row .said').length > 5 && !document.querySelector('.row[data-empty]')")
        most = max(most, page.locator("#rows > *").count())
    page.focus("#list")
    page.keyboard.press("End")
    page.wait_for_selector("#row-199999 .said")

    assert most < 60
    assert "Row 199999: [[9]]" in page.inner_text("#row-199999")
    assert page.eval_on_selector("#row-199999", IS_INSIDE)
    page.locator("#columns label[data-value='3'] input").check()
    wait_for_count(page, 20_000)
    assert page.evaluate("document.getElementById('list').scrollTop") == 0
    assert page.said == []
