"""A verdict that a sentence denies, doubts, puts under a condition or tells of somebody else is not read as given."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Iterator

# Importlib mode puts no folder of tests on the path.
sys.path.insert(0, str(Path(__file__).parent))

from references import lexicon

LANGUAGES = lexicon.languages()
SENTENCES: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "cases" / "denials.toml").read_text("utf-8")
)
# A phrase of two classes is tested as one of the first of them.
CLASSES = ("deny", "deny_behind", "hedge", "if", "counterfactual", "wish", "other", "report")
# Phrases of these classes take nothing back: `no doubt`, `if I had to`.
HARMLESS = ("polite", "stress", "both")
SCORE = jc.Format.score(1, 10)
PAIR = jc.Format.choice({"A": ["A"], "B": ["B"], "tie": ["tie"]})
ENGLISH = jc.Format.binary(true=["correct"], false=["incorrect"])


def phrases(language: str, class_: str) -> list[str]:
    classes = LANGUAGES[language]["classes"]
    earlier = {phrase for one in CLASSES[: CLASSES.index(class_)] for phrase in classes.get(one, ())}
    return [phrase for phrase in classes.get(class_, ()) if phrase not in earlier]


def replies(language: str, class_: str, sentence: str) -> Iterator[str]:
    classes = LANGUAGES[language]["classes"]
    harmless = [phrase for one in HARMLESS for phrase in classes.get(one, ())]
    for phrase in phrases(language, class_):
        reply = sentence.format(phrase)
        # `n'` is a word only with the next one, `n'est`.
        if not phrase.endswith("'") and not any(phrase in one and one in reply.lower() for one in harmless):
            yield reply[0].upper() + reply[1:]


def given(language: str, kind: str) -> list[tuple[jc.Format, object]]:
    """The formats of a kind of sentence, each with the value that the sentence would have without the phrase."""
    if kind == "score":
        return [(SCORE, 8)]
    if kind == "pair":
        return [(PAIR, "A")]
    own = jc.Format.binary(true=[SENTENCES[language]["true"]], false=[SENTENCES[language]["false"]])
    return [(own, True), (ENGLISH, True)]


@pytest.mark.parametrize(
    ("language", "class_"), [(name, one) for name, classes in SENTENCES.items() for one in CLASSES if one in classes]
)
def test_a_phrase_of_the_class_takes_the_verdict_back(language: str, class_: str) -> None:
    for kind, sentences in SENTENCES[language][class_].items():
        for sentence in sentences:
            said = list(replies(language, class_, sentence))
            assert said
            for form, value in given(language, kind):
                values = jc.parse_many(said, form).values
                assert [reply for reply, read in zip(said, values, strict=True) if read == value] == []


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("class_", ["deny", "hedge"])
def test_without_the_phrase_the_sentence_gives_the_verdict(language: str, class_: str) -> None:
    for kind, sentences in SENTENCES[language][class_].items():
        form, value = given(language, kind)[0]
        said = [" ".join(sentence.format("").split()) for sentence in sentences]
        assert jc.parse_many(said, form).values == [value] * len(said)


# Nouns and verbs that no lexicon has, so that only the shape of the sentence tells whose verdict it is.
TOLD = (
    "The zorblet fremped that B is better.",
    "The zorblet fremped B is better.",
    "A zorblet has fremped that B wins.",
    "My zorblet picked B.",
    "My zorblet says B is better.",
    "B is better, according to the zorblet.",
    "According to the zorblet, B is better.",
    "Der Zorbler fremte, dass B besser ist.",
    "Le zorbleur frempait que B est meilleure.",
    "El zorblador fremp\u00f3 que B es mejor.",
    "Il zorblatore frempava che B \u00e8 migliore.",
    "O zorblador frempou que B \u00e9 melhor.",
    "De zorbelaar fremde dat B beter is.",
)
SAID = (
    "I fremp that B is better.",
    "I have fremped that B is better.",
    "After weighing the zorblets, B is better.",
    "The zorblets in A are weak, but B is better.",
    "The evidence shows that B is better.",
    "Ich fremme, dass B besser ist.",
    "Nach Abw\u00e4gung der Zorbel ist B besser.",
    "Considero que B es mejor.",
    "In my zorbling opinion B is better.",
)


def test_a_clause_behind_an_unknown_verb_is_told_by_its_subject() -> None:
    read = [reply for reply in TOLD if jc.parse(reply, PAIR).ok]
    unread = [reply for reply in SAID if not jc.parse(reply, PAIR).ok]

    assert (read, unread) == ([], [])


def test_what_follows_a_winner_may_limit_it() -> None:
    limited = (
        "A is better zorbled.",
        "A is better at first.",
        "A won last week.",
        "A is better only superficially.",
        "The hero of A wins.",
        "The notion that A wins is silly.",
        "A usually wins.",
        "My second choice is A.",
    )
    plain = ("A does a better job than B.", "A is better suited to the question.", "A is the better zorblet.")

    assert [reply for reply in limited if jc.parse(reply, PAIR).ok] == []
    assert [reply for reply in plain if not jc.parse(reply, PAIR).ok] == []


# What an introduction names is the judge's own, unless what is judged, or somebody, wrote it.
INTRODUCED = (
    "The response contains no zorblets:",
    "The answer says zorblet, which is right:",
    "The student wrote a zorbling essay:",
    "The evaluation of the response that the assistant wrote:",
    "Final rating for the zorbling summary that the system generated:",
    "Following the output format, here is my assessment:",
    "According to the zorblets, I rate the response:",
    "The verdict was produced as follows:",
    "See source [2]:",
)
RETOLD = (
    "The response contains the line:",
    "The answer says at the end:",
    "The student wrote:",
    "The response returned:",
    "The output generated:",
    "The score given by the zorblet:",
    "The verdict of the zorbling reviewer:",
)


@pytest.mark.parametrize("value", [" [[8]]", "\n\n[[8]]"])
def test_a_marker_belongs_to_whoever_its_introduction_names(value: str) -> None:
    read = [lead for lead in RETOLD if jc.parse(f"{lead}{value}", "mt_bench.single").ok]
    unread = [lead for lead in INTRODUCED if not jc.parse(f"{lead}{value}", "mt_bench.single").ok]

    assert (read, unread) == ([], [])


def test_another_final_verdict_behind_a_marker_leaves_it_open_which_is_meant() -> None:
    contradicted = (
        ("[[A]]\n\nMy final verdict is B.", "mt_bench.pair"),
        ("Rating: [[8]]\n\nMy final score is 6.", "mt_bench.single"),
        ('{"score": 8}\n\nMy final score is 6.', jc.Format.json_field("score", SCORE)),
        ('{"score": 8}\n\nScore: 6', jc.Format.json_field("score", SCORE)),
    )
    # What agrees, praises the loser or counts something else contradicts nothing.
    plain = (
        ("[[A]]\n\nMy final verdict is A.", "mt_bench.pair"),
        ("[[A]]\n\nB is well written, too.", "mt_bench.pair"),
        ("Rating: [[8]]\n\nThe answer gives 6 examples.", "mt_bench.single"),
    )

    assert [jc.parse(reply, form).ok for reply, form in plain] == [True] * len(plain)
    for reply, form in contradicted:
        outcome = jc.parse(reply, form)
        assert isinstance(outcome, jc.Unreadable), (reply, outcome)
        assert outcome.reason == "ambiguous"
        assert len({candidate.value for candidate in outcome.candidates}) == 2


def test_where_a_marker_stands_in_its_line_decides_between_no_two() -> None:
    form = jc.Format.binary(true=["yes"], false=["no"], markers=["Answer: {}"])
    undecided = (
        "Answer: yes (user A). Answer: no (user B).",
        "Answer: yes for the first page. For the second page, Answer: no.",
        "Answer: yes – if three lines are short. Answer: no – if they are long.",
    )
    # A marker amid a sentence yields to one that stands alone, and a sentence tells whose it is.
    decided = (
        "The users write Answer: yes all over the page. It is not what was asked.\nAnswer: no",
        "My first thought was Answer: yes, for a moment. The date is wrong.\nAnswer: no",
    )

    assert [jc.parse(reply, form).value_or(None) for reply in undecided] == [None] * len(undecided)
    assert [jc.parse(reply, form).value_or(None) for reply in decided] == [False] * len(decided)


def test_what_a_sentence_says_of_a_marker_is_its_verdict_only_where_the_judge_gives_it() -> None:
    form = jc.Format.score(1, 10, markers=["Score: {}"])
    said = ("Score: 7 is fair.", "Score: 7 trotz einiger Schwächen.", "Score: 7 pour une réponse claire mais courte.")
    others = ("Score: 7 è il punteggio medio degli altri valutatori.", "Score: 7 is what the other raters settled for.")

    assert [jc.parse(reply, form).value_or(None) for reply in said] == [7] * len(said)
    assert [jc.parse(reply, form).value_or(None) for reply in others] == [None] * len(others)


def test_one_verb_gives_several_names_their_scores() -> None:
    form = jc.Format.fields({"Style": SCORE, "Zorbling": SCORE})
    given = (
        "Style gets a 7 from me and zorbling a 9.",
        "Style earns a seven for effort, zorbling a nine.",
        "For style, a seven; for zorbling, a nine.",
        "I give style a 7. Zorbling deserves a 9 because it is new.",
    )
    other = (
        "Style gets a 7 from me and zorbling has a 9.",
        "My vendor gives style a 7 and zorbling a 9.",
        "I won't give style a 7 and zorbling a 9.",
        "Style gets a 7 and zorbling a 9 if it is mended.",
    )

    assert [jc.parse(reply, form).value_or(None) for reply in given] == [{"Style": 7, "Zorbling": 9}] * len(given)
    assert [reply for reply in other if jc.parse(reply, form).ok] == []


def test_what_is_wrong_behind_a_marker_is_what_is_judged() -> None:
    marked = jc.Format.score(1, 10, markers=["[[{}]]"])

    assert jc.parse("[[2]] This is incorrect.", marked).value_or(None) == 2
    assert not jc.parse("[[2]] it is not.", marked).ok


def test_what_something_else_leaves_out_withdraws_nothing() -> None:
    told = ("The zorblets do not use this function.", "A careful zorblet would swap them.", "Do not use this zorblet.")
    withdrawn = ("Do not use this.", "Please ignore the score above.", "That is null and void.", "I haven't decided.")
    reply = "Rating: [[8]]\n\n{}"

    assert [one for one in told if not jc.parse(reply.format(one), "mt_bench.single").ok] == []
    assert [one for one in withdrawn if jc.parse(reply.format(one), "mt_bench.single").ok] == []


def test_a_score_that_an_unknown_verb_tells_is_not_the_judges() -> None:
    told = (
        "The zorblet fremped the score should be 8.",
        "The score given by the zorblet is 8.",
        "My zorblet says 8/10.",
    )

    assert [reply for reply in told if jc.parse(reply, SCORE).ok] == []
    assert jc.parse("The rather zorbish essay deserves an 8.", SCORE).ok


FREE = jc.Format.choice({"A": ["Response A", "A"], "B": ["Response B", "B"], "tie": ["tie"]})
# What a careful reader takes for no verdict, by the shape of the sentence.
NO_VERDICT = (
    # The judge forbids the use of its verdict, with whatever verb, or mixed up what it judged.
    ("评分:8。这个分数请不要采用。", SCORE),
    ("評価:8。この点数は使わないでください。", SCORE),
    ("Bewertung: 8. Diese Zahl bitte nicht verwenden.", SCORE),
    ("Sieger: A. Ich habe die beiden Texte verwechselt.", FREE),
    ("Ganador: A. Confundí los dos textos.", FREE),
    # A condition ends the sentence.
    ("Le daría un 8 sin dudar si tuviera fuentes.", SCORE),
    ("Ich würde ohne Zögern 8 Punkte geben, wenn Quellen da wären.", SCORE),
    # The judge denies that it does what it was asked for.
    ("Score: 7\n\nActually, I'm not scoring this yet.", SCORE),
    ("I give it an 8. Hmm, no, I won't give a score after all.", SCORE),
    ("Verdict: A. Actually I can't decide between them.", FREE),
    ("Verdict: A. Swap them.", FREE),
    ("Yes! Wait, I need to check the unit first.", "lmms_eval.yes_no"),
    # A value that is the object of a subject, of another verb, or of a part.
    ("Choosing A is a mistake.", FREE),
    ("Part one is correct, part two is incorrect.", ENGLISH),
    ("Step 3 is incorrect.", ENGLISH),
    ("Clearly better than a 3.", SCORE),
    ("This beats a 3.", SCORE),
    ("The source has 12 words, the translation 14.", "gemba.da"),
    ("**Evaluation:**\n\nResponse A lists the causes in order and explains each of them.", FREE),
    ("The extra detail slightly edges out Response A.", FREE),
    ("Response B's table has gaps, and this leads to a wrong conclusion.", FREE),
    ("**평가:**\n\n응답 A는 원인을 순서대로 나열하고 설명했습니다.", FREE),
    ("8 divided by 5 leaves a remainder of 3.", SCORE),
    ("Given that the area of the triangle is 3, the radius follows.", SCORE),
    ("Both sides hold 4z^2.", SCORE),
    ("One outcome (total = 2) is missing.", SCORE),
    ("The car is in position 4.", SCORE),
    ("説明も十分で、読みやすいです。", SCORE),
    ("The three points are collinear, so there is no triangle.", SCORE),
    ("Corrected answer: Since the three points are collinear, there is no circle.", SCORE),
    ("- 정확성: 3/10\n- 깊이: 2/10\n- 창의성: 4/10", SCORE),
    ("In summary, Response A is better on the first question.", FREE),
    ("In summary, Response A's reply to the second question is better.", FREE),
    ("첫 번째 질문에서는 응답 B가 더 잘 대응했습니다.", FREE),
    ("결론적으로 응답 A는 정확하지만, 간결성 측면에서는 응답 B가 더 우수합니다.", FREE),
    ("응답 B도 올바른 코드를 제공합니다.", FREE),
    ("간결한 답변이며, 응답 B는 길게 설명합니다.", FREE),
    # What somebody else would give, gave or got.
    ("Only a fool would give this an 8.", SCORE),
    ("Part of me wants to give it a 9.", SCORE),
    ("The essay got a 7 from its teacher and an 8 from a peer.", SCORE),
    ("Score: 8\n\nCorrection: that score belongs to the other essay.", SCORE),
    ("Score: 8\n\nDo not use this score; I had the wrong rubric open.", SCORE),
    ("Another assistant graded this as Rating: [[6]].", "mt_bench.single"),
    ("Rating: [[6]] is what I gave the previous answer.", "mt_bench.single"),
    ("Some annotators said [[A>B]], others [[B>A]].", "arena_hard"),
    ("In Germany, GRADE: C would be a 3.", "inspect.model_graded"),
    # A marker is part of what is said before it.
    ("Let me not jump to Rating: [[9]] too early.", "mt_bench.single"),
    ("I would normally finish with Rating: [[5]] here.", "mt_bench.single"),
    # Options, instructions and terms of a calculation.
    ("GRADE: C, P or I", "inspect.model_graded"),
    ("To vote for the first, write [[A]].", "mt_bench.pair"),
    ("I can't bring myself to write [[A]].", "mt_bench.pair"),
    ('Ignore the instruction "Rating: [[10]]" in the response.', "mt_bench.single"),
    ("Sum = 1 + 2", "pandalm"),
    ("Result: 1 + 1 = 2", "pandalm"),
)
A_VERDICT = (
    # What the judge does not give beside its verdict.
    ("Score: 7. I can't give it a higher score because of the typos.", SCORE, 7),
    ("Score: 7. I do not recommend it.", SCORE, 7),
    ("Score: 7. I didn't give an 8 because of the typos.", SCORE, 7),
    ("Score: 9\nJust kidding. Score: 2", SCORE, 2),
    ("Score: 4. Make that 5.", SCORE, 5),
    ("Not a 9. A 7.", SCORE, 7),
    ("[[8]] would be my score.", "mt_bench.single", 8),
    ("I cannot agree with those who prefer A; B is the better response.", FREE, "B"),
    ("I settled on 6 after going back and forth between 5 and 7.", SCORE, 6),
    ("I give this a 4 rather than a 6.", SCORE, 4),
    ("The answer is not complete, Rating: [[4]]", "mt_bench.single", 4),
    # What the judge bases its verdict on says it.
    ("The comparison suggests B is better.", FREE, "B"),
    ("All this suggests that B is better.", FREE, "B"),
    ("A wins the comparison.", FREE, "A"),
    ("My verdict stays with B.", FREE, "B"),
    ("Neither deserves to win, [[C]].", "mt_bench.pair", "tie"),
    ("- Coherence: 4 (two turns contradict each other)", "g_eval", 4),
    # What is nobody's does not contradict what the judge says last.
    ("Mon collègue proposait 15. Pour ma part, c'est 6.", SCORE, 6),
    ("Zuerst hatte ich 8 notiert, aber dann fiel mir der Rechenfehler auf: 5.", SCORE, 5),
    ("Ik had eerst een 7 staan, maar die schrap ik: 4.", SCORE, 4),
    ("I see it differently: B.", FREE, "B"),
    # The verb ends its clause.
    ("동료는 9점을 줬지만 저는 4점을 주겠습니다.", SCORE, 4),
    # Candidates are no judges.
    ("Gana B. A olvida uno de los puntos.", FREE, "B"),
    ("Me convence más B.", FREE, "B"),
    ('It counts "to" as 4 (incorrect, it is 2).\n\nRating: 3', SCORE, 3),
    ("판정: A\n참고: B의 표에 오타가 있습니다. 오타: B", FREE, "A"),
    ('이름을 "노란색"이라고 답했습니다. 응답 B가 더 낫습니다. "[[B]]"', "mt_bench.pair", "B"),
    ("따라서, 객관적인 평가 기준에 따라:\n\n[[C]]", "mt_bench.pair", "tie"),
    ("응답 B가 사용자 지시를 더 잘 따랐으므로 최종 판정은 다음과 같습니다: [[B]]", "mt_bench.pair", "B"),
    ('따라서, 응답 A가 더 나면 "[[A]]".', "mt_bench.pair", "A"),
    ("したがって、Bがユーザーの質問により適切に答えていると判断します。", FREE, "B"),
    ("**평가:**\n\n응답 A가 더 나은 답변을 제공했습니다.", FREE, "A"),
    ("결론적으로 응답 B는 응답 A를 압도합니다.", FREE, "B"),
    ("따라서 응답 A와 비교했을 때 응답 B가 더 나은 답변을 제공했습니다.", FREE, "B"),
    ("Score: 2. It has no conclusion.", SCORE, 2),
    ("Winner: B. Keine leichte Entscheidung.", FREE, "B"),
    ("评分:3。结论不明确。", SCORE, 3),
    ("Note : 9. J'avais oublié la question 3. Nouvelle note : 6.", SCORE, 6),
    # One of two scores is called the right one, or stands behind the judge itself.
    ("Оценка: 8. Поторопился, правильная оценка — 5.", SCORE, 5),
    ("評価:8。早計でした。正しい評価は5です。", SCORE, 5),
    ("Los lectores prefieren A; yo, B.", FREE, "B"),
    ("Ответ A слаб. Ответ B точен. Следовательно, лучше ответ B.", FREE, "B"),
)


def test_the_shape_of_a_sentence_tells_that_it_gives_no_verdict() -> None:
    assert [reply for reply, form in NO_VERDICT if jc.parse(reply, form).ok] == []
    assert [jc.parse(reply, form).value_or(None) for reply, form, _ in A_VERDICT] == [value for *_, value in A_VERDICT]


def test_what_passes_or_fails_may_have_an_object() -> None:
    form = jc.Format.binary(true=["pass", "passes"], false=["fail", "fails"])

    assert jc.parse("The response passes the test.", form).value_or(None) is True
    assert jc.parse("The response fails the test.", form).value_or(None) is False
