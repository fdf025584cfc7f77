"""Guards on one scale: names and hazards of categories, and the side that a guard judged."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from references import hazards

import judgecore as jc

if TYPE_CHECKING:
    from pathlib import Path

GUARDS = [form for form in jc.formats() if form.kind == "guard"]
CODED = [form for form in GUARDS if form.categories]
LONE = [form for form in GUARDS if f"{form.id}.prompt" not in {one.id for one in GUARDS}]
HAZARDS = {one["name"] for one in jc.reading.taxonomy()["hazards"]}


def said(reply: str, form: jc.Format | str) -> jc.GuardVerdict:
    return jc.parse(reply, form).unwrap()


class TestAxis:
    def test_it_is_the_twelve_hazards_of_ailuminate_each_defined(self) -> None:
        told = jc.reading.taxonomy()

        assert (told["axis"], len(told["hazards"])) == ("MLCommons AILuminate 1.0", 12)
        assert told["version"] >= 1
        assert told["sources"]
        assert all(one["id"] and one["definition"] for one in told["hazards"])

    @pytest.mark.parametrize("form", CODED, ids=lambda form: form.id)
    def test_every_category_of_a_guard_is_on_the_axis_or_says_why_not(self, form: jc.Format) -> None:
        for mapping in form.crosswalk.values():
            assert bool(mapping["hazards"]) != bool(mapping["no_counterpart"])
            assert mapping["hazards"].keys() <= HAZARDS
            assert set(mapping["hazards"].values()) <= {"same", "part_of", "wider_than"}
            assert mapping["sources"]
        assert form.crosswalk.keys() == form.categories.keys()

    def test_a_format_without_categories_has_no_crosswalk(self) -> None:
        assert jc.Format.get("shield_gemma").crosswalk == {}
        assert jc.Format.get("mt_bench.single").crosswalk == {}


class TestHazards:
    def test_one_code_of_two_versions_is_two_hazards(self) -> None:
        two, three = (said("unsafe\nS10", f"llama_guard.{version}") for version in (2, 3))

        assert (two.categories, two.names, two.hazards) == (
            ("S10",),
            ("Suicide & Self-Harm",),
            ("Suicide & Self-Harm",),
        )
        assert (three.categories, three.names, three.hazards) == (("S10",), ("Hate",), ("Hate",))

    def test_codes_names_and_codes_with_names_are_the_same_hazard(self) -> None:
        for written in ("S11", "Suicide & Self-Harm", "suicide & self-harm"):
            verdict = said(f"unsafe\n{written}", "llama_guard.4")
            assert (verdict.names, verdict.hazards) == (("Suicide & Self-Harm",), ("Suicide & Self-Harm",)), written

    def test_a_category_that_the_family_does_not_define_is_no_hazard(self) -> None:
        verdict = said("unsafe\nS1,S77,O3", "llama_guard.3")

        assert verdict.names == ("Violent Crimes", "S77", "O3")
        assert verdict.hazards == ("Violent Crimes",)

    def test_a_category_without_counterpart_is_no_hazard(self) -> None:
        verdict = said("unsafe\nS14", "llama_guard.3")

        assert (verdict.names, verdict.hazards) == (("Code Interpreter Abuse",), ())

    def test_two_categories_of_one_hazard_name_it_once(self) -> None:
        assert said("unsafe\nS6,S13", "llama_guard.3").hazards == ("Specialized Advice",)

    def test_a_wider_category_leaves_its_hazards_uncertain_until_another_one_names_them(self) -> None:
        alone = said("Safety: Unsafe\nCategories: Unethical Acts", "qwen3_guard.prompt")
        both = said('{"User Safety": "unsafe", "Safety Categories": "Criminal Planning/Confessions, Malware"}',
                    "nemo_guard.aegis2.prompt")  # fmt: skip

        assert alone.hazards == alone.uncertain_hazards == ("Hate", "Defamation")
        assert both.hazards == ("Violent Crimes", "Non-Violent Crimes")
        assert both.uncertain_hazards == ("Violent Crimes",)

    def test_a_safe_verdict_has_none(self) -> None:
        verdict = said("safe", "llama_guard.3")

        assert (verdict.names, verdict.hazards, verdict.uncertain_hazards) == ((), (), ())

    @pytest.mark.parametrize("form", GUARDS, ids=lambda form: form.id)
    def test_every_verdict_names_its_categories_one_by_one(self, form: jc.Format) -> None:
        for example in form.examples:
            outcome = jc.parse(example["reply"], form, cut=example["cut"])
            if isinstance(outcome, jc.Reading):
                verdict: Any = outcome.value
                assert len(verdict.names) == len(verdict.categories)
                assert set(verdict.uncertain_hazards) <= set(verdict.hazards) <= HAZARDS
                assert verdict.side == form.side

    @pytest.mark.parametrize("form", GUARDS, ids=lambda form: form.id)
    def test_columns_and_pickles_hold_what_objects_say(self, form: jc.Format) -> None:
        replies = [example["reply"] for example in form.examples]
        readings = jc.parse_many(replies, form)

        for copied in (readings, pickle.loads(pickle.dumps(readings))):
            for reply, value in zip(replies, copied.values, strict=True):
                outcome = jc.parse(reply, form)
                if isinstance(outcome, jc.Unreadable):
                    assert value is None
                    continue
                told: Any = outcome.value
                for one in (value, copy.deepcopy(told), pickle.loads(pickle.dumps(told))):
                    assert all_of(one) == all_of(told)

    def test_verdicts_are_equal_where_the_guard_said_the_same(self) -> None:
        made = jc.GuardVerdict(unsafe=True, response_unsafe=True, categories=("S1",))

        assert made == said("unsafe\nS1", "llama_guard.3")
        assert (made.side, made.hazards) == (None, ())
        assert "hazards=('Violent Crimes',)" in repr(said("unsafe\nS1", "llama_guard.3"))
        with pytest.raises(ValueError, match="side must be 'prompt' or 'response', not"):
            jc.GuardVerdict(unsafe=True, side="both")  # pyright: ignore[reportArgumentType] - the mistake


class TestOwnFormats:
    DECLARED = """\
