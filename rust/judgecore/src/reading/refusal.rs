//! Telling that the judge declined to judge.
//!
//! Only the opening counts, because later on a judge speaks of the response, and only what it says in its own words.
//! "I cannot" alone is no refusal: judges write "I cannot find any error" as well. What it can't do must be to judge,
//! help or answer.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Match};

use super::word::is_among;
use crate::reply::text::{ahead, continues_word, head};

/// How much of a reply is its opening, in bytes.
const OPENING: usize = 320;

/// How many words may stand between "I cannot" and what the judge can't do.
const REACH: usize = 9;

/// What follows the first person where something is declined: `I cannot`, `I am not able`.
const UNABLE: &[&str] = &[
    "cannot", "can't", "can not", "am unable", "'m unable", "am not able", "'m not able", "won't", "will not",
    "will be unable", "won't be able", "shouldn't", "should not", "am not going",
    "'m not going", "would not", "wouldn't", "don't think i should", "do not think i should", "don't think i can",
    "do not think i can", "am not allowed", "'m not allowed", "am not permitted", "'m not permitted",
    "have been instructed not", "'ll not", "am afraid i can't", "don't want", "do not want", "must not", "may not",
];

/// What says by itself that the judge declines.
const DECLINING: &[&str] = &[
    "decline", "must decline", "have to decline", "will decline", "'ll have to decline", "am going to have to decline",
    "'m going to have to decline", "must respectfully decline", "respectfully decline", "refuse", "must refuse",
    "have to refuse", "have to pass", "would rather not", "'d rather not", "prefer not to", "would prefer not to",
    "'d prefer not to", "do not feel comfortable", "don't feel comfortable", "am not comfortable",
    "'m not comfortable", "am uncomfortable", "'m uncomfortable", "do not have personal opinions",
    "don't have personal opinions", "do not have the ability", "don't have the ability", "do not have access",
    "don't have access", "will have to decline", "would have to decline", "choose not to", "have chosen not to",
    "have decided not to", "do not feel right", "don't feel right", "am choosing not to", "am declining", "'m declining", "am refusing", "must refrain", "will refrain",
    "am not in a position to", "'m not in a position to", "would prefer to stay out", "'d prefer to stay out",
];

/// What a judge is asked to do, by the beginnings of the words.
const TASKS: &[&str] = &[
    "help", "assist", "evaluat", "judg", "rat", "scor", "grad", "compar", "assess", "rank", "review", "provid",
    "giv", "answer", "respond", "repl", "complet", "compl", "fulfil", "continu", "engag", "process", "discuss",
    "participat", "take part", "produc", "assign", "generat", "creat", "offer", "shar", "support", "do that", "do this",
    "do so", "do it", "mak", "choos", "pick", "select", "decid", "determin", "verif", "view the", "see the image",
    "see the picture", "look at", "open the", "access", "put a number", "proceed", "say whose", "comment",
    "classif", "moderat", "categor", "label this", "label the", "identify people", "identify the person", "identify real",
];

/// What a judge can't do without declining: `I cannot find`, `I can't help but`.
const ASIDES: &[&str] = &[
    "help but", "help noticing", "help thinking", "give full", "give it full", "give it more", "give more", "give a higher",
    "award full", "rate it higher", "rate this higher", "say much", "fault", "make out",
    "provide a link", "provide a source", "give a reason", "give an example",
];

/// Words that may stand between what says that it can't and the verb.
const LEADING_UP: &[&str] = &[
    "in", "good", "conscience", "and", "or", "will", "won't", "not", "be", "able", "to", "even", "either", "at", "this",
    "time", "allowed", "permitted", "comfortable", "take", "cannot", "can't",
];

/// Joins what a judge can't do to what it says all the same: `I cannot verify the claim, so the answer is No`.
const JOINS: &[&str] = &[", so ", ", therefore ", ", but ", ", hence ", ", thus "];

/// What names a verdict behind a join.
const VERDICTS: &[&str] = &[
    "answer", "verdict", "rating", "score", "grade", "judgment", "judgement", "decision", "choice", "label",
    "classification",
];

/// What stands in a verdict's place and is none.
const NO_VERDICTS: &[&str] = &[
    "not", "n/a", "na", "none", "null", "unknown", "unavailable", "undetermined", "undecided", "unclear", "withheld",
    "pending", "declined", "refused", "impossible", "missing", "yours", "here", "that", "this",
];

