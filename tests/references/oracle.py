"""Every known reply, read by two editions of judgecore: what differs, by family, rule and class.

    oracle.py build COMMIT FOLDER [--profile release]    an edition of its own, with FOLDER/.venv/bin/python
    oracle.py dump OUT [--python PATH]                   the outcomes of the edition in an interpreter, as JSON lines
    oracle.py compare OLD NEW [--show CLASS]             what differs between two dumps

The replies are those of the corpora beside the project, of the formats' examples, of ``tests/cases`` and of the fuzz
targets' seeds, always as this checkout has them. What is right is known of the corpora, examples and cases: a reply
that was read rightly and is not any more has the class ``right->wrong`` or ``right->unread``.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import ModuleType

ROOT = Path(__file__).parents[2]
MODES = ("lenient", "strict", "paper")
# The standard or a little care: a document has no publisher's rule.
DOCUMENT_MODES = ("lenient", "strict")
# Of a reply as much is kept as a person needs to see what it says.
EXCERPT = 480

Key = tuple[str, str, str]


@dataclass(frozen=True)
class Row:
    """What an edition made of a reply.

    Attributes:
        id: The reply's name, unique in its family.
        family: The corpus, or the kind of file, that it stands in.
        format: The format's id, or ``json``.
        mode: The mode of reading.
        status: ``ok``, ``unreadable``, or ``absent`` where the edition has no such format or mode.
        value: The value as JSON has it.
        reason: Why it is unreadable.
        rule: Which evidence decided.
        span: Where that stands.
        verdict: ``right``, ``wrong`` or ``unread`` where it is known what stands in the reply. Where nothing stands in
            it, to read nothing is ``right``.
        reply: The reply, without its middle where it is long.
    """

    id: str
    family: str
    format: str
    mode: str
    status: str
    value: Any = None
    reason: str | None = None
    rule: str | None = None
    span: list[int] | None = None
    verdict: str | None = None
    reply: str = ""

    @property
    def key(self) -> Key:
        """What names the row in each dump."""
        return self.family, self.id, self.mode

    @property
    def said(self) -> str:
        """The value or the reason, as text that is equal where they are."""
        return json.dumps(self.value, sort_keys=True) if self.status == "ok" else f"{self.reason or self.status}"

    @property
    def why(self) -> str:
        """The rule or the reason."""
        return self.rule or self.reason or self.status


@dataclass(frozen=True)
class Asked:
    """A reply to read.

    Attributes:
        id: The reply's name.
        family: Where it stands.
        reply: Its text.
        form: Makes its format; None for a document.
        judge: Says of an outcome whether it is right, wrong or unread; None where nobody knows.
        modes: The modes to read it in.
        options: Other options of reading.
    """

    id: str
    family: str
    reply: str
    form: Callable[[], Any] | None
    judge: Callable[[Any], str | None] = lambda _: None
    modes: Sequence[str] = MODES
    options: dict[str, Any] = field(default_factory=dict[str, Any])


def say(*lines: str) -> None:
    """Print lines."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if hasattr(value, "prompt_unsafe"):
        names = ("unsafe", "prompt_unsafe", "response_unsafe", "categories", "fields")
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def says(want: Any, got: Any) -> bool:
    """Whether a value is what a file expects; of a guard's verdict it names all that is not None."""
    if isinstance(got, dict) and "prompt_unsafe" in got:
        if not isinstance(want, dict):
            return want is got["unsafe"]
        named: dict[str, Any] = dict.fromkeys(got) | {"categories": [], "fields": {}} | want
        return named | {"fields": dict.fromkeys(got["fields"]) | named["fields"]} == got
    # True equals 1 in Python, and is no score.
    return bool(want == got) and isinstance(want, bool) is isinstance(got, bool)


def expected(want: dict[str, Any]) -> Callable[[Any], str]:
    """What judges outcomes by a file's expectation: ``value``, ``invented`` or ``unreadable``."""

    def judge(outcome: Any) -> str:
        if "unreadable" in want:
            return "wrong" if outcome.ok else "right"
        [value] = want.values()
        return "unread" if not outcome.ok else "right" if says(value, plain(outcome.value)) else "wrong"

    return judge


