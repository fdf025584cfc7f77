"""``ViewServer``: the page and its rows, on the loopback address, to whoever knows the address."""

from __future__ import annotations

import json
import math
import sys
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qs

from judgecore.reports.page import render_page
from judgecore.reports.view.entry import excerpt
from judgecore.reports.view.index import ViewFilter
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from judgecore.reports.view.index import ViewIndex
    from judgecore.reports.view.judgements import Judgements


MOST_BYTES_EMBEDDED = 64 << 20
_OPENED, _CLOSED = b'<script type="application/json" id="data">', b"</script>"
_EMPTY = (_OPENED + _CLOSED).decode()


def build_view_page(title: str, about: str, noun: str, *, sample: int, kept: str = "") -> str:
    """Return the page that asks its server for rows; judgements are saved in the file ``kept``, if any."""
    return _render(title, about, noun, sample=sample, kept=kept, is_file=False)


class ViewFile:
    """A page that holds its rows; if not all fit, a random sample of them, in the order of the file, and it says so."""

    def __init__(
        self, title: str, about: str, noun: str, index: ViewIndex, *, sample: int, most_bytes: int = MOST_BYTES_EMBEDDED
    ) -> None:
        """Choose what the page holds of a complete index: at most so many bytes of rows."""
        self._index = index
        self._places = index.places()
        self._kept = _choose(index, self._places, most_bytes)
        self.n_entries = len(self._kept)
        self.is_whole = self.n_entries == len(index)
        if not self.is_whole:
            every = count_noun(len(index), noun)
            about += f" This page holds a random sample of {self.n_entries:,} of {every}: "
            about += f"a file holds at most {most_bytes >> 20} MiB of rows."
        page = _render(title, about, noun, sample=sample, kept="", is_file=True)
        # No text of the page can hold this beginning of an element, as all data is escaped.
        self._before, self._after = (part.encode() for part in page.split(_EMPTY))

    def parts(self) -> Iterator[bytes]:
        """Yield the page in pieces, so that it is never in memory as a whole."""
        index, kept = self._index, self._kept
        numbers = index.numbers()
        data = {
            "columns": {
                name: {"values": one.values, "codes": [one.codes[at] for at in kept]}
                for name, one in index.label_columns().items()
            },
            "numbers": [numbers[at] if math.isfinite(numbers[at]) else None for at in kept],
            "places": [self._places[at] for at in kept],
            "range": index.range(),
        }
        yield self._before + _OPENED
        yield _escape(json.dumps(data)[:-1].encode()) + b', "rows": ['
        for nth, at in enumerate(kept):
            yield (b"," if nth else b"") + _escape(index.record(at))
        yield b"]}" + _CLOSED + self._after


def _choose(index: ViewIndex, places: list[int], most_bytes: int) -> list[int]:
    """Return the entries that fit, by their place in the random order."""
    order = sorted(range(len(places)), key=places.__getitem__)
    left = most_bytes
    for nth, at in enumerate(order):
        left -= index.size(at)
        if left < 0:
            return sorted(order[:nth])
    return sorted(order)


def _escape(text: bytes) -> bytes:
    """Escape ASCII JSON so that no element begins or ends in it."""
    return text.replace(b"<", rb"\u003c")


def _render(title: str, about: str, noun: str, *, sample: int, kept: str, is_file: bool) -> str:
    return render_page(
        "view/view.html.jinja",
        title=title,
        styles=["view/view.css"],
        scripts=["view/view.js"],
        connects=not is_file,
        about=about,
        noun=noun,
        sample=sample,
        kept=kept,
        is_file=is_file,
    )


_Door: TypeAlias = "Callable[[], tuple[bytes, str]]"

LOOPBACK = "127.0.0.1"
MOST_ROWS, MOST_SAMPLED = 500, 10_000
MOST_BYTES_SENT = 4096
_SECONDS_IDLE = 60

