"""``judgecore formats``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from cli.conftest import Program, Terminal

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# One process for all formats: starting one for each takes most of a minute.
SHOW_EACH = """
import sys
from judgecore.cli import main
for name in sys.argv[1:]:
    try:
        main(["formats", name])
    except SystemExit as end:
        if end.code:
            raise
    print(end="\\f", flush=True)
"""


def test_list_names_every_format_with_kind_evidence_and_modes(judgecore: Program) -> None:
    done = judgecore("formats")

    rows = [line.split() for line in done.stdout.splitlines()]
    for one in jc.formats():
        modes = [mode[0].upper() for mode in one.modes]
        assert any(row[: 3 + len(modes)] == [one.id, one.kind, one.evidence_level, *modes] for row in rows), one.id


def test_list_as_json_holds_what_the_library_says(judgecore: Program) -> None:
    done = judgecore("formats", "--json")

    assert [one.id for one in jc.formats()] == [one["id"] for one in json.loads(done.stdout)]


def test_list_can_be_of_one_kind_and_of_one_family(judgecore: Program) -> None:
    done = judgecore("formats", "--kind", "guard", "--family", "jailbreakbench", "--json")

    assert [one["id"] for one in json.loads(done.stdout)] == ["jailbreakbench.judge"]
    for kind in {one.kind for one in jc.formats()}:
        listed = json.loads(judgecore("formats", "--kind", kind, "--json").stdout)
        assert [one["id"] for one in listed] == [one.id for one in jc.formats() if one.kind == kind]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--family", "lama_guard"), "no family 'lama_guard'; the nearest are llama_guard"),
        (("--family", "llama_guard", "--kind", "score"), "no format of llama_guard has the kind score"),
        (("--kind", "guards"), "'guards' is not one of"),
        (("arena_hard", "--kind", "choice"), "don't combine them with an ID"),
    ],
)
def test_filters_that_match_no_format_fail_with_a_hint(
    judgecore: Program, arguments: tuple[str, ...], words: str
) -> None:
    done = judgecore("formats", *arguments)

    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())


def test_list_fits_80_columns(judgecore: Program) -> None:
    with judgecore.on_terminal("formats", NO_COLOR="1", TERM="dumb") as terminal:
        shown, status = terminal.wait()

    assert status == 0
    assert max(map(len, shown.splitlines())) <= 80


def test_every_format_fits_80_columns(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SHOW_EACH, *(one.id for one in jc.formats())]

    with Terminal(command, tmp_path, Program.environment(NO_COLOR="1", TERM="dumb")) as terminal:
        shown, status = terminal.wait()

    assert status == 0
    *pages, end = shown.split("\f")
    assert (len(pages), end.strip()) == (len(jc.formats()), "")
    assert max(len(line) for page in pages for line in page.splitlines()) <= 80


def test_one_format_shows_labels_markers_modes_sources_and_examples(judgecore: Program) -> None:
    form = jc.Format.get("arena_hard")

    done = judgecore("formats", "arena_hard")

    assert form.title in done.stdout
    assert "A>>B: " in done.stdout
    assert "[[{}]]" in done.stdout
    assert "lenient, strict, paper" in done.stdout
    assert form.sources[0].split(",")[0] in done.stdout
    assert form.examples[0]["reply"][:20] in done.stdout


def test_one_format_shows_its_scale(judgecore: Program) -> None:
    done = judgecore("formats", "mt_bench.single")

    assert "scale       1 to 10\n" in done.stdout.replace(" \n", "\n")


def test_one_format_shows_the_publishers_rule_step_by_step(judgecore: Program) -> None:
    rule = jc.Format.get("mt_bench.single").publisher_rule

    done = judgecore("formats", "mt_bench.single")
    without = judgecore("formats", "llama_guard.3")

    assert rule is not None
    shown = [line.removeprefix("paper rule").strip() for line in done.stdout.splitlines()]
    assert set(rule.splitlines()) <= set(shown)
    assert "paper rule" not in without.stdout


def test_a_guard_shows_what_its_codes_mean(judgecore: Program) -> None:
    done = judgecore("formats", "llama_guard.3")

    assert "S10 Hate" in done.stdout


def test_a_place_and_the_fields_of_a_document_are_shown(judgecore: Program, write: Callable[[str, str], Path]) -> None:
    head = 'family = "mine"\ntitle = "Mine"\nevidence = "card"\nsources = ["a paper"]\n'
    placed = '[[formats]]\nid = "mine.placed"\nkind = "binary"\ntrue = ["yes"]\nfalse = ["no"]\nplace = "last_line"\n'
    fields = '[[formats]]\nid = "mine.fields"\nkind = "fields"\njson = true\n[formats.fields]\n'
    fields += '"a.b" = { kind = "score", low = 1, high = 5 }\n"c" = { kind = "order", names = ["A", "B"] }\n'
    write("mine.toml", head + placed + fields)

    shown = [" ".join(line.split()) for line in judgecore("formats", "mine.toml:fields").stdout.splitlines()]
    got = json.loads(judgecore("formats", "mine.toml:fields", "--json").stdout)

    assert {"fields a.b: score 1 to 5", "c: order A, B"} <= set(shown)
    assert {name: part["kind"] for name, part in got["parts"].items()} == {"a.b": "score", "c": "order"}
    assert "place       last line\n" in judgecore("formats", "mine.toml:placed").stdout.replace(" \n", "\n")
    assert json.loads(judgecore("formats", "mine.toml:placed", "--json").stdout)["place"] == "last_line"


def test_examples_show_the_outcome_of_each_mode(
    judgecore: Program, write: Callable[[str, str], Path], own_formats: str
) -> None:
    examples = """
