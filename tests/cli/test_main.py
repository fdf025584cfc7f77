"""What holds for all commands: help, version, exit statuses of wrong use."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Program

from judgecore.cli import COMMANDS

HAVE_STATUSES = ("compare", "convert", "correct", "dataset", "evaluate", "parse", "report", "schema", "score")


def test_help_lists_every_command_with_an_example(judgecore: Program) -> None:
    done = judgecore("--help")

    assert done.returncode == 0
    assert all(f"\n  {command}  " in done.stdout for command in COMMANDS)
    assert "Examples:\n    judgecore demo\n" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_examples_and_fits_80_columns(judgecore: Program, command: str) -> None:
    done = judgecore(command, "--help", COLUMNS="80")

    assert done.returncode == 0
    assert f"Examples:\n    judgecore {command} " in done.stdout.replace(
        f"judgecore {command}\n", f"judgecore {command} "
    )
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("group", [(), ("convert",), ("dataset",), ("ledger",), ("metrics",)])
def test_the_help_of_each_subcommand_fits_one_line(judgecore: Program, group: tuple[str, ...]) -> None:
    listed = judgecore(*group, "--help", COLUMNS="80").stdout.partition("Commands:\n")[2].partition("\n\n")[0]

    assert listed
    assert [line for line in listed.splitlines() if not line.endswith(".") or line.endswith("...")] == []


@pytest.mark.parametrize("command", HAVE_STATUSES)
def test_help_says_what_exit_statuses_mean(judgecore: Program, command: str) -> None:
    assert "Exit status: 0 " in judgecore(command, "--help").stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_all_commands_and_of_one_describe_it(judgecore: Program, command: str) -> None:
    listed = judgecore("--help").stdout
    own = judgecore(command, "--help").stdout

    assert own.startswith(f"Usage: judgecore {command} ")
    assert command in listed


def test_version_is_that_of_the_installed_package(judgecore: Program) -> None:
    done = judgecore.process("--version")

    assert f"judgecore {version('judgecore')}\n" == done.stdout


@pytest.mark.parametrize("words", [("--version",), ("--help",), ("parse", "--help"), ("formats",), ("pars",)])
def test_the_module_and_a_forked_run_do_what_the_program_does(judgecore: Program, words: tuple[str, ...]) -> None:
    own, forked = judgecore.process(*words), judgecore(*words)

    module = [sys.executable, "-m", "judgecore", *words]
    done = subprocess.run(module, capture_output=True, text=True, check=False, env=judgecore.environment())

    for one in (own, forked):
        assert (one.returncode, one.stdout, one.stderr) == (done.returncode, done.stdout, done.stderr)
    assert done.stdout or "Usage: judgecore " in done.stderr


def test_help_loads_neither_rich_nor_the_extension() -> None:
    code = (
        "import sys\n"
        "from judgecore.cli import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit:\n    print({'rich', 'judgecore._core'} & set(sys.modules), file=sys.stderr)\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stderr == "set()\n"


@pytest.mark.parametrize("words", [(), ("parse",), ("ledger", "show")])
def test_help_before_a_command_is_its_help(judgecore: Program, words: tuple[str, ...]) -> None:
    asked = judgecore("help", *words)

    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout == judgecore(*words, "--help").stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("pars",), "No such command 'pars'. Did you mean parse?"),
        (("help", "evaluat"), "No such command 'evaluat'. Did you mean evaluate?"),
        (("version",), "No such command 'version'. Did you mean --version?"),
        (("x",), "No such command 'x'. The commands are compare, convert, "),
    ],
)
def test_a_command_that_is_misspelled_is_told_the_nearest(
    judgecore: Program, words: tuple[str, ...], says: str
) -> None:
    done = judgecore(*words)

    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


@pytest.mark.parametrize("arguments", [("pars",), ("parse",), ("parse", "missing.jsonl", "--format", "arena_hard")])
def test_a_usage_error_is_status_2_and_names_the_help_option(judgecore: Program, arguments: tuple[str, ...]) -> None:
    done = judgecore.process(*arguments)

    assert done.returncode == 2
    assert "--help' for help." in done.stderr
    assert done.stdout == ""
