"""Providers of others: found by name in files, options, schemas and ledgers, and refused in words that say the cure."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from shutil import copy
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

import judgecore as jc
from judgecore.plugins import Plugins
from judgecore.prompts.plain_yaml import load_plain_yaml
from judgecore.scorers.configuration import load_target
from judgecore.targets.registration import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROVIDER = Path(__file__).parents[2] / "examples" / "own_provider"
DECLARED = tomllib.loads((PROVIDER / "pyproject.toml").read_text("utf-8"))["project"]
REQUEST = jc.JudgeRequest("How good is it?")


class Acme(BaseHTTPRequestHandler):
    """Acme's endpoint."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert (self.path, self.headers["x-acme-key"]) == ("/us/answers", "k"), self.path
        text = f'{{"score_value": "True", "rationale": "{asked["model"]}"}}'
        body = json.dumps({"text": text, "tokens": 7, "id": 1}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, *_: Any, **__: Any) -> None:
        pass


@pytest.fixture
def acme() -> Iterator[str]:
    """The address of Acme's endpoint."""
    server = HTTPServer(("127.0.0.1", 0), Acme)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def install(folder: Path, module: str, entry_points: dict[str, dict[str, str]], name: str = "acme-judge") -> None:
    """Put what pip puts for a package: its module is there already, its metadata beside it."""
    metadata = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = (
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in each.items())
        for group, each in entry_points.items()
    )
    (metadata / "entry_points.txt").write_text("\n".join(groups))
    assert (folder / f"{module}.py").exists()


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder of packages that has the provider of the examples."""
    folder = tmp_path / "packages"
    folder.mkdir()
    copy(PROVIDER / "acme_judge.py", folder)
    install(folder, "acme_judge", DECLARED["entry-points"])
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """What runs Python in a process of its own, with a folder of packages or without."""

    def call(*arguments: str, packages: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        paths = [str(packages)] if packages else []
        paths += [os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else []
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **env},
            capture_output=True,
            text=True,
            check=False,
        )

    return call


def test_a_provider_of_a_package_judges_a_table_and_its_stored_replies_are_read_where_it_is_installed(
    run: Callable[..., Any], installed: Path, tmp_path: Path, acme: str
) -> None:
    copy(PROVIDER / "judge.yaml", tmp_path)
    (tmp_path / "scorer.yaml").write_text("type: SelfAskRefusalScorer\n")
    (tmp_path / "responses.jsonl").write_text('{"response": "No."}\n')
    files = ("responses.jsonl", "--scorer", "scorer.yaml", "--target", "judge.yaml", "--ledger", "run.db")
    env = {"packages": installed, "ACME_API_KEY": "k", "ACME_BASE_URL": acme}
    export = ("-m", "judgecore", "ledger", "export", "run.db", "-o", "-")

    scored = run("-m", "judgecore", "score", *files, "-o", "-", **env)
    with_it, without_it = run(*export, **env), run(*export)

    assert scored.returncode == 0, scored.stderr
    assert json.loads(scored.stdout)["score_value"] is True
    line = json.loads(with_it.stdout)
    assert (
        line["identity"]["class_module"][:4],
        line["identity"]["region"],
        line["completion_tokens"],
    ) == ("acme", "us", 7)
    assert without_it.returncode == 2
    assert "has the dialect 'acme', which no registered target reads; install the package" in without_it.stderr
    assert "acme_judge" in without_it.stderr


def test_a_package_is_imported_when_its_name_is_used_and_not_before(run: Callable[..., Any], installed: Path) -> None:
    # Not even for a name of judgecore's own.
    install(installed, "acme_judge", {"judgecore.targets": {"openai": "acme_judge:AcmeTarget"}}, name="another")
    program = (
        "import sys, judgecore.targets\n"
        "from judgecore.scorers.configuration import build_target\n"
        "build_target({'type': 'openai', 'model': 'm'})\n"
        "before = 'acme_judge' in sys.modules\n"
        "print(before, build_target({'type': 'AcmeTarget', 'model': 'm'}))\n"
    )

    done = run("-c", program, packages=installed)

    assert done.stdout == "False AcmeTarget('m', base_url='https://api.acme.example')\n", done.stderr


def test_the_schema_knows_the_providers_of_packages_and_their_parameters(
    run: Callable[..., Any], installed: Path
) -> None:
    done = run("-m", "judgecore", "schema", "target", packages=installed)

    schema = json.loads(done.stdout)
    jsonschema.validate(load_plain_yaml((PROVIDER / "judge.yaml").read_text("utf-8")), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"type": "acme", "model": "m", "region": "mars"}, schema)


def test_a_scorer_of_a_package_is_made_from_a_file(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "brief.py").write_text(
        "from pathlib import Path\nfrom judgecore.scorers import Scorer, register_scorer\n"
        "@register_scorer('brief')\nclass BriefScorer(Scorer):\n    score_type = 'true_false'\n"
        "    def __init__(self, *, words_path: Path, max_words: int = 3):\n"
        "        self.words, self.max_words = words_path.read_text().split(), max_words\n"
        "    def params(self):\n        return {'words': self.words, 'max_words': self.max_words}\n"
        "    async def score_async(self, response, *, trial=0):\n"
        "        return [self.make_score(len(set(response.text.split()) - set(self.words)) <= self.max_words)]\n"
    )
    install(tmp_path, "brief", {"judgecore.scorers": {"brief": "brief:BriefScorer"}}, name="brief")
    (tmp_path / "words.txt").write_text("a the")
    (tmp_path / "scorer.yaml").write_text("type: brief\nwords_path: words.txt\nmax_words: 2\n")
    (tmp_path / "responses.jsonl").write_text('{"response": "the good a day"}\n{"response": "one two three"}\n')

    done = run("-m", "judgecore", "score", "responses.jsonl", "--scorer", "scorer.yaml", "-o", "-", packages=tmp_path)

    assert [json.loads(line)["score_value"] for line in done.stdout.splitlines()] == [True, False], done.stderr


@pytest.mark.parametrize(
    ("module", "entry", "problem"),
    [
        ("import gone_for_good\n", "broken:Target", "can't be loaded: No module named 'gone_for_good'"),
        ("", "broken:Target", "can't be loaded: module 'broken' has no attribute 'Target'"),
        ("class Target: ...\n", "broken:Target", "registers no target of that name; decorate the class with it"),
        ("def (\n", "broken:Target", "can't be loaded: SyntaxError: invalid syntax"),
        ("1 / 0\n", "broken:Target", "can't be loaded: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)\n", "broken:Target", "can't be loaded: SystemExit: 3"),
        ("class Target: ...\n", "broken:Target:x y", "has a wrong form; write module:Class"),
    ],
)
def test_a_package_that_brings_no_target_is_named_with_its_entry_point(
    run: Callable[..., Any], tmp_path: Path, module: str, entry: str, problem: str
) -> None:
    (tmp_path / "broken.py").write_text(module)
    install(tmp_path, "broken", {"judgecore.targets": {"bad": entry}}, name="broken-judge")

    done = run("-m", "judgecore", "schema", "target", packages=tmp_path)

    assert done.returncode == 2
    assert f"the entry point bad = '{entry}' of the package broken-judge" in done.stderr
    assert problem in done.stderr


class Answering:
    """A target of two methods."""

    def __init__(self, text: str = "x") -> None:
        self.text = text

    async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
        return jc.JudgeReply(text=f"{self.text} to {request.prompt}")

    def get_identifier(self) -> jc.ComponentIdentifier:
        return jc.ComponentIdentifier(class_name="Answering", class_module="t", params={"text": self.text})


def test_a_name_that_another_class_has_is_refused_and_both_are_named() -> None:
    class Another(Answering): ...

    with pytest.raises(jc.errors.ConfigurationError) as caught:
        jc.targets.register_target("openai")(Another)

    assert "the target 'openai' is registered twice, by judgecore.targets.openai.OpenAITarget" in str(caught.value)
    assert f"{Another.__module__}.{Another.__qualname__}" in str(caught.value)
    assert TARGETS.find("openai") is jc.OpenAITarget


def test_a_class_name_that_another_class_has_is_refused() -> None:
    class OpenAITarget(Answering): ...

    with pytest.raises(jc.errors.ConfigurationError, match="'OpenAITarget' is registered twice"):
        jc.targets.register_target("of_our_own")(OpenAITarget)


def test_a_class_that_is_defined_again_takes_the_place_of_the_first() -> None:
    def define() -> type[Answering]:
        class Again(Answering): ...

        return jc.targets.register_target("again")(Again)

    first, second = define(), define()

    assert first is not second
    assert TARGETS.find("again") is TARGETS.find("Again") is second


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (type("Mute", (), {"get_identifier": lambda _: None}), "it does not define send"),
        (type("Nothing", (), {}), "it does not define get_identifier, send"),
        (type("Half", (jc.targets.Endpoint,), {"url": lambda _: ""}), "it does not define body, headers, read"),
        (type("Reading", (Answering,), {"read": lambda _, raw: raw}), "its read must be a class method"),
    ],
    ids=["mute", "nothing", "half", "reading"],
)
def test_a_class_that_is_no_target_is_refused_by_name(kind: type[Any], problem: str) -> None:
    with pytest.raises(jc.errors.ConfigurationError) as caught:
        jc.targets.register_target("wrong")(kind)

    assert kind.__name__ in str(caught.value)
    assert f"can't be registered as target 'wrong': {problem}" in str(caught.value)
    assert TARGETS.find("wrong") is None


@pytest.mark.parametrize(
    ("kind", "problem"),
    [(Answering, "is no subclass of judgecore.scorers.Scorer"), (jc.Scorer, "does not define params, score_async")],
)
def test_a_class_that_is_no_scorer_is_refused_by_name(kind: type[Any], problem: str) -> None:
    with pytest.raises(jc.errors.ConfigurationError, match=problem):
        jc.scorers.register_scorer("wrong")(kind)


def test_a_class_in_python_is_named_by_a_file(tmp_path: Path) -> None:
    class Here(Answering): ...

    jc.targets.register_target("here")(Here)
    (tmp_path / "judge.yaml").write_text("type: here\ntext: y\n")

    target = load_target(tmp_path / "judge.yaml")

    assert type(target) is Here
    assert asyncio.run(target.send(REQUEST)).text == "y to How good is it?"


def speaking(reply: str) -> type[Any]:
    """A target that keeps its bytes as they come, and reads them in its own way."""

    class Speaking(Answering):
        def payload(self, request: jc.JudgeRequest, /) -> bytes:
            return str(request.prompt).encode()

        async def deliver(self, request: jc.JudgeRequest, payload: bytes, record: Any, /) -> jc.JudgeReply:
            del request
            await record.sent()
            await record.received(payload)
            return self.read(payload)

        @classmethod
        def read(cls, raw: bytes, /) -> jc.JudgeReply:
            return jc.JudgeReply(text=f"{reply} {raw.decode()}")

    return Speaking


def ask(ledger: Path, target: Any, prompt: str) -> list[tuple[str | None, str]]:
    """Ask, and give all replies of the ledger with their dialect."""
    with jc.Ledger(ledger) as file:
        asyncio.run(file.send(target, jc.JudgeRequest(prompt)))
        return [(entry.reply().text, entry.dialect) for entry in file.entries()]


def test_a_reply_is_read_again_by_the_class_that_has_the_name_now(tmp_path: Path) -> None:
    kind = jc.targets.register_target("speaking")(speaking("first"))
    kept = ask(tmp_path / "run.db", kind(), "a")
    jc.targets.register_target("speaking")(speaking("better"))

    with jc.LedgerReader(tmp_path / "run.db") as reader:
        read = [entry.reply().text for entry in reader.entries()]

    assert kept == [("first a", "speaking")]
    assert read == ["better a"]


def test_a_class_that_is_registered_later_goes_on_in_the_ledger_as_it_began(tmp_path: Path) -> None:
    class Later(speaking("x")): ...

    Later.read = classmethod(lambda _, raw: jc.JudgeReply(text=f"later {raw.decode()}"))

    before = ask(tmp_path / "run.db", Later(), "a")
    jc.targets.register_target("later")(Later)
    after = ask(tmp_path / "run.db", Later(), "b")

    assert before == [("x to a", "judgecore")]
    assert after == [("x to a", "judgecore"), ("x to b", "judgecore")]


def test_a_ledger_refuses_a_target_that_speaks_another_dialect_now(tmp_path: Path) -> None:
    kind = jc.targets.register_target("speaking")(speaking("first"))
    ask(tmp_path / "run.db", kind(), "a")

    with pytest.raises(jc.errors.LedgerError, match="replies of Answering are kept there in the dialect 'speaking'"):
        ask(tmp_path / "run.db", Answering(), "b")


def test_a_value_error_of_a_provider_is_a_malformed_reply_with_its_bytes() -> None:
    from judgecore.targets.dialect import read_body

    class Strict(speaking("x")):
        @classmethod
        def read(cls, raw: bytes, /) -> jc.JudgeReply:
            return jc.JudgeReply(text=json.loads(raw)["text"])

    with pytest.raises(jc.errors.MalformedReplyError, match="the endpoint's answer is no reply: Expecting") as caught:
        read_body(Strict, b"<html>")

    assert caught.value.raw == b"<html>"


def test_all_names_of_a_station_are_found_whatever_was_imported_before(run: Callable[..., Any]) -> None:
    program = "from judgecore.targets.registration import TARGETS as T; print(T.find('recorded'), T.find('azure'))"

    done = run("-c", program)

    assert "RecordedTarget" in done.stdout, done.stderr
    assert "AzureOpenAITarget" in done.stdout


def test_an_empty_name_is_refused() -> None:
    plugins: Plugins[Any] = Plugins("thing", "judgecore.targets", lambda _: None)

    with pytest.raises(jc.errors.ConfigurationError, match="can't be registered as thing '': the name is empty"):
        plugins.register("")(Answering)


@pytest.mark.parametrize("register", [jc.targets.register_target, jc.scorers.register_scorer])
def test_what_is_not_a_class_is_refused_by_name(register: Callable[..., Any]) -> None:
    with pytest.raises(jc.errors.ConfigurationError, match=r"can't be registered as .* 'wrong': it is not a class"):
        register("wrong")(print)


def test_a_decorator_without_a_name_is_refused_with_the_line_to_write() -> None:
    with pytest.raises(jc.errors.ConfigurationError, match='write @register_target\\("name"\\) above the class'):
        jc.targets.register_target(Answering)  # pyright: ignore[reportArgumentType] - the mistake


@pytest.mark.parametrize(
    ("identity", "problem"),
    [
        (
            lambda: jc.ComponentIdentifier(class_name="I", class_module="t", params={"x": object()}),
            "I: params: .*object",
        ),
        (lambda: {"class_name": "I"}, "get_identifier returned dict; return a ComponentIdentifier"),
    ],
)
def test_an_identity_that_is_not_json_is_an_error_of_the_file(
    tmp_path: Path, identity: Callable[[], Any], problem: str
) -> None:
    class Inexpressible(Answering):
        def get_identifier(self) -> jc.ComponentIdentifier:
            return identity()

    jc.targets.register_target("inexpressible")(Inexpressible)
    (tmp_path / "judge.yaml").write_text("type: inexpressible\n")

    with pytest.raises(jc.errors.ConfigurationError, match=f"judge.yaml: .*{problem}"):
        load_target(tmp_path / "judge.yaml")


FACTORY = '''
"""A judge of our own."""
import judgecore as jc

@jc.targets.register_target("own_judge")
def make_judge(verdict: str, *, version: int = 1) -> jc.CallableTarget:
    """Always the same verdict.

    Args:
        verdict: What is said.
    """
    said = '{"score_value": "%s", "rationale": "r"}' % verdict
    return jc.CallableTarget(lambda request: said, name="own", version=str(version))
'''


def test_a_function_of_a_package_makes_the_judge_that_a_file_describes(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(FACTORY)
    install(tmp_path, "own", {"judgecore.targets": {"own_judge": "own:make_judge"}}, name="own-judge")
    (tmp_path / "judge.yaml").write_text("type: own_judge\nverdict: 'True'\nversion: 2\n")
    (tmp_path / "scorer.yaml").write_text("type: SelfAskRefusalScorer\n")
    (tmp_path / "r.jsonl").write_text('{"response": "No."}\n')
    files = ("r.jsonl", "--scorer", "scorer.yaml", "--target", "judge.yaml")

    scored = run("-m", "judgecore", "score", *files, "--ledger", "run.db", "-o", "-", packages=tmp_path)
    exported = run("-m", "judgecore", "ledger", "export", "run.db", "-o", "-")
    schema = run("-m", "judgecore", "schema", "target", packages=tmp_path)
    (tmp_path / "judge.yaml").write_text("type: own_judge\nverdict: 'True'\nversoin: 2\n")
    misspelt = run("-m", "judgecore", "score", *files, packages=tmp_path)

    assert scored.returncode == 0, scored.stderr
    assert json.loads(scored.stdout)["score_value"] is True
    # Its replies are those of the target that it made, and are read without it.
    assert json.loads(exported.stdout)["identity"]["version"] == "2"
    jsonschema.validate({"type": "own_judge", "verdict": "x"}, json.loads(schema.stdout))
    assert misspelt.returncode == 2
    assert "judge.yaml: versoin is not a key of make_judge; did you mean 'version'?" in misspelt.stderr


def test_a_function_is_registered_unchanged_and_returns_a_target_or_is_an_error_of_the_file(tmp_path: Path) -> None:
    def mute(text: str) -> Any:
        return Answering(text) if text == "y" else text

    assert jc.targets.register_target("mute_judge")(mute) is mute
    (tmp_path / "judge.yaml").write_text("type: mute\ntext: y\n")
    assert isinstance(load_target(tmp_path / "judge.yaml"), Answering)
    (tmp_path / "judge.yaml").write_text("type: mute_judge\ntext: z\n")
    with pytest.raises(jc.errors.ConfigurationError, match=r"judge\.yaml: .*mute returned str; return a target"):
        load_target(tmp_path / "judge.yaml")


def test_an_async_function_makes_no_target() -> None:
    async def judge(request: jc.JudgeRequest) -> str:
        return str(request)

    with pytest.raises(jc.errors.ConfigurationError, match=r"judge is async, .*; .* return CallableTarget\(function\)"):
        jc.targets.register_target("async_judge")(judge)

    assert TARGETS.find("async_judge") is None


def test_a_class_without_a_docstring_has_a_schema(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "bare.py").write_text(
        "from judgecore.targets import register_target\n@register_target('bare')\nclass Bare:\n"
        "    async def send(self, request): ...\n    def get_identifier(self): ...\n"
    )
    install(tmp_path, "bare", {"judgecore.targets": {"bare": "bare:Bare"}}, name="bare-judge")

    done = run("-m", "judgecore", "schema", "target", packages=tmp_path)

    assert done.returncode == 0, done.stderr
    jsonschema.validate({"type": "bare"}, json.loads(done.stdout))


@pytest.mark.parametrize(
    ("body", "returncode", "problem"),
    [
        ("    score_type = 'maybe'\n", 2, "Bad.score_type must be one of true_false, float_scale"),
        ("", 2, "Bad.score_type must be one of true_false, float_scale"),
        ("    score_type = 'true_false'\n", 3, "Bad.score_async returned None; return a list of at least one Score"),
    ],
)
def test_a_scorer_that_breaks_its_contract_is_named(
    run: Callable[..., Any], tmp_path: Path, body: str, returncode: int, problem: str
) -> None:
    (tmp_path / "bad.py").write_text(
        "from judgecore.scorers import Scorer, register_scorer\n@register_scorer('bad')\nclass Bad(Scorer):\n"
        f"{body}    def params(self): return {{}}\n    async def score_async(self, response, *, trial=0): ...\n"
    )
    install(tmp_path, "bad", {"judgecore.scorers": {"bad": "bad:Bad"}}, name="bad")
    (tmp_path / "s.yaml").write_text("type: bad\n")
    (tmp_path / "r.jsonl").write_text('{"response": "a"}\n')

    done = run("-m", "judgecore", "score", "r.jsonl", "--scorer", "s.yaml", "-o", "-", packages=tmp_path)

    assert done.returncode == returncode, done.stderr
    assert problem in done.stderr


@pytest.mark.parametrize("budget", [None, jc.targets.Budget(max_tokens=1000)])
@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda: "Yes", "returned str; return a JudgeReply"),
        (lambda: 1 // 0, "raised ZeroDivisionError: integer"),
    ],
)
def test_a_target_that_returns_something_else_or_raises_is_named_without_a_ledger(
    answer: Callable[[], Any], says: str, budget: jc.targets.Budget | None
) -> None:
    class Talking(Answering):
        async def send(self, request: jc.JudgeRequest, /) -> Any:
            del request
            return answer()

    with (
        jc.targets.keep_replies(None, budget=budget),
        pytest.raises(jc.errors.CallableError, match=rf"Talking\.send {says}"),
    ):
        asyncio.run(jc.targets.ask_target(Talking(), REQUEST))
