"""The documents are true: their blocks run, their tables hold, their links lead somewhere."""

from __future__ import annotations

import ast
import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.cli import COMMANDS
from judgecore.reading import format_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINES_AT_MOST = {"README.md": 150, "ARCHITECTURE.md": 60}

# How lmms-eval reads what the table shows; the other publishers' rules are the formats' own.
INHERITED = {
    "lmms_eval.binary_01": lambda reply: jc.ResponseParser.parse_binary_response(reply, "0/1"),
    "lmms_eval.yes_no": lambda reply: jc.ResponseParser.parse_binary_response(reply, "yes/no"),
    "lmms_eval.score": lambda reply: jc.ResponseParser.parse_score_response(reply, (1, 10)),
    "lmms_eval.comparative": jc.ResponseParser.parse_comparative_response,
}


def name_of(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


def blocks_of(document: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", document.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def tables_of(text: str) -> list[list[list[str]]]:
    """The tables of a Markdown text, as rows of cells without header and rule."""
    tables = re.findall(r"(?:^\|.*\|\n?)+", text, re.MULTILINE)
    return [[[cell.strip() for cell in row[1:-1].split(" | ")] for row in one.splitlines()[2:]] for one in tables]


def section_of(document: Path, heading: str) -> str:
    return document.read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]


def bare(cell: str) -> str:
    return cell.removeprefix("`").removesuffix("`")


def said(outcome: jc.Reading | jc.Unreadable) -> Any:
    """The value, or the reason where there is none."""
    return outcome.value if isinstance(outcome, jc.Reading) else outcome.reason


def shown(cell: str) -> Any:
    """What a cell stands for: a Python value in backticks, or a reason without."""
    return ast.literal_eval(bare(cell)) if cell.startswith("`") else cell


MISREAD_SECTION = "Replies that other parsers misread"
MISREAD = [
    (bare(reply), bare(form), shown(elsewhere), shown(here))
    for reply, form, elsewhere, here in tables_of(section_of(ROOT / "README.md", MISREAD_SECTION))[0]
]


@pytest.mark.parametrize("document", [one for one in DOCUMENTS if blocks_of(one, "python")], ids=name_of)
def test_python_in_a_document_gives_what_stands_there(document: Path) -> None:
    text = "\n".join(blocks_of(document, "python"))
    test = doctest.DocTestParser().get_doctest(text, {}, name_of(document), str(document), 0)

    failed, _ = doctest.DocTestRunner(verbose=False).run(test)

    assert failed == 0
    assert ">>>" in text


@pytest.mark.parametrize(("reply", "form", "elsewhere", "here"), MISREAD)
def test_a_reply_that_others_misread_is_read_as_the_readme_says(
    reply: str, form: str, elsewhere: object, here: object
) -> None:
    inherited = INHERITED.get(form, lambda text: said(jc.parse(text, form, mode="paper")))

    assert repr(elsewhere) == repr(inherited(reply))
    assert repr(here) == repr(said(jc.parse(reply, form)))


def test_the_readme_names_every_reason() -> None:
    section = section_of(ROOT / "README.md", "Reasons")
    stub = (ROOT / "python" / "judgecore" / "_core.pyi").read_text("utf-8")
    reasons = re.search(r"_Reason: TypeAlias = Literal\[(.*?)\]", stub, re.DOTALL)

    assert reasons is not None
    assert set(re.findall(r'"(\w+)"', reasons[1])) == set(re.findall(r"`([a-z_]+)`", section)) - {"candidates"}


@pytest.mark.parametrize(
    ("reply", "old", "new", "value"),
    tables_of(section_of(ROOT / "docs" / "from-lmms-eval.md", "Old call, new call"))[0],
)
def test_the_new_call_gives_what_the_old_one_does(reply: str, old: str, new: str, value: str) -> None:
    names = {"jc": jc, "ResponseParser": jc.ResponseParser, "reply": bare(reply)}

    assert eval(bare(old), names) == ast.literal_eval(bare(value))  # noqa: S307 - our own document
    assert eval(bare(new), names) == ast.literal_eval(bare(value))  # noqa: S307 - as above


def run_block(block: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a document's commands in a folder, with the ``judgecore`` under test."""
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-e", "-c", block],
        cwd=folder,
        env={**os.environ, "PATH": search},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("block", blocks_of(ROOT / "README.md", "sh"))
def test_commands_in_the_readme_work(block: str, tmp_path: Path) -> None:
    replies = [{"raw": "Rating: [[8]]", "finish_reason": "stop"}, {"raw": "no idea", "finish_reason": "length"}]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in replies))
    makefile = (ROOT / "Makefile").read_text("utf-8")

    targets = re.findall(r"^make ([\w-]+)", block, re.MULTILINE)
    commands = "\n".join(line for line in block.splitlines() if not line.startswith("make "))
    done = run_block(commands, tmp_path)

    assert done.returncode == 0, done.stderr
    assert [one for one in targets if f"\n{one}:" not in makefile] == []


