"""An endpoint may send a key back in any place and spelling, or elsewhere: it appears nowhere and goes nowhere."""

from __future__ import annotations

import asyncio
import base64
import gzip
import html
import json
import logging
import re
import ssl
import traceback
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import httpx  # noqa: TID251 - what a caller's own client is made of
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from references.growth import GROWTH, growth

import judgecore as jc
from judgecore.errors import BadRequestError
from judgecore.targets.redaction import Redactor

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from targets.conftest import ScriptedServer

CANARY = "sk-Canary-3f9d1c7e5a2b.4068-never_shown+Q"
PIECES = [CANARY[:13], CANARY[13:27], CANARY[27:]]
WINDOW = 10
ONCE = jc.Pacing(attempts=1)
TARGETS: dict[str, Callable[..., jc.OpenAITarget | jc.AnthropicTarget]] = {
    "openai": lambda url, **options: jc.OpenAITarget("m", api_key=CANARY, base_url=url, **options),
    "azure": lambda url, **options: jc.AzureOpenAITarget("m", api_key=CANARY, endpoint=url, **options),
    "anthropic": lambda url, **options: jc.AnthropicTarget("m", api_key=CANARY, base_url=url, **options),
}


def answer(body: bytes | str, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    packed = body.encode() if isinstance(body, str) else body
    head = [f"HTTP/1.1 {status}", f"content-length: {len(packed) if length is None else length}", *headers]
    return "\r\n".join([*head, "", ""]).encode() + packed


def completion(content: Any = "Your key is ***. Yes", **more: Any) -> dict[str, Any]:
    """The body of both dialects."""
    choice = {"message": {"role": "assistant", "content": content}, "finish_reason": "stop", **more.pop("choice", {})}
    text = content if isinstance(content, str) else "Yes"
    return {"choices": [choice], "content": [{"type": "text", "text": text}], **more}


def said(content: str) -> str:
    return json.dumps(completion(content))


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(one):04x}" for one in text)


def body_kinds() -> dict[str, str]:
    """The bodies of replies that repeat the key."""
    key64 = base64.b64encode(f"user:{CANARY}".encode()).decode()
    plain = said("Your key is KEY. Yes")
    tokens = [{"token": one, "logprob": -0.1, "bytes": [ord(one)], "top_logprobs": []} for one in CANARY]
    return {
        "raw": plain.replace("KEY", CANARY),
        "upper": plain.replace("KEY", CANARY.upper()),
        "escaped_first": plain.replace("KEY", escaped(CANARY[0]) + CANARY[1:]),
        "escaped_all": plain.replace("KEY", escaped(CANARY)),
        "escaped_twice": said(f"Your key is {json.dumps({'key': 1})} {escaped(CANARY)}. Yes"),
        "percent": said("Your key is " + "".join(f"%{ord(one):02X}" for one in CANARY) + ". Yes"),
        "percent_twice": said("Your key is " + "".join(f"%25{ord(one):02x}" for one in CANARY) + ". Yes"),
        "html_decimal": said("Your key is " + "".join(f"&#{ord(one)};" for one in CANARY) + ". Yes"),
        "html_hexadecimal": said("Your key is " + "".join(f"&#x{ord(one):X};" for one in CANARY) + ". Yes"),
        "base64": said(f"Your key is {base64.b64encode(CANARY.encode()).decode()}. Yes"),
        "base64_inside": said(f"Your key is {key64}. Yes"),
        "base64_url": said(f"Your key is {base64.urlsafe_b64encode(b'??' + CANARY.encode()).decode()}. Yes"),
        "hexadecimal": said(f"Your key is {CANARY.encode().hex()}. Yes"),
        "zero_width": said("Your key is " + "\u200b".join(CANARY) + ". Yes"),
        "parts": json.dumps(completion([{"type": "text", "text": one} for one in PIECES])),
        "blocks": json.dumps({**completion(), "content": [{"type": "text", "text": one} for one in PIECES]}),
        "tokens": json.dumps(completion(choice={"logprobs": {"content": tokens}})),
        "top_tokens": json.dumps(
            completion(choice={"logprobs": {"content": [{"token": "Yes", "logprob": 0.0, "top_logprobs": tokens}]}})
        ),
        "refusal": json.dumps(completion(None, choice={"message": {"content": None, "refusal": CANARY}})),
        "finish_reason": json.dumps(completion(choice={"finish_reason": CANARY}, stop_reason=CANARY)),
        "model": json.dumps(completion(model=CANARY)),
        "id": json.dumps(completion(id=CANARY, system_fingerprint=CANARY)),
        "usage_keys": json.dumps(completion(usage={CANARY: 1, CANARY.lower(): 2, "prompt_tokens": 3})),
        "numbers": json.dumps(completion(ids=[ord(one) for one in CANARY])),
        "repeated_name": plain.replace("KEY", CANARY).replace(
            '"choices"', f'"x": "{escaped(CANARY)}", "x": 1e400, "choices"'
        ),
        "request": json.dumps(completion(request=json.dumps({"headers": json.dumps({"api-key": CANARY})}))),
    }