/// The longest verdict behind a join is `response a`.
const VERDICT_WORDS: usize = 2;

/// Verbs that set a number, by their beginnings: only of these is a bound no refusal.
const RATING: &[&str] = &["rat", "scor", "grad", "giv", "assign", "rank"];

/// What bounds a number: `I won't rate it below 7`.
const BOUNDS: &[&str] =
    &["below", "above", "under", "over", "higher than", "lower than", "less than", "more than", "fewer than"];

/// What may stand between the verb and the bound; of people, as in "give advice to those under 18", nothing may.
const RATED: &[&str] = &[
    "it", "this", "that", "them", "the", "a", "an", "any", "anything", "either", "response", "answer", "summary",
    "translation", "essay", "output", "text", "score", "rating", "grade", "mark", "of",
];

/// Openings without the first person.
const IMPERSONAL: &[&str] = &[
    "unable to evaluat", "unable to judge", "unable to rate", "unable to assist", "unable to help", "unable to comply",
    "unable to provide", "cannot comply", "can't comply", "evaluation declined", "evaluation refused",
    "request declined", "request refused", "refusing to",
];

/// What a judge says of its rules.
const RULES: &[&str] = &[
    "against my programming", "against my guidelines", "against my policies", "against my principles",
    "goes against my", "not within my programming", "my guidelines do not allow", "my guidelines don't allow",
    "my guidelines prevent", "my programming does not allow", "my programming prevents", "not appropriate for me to", "not be appropriate for me to", "not something i can", "not something i am able", "isn't something i can", "not something i'm able",
    "don't think it's appropriate to", "do not think it is appropriate to", "don't think it is appropriate to",
    "inappropriate for me to", "not possible for me to", "violates our usage", "violates openai", "violates my", "policies prevent me", "policy prevents me", "rules prevent me", "policies do not allow me",
];

/// A language's words: what says that something can't be done, and what is asked of a judge, by their beginnings.
struct Tongue {
    unable: &'static [&'static str],
    tasks: &'static [&'static str],
    /// Who else may be the one that can't, in languages that leave the subject out.
    others: &'static [&'static str],
}

/// The judge itself, where others are named as well: `我无法评价这个回答`.
const OWN: &[char] = &['我', '私', '恕'];