_HEADERS = {
    "Cache-Control": "no-store",
    # The page has its own policy, of which this part can only be a header.
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class ViewServer(ThreadingHTTPServer):
    """Serves a page on the loopback address.

    A request must begin with the token, and be addressed to the loopback address by name, so that no other page in the
    browser reaches it, not even one whose name was made to resolve to this address.
    """

    daemon_threads = True

    def __init__(self, page: str, index: ViewIndex, judgements: Judgements, *, port: int = 0) -> None:
        """Listen at a port, 0 for any free one; ``serve_forever`` answers."""
        super().__init__((LOOPBACK, port), _Handler)
        self.page = page.encode()
        self.index = index
        self.judgements = judgements
        self.token = token_urlsafe(32)
        self.url = f"http://{LOOPBACK}:{self.server_port}/{self.token}/"
        self.hosts = {f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost")}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect, as when a page is closed, and connections that the server's end closed."""
        is_closed = request.fileno() < 0
        if not is_closed and not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _RefusedError(Exception):
    """A request that gets no answer; ``status`` says why."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "judgecore", ""
    timeout = _SECONDS_IDLE
    server: ViewServer  # pyright: ignore[reportIncompatibleVariableOverride] - made by a ViewServer alone

    def do_GET(self) -> None:
        self._answer({"": self._page, "rows": self._rows, "row": self._row, "sample": self._sample})

    def do_POST(self) -> None:
        self._answer({"judge": self._judge})

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Log nothing: an address holds the token."""

    def _answer(self, doors: dict[str, _Door]) -> None:
        try:
            body, media_type = self._door(doors)()
        except _RefusedError as refused:
            self.close_connection = True
            self._send(refused.status, f"{refused}\n".encode(), "text/plain; charset=utf-8")
        else:
            self._send(HTTPStatus.OK, body, media_type)

    def _door(self, doors: dict[str, _Door]) -> _Door:
        """Return what answers to the path after the token; raise ``_RefusedError`` for strangers."""
        if self.headers.get("Host", "") not in self.server.hosts:
            raise _RefusedError(HTTPStatus.FORBIDDEN, f"this server answers only to {LOOPBACK} and localhost")
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.server.hosts:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "this server answers only to its own page")
        token, slash, door = self.path.partition("?")[0].removeprefix("/").partition("/")
        if not slash or not compare_digest(token.encode(), self.server.token.encode()):
            raise _RefusedError(HTTPStatus.FORBIDDEN, "the address lacks its token; open the one that was printed")
        if door not in doors:
            raise _RefusedError(HTTPStatus.NOT_FOUND, "there is no such page")
        return doors[door]

    def _page(self) -> tuple[bytes, str]:
        return self.server.page, "text/html; charset=utf-8"

    def _rows(self) -> tuple[bytes, str]:
        index = self.server.index
        # Whether all were read is asked first: what is added after it is asked for again.
        is_complete = index.is_complete
        found = index.find(self._filter())
        first = self._number("first", 0)
        numbers = found.numbers[first : first + min(self._number("n", 0), MOST_ROWS)].tolist()
        return _json(
            {
                "total": len(found.numbers),
                "entries": found.n_entries,
                "is_complete": is_complete,
                "problem": index.problem,
                "labels": {name: list(counts.items()) for name, counts in found.labels.items()},
                "range": found.range,
                "first": first,
                "rows": [{"at": at, **excerpt(index.show(at))} for at in numbers],
            }
        )

    def _row(self) -> tuple[bytes, str]:
        return _json(self._shown(self._number("at", -1)))

    def _sample(self) -> tuple[bytes, str]:
        index = self.server.index
        found = index.find(self._filter())
        sampled, n_judged = index.sample(found, min(self._number("n", 0), MOST_SAMPLED))
        rows = [{"at": at, **self._judged(index.show(at))} for at in sampled]
        kept = self.server.judgements.digests()
        return _json({"total": n_judged, "rows": rows, "others": len(kept) - index.count_digests(kept)})

    def _judged(self, shown: dict[str, Any]) -> dict[str, Any]:
        """Return what the page counts of a sampled entry."""
        return {
            **{name: shown[name] for name in ("where", "status")},
            "judgement": self.server.judgements[shown["digest"]],
        }

    def _judge(self) -> tuple[bytes, str]:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or int(length) > MOST_BYTES_SENT:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "a judgement is a short JSON object")
        try:
            given = json.loads(self.rfile.read(int(length)))
            shown = self._shown(given["at"])
            self.server.judgements.add(shown, given["judgement"])
        except (ValueError, KeyError, TypeError, RecursionError) as problem:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, f"not a judgement: {problem}") from None
        except OSError as problem:
            words = f"the judgement could not be saved: {problem.strerror}"
            raise _RefusedError(HTTPStatus.INTERNAL_SERVER_ERROR, words) from None
        return _json({})

    def _shown(self, number: Any) -> dict[str, Any]:
        if not isinstance(number, int) or isinstance(number, bool):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "an entry has a whole number")
        try:
            return self.server.index.show(number)
        except IndexError:
            raise _RefusedError(HTTPStatus.NOT_FOUND, f"there is no entry {number}") from None

    def _filter(self) -> ViewFilter:
        try:
            return ViewFilter.from_json(json.loads(self._given("filter") or '{"text": "", "labels": {}}'))
        except (ValueError, RecursionError) as problem:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, f"filter: {problem}") from None

    def _number(self, name: str, default: int) -> int:
        given = self._given(name)
        if given is None:
            return default
        if not given.isascii() or not given.isdigit() or len(given) > 15:  # noqa: PLR2004 - far beyond any file
            raise _RefusedError(HTTPStatus.BAD_REQUEST, f"{name} is a whole number")
        return int(given)

    def _given(self, name: str) -> str | None:
        """Return a parameter of a request; None if it is missing."""
        return parse_qs(self.path.partition("?")[2]).get(name, [None])[0]

    def _send(self, status: HTTPStatus, body: bytes, media_type: str) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def _json(value: dict[str, Any]) -> tuple[bytes, str]:
    # Without ensure_ascii=False: a reply may hold lone surrogates, which have no UTF-8.
    return json.dumps(value).encode(), "application/json"
