"""What a constructor can say in one line: markers, places, orders, entries of documents by path."""

from __future__ import annotations

import copy
import json
import os
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Sequence

pa = pytest.importorskip("pyarrow", reason="not installed here: make test")

FAMILY = 'family = "mine"\ntitle = "Mine"\nevidence = "observed"\nsources = ["our prompt"]\n\n'
AB = {"A": ["A"], "B": ["B"]}
YES: Any = {"true": ["yes"], "false": ["no"]}
CHAIN = jc.Format.order(3, names=["A", "B", "C"])
ASSISTANTS = jc.Format.order(4, names=[f"Assistant {n}" for n in range(1, 5)])
RUBRIC = jc.Format.json_fields({"helpfulness.score": jc.Format.score(1, 5), "safe": jc.Format.binary(**YES)})
CORPUS = Path(os.environ.get("JUDGECORE_SHARED", "../shared")) / "corpora" / "llmzoo_order.jsonl"


def loaded(folder: Path, body: str) -> jc.Format:
    path = folder / "mine.toml"
    path.write_text(f'{FAMILY}[[formats]]\nid = "mine"\n{body}', "utf-8")
    return jc.Format.from_toml(path)


def read(reply: str, form: jc.Format, mode: Any = "lenient") -> Any:
    """The value, or the name of the reason."""
    outcome = jc.parse(reply, form, mode=mode)
    return outcome.value if isinstance(outcome, jc.Reading) else outcome.reason


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize(
    "reply", ["B is fine.\n\nWINNER: A", "<verdict>A</verdict>, because B is shorter.", "Winner: **A**", "winner is A"]
)
def test_markers_of_a_choice_are_read_where_they_stand(reply: str, mode: Any) -> None:
    form = jc.Format.choice(AB, markers=["WINNER:", "<verdict>{}</verdict>"])

    outcome = jc.parse(reply, form, mode=mode)

    assert isinstance(outcome, jc.Reading)
    assert (outcome.value, outcome.rule) == ("A", "marker")


def test_strict_reading_takes_no_other_marker_than_the_declared_ones() -> None:
    form = jc.Format.binary(**YES, markers=["[[{}]]"])

    assert read("[[yes]]", form, "strict") is True
    assert read("yes", form, "strict") == "no_verdict"
    assert read("yes", form) is True


NOWHERE: Any = "middle"
LAST = "I looked at both.\n\n"


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize(
    ("place", "reply", "want"),
    [
        ("last_line", f"{LAST}yes", True),
        ("last_line", f"{LAST}**No.**", False),
        ("last_line", f"Yes, so it seems.\n\n{LAST}So the answer is: no.", False),
        ("last_line", f'{LAST}Final verdict: "yes"', True),
        ("first_line", "no\n\nYes would be too kind.", False),
        ("first_line", "Answer: yes\nNo doubt about it.", True),
        ("first_word", "No, it says yes only once.", False),
        ("first_word", "**Yes** it does, and no other does.", True),
        ("whole", " yes\n", True),
        ("whole", '"No."', False),
        ("last_line", f"{LAST}\u2705 **YES**", True),
        ("first_line", "« No »\n\nIt is short.", False),
    ],
)
def test_a_verdict_is_read_where_the_judge_was_asked_to_put_it(place: Any, reply: str, want: bool, mode: Any) -> None:
    form = jc.Format.binary(**YES, place=place)

    outcome = jc.parse(reply, form, mode=mode)

    assert isinstance(outcome, jc.Reading)
    # What is all of the reply is stronger than a place in it.
    is_all = place == "whole" or (mode == "lenient" and reply.strip(' \n"«»*.').lower() in {"yes", "no"})
    assert (outcome.value, outcome.rule) == (want, "whole" if is_all else "place")


@pytest.mark.parametrize(
    ("place", "reply"),
    [
        ("last_line", "yes\n\nI looked at both."),
        ("last_line", f"{LAST}yes or no"),
        ("last_line", f"{LAST}The answer is not: yes"),
        ("last_line", f"{LAST}Style: yes, facts: no"),
        ("last_line", f"{LAST}Is the answer yes?"),
        ("last_line", f"{LAST}yes?"),
        ("first_line", f"{LAST}yes"),
        ("first_word", "I say yes."),
        ("first_word", "Yesterday it was."),
        ("whole", "The answer is yes"),
        ("whole", "yes\nno"),
    ],
)
def test_strict_reading_looks_at_the_place_alone(place: Any, reply: str) -> None:
    assert not jc.parse(reply, jc.Format.binary(**YES, place=place), mode="strict").ok


