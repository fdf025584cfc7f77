"""OpenAI's own client asks: ``openai_client.py URL KEY``."""

from __future__ import annotations

import json
import sys

import openai

url, key = sys.argv[1:]
ASKED = [{"role": "user", "content": "Is it good? Answer yes or no."}]
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 1, "maximum": 5}, "passed": {"type": "boolean"}},
    "required": ["score", "passed"],
    "additionalProperties": False,
}
said: dict[str, object] = {"version": openai.__version__}


def error_of(client: openai.OpenAI) -> str:
    """The error that a request ends with."""
    try:
        client.chat.completions.create(model="m", messages=ASKED)
    except openai.APIError as problem:
        return type(problem).__name__
    return "none"


with openai.OpenAI(base_url=url, api_key=key, max_retries=0) as client:
    said["models"] = [model.id for model in client.models.list()]
    plain = client.chat.completions.create(
        model="m", messages=ASKED, logprobs=True, top_logprobs=3, seed=1, max_tokens=5
    )
    choice = plain.choices[0]
    said["text"], said["model"], said["finish_reason"] = choice.message.content, plain.model, choice.finish_reason
    said["top"] = [one.token for one in choice.logprobs.content[0].top_logprobs]
    said["tokens"] = plain.usage.total_tokens == plain.usage.prompt_tokens + plain.usage.completion_tokens
    form = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": SCHEMA, "strict": True}}
    bound = client.chat.completions.create(model="m", messages=ASKED, response_format=form)
    said["object"] = json.loads(bound.choices[0].message.content)
    stream = client.chat.completions.create(model="m", messages=ASKED, stream=True)
    said["streamed"] = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
with openai.OpenAI(base_url=url, api_key="wrong", max_retries=0) as client:
    said["wrong key"] = error_of(client)
azure = openai.AzureOpenAI(
    azure_endpoint=url.removesuffix("/v1"), api_key=key, api_version="2024-10-21", azure_deployment="dep", max_retries=0
)
with azure:
    said["azure"] = azure.chat.completions.create(model="m", messages=ASKED).choices[0].message.content
print(json.dumps(said))