const TONGUES: [Tongue; 9] = [
    // Chinese
    Tongue {
        unable: &["无法", "無法", "不能", "没办法", "没有办法", "沒辦法", "不便", "不予", "我不会", "我不會", "我拒绝", "我拒絕"],
        tasks: &[
            "评判", "评估", "評估", "评价", "評價", "打分", "评分", "評分", "协助", "協助", "帮", "幫", "回答", "提供", "给出", "給出",
            "比较", "比較", "判断", "判斷", "完成", "处理", "處理", "满足", "讨论", "作出",
        ],
        others: &["助手", "回答", "模型", "它", "他", "用户", "用戶", "答案", "文本", "摘要", "回复"],
    },
    // Japanese
    Tongue {
        unable: &["できません", "できかねます", "いたしかねます", "お断り", "応じられません", "控えさせて"],
        tasks: &["評価", "比較", "判断", "判定", "採点", "回答", "お答え", "対応", "お手伝い", "提供", "お断り", "依頼"],
        others: &["アシスタント", "モデル", "ユーザー"],
    },
    // Korean
    Tongue {
        unable: &["수 없습니다", "수 없어요", "수 없음", "거부합니다", "거절합니다", "어렵습니다"],
        tasks: &["평가", "비교", "점수", "답변", "도움", "도와", "판단", "제공", "대답", "응할", "요청"],
        others: &["어시스턴트", "모델", "사용자"],
    },
    // Spanish
    Tongue {
        unable: &["no puedo", "no poder", "no me es posible", "me niego", "debo declinar", "debo rechazar", "no estoy en condiciones"],
        tasks: &[
            "compar", "evalu", "ayud", "juzg", "ofrec", "calific", "valor", "respond", "contest", "proporcion", "dar", "puntu", "hacer eso", "hacer esto", "hacerlo",
            "asist", "cumpl", "continu", "tarea", "petici", "solicitud",
        ],
        others: &[],
    },
    // French
    Tongue {
        unable: &["je ne peux pas", "je ne suis pas en mesure", "je refuse", "je ne peux donc pas", "il m'est impossible", "je dois refuser", "je dois décliner"],
        tasks: &["compar", "évalu", "aid", "jug", "not", "répond", "fourni", "attribu", "donn", "faire cela", "le faire", "faire ça", "accéd", "demande", "class"],
        others: &[],
    },
    // German
    Tongue {
        unable: &["kann ich", "ich kann", "bin nicht in der lage", "ich lehne", "ich darf", "darf ich", "ich möchte nicht", "ich werde", "ich muss ablehnen", "ich weigere"],
        tasks: &["nicht helfen", "nicht bewerten", "nicht vergleichen", "nicht beurteilen", "nicht beantworten", "nicht nachkommen", "nicht bearbeiten", "zu beurteilen", "zu bewerten", "zu vergleichen", "keine bewertung", "kein urteil", "lehne es ab", "lehne diese", "nicht weiter"],
        others: &[],
    },
    // Portuguese
    Tongue {
        unable: &["não posso", "não consigo", "recuso-me", "me recuso", "não me é possível", "devo recusar"],
        tasks: &["compar", "avali", "ajud", "julg", "respond", "fornec", "dar", "fazer isso", "fazê-lo", "atribu", "classific", "pedido"],
        others: &[],
    },
    // Italian
    Tongue {
        unable: &["non posso", "non sono in grado", "mi rifiuto", "non mi è possibile", "devo rifiutare"],
        tasks: &["confront", "valut", "aiut", "giudic", "rispond", "fornir", "dare", "assegn", "farlo", "fare questo", "richiesta"],
        others: &[],
    },
    // Russian
    Tongue {
        unable: &["я не могу", "не могу", "я отказываюсь", "отказываюсь", "не в состоянии", "вынужден отказать"],
        tasks: &["сравни", "оцен", "помо", "ответ", "суд", "предостав", "дать", "сделать", "выполн", "запрос"],
        others: &[],
    },
];

/// What comes before `evaluated` where what was asked can't be.
const PASSIVES: &[&str] = &["cannot be ", "can't be ", "will not be ", "won't be ", "can not be "];

/// What comes before a policy.
const AGAINST: &str = "against ";

/// Which of the lists have a phrase in an opening: most openings have none of all these, and need no second look.
const PERSON: u16 = 1;
const RULE: u16 = 1 << 1;
const IMPERSONALLY: u16 = 1 << 2;
const PASSIVE: u16 = 1 << 3;
const POLICY: u16 = 1 << 4;
/// The first of [`TONGUES`]; the others follow.
const TONGUE: u16 = 1 << 5;

/// All phrases, each with its list.
fn phrases() -> impl Iterator<Item = (&'static str, u16)> {
    let of = |list: &'static [&'static str], mark: u16| list.iter().map(move |&phrase| (phrase, mark));
    of(UNABLE, PERSON)
        .chain(of(DECLINING, PERSON))
        .chain(of(RULES, RULE))
        .chain(of(IMPERSONAL, IMPERSONALLY))
        .chain(of(PASSIVES, PASSIVE))
        .chain([(AGAINST, POLICY)])
        .chain(TONGUES.iter().enumerate().flat_map(move |(nth, tongue)| of(tongue.unable, TONGUE << nth)))
}

/// Finds all phrases in one pass; None if they were too many for it.
static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(phrases().map(|(phrase, _)| phrase)).ok()
});
static MARKS: LazyLock<Vec<u16>> = LazyLock::new(|| phrases().map(|(_, mark)| mark).collect());

/// Which lists have a phrase in an opening.
fn marks(opening: &str) -> u16 {
    let Some(finder) = &*FINDER else { return marks_one_by_one(opening) };
    if !finder.is_match(opening) {
        return 0;
    }
    let mark = |found: Match| MARKS.get(found.pattern().as_usize()).copied().unwrap_or_default();
    finder.find_overlapping_iter(opening).fold(0, |all, found| all | mark(found))
}

fn marks_one_by_one(opening: &str) -> u16 {
    phrases().filter(|(phrase, _)| opening.contains(phrase)).fold(0, |all, (_, mark)| all | mark)
}

