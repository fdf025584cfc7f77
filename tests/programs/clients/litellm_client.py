"""litellm asks, by each of its routes: ``litellm_client.py URL KEY``."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version

import litellm

url, key = sys.argv[1:]
root = url.removesuffix("/v1")
asked = [{"role": "user", "content": "Is it good? Answer yes or no."}]
said: dict[str, object] = {"version": version("litellm")}

for route, base in (
    ("openai/m", url),
    ("hosted_vllm/m", url),
    ("azure/dep", root),
    ("anthropic/claude-3-5-sonnet-20241022", root),
):
    more = {"api_version": "2024-10-21"} if route.startswith("azure") else {}
    reply = litellm.completion(model=route, messages=asked, api_base=base, api_key=key, num_retries=0, **more)
    said[route] = reply.choices[0].message.content
try:
    litellm.completion(model="openai/m", messages=asked, api_base=url, api_key="wrong", num_retries=0)
except litellm.AuthenticationError as problem:
    said["wrong key"] = type(problem).__name__
print(json.dumps(said))
