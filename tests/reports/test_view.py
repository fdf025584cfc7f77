"""The index and the one-file page of ``judgecore view``: filters and cuts as a plain reader would make them."""

from __future__ import annotations

import json
import math
import re
import socket
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judgecore.reports.view import index as view_index
from judgecore.reports.view.entry import ViewEntry, excerpt
from judgecore.reports.view.index import MOST_VALUES, ViewFilter, ViewIndex
from judgecore.reports.view.judgements import Judgements
from judgecore.reports.view.serving import ViewFile, ViewServer

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

TEXTS = st.text(st.sampled_from("aAbBß\u0130\0 😀\ud800\u0301é<"), max_size=8)


@pytest.fixture
def make_index() -> Generator[Callable[[Sequence[ViewEntry]], ViewIndex]]:
    """What makes complete indices, and closes them."""
    made: list[ViewIndex] = []

    def make(entries: Sequence[ViewEntry]) -> ViewIndex:
        made.append(ViewIndex())
        made[-1].fill(entries)
        return made[-1]

    yield make
    for one in made:
        one.close()


def entry(nth: int, **parts: Any) -> ViewEntry:
    usual: dict[str, Any] = {"where": f"line {nth}", "status": "ok", "key": nth * 7919 % 1000}
    return ViewEntry(**usual | parts)


def embedded(page: ViewFile) -> Any:
    text = b"".join(page.parts()).decode()
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert len(found) == 1
    return json.loads(found[0])


@example(replies=["a", "b"], text="a\0\n", piece=40)
@given(replies=st.lists(TEXTS, max_size=12), text=TEXTS, piece=st.integers(1, 40))
def test_the_text_filter_finds_what_a_plain_search_finds(replies: list[str], text: str, piece: int) -> None:
    index = ViewIndex()
    with pytest.MonkeyPatch.context() as patch:
        # Pieces that end anywhere, also between two entries of one hit.
        patch.setattr(view_index, "BYTES_SEARCHED_AT_ONCE", piece)
        index.fill(entry(number, reply=reply) for number, reply in enumerate(replies))

        found = index.find(ViewFilter(text=text)).numbers.tolist()

    index.close()
    # Each entry's text ends with a zero byte, which is in no other place of an entry but its texts.
    assert found == [
        number
        for number, one in enumerate(entry(0, reply=reply) for reply in replies)
        if text.casefold() in f"{one.text()}\0".casefold()
    ]


@given(
    st.lists(st.tuples(st.sampled_from(["", "a", "b", "c"]), st.sampled_from(["x", "y"])), max_size=40),
    st.lists(st.sampled_from(["", "a", "b", "zz"]), max_size=3),
    st.lists(st.sampled_from(["x", "y"]), max_size=2),
)
def test_counts_are_those_of_the_other_conditions(
    rows: list[tuple[str, str]], ones: list[str], others: list[str]
) -> None:
    index = ViewIndex()
    index.fill(entry(number, labels={"one": one, "other": other}) for number, (one, other) in enumerate(rows))

    found = index.find(ViewFilter(labels=(("one", tuple(ones)), ("other", tuple(others)))))
    index.close()

    if len({one for one, _ in rows}) > 1 and len({other for _, other in rows}) > 1:
        kept = [(one, other) for one, other in rows if not others or other in others]
        counts = found.labels["one"]
        assert Counter({value: n for value, n in counts.items() if n}) == Counter(one for one, _ in kept)
        assert len(found.numbers) == sum(1 for one, _ in kept if not ones or one in ones)


@given(
    reply=st.text(st.sampled_from("ab😀\ud800"), min_size=1, max_size=400),
    start=st.integers(0, 400),
    size=st.integers(0, 150),
)
def test_a_line_of_the_list_marks_the_beginning_of_the_evidence(reply: str, start: int, size: int) -> None:
    start = min(start, len(reply))
    span = (start, min(start + size, len(reply)))
    shown = entry(1, reply=reply, span=span).to_json()

    line = excerpt(shown)

    assert shown["reply"][slice(*shown["span"])] == reply[slice(*span)]
    assert reply[slice(*span)].startswith(line["reply"][slice(*line["span"])])
    assert len(line["reply"]) <= 250