/// Whether a reply opens by declining.
pub(super) fn is_refusal(text: &str) -> bool {
    let opening = text.trim_start_matches(|c: char| !c.is_alphabetic());
    let opening = own_words(head(opening, opening.floor_char_boundary(OPENING)));
    match marks(&opening) {
        0 => false,
        marks => declines(&opening, marks),
    }
}

/// Whether an opening declines in any language.
fn declines(opening: &str, marks: u16) -> bool {
    declines_in_english(opening, marks)
        || TONGUES.iter().enumerate().any(|(nth, tongue)| marks & TONGUE << nth != 0 && tongue.declines(opening))
}

/// The opening in small letters, with plain apostrophes and without what stands in quotation marks.
fn own_words(opening: &str) -> String {
    if opening.is_ascii() {
        let mut words: String = opening.split('"').step_by(2).collect();
        words.make_ascii_lowercase();
        return words;
    }
    let mut words = String::with_capacity(opening.len());
    let mut closing: Option<char> = None;
    for c in opening.chars() {
        match (closing, c) {
            (Some(mark), c) if c == mark => closing = None,
            (Some(_), _) => {}
            (None, '"') => closing = Some('"'),
            (None, '\u{201c}') => closing = Some('\u{201d}'),
            (None, '\u{300c}') => closing = Some('\u{300d}'),
            (None, '\u{ab}') => closing = Some('\u{bb}'),
            (None, '\u{2019}') => words.push('\''),
            (None, c) if c.is_ascii() => words.push(c.to_ascii_lowercase()),
            (None, c) => words.extend(c.to_lowercase()),
        }
    }
    words
}

/// Whether an opening in English declines.
fn declines_in_english(opening: &str, marks: u16) -> bool {
    if marks & RULE != 0
        || marks & IMPERSONALLY != 0 && IMPERSONAL.iter().any(|phrase| opening.starts_with(phrase))
        || marks & PASSIVE != 0 && cannot_be_judged(opening)
        || marks & POLICY != 0 && names_policy(opening)
    {
        return true;
    }
    if marks & PERSON == 0 {
        return false;
    }
    let coordinated = ["and", "so", "but"].into_iter().flat_map(|join| behind_join(opening, join));
    first_persons(opening).chain(coordinated).any(|said| {
        let said = strip_adverbs(said);
        if DECLINING.iter().any(|phrase| starts_with_phrase(said, phrase)) {
            return true;
        }
        let unable = UNABLE.iter().filter(|phrase| starts_with_phrase(said, phrase)).map(|phrase| phrase.len()).max();
        unable.and_then(|length| said.get(length..)).is_some_and(asks_task)
    })
}

/// What stands behind each "I".
fn first_persons(opening: &str) -> impl Iterator<Item = &str> {
    let bytes = opening.as_bytes();
    memchr::memchr_iter(b'i', bytes).filter_map(move |at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b' ');
        let behind = bytes.get(at + 1).copied().unwrap_or(b' ');
        let is_pronoun = !(before.is_ascii_alphanumeric() || before == b'\'') && matches!(behind, b' ' | b'\'');
        is_pronoun.then(|| opening.get(at + 1..)).flatten()
    })
}

/// What stands behind a word that goes on with what "I" said: `I have no opinion and can't choose`.
fn behind_join<'t>(opening: &'t str, join: &'static str) -> impl Iterator<Item = &'t str> {
    let start = first_persons(opening).next().map_or(opening.len(), |said| opening.len() - said.len());
    let rest = opening.get(start..).unwrap_or_default();
    rest.match_indices(join).filter_map(move |(at, _)| {
        let is_word = rest.get(..at).is_some_and(|lead| lead.ends_with(' '));
        is_word.then(|| rest.get(at + join.len()..)).flatten().filter(|said| said.starts_with(' '))
    })
}

/// `This content cannot be evaluated`, of what was asked and not of a claim in it.
fn cannot_be_judged(opening: &str) -> bool {
    const JUDGED: [&str; 12] = [
        "evaluated", "judged", "rated", "graded", "scored", "compared", "assessed", "processed", "completed",
        "fulfilled", "reviewed", "ranked",
    ];
    const ASKED: [&str; 9] = [
        "this content", "this request", "the request", "this conversation", "this task", "this prompt", "this material",
        "these responses", "your request",
    ];
    let is_about_task = ASKED.iter().any(|asked| opening.contains(asked));
    is_about_task
        && PASSIVES.iter().any(|passive| {
            opening.match_indices(passive).any(|(at, _)| {
                let rest = opening.get(at + passive.len()..).unwrap_or_default();
                JUDGED.iter().any(|judged| rest.starts_with(judged))
            })
        })
}

