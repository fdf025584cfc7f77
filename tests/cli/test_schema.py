"""``judgecore schema``: what editors complete and check files of scorers and targets by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from judgecore.prompts.plain_yaml import load_plain_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = Path(__file__).parents[2] / "examples" / "score_table"


@pytest.mark.parametrize(("kind", "files"), [("scorer", ["harm", "refusal"]), ("target", ["judge"])])
def test_the_schema_accepts_the_examples_and_no_key_that_they_lack(
    judgecore: Callable[..., Any], kind: str, files: list[str]
) -> None:
    done = judgecore("schema", kind)

    schema = json.loads(done.stdout)
    for file in files:
        document = load_plain_yaml((EXAMPLES / f"{file}.yaml").read_text("utf-8"))
        jsonschema.validate(document, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**document, "nothing": 1}, schema)


def test_another_kind_of_file_is_refused_and_the_two_are_named(judgecore: Callable[..., Any]) -> None:
    done = judgecore("schema", "dataset")

    assert done.returncode == 2
    assert "'dataset' is not one of 'format', 'scorer', 'target'" in done.stderr