def test_a_score_has_a_place_in_a_file_and_keeps_its_sign(tmp_path: Path) -> None:
    form = loaded(tmp_path, 'kind = "score"\nlow = -5\nhigh = 5\nplace = "last_line"\n')

    for line, want in (("-3", -3.0), ("Score: -3", -3.0), ("- 4", 4.0), ("4/5 points", 4.0), ("3 or 4", "ambiguous")):
        assert read(f"{LAST}{line}", form, "strict") == want


def test_an_article_is_no_first_word() -> None:
    form = jc.Format.choice(AB, place="first_word")

    assert read("A", form, "strict") == "A"
    assert read("A. It is longer.", form, "strict") == "A"
    assert read("A good answer would be longer.", form, "strict") == "no_verdict"


def test_a_place_is_weaker_than_a_marker_and_stronger_than_a_label() -> None:
    form = jc.Format.choice(AB, markers=["[[{}]]"], place="last_line")

    assert read("[[A]] it is.\n\nB", form) == "A"
    assert read("Verdict: A\n\nMore of it.\n\nB", form) == "B"
    assert read("Verdict: A\n\nMore of it.", form) == "A"
    assert read("I looked.\n\n[[B]]", form, "strict") == "B"
    assert read("[[B]]\n\nI looked.", form, "strict") == "no_verdict"


def test_a_line_that_was_cut_off_is_no_last_line() -> None:
    form = jc.Format.binary(**YES, place="last_line")

    outcome = jc.parse(f"{LAST}no", form, cut=True)

    assert isinstance(outcome, jc.Unreadable)
    assert outcome.reason == "truncated"


@pytest.mark.parametrize(
    ("reply", "want"),
    [
        ("The order is: Assistant 2 > Assistant 1 = Assistant 3 > Assistant 4.", (2, 1, 2, 4)),
        ("Therefore, the order is: Assistant 1 = Assistant 2 = Assistant 3 = Assistant 4.", (1, 1, 1, 1)),
        ("[3] > [1] > [4] > [2]", (2, 4, 1, 3)),
        ("Assistant 3 > 1 > 4 > 2", (2, 4, 1, 3)),
        ("Assistant 2 < Assistant 1 < Assistant 4 = Assistant 3", (3, 4, 1, 1)),
        ("4 (9.5) > 3 (8) > 2 (8) > 1 (3.5)", (4, 3, 2, 1)),
        ("| rank | answer |\n|---|---|\n| 1 | Assistant 3 |\n| 2 | Assistant 4 |\n| 3 | 1 |\n| 4 | 2 |", (3, 4, 1, 2)),
        ("1. Assistant 2\n1. Assistant 1\n3. Assistant 4\n4. Assistant 3", (1, 1, 4, 3)),
        (
            "1st place: Assistant 4\n2nd place: Assistant 3\n3rd place: Assistant 2\n4th place: Assistant 1",
            (4, 3, 2, 1),
        ),
        ("1er : 3 ; 2e : 1 ; 3e : 2 ; 4e : 4", (2, 3, 1, 4)),
        ("Assistant 2 > Assistant 1 in detail.\n\nOrder: 2 > 1 > 3 > 4", (2, 1, 3, 4)),
        ("Assistant 2 > Assistant 1", "malformed"),
        ("1. Assistant 2\n2. Assistant 1", "malformed"),
        ("Assistant 1 > 2 > 3 > 4 > 1", "malformed"),
        ("4 > 2 > 3 > 1 > 5", "malformed"),
        ("Assistant 5 > 4 > 2 > 3 > 1", "malformed"),
        ("1 > 2 >= 3 > 4", "ambiguous"),
        ("1 > 2 > 3 < 4", "ambiguous"),
        ("1 > 2 > 3 > 4\n4 > 3 > 2 > 1", "ambiguous"),
        ("Ranking, worst to best: 1 > 2 > 3 > 4", "ambiguous"),
        ("1: 3\n2: 1\n3: 2\n4: 4", "no_verdict"),
        ("1. Assistant 1 is short.\n2. Assistant 2 is long.", "no_verdict"),
        ("Question 1: 2\nQuestion 2: 1\nQuestion 3: 3\nQuestion 4: 4", "no_verdict"),
        ("All four are good.", "no_verdict"),
        ("", "empty"),
    ],
)
def test_an_order_gives_each_candidate_its_rank(reply: str, want: Any) -> None:
    assert read(reply, ASSISTANTS) == want


