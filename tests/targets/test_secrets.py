"""A key is in the header of a request, and nowhere else: not even where the endpoint repeats it."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from targets.conftest import ScriptedServer

CANARY = "sk-canary-3f9d1c7e5a2b4068-never-shown"
LEAK = Path(__file__).parents[1] / "programs" / "leak.py"


def echoing(body: bytes) -> bytes:
    """An answer that repeats the key wherever an answer can."""
    if b"html" in body:
        said, status = f"<html>{CANARY}</html>", b"200 OK"
    elif b"error" in body:
        said, status = json.dumps({"error": {"message": f"Incorrect API key provided: {CANARY}."}}), b"401 No"
    elif b"break" in body:
        return b"HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n" + CANARY.encode()
    elif b"odd header" in body:
        return b"HTTP/1.1 500 " + CANARY.encode() + b"\r\nbad header " + CANARY.encode() + b"\r\n\r\n"
    else:
        message = {"role": "assistant", "content": f"Your key is {CANARY}"}
        text = [{"type": "text", "text": f"Your key is {CANARY}"}]
        said = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "content": text})
        status = b"200 OK"
    headers = [b"x-key: " + CANARY.encode(), b"content-length: %d" % len(said)]
    return b"\r\n".join([b"HTTP/1.1 " + status, *headers, b"", said.encode()])


def test_a_canary_is_found_in_nothing_that_was_written(scripted: ScriptedServer, tmp_path: Path) -> None:
    n_seen = 0

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal n_seen
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            n_seen += CANARY.encode() in head
            body = await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))
            assert CANARY.encode() not in body
            writer.write(echoing(body))
            if b"break" in body:
                return

    async def spill() -> tuple[int, bytes]:
        async with scripted(converse):
            variables = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY")
            env = {**os.environ, **dict.fromkeys(variables, CANARY)}
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                LEAK,
                scripted.url,
                tmp_path,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            said, _ = await process.communicate(CANARY.encode() + b"\n")
            return process.returncode or 0, said

    status, said = asyncio.run(spill())

    written = {file.name: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert (status, n_seen >= 2 * 3) == (0, True), said.decode()
    assert len(written) > 20
    assert b"Your key is ***" in written["0-True.jsonl"]
    assert b"Incorrect API key provided: ***." in said
    forms = [CANARY, CANARY[3:-3], base64.b64encode(CANARY.encode()).decode(), CANARY.encode().hex()]
    for name, content in {"output": said, **written}.items():
        assert [form for form in forms if form.encode() in content] == [], name


def test_a_key_is_no_part_of_what_is_hashed() -> None:
    one, other = (
        jc.OpenAITarget("m", base_url="http://127.0.0.1:9/v1", api_key=key) for key in (CANARY, "another-key-of-mine")
    )
    request = jc.JudgeRequest("Is it good?")

    assert one.get_identifier().hash == other.get_identifier().hash
    assert one.payload(request) == other.payload(request)


def test_a_target_whose_key_is_in_the_environment_can_be_pickled_and_one_that_was_passed_its_key_can_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    found = jc.OpenAITarget("m", base_url="http://127.0.0.1:9/v1", pacing=jc.Pacing(attempts=1))
    passed = jc.OpenAITarget("m", base_url="http://127.0.0.1:9/v1", api_key=CANARY)

    with pytest.raises(jc.errors.TargetError):
        asyncio.run(found.send(jc.JudgeRequest("used before it is pickled")))

    copied = pickle.loads(pickle.dumps(found))

    assert copied.get_identifier() == found.get_identifier()
    assert CANARY.encode() not in pickle.dumps(found)
    with pytest.raises(TypeError, match="set OPENAI_API_KEY where the target is used"):
        pickle.dumps(passed)
