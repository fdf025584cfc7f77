"""The report of a run: what it says of values that occur in several spellings, or that are no finite numbers."""

from __future__ import annotations

import math

from judgecore.reports.run_page import build_run_report
from judgecore.reports.view.entry import ViewEntry


def page_of(*entries: ViewEntry) -> str:
    return build_run_report("replies", "Read by a test.", "reading", entries)


def test_a_truth_written_in_two_ways_is_counted_once_for_each_time() -> None:
    values = ("True", "True", "true", "false")

    page = page_of(*(ViewEntry(where=value, status="ok", value=value) for value in values))

    assert "75.0% of the values are true (95 % CI" in page


def test_an_infinite_value_takes_part_in_no_mean() -> None:
    page = page_of(
        *(ViewEntry(where=f"{one}", status="ok", value=f"{one}", number=one) for one in (1.0, 2.0, math.inf))
    )

    assert "3 of 3 readings have a value" in page
    assert "The mean of the values" not in page


def test_the_verdict_inside_a_document_is_marked_where_it_is_a_truth() -> None:
    reply = '{"why": "it is 1", "safe": true}'
    entry = ViewEntry(
        where="line 1", status="ok", value="1", number=1.0, verdict=True, reply=reply, span=(0, len(reply))
    )

    assert "<mark>true</mark>" in page_of(entry)
