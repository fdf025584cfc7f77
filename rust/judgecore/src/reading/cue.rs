//! The words with which judges announce, deny and correct a verdict.
//!
//! Each list is a habit of judges in general; what only one judge writes belongs in its format file.

use super::word::Words;

/// Nouns that announce a preference or a label: `Verdict: A`, `my choice is B`.
pub(super) static VERDICT_NOUNS: Words = Words::new(&[
    "verdict", "decision", "judgment", "judgement", "answer", "conclusion", "choice", "winner",
    "preference", "result", "selection", "pick", "vote", "determination", "classification", "label",
    "grade", "outcome", "ruling", "assessment", "evaluation", "rating", "score", "category", "overall", "final",
    "veredicto",
    "respuesta", "decisión", "resultado", "réponse", "antwort", "urteil", "ответ", "вывод",
]);

/// Nouns that announce a number: `Score: 8`, `a rating of 8`.
pub(super) static SCORE_NOUNS: Words = Words::new(&[
    "score", "rating", "grade", "mark", "scored", "rate", "result", "verdict", "judgment", "judgement",
    "total", "overall", "final", "evaluation", "assessment", "points", "answer", "puntuación", "calificación",
    "note", "bewertung", "punkte", "оценка",
]);

/// The same, of languages that write without spaces.
pub(super) const UNSPACED_VERDICTS: &[&str] = &[
    "结论", "結論", "判断", "判定", "答案", "选择", "選擇", "结果", "結果", "裁决", "回答", "评判", "最终选择", "勝者", "胜者", "판정", "결론",
    "답변", "答え", "我选", "我選", "应选", "應選", "故选", "故選",
];

pub(super) const UNSPACED_SCORES: &[&str] = &[
    "评分", "評分", "得分", "分数", "分數", "打分", "总分", "總分", "评级", "評級", "等级", "評価", "评价", "スコア", "得点", "点数", "評点",
    "점수", "평가", "평점", "我给", "我給", "我打", "打了", "给出", "給出",
];

/// Adjectives that announce the winner behind a link: `the better response is B`.
pub(super) static WINNING_ADJECTIVES: Words = Words::new(&[
    "better", "best", "preferred", "superior", "winning", "stronger",
]);

/// Where nothing announces it so.
pub(super) static NO_ADJECTIVES: Words = Words::new(&[]);

/// Verbs whose object is the winner: `I prefer Output (a)`.
pub(super) static CHOOSING_VERBS: Words = Words::new(&[
    "choose", "chose", "chosen", "choosing", "select", "selected", "prefer", "pick", "picked", "favor",
    "favour", "recommend", "vote", "award", "declare", "go", "going", "opt", "opting", "respond",
]);

/// Verbs whose object or complement is a number: `I give it an 8`.
pub(super) static SCORING_VERBS: Words = Words::new(&[
    "give", "gave", "given", "giving", "rate", "rated", "rating", "score", "scored", "assign", "assigned",
    "award", "awarded", "deserves", "deserve", "receives", "receive", "earns", "earn", "gets", "get",
    "merits", "warrants", "grade", "call", "say", "evaluate", "scores", "gebe", "vergebe", "donne", "attribue", "doy",
    "otorgo", "asigno", "ставлю", "даю",
]);

/// Words that may stand between a cue and its verdict.
pub(super) static FILLERS: Words = Words::new(&[
    "a", "an", "the", "my", "option", "response", "assistant", "output", "model", "candidate", "answer",
    "text", "system", "clearly", "definitely", "therefore", "thus", "hence", "simply", "just", "probably",
    "still", "also", "now", "that", "here", "this", "it", "indeed", "then", "overall", "feedback", "one",
    "choice", "number", "grade", "label", "letter",
]);

/// Words that may stand before a cue and belong to it: `so my final verdict`.
pub(super) static LEADS: Words = Words::new(&[
    "my", "the", "final", "overall", "total", "our", "your", "so", "best", "verdict", "i", "would",
    "revised", "corrected", "updated",
]);

/// Words that say of an answer, before it, that it is not the judge's.
pub(super) static OWNERS: Words = Words::new(&[
    "correct", "right", "reference", "expected", "gold", "ground", "student", "submitted", "proposed",
    "given", "expert", "provided", "true", "actual", "standard", "wrong", "incorrect", "model", "candidate",
    "minimum", "maximum", "highest", "lowest", "perfect", "previous", "prior", "initial",
]);

/// Words that link a cue to its verdict.
pub(super) static LINKS: Words = Words::new(&[
    "is", "was", "be", "are", "would", "will", "should", "remains", "becomes", "follows", "goes", "to",
    "as", "equals", "for", "with", "es", "ist", "est", "é",
]);

pub(super) static NEGATIONS: Words = Words::new(&[
    "not", "never", "neither", "nor", "cannot", "can't", "isn't", "wasn't", "doesn't", "don't", "didn't",
    "wouldn't", "won't", "without", "hardly", "aren't", "no", "couldn't", "shouldn't", "unlikely",
]);