@pytest.mark.parametrize(
    ("reply", "want"),
    [
        ("A > B > C", (1, 2, 3)),
        ("`C > A = B`", (2, 2, 1)),
        ("**丙**", "no_verdict"),
        ("最终排序：**C＞A＞B**。", (2, 3, 1)),
        ("$$\\boxed{C > A > B}$$", (2, 3, 1)),
        ("<answer>C > A > B</answer>", (2, 3, 1)),
        ("<think>A > B > C</think>\nB > A > C", (2, 1, 3)),
        ('I will rank them in the form "A > B > C".', "no_verdict"),
        ("The user ranked them B > A > C. My ranking: A > C > B", (1, 3, 2)),
        ("1. B\n2. A\n3. C\n\nIn short: B > A > C", (2, 1, 3)),
        ("1. B\n2. A\n3. C\n\nIn short: A > B > C", "ambiguous"),
        ("> C\n> A\n\nThe quoted notes are unsigned, and B is nowhere in them.", "no_verdict"),
        ("A -> B -> C", "no_verdict"),
        ("Here it is:\n\n`C > A = B`\n\nA and B are alike.", (2, 2, 1)),
        ("A > B > C was my first thought.", "no_verdict"),
        ("Therefore, C > A > B in terms of style.", "no_verdict"),
        ("For style: A > B > C. For facts: C > A > B.", "no_verdict"),
        ("Quanto ao estilo, C > A > B. No geral, A > B > C.", (1, 2, 3)),
        ("A > B > C\n\nNo, wait: B cites the statute, so B > A > C.", (2, 1, 3)),
        ("A > B > C\n\nSorry, B > A > C.", (2, 1, 3)),
        ("A > B > C\n순위: 1위 C, 2위 B, 3위 A", "ambiguous"),
        ("Ranking (best to worst): A, C, B", (1, 3, 2)),
        ("Best: C, then A, then B.", (2, 3, 1)),
        ("Final ranking: B, followed by C, followed by A.", (3, 1, 2)),
        ("The order is A, then C, and finally B.", (1, 3, 2)),
        # What is said of each places it.
        ("A is good, B is better, C is the worst.", (2, 1, 3)),
        ("La meilleure est C, puis vient A ; B ferme la marche.", (2, 3, 1)),
        ("综合来看，C最好，A次之，B最差。", (2, 3, 1)),
        ("一位はB、二位はA、三位はCです。", (2, 1, 3)),
        ("A is the best and B and C are the worst.", "no_verdict"),
        ("A is the best on tone, B on facts, C is the worst.", "no_verdict"),
        ("If B is the best, A is second and C is the worst.", "no_verdict"),
        ("From worst to best: A, C, B", (3, 1, 2)),
        ("The candidates are A, B, C.", "no_verdict"),
        ("Ranking: A, B", "no_verdict"),
        ("Ranking: A, B or C", "no_verdict"),
        ("Ranking for style: A, B, C", "no_verdict"),
        ("For facts, the ranking is A, B, C.", "no_verdict"),
        ("The reviewer's ranking: A, B, C", "no_verdict"),
        ("Ranking: A, B, C\nRanking: C, B, A", "ambiguous"),
    ],
)
def test_an_order_of_letters_is_told_from_prose(reply: str, want: Any) -> None:
    assert read(reply, CHAIN) == want


def test_strict_reading_takes_nothing_but_the_order() -> None:
    assert read("A > B = C", CHAIN, "strict") == (1, 2, 2)
    assert read("1. B\n2. A\n3. C", CHAIN, "strict") == (2, 1, 3)
    assert read("The order is: A > B > C", CHAIN, "strict") == "no_verdict"


def test_candidates_without_names_are_numbers_or_letters() -> None:
    form = jc.Format.order(2)

    assert [read(reply, form) for reply in ("Response 2 > Response 1", "B > A", "[2] > [1]")] == [(2, 1)] * 3
    assert list(form.labels) == ["1", "2"]