def other_kinds() -> dict[str, bytes]:
    """All other answers that repeat the key."""
    good = json.dumps(completion())
    wrong = json.dumps({"error": {"message": f"Incorrect API key provided: {CANARY}.", "param": {"k": [CANARY]}}})
    nested = json.dumps({"error": {"message": json.dumps({"error": {"message": escaped(CANARY)}})}})
    return {
        "gzip": answer(gzip.compress(said(f"Your key is {CANARY}. Yes").encode()), "content-encoding: gzip"),
        "header_value": answer(good, f"x-key: {CANARY}", f"set-cookie: {CANARY}"),
        "header_name": answer(good, f"{CANARY}: 1"),
        "error": answer(wrong, status="401 Unauthorized"),
        "error_headers": answer(wrong, f"x-key: Bearer {CANARY}", f"retry-after: {CANARY}", status="400 Bad"),
        "error_header_pieces": answer(
            wrong, *(f"x-{place}: {one}" for place, one in enumerate(PIECES)), status="403 No"
        ),
        "error_same_header": answer(
            wrong, f"x-a: {PIECES[0]}", "date: now", f"x-a: {PIECES[1]}", "age: 1", f"x-a: {PIECES[2]}", status="429 No"
        ),
        "error_header_name": answer(wrong, f"x-{CANARY}: 1", status="418 Tea"),
        "error_header_percent": answer(wrong, f"x-key: {CANARY.replace('.', '%2E')}", status="404 No"),
        "error_header_base64": answer(
            wrong, f"x-key: Basic {base64.b64encode(b'u:' + CANARY.encode()).decode()}", status="404 No"
        ),
        "error_nested": answer(nested, status="400 Bad Request"),
        "error_html": answer(f"<html><p title='{html.escape(CANARY)}'>{CANARY}", status="502 Bad Gateway"),
        "error_utf16": answer(CANARY.encode("utf-16"), status="500 Oops"),
        "error_invalid": answer(b"\xff\xfe {" + escaped(CANARY).encode(), status="500 Oops"),
        "error_cut": answer(wrong[:-9], status="500 Oops"),
        "error_detail": answer(json.dumps({"detail": PIECES}), status="422 No"),
        "reason": answer(wrong, status=f"500 {CANARY}"),
        "coding": answer(good, f"content-encoding: {CANARY}"),
        "coding_error": answer(good, f"content-encoding: {CANARY}", status="500 Oops"),
        "length": answer(good, f"content-length: {CANARY}"),
        "malformed": answer(f'{{"choices": "{CANARY}"}}'),
        "not_json": answer(f"your key: {CANARY}"),
        "cut": answer(CANARY, length=999),
        "bad_status_line": f"HTTP/9 {CANARY}\r\n\r\n".encode(),
        "bad_header": f"HTTP/1.1 200 OK\r\nbad {CANARY}\r\n\r\n".encode(),
        "bad_chunk": f"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{CANARY}\r\n".encode(),
        "location": answer("", f"location: http://127.0.0.1:9/{CANARY}?k={CANARY}", status="302 Found"),
        "bad_location": answer("", f"location: http://[{CANARY}", status="307 Temporary Redirect"),
        "odd_location": answer("", f"location: {CANARY}://x", status="308 Permanent Redirect"),
    }