def found_in(pattern: str) -> list[tuple[Path, str]]:
    """What stands in the documents, each with its document."""
    return [(document, one) for document in DOCUMENTS for one in re.findall(pattern, document.read_text("utf-8"))]


def test_make_targets_that_a_document_names_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")

    # `make it` is a phrase of the English lexicon.
    named = [(document, one) for document, one in found_in(r"`make (?:-k )?([a-z-]+)`") if document.name != "en.md"]

    assert named
    assert [(name_of(document), one) for document, one in named if f"\n{one}:" not in makefile] == []


def test_links_lead_to_files_that_are_there() -> None:
    links = found_in(r"\]\(([^)\s]+)\)")
    inside = [(document, link) for document, link in links if not link.startswith(("http://", "https://"))]

    assert inside
    assert [(name_of(one), link) for one, link in inside if not (one.parent / link.partition("#")[0]).exists()] == []


def test_make_help_fits_80_columns_and_says_every_target_whole() -> None:
    command = ["/bin/sh", "-c", "make --no-print-directory help"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    says = dict(re.findall(r"^([a-z-]+):.*?  ## (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))

    listed = " ".join(shown.stdout.split())

    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert says
    assert [name for name, about in says.items() if f"make {name} {about}" not in listed] == []


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=name_of)
def test_an_example_says_how_its_judge_is_started_and_leaves_nothing_to_commit(example: Path) -> None:
    program = example.read_text("utf-8")
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    written = re.findall(r'(?:Ledger|Path)\(f?"([\w{}.-]+)"\)', program)

    assert "OpenAITarget(" not in program or "start `judgecore serve --port" in program.partition("import")[0]
    assert [one for one in written if f"/{re.sub('{.*}', '*', one)}".replace(".db", ".db*") not in ignored] == []


def test_the_readme_makes_the_file_that_it_reads(tmp_path: Path) -> None:
    [block] = [one for one in blocks_of(ROOT / "README.md", "sh") if "judgecore parse" in one]

    done = run_block(block, tmp_path)

    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "readings.jsonl").read_text())["value"] == 8.0


def test_the_architecture_names_folders_and_files_that_are_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    engine = ROOT / "rust" / "judgecore" / "src"
    roots = [ROOT, engine, engine / "reading", ROOT / "python" / "judgecore", ROOT / "rust/judgecore-py/src"]

    named = set(re.findall(r"`([\w./-]+(?:/|\.rs|\.py|\.pyi))`", text))

    assert named
    assert [path for path in sorted(named) if not any((root / path).exists() for root in roots)] == []


@pytest.mark.parametrize(("name", "limit"), LINES_AT_MOST.items())
def test_a_document_fits_what_a_reader_has_time_for(name: str, limit: int) -> None:
    assert len((ROOT / name).read_text("utf-8").splitlines()) <= limit


def test_the_format_file_that_is_shown_loads_and_reads_its_examples(tmp_path: Path) -> None:
    file = tmp_path / "essay.toml"
    (text,) = blocks_of(ROOT / "docs" / "formats.md", "toml")
    file.write_text(text)

    formats = [jc.Format.from_toml(file, variant) for variant in ("grade", "winner")]

    for form in formats:
        for example in form.examples:
            for mode in form.modes:
                want = example[mode]
                assert list(want.values()) == [said(jc.parse(example["reply"], form, mode=mode))]


def schemas(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each key of a format file with its schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {}).items()
    if isinstance(schema, (dict, list)):
        for part in schema.values() if isinstance(schema, dict) else schema:
            yield from schemas(part)


def test_every_key_of_a_format_file_and_every_word_that_it_may_hold_is_explained() -> None:
    text = (ROOT / "docs" / "formats.md").read_text("utf-8")
    keys = list(schemas(json.loads(format_schema())))
    words = {word for key, one in keys if key not in {"function", "formula"} for word in one.get("enum", ())}
    words |= {word for _, one in keys for word in one.get("items", {}).get("enum", ())}

    assert {"family", "true", "mapping"} <= {key for key, _ in keys}
    assert {"binary", "agree", "lowest", "last_line", "prompt", "observed", "marker"} <= words
    assert sorted(word for word in {key for key, _ in keys} | words if f"`{word}`" not in text) == []


def test_the_changelog_names_every_command_and_public_function() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    exported = [*jc.__all__, *jc.compat.__all__]
    public = [name for name in exported if name.startswith(("parse", "format")) or name.endswith(("Parser", "Builder"))]
    commands = [f"judgecore {name}" for name in COMMANDS]

    assert "## [Unreleased]" in text
    assert [name for name in (*public, *commands) if f"`{name}`" not in text] == []