/// `It is against the usage policy to evaluate this`.
fn names_policy(opening: &str) -> bool {
    opening.match_indices(AGAINST).any(|(at, _)| {
        let rest = ahead(opening, at, 60);
        let rest = rest.split(['.', ';', '\n']).next().unwrap_or(rest);
        let names_rules = ["policy", "policies", "guidelines", "terms of"].iter().any(|rules| rest.contains(rules));
        let task = opening.get(at..).unwrap_or_default();
        names_rules && ["to evaluat", "to judg", "to rat", "to scor", "to assist", "to help", "to compar"].iter().any(|to| task.contains(to))
    })
}

/// Without the words that may stand before the verb: `I really must`, `I, therefore, cannot`.
fn strip_adverbs(said: &str) -> &str {
    const ADVERBS: [&str; 9] =
        ["really", "therefore", "simply", "unfortunately", "also", "just", "personally", "truly", "as"];
    let mut said = said.trim_start_matches([' ', ',']);
    while let Some(word) = said.split([' ', ',']).next().filter(|word| is_among(word, &ADVERBS)) {
        said = said.get(word.len()..).unwrap_or_default().trim_start_matches([' ', ',']);
    }
    said
}

fn starts_with_phrase(text: &str, phrase: &str) -> bool {
    text.strip_prefix(phrase).is_some_and(|rest| !rest.starts_with(continues_word))
}

/// Whether what can't be done is what a judge is asked for.
fn asks_task(said: &str) -> bool {
    let near = ahead(said, 0, 120);
    let near = near.split(['.', '!', '?', ';', '\n']).next().unwrap_or(near);
    let near = near.trim_start();
    let near = near.strip_prefix("to ").unwrap_or(near);
    if near.trim_matches([' ', ',']).is_empty() {
        // "I'm sorry, but I cannot."
        return true;
    }
    if ASIDES.iter().any(|aside| near.starts_with(aside)) || goes_on_to_verdict(near) || sets_bound(near) {
        return false;
    }
    // The verb may be led up to: "in good conscience give", "and will not judge".
    let mut at = 0;
    for word in near.split(' ').take(REACH) {
        let rest = near.get(at..).unwrap_or_default();
        if TASKS.iter().any(|task| rest.starts_with(task)) {
            return true;
        }
        if !(is_among(word.trim_end_matches(','), LEADING_UP) || word.ends_with("ly")) {
            return false;
        }
        at += word.len() + 1;
    }
    false
}

/// Whether the sentence goes on with a verdict: `verify the claim, so the answer is no`.
fn goes_on_to_verdict(sentence: &str) -> bool {
    let is_verdict = |said: &str| {
        let mut words = said.split_whitespace();
        let named = words.find(|word| !is_among(word, &["the", "my", "its", "final", "overall", "correct"]));
        let is_named = named.is_some_and(|named| is_among(named, VERDICTS));
        let is_joined = is_named && matches!(words.next(), Some("is" | "remains"));
        let held: Vec<&str> = words.collect();
        // Of an answer a number may be what it says, and not its score.
        let is_content = named == Some("answer") && held.iter().any(|word| word.contains(|c: char| c.is_numeric()));
        is_joined
            && (1..=VERDICT_WORDS).contains(&held.len())
            && !is_content
            && !held.iter().any(|word| is_among(word.trim_matches([',', ':', '"']), NO_VERDICTS))
    };
    JOINS.iter().filter_map(|join| sentence.split_once(join)).any(|(_, said)| is_verdict(said))
}

/// Whether what the judge won't do is to rate beyond a bound: `rate it below 7`.
fn sets_bound(sentence: &str) -> bool {
    let (verb, mut rest) = sentence.split_once(' ').unwrap_or((sentence, ""));
    if !RATING.iter().any(|rating| verb.starts_with(rating)) {
        return false;
    }
    while let Some((_, behind)) = rest.split_once(' ').filter(|(word, _)| is_among(word, RATED)) {
        rest = behind;
    }
    let bounded = BOUNDS.iter().find_map(|bound| rest.strip_prefix(bound)).map(str::trim_start);
    bounded.is_some_and(|number| {
        let number = number.strip_prefix("a ").or_else(|| number.strip_prefix("an ")).unwrap_or(number);
        number.starts_with(|c: char| c.is_ascii_digit() || c == '-')
    })
}

