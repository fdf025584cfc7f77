"""The pages in a real browser: readable on a phone, light and dark, without network, and data is only shown."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from judgecore.evaluation import HumanLabeledDataset, MetricsType
from judgecore.reports import build_report
from judgecore.scorers import SelfAskRefusalScorer
from judgecore.targets import CallableTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

pytest.importorskip("playwright", reason="not installed here: make test-browser")

pytestmark = [pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]

PAGES = ("objective", "harm", "comparison", "run")
SIZES = ("phone", "desktop")
SCHEMES = ("light", "dark")

# How bright text and what lies behind it are, of every element that shows text of its own.
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (css) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const bright = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (one) => {
    for (; one; one = one.parentElement) {
      const found = rgba(getComputedStyle(one).backgroundColor);
      if (found[3] === 255) return found;
    }
    return rgba("white");
  };
  const found = [];
  for (const one of document.querySelectorAll("body *")) {
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    if (!one.getClientRects().length) continue;
    const style = getComputedStyle(one);
    const text = rgba(one instanceof SVGElement ? style.fill : style.color);
    const [high, low] = [bright(text), bright(behind(one))].sort((a, b) => b - a);
    found.push([(high + 0.05) / (low + 0.05), one.tagName, one.textContent.trim().slice(0, 30)]);
  }
  return found;
}"""


@pytest.mark.parametrize("view", list(product(PAGES, SIZES)), ids="-".join)
def test_a_page_fits_its_width_and_can_be_read_light_and_dark(
    browse: Callable[..., Any],
    violations: Callable[[Any], list[str]],
    pages: dict[str, Path],
    tmp_path: Path,
    view: tuple[str, str],
) -> None:
    name, size = view
    page = browse(pages[name], size)
    colours: list[str] = []

    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=str(tmp_path / f"{name}-{size}-{scheme}.png"), full_page=True)
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        contrasts = page.evaluate(CONTRASTS)
        assert len(contrasts) > 10
        # What WCAG 2.2 AA asks of text of ordinary size.
        assert [one for one in contrasts if one[0] < 4.5] == []
        page.evaluate("document.querySelectorAll('.items details').forEach((one, at) => { one.open = at < 6 })")
        assert violations(page) == []
    widths = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth, innerWidth]")
    sizes = page.evaluate(
        "[...document.querySelectorAll('td, p')].map((one) => parseFloat(getComputedStyle(one).fontSize))"
    )

    assert colours == ["rgb(255, 255, 255)", "rgb(20, 23, 26)"]
    assert widths[0] <= widths[1] <= widths[2] == {"phone": 375, "desktop": 1280}[size]
    assert min(sizes) >= 14
    assert page.said == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_for_itself_and_nothing_else(browse: Callable[..., Any], pages: dict[str, Path], name: str) -> None:
    page = browse(pages[name])
    page.wait_for_timeout(300)

    assert page.asked == [pages[name].as_uri()]
    assert page.evaluate("document.scripts.length + document.images.length + document.styleSheets.length") == 2


@pytest.mark.parametrize("name", ["objective", "harm"])
def test_everything_that_a_report_promises_is_seen(
    browse: Callable[..., Any], pages: dict[str, Path], name: str
) -> None:
    page = browse(pages[name], "phone")

    shown = page.inner_text("body")
    heads = [one.inner_text() for one in page.query_selector_all("h2")]
    page.locator("#disagreements .item > summary").first.click()
    page.locator("#disagreements .item summary").nth(1).click()

    for head in ("People and judge", "Where the judge errs", "Worst disagreements", "Measures", "Cost and time"):
        assert head in heads
    assert "Rater agreement and human ceiling" in heads
    assert "Coverage" in shown
    assert "95 % CI" in page.inner_text(".lead")
    if name == "harm":
        assert {"Calibration"} <= set(heads)
        assert page.locator("svg circle").first.is_visible()
        assert "no_verdict" in shown or "malformed" in shown or "refused" in shown
        # Inside the judge's JSON the number alone is marked, and the prompt is one click away.
        assert page.locator("#disagreements mark").first.inner_text().strip('"') in "12345"
        assert "[system]" in page.locator("#disagreements .item").first.inner_text()


