"""How long an endpoint asks to wait: every form that is in use, and every form that makes no sense."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecore.targets.delivery import wait_of

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("1", 1.0),
        ("1.5", 1.5),
        (" 30 ", 30.0),
        ("1e1", 10.0),
        ("0", None),
        ("-5", None),
        ("abc", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("１", None),
        ("1000000000", 120.0),
        ("1e400", 120.0),
        (formatdate(NOW + 7, usegmt=True), 7.0),
        (formatdate(NOW - 3600, usegmt=True), None),
        (formatdate(NOW + 86400, usegmt=True), 120.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 120.0),
        ("Fri, 31 Dec 100000 23:59:59 GMT", 120.0),
        ("Fri, 99 Foo 2030 23:59:59 GMT", None),
    ],
)
def test_retry_after_is_understood(value: str, want: float | None) -> None:
    got = wait_of({"retry-after": value}, NOW)

    assert want == got


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("1s", 1.0),
        ("20ms", 0.02),
        ("6m0s", 120.0),
        ("1m30.5s", 90.5),
        ("59.5", 59.5),
        (f"{NOW + 5:.0f}", 5.0),
        (f"{(NOW + 5) * 1000:.0f}", 5.0),
        (datetime.fromtimestamp(NOW + 5, UTC).isoformat(), 5.0),
        ("2001-01-01T00:00:00Z", None),
        ("1000000000", 120.0),
        ("soon", None),
        ("1s and more", None),
    ],
)
@pytest.mark.parametrize("name", ["x-ratelimit-reset-requests", "anthropic-ratelimit-tokens-reset", "ratelimit-reset"])
def test_a_reset_is_understood(name: str, value: str, want: float | None) -> None:
    got = wait_of({name: value}, NOW)

    assert want == got


@pytest.mark.parametrize(
    ("headers", "want"),
    [
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "9", "x-ratelimit-reset-requests": "1s"}, 9.0),
        ({"retry-after": "abc", "x-ratelimit-reset-requests": "1s"}, None),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "8s"}, 8.0),
        (
            {
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-tokens": "8s",
                "x-ratelimit-remaining-tokens": "900",
            },
            1.0,
        ),
        ({"x-ratelimit-reset-tokens": "8s", "x-ratelimit-remaining-tokens": "900"}, None),
        ({}, None),
    ],
)
def test_the_nearest_word_of_the_endpoint_decides(headers: dict[str, str], want: float | None) -> None:
    got = wait_of(headers, NOW)

    assert want == got


@given(
    st.dictionaries(
        st.sampled_from(["retry-after", "retry-after-ms", "x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens"]),
        st.text() | st.floats().map(str) | st.integers().map(str) | st.datetimes().map(str),
    )
)
def test_any_headers_give_a_bounded_wait_or_none(headers: dict[str, str]) -> None:
    got = wait_of(headers, NOW)

    assert got is None or 0 < got <= 120