KINDS_OF_ANSWER = {**{name: answer(body) for name, body in body_kinds().items()}, **other_kinds()}


def forms() -> list[str]:
    """What must stand nowhere: parts of the key, and of its packed forms."""
    packed = [base64.b64encode(bytes(before) + CANARY.encode()).decode()[4:-4] for before in range(3)]
    every = [CANARY, CANARY.encode().hex(), *packed]
    return sorted({one[at : at + WINDOW].lower() for one in every for at in range(len(one) - WINDOW + 1)})


FORMS = forms()
# Nothing here is encrypted, and to load the certificates takes longer than a test.
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def found(text: str) -> list[str]:
    """The parts of the key that a text spells, in whatever way."""
    unescaped = re.sub(r"\\+(?:u00|x)([0-9a-fA-F]{2})", lambda one: chr(int(one[1], 16)), text.replace("\\/", "/"))
    decoded = [text, unescaped, html.unescape(text), unquote(unquote(text)), re.sub("[\0\u200b]|\\\\x00", "", text)]
    read = "\n".join({one.lower(): None for one in decoded})
    return [form for form in FORMS if form in read]


def of_json(text: str) -> str:
    """All strings of a JSON text under the same name, joined, and all lists of numbers as the bytes that they are."""
    joined: dict[str, str] = {}

    def take(value: Any, name: str) -> None:
        if isinstance(value, str):
            joined[name] = joined.get(name, "") + value
        elif isinstance(value, dict):
            for inner, one in value.items():
                take(inner, f"{name}.names")
                take(one, f"{name}.{inner}")
        elif isinstance(value, list):
            for one in value:
                take(one, name)
            take("".join(chr(one) for one in value if isinstance(one, int)), f"{name}.bytes")

    take(json.loads(text), "")
    return "\n".join(joined.values())


def spelled(problem: BaseException | None) -> str:
    """All that an error shows, with what led to it."""
    shown: list[str] = []
    while problem is not None:
        headers = getattr(problem, "headers", None) or {}
        shown += [str(problem), repr(problem), repr(problem.args), repr(vars(problem)), repr(list(headers.items()))]
        request = vars(problem).get("_request")
        shown += ["" if request is None else repr(request.headers.raw)]
        shown += ["".join(headers.values()), repr(getattr(problem, "raw", None)), *traceback.format_exception(problem)]
        problem = problem.__cause__ or problem.__context__
    return "\n".join(shown)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Callable[[], str]:
    """What all loggers there are write at DEBUG."""
    names = ("judgecore", "httpx", "httpcore.connection", "httpcore.http11", "asyncio")
    for name in ("", *names):
        caplog.set_level(logging.DEBUG, name or None)
    return lambda: "\n".join(f"{one.getMessage()} {one.args!r} {one.exc_text}" for one in caplog.records)


def bytes_of(folder: Path) -> str:
    """All bytes of a ledger's files, its log of writes among them, a character for each."""
    return "\n".join(path.read_bytes().decode("latin-1") for path in folder.iterdir())


