"""What holds for any text, any format, any mode."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import judgecore as jc

# Formats of the caller's, each with a reply that it reads.
MADE = {
    jc.Format.score(1, 10): "8/10",
    jc.Format.score(0, 1): "85%",
    jc.Format.score(1, 5, integer=True, markers=["Rating"]): "Rating: 4",
    jc.Format.choice({"A": ["A", "Output (a)"], "B": ["B", "Output (b)"], "tie": ["tie"]}): "Output (b) is better.",
    jc.Format.binary(true=["Yes", "是"], false=["No", "否"]): "No, it is not.",
    jc.Format.scores(3, 0, 5): "5 4 3",
    jc.Format.scores(2, 0, 5, names=["Style", "Facts"]): "Facts: 4\nStyle: 5",
    jc.Format.fields(
        {"Relevance": jc.Format.score(1, 5), "Clear": jc.Format.binary(true=["yes"], false=["no"])}
    ): "Relevance: 4\nClear: yes",
    jc.Format.order(3): "The order is: B > A = C",
    jc.Format.order(2, names=["Assistant 1", "Assistant 2"]): "1. Assistant 2\n2. Assistant 1",
    jc.Format.choice(
        {"A": ["A"], "B": ["B"]}, markers=["WINNER:", "<verdict>{}</verdict>"], place="last_line"
    ): "It is longer.\n\nMy choice: B",
    jc.Format.binary(true=["Yes"], false=["No"], place="first_word"): "No, it is not.",
    jc.Format.score(0, 10, markers=["【总分】{}分"]): "【总分】8分",
    jc.Format.json_fields(
        {"helpful.score": jc.Format.score(1, 5), "order": jc.Format.order(2)}
    ): '{"helpful": {"score": 4}, "order": "2 > 1"}',
}
FORMATS = [*jc.formats(), *MADE]
EXAMPLES = [(form, example) for form in FORMATS for example in form.examples]
BASES = [*((form, example["reply"]) for form, example in EXAMPLES), *MADE.items()]
# Behind planted reasoning, a block of the reply's own is no longer its beginning.
WITHOUT_REASONING = [(form, reply) for form, reply in BASES if "think>" not in reply]
# What is cut off inside its verdict goes on with whatever stands behind it. An unclosed mark of the reply's own would
# pair with a planted one, and a fence alone is the reply itself.
WHOLE_BASES = [
    (form, reply)
    for form, reply in [*((form, one["reply"]) for form, one in EXAMPLES if not one.get("cut")), *MADE.items()]
    if reply.strip() and not any(sign in reply for sign in ('"', "“", "```", "think>"))
]
FRAGMENTS = [
    "[[", "]]", "[", "]", "(", ")", "{", "}", "<", ">", '"', "'", "`", "```", "\n", "\n\n", "\r\n", " ", "  ", "\t",
    "<think>", "</think>", "<|channel|>final<|message|>", "<|eot_id|>", "</s>", "**", "_", "# ", "> ", "| ", ": ", "=",
    "A", "B", "C", "tie", "Output (a)", "Output (b)", "Response 1", "Yes", "No", "yes", "safe", "unsafe", "S1,S10",
    "GRADE: ", "Rating: ", "[RESULT] ", "Score", "Verdict", "final", "Therefore, ", "is better", "not ", "I cannot",
    "8", "7.5", "10", "1", "0", "-3", "8/10", "1-10", "85%", "８", "eight", "八", "评分：", "\u200b", "\ufeff",
    "\u00a0", "\\boxed{", "<score>", "</score>", "Harmful request: ", "Relevance: ", "Clear - ", "...", "?", "“", "”",
    "é", "😀", "\ud800", " > ", " = ", "Assistant 1", "Assistant 2", "2. ", "WINNER: ", "【总分】", "分",
]  # fmt: skip
texts = st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=4))).map("".join))
formats = st.sampled_from(FORMATS)
# Random text is seldom read, so half of the replies hold one of their format's.
around_bases = st.builds(lambda base, *ends: (base[0], base[1].join(ends)), st.sampled_from(BASES), texts, texts)
asked = st.one_of(st.tuples(formats, texts), around_bases)


def is_in_domain(form: jc.Format, value: Any) -> bool:
    """Whether a value is one that the format's readings may have."""
    low, high = form.scale or (-math.inf, math.inf)
    domain = {
        "binary": lambda: type(value) is bool,
        "choice": lambda: value in form.labels,
        "score": lambda: type(value) is float and low <= value <= high,
        "scores": lambda: type(value) is tuple and all(type(one) is float and low <= one <= high for one in value),
        "fields": lambda: type(value) is dict and len(value) > 0,
        "guard": lambda: isinstance(value, jc.GuardVerdict) and has_a_side(value),
        "ranking": lambda: type(value) is tuple and len(value) > 0,
        "order": lambda: is_order(value, len(form.labels)),
        # The verdict of a document is a label, a boolean, or a number or several on its scale.
        "json": lambda: (
            all(low <= one <= high for one in (value if type(value) is tuple else (value,)))
            if form.scale
            else value in form.labels or (type(value) is bool and "true" in form.labels)
        ),
    }
    return domain[form.kind]()


