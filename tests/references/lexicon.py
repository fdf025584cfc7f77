"""The pages of docs/lexicon: each language's words and examples, for readers who know the language and no Rust."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "rust" / "judgecore"
FOLDER = ROOT / "docs" / "lexicon"
WIDTH = 120
COMMAND = "cargo test --locked --package judgecore --test lexicon"

INTRODUCTION = f"""\
Written by `make pages`. By these words judgecore tells who says a value, and how: {{words}} words and phrases of
{{languages}} languages in {{classes}} classes, {{numbers}} number words, and {{examples}} examples. All languages are
looked for in every reply.

If you know one of the languages, you can correct it without Rust. Its page lists the words and names the file to edit:
add a word to its class, in lower case, or remove one, and add an example if it changes what a reply means. Then run

```sh
{COMMAND}
```

The build names file, class and word where a word can't be used, and the test each example whose outcome is another one.
`make test` runs the examples in Python too, and `make pages` writes these pages anew. A new language is a new file in
`rust/judgecore/lexicon`; copy the one of a language that is close to it."""

COLLISIONS = """\
Other languages have these words too, so none of them shows that a sentence is in this language. Those marked *English*
count only in a sentence that another word shows to be in it."""

MATERIAL = """\
By these words judgecore tells whose a verdict is that also stands in the texts that the judge was shown, its material.
They count there only."""

REFUSAL = """\
By these phrases at the opening of a reply judgecore tells that the judge declined. They count there only."""

# What is said of the sections of words that are no words of a sentence.
APART = {"material": MATERIAL, "refusal": REFUSAL}

EXAMPLES = """\
They run as tests. One that is *not read yet* has the outcome that a careful reader would give, and the rules don't
reach it."""


def meanings() -> dict[str, dict[str, str]]:
    """What each class means, by the section of a language's file that has it."""
    classes = tomllib.loads((SOURCES / "classes.toml").read_text("utf-8"))
    return {"classes": classes, **{section: classes.pop(section) for section in APART}}


@cache
def languages() -> dict[str, dict[str, Any]]:
    """The files of all languages by name."""
    return {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted((SOURCES / "lexicon").glob("*.toml"))}


def form_of(example: dict[str, Any]) -> jc.Format:
    """The format that an example is read with."""
    if "scale" in example:
        return jc.Format.score(*example["scale"])
    if "labels" in example:
        return jc.Format.choice({label: [label] for label in example["labels"]})
    return jc.Format.binary(true=example["yes"], false=example["no"])


def code(word: Any) -> str:
    """A word as code; of several lines, in one."""
    return f"`{str(word).replace(chr(10), ' ⏎ ').replace('|', chr(92) + '|')}`"


def wrapped(words: Iterable[str]) -> Iterator[str]:
    """Words in lines of their own, none of them cut."""
    line = ""
    for word in words:
        more = f"{line}, {code(word)}" if line else code(word)
        if len(more) >= WIDTH:
            yield f"{line},"
            more = code(word)
        line = more
    yield line


def classes_of(file: dict[str, Any], word: str) -> str:
    """What a word is in a language."""
    classes = [f"`{name}`" for name, words in file["classes"].items() if word in words]
    return ", ".join([*classes, *([f"{file['numbers'][word]:g}"] if word in file["numbers"] else [])])


def elsewhere(name: str, word: str) -> str:
    """What a word is in the other languages that the lexicon has it of."""
    found = {other["language"]: classes_of(other, word) for key, other in languages().items() if key != name}
    return "; ".join(f"{language} {classes}" for language, classes in found.items() if classes)


def described(classes: dict[str, str], words: dict[str, list[str]]) -> Iterator[str]:
    """Each class with its words."""
    for one, meaning in classes.items():
        yield from ("", f"**`{one}`**: {meaning}", "")
        yield from wrapped(words[one]) if words.get(one) else ["No words."]


def numbers(file: dict[str, Any]) -> Iterator[str]:
    """The number words by their number."""
    for number in sorted(set(file["numbers"].values())):
        words = ", ".join(code(word) for word, value in file["numbers"].items() if value == number)
        yield f"| {number:g} | {words} |"


def row(example: dict[str, Any]) -> str:
    """An example's row."""
    if "scale" in example:
        asked = f"a score, {example['scale'][0]:g} to {example['scale'][1]:g}"
    elif "labels" in example:
        asked = f"one of {', '.join(map(code, example['labels']))}"
    else:
        asked = f"{', '.join(map(code, example['yes']))} or {', '.join(map(code, example['no']))}"
    outcome = "unreadable" if example.get("unreadable") else code(example["value"])
    late = ", not read yet" if example.get("fails") else ""
    return f"| {code(example['reply'])} | {asked} | {outcome}{late} |"


def page(name: str, file: dict[str, Any]) -> str:
    """The page of a language."""
    source = f"rust/judgecore/lexicon/{name}.toml"
    lines = [
        f"# {file['language']}",
        "",
        f"Written by `make pages`; edit `{source}`, not this page. [README.md](README.md) says how.",
        "",
        "## Words by class",
    ]
    classes = meanings()
    lines += described(classes["classes"], file["classes"])
    for section, said in APART.items():
        lines += ["", f"## Words for {section}, by class", "", said]
        lines += described(classes[section], file.get(section, {}))
    lines += ["", "## Number words", "", "| number | words |", "| --- | --- |", *numbers(file)]
    lines += ["", "## Words that collide", "", COLLISIONS, "", "| word | here | elsewhere |", "| --- | --- | --- |"]
    english = file.get("english", [])
    for word in sorted({*file["collides"], *english}):
        others = "; ".join(filter(None, ["*English*" if word in english else "", elsewhere(name, word)]))
        lines.append(f"| {code(word)} | {classes_of(file, word)} | {others} |")
    lines += ["", "## Examples", "", EXAMPLES, "", "| reply | asked for | outcome |", "| --- | --- | --- |"]
    return "\n".join([*lines, *map(row, file["examples"])]) + "\n"


def words_in(file: dict[str, Any]) -> int:
    """How many words and phrases a language has."""
    return sum(len(words) for section in meanings() for words in file.get(section, {}).values())


def index() -> str:
    """The page of all languages and classes."""
    files = languages()
    introduction = INTRODUCTION.format(
        languages=len(files),
        words=sum(map(words_in, files.values())),
        classes=sum(map(len, meanings().values())),
        numbers=sum(len(file["numbers"]) for file in files.values()),
        examples=sum(len(file["examples"]) for file in files.values()),
    )
    lines = ["# The lexicon", "", introduction, "", "## Languages", ""]
    lines += ["| language | words | number words | examples | not read yet |", "| --- | --- | --- | --- | --- |"]
    for name, file in files.items():
        examples = file["examples"]
        counts = [words_in(file), len(file["numbers"]), len(examples)]
        late = sum(example.get("fails", False) for example in examples)
        lines.append(f"| [{file['language']}]({name}.md) | {' | '.join(map(str, counts))} | {late} |")
    lines += ["", "## Classes", "", "| class | meaning | languages with words |", "| --- | --- | --- |"]
    for section, classes in meanings().items():
        for one, meaning in classes.items():
            known = sum(bool(file.get(section, {}).get(one)) for file in files.values())
            lines.append(f"| `{one}` | {meaning} | {known} |")
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """All pages by file name."""
    return {"README.md": index(), **{f"{name}.md": page(name, file) for name, file in languages().items()}}