def accepted(wants: list[dict[str, Any]]) -> Callable[[Any], str]:
    """What judges outcomes by a label's accepted ones; of guards and fields only what they name counts."""

    def holds(want: Any, got: Any) -> bool:
        if isinstance(want, dict) and isinstance(got, dict):
            return all(name in got and holds(one, got[name]) for name, one in want.items())
        return says(want, got)

    def judge(outcome: Any) -> str:
        if not outcome.ok:
            return "right" if any("unreadable" in want for want in wants) else "unread"
        value = plain(outcome.value)
        return "right" if any("value" in want and holds(want["value"], value) for want in wants) else "wrong"

    return judge


def loaded(path: Path) -> ModuleType:
    """A program as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python program")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def json_lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


@cache
def built_in(name: str) -> Any:
    """A built-in format."""
    import judgecore as jc

    return jc.Format.get(name)


def recorded(row: dict[str, Any], tool: ModuleType, to_gold: Callable[[Any], Any], outcome: Any) -> str | None:
    """Hold an outcome against what a corpus recorded, or against what a person sees where nothing was."""
    aux = row.get("aux") or {}
    if aux.get("suspect"):
        return None
    apparent = aux.get("apparent")
    if isinstance(apparent, dict):
        apparent = apparent.get("winner", apparent.get("value"))
    want = apparent if row["gold"] is None else tool.gold_value(row["gold"])
    if row["gold"] is None and apparent is None:
        return "wrong" if outcome.ok else "right"
    if not outcome.ok:
        return "unread"
    return "right" if plain(to_gold(outcome.value)) == want else "wrong"


def of_suite(row: dict[str, Any], tool: ModuleType, outcome: Any) -> str | None:
    """Hold the strict outcome of a text against the verdict of JSONTestSuite: ``n_`` is no JSON."""
    if row["gold"] is not None:
        return recorded(row, tool, lambda value: value, outcome)
    is_refused = row["source"].rsplit("/", 1)[-1].startswith("n_") and "encoding" not in (row.get("aux") or {})
    return ("wrong" if outcome.ok else "right") if is_refused else None


def corpora(shared: Path) -> Iterator[Asked]:
    """The recorded replies; the program beside them knows how each family is read."""
    tool = loaded(shared / "tools" / "read_corpora.py")
    readers = tool.family_readers()
    for path in sorted((shared / "corpora").glob("*.jsonl")):
        reader = readers[path.stem]() if path.stem in readers else None
        for row in json_lines(path):
            if path.stem in tool.JSON_FAMILIES:
                is_suite = path.stem == "json_test_suite"
                for mode in DOCUMENT_MODES:
                    judge = partial(recorded, row, tool, lambda value: value)
                    if is_suite:
                        judge = partial(of_suite, row, tool) if mode == "strict" else lambda _: None
                    yield Asked(row["id"], path.stem, row["raw"], None, judge, (mode,))
            elif found := tool.row_reader(path.stem, row) or reader:
                form, to_gold = found
                judge = partial(recorded, row, tool, to_gold)
                yield Asked(row["id"], path.stem, row["raw"], lambda form=form: form, judge)


def peers(shared: Path) -> Iterator[Asked]:
    """The cases of peers' unit tests, judged as the program beside the corpora judges them."""
    tool = loaded(shared / "tools" / "read_peer_tests.py")

    def judge(row: dict[str, Any], outcome: Any) -> str | None:
        human, subject = row["human"], (row.get("context") or {}).get("subject")
        if human.get("unreadable"):
            side = getattr(outcome.value, f"{subject}_unsafe", 0) if outcome.ok and subject else 0
            return "right" if not outcome.ok or side is None else "wrong"
        agrees = tool.wanted(human, outcome.value, subject) if outcome.ok else False
        return None if agrees is None else "unread" if not outcome.ok else "right" if agrees else "wrong"

    for row in json_lines(shared / "corpora" / "peer_format_tests.jsonl"):
        name = tool.ALIAS.get(row["format"], row["format"])
        yield Asked(row["id"], "peer_format_tests", row["raw"], partial(built_in, name), partial(judge, row))