def ask(
    scripted: ScriptedServer, raw: bytes, folder: Path, of: str, *, is_own_client: bool
) -> tuple[jc.JudgeReply | jc.errors.TargetError, str]:
    """What a request ends with, and all bytes that its ledger and an export wrote."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        assert CANARY.encode() in head
        await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))
        writer.write(raw)

    async def send() -> tuple[jc.JudgeReply | jc.errors.TargetError, str]:
        async with scripted(converse), httpx.AsyncClient(follow_redirects=True, verify=PLAIN) as client:
            options: dict[str, Any] = {} if is_own_client else {"client": client}
            request = jc.JudgeRequest("Is it good?", logprobs=None if of == "anthropic" else 2)
            with jc.Ledger(folder / "run.db") as ledger:
                async with TARGETS[of](scripted.url, pacing=ONCE, **options) as target:
                    (result,) = await jc.send_many(target, [request], ledger=ledger)
                written = bytes_of(folder)
            with jc.LedgerReader(folder / "run.db") as reader:
                lines = [f"{json.dumps(entry.to_json())}\n{entry!r}" for entry in reader.entries()]
        return result, "\n".join([written, bytes_of(folder), *lines])

    return asyncio.run(send())


@pytest.mark.parametrize("is_own_client", [True, False], ids=["ours", "callers"])
@pytest.mark.parametrize("name", KINDS_OF_ANSWER)
def test_a_key_that_an_endpoint_repeats_appears_nowhere(
    scripted: ScriptedServer, tmp_path: Path, logged: Callable[[], str], name: str, *, is_own_client: bool
) -> None:
    result, written = ask(scripted, KINDS_OF_ANSWER[name], tmp_path, "openai", is_own_client=is_own_client)

    shown = (
        spelled(result)
        if isinstance(result, jc.errors.TargetError)
        else "\n".join(f"{getattr(result, one.name)!r} {getattr(result, one.name)}" for one in fields(result))
    )
    assert found(shown) == []
    assert found(written) == []
    assert found(logged()) == []
    if result.raw and isinstance(result, jc.JudgeReply):
        assert found(of_json(result.raw.decode())) == []
        assert found(of_json(json.dumps([dict(one) for one in result.logprobs or ()]))) == []


@pytest.mark.parametrize("name", ["raw", "escaped_all", "blocks", "error", "error_headers", "error_header_pieces"])
@pytest.mark.parametrize("of", ["azure", "anthropic"])
def test_so_it_is_with_the_keys_of_other_endpoints(
    scripted: ScriptedServer, tmp_path: Path, logged: Callable[[], str], name: str, of: str
) -> None:
    result, written = ask(scripted, KINDS_OF_ANSWER[name], tmp_path, of, is_own_client=True)

    shown = spelled(result) if isinstance(result, jc.errors.TargetError) else f"{result!r}{result.raw!r}"
    assert found(shown + written + logged()) == []


@pytest.mark.parametrize("name", body_kinds())
def test_a_reply_that_held_the_key_is_still_a_reply(scripted: ScriptedServer, tmp_path: Path, name: str) -> None:
    result, _ = ask(scripted, KINDS_OF_ANSWER[name], tmp_path, "openai", is_own_client=True)

    assert isinstance(result, jc.JudgeReply)
    assert json.loads(result.raw)
    if name == "refusal":
        assert (result.outcome, result.refusal) == ("refused", "***")
    elif name == "parts":
        assert result.text == "*********"
    elif name == "escaped_twice":
        assert result.text == 'Your key is {"key": 1} ***. Yes'
    else:
        assert result.text == "Your key is ***. Yes"
    with jc.LedgerReader(tmp_path / "run.db") as reader:
        (entry,) = reader.entries("received")
    assert entry.reply().text == result.text


@pytest.mark.parametrize("is_own_client", [True, False], ids=["ours", "callers"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("of", TARGETS)
def test_a_key_goes_to_no_other_origin(of: str, status: int, *, is_own_client: bool) -> None:
    heads: list[bytes] = []

    async def there(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer(json.dumps(completion())))
        writer.close()

    async def send() -> jc.JudgeReply:
        other = await asyncio.start_server(there, "127.0.0.1", 0)
        to = other.sockets[0].getsockname()[1]

        async def here(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer("", f"location: http://127.0.0.1:{to}/v1", status=f"{status} Elsewhere"))
            writer.close()

        server = await asyncio.start_server(here, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with other, server, httpx.AsyncClient(follow_redirects=True, verify=PLAIN) as client:
            options: dict[str, Any] = {} if is_own_client else {"client": client}
            async with TARGETS[of](url, pacing=ONCE, **options) as target:
                return await target.send(jc.JudgeRequest("Is it good?"))

    with pytest.raises(BadRequestError, match=rf"status {status}; it redirects, and a key goes to no other address"):
        asyncio.run(send())
    assert heads == []


@pytest.mark.parametrize("follows", [True, False])
def test_a_redirect_of_the_same_origin_is_followed_as_the_callers_client_does(
    scripted: ScriptedServer, *, follows: bool
) -> None:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))
        is_there = b"/there" in head.splitlines()[0]
        assert CANARY.encode() in head
        writer.write(
            answer(json.dumps(completion())) if is_there else answer("", "location: /there", status="307 Temporary")
        )

    async def send() -> jc.JudgeReply | jc.errors.TargetError:
        async with scripted(converse), httpx.AsyncClient(follow_redirects=follows, verify=PLAIN) as client:
            target = TARGETS["anthropic"](scripted.url, pacing=ONCE, client=client)
            (result,) = await jc.send_many(target, [jc.JudgeRequest("Is it good?")])
            return result

    assert isinstance(asyncio.run(send()), jc.JudgeReply) is follows


def test_a_client_that_redirects_in_a_circle_ends(scripted: ScriptedServer) -> None:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await scripted.read_request(reader):
            writer.write(answer("", "location: /v1/again", status="307 Temporary"))

    async def send() -> jc.JudgeReply:
        async with scripted(converse), httpx.AsyncClient(follow_redirects=True, verify=PLAIN) as client:
            target = TARGETS["openai"](scripted.url, pacing=ONCE, client=client)
            return await target.send(jc.JudgeRequest("Is it good?"))

    with pytest.raises(jc.errors.TargetError, match="redirects more than 20 times"):
        asyncio.run(send())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.just(CANARY),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.just(CANARY), inner, max_size=4),
    max_leaves=12,
)


@given(document=JSON, is_ascii=st.booleans())
def test_any_json_stays_json_of_the_same_shape_without_the_key(document: Any, *, is_ascii: bool) -> None:
    body = json.dumps(document, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")

    redacted = Redactor(CANARY).body(body, is_reply=True)

    assert CANARY not in json.dumps(json.loads(redacted), ensure_ascii=False)
    if CANARY.encode() not in body:
        assert redacted is body
    assert shape(document) == shape(json.loads(redacted))


def shape(value: Any) -> Any:
    """A document without its texts."""
    if isinstance(value, dict):
        return sorted(map(repr, map(shape, value.values())))
    if isinstance(value, list):
        return [shape(one) for one in value]
    return str if isinstance(value, str) else value


@given(body=st.binary() | st.text().map(lambda text: f'{{"choices": [{{"a": "{text}'.encode("utf-8", "surrogatepass")))
def test_any_bytes_without_the_key_stay_as_they_are(body: bytes) -> None:
    assert Redactor(CANARY).body(body, is_reply=False) == body


@pytest.mark.parametrize(
    "unit", ["\\", "%25", "&amp;", "s", "sk-", CANARY[:-1], "\\\\u0073", "\0", "A", CANARY, "&#115;", "\u200b"]
)
def test_a_flood_is_redacted_where_it_holds_the_key(unit: str) -> None:
    flood = unit * (100_000 // len(unit))
    redactor = Redactor(CANARY)

    for body in (flood, json.dumps({"a": flood}), json.dumps([unit] * 10_000)):
        assert (CANARY[:-1] in body) is (redactor.body(body.encode(), is_reply=True) != body.encode())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('k\\"e\\/y', "***"),
        ('k"e/y', "***"),
        ('K"E/Y', "***"),
    ],
)
def test_a_key_with_signs_that_json_escapes_is_found(text: str, shown: str) -> None:
    key = 'k"e/y-\\0123456789abcdef'
    rest = key.removeprefix('k"e/y')

    assert f"<{shown}>" == Redactor(key).text(f"<{text}{rest}>")
    assert json.loads(Redactor(key).body(json.dumps([key, "x"]).replace("/", "\\/").encode(), is_reply=True)) == [
        "***",
        "x",
    ]


KEYS = st.just(CANARY) | st.text(min_size=8, max_size=60) | st.text("%25&amp;#\\u0x41 :{}", min_size=8, max_size=60)
PARTS = [
    '"',
    "\\",
    '\\"',
    "[8 7]",
    "[1, 2",
    "[115,107]",
    "%25",
    "&amp;",
    "&#115;",
    "\\u0073",
    "\u0130",
    "\u200b",
    "\ud800",
    ": ",
]
FOREIGN = st.lists(st.sampled_from([*PARTS, CANARY, CANARY[:5]]) | st.text(max_size=8), max_size=12).map("".join)


@example(key=CANARY, text="[8 7]", raw=b"", with_key=False, is_reply=True)
@given(key=KEYS, text=FOREIGN, raw=st.binary(), with_key=st.booleans(), is_reply=st.booleans())
def test_nothing_that_an_endpoint_sends_makes_redaction_raise(
    key: str, text: str, raw: bytes, *, with_key: bool, is_reply: bool
) -> None:
    sent = text + key if with_key else text
    redactor = Redactor(key)
    encoded = sent.encode("utf-8", "surrogatepass")

    redactor.text(sent)
    assert len(redactor.headers([(sent, sent), (text, key), ("a", sent)])) == 3
    for body in (raw, encoded, raw + encoded, b'{"a":"' + encoded, json.dumps({sent: [text, key]}).encode()):
        redacted = redactor.body(body, is_reply=is_reply)
        try:
            document = json.loads(body)
        except (ValueError, UnicodeDecodeError):
            continue
        assert shape(document) == shape(json.loads(redacted))


@given(before=FOREIGN, after=FOREIGN, key=KEYS)
def test_a_key_of_any_letters_is_taken_out_of_any_text(before: str, after: str, key: str) -> None:
    assert key not in Redactor(key).text(f"{before}{key}{after}").replace("***", "\n\n")


UNITS = [
        '\\"', "\\", '"', "[1", "[8 7]", "%25", "%", "25", "&amp;", "&", "amp;", "&#0", "\\u{0", "\\u0073", "\u200b",
        "\0", " ", ":", CANARY[:-1], CANARY[:20], CANARY[14:27], CANARY[0], CANARY, "c2stQ2Fu", "A", "%5C", "&#37;",
        "sk-", "\\\\u0073", "&#115;",
]  # fmt: skip


@pytest.mark.parametrize("frame", ["{}", '"{}', '{{"a": "{}"}}', '{{"a": "{}'])
def test_four_times_a_hostile_body_takes_its_share_of_time(frame: str) -> None:
    redactor = Redactor(CANARY)

    def call(unit: str, size: int) -> Callable[[], object]:
        body = frame.format(unit * (size // len(unit))).encode()
        return lambda: redactor.body(body, is_reply=True)

    assert [(unit, by) for unit in UNITS if (by := growth(partial(call, unit))) > GROWTH] == []


REFERENCES = {"_": "&lowbar;", "-": "&hyphen;", "+": "&plus;", ".": "&period;"}


@pytest.mark.parametrize(
    "spelling",
    [
        base64.encodebytes(b"user and some words before it: " + CANARY.encode()).decode().strip(),
        CANARY.encode().hex(" "),
        CANARY.encode().hex(":").upper(),
        "".join(REFERENCES.get(one, one) for one in CANARY),
        html.escape("".join(REFERENCES.get(one, one) for one in CANARY)),
        f"{CANARY[:20]}\n{CANARY[20:]}",
        f"{CANARY[:20]}\r\n  {CANARY[20:]}",
        CANARY[6:],
        CANARY[3:-3],
        "".join(f"&#37;{ord(one):02x}" for one in CANARY),
        "".join(f"\\u{{{ord(one):x}}}" for one in CANARY),
    ],
)
def test_a_spelling_of_the_key_is_redacted_and_what_is_around_it_stays(spelling: str) -> None:
    redactor = Redactor(CANARY)
    shown = redactor.text(f"Your key is {spelling}. Yes")

    assert found(re.sub(r"[\s:]", "", shown)) == []
    assert shown.startswith("Your key is ")
    assert shown.endswith("***. Yes")
    assert json.loads(redactor.body(json.dumps({"a": f"is {spelling}."}).encode(), is_reply=True))["a"][-4:] == "***."


def test_a_key_that_is_cut_short_is_still_one_and_its_beginning_alone_is_not() -> None:
    redactor = Redactor(CANARY)

    assert redactor.text(f"Your key is {CANARY[:-9]}") == "Your key is ***"
    assert redactor.text(f"Keys begin with {CANARY[:12]}") == f"Keys begin with {CANARY[:12]}"


def test_a_short_key_is_a_word_of_a_reply_and_no_word_of_an_error() -> None:
    redactor = Redactor("canary-key")

    assert redactor.body(b'"canary-key"', is_reply=True) == b'"canary-key"'
    assert redactor.body(b'"canary-key"', is_reply=False) == b'"***"'
    assert Redactor("none").body(b'"none"', is_reply=False) == b'"none"'