def is_order(ranks: tuple[int, ...], candidates: int) -> bool:
    """Whether each candidate has a rank, counted from 1, with as many left out behind those who tie."""
    is_counted = all(type(rank) is int and rank == 1 + sum(one < rank for one in ranks) for rank in ranks)
    return len(ranks) == candidates and is_counted


def has_a_side(verdict: jc.GuardVerdict) -> bool:
    """Whether a side is judged, or a word says that it is neither safe nor unsafe."""
    says_neither = any(isinstance(value, str) for value in verdict.fields.values())
    return verdict.prompt_unsafe is not None or verdict.response_unsafe is not None or says_neither


def value_of(outcome: jc.Reading | jc.Unreadable) -> Any:
    """What was read, or None."""
    return outcome.value if isinstance(outcome, jc.Reading) else None


def says(outcome: jc.Reading | jc.Unreadable) -> tuple[bool, Any]:
    """The value or the reason, whichever there is."""
    return (True, outcome.value) if isinstance(outcome, jc.Reading) else (False, outcome.reason)


@settings(max_examples=400)
@given(asked, st.sampled_from(["lenient", "strict"]), st.booleans())
def test_any_text_gives_an_outcome_in_the_formats_domain(ask: tuple[jc.Format, str], mode: Any, cut: bool) -> None:
    form, text = ask

    outcome = jc.parse(text, form, mode=mode, cut=cut)

    if isinstance(outcome, jc.Reading):
        start, end = outcome.span
        assert 0 <= start <= end <= len(text)
        assert outcome.evidence == text[start:end]
        assert not outcome.invented
        assert is_in_domain(form, outcome.value)
    else:
        assert outcome.reason in {
            "empty",
            "no_verdict",
            "ambiguous",
            "out_of_range",
            "truncated",
            "malformed",
            "refused",
        }


@settings(max_examples=400)
@given(asked)
def test_a_publishers_rule_gives_its_domain_or_its_default(ask: tuple[jc.Format, str]) -> None:
    form, text = ask
    if "paper" not in form.modes:
        with pytest.raises(ValueError, match="paper"):
            jc.parse(text, form, mode="paper")
        return

    outcome = jc.parse(text, form, mode="paper")

    if isinstance(outcome, jc.Reading) and outcome.invented:
        assert outcome.rule == "publisher_default"
        assert outcome.span == (0, 0)
        assert outcome.evidence == ""
    elif isinstance(outcome, jc.Reading):
        assert outcome.evidence == text[slice(*outcome.span)]
        keeps_off_scale = "off the scale is kept" in (form.publisher_rule or "")
        assert form.kind == "guard" or keeps_off_scale or is_in_domain(form, outcome.value)


replies = st.one_of(st.none(), texts, st.sampled_from([reply for _, reply in BASES]))


@settings(deadline=None)
@given(st.lists(replies, max_size=12), formats, st.sampled_from(["lenient", "strict"]))
def test_many_replies_read_as_one_by_one(replies: list[str | None], form: jc.Format, mode: Any) -> None:
    readings = jc.parse_many(replies, form, mode=mode)

    one_by_one = [jc.parse(reply, form, mode=mode) for reply in replies]
    assert list(readings) == one_by_one
    assert readings.values == [value_of(one) for one in one_by_one]
    assert readings.reason == [one.reason if isinstance(one, jc.Unreadable) else None for one in one_by_one]
    assert readings.rule == [one.rule if isinstance(one, jc.Reading) else None for one in one_by_one]
    assert readings.ok.tolist() == [one.ok for one in one_by_one]
    assert sum(readings.counts().values()) == len(replies)