@pytest.mark.skipif(not CORPUS.is_file(), reason="the recorded orders stand beside the project")
def test_recorded_orders_are_read_as_their_publisher_read_them() -> None:
    rows = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
    outcomes = []
    for row in rows:
        form = jc.Format.order(
            len(row["gold"]["ranks"]), [f"Assistant {n + 1}" for n in range(len(row["gold"]["ranks"]))]
        )
        outcome = jc.parse(row["raw"], form)
        outcomes.append((outcome.ok, outcome.value_or(None) == tuple(row["gold"]["ranks"])))

    assert outcomes.count((True, False)) == 0
    assert outcomes.count((True, True)) >= 0.93 * len(rows)


@given(st.data())
def test_an_order_is_read_as_it_was_written(data: Any) -> None:
    count = data.draw(st.integers(2, 8))
    names = data.draw(
        st.sampled_from(
            [None, [f"Answer {n}" for n in range(count)], ["Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal"][:count]]
        )
    )
    form = jc.Format.order(count, names)
    order = data.draw(st.permutations(range(count)))
    signs = data.draw(st.lists(st.sampled_from([" > ", " = ", ">", "="]), min_size=count - 1, max_size=count - 1))
    lead = data.draw(st.sampled_from(["", "The order is: ", "I looked.\n\nRanking: ", "**", "["]))
    labels = list(form.labels)
    words, ranks = labels[order[0]], {order[0]: 1}
    for place, (sign, candidate) in enumerate(zip(signs, order[1:], strict=True), start=2):
        words += sign + labels[candidate]
        ranks[candidate] = ranks[order[place - 2]] if "=" in sign else place
    close = {"**": "**", "[": "]"}.get(lead, "")

    assert read(lead + words + close, form) == tuple(ranks[candidate] for candidate in range(count))


def test_ranks_stand_in_columns_as_lists_of_whole_numbers() -> None:
    readings = jc.parse_many(["A > B > C", "none", None, "B = A > C"], CHAIN)

    column = pa.array(readings).field("value")

    assert readings.values == [(1, 2, 3), None, None, (1, 1, 3)]
    assert column.type == pa.list_(pa.int64())
    assert column.to_pylist() == [[1, 2, 3], None, None, [1, 1, 3]]
    assert all(type(rank) is int for rank in readings.values[0] or ())
    assert list(pickle.loads(pickle.dumps(list(readings)))) == list(readings)


def document(score: object = 4, **more: object) -> str:
    return json.dumps({"helpfulness": {"score": score, "reason": "short"}, "safe": "yes", **more})


@pytest.mark.parametrize(
    ("reply", "want"),
    [
        (document(), {"helpfulness.score": 4.0, "safe": True}),
        (f"```json\n{document()}\n```", {"helpfulness.score": 4.0, "safe": True}),
        (document(**{"helpfulness.score": 2}), {"helpfulness.score": 2.0, "safe": True}),
        (document("5/5"), {"helpfulness.score": 5.0, "safe": True}),
        (document(9), "out_of_range"),
        (document(None), "no_verdict"),
        ('{"helpfulness": 4, "safe": true}', "no_verdict"),
        ('{"helpfulness.score": 3, "safe": false}', {"helpfulness.score": 3.0, "safe": False}),
        ('{"safe": true}', "no_verdict"),
        (document() + "\n" + document(2), "ambiguous"),
        ('{"helpfulness": {"score": 4, "reason": "sho', "truncated"),
        ("Helpful: 4", "no_verdict"),
    ],
)
def test_entries_of_a_document_are_found_by_key_or_path(reply: str, want: Any) -> None:
    assert read(reply, RUBRIC) == want


def test_a_document_s_fields_stand_beside_those_that_were_asked_for() -> None:
    outcome = jc.parse(document(), RUBRIC)

    assert isinstance(outcome, jc.Reading)
    assert outcome.fields == json.loads(document())
    assert read(f"Here: {document()}", RUBRIC, "strict") == "malformed"
    with pytest.raises(jc.errors.UnreadableReplyError, match=r"helpfulness\.score: 9 lies outside the scale 1 to 5"):
        jc.parse(document(9), RUBRIC).unwrap()


def test_a_list_has_places_and_an_order_may_be_an_entry() -> None:
    form = jc.Format.json_fields({"scores.1": jc.Format.score(1, 5), "ranking": jc.Format.order(2, ["A", "B"])})

    want = {"scores.1": 3.0, "ranking": (2, 1)}
    for ranking in ("B > A", ["B", "A"]):
        assert read(json.dumps({"scores": [5, 3], "ranking": ranking}), form) == want
    assert read(json.dumps({"scores": [5, 3], "ranking": ["B"]}), form) == "malformed"


