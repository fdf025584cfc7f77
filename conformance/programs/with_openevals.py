"""Parses cases of kind `json` with OpenEvals: its scorer calls an OpenAI client that returns the reply."""

from types import SimpleNamespace
from typing import Any

from openevals.llm import _create_llm_as_judge_scorer
from serving import serve, verdict_of


def load(reply: str) -> Any:
    """The document that OpenEvals' judge returns if the model writes this reply."""
    choices = [SimpleNamespace(message=SimpleNamespace(content=reply))]
    completions = SimpleNamespace(create=lambda **_: SimpleNamespace(choices=choices))
    client = SimpleNamespace(chat=SimpleNamespace(completions=completions))
    schema = {"type": "object"}
    judge = _create_llm_as_judge_scorer(prompt="{outputs}", schema=schema, judge=client, model="openai:any")
    return judge(outputs="any")


serve(lambda case: verdict_of(load, case))
