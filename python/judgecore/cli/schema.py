"""``judgecore schema``: the JSON Schemas of the files that describe formats, scorers and targets."""

from __future__ import annotations

import json
from typing import Literal

import click

from judgecore.errors import ConfigurationError
from judgecore.reading import format_schema
from judgecore.scorers.configuration import json_schema
from judgecore.terminal import escape_controls

EPILOG = """\b
Examples:
  judgecore schema format > format.schema.json
  judgecore schema scorer > scorer.schema.json
  judgecore schema target > target.schema.json
The first line of a file tells an editor where its schema is:
  # yaml-language-server: $schema=scorer.schema.json
  #:schema format.schema.json

\b
Exit status: 0 done, 2 wrong use or an installed package that can't be loaded.
"""


@click.command("schema", epilog=EPILOG)
@click.argument("kind", type=click.Choice(["format", "scorer", "target"]))
def schema_command(*, kind: Literal["format", "scorer", "target"]) -> None:
    """Print the JSON Schema of the TOML files of formats, or of the YAML files of scorers or targets.

    Editors complete and check such files by it. That of scorers and targets has judgecore's own classes and those of
    installed packages, with all their parameters.
    """
    try:
        schema = json.loads(format_schema()) if kind == "format" else json_schema(kind)
    except ConfigurationError as problem:
        raise click.UsageError(escape_controls(str(problem))) from None
    click.echo(json.dumps(schema, indent=2, ensure_ascii=False))