def test_one_entry_is_found_by_path_and_a_key_of_its_spelling_wins() -> None:
    form = jc.Format.json_field("result.grade", jc.Format.choice(AB))

    assert read('{"result": {"grade": "A"}}', form) == "A"
    assert read('{"result": {"grade": "A"}, "result.grade": "B"}', form) == "B"
    assert read('{"result": {"score": "A"}}', form) == "no_verdict"
    assert read('{"grade": "A"}', form) == "no_verdict"
    assert read('{"b": {"c": 4}}', jc.Format.json_field(["a", "b.c"], jc.Format.score(1, 5))) == 4.0


def test_entries_stand_in_columns_as_fields_do() -> None:
    readings = jc.parse_many([document(), "none"], RUBRIC)

    column = pa.array(readings).field("value")

    assert readings.values == [{"helpfulness.score": 4.0, "safe": True}, None]
    assert column.type == pa.struct([("helpfulness.score", pa.float64()), ("safe", pa.bool_())])
    assert column.to_pylist() == readings.values


@pytest.mark.parametrize(
    ("marker", "reply", "want"),
    [
        ("【总分】{}分", "理由如下。【总分】8分", 8.0),
        ("【总分】{}分", "【总分】：8 分。", 8.0),
        ("【总分】{}分", "【总分】8，内容不错，语言也很流畅。", "no_verdict"),
        ("【总分】{}分", "【总分】8", "truncated"),
        ("【总分】", "【总分】8分", 8.0),
        ("【总分】", "【总分】：8", 8.0),
        ("评分：", "评分：8", 8.0),
        ("Score: {}/10", "Score: 8/10", 8.0),
        ("Score: {}/10", "Score: 8, because it says all that was asked.", "no_verdict"),
        ("**Total:** {} points", "**Total:** 7 points", 7.0),
    ],
)
def test_what_stands_around_a_slot_must_stand_there(marker: str, reply: str, want: Any) -> None:
    assert read(reply, jc.Format.score(0, 10, markers=[marker]), "strict") == want


@pytest.mark.parametrize("marker", ["【总分】", "【总分】{}分"])
def test_a_declared_marker_is_stronger_than_a_word_for_a_score(marker: str) -> None:
    form = jc.Format.score(0, 10, markers=[marker])

    outcome = jc.parse("风格评分：9\n内容评分：7\n【总分】8分", form)

    assert isinstance(outcome, jc.Reading)
    assert (outcome.value, outcome.rule) == (8.0, "marker")


SHEET = jc.Format.scores(3, 1, 10, names=["Anna", "Bruno", "Carla"])


@pytest.mark.parametrize(
    ("reply", "want"),
    [
        ("Anna: 6\nBruno: 7\nCarla: 9", (6.0, 7.0, 9.0)),
        ("Carla: 9, Anna: 6, Bruno: 7", (6.0, 7.0, 9.0)),
        ("Carla 9, Anna 6, Bruno 7", (6.0, 7.0, 9.0)),
        ("6 7 9", (6.0, 7.0, 9.0)),
        ("6 7 9\n\nCarla: 9, Bruno: 7 and Anna: 6.", (6.0, 7.0, 9.0)),
        ("6 7 9\n\nAnna: 9\nBruno: 7\nCarla: 6", "ambiguous"),
        ("Anna: 6\nBruno: 7\nCarla: 9\nAnna: 8", "ambiguous"),
        ("Anna: 6\nCarla: 9", "no_verdict"),
        ("Anna: 6\nBruno: 70\nCarla: 9", "out_of_range"),
        ("Anna: sei. Bruno: sette. Carla: nove.", (6.0, 7.0, 9.0)),
        ("Anna: 6½\nBruno: 7¼/10\nCarla: 9", (6.5, 7.25, 9.0)),
        ("Anna speaks 6 languages, Bruno 7 and Carla none.", "no_verdict"),
    ],
)
def test_several_scores_are_read_by_name_in_any_order(reply: str, want: Any) -> None:
    assert read(reply, SHEET) == want


def test_strict_reading_of_named_scores_takes_a_line_for_each_name_or_the_row_alone() -> None:
    assert read("Carla: 9\nAnna: 6\nBruno: 7", SHEET, "strict") == (6.0, 7.0, 9.0)
    assert read("6 7 9", SHEET, "strict") == (6.0, 7.0, 9.0)
    assert read("I give Carla 9, Anna 6, Bruno 7.", SHEET, "strict") == "no_verdict"