PLANTS = [
    "[[A]]",
    "[[B>A]]",
    "Rating: [[3]]",
    "GRADE: P",
    "[RESULT] 2",
    "Output (b) is better.",
    "unsafe\nS3",
    "Yes",
    "1",
]


@given(st.sampled_from(WITHOUT_REASONING), st.sampled_from(PLANTS), st.booleans())
def test_a_verdict_planted_in_reasoning_changes_nothing(base: tuple[jc.Format, str], plant: str, close: bool) -> None:
    form, reply = base
    planted = (
        f"<think>The reply might be {plant}\n{plant}\n</think>\n{reply}" if close else f"<think>{plant}</think>{reply}"
    )

    plain, got = jc.parse(reply, form), jc.parse(planted, form)

    assert says(plain) == says(got)


def quoted(mark: str, plant: str) -> str:
    """Text that a judge repeats, with something in the middle of it."""
    match mark:
        case "> ":
            return "\n".join(f"> it says {line}" for line in plant.split("\n"))
        case "```":
            return f"```\nprint('x')\nsay {plant} now\n```"
        case _:
            close = "”" if mark == "“" else mark
            return f"The response says {mark}in the end {plant} is my verdict{close} and goes on."


@given(st.sampled_from(WHOLE_BASES), st.sampled_from(PLANTS), st.sampled_from(['"', "“", "> ", "```"]), st.booleans())
def test_a_verdict_planted_in_a_quotation_changes_nothing(
    base: tuple[jc.Format, str], plant: str, mark: str, is_first: bool
) -> None:
    form, reply = base
    join = (lambda text: f"{text}\n\n{reply}") if is_first else (lambda text: f"{reply}\n\n{text}")

    neutral, planted = jc.parse(join(quoted(mark, "something")), form), jc.parse(join(quoted(mark, plant)), form)

    assert (neutral.ok, neutral.value_or(None)) == (planted.ok, planted.value_or(None)), (reply, plant)


def is_continued(full: str, end: int) -> bool:
    """Whether a word or number goes on across ``end``."""
    before, after = full[end - 1 : end], full[end : end + 2]
    goes_on = after[:1].isalnum() or (after[:1] == "." and after[1:].isdigit())
    return before.isalnum() and goes_on


@pytest.mark.parametrize("form", [form for form in FORMATS if form.examples], ids=lambda form: form.id)
def test_a_prefix_known_to_be_cut_gives_no_value_that_the_full_reply_lacks(form: jc.Format) -> None:
    for example in form.examples:
        full = example["reply"]
        whole = jc.parse(full, form)
        for length in range(len(full)):
            got = jc.parse(full[:length], form, cut=True)

            # First-token formats are asked for one token, so that a cut tells nothing about them.
            if isinstance(got, jc.Reading) and not form.first_token and says(got) != says(whole):
                # An entry that is read of a document stands whole before the cut.
                if form.kind == "json":
                    continue
                # An earlier candidate may count if it stands complete in the full reply.
                rules = {"marker", "labelled", "statement", "opening", "fields", "json"}
                assert got.rule in rules or got.evidence.endswith("}"), (full[:length], got)
                assert not is_continued(full, got.span[1]), (full[:length], got)


@pytest.mark.parametrize("form", [form for form in FORMATS if form.examples], ids=lambda form: form.id)
def test_a_prefix_never_turns_half_a_word_in_a_sentence_into_a_verdict(form: jc.Format) -> None:
    for example in form.examples:
        full = example["reply"]
        for length in range(len(full)):
            got = jc.parse(full[:length], form)

            # "No" of "Not" is all that was written, and "1" of "10" can't be told from 1.
            # A document's span goes to the cut, beyond the entry that was read.
            if isinstance(got, jc.Reading) and got.rule not in {"whole", "json"} and is_continued(full, got.span[1]):
                last = got.evidence.rstrip("])}*_ ")[-1]
                # Nor can the first letters of a category, behind a verdict that is whole.
                is_list = isinstance(got.value, jc.GuardVerdict) and bool(got.value.categories)
                # Scripts without spaces show no end of a word.
                is_open = last.isdigit() or is_list or "\u2e80" <= full[length - 1] <= "\ud7af"
                assert is_open or got.rule in {"marker", "closing", "json", "place"}, (full[:length], got)