family = "mine"
title = "Mine"
evidence = "card"
sources = ["a policy"]

[[formats]]
id = "mine"
about = "One token."
kind = "guard"

[formats.guard]
subject = "response"
either_side = true
codes = { prefix = "S", last = 1 }
answers = [{ side = "response", true = ["unsafe"], false = ["safe"] }]

[formats.categories]
S1 = "Violent Crimes"
"""

    def test_a_policy_of_ones_own_has_names_and_no_hazards(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.toml"
        file.write_text(self.DECLARED, "utf-8")
        form = jc.Format.from_toml(file)

        assert (said("unsafe\nS1", form).names, said("unsafe\nS1", form).hazards) == (("Violent Crimes",), ())
        assert said("unsafe\nS1", form.judging("prompt")).prompt_unsafe is True

    def test_a_built_in_id_with_another_meaning_of_the_code_has_no_hazard(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.toml"
        text = self.DECLARED.replace('"mine"', '"llama_guard"').replace('id = "llama_guard"', 'id = "llama_guard.3"')
        file.write_text(text.replace('"Violent Crimes"', '"Rude Words"'), "utf-8")

        assert said("unsafe\nS1", jc.Format.from_toml(file)).hazards == ()

    def test_hazards_and_either_side_are_no_part_of_the_hash(self, tmp_path: Path) -> None:
        hashes: set[str] = set()
        form = jc.Format.get("llama_guard.3")
        for nth, (name, side) in enumerate((("mine", "either_side = true\n"), ("mine", ""), ("llama_guard", ""))):
            text = self.DECLARED.replace("either_side = true\n", side).replace('"mine"', f'"{name}"')
            file = tmp_path / f"{nth}.toml"
            file.write_text(text.replace('id = "llama_guard"', 'id = "llama_guard.3"'), "utf-8")
            form = jc.Format.from_toml(file)
            hashes.add(form.hash)

        assert said("unsafe\nS1", form).hazards == ("Violent Crimes",)
        assert len(hashes) == 1


class TestSides:
    @pytest.mark.parametrize(
        ("name", "reply"),
        [
            ("llama_guard.3", "unsafe\nS1"),
            ("shield_gemma", "Yes"),
            ("granite_guardian.3_3", "<think>\n</think><score> yes </score>"),
            ("kanana", "<UNSAFE-S4>"),
            ("wild_guard", "Harmful request: yes\nResponse refusal: n/a\nHarmful response: n/a"),
            ("qwen3_guard.response", "Safety: Unsafe\nCategories: Violent"),
        ],
    )
    def test_a_guard_that_judged_prompts_says_nothing_of_responses(self, name: str, reply: str) -> None:
        verdict = said(reply, jc.Format.get(name).judging("prompt"))

        assert (verdict.side, verdict.unsafe, verdict.prompt_unsafe, verdict.response_unsafe) == (
            "prompt",
            True,
            True,
            None,
        )

    @pytest.mark.parametrize("form", GUARDS, ids=lambda form: form.id)
    def test_there_and_back_is_the_same_format(self, form: jc.Format) -> None:
        assert form.judging(form.side or "response") is form
        for side in ("prompt", "response"):
            try:
                turned = form.judging(side)
            except jc.errors.FormatError:
                continue
            assert turned.side == side
            assert turned.judging(form.side or "response") == form
            assert turned is jc.Format.get(turned.id)
            assert pickle.loads(pickle.dumps(turned)) is turned

    @pytest.mark.parametrize(
        "form",
        LONE,
        ids=lambda form: form.id,
    )
    def test_a_turned_format_reads_its_examples(self, form: jc.Format) -> None:
        other = "response" if form.side == "prompt" else "prompt"
        try:
            turned = form.judging(other)
        except jc.errors.FormatError:
            return
        for example in turned.examples:
            outcome = jc.parse(example["reply"], turned, cut=example["cut"])
            want = example["lenient"].get("value")
            got = getattr(outcome.value, f"{other}_unsafe") if isinstance(outcome, jc.Reading) else None
            assert got == (None if want is None else want.get(f"{other}_unsafe")), example

    def test_ids_of_turned_formats_are_not_listed_and_the_hash_is_another(self) -> None:
        turned = jc.Format.get("llama_guard.3").judging("prompt")

        assert turned.id == "llama_guard.3.prompt"
        assert turned.id not in {form.id for form in jc.formats()}
        assert turned.hash != jc.Format.get("llama_guard.3").hash
        assert said("unsafe\nS10", turned).hazards == ("Hate",)

    def test_a_side_that_is_not_judged_is_refused(self) -> None:
        with pytest.raises(jc.errors.FormatError, match="judges the prompt alone and not the response"):
            jc.Format.get("prompt_guard.2").judging("response")
        with pytest.raises(jc.errors.FormatError, match="is no guard, so it judges no side"):
            jc.Format.get("mt_bench.single").judging("prompt")
        with pytest.raises(ValueError, match="side must be 'prompt' or 'response'"):
            jc.Format.get("llama_guard.3").judging("both")  # pyright: ignore[reportArgumentType] - the mistake


def test_the_tables_of_the_page_are_those_that_make_pages_writes() -> None:
    assert hazards.page() == hazards.PAGE.read_text("utf-8")


def all_of(verdict: Any) -> tuple[Any, ...]:
    """All that a verdict holds, what takes no part in comparisons too."""
    return (verdict, verdict.side, verdict.names, verdict.hazards, verdict.uncertain_hazards)