SHOWN = """(list) => [...document.getElementById(list).children].filter((one) => !one.hidden)
  .map((one) => ({ ...one.dataset, text: one.textContent }))"""


@pytest.mark.parametrize("name", PAGES)
def test_every_filter_shows_what_it_says_and_nothing_else(
    browse: Callable[..., Any], pages: dict[str, Path], name: str
) -> None:
    page = browse(pages[name])
    clicked = 0

    for form in page.locator("form.filters").all():
        list_id = form.get_attribute("data-list")
        everything = page.evaluate(
            f"[...document.getElementById('{list_id}').children].map((one) => ({{...one.dataset}}))"
        )
        for select in form.locator("select").all():
            field = select.get_attribute("name")
            for option in select.locator("option").all()[1:]:
                value = option.get_attribute("value")
                select.select_option(value)
                shown = page.evaluate(SHOWN, list_id)
                expected = [one for one in everything if one[field] == value]
                assert [one[field] for one in shown] == [value] * min(len(expected), 15), (list_id, field)
                assert form.locator("output").inner_text().startswith(str(len(expected)))
                clicked += 1
            select.select_option("")
        form.locator("button[type=reset]").click()
        form.locator("input[type=search]").fill("no such words at all")
        assert page.evaluate(SHOWN, list_id) == []
        assert form.locator("output").inner_text().startswith("0 of")
        form.locator("button[type=reset]").click()
        page.wait_for_function("(list) => document.querySelector(`#${list} > :not([hidden])`)", arg=list_id)
        more = page.locator(f"#{list_id} + button.more")
        while more.is_visible():
            more.click()
        assert len(page.evaluate(SHOWN, list_id)) == len(everything)

    assert clicked > 3
    assert page.said == []


def test_a_number_of_the_heat_map_leads_to_its_responses(browse: Callable[..., Any], pages: dict[str, Path]) -> None:
    page = browse(pages["harm"])

    for link in page.locator(".heat a[href='#disagreements']").all():
        count, chosen = int(link.inner_text()), link.get_attribute("aria-label").partition(": ")[2]
        link.click()
        page.wait_for_timeout(20)
        shown = page.evaluate(SHOWN, "disagreements")
        assert len(shown) == count
        assert {f"people {one['people']}, judge {one['judge']}" for one in shown} == {chosen}


@pytest.mark.parametrize("name", ["objective", "harm", "comparison"])
def test_every_column_sorts_both_ways(browse: Callable[..., Any], pages: dict[str, Path], name: str) -> None:
    page = browse(pages[name])
    cells = """(at) => [...document.querySelectorAll("table.sortable")][at[0]].tBodies[0].rows.length ?
      [...document.querySelectorAll("table.sortable")[at[0]].tBodies[0].rows].map((row) =>
        row.cells[at[1]].dataset.value ?? row.cells[at[1]].textContent.trim()) : []"""
    sorted_ = 0

    for at, table in enumerate(page.locator("table.sortable").all()):
        for column, button in enumerate(table.locator("thead th button").all()):
            for direction in ("ascending", "descending"):
                button.click()
                values = [one for one in page.evaluate(cells, [at, column]) if one != ""]
                head = table.locator("thead th").nth(column)
                assert head.get_attribute("aria-sort") == direction
                if all(one.lstrip("-").replace(".", "").replace("e-", "").isdigit() for one in values):
                    numbers = [float(one) for one in values]
                    assert numbers == sorted(numbers, reverse=direction == "descending")
                    sorted_ += len(numbers) > 1

    assert sorted_ > 3


def test_the_keyboard_alone_opens_items_and_moves_between_them(
    browse: Callable[..., Any], pages: dict[str, Path]
) -> None:
    page = browse(pages["harm"])
    focused = """() => [...document.querySelectorAll("#disagreements .item")]
      .indexOf(document.activeElement.closest(".item"))"""

    page.locator("#disagreements .item > summary").first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        page.keyboard.press(key)

    assert page.evaluate(focused) == 1
    assert page.locator("#disagreements .item").nth(1).get_attribute("open") is not None
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_the_theme_can_be_chosen_and_paper_is_light(browse: Callable[..., Any], pages: dict[str, Path]) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    page = browse(pages["harm"], scheme="light")

    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate(colour)
    page.emulate_media(media="print")
    paper = page.evaluate(colour)

    assert (dark, paper) == ("rgb(20, 23, 26)", "rgb(255, 255, 255)")
    assert not page.locator("form.filters").first.is_visible()
    assert len(page.pdf(format="A4")) > 20_000