def test_as_many_scores_as_names_are_asked_for_and_the_names_are_part_of_the_format(tmp_path: Path) -> None:
    form = loaded(tmp_path, 'kind = "scores"\nlow = 1\nhigh = 10\nnames = ["Anna", "Bruno", "Carla"]\n')
    other = jc.Format.scores(3, 1, 10, names=["Bruno", "Anna", "Carla"])

    assert read("Carla: 9, Anna: 6, Bruno: 7", form) == (6.0, 7.0, 9.0)
    assert len({form.hash, SHEET.hash, other.hash, jc.Format.scores(3, 1, 10).hash}) == 4


LABELS = '[formats.labels]\nA = ["A"]\nB = ["B"]\n'
PARTS = """[formats.fields]
"helpfulness.score" = { kind = "score", low = 1, high = 5 }
safe = { kind = "binary", true = ["yes"], false = ["no"] }
"""
FILES = [
    (
        jc.Format.choice(AB, markers=["WINNER:", "<verdict>{}</verdict>"], place="last_line"),
        'kind = "choice"\nmarkers = ["WINNER:", "<verdict>{}</verdict>"]\nplace = "last_line"\n' + LABELS,
    ),
    (jc.Format.binary(**YES, place="whole"), 'kind = "binary"\ntrue = ["yes"]\nfalse = ["no"]\nplace = "whole"\n'),
    (jc.Format.order(3), 'kind = "order"\nn = 3\n'),
    (jc.Format.order(3), 'kind = "order"\ncount = 3\n'),
    (CHAIN, 'kind = "order"\nn = 3\nnames = ["A", "B", "C"]\n'),
    (
        jc.Format.scores(2, 1, 5, names=["A", "B"]),
        'kind = "scores"\nlow = 1\nhigh = 5\nnames = ["A", "B"]\ncount = 2\n',
    ),
    (
        RUBRIC,
        'kind = "fields"\njson = true\n' + PARTS,
    ),
]


@pytest.mark.parametrize(("form", "body"), FILES)
def test_a_file_says_what_a_constructor_says(form: jc.Format, body: str, tmp_path: Path) -> None:
    from_file = loaded(tmp_path, body)

    assert (from_file.hash, from_file.kind, from_file.place) == (form.hash, form.kind, form.place)


@pytest.mark.parametrize("form", [form for form, _ in FILES])
def test_what_a_constructor_said_travels_with_the_format(form: jc.Format) -> None:
    assert pickle.loads(pickle.dumps(form)) == copy.deepcopy(form) == form
    assert pickle.loads(pickle.dumps(form)).hash == form.hash


def test_markers_and_places_change_what_a_format_is() -> None:
    forms = [
        jc.Format.choice(AB),
        jc.Format.choice(AB, markers=["WINNER:"]),
        jc.Format.choice(AB, place="last_line"),
        jc.Format.choice(AB, place="first_line"),
        jc.Format.order(3),
        CHAIN,
    ]

    assert len({form.hash for form in forms}) == len(set(forms)) == len(forms)
    assert forms[2].place == "last_line"
    assert forms[0].place is None


