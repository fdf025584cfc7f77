"""``judgecore formats --check``, and what ``judgecore formats`` shows of a file that says what is not so."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.checking import check_format

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.conftest import Program

    Write = Callable[[str, str], Any]

HEAD = """\
family = "essay"
title = "Essay judge"
evidence = "observed"
sources = ["our prompt"]

[[formats]]
id = "essay"
"""
SCORE = 'kind = "score"\nlow = 1\nhigh = 6\nmarkers = ["Grade: <{}>"]\n'
CHOICE = 'kind = "choice"\nmarkers = ["[[{}]]"]\nlabels = { first = ["first"], second = ["second"] }\n'
FIELDS = 'kind = "fields"\nfields.Style = { kind = "score", low = 1, high = 5 }\n'
ANSWER = '{ side = "response", true = ["unsafe"], false = ["safe"] }'
GUARD = f'kind = "guard"\nguard = {{ subject = "response", answers = [{ANSWER}] }}\n'
PAPER = "paper = { steps = [{ pattern = '[0-9]+' }], default = 1, out_of_range = \"keep\" }\n"


def example(reply: str, lenient: str, strict: str, more: str = "") -> str:
    return f"\n[[formats.examples]]\nreply = {json.dumps(reply)}\nlenient = {lenient}\nstrict = {strict}\n{more}"


def test_a_file_that_says_what_is_read_passes(judgecore: Program, write: Write) -> None:
    unread = '{ unreadable = "no_verdict" }'
    write("my.toml", HEAD + SCORE + example("Two errors. Grade: <4>", "4", "4") + example("No.", unread, unread))

    done = judgecore("formats", "--check", "my.toml")

    assert (done.returncode, done.stderr) == (0, "")
    assert "essay  all holds; 2 examples in lenient, strict\n" in done.stdout
    assert "Give at least 6 examples" in done.stdout


def test_a_single_example_is_counted_in_the_singular(judgecore: Program, write: Write) -> None:
    write("my.toml", HEAD + SCORE + example("Grade: <4>", "4", "4", 'note = "to confirm"\n'))

    done = judgecore("formats", "--check", "my.toml")

    assert "essay  all holds; 1 example in lenient, strict\n" in done.stdout
    assert '1 has the note "to confirm"' in done.stdout


def test_a_difference_has_its_line_a_caret_under_the_evidence_and_the_line_to_write(
    judgecore: Program, write: Write
) -> None:
    text = HEAD + SCORE + example("Two of 5 facts.\nGrade: <4>, all in all", "4", "3")
    write("my.toml", text)

    done = judgecore("formats", "--check", "my.toml")

    assert done.returncode == 3
    assert f"line {text.splitlines().index('strict = 3') + 1}: example 1, strict\n" in done.stdout
    assert "  Grade: <4>, all in all\n  ^^^^^^^^^^\n" in done.stdout
    told = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert {"the file 3", "is read 4, by marker", "if right write strict = 4"} <= set(told)


def test_the_line_to_write_makes_the_file_pass(judgecore: Program, write: Write) -> None:
    text = HEAD + GUARD + example("unsafe", "{ unsafe = false }", '{ unreadable = "empty" }')
    write("my.toml", text)

    found = json.loads(judgecore("formats", "--check", "my.toml", "--json").stdout)

    lines = text.splitlines()
    for difference in found[0]["differences"]:
        lines[difference["line"] - 1] = difference["write"]
    write("my.toml", "\n".join(lines))
    assert len(found[0]["differences"]) == 2
    assert judgecore("formats", "--check", "my.toml").returncode == 0


@pytest.mark.parametrize(
    ("keys", "lenient", "told"),
    [
        (SCORE, "9", "9 is not on the scale from 1 to 6"),
        (SCORE, '"4"', 'a score is a number, not "4"'),
        (SCORE, '{ unreadable = "no_verdit" }', "did you mean no_verdict?"),
        (SCORE, '{ unreadable = "low_mass" }', "no reply gives the reason low_mass"),
        (SCORE, '{ unreadble = "no_verdict" }', "unreadble is no outcome; did you mean unreadable?"),
        (SCORE, "{ invented = 1 }", "lenient reading invents nothing"),
        (CHOICE, '"frist"', "no label; did you mean first?"),
        (CHOICE, "1", "1 is no label; there are first, second"),
        (FIELDS, "{ Stile = 4 }", "Stile is no field; did you mean Style?"),
        (FIELDS, "{ Style = 7 }", "Style: 7 is not on the scale from 1 to 5"),
        (FIELDS, "4", "a format of fields gives a table, not 4"),
        (GUARD, "true", "a guard gives a table"),
        (GUARD, "{ unsave = true }", "unsave is nothing that a guard gives; did you mean unsafe?"),
    ],
)  # fmt: skip
def test_an_outcome_that_cannot_be_is_refused_with_the_nearest_that_can(
    judgecore: Program, write: Write, keys: str, lenient: str, told: str
) -> None:
    write("my.toml", HEAD + keys + example("Well.", lenient, '{ unreadable = "no_verdict" }'))

    done = judgecore("formats", "--check", "my.toml")

    assert done.returncode == 3
    assert told in " ".join(done.stdout.split())


def test_a_publishers_rule_may_keep_what_is_off_the_scale_and_invent(judgecore: Program, write: Write) -> None:
    unread, off = '{ unreadable = "no_verdict" }', '{ unreadable = "out_of_range" }'
    examples = example("Grade: <9>", off, off, "paper = 9\n") + example(
        "No.", unread, unread, "paper = { invented = 1 }\n"
    )
    write("my.toml", HEAD + SCORE + PAPER + examples)

    done = judgecore("formats", "--check", "my.toml")

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("marker", "labels", "told"),
    [
        ("-{}-", "a-b,c", 'the marker -{}- around a-b is not read as "a-b" in strict mode'),
        ("Winner: {} wins", "A,A wins", 'around A is not read as "A" in lenient mode'),
        ("[[A]]", "A,B", "the marker [[A]] holds a verdict; put {} in its place"),
        ("Verdict A", "A,B", 'the marker Verdict A is read as "A" where no verdict stands in it'),
        ("[[{}]]", "A,B", "no example says what is read"),
        ("Score (A-B)", "A,B", "no example says what is read"),
    ],
)
def test_a_marker_that_swallows_its_verdict_or_holds_one_is_found(
    judgecore: Program, write: Write, marker: str, labels: str, told: str
) -> None:
    forms = ", ".join(f"'{label}' = ['{label}']" for label in labels.split(","))
    write("my.toml", f"{HEAD}kind = 'choice'\nmarkers = ['{marker}']\nlabels = {{ {forms} }}\n")

    done = judgecore("formats", "--check", "my.toml")

    assert told in " ".join(done.stdout.split())
    is_found = told != "no example says what is read"
    assert (3 if is_found else 0) == done.returncode
    assert ("line 9: markers" in done.stdout) == is_found


def test_a_marker_with_its_verdict_is_proposed_with_the_place(judgecore: Program, write: Write) -> None:
    text = HEAD + SCORE.replace('["Grade: <{}>"]', '["Mark", "Grade: <4>"]')
    write("my.toml", text)

    done = judgecore("formats", "--check", "my.toml")

    assert 'markers = ["Mark", "Grade: <{}>"]' in " ".join(done.stdout.split())


def test_every_shipped_format_passes() -> None:
    assert {form.id: found for form in jc.formats() if (found := check_format(form).differences)} == {}


def test_a_wrong_file_is_told_with_line_and_cure(judgecore: Program, write: Write) -> None:
    write("my.toml", HEAD + SCORE.replace("low = 1", 'low = "1"'))

    done = judgecore("formats", "--check", "my.toml")

    assert done.returncode == 2
    assert 'my.toml, line 9: low takes a number, not the text "1"; write low = 1\n' in done.stderr
    assert '  low = "1"\n        ^^^\n' in done.stderr


def test_one_variant_of_a_file_is_checked_alone_and_all_without_it(
    judgecore: Program, write: Write, own_formats: str
) -> None:
    write("mine.toml", own_formats + example("three", "2", "2"))

    every = json.loads(judgecore("formats", "--check", "mine.toml", "--json").stdout)
    side = judgecore("formats", "--check", "mine.toml:side")

    assert {one["id"]: len(one["differences"]) for one in every} == {"mine.side": 0, "mine.grade": 2}
    assert (side.returncode, "mine.grade" not in side.stdout) == (0, True)
    assert "no format" in judgecore("formats", "--check", "arena_hrad").stderr
    assert judgecore("formats", "--check", "arena_hard").returncode == 0


def test_what_a_file_says_is_not_shown_as_what_is_read(judgecore: Program, write: Write) -> None:
    write("my.toml", HEAD + SCORE + example("Grade: <4>", "5", "4"))

    shown = judgecore("formats", "my.toml").stdout
    as_json = json.loads(judgecore("formats", "my.toml", "--json").stdout)

    row = next(line for line in shown.splitlines() if line.strip().startswith("Grade: <4> "))
    assert row.split()[2:] == ["4;", "file:", "5", "4"]
    assert as_json["examples"][0]["read"] == {"lenient": {"value": 4.0}, "strict": {"value": 4.0}}


def test_a_check_fits_80_columns(judgecore: Program, write: Write) -> None:
    reply = "The essay is long and 说得很清楚 " * 12 + "Grade: <4>" + " and so on" * 20
    examples = example(reply, "3", "3") + example("x" * 300, "9", '{ unreadable = "no_verdit" }')
    write("my.toml", HEAD + SCORE + examples)

    with judgecore.on_terminal("formats", "--check", "my.toml", NO_COLOR="1", TERM="dumb") as terminal:
        shown, status = terminal.wait()

    assert status == 3
    lines = shown.splitlines()
    caret = next(nth for nth, line in enumerate(lines) if set(line.strip()) == {"^"})
    assert "Grade: <4>" in lines[caret - 1]
    assert max(map(cells, lines)) <= 80


def cells(line: str) -> int:
    """The columns of a line whose Chinese characters take two."""
    return sum(2 if "\u4e00" <= one <= "\u9fff" else 1 for one in line)


def test_a_reply_cant_steer_the_terminal(judgecore: Program, write: Write) -> None:
    write("my.toml", HEAD + SCORE + example("\x1b[2J Grade: <4>", "3", "4"))

    done = judgecore("formats", "--check", "my.toml")

    assert "\x1b" not in done.stdout
    assert "\\x1b[2J Grade: <4>\n" in done.stdout


def test_check_as_a_process_has_its_status(judgecore: Program, write: Write) -> None:
    write("my.toml", HEAD + SCORE + example("Grade: <4>", "3", "4"))

    done = judgecore.process("formats", "--check", "my.toml")

    assert isinstance(done, subprocess.CompletedProcess)
    assert (done.returncode, done.stderr) == (3, "")
    assert "Exit status: 0 done, 2 wrong use or a wrong file, 3 a check" in judgecore("formats", "--help").stdout


RULE = "[formats.paper]\nsteps = [{ pattern = 'S: (\\d)', groups = [2] }]\n"
EXAMPLE = '[[formats.examples]]\nreply = "S: 4"\nlenient = 4\nstrict = 4\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEAD + SCORE + RULE + EXAMPLE, "there is no group 2; the pattern has 1, and group 0 is the whole match"),
        (HEAD + SCORE + EXAMPLE + "paper = 4\n", "the format has no [formats.paper]; add the rule, or remove it"),
        (
            "\n".join(line for line in (HEAD + SCORE).splitlines() if not line.startswith("id =")),
            "id: is missing; give",
        ),
    ],
)
def test_a_rule_an_example_and_an_id_that_cannot_be_are_refused(
    judgecore: Program, write: Write, text: str, told: str
) -> None:
    write("my.toml", text)

    done = judgecore("formats", "--check", "my.toml")

    assert done.returncode == 2
    assert told in done.stderr