def test_a_column_with_many_or_long_values_is_no_filter(
    make_index: Callable[[Sequence[ViewEntry]], ViewIndex],
) -> None:
    rows = [
        entry(
            number,
            value=f"{number / 7:.6f}",
            number=number / 7,
            labels={"value": f"{number / 7:.6f}", "status": "ok"},
            cells={
                "name": f"n{number}",
                "group": f"g{number % 2}",
                "few": str(number % MOST_VALUES),
                "long": "x" * 100,
            },
        )
        for number in range(3 * MOST_VALUES)
    ]

    found = make_index(rows).find(ViewFilter())

    assert set(found.labels) == {"group", "few"}
    # Numbers that are too many to list can be filtered by their range.
    assert found.range == (0.0, (3 * MOST_VALUES - 1) / 7)


def test_a_cell_with_the_name_of_a_label_does_not_count_twice(
    make_index: Callable[[Sequence[ViewEntry]], ViewIndex],
) -> None:
    rows = [entry(n, labels={"error": str(n % 2)}, cells={"error": str(n)}) for n in range(4)]

    assert make_index(rows).find(ViewFilter()).labels == {"error": {"": 0, "0": 2, "1": 2}}


def test_a_sample_is_the_same_for_every_size_and_has_nothing_that_cant_be_judged(
    make_index: Callable[[Sequence[ViewEntry]], ViewIndex],
) -> None:
    statuses = ("ok", "rejected", "unreadable", "sent")
    index = make_index([entry(n, status=statuses[n % 4], labels={"status": statuses[n % 4]}) for n in range(80)])
    every = index.find(ViewFilter())

    some, n_some = index.sample(every, 5)
    more, n_more = index.sample(every, 500)

    assert (n_some, n_more) == (40, 40)
    assert more[:5] == some
    assert sorted(more) == [number for number in range(80) if number % 2 == 0]
    assert more != sorted(more)


def test_a_page_that_is_too_large_holds_a_random_sample_and_says_so(
    make_index: Callable[[Sequence[ViewEntry]], ViewIndex],
) -> None:
    index = make_index([entry(n, reply="x" * 500, labels={"status": "ok", "value": str(n % 2)}) for n in range(100)])

    page = ViewFile("t", "About.", "reading", index, sample=10, most_bytes=30_000)
    text = b"".join(page.parts()).decode()
    data = embedded(page)

    assert not page.is_whole
    assert 20 < page.n_entries == len(data["rows"]) < 50
    assert f"a random sample of {page.n_entries} of 100 readings" in text
    numbers = [int(row["where"].split()[1]) for row in data["rows"]]
    assert numbers == sorted(numbers)
    assert numbers != list(range(page.n_entries))
    assert [row["labels"]["value"] for row in data["rows"]] == [
        data["columns"]["value"]["values"][code] for code in data["columns"]["value"]["codes"]
    ]
    assert sorted(numbers, key=lambda n: n * 7919 % 1000) == [
        n for _, n in sorted(zip(data["places"], numbers, strict=True))
    ]


@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_any_text_stays_data_in_the_page(texts: list[str]) -> None:
    index = ViewIndex()
    hostile = [f"</script>{text}<!--<script>\u2028" for text in texts]
    index.fill(
        entry(n, reply=text, value=text, labels={"value": text}, cells={text: text}) for n, text in enumerate(hostile)
    )

    page = ViewFile(hostile[0], "About.", "reading", index, sample=10)
    text = b"".join(page.parts()).decode()
    data = embedded(page)
    index.close()

    assert [row["reply"] for row in data["rows"]] == hostile
    assert text.count("<script") == 2
    assert text.count("</script>") == 2
    assert all(math.isfinite(one) or one is None for one in data["numbers"] if one is not None)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["text", "labels", "low", "high", "x"]), inner, max_size=4)
        ),
        max_leaves=8,
    )
)
def test_any_json_is_a_filter_or_a_value_error(given_: Any) -> None:
    try:
        found = ViewFilter.from_json(given_)
    except ValueError:
        return
    assert isinstance(found.text, str)


def test_a_connection_that_the_end_of_the_server_closes_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    index, judgements = ViewIndex(), Judgements(None)
    with ViewServer("", index, judgements) as server, socket.create_connection(("127.0.0.1", server.server_port)):
        request, address = server.get_request()
        request.close()

        server.process_request_thread(request, address)

    index.close()
    judgements.close()
    assert capsys.readouterr() == ("", "")