def test_a_format_of_fields_shows_its_parts() -> None:
    assert RUBRIC.parts == {"helpfulness.score": jc.Format.score(1, 5), "safe": jc.Format.binary(**YES)}
    assert CHAIN.parts == {}


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: jc.Format.choice(AB, place=NOWHERE), r"place: no place \"middle\"; give one of last_line"),
        (lambda: jc.Format.binary(**YES, markers=[""]), "markers: "),
        (lambda: jc.Format.binary(**YES, markers=["{}"]), "markers: "),
        (lambda: jc.Format.order(1), "n: an order has 2 to 1024 candidates"),
        (lambda: jc.Format.order(3, ["A", "B"]), "names: 2 names for 3 candidates"),
        (lambda: jc.Format.order(2, ["A", "A"]), "names: .*stands for both"),
        (lambda: jc.Format.order(2, ["A", " "]), "names: .*empty"),
        (lambda: jc.Format.scores(0, 1, 5), "n: give the number"),
        (lambda: jc.Format.scores(2, 1, 5, names=["A"]), "names: 1 names for 2 scores; give one for each"),
        (lambda: jc.Format.scores(2, 1, 5, names=["A", "A"]), "names: .*stands for both"),
        (lambda: jc.Format.scores(2, 1, 5, names=["A", ""]), "names: .*empty"),
        (lambda: jc.Format.score(5, 1), "is not a scale"),
        (lambda: jc.Format.score(0, float("inf")), "is not a scale"),
        (lambda: jc.Format.binary(true=["yes"], false=["yes"]), "stands for both"),
        (lambda: jc.Format.binary(true=[], false=["no"]), "no form"),
        (lambda: jc.Format.choice({"A": ["A"]}), "two labels"),
        (lambda: jc.Format.choice({"A": ["A"], "B": [" "]}), "empty form"),
        (lambda: jc.Format.fields({}), "field"),
        (lambda: jc.Format.json_fields({}), "fields: give at least one field"),
        (lambda: jc.Format.json_fields({"a": RUBRIC}), r"fields\.a: a field must be"),
        (lambda: jc.Format.fields({"a": CHAIN}), r"fields\.a: a field must be"),
        (
            lambda: jc.Format.score(1, 5, markers=[f"m{n}" for n in range(100_000)]),
            "markers: 100000 markers; at most 256",
        ),
        (lambda: jc.Format.choice({f"l{n}": [f"l{n}"] for n in range(100_000)}), "labels: 100000 forms"),
        (lambda: jc.Format.binary(true=[f"l{n}" for n in range(100_000)], false=["no"]), "true, false: 100001 forms"),
        (
            lambda: jc.Format.fields({f"f{n}": jc.Format.score(1, 5) for n in range(2000)}),
            "fields: 2000 fields; at most 1024",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_keyword(make: Any, problem: str) -> None:
    with pytest.raises(jc.errors.FormatError, match=problem):
        make()


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('kind = "order"\n', "count: an order has 2 to 1024"),
        ('kind = "fields"\nplace = "whole"\n[formats.fields.a]\nkind = "score"\nlow = 1\nhigh = 5\n', "place: only"),
        ('kind = "score"\nlow = 1\nhigh = 5\nplace = "whole"\nstrict = ["marker"]\n', "strict: strict reading looks"),
        ('kind = "score"\nlow = 1\nhigh = 5\nplace = "middle"\n', "place"),
        ('kind = "score"\nlow = 1\nhigh = 5\njson = true\n', "json: only a fields format"),
        (
            'kind = "score"\nlow = 1\nhigh = 5\nnames = ["A"]\n',
            "names: only an order format and a scores format have names",
        ),
        (
            f'kind = "score"\nlow = 1\nhigh = 5\nmarkers = {json.dumps([f"m{n}" for n in range(100_000)])}\n',
            "markers: 100000",
        ),
        (
            'kind = "choice"\n[formats.labels]\n' + "".join(f'l{n} = ["l{n}"]\n' for n in range(100_000)),
            "labels: 100000",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_key(body: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(jc.errors.FormatError, match=problem):
        loaded(tmp_path, body)


def test_as_many_markers_and_labels_as_are_allowed_can_be_used() -> None:
    markers: Sequence[str] = [f"marker {n}" for n in range(256)]
    labels = {f"label {n}": [f"label {n}"] for n in range(1024)}

    assert read("marker 255: 4", jc.Format.score(1, 5, markers=markers)) == 4.0
    assert read("label 1023", jc.Format.choice(labels)) == "label 1023"


# For arguments that the stub refuses.
UNTYPED: Any = jc


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: UNTYPED.Format.choice(["A", "B"]),
            "labels must be a dict of each label's forms, such as .*, not list",
        ),
        (lambda: UNTYPED.Format.choice({"A": "a"}), "label 'A': give a list of forms"),
        (lambda: UNTYPED.Format.binary(true="yes", false=["no"]), r"give a list of strings, not one string: \['yes'\]"),
        (lambda: UNTYPED.Format.score(1, 5, markers="S:"), r"give a list of strings, not one string: \['S:'\]"),
        (lambda: UNTYPED.extract_json("{}", keys="a"), r"give a list of strings, not one string: \['a'\]"),
        (lambda: UNTYPED.parse_many(None, "mt_bench.single"), "replies must be a column, not None"),
    ],
)
def test_an_argument_of_another_kind_is_refused_with_what_is_wanted(call: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        call()


def test_a_format_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b'id = "\xff"')

    with pytest.raises(UnicodeDecodeError) as raised:
        jc.Format.from_toml(path)

    assert raised.value.__notes__ == [f"while reading {path}"]