impl Tongue {
    /// Whether an opening in this language declines: both words close to each other, and nobody else before them.
    fn declines(&self, opening: &str) -> bool {
        self.unable.iter().any(|word| {
            opening.match_indices(word).any(|(at, _)| {
                let from = opening.floor_char_boundary(at.saturating_sub(90));
                let to = opening.ceil_char_boundary((at + word.len() + 90).min(opening.len()));
                let near = opening.get(from..to).unwrap_or_default();
                let lead = opening.get(from..at).unwrap_or_default();
                let clause = lead.rsplit(['。', '.', '，', ',', '、', '！', '？', '\n']).next().unwrap_or(lead);
                let is_anothers = self.others.iter().any(|other| clause.contains(other)) && !clause.contains(OWN);
                !is_anothers && self.tasks.iter().any(|task| near.contains(task))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{FINDER, TONGUES, is_refusal, marks, marks_one_by_one, own_words, phrases};

    #[test]
    fn a_judge_declines_at_the_start_and_in_its_own_words() {
        for (reply, want) in [
            ("I cannot rate this.", true),
            ("I\u{2019}m sorry, but I can\u{2019}t help with that.", true),
            ("I'm sorry, I can't moderate this content.", true),
            ("That would go against my programming.", true),
            ("This content cannot be evaluated.", true),
            ("No puedo evaluar esta respuesta.", true),
            ("\u{6211}\u{65e0}\u{6cd5}\u{8bc4}\u{4ef7}\u{8fd9}\u{4e2a}\u{56de}\u{7b54}", true),
            ("I refuse", true),
            ("I cannot find any error in it.", false),
            ("The assistant said \"I cannot rate this\", and rightly so.", false),
            ("It is fine. I am sorry for the delay.", false),
            ("I cannot verify the claim, so the answer is No.", false),
            ("I can't rate its style, but my overall rating is 7/10.", false),
            ("I cannot rate this, so the answer is not available.", true),
            ("I cannot judge this, so my verdict is withheld.", true),
            ("I can't evaluate this, but the answer is 42.", true),
            ("I can't help with that, but here is what the answer is about.", true),
            ("I cannot rate this, but the request is harmful.", true),
            ("I won't rate it below 7.", false),
            ("I would not give this response a score higher than 3.", false),
            ("I won't give advice to those under 18.", true),
            ("I can't rate anything above my permissions.", true),
            ("", false),
        ] {
            assert_eq!(is_refusal(reply), want, "{reply}");
        }
    }

    /// Phrases of every list, and what joins them.
    fn openings() -> impl Strategy<Value = String> {
        let tasks = TONGUES.iter().flat_map(|tongue| tongue.tasks).copied();
        let pieces: Vec<&str> = phrases()
            .map(|(phrase, _)| phrase)
            .chain(tasks)
            .chain(["i ", "rate", "it", "this content ", "evaluated", "the policy to rate", "\"", "\u{2019}", "É", "."])
            .collect();
        let piece = (prop::sample::select(pieces), prop::sample::select(vec!["", " ", " "]), any::<bool>());
        let shown = |(piece, gap, is_large): (&str, &str, bool)| {
            if is_large { piece.to_uppercase() + gap } else { piece.to_owned() + gap }
        };
        prop::collection::vec(piece.prop_map(shown), 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_phrase_of_an_opening_is_marked_in_one_pass(opening in openings()) {
            let opening = own_words(&opening);

            prop_assert!(FINDER.is_some());
            prop_assert_eq!(marks(&opening), marks_one_by_one(&opening));
        }

        #[test]
        fn own_words_are_small_and_unquoted_in_ascii_as_elsewhere(opening in "[A-Za-z\"' .]{0,40}") {
            let beyond = own_words(&(opening.clone() + "é"));

            prop_assert_eq!(own_words(&opening), beyond.strip_suffix('é').unwrap_or(&beyond));
        }
    }
}
