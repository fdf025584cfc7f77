"""``judgecore schema``: print the JSON Schema of format, scorer and target files."""

from __future__ import annotations

import json
from typing import Literal

import click

from judgecore.reading import format_schema
from judgecore.scorers.configuration import json_schema

EPILOG = """\b
Examples:
  judgecore schema format > format.schema.json
  judgecore schema scorer > scorer.schema.json
  judgecore schema target > target.schema.json
For editors, name the schema in the first line of a file:
  # yaml-language-server: $schema=scorer.schema.json
  #:schema format.schema.json

\b
Exit status: 0 success, 2 usage error or an installed package can't be loaded.
"""


@click.command("schema", epilog=EPILOG)
@click.argument("kind", type=click.Choice(["format", "scorer", "target"]))
def schema_command(*, kind: Literal["format", "scorer", "target"]) -> None:
    """Print the JSON Schema of the TOML files of formats, or of the YAML files of scorers or targets.

    The schema of scorers and targets covers judgecore's classes and those of installed packages, with all parameters.
    Editors use schemas for completion and validation.
    """
    schema = json.loads(format_schema()) if kind == "format" else json_schema(kind)
    click.echo(json.dumps(schema, indent=2, ensure_ascii=False))
