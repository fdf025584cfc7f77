"""Anthropic's own client asks: ``anthropic_client.py URL KEY``."""

from __future__ import annotations

import json
import sys

import anthropic

url, key = sys.argv[1:]
asked = {"model": "m", "max_tokens": 50, "messages": [{"role": "user", "content": "Is it good? Answer yes or no."}]}
said: dict[str, object] = {"version": anthropic.__version__}

with anthropic.Anthropic(base_url=url.removesuffix("/v1"), api_key=key, max_retries=0) as client:
    message = client.messages.create(system="You judge.", **asked)
    said["text"], said["model"], said["stop_reason"] = message.content[0].text, message.model, message.stop_reason
    said["tokens"] = message.usage.input_tokens > 0 < message.usage.output_tokens
    with client.messages.stream(**asked) as stream:
        said["streamed"] = "".join(stream.text_stream)
    form = {"type": "json_schema", "schema": {"type": "object", "properties": {"passed": {"type": "boolean"}}}}
    bound = client.messages.create(output_config={"format": form}, **asked)
    said["object"] = json.loads(bound.content[0].text)
with anthropic.Anthropic(base_url=url.removesuffix("/v1"), api_key="wrong", max_retries=0) as client:
    try:
        client.messages.create(**asked)
    except anthropic.APIError as problem:
        said["wrong key"] = type(problem).__name__
print(json.dumps(said))
