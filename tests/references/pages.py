"""The pages of docs/formats: what each family's formats are, how they were checked, and what noise makes of them.

Run as a program, it writes these pages, those of docs/lexicon, docs/metrics.md and the package's stubs anew.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from references import lexicon, metrics, stubs

import judgecore as jc
from judgecore.prompts import guards

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = Path(__file__).parents[2] / "docs" / "formats"
MODES = ("strict", "lenient", "paper")
LONGEST_CELL = 60

REFUSAL = "I'm sorry, but I can't judge this response."
UNREAD = "unreadable"
"""What a careful reader says of a reply that holds no verdict."""

WRITTEN = (
    "Written by `make pages`; edit the format's file, not this page. [README.md](README.md) says what columns mean."
)
UNCHECKED = """\
No guard was run live for this page. To check an endpoint that serves this one, ask it about a few of your own responses
and look at what was unread:"""
INTRODUCTION = """\
Written by `make pages`. {formats} formats of {families} families with {examples} examples; {observed} were seen in
recorded real replies, {code} read in the publisher's code, {card} are known from a model card or documents alone, and
{convention} are forms that many prompts ask for. No
guard was run live: each page has the command by which you check an endpoint of your own.

Each page shows what `strict`, `lenient` and `paper` (the publisher's own rule, where it is known) say of the format's
own reply in the noise that judges make. **wrong** marks a value that a careful reader would not give: another one, one
that the publisher makes up, or one where the reply holds no verdict."""


@dataclass(frozen=True)
class Noise:
    """A reply with noise, and what a careful reader says of it.

    Attributes:
        name: What the noise is.
        reply: The reply.
        careful: The verdict, or ``UNREAD``.
        cut: Whether the reply is known to be cut off; then it may be unread as well.
    """

    name: str
    reply: str
    careful: Any
    cut: bool = False


@dataclass(frozen=True)
class Said:
    """What a mode says of a reply.

    Attributes:
        outcome: The outcome of ``parse``.
        is_wrong: Whether it gives a value that a careful reader would not.
    """

    outcome: jc.Reading | jc.Unreadable
    is_wrong: bool

    def cell(self) -> str:
        """The value or the reason, marked where it is wrong."""
        if isinstance(self.outcome, jc.Unreadable):
            return self.outcome.reason
        return f"{'**wrong** ' if self.is_wrong else ''}`{shown(self.outcome.value)}`"


def verdict(value: Any) -> Any:
    """A value as it is compared: of a guard whether it is unsafe, of a document its words."""
    if isinstance(value, jc.GuardVerdict):
        return value.unsafe if value.unsafe is not None else value.prompt_unsafe
    return value


def shown(value: Any) -> str:
    """A value in a cell."""
    if isinstance(value, jc.GuardVerdict):
        sides = {True: "unsafe", False: "safe", None: "neither"}
        value = " ".join([sides[verdict(value)], ",".join(value.categories)]).strip()
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return escaped(text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…").replace("`", "'")


def escaped(text: str) -> str:
    """A text in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def families() -> dict[str, list[jc.Format]]:
    """The built-in formats by family, in their order."""
    found: dict[str, list[jc.Format]] = {}
    for form in jc.formats():
        found.setdefault(form.id.partition(".")[0], []).append(form)
    return found


def bases(form: jc.Format) -> list[tuple[str, Any]]:
    """The format's own plain replies with their verdicts, each verdict once: those that every mode reads alike."""
    found: list[tuple[str, Any]] = []
    for example in form.examples:
        wanted = [example[mode].get("value") for mode in ("strict", "lenient") if mode in example]
        if example["cut"] or not all(one is not None for one in wanted):
            continue
        outcome = jc.parse(example["reply"], form, mode="strict")
        if isinstance(outcome, jc.Reading) and all(verdict(outcome.value) != known for _, known in found):
            found.append((example["reply"].strip(), verdict(outcome.value)))
    return found


def noises(form: jc.Format) -> list[Noise]:
    """The noise that every format must face, around the format's own replies."""
    (reply, value), *others = bases(form)
    other = others[0][0] if others else reply
    wide = {ord(digit): ord("０") + int(digit) for digit in "0123456789"} | {ord(":"): "："}
    found = [
        Noise("nothing", reply, value),
        Noise("newlines before it", f"\n\n{reply}", value),
        Noise("byte order mark", f"\ufeff{reply}", value),
        Noise("zero-width spaces around it", f"\u200b{reply}\u200b", value),
        Noise("CRLF", reply.replace("\n", "\r\n") + "\r\n", value),
        Noise("full-width digits and colons", reply.translate(wide), value),
        Noise("bold", "\n".join(f"**{line}**" if line else line for line in reply.split("\n")), value),
        Noise("a heading before it", f"## Verdict\n\n{reply}", value),
        Noise("code fence", f"```\n{reply}\n```", value),
        Noise("code fence with a language, twice", f"```json\n```json\n{reply}\n```\n```", value),
        *(Noise(f"`{end}` behind it", f"{reply}{end}", value) for end in ("</s>", "<|eot_id|>", "<|im_end|>")),
        Noise("closed reasoning that says otherwise", f"<think>At first: {other}</think>\n{reply}", value),
        Noise("nested reasoning", f"<think>a <think>{other}</think> b</think>\n{reply}", value),
        Noise(
            "harmony channels",
            f"<|channel|>analysis<|message|>{other}<|end|><|start|>assistant<|channel|>final<|message|>{reply}",
            value,
        ),
        Noise("a refusal", REFUSAL, UNREAD),
        Noise("a refusal in Chinese", "抱歉，我无法评价这个回答。", UNREAD),
        Noise("nothing at all", "", UNREAD),
        Noise("white space", " \n\n ", UNREAD),
        Noise("other text", "The response has two paragraphs.", UNREAD),
    ]
    if " " in reply:
        found.append(Noise("non-breaking spaces", reply.replace(" ", "\u00a0"), value))
    if '"' in reply:
        curly = re.sub(r'"([^"]*)"', "\u201c\\1\u201d", reply)
        found.append(Noise("curly quotes", curly, value))
    if others and len(other) > 2:
        quoted = other.replace("\n", " ").replace('"', "'")
        found.append(Noise("the response is quoted, with a verdict in it", f'It says "{quoted}".\n\n{reply}', value))
    if "<think>" not in reply:
        found.append(Noise("unclosed reasoning", f"<think>I would say: {reply}", UNREAD))
    start, end = span_of(form, reply)
    found.append(Noise("cut off in its verdict", reply[: (start + end + 1) // 2], value, cut=True))
    if form.kind == "json" and reply.startswith("{"):
        found += broken(reply, value)
    if form.scale and form.kind == "score" and form.markers and "{}" in form.markers[0]:
        found += numbers(form)
    return found


def span_of(form: jc.Format, reply: str) -> tuple[int, int]:
    """Where the evidence of a plain reply stands."""
    outcome = jc.parse(reply, form, mode="strict")
    return outcome.span if isinstance(outcome, jc.Reading) else (0, len(reply))


def broken(reply: str, value: Any) -> list[Noise]:
    """A document in the ways that judges break it."""
    inner = reply.rstrip().removesuffix("}")
    found = [
        Noise("a comment in it", f"{{ // the verdict\n{reply[1:]}", value),
        Noise("a trailing comma", f"{inner},}}", value),
        Noise("text around it", f"Here it is:\n{reply}\nI hope this helps.", value),
        Noise("a raw newline in a string", f'{inner}, "note": "one\ntwo"}}', value),
        Noise("NaN beside it", f'{inner}, "note": NaN}}', value),
    ]
    if "'" not in reply:
        found.append(Noise("single quotes", reply.replace('"', "'"), value))
    return found


def numbers(form: jc.Format) -> list[Noise]:
    """Numbers at the marker's place."""
    low, high = form.scale or (0.0, 1.0)

    def marked(number: str) -> str:
        return form.markers[0].replace("{}", number)

    middle = f"{high - 1:g}"
    return [
        Noise("a fraction of the highest", marked(f"{middle}/{high:g}"), float(middle)),
        Noise("a range", marked(f"{low:g}-{high:g}"), UNREAD),
        Noise("above the scale", marked(f"{high + 1:g}"), UNREAD),
        Noise("below the scale", marked(f"{low - 4:g}"), UNREAD),
        Noise("no number", marked("good"), UNREAD),
        Noise("a citation before it", f"As [1] shows, it is right. {marked(middle)}", float(middle)),
        Noise("the scale before it", f"On a scale of {low:g}-{high:g}: {marked(middle)}", float(middle)),
    ]


def said(form: jc.Format, noise: Noise, mode: Any) -> Said:
    """What a mode says of a reply."""
    outcome = jc.parse(noise.reply, form, mode=mode, cut=noise.cut)
    is_wrong = isinstance(outcome, jc.Reading) and (
        outcome.invented or noise.careful is UNREAD or verdict(outcome.value) != noise.careful
    )
    return Said(outcome, is_wrong)


def checked(form: jc.Format) -> str:
    """How a format was checked, in a sentence."""
    count = form.recorded_replies
    held = f"It was held against {count} recorded real replies." if count else ""
    level = {
        "card": "It is known from a model card or other documents alone; no reply of the model was seen.",
        "code": "It was read in the publisher's code.",
        "observed": "It was seen in recorded real replies, which the sources name.",
        "convention": "Many prompts ask for this form; no publisher's judge is behind it, and `detect` never names it.",
    }[form.evidence_level or "card"]
    rule = "The publisher's own rule is the `paper` mode." if "paper" in form.modes else ""
    return " ".join(one for one in (level, held, rule) if one)


def facts(form: jc.Format) -> Iterable[tuple[str, str]]:
    """A format's facts by name."""
    yield "kind", f"`{form.kind}`"
    if form.aliases:
        yield "also named", ", ".join(f"`{one}`" for one in form.aliases)
    if form.scale:
        yield "scale", f"{form.scale[0]:g} to {form.scale[1]:g}"
    if form.labels:
        yield "labels", "; ".join(f"`{label}`: {', '.join(forms)}" for label, forms in form.labels.items())
    if form.markers:
        yield "markers", ", ".join(f"`{one}`" for one in form.markers)
    if form.categories:
        yield "categories", "; ".join(f"`{code}` {meaning}" for code, meaning in form.categories.items())
    yield "modes", ", ".join(f"`{mode}`" for mode in form.modes)
    yield "sources", "; ".join(form.sources)


def endpoint_check(form: jc.Format) -> list[str]:
    """How a user checks an endpoint."""
    if form.id in guards():
        return [
            UNCHECKED,
            "",
            "```sh",
            f"printf 'type: GuardScorer\\nguard: {form.id}\\n' > guard.yaml",
            "printf 'type: OpenAITarget\\nmodel: MODEL\\nbase_url: http://127.0.0.1:8000/v1\\n' > endpoint.yaml",
            "judgecore score responses.jsonl --scorer guard.yaml --target endpoint.yaml \\",
            "    -o scores.jsonl --ledger replies.db",
            "```",
        ]
    return [
        "To check an endpoint, keep a few of its replies and look at what was unread:",
        "",
        "```sh",
        f"judgecore parse replies.jsonl --format {form.id} --column reply -o read.jsonl",
        "```",
    ]


def mode_table(form: jc.Format) -> list[str]:
    """What each mode says of each noise."""
    modes = [mode for mode in MODES if mode in form.modes]
    lines = [f"| noise | a careful reader | {' | '.join(modes)} |", f"| --- | --- |{' --- |' * len(modes)}"]
    for noise in noises(form):
        careful = UNREAD if noise.careful is UNREAD else f"`{shown(careful_value(form, noise.careful))}`"
        careful = f"{careful} or {UNREAD}" if noise.cut else careful
        cells = [said(form, noise, mode).cell() for mode in modes]
        lines.append(f"| {escaped(noise.name)} | {careful} | {' | '.join(cells)} |")
    return lines


def careful_value(form: jc.Format, value: Any) -> Any:
    """A verdict as it is shown; of a guard in its words."""
    is_guard = form.kind == "guard"
    return {True: "unsafe", False: "safe"}.get(value, value) if is_guard else value


def page(forms: list[jc.Format]) -> str:
    """The page of a family."""
    lines = [
        f"# {forms[0].title}",
        "",
        WRITTEN,
    ]
    for form in forms:
        reply = json.dumps(bases(form)[0][0], ensure_ascii=False)
        lines += ["", f"## `{form.id}`", "", form.about, "", f"How it was checked: {checked(form)}", ""]
        lines += ["| | |", "| --- | --- |", *(f"| {name} | {escaped(text)} |" for name, text in facts(form))]
        lines += ["", *endpoint_check(form), "", f"Noise around `{escaped(reply)}`:", "", *mode_table(form)]
    return "\n".join(lines) + "\n"


def counts(form: jc.Format) -> dict[str, tuple[int, int, int]]:
    """By mode, how many of the noisy replies are read as a careful reader does, unread, and wrong."""
    found: dict[str, tuple[int, int, int]] = {}
    for mode in form.modes:
        right = unread = wrong = 0
        for noise in noises(form):
            one = said(form, noise, mode)
            is_unread = isinstance(one.outcome, jc.Unreadable)
            wrong += one.is_wrong
            is_missed = is_unread and noise.careful is not UNREAD and not noise.cut
            unread += is_missed
            right += not one.is_wrong and not is_missed
        found[mode] = (right, unread, wrong)
    return found


def index() -> str:
    """The page of all pages, with the counts."""
    forms = list(jc.formats())
    by_level = {
        level: sum(form.evidence_level == level for form in forms)
        for level in ("observed", "code", "card", "convention")
    }
    total = sum(len(noises(form)) for form in forms)
    lines = [
        "# The catalogue",
        "",
        INTRODUCTION.format(
            formats=len(forms), families=len(families()), examples=sum(len(form.examples) for form in forms), **by_level
        ),
        "",
        f"Of {total} noisy replies, by mode: as a careful reader / unread though a verdict stands there / wrong.",
        "",
        "| format | kind | evidence | replies | strict | lenient | paper |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    sums = {mode: [0, 0, 0] for mode in MODES}
    for form in forms:
        found = counts(form)
        for mode, three in found.items():
            sums[mode] = [one + more for one, more in zip(sums[mode], three, strict=True)]
        cells = [" / ".join(map(str, found[mode])) if mode in found else "" for mode in MODES]
        link = f"[`{form.id}`]({form.id.partition('.')[0]}.md)"
        lines.append(
            f"| {link} | {form.kind} | {form.evidence_level} | {form.recorded_replies or ''} | {' | '.join(cells)} |"
        )
    lines.append(f"| all | | | | {' | '.join(' / '.join(map(str, sums[mode])) for mode in MODES)} |")
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """All pages by file name."""
    return {"README.md": index(), **{f"{family}.md": page(forms) for family, forms in families().items()}}


def write(folder: Path, written: dict[str, str]) -> None:
    """Write a folder's pages anew, and take away those of what is gone."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.md"):
        if old.name not in written:
            old.unlink()
    for name, text in written.items():
        (folder / name).write_text(text, "utf-8")


def main() -> None:
    """Write the pages of the families, those of the languages, that of the metrics, and the stubs."""
    write(FOLDER, pages())
    write(lexicon.FOLDER, lexicon.pages())
    metrics.write()
    stubs.write()


if __name__ == "__main__":
    main()
