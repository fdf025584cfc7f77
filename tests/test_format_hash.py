"""A format's hash follows what decides outcomes, and nothing else."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc

if TYPE_CHECKING:
    from pathlib import Path

FAMILY = 'family = "mine"\ntitle = "Mine"\nevidence = "observed"\nsources = ["our prompt"]\n\n'
SCORE = 'kind = "score"\nlow = 1\nhigh = 10\nmarkers = ["Rating"]\n'
EXAMPLE = '[[formats.examples]]\nreply = "Rating: 4"\nlenient = 4\nstrict = 4\n'


def loaded(path: Path, body: str, *, family: str = FAMILY, id: str = "mine") -> jc.Format:  # noqa: A002 - its key
    path.write_text(f'{family}[[formats]]\nid = "{id}"\n{body}', "utf-8")
    return jc.Format.from_toml(path)


def eval_hash(form: jc.Format, **options: Any) -> str:
    judge = jc.CallableTarget(lambda _: "", name="judge")
    scorer = jc.scorers.SelfAskGeneralFloatScaleScorer(
        chat_target=judge, system_prompt_format_string="Judge {response}", format=form, **options
    )
    return jc.ScorerEvaluationIdentifier(scorer.get_identifier()).eval_hash


@pytest.mark.parametrize(
    "body",
    [
        f'about = "A number."\n{SCORE}',
        f'sources = ["another page"]\n{SCORE}',
        f'evidence = "card"\n{SCORE}',
        f"replies = 12\n{SCORE}",
        f"version = 2\n{SCORE}",
        f'aliases = ["mein"]\n{SCORE}',
        f"{SCORE}{EXAMPLE}",
        f'{SCORE}[[formats.examples]]\nreply = "Rating: 4"\nnote = "plain"\nlenient = 4\nstrict = 4\n',
    ],
)
def test_words_about_a_format_keep_the_metrics_of_its_scorers(tmp_path: Path, body: str) -> None:
    before = loaded(tmp_path / "mine.toml", SCORE)

    after = loaded(tmp_path / "mine.toml", body)

    assert before.hash == after.hash
    assert eval_hash(before) == eval_hash(after)


def test_a_format_under_another_name_keeps_the_metrics_of_its_scorers(tmp_path: Path) -> None:
    one, other = (loaded(tmp_path / "mine.toml", SCORE, id=name) for name in ("mine.one", "mine.other"))

    assert eval_hash(one) == eval_hash(other)
    # What it is called is still part of what it is.
    assert jc.identity.reader_identifier(one) != jc.identity.reader_identifier(other)
    assert jc.identity.reader_identifier(one).attributes["format"] == "mine.one"


@pytest.mark.parametrize(
    ("made", "body"),
    [
        (jc.Format.score(1, 10, markers=["Rating"]), SCORE),
        (jc.Format.score(1, 10, markers=["Rating"]), f'{SCORE}strict = ["marker"]\nprecedence = "agree"\n'),
        (jc.Format.score(0.5, 10, integer=True), 'kind = "score"\nlow = 0.5\nhigh = 10.0\ninteger = true\n'),
        (jc.Format.scores(2, 0, 1), 'kind = "scores"\ncount = 2\nlow = 0.0\nhigh = 1\n'),
        (jc.Format.binary(true=["yes"], false=["no"]), 'kind = "binary"\ntrue = ["yes"]\nfalse = ["no"]\n'),
        (
            jc.Format.choice({"a": ["first"], "b": ["second", "2nd"]}),
            'kind = "choice"\n[formats.labels]\na = ["first"]\nb = ["second", "2nd"]\n',
        ),
        (
            jc.Format.fields({"style": jc.Format.score(1, 5)}),
            'kind = "fields"\n[formats.fields.style]\nkind = "score"\nlow = 1\nhigh = 5\n',
        ),
        (
            jc.Format.json_field(["score", "mark"], jc.Format.score(1, 5)),
            'kind = "json"\nverdict = ["score", "mark"]\n[formats.fields.score]\nkind = "score"\nlow = 1\nhigh = 5.0\n',
        ),
        (jc.extract_json_many([], keys=["a"]).format, 'kind = "json"\nkeys = ["a"]\nmax_depth = 200\n'),
    ],
)
def test_a_format_that_is_made_and_the_same_one_of_a_file_share_a_hash(
    tmp_path: Path, made: jc.Format, body: str
) -> None:
    assert made.hash == loaded(tmp_path / "mine.toml", body).hash


@given(st.integers(-1000, 1000), st.integers(1, 1000))
def test_whole_numbers_and_floats_of_one_value_make_one_scale(low: int, width: int) -> None:
    one, other = jc.Format.score(low, low + width), jc.Format.score(float(low), float(low + width))

    assert one.hash == other.hash == pickle.loads(pickle.dumps(one)).hash == copy.copy(other).hash
    assert one.hash != jc.Format.score(low, low + width + 0.5).hash


def test_formats_of_a_file_that_read_alike_share_a_hash_and_no_others_do() -> None:
    by_hash: dict[str, list[jc.Format]] = {}
    for form in jc.formats():
        by_hash.setdefault(form.hash, []).append(form)

    for alike in by_hash.values():
        replies = [example["reply"] for form in alike for example in form.examples]
        for reply in replies:
            for mode in alike[0].modes:
                said = {str(getattr(jc.parse(reply, form, mode=mode), "value", None)) for form in alike}
                assert len(said) == 1, ([form.id for form in alike], mode, reply)


def test_a_declaration_that_no_file_can_hold_is_refused() -> None:
    with pytest.raises(jc.errors.FormatError, match="n: 9223372036854775808 is too large for TOML"):
        jc.Format.scores(2**63, 0, 1)


def test_a_rule_that_makes_up_no_number_is_refused(tmp_path: Path) -> None:
    with pytest.raises(jc.errors.FormatError, match=r"paper\.default: NaN is not a score; write a finite number"):
        loaded(tmp_path / "mine.toml", f"{SCORE}[formats.paper]\ndefault = nan\nsteps = [{{ pattern = '[1-6]' }}]\n")