def examples() -> Iterator[Asked]:
    """The examples of the built-in formats."""
    for path in sorted((ROOT / "rust" / "judgecore" / "formats").glob("*.toml")):
        for form in tomllib.loads(path.read_text("utf-8"))["formats"]:
            for nth, example in enumerate(form.get("examples", [])):
                for mode in MODES:
                    want = example.get(mode)
                    if want is not None:
                        is_outcome = isinstance(want, dict) and want.keys() <= {"unreadable", "invented"}
                        judge = expected(want if is_outcome else {"value": want})
                        make, options = partial(built_in, form["id"]), {"cut": example.get("cut", False)}
                        yield Asked(f"{form['id']}#{nth}", "examples", example["reply"], make, judge, (mode,), options)


@cache
def of_cases(name: str) -> Any:
    """The format that a case names: a built-in one, or one of the file beside the cases."""
    import judgecore as jc

    files = {"cases": ROOT / "tests" / "cases", "accuracy": ROOT / "tests" / "cases" / "accuracy"}
    folder = files.get(name.partition(".")[0])
    return jc.Format.from_toml(folder / "formats.toml", name) if folder else built_in(name)


def cases() -> Iterator[Asked]:
    """The cases of the tests; those with a known fault are a family of their own."""
    for path in sorted((ROOT / "tests" / "cases").rglob("*.jsonl")):
        for case in json_lines(path):
            make = partial(of_cases, case["format"]) if "format" in case else None
            options = {name: case[name] for name in ("cut", "keys", "material") if name in case}
            modes = (case.get("mode", "lenient"),)
            if "accept" in case:
                family, judge = "accuracy", accepted(case["accept"])
            else:
                family, judge = "known" if "known" in case else "cases", expected(case["want"])
            yield Asked(case["id"], family, case["reply"], make, judge, modes, options)


def seeds() -> Iterator[Asked]:
    """The seeds of the fuzz targets, each read as all formats; nobody knows what they say."""
    import judgecore as jc

    for path in sorted((ROOT / "rust" / "fuzz" / "seeds").rglob("*.txt")):
        name, text = f"{path.parent.name}/{path.stem}", path.read_text("utf-8", errors="replace")
        if path.parent.name == "read":
            for form in jc.formats():
                yield Asked(f"{name}/{form.id}", "seeds", text, partial(built_in, form.id))
        else:
            yield Asked(name, "seeds", text, None, modes=DOCUMENT_MODES)


def read(one: Asked, mode: str) -> Row | None:
    """Read a reply in a mode; None where the format has no such mode."""
    import judgecore as jc

    reply = one.reply
    shown = reply if len(reply) <= EXCERPT else f"{reply[: EXCERPT // 2]} [...] {reply[-EXCERPT // 2 :]}"
    try:
        form = one.form() if one.form else None
    except (LookupError, ValueError) as problem:
        # An edition that lacks a format, or that can't read the file of one, is what a comparison is there to show.
        return Row(one.id, one.family, "", mode, "absent", reason=type(problem).__name__, reply=shown)
    if form is not None and mode not in form.modes:
        return None
    options: dict[str, Any] = {**one.options, "mode": mode}
    outcome: Any = jc.parse(reply, form, **options) if form is not None else jc.extract_json(reply, **options)
    row = partial(Row, one.id, one.family, form.id if form is not None else "json", mode, reply=shown)
    verdict = one.judge(outcome)
    if not outcome.ok:
        return row("unreadable", reason=outcome.reason, verdict=verdict)
    return row("ok", value=plain(outcome.value), rule=outcome.rule, span=list(outcome.span), verdict=verdict)