/// Words that mark a verdict as the last one.
pub(super) static FINAL_WORDS: Words = Words::new(&[
    "final", "finally", "therefore", "thus", "overall", "conclusion", "ultimately", "conclude", "hence",
    "consequently", "summary", "so", "corrected", "correction", "revised", "actually", "instead", "updated",
    "reconsidering", "wait", "reconsider", "thought", "reflection", "accordingly", "considered",
]);

/// The same, of languages that write without spaces; looked for anywhere in the clause.
pub(super) const UNSPACED_FINALS: &[&str] =
    &[
    "最终", "最終", "综上", "綜上", "因此", "所以", "总之", "總之", "最後", "結論", "したがって", "최종",
];

/// Words that take an earlier verdict back.
pub(super) static CORRECTING_WORDS: Words = Words::new(&[
    "final", "finally", "corrected", "correction", "revised", "updated", "actually", "instead", "reconsidering",
    "reconsider", "wait", "reflection",
]);

/// Verbs with which a judge puts one verdict in the place of another.
pub(super) static CHANGING_VERBS: Words = Words::new(&[
    "change", "correct", "revise", "adjust", "amend", "raise", "lower", "reduce", "increase", "update",
]);

/// Words before "I" by which nothing is said, but asked or supposed.
pub(super) static ASKING_WORDS: Words = Words::new(&[
    "should", "would", "could", "might", "do", "did", "can", "must", "if", "unless", "when", "why", "were", "had", "that",
]);

/// Words that open a clause in which a judge interrupts itself.
pub(super) static CORRECTING_OPENERS: Words = Words::new(&["wait", "correction", "actually", "hold", "hmm", "no"]);

/// Nouns of what is compared, which a letter or a number tells apart: `Response 1`, `Summary B`.
pub(super) static COMPARED_NOUNS: Words = Words::new(&[
    "response", "assistant", "output", "option", "answer", "model", "candidate", "choice", "system", "feedback",
    "summary", "text", "completion", "translation", "solution", "essay", "story", "generation", "image", "reply",
    "agent", "submission", "passage", "caption", "description", "article", "conversation", "dialogue", "chatbot",
    "proposal", "argument", "draft", "sample", "caption", "report", "poem",
]);

/// Words right before a bracket that say that its label is not the one: `not [[A]]`, `[[A]] over [[B]]`.
pub(super) static PASSING_OVER: Words = Words::new(&["see", "cf", "not", "neither", "nor", "isn't", "over", "than", "against", "beats", "outperforms", "beat"]);

/// Words that stress the label behind them: `definitely A`.
pub(super) static STRESSES: Words = Words::new(&["so", "definitely", "clearly", "absolutely", "certainly", "surely"]);

/// Words with which a judge opens its last line: `Hence B`.
pub(super) static CONCLUDING_OPENERS: Words =
    Words::new(&["so", "hence", "thus", "therefore", "finally", "overall", "ultimately", "conclusion", "altogether"]);

/// What a judge takes a second look by: `on reflection`, `upon closer inspection`.
pub(super) static SECOND_LOOKS: Words = Words::new(&[
    "reflection", "second", "further", "closer", "reconsideration", "reconsidering", "reviewing",
]);

/// Characters that deny what stands right behind them.
pub(super) const UNSPACED_NEGATIONS: &[char] = &['不', '没', '沒', '非', '未', '无', '無', '불'];

/// Characters that make a stress of the denial before them.
pub(super) const UNSPACED_STRESSES: &[char] = &['常', '仅', '僅', '但', '疑', '过', '過', '只', '止'];

/// Denials that stand behind what they deny, without spaces.
pub(super) const NEGATIONS_BEHIND: &[&str] = &[
    "ではない", "ではなく", "ではなかった", "ではありません", "じゃない", "じゃありません", "でない", "でなく", "하지않", "지않", "이아니",
    "가아니", "은아니", "는아니", "아니", "아님",
];

/// Verbs that report what somebody else holds: `Assistant A argues that Output (a) is better`.
pub(super) static REPORTING_VERBS: Words = Words::new(&[
    "argue", "argues", "argued", "claim", "claims", "claimed", "say", "says", "said", "state", "states",
    "stated", "believe", "believes", "believed", "suggest", "suggests", "suggested", "think", "thinks",
    "concludes", "contends", "asserts", "prefers", "favors", "evaluates", "insists", "maintains", "feel",
    "feels", "might", "could", "whether", "if", "wrote", "writes",
]);

/// Nouns after which a number counts things and does not judge them: `Step 1`, `Assistant 2`.
pub(super) static NUMBERED_NOUNS: Words = Words::new(&[
    "step", "assistant", "response", "output", "model", "answer", "option", "question", "criterion", "turn",
    "paragraph", "section", "example", "point", "part", "chapter", "figure", "table", "type", "no",
    "version", "http", "status", "error", "code", "page", "line", "item", "rule", "case", "claim",
    "reference", "image", "candidate", "system", "user", "participant", "player", "task", "test", "day",
    "week", "year", "month", "phase", "stage", "round", "problem", "sentence", "statement", "method",
    "approach", "solution", "scenario", "number", "gpt", "llama", "claude", "python", "windows", "theorem",
    "equation", "summary", "document", "passage", "story", "text", "category", "group", "class", "january",
    "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december", "than", "room", "channel", "volume", "issue", "feedback", "choice",
]);

