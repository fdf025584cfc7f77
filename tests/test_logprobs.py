"""Verdicts from the probabilities of tokens: at the right place, of all spellings, and never more than was seen."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import judgecore as jc


def token(text: str, *top: tuple[str, float], p: float | None = None) -> dict[str, Any]:
    """An entry as OpenAI's endpoint writes it; the token's own probability is the one among the likeliest, or 1."""

    def entry(spelled: str, probability: float) -> dict[str, Any]:
        return {"token": spelled, "logprob": math.log(probability), "bytes": list(spelled.encode())}

    own = dict(top).get(text, 1.0) if p is None else p
    return {**entry(text, own), "top_logprobs": [entry(*one) for one in top]}


def read(form: jc.Format | str, *tokens: dict[str, Any], min_mass: float = 0.5) -> jc.Reading:
    outcome = jc.score_logprobs(tokens, form, min_mass=min_mass)
    assert isinstance(outcome, jc.Reading), outcome
    return outcome


def probabilities(reading: jc.Reading) -> dict[str, float]:
    return {name: round(one, 9) for name, one in reading.fields["probabilities"].items()}


def scorable() -> list[jc.Format]:
    """The formats whose verdict is one label or one number."""
    found: list[jc.Format] = []
    for form in jc.formats():
        try:
            jc.score_logprobs([], form)
        except ValueError:
            continue
        found.append(form)
    return found


SCORABLE = scorable()

# What an endpoint of vLLM sends for Llama Guard 3 (8B), which begins with two newlines.
LLAMA_GUARD = [
    token("\n\n", ("\n\n", 0.9999), ("\n", 0.0001)),
    token("unsafe", ("unsafe", 0.8), ("safe", 0.15), ("Safe", 0.01)),
    token("\n", ("\n", 1.0)),
    token("S", ("S", 1.0)),
    token("2", ("2", 0.9), ("1", 0.1)),
    token("<|eot_id|>", ("<|eot_id|>", 1.0)),
]


class TestPlaces:
    def test_llama_guard_is_the_probability_of_the_first_token_unsafe_as_it_is(self) -> None:
        reading = read("llama_guard.3", *LLAMA_GUARD)

        assert reading.value == pytest.approx(0.8)
        assert probabilities(reading) == {"unsafe": 0.8, "safe": 0.16}
        assert reading.fields["mass"] == pytest.approx(0.96)
        assert (reading.rule, reading.evidence, reading.span) == ("logprobs", "unsafe", (2, 8))

    @pytest.mark.parametrize("written", ["un", "safe"])
    def test_half_a_word_counts_for_the_only_label_that_begins_so(self, written: str) -> None:
        # The vocabulary of Llama 2 has no token "unsafe".
        assert read("llama_guard.1", token(written, ("un", 0.7), ("safe", 0.3))).value == pytest.approx(0.7)
        whole = [token("un", ("un", 0.7), ("safe", 0.3)), token("safe")]
        assert read("llama_guard.1", *whole).value == pytest.approx(0.7)

    def test_half_a_word_that_goes_on_as_another_is_no_label(self) -> None:
        outcome = jc.score_logprobs([token("un", ("un", 0.7), ("safe", 0.3)), token("clear")], "llama_guard.1")

        assert isinstance(outcome, jc.Unreadable)
        assert outcome.reason == "low_mass"

    def test_shield_gemma_is_the_share_of_yes_among_yes_and_no(self) -> None:
        top = [("Yes", 0.6), ("No", 0.2), (" yes", 0.05), ("YES", 0.05), ("The", 0.1)]

        assert read("shield_gemma", token("Yes", *top)).value == pytest.approx(0.7 / 0.9)

    def test_granite_guardian_sums_over_all_places(self) -> None:
        tokens = [token("Yes", ("Yes", 0.6), ("No", 0.4)), token("\n", ("\n", 0.9), ("No", 0.1))]

        reading = read("granite_guardian.3_0", *tokens)

        assert reading.value == pytest.approx(0.6 / 1.1)
        assert reading.fields["mass"] == pytest.approx(1.0)

    def test_granite_guardian_3_3_looks_into_the_tag_and_not_into_the_thought(self) -> None:
        thought = [token("<think>If it did, <score> yes </score>."), token("</think>"), token("<score>")]
        verdict = token(" no", (" no", 0.7), (" yes", 0.3))

        assert read("granite_guardian.3_3", *thought, verdict, token(" </score>")).value == pytest.approx(0.3)

    def test_alpaca_eval_is_the_preference_for_the_second_response(self) -> None:
        reading = read("alpaca_eval.token", token("m", ("m", 0.6), ("M", 0.3), ("Neither", 0.1)))

        assert reading.value == pytest.approx(0.3 / 0.9)
        assert probabilities(reading) == {"m": 0.6, "M": 0.3}

    def test_a_marker_says_where_a_score_stands(self) -> None:
        tokens = [
            token("On a scale of "),
            token("10"),
            token(" it is good. Rating: [["),
            token("8", ("8", 0.5), ("7", 0.5)),
        ]

        assert read("mt_bench.single", *tokens, token("]]")).value == 7.5

    def test_a_document_s_key_says_where_a_score_stands(self) -> None:
        tokens = [
            token('{"reason": "8 of 9 steps", "score'),
            token('":'),
            token(" "),
            token("8", ("8", 0.6), ("9", 0.4)),
        ]

        assert read("deepeval.g_eval", *tokens, token("}")).value == pytest.approx(8.4)

    def test_a_guard_s_line_says_where_its_subject_stands(self) -> None:
        lines = [
            token("Harmful request:"),
            token(" no", (" no", 0.9), (" yes", 0.1)),
            token("\nResponse refusal: no\n"),
        ]
        verdict = [token("Harmful response:"), token(" yes", (" yes", 0.6), (" no", 0.4))]

        assert read("wild_guard", *lines, *verdict).value == pytest.approx(0.6)
        assert read("wild_guard.prompt", *lines, *verdict).value == pytest.approx(0.1)

    def test_a_token_that_holds_the_marker_too_is_compared_with_others_that_do(self) -> None:
        tokens = [token("So: "), token("[[A", ("[[A", 0.7), ("[[B", 0.2), (" [[B", 0.1)), token("]]")]

        reading = read("mt_bench.pair", *tokens)

        assert reading.value == "A"
        assert probabilities(reading) == {"A": 0.7, "B": 0.3}

    def test_labels_that_begin_alike_are_told_apart_along_the_path(self) -> None:
        first = token("A", ("A", 0.9), ("B", 0.1))
        tokens = [
            token("My final verdict is: [["),
            first,
            token(">", (">", 0.6), (">>", 0.3), ("=", 0.1)),
            token("B]]"),
        ]

        reading = read("arena_hard", *tokens)

        assert reading.value == "A>B"
        assert probabilities(reading) == {"A>B": 0.54, "A>>B": 0.27, "A=B": 0.09}

    def test_two_labels_that_are_equally_likely_are_ambiguous(self) -> None:
        outcome = jc.score_logprobs([token("[["), token("A", ("A", 0.5), ("B", 0.5)), token("]]")], "mt_bench.pair")

        assert isinstance(outcome, jc.Unreadable)
        assert outcome.reason == "ambiguous"


class TestNumbers:
    def test_an_expectation_over_single_tokens_is_that_of_the_paper(self) -> None:
        assert read("g_eval", token("4", ("4", 0.7), ("5", 0.2), ("3", 0.1))).value == pytest.approx(4.1)

    def test_ten_counts_along_the_path_that_was_written(self) -> None:
        first = token("1", ("1", 0.7), ("8", 0.2), ("9", 0.1))
        second = token("0", ("0", 0.9), ("]]", 0.1))

        reading = read("mt_bench.single", token("Rating: [["), first, second, token("]]"))

        assert probabilities(reading) == {"1": 0.07, "8": 0.2, "9": 0.1, "10": 0.63}
        assert reading.value == pytest.approx(0.07 + 1.6 + 0.9 + 6.3)

    def test_an_alternative_that_may_begin_ten_is_unseen(self) -> None:
        first = token("8", ("8", 0.6), ("1", 0.3), ("9", 0.1))

        reading = read("mt_bench.single", token("Rating: [["), first, token("]]"))

        assert probabilities(reading) == {"8": 0.6, "9": 0.1}
        assert reading.fields["mass"] == pytest.approx(0.7)

    def test_an_alternative_is_whole_where_ten_is_a_token_too(self) -> None:
        first = token("8", ("8", 0.6), ("1", 0.2), ("10", 0.1), ("9", 0.1))

        reading = read("mt_bench.single", token("Rating: [["), first, token("]]"))

        assert probabilities(reading) == {"1": 0.2, "8": 0.6, "9": 0.1, "10": 0.1}

    def test_a_fraction_counts_along_the_path_that_was_written(self) -> None:
        tokens = [
            token("4", ("4", 0.8), ("5", 0.2)),
            token(".", (".", 0.5), ("\n", 0.5)),
            token("5", ("5", 0.6), ("2", 0.4)),
        ]

        assert probabilities(read("g_eval", *tokens)) == {"4": 0.4, "4.2": 0.16, "4.5": 0.24, "5": 0.2}

    def test_a_reply_that_goes_on_in_prose_loses_no_mass(self) -> None:
        prose = token(" because", (" because", 0.2), (" since", 0.1))

        assert read("g_eval", token("4", ("4", 0.7), ("5", 0.3)), prose).fields["mass"] == pytest.approx(1.0)

    def test_numbers_off_the_scale_are_unseen(self) -> None:
        assert read("g_eval", token("4", ("4", 0.6), ("9", 0.4))).fields["mass"] == pytest.approx(0.6)

    def test_a_sign_that_is_a_token_of_its_own_counts_along_the_path_that_was_written(self) -> None:
        tokens = [token("-", ("-", 0.45), ("3", 0.55)), token("3", ("3", 0.8), ("2", 0.2))]

        reading = read(jc.Format.score(-5, 5), *tokens)

        assert probabilities(reading) == {"-3": 0.36, "-2": 0.09, "3": 0.55}
        assert reading.value == pytest.approx(0.39)

    def test_a_sign_that_was_not_written_is_unseen(self) -> None:
        reading = read(jc.Format.score(-5, 5), token("3", ("3", 0.55), ("-", 0.45)))

        assert probabilities(reading) == {"3": 0.55}

    def test_a_sign_begins_no_number_of_a_scale_without_negative_ones(self) -> None:
        outcome = jc.score_logprobs([token("-", ("-", 0.9), ("3", 0.1)), token("3")], jc.Format.score(0, 5))

        assert isinstance(outcome, jc.Unreadable)

    def test_minus_ten_counts_along_the_path_that_was_written(self) -> None:
        tokens = [token("-1", ("-1", 0.9), ("-2", 0.1)), token("0", ("0", 0.7), ("\n", 0.3))]

        reading = read(jc.Format.score(-10, 0, integer=True), *tokens)

        assert probabilities(reading) == {"-10": 0.63, "-2": 0.1, "-1": 0.27}

    def test_an_alternative_is_whole_where_minus_ten_is_a_token_too(self) -> None:
        first = token("-8", ("-8", 0.6), ("-1", 0.3), ("-10", 0.1))

        assert probabilities(read(jc.Format.score(-10, 0), first)) == {"-10": 0.1, "-8": 0.6, "-1": 0.3}

    def test_the_sign_says_how_far_the_scale_goes(self) -> None:
        # "1" begins no longer number here, but "-1" does.
        first = token("3", ("3", 0.6), ("1", 0.3), ("-1", 0.1))

        assert probabilities(read(jc.Format.score(-10, 5), first)) == {"1": 0.3, "3": 0.6}

    def test_digits_of_other_scripts_are_digits(self) -> None:
        assert read("g_eval", token("４", ("４", 0.5), ("5", 0.5))).value == 4.5


class TestMass:
    def test_too_little_of_it_is_low_mass_and_says_what_it_would_have_been(self) -> None:
        outcome = jc.score_logprobs([token("The", ("The", 0.6), ("Yes", 0.3), ("No", 0.1))], "harmbench")

        assert isinstance(outcome, jc.Unreadable)
        assert outcome.reason == "low_mass"
        assert [one.value for one in outcome.candidates] == [pytest.approx(0.75)]
        assert "0.400" in outcome.detail

    def test_the_caller_says_how_much_is_enough(self) -> None:
        tokens = [token("The", ("The", 0.6), ("Yes", 0.3), ("No", 0.1))]

        assert read("harmbench", *tokens, min_mass=0.4).value == pytest.approx(0.75)
        with pytest.raises(ValueError, match="min_mass must be from 0 to 1"):
            jc.score_logprobs(tokens, "harmbench", min_mass=1.5)

    def test_no_label_at_all_is_low_mass_however_little_is_enough(self) -> None:
        outcome = jc.score_logprobs([token("The", ("A", 0.1))], "harmbench", min_mass=0)

        assert isinstance(outcome, jc.Unreadable)
        assert outcome.reason == "low_mass"

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (None, "missing"),
            ([], "empty"),
            ([token("I can't judge that.")], "refused"),
            ([token("Good.")], "no_verdict"),
        ],
    )
    def test_a_reply_without_a_verdict_is_unreadable_for_the_reason_that_parse_gives(
        self, content: Any, reason: str
    ) -> None:
        outcome = jc.score_logprobs(content, "mt_bench.single")

        assert isinstance(outcome, jc.Unreadable)
        assert outcome.reason == reason


class TestShapes:
    def test_objects_of_an_endpoint_s_client_are_entries_too(self) -> None:
        entry = token("Yes", ("Yes", 0.9), ("No", 0.05))
        top = [SimpleNamespace(**one) for one in entry["top_logprobs"]]

        assert jc.score_logprobs([SimpleNamespace(**{**entry, "top_logprobs": top})], "harmbench") == read(
            "harmbench", entry
        )

    def test_a_character_in_two_tokens_is_put_together(self) -> None:
        half, rest = "é".encode()[:1], "é".encode()[1:]
        tokens = [
            {"token": "\\xc3", "logprob": 0.0, "bytes": list(half), "top_logprobs": []},
            {"token": "\\xa9", "logprob": 0.0, "bytes": list(rest), "top_logprobs": []},
            token(" Rating: [["),
            token("8", ("8", 0.9), ("9", 0.1)),
            token("]]"),
        ]

        reading = read("mt_bench.single", *tokens)

        assert reading.span == (len("é Rating: [["), len("é Rating: [[8"))
        assert reading.value == pytest.approx(8.1)

    @pytest.mark.parametrize("mark", ["\u2581", "\u0120", " "])
    def test_the_sign_of_a_space_belongs_to_no_label(self, mark: str) -> None:
        assert read("harmbench", token(f"{mark}Yes", (f"{mark}Yes", 0.7), (f"{mark}No", 0.3))).value == pytest.approx(
            0.7
        )

    def test_impossible_tokens_count_nothing(self) -> None:
        entry = token("Yes", ("Yes", 0.7))
        entry["top_logprobs"] += [
            {"token": "No", "logprob": -9999.0},
            {"token": "no", "logprob": -math.inf},
        ]

        assert read("harmbench", entry).value == 1.0

    @pytest.mark.parametrize(
        ("content", "kind", "words"),
        [
            ("Yes", TypeError, r"content must be a list, not str"),
            ({"content": []}, TypeError, r"pass choices\[0\]\.logprobs\.content"),
            ([{"logprob": 0.0}], ValueError, r"content\[0\] has no token"),
            ([{"token": "Yes"}], ValueError, r"content\[0\] has no logprob"),
            ([{"token": "Yes", "logprob": "x"}], TypeError, r"content\[0\]\.logprob must be a number"),
            ([{"token": "Yes", "logprob": 0.7}], ValueError, r"content\[0\]\.logprob is 0\.7"),
            (
                [{"token": "a", "logprob": 0.0, "top_logprobs": [{"token": "b", "logprob": math.nan}]}],
                ValueError,
                r"content\[0\]\.top_logprobs\[0\]\.logprob is NaN",
            ),
        ],
    )
    def test_what_is_no_list_of_tokens_is_named_with_its_place(
        self, content: Any, kind: type[Exception], words: str
    ) -> None:
        with pytest.raises(kind, match=words):
            jc.score_logprobs(content, "harmbench")
        with pytest.raises(kind, match=words.replace("content", r"contents\[1\]", 1) if "pass" not in words else words):
            jc.score_logprobs_many([None, content], "harmbench")

    @pytest.mark.parametrize("form", ["judgelm", "strong_reject", "alpaca_eval.ranking", "sguard"])
    def test_a_format_with_several_verdicts_is_refused(self, form: str) -> None:
        with pytest.raises(ValueError, match="no verdict that is one label or one number"):
            jc.score_logprobs([], form)

    def test_all_other_formats_have_a_rule(self) -> None:
        without = {form.id for form in jc.formats()} - {form.id for form in SCORABLE}

        assert without == {
            "alpaca_eval.ranking", "distilabel.ultrafeedback", "judgelm", "lmms_eval.comparative", "mt_bench.vicuna",
            "sguard", "strong_reject",
        }  # fmt: skip

    def test_many_replies_give_what_each_gives(self) -> None:
        contents = [LLAMA_GUARD, None, [], [token("safe", ("safe", 1.0))]]

        assert jc.score_logprobs_many(contents, "llama_guard.3") == [
            jc.score_logprobs(content, "llama_guard.3") for content in contents
        ]


FRAGMENTS = [
    "Yes", " No", "un", "safe", "unsafe", "1", "0", "8", ".", "5", "[[", "]]", "A", ">", "B", "=", "m", "M", "\n",
    "Rating: [[", '{"score": ', "}", "<score>", "</score>", " yes ", "Safety: ", "[RESULT] ", "４", "é", "", "<think>",
]  # fmt: skip
pieces = st.sampled_from(FRAGMENTS) | st.text(max_size=3)
logarithms = st.floats(max_value=0.0, allow_nan=False)


@st.composite
def distributions(draw: st.DrawFn) -> dict[str, Any]:
    """A token, and likeliest ones that together have a probability of 1 at most."""
    spelled = draw(st.lists(pieces, min_size=1, max_size=6, unique=True))
    weights = draw(st.lists(st.floats(0.001, 1.0), min_size=len(spelled), max_size=len(spelled)))
    total = sum(weights) + draw(st.floats(0.0, 1.0))
    top = [(text, weight / total) for text, weight in zip(spelled, weights, strict=True)]
    return token(draw(st.sampled_from(spelled)), *top)


contents = st.lists(distributions(), max_size=8)


@given(st.lists(st.none() | contents, min_size=1, max_size=6), st.sampled_from(SCORABLE))
@settings(max_examples=60)
def test_a_column_of_tokens_gives_what_each_row_gives(rows: list[list[dict[str, Any]] | None], form: jc.Format) -> None:
    got = jc.score_logprobs_many(pa.array(rows), form)

    assert got == [jc.score_logprobs(row, form) for row in rows]


def test_bytes_and_likeliest_tokens_of_a_column_may_be_missing() -> None:
    rows: list[Any] = [[{"token": "Yes", "logprob": -0.1}], None]
    nulls: Any = [[{**rows[0][0], "bytes": None, "top_logprobs": None}], None]
    want = [jc.score_logprobs(row, "shield_gemma") for row in rows]

    assert want == jc.score_logprobs_many(pa.array(rows), "shield_gemma")
    assert want == jc.score_logprobs_many(pa.chunked_array([nulls[:1], nulls[1:]]), "shield_gemma")


@pytest.mark.parametrize(
    ("column", "kind", "words"),
    [
        (pa.array([1, 2]), TypeError, "'int' object is not iterable"),
        (pa.table({"a": [1]}), TypeError, r"contents\[0\] must be a list, not dict"),
        (pa.array([["Yes"]]), ValueError, r"contents\[0\]\[0\] has no token"),
        (pa.array([None, [{"token": "a", "logprob": 0.7}]]), ValueError, r"contents\[1\]\[0\]\.logprob is 0\.7"),
    ],
)
def test_what_is_no_column_of_tokens_is_named_with_its_place(column: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        jc.score_logprobs_many(column, "shield_gemma")


@given(contents, st.sampled_from(SCORABLE), st.floats(0.0, 1.0))
@settings(max_examples=600)
def test_any_tokens_give_a_value_of_the_format_and_no_more_mass_than_one(
    content: list[dict[str, Any]], form: jc.Format, min_mass: float
) -> None:
    outcome = jc.score_logprobs(content, form, min_mass=min_mass)

    readings = [outcome] if isinstance(outcome, jc.Reading) else outcome.candidates
    if isinstance(outcome, jc.Unreadable) and outcome.reason != "low_mass":
        return
    for reading in readings:
        mass = reading.fields["mass"]
        assert 0 < mass <= 1
        assert sum(reading.fields["probabilities"].values()) == pytest.approx(mass)
        assert all(0 <= one <= 1 for one in reading.fields["probabilities"].values())
        assert (mass >= min_mass) == isinstance(outcome, jc.Reading)
        low, high = form.scale or (0.0, 1.0)
        assert reading.value in form.labels if isinstance(reading.value, str) else low <= reading.value <= high


@given(contents, st.sampled_from(SCORABLE), st.randoms(use_true_random=False))
def test_the_order_of_the_likeliest_tokens_changes_nothing(
    content: list[dict[str, Any]], form: jc.Format, random: Any
) -> None:
    shuffled = [
        {**one, "top_logprobs": random.sample(one["top_logprobs"], len(one["top_logprobs"]))} for one in content
    ]

    one, other = jc.score_logprobs(content, form, min_mass=0), jc.score_logprobs(shuffled, form, min_mass=0)

    if isinstance(one, jc.Unreadable) or isinstance(other, jc.Unreadable):
        assert type(one) is type(other)
    elif isinstance(one.value, float):
        assert one.value == pytest.approx(other.value)


@given(st.lists(st.floats(0.01, 1.0), min_size=10, max_size=10), st.integers(1, 10))
def test_digits_as_tokens_never_give_a_number_more_than_the_judge_does(weights: list[float], written: int) -> None:
    # A judge that writes 1 to 10 digit by digit: its whole distribution is known, one path of it is seen.
    judge = {number: weight / sum(weights) for number, weight in enumerate(weights, start=1)}
    starts = {str(digit): judge[digit] + (judge[10] if digit == 1 else 0) for digit in range(1, 10)}
    first = token(str(written)[0], *starts.items())
    ends = judge[1] / starts["1"]
    second = [token("0", ("0", 1 - ends), ("]]", ends))] if written == 10 else []
    if written == 1:
        second = [token("]]", ("0", 1 - ends), ("]]", ends))]

    seen = read("mt_bench.single", token("Rating: [["), first, *second, token("]]"), min_mass=0).fields["probabilities"]

    assert all(seen[name] <= judge[int(name)] + 1e-9 for name in seen)
    exact = {1, 10} if written in (1, 10) else set[int]()
    assert all(seen[str(number)] == pytest.approx(judge[number]) for number in {*range(2, 10), *exact})
    assert ("1" in seen) == (written in (1, 10))