def write_dump(out: Path, shared: Path) -> None:
    """Write the outcomes of the edition that is imported here."""
    found = [peers(shared), corpora(shared)] if (shared / "corpora").is_dir() else []
    count = 0
    with out.open("w", encoding="utf-8") as file:
        for one in (one for source in (*found, examples(), cases(), seeds()) for one in source):
            for mode in one.modes:
                row = read(one, mode)
                if row is not None:
                    file.write(json.dumps(asdict(row)) + "\n")
                    count += 1
    if not found:
        say(f"without the corpora: there are none in {shared}")
    say(f"{count} outcomes in {out}")


def dump(out: Path, python: str, shared: Path) -> None:
    """Write the outcomes of the edition that an interpreter has."""
    # -P keeps this folder, whose modules are named like the standard library's, off the path.
    command = [python, "-P", __file__, "dump-here", str(out.resolve()), "--shared", str(shared)]
    subprocess.run(command, check=True)


# The classes, in the order in which they are shown.
CLASSES = (
    "right->wrong", "right->unread", "unread->wrong", "wrong->right", "wrong->unread", "unread->right",
    "reading->other value", "reading->unreadable", "unreadable->reading", "reason changed", "rule or span only",
    "absent", "only in old", "only in new",
)  # fmt: skip


def class_of(old: Row, new: Row) -> str | None:
    """The class of a difference; None where there is none."""
    if "absent" in {old.status, new.status}:
        return "absent" if old.status != new.status else None
    if old.verdict and new.verdict and old.verdict != new.verdict:
        return f"{old.verdict}->{new.verdict}"
    if old.status != new.status:
        return "reading->unreadable" if old.status == "ok" else "unreadable->reading"
    if old.said != new.said:
        return "reading->other value" if old.status == "ok" else "reason changed"
    return "rule or span only" if (old.rule, old.span) != (new.rule, new.span) else None


@dataclass(frozen=True)
class Difference:
    """What two editions made of one reply, where they differ."""

    kind: str
    old: Row | None
    new: Row | None

    @property
    def one(self) -> Row:
        """The row that is there."""
        row = self.old or self.new
        assert row is not None
        return row

    @property
    def rules(self) -> str:
        """Which evidence decided before and after."""
        old, new = (row.why if row else "-" for row in (self.old, self.new))
        return old if old == new else f"{old} -> {new}"

    def lines(self) -> Iterator[str]:
        """The difference for people."""
        one = self.one
        yield f"{self.kind}: {one.family} {one.id}, {one.format}, {one.mode}"
        for name, row in (("old", self.old), ("new", self.new)):
            if row:
                yield f"  {name}  {row.said}  ({row.why}, {row.span})"
        yield f"  reply  {json.dumps(one.reply, ensure_ascii=False)}"


def read_dump(path: Path) -> dict[Key, Row]:
    """The rows of a dump by name and mode."""
    rows = [Row(**row) for row in json_lines(path)]
    found = {row.key: row for row in rows}
    if len(found) < len(rows):
        twice = next(key for key, number in Counter(row.key for row in rows).items() if number > 1)
        raise ValueError(f"{path}: {' '.join(twice)} stands twice")
    return found


def differences(old: dict[Key, Row], new: dict[Key, Row]) -> list[Difference]:
    """What differs between two dumps."""
    found: list[Difference] = []
    for key in old | new:
        one, other = old.get(key), new.get(key)
        if one is None or other is None:
            found.append(Difference("only in new" if one is None else "only in old", one, other))
        elif kind := class_of(one, other):
            found.append(Difference(kind, one, other))
    return found


def table(found: Iterable[Difference]) -> list[str]:
    """The differences by family and rule, a column for each class that there is."""
    cells: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for one in found:
        cells[one.one.family, one.one.mode, one.rules][one.kind] += 1
    kinds = [kind for kind in CLASSES if any(kind in row for row in cells.values())]
    lines = [f"| family | mode | rule | {' | '.join(kinds)} |", f"| --- | --- | --- |{' ---: |' * len(kinds)}"]
    for (family, mode, rules), row in sorted(cells.items()):
        lines.append(f"| {family} | {mode} | {rules} | {' | '.join(str(row[kind] or '') for kind in kinds)} |")
    return lines


