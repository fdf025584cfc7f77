//! The words with which judges announce, deny and correct a verdict.
//!
//! Each list is a habit of judges in general; what only one judge writes belongs in its format file.

use super::word::Words;

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