[[formats.examples]]
reply = "I say three"
note = "a word"
lenient = 3
strict = { unreadable = "no_verdict" }
"""
    write("mine.toml", own_formats + examples)

    done = judgecore("formats", "mine.toml:grade")

    row = next(line for line in done.stdout.splitlines() if line.strip().startswith("I say"))
    assert row.split() == ["I", "say", "three", "3", "no_verdict"]
    assert "a word" in done.stdout


def test_one_format_as_json_holds_its_declaration(judgecore: Program) -> None:
    form = jc.Format.get("llama_guard.3")

    got = json.loads(judgecore("formats", "llama_guard.3", "--json").stdout)

    assert (form.id, form.kind, list(form.modes)) == (got["id"], got["kind"], got["modes"])
    assert (form.first_token, form.publisher_rule) == (got["first_token"], got["publisher_rule"])
    assert form.categories == got["categories"]
    assert len(form.examples) == len(got["examples"])


def test_a_file_of_ones_own_is_shown_by_variant(
    judgecore: Program, write: Callable[[str, str], Path], own_formats: str
) -> None:
    write("mine.toml", own_formats)

    done = judgecore("formats", "mine.toml:side")

    assert done.stdout.startswith("mine.side  Mine\nThe better side.\n")
    assert "judgecore parse replies.jsonl --format mine.toml:side" in done.stdout


def test_a_file_of_several_formats_without_a_variant_names_them(
    judgecore: Program, write: Callable[[str, str], Path], own_formats: str
) -> None:
    write("mine.toml", own_formats)

    done = judgecore("formats", "mine.toml")

    assert done.returncode == 2
    assert "mine.side, mine.grade" in done.stderr
    assert "FILE.toml:VARIANT" in done.stderr


def test_a_broken_file_is_named_with_the_key(
    judgecore: Program, write: Callable[[str, str], Path], own_formats: str
) -> None:
    write("mine.toml", own_formats.replace('"choice"', '"chioce"'))

    done = judgecore("formats", "mine.toml:side")

    assert done.returncode == 2
    assert "mine.toml" in done.stderr
    assert 'kind = "chioce"\n' in done.stderr


@pytest.mark.parametrize(("content", "says"), [(None, "No such file"), (b"\xff\xfe", "not valid UTF-8")])
def test_a_file_that_cant_be_read_is_named(
    judgecore: Program, write: Callable[[str, bytes], Path], content: bytes | None, says: str
) -> None:
    if content is not None:
        write("mine.toml", content)

    done = judgecore("formats", "mine.toml")

    assert done.returncode == 2
    assert "mine.toml" in done.stderr
    assert says in done.stderr


def test_an_unknown_name_suggests_the_nearest(judgecore: Program) -> None:
    done = judgecore("formats", "arena_hrad")

    assert done.returncode == 2
    assert 'no format "arena_hrad"; the nearest are arena_hard, ' in done.stderr


LLAMA_GUARDS = f"are {', '.join(form.id for form in jc.formats() if form.id.startswith('llama_guard.'))}"


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("mtbench", "are mt_bench.single, mt_bench.pair, mt_bench.vicuna"),
        ("MT-Bench", "are mt_bench.single, mt_bench.pair, mt_bench.vicuna"),
        ("llamaguard", LLAMA_GUARDS),
        ("LlamaGuard3", "is llama_guard.3"),
        ("arena", "is arena_hard"),
        ("prometeus", "are prometheus.absolute, prometheus.relative, m_prometheus.absolute"),
    ],
)
def test_a_name_as_people_write_it_suggests_the_one_that_is_meant(judgecore: Program, asked: str, near: str) -> None:
    done = judgecore("formats", asked)

    assert done.returncode == 2
    assert f'no format "{asked}"; the nearest {near}\n' in done.stderr


def test_a_name_unlike_any_format_gets_no_suggestion(judgecore: Program) -> None:
    assert 'no format "qqqqqq", and no similar name; formats() lists them' in judgecore("formats", "qqqqqq").stderr


def test_a_file_cant_control_the_terminal(
    judgecore: Program, write: Callable[[str, str], Path], own_formats: str
) -> None:
    write("mine.toml", own_formats.replace("A grade.", "A grade.\\u001b[2J").replace('"Mine"', '"[red]Mine"'))

    done = judgecore("formats", "mine.toml:grade")

    assert "\x1b" not in done.stdout
    assert "A grade.\\x1b[2J" in done.stdout
    assert "[red]Mine" in done.stdout