def losses(old: dict[Key, Row], found: Iterable[Difference]) -> list[str]:
    """By family and mode, of the replies that were right: how many are wrong, and unread."""
    right = Counter((row.family, row.mode) for row in old.values() if row.verdict == "right")
    lost = Counter((one.one.family, one.one.mode, one.kind) for one in found)
    lines = ["| family | mode | right before | wrong now | unread now | |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    for (family, mode), number in sorted(right.items()):
        wrong, unread = (lost[family, mode, f"right->{what}"] for what in ("wrong", "unread"))
        if wrong or unread:
            share = f"{100 * (wrong + unread) / number:.2f} %"
            lines.append(f"| {family} | {mode} | {number} | {wrong} | {unread} | {share} |")
    return lines


def compare(old_path: Path, new_path: Path, show: Sequence[str], most: int) -> None:
    """Print what differs between two dumps."""
    old, new = read_dump(old_path), read_dump(new_path)
    found = differences(old, new)
    say(f"{len(found)} of {len(old | new)} outcomes differ")
    if found:
        say("", *table(found), "", *losses(old, found))
    for kind in show:
        these = [one for one in found if one.kind == kind]
        for one in these[:most]:
            say("", *one.lines())
        if len(these) > most:
            say("", f"{len(these) - most} more; --most {len(these)} shows them")


def program(name: str) -> str:
    """The path of a program of the machine."""
    path = shutil.which(name)
    if path is None:
        raise SystemExit(f"{name}: not found; install it")
    return path


def build(commit: str, folder: Path, profile: str) -> None:
    """Build the edition of a commit in an environment of its own, outside of the tree."""
    if folder.resolve().is_relative_to(ROOT):
        raise SystemExit(f"{folder} lies inside the checkout; name a folder outside of it")
    if folder.exists():
        raise SystemExit(f"{folder} is there already; remove it, or name another folder")
    folder = folder.resolve()
    source, python = folder / "source", folder / ".venv" / "bin" / "python"
    source.mkdir(parents=True)
    archive = subprocess.run([program("git"), "-C", str(ROOT), "archive", commit], check=True, stdout=subprocess.PIPE)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(source, filter="data")
    venv.create(folder / ".venv", with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet"]
    # What the project pins may differ from commit to commit, and only the commit's own fits its code.
    pinned = {**os.environ, "PIP_CONSTRAINT": str(source / "constraints.txt")}
    subprocess.run([*install, "maturin"], check=True, env=pinned)
    wheels = folder / "wheels"
    making = [str(python), "-m", "maturin", "build", "--profile", profile, "--quiet", "--out", str(wheels)]
    subprocess.run(making, check=True, cwd=source)
    [wheel] = wheels.glob("*.whl")
    subprocess.run([*install, str(wheel)], check=True, env=pinned)
    say(f"{commit} in {python}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build", help="build the edition of a commit in an environment of its own")
    building.add_argument("commit")
    building.add_argument("folder", type=Path)
    building.add_argument("--profile", default="release", help="cargo's profile (release)")
    beside = Path(os.environ.get("JUDGECORE_SHARED") or ROOT.parent / "shared")
    for name in ("dump", "dump-here"):
        dumping = commands.add_parser(name, help="write the outcomes of an edition as JSON lines")
        dumping.add_argument("out", type=Path)
        dumping.add_argument("--shared", type=Path, default=beside, help="the folder of reference data")
        if name == "dump":
            dumping.add_argument("--python", default=sys.executable, help="an interpreter that has the edition")
    comparing = commands.add_parser("compare", help="print what differs between two dumps")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--show", action="append", default=[], choices=CLASSES, help="show the replies of a class")
    comparing.add_argument("--most", type=int, default=20, help="how many of each class (20)")
    given = parser.parse_args(arguments)
    match given.command:
        case "build":
            build(given.commit, given.folder, given.profile)
        case "dump":
            dump(given.out, given.python, given.shared)
        case "dump-here":
            write_dump(given.out, given.shared)
        case _:
            compare(given.old, given.new, given.show, given.most)


if __name__ == "__main__":
    main()