def test_the_finding_can_be_copied(browse: Callable[..., Any], pages: dict[str, Path]) -> None:
    page = browse(pages["harm"])
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    page.get_by_role("button", name="Copy this text").click()
    page.get_by_role("button", name="Copied").wait_for()

    assert page.evaluate("navigator.clipboard.readText()") == page.inner_text("#finding")


class Counting(BaseHTTPRequestHandler):
    """Counts what asks for anything."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - says nothing
        pass


@pytest.fixture
def lure() -> Generator[tuple[str, list[str]]]:
    """A server on this machine that waits to be asked, and what it was asked for."""
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Lure", (Counting,), {"asked": asked}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_policy_lets_nothing_run_and_nothing_out(
    browse: Callable[..., Any], pages: dict[str, Path], lure: tuple[str, list[str]], tmp_path: Path
) -> None:
    url, asked = lure
    # What an attacker could add if escaping failed; the policy is the second wall.
    evil = (
        f"<script>document.title='pwned'</script><script src='{url}/js'></script><img src='{url}/img' "
        f"onerror=\"document.title='pwned'\"><link rel=stylesheet href='{url}/css'><iframe src='{url}/frame'></iframe>"
        f"<style>@import '{url}/import'; body {{ background: url({url}/bg) }}</style>"
        f"<p style=\"background: url({url}/inline)\">x</p><object data='{url}/object'></object>"
        f"<video src='{url}/video'></video><form id=f action='{url}/form'></form><base href='{url}/'>"
    )
    plain = pages["objective"].read_text("utf-8")
    for name, text in (("with", plain), ("without", plain.replace("default-src 'none'", "default-src *"))):
        (tmp_path / f"{name}.html").write_text(text.replace("</main>", f"{evil}</main>"), "utf-8")

    page = browse(tmp_path / "with.html")
    page.evaluate("document.getElementById('f').submit()")
    fetched = page.evaluate(f"fetch('{url}/fetch').then(() => 'fetched', () => 'refused')")
    page.wait_for_timeout(500)

    assert (page.title() != "pwned", fetched, asked) == (True, "refused", [])
    # The lure works: without the policy it is asked.
    browse(tmp_path / "without.html").wait_for_timeout(500)
    assert "/img" in asked


PAYLOADS = [
    "<script>alert(1)</script>",
    "</style></pre><img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    '"><details open ontoggle=alert(1)>',
    "<a href='javascript:alert(1)'>click</a>",
    "{{ 7 * 7 }} {% raw %} ${7*7} {0.__class__}",
    "<!-- --> &lt;b&gt; &#60;",
    "\u202egpj.exe \u200b",
]


def test_data_is_shown_as_it_stands_and_never_obeyed(
    browse: Callable[..., Any], evaluate: Callable[..., Any], tmp_path: Path
) -> None:
    rows = [
        {"objective": text, "assistant_response": text, "human_score_1": 0, "note": text, "slice": text}
        for text in PAYLOADS
    ]
    dataset = HumanLabeledDataset.from_records(
        rows, dataset_name=PAYLOADS[0], version="1", metrics_type=MetricsType.OBJECTIVE
    )
    said = '{"score_value": "true", "rationale": "<script>alert(2)</script>"}'
    judge = CallableTarget(lambda _: said, name="judge", version="1")
    result = evaluate(SelfAskRefusalScorer(chat_target=judge), dataset)
    (tmp_path / "page.html").write_text(build_report(result), "utf-8")

    page = browse(tmp_path / "page.html")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    page.wait_for_timeout(300)

    shown = [one.text_content() for one in page.query_selector_all("pre")]
    assert [text for text in PAYLOADS if shown.count(text) < 2] == []
    assert page.locator("mark").count() == 2 * len(PAYLOADS)
    assert page.locator("img, a:not(.skip, .heat a), iframe, object, [onerror], [onload], [ontoggle]").count() == 0
    assert page.locator("script").count() == 1
    assert page.said == []
    assert page.asked == [(tmp_path / "page.html").as_uri()]
