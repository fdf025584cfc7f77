"""A task of Inspect AI, whose solver and whose grader are both the loopback judge."""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import generate


@task
def graded() -> Task:
    """Two questions, graded by a model."""
    samples = [
        Sample(input="What is the capital of France?", target="Paris"),
        Sample(input="Is water wet? Answer yes or no.", target="Yes"),
    ]
    return Task(dataset=samples, solver=generate(), scorer=model_graded_qa())
