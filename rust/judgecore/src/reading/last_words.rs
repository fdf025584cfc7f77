//! Last words: the sentence at a reply's end that alone decides, whatever prose stands before it.
//!
//! Judges end with the same few sentences. Where nothing before the last one could be evidence or could change how it
//! is read, replies that end alike have one reading, so that it has to be worked out only once.

use std::ops::Range;

use super::context::PROSE_LIMIT;
use super::numeral::{self, Comma, Met};
use super::outcome::{Mode, Rule};
use super::score::{OF, spelled_behind};
use crate::format::{Format, Reader};
use crate::reply::scan::{Scan, Signs};
use crate::reply::text::tail;

/// How long last words may be, so that they are few.
const LONGEST: usize = 48;
/// Longer replies are read in parts.
const LONGEST_REPLY: usize = 2 * PROSE_LIMIT;
/// What ends the sentence before.
const STOPS: [char; 3] = ['.', '!', '?'];

/// What may open a marker or close reasoning, and what may quote a whole line.
const BRACKETS: Signs = Signs::of(b"[\\<>");
/// Those of them that markers have.
const MARKER_SIGNS: &[u8] = b"[\\<";
/// What may be a number, announce one in words, open a marker, or look like other text than it is.
const NUMBERS: Signs = Signs::of(b"0123456789:[\\<>*_~").with_controls();

/// Finds the last words of replies to one format.
///
/// Two replies with the same last words have the same reading, but for the place, wherever that of one is
/// [decided](Self::decide) by them. There are none where the machine can't find them fast.
#[derive(Debug, Clone, Copy)]
pub struct LastWords {
    scan: Scan,
    /// They may say a number, and not only what stands in double brackets.
    has_numbers: bool,
}

impl LastWords {
    /// For replies to this format that are whole; None where there is more to a reply than its last words.
    pub fn new(format: &Format, mode: Mode) -> Option<Self> {
        let has_numbers = match &format.reader {
            Reader::Score(_) if !format.has_number_words() => true,
            // What has a stop in it could be a whole reply.
            Reader::Binary(labels) | Reader::Choice(labels) if !labels.have_any(&STOPS) => false,
            _ => return None,
        };
        let is_plain = mode == Mode::Lenient
            && format.entries.is_empty()
            && format.markers.need_one_of(MARKER_SIGNS)
            // What has a stop in it could begin in the sentence before.
            && !format.markers.have_any(&STOPS)
            && !format.is_first_token();
        if is_plain { Scan::new().map(|scan| Self { scan, has_numbers }) } else { None }
    }

    /// Where the last words stand, behind the stop of the sentence before them.
    #[inline]
    pub fn find<'t>(&self, reply: &'t str) -> Option<(usize, &'t str)> {
        let bytes = reply.as_bytes();
        if !bytes.first()?.is_ascii_alphabetic() || bytes.len() > LONGEST_REPLY || bytes.starts_with(b"analysis") {
            return None;
        }
        let mut end = bytes.len();
        while let Some(b' ' | b'\n') = bytes.get(end.checked_sub(1)?) {
            end -= 1;
        }
        let stops = usize::from(bytes.get(end.checked_sub(1)?) == Some(&b'.'));
        let first = match bytes.get(end.checked_sub(1 + stops)?)? {
            b']' => self.scan.first(bytes, &BRACKETS),
            b'0'..=b'9' if self.has_numbers => {
                let is_spelled = |at: usize| may_be_spelled(bytes, at);
                self.scan.first_without(bytes, &NUMBERS, *b"of", is_spelled)
            }
            _ => return None,
        };
        if first >= end {
            return None;
        }
        // The sentence begins before the sign.
        let from = end.saturating_sub(LONGEST);
        let mut at = first;
        loop {
            at = at.checked_sub(1).filter(|&at| at > from)?;
            if matches!(bytes.get(at)?, b' ' | b'\n') && matches!(bytes.get(at - 1)?, b'.' | b'!' | b'?') {
                return Some((at - 1, reply.get(at - 1..end)?));
            }
        }
    }

    /// Whether the last words alone gave a reading of a reply: by which rule, and where its evidence stands.
    pub fn decide(&self, reply: &str, rule: Rule, span: &Range<usize>) -> bool {
        let Some((start, words)) = self.find(reply) else { return false };
        let is_inside = start <= span.start && span.end <= start + words.len();
        let is_plain = |byte: u8| matches!(byte, b'\n' | b' '..=b'~') && !b"\"'`*_~<\\".contains(&byte);
        is_inside
            && words.bytes().all(is_plain)
            && match rule {
                Rule::Marker => is_one_bracket(words),
                Rule::Labelled => is_one_number(words),
                _ => false,
            }
    }
}

/// `… [[…]]`, once. A `>` may stand behind letters, `[[A>B]]`, where it quotes nothing.
fn is_one_bracket(words: &str) -> bool {
    let bare = words.strip_suffix('.').unwrap_or(words);
    let Some((before, held)) = bare.strip_suffix("]]").and_then(|rest| rest.split_once("[[")) else { return false };
    !before.contains(['[', ']', '>'])
        && !held.contains(['[', ']', '\n'])
        && held.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// One number, in digits, on one line: whether a line announces the next is seen by how long it is.
fn is_one_number(words: &str) -> bool {
    if words.trim_start_matches(STOPS).trim_start().contains('\n') {
        return false;
    }
    let Some(Met::Number(number)) = numeral::next(words, 0, Comma::Decimal) else { return false };
    let is_last = matches!(tail(words, number.end), "" | ".")
        && !words.contains(['[', ']', '(', ')', '{', '}', '|', '=', '-', '>']);
    let mut links = memchr::memchr_iter(b':', words.as_bytes()).map(|at| at + 1);
    let mut ofs = OF.find_iter(words.as_bytes()).map(|at| at + OF.needle().len());
    let is_spelled = |link: usize| spelled_behind(words, link).is_some();
    is_last && !links.any(is_spelled) && !ofs.any(is_spelled)
}

/// Whether a number in words may stand behind the "of" at `at`: a quick look for [`spelled_behind`].
fn may_be_spelled(bytes: &[u8], at: usize) -> bool {
    let Some(&[before, _, _, behind, one, two, three]) =
        at.checked_sub(1).and_then(|from| bytes.get(from..)).and_then(<[u8]>::first_chunk::<7>)
    else {
        return true;
    };
    let is_link = before == b' ' && behind == b' ';
    is_link
        && (matches!(one, b' ' | b'"' | b'\'' | b'(' | b'[')
            || matches!(
                &[one | 0x20, two | 0x20, three | 0x20],
                b"zer" | b"one" | b"two" | b"thr" | b"fou" | b"fiv" | b"six" | b"sev" | b"eig" | b"nin" | b"ten"
            ))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, LazyLock};

    use proptest::prelude::*;

    use super::{LastWords, Scan, may_be_spelled, spelled_behind};
    use crate::format::{self, Format};
    use crate::reading::{Mode, read};

    /// What replies begin with: prose, and all that could be evidence, deny it, quote it or hide it.
    const HEADS: [&str; 79] = [
        "It is {\"score\": 3}",
        "a clear and complete answer to it",
        "Verdict",
        "Score: eight",
        "a rating of three",
        "My score: seven.",
        "Wait, no.",
        "Good",
        "It is clear",
        "the answer",
        "No",
        "not",
        "never",
        "I would not say",
        "reference",
        "overall",
        "final",
        "my",
        "the student's",
        "says",
        "Wait",
        "Actually",
        "score",
        "Score",
        "rating",
        "Rating",
        "a score of eight",
        "of two",
        "of The",
        "Three",
        "ten",
        "one of the best",
        "five out of ten",
        "from one to ten",
        "8",
        "3",
        "7/10",
        "1-10",
        "0.5",
        "[[3]]",
        "[[",
        "]]",
        "[",
        "]",
        "[THINK]",
        "<think>",
        "</think>",
        "<",
        ">",
        "> ",
        "\n>",
        "\"",
        "'",
        "`",
        "```",
        "~~~",
        "**",
        "*",
        "_",
        "(",
        ")",
        ":",
        ";",
        ",",
        ".",
        "!",
        "?",
        " - ",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "\u{201c}",
        "é",
        "\u{ff3b}\u{ff3b}",
        "\u{200b}",
        "\u{b}",
        "analysis",
        "\\boxed{3}",
    ];
    const STOPS: [&str; 9] = [". ", ".\n", ".\n\n", "! ", "? ", "... ", ".) ", ". \n ", ".\" "];
    const LASTS: [&str; 53] = [
        "assistantfinal Score: 8",
        "Score\n8",
        "Overall score\n\n8",
        "Verdict. [[4]]",
        "Well? [[A]]",
        "[[A]]",
        "[[B]].",
        "My final verdict is: [[A>B]]",
        "[[A>>B]]",
        "not [[A]]",
        "[[A]] over [[B]]",
        "[[C]]",
        "A or [[B]]",
        "Rating: [[5]]",
        "Rating: [[5]].",
        "[[5]]",
        "[[ 5 ]]",
        "Rating: [[11]]",
        "Rating: [[2.5]]",
        "rating: [[rating: 4]]",
        "I rate it [[4]]",
        "not [[4]]",
        "Overrating: [[6]]",
        "Final Rating: [[7]]",
        "Score: 8",
        "Score: 8.",
        "score: 8/10",
        "Final score: 8",
        "My overall score is 8",
        "Overall\nScore: 8",
        "I give it 8",
        "I would not give it 8",
        "The reference score is 8",
        "Score of 8",
        "(Score: 8)",
        "Score: 12",
        "Score: -8",
        "Score: 8 out of 10",
        "Score: one, 8",
        "One of five: Score: 8",
        "Step 3",
        "Score 8",
        "8",
        "8.",
        "So 8",
        "No, Score: 8",
        "I change it to Score: 8",
        "Score: 3 Score: 8",
        "Score: 3, 8",
        "Score: 3-8",
        "Response 8",
        "Score: \"8\"",
        "in 2024",
    ];
    const ENDS: [&str; 5] = ["", "", " ", "\n", "\t"];

    fn texts() -> impl Strategy<Value = (String, String)> {
        let piece = || {
            let plain =
                prop::sample::select(["Good", "It is clear", "the answer", "it", ",", "not", "says", "."].as_slice());
            prop_oneof![3 => plain, 1 => prop::sample::select(HEADS.as_slice())]
        };
        let gap = || prop::sample::select([" ", " ", " ", ""].as_slice());
        let head = move || {
            let pieces = prop::collection::vec((piece(), gap()), 0..7);
            let joined =
                pieces.prop_map(|pieces| pieces.into_iter().flat_map(|(piece, gap)| [piece, gap]).collect::<String>());
            (joined, prop::sample::select(["", "", "Well, ", "analysis "].as_slice()))
                .prop_map(|(rest, first)| first.to_owned() + &rest)
        };
        let select = |all: &'static [&str]| prop::sample::select(all);
        (head(), head(), select(&STOPS), select(&LASTS), select(&ENDS), select(&ENDS)).prop_map(
            |(one, other, stop, last, end, other_end)| {
                (format!("{one}{stop}{last}{end}"), format!("{other}{stop}{last}{other_end}"))
            },
        )
    }

    static FORMATS: LazyLock<Vec<Arc<Format>>> = LazyLock::new(|| {
        let score = |low, high, is_integer| Arc::new(Format::score(low, high, is_integer, Vec::new()).unwrap());
        let long =
            vec![("B".to_owned(), vec!["Well, Good. Rating: [[5".to_owned()]), ("A".to_owned(), vec!["A".to_owned()])];
        let marked = |markers: &[&str]| {
            let markers = markers.iter().map(|&marker| marker.to_owned()).collect();
            Arc::new(Format::score(1.0, 10.0, false, markers).unwrap())
        };
        let scores = [
            score(1.0, 10.0, false),
            score(0.0, 100.0, true),
            Arc::new(Format::choice(long).unwrap()),
            score(0.0, 3000.0, false),
            marked(&["{\"score\": {}}"]),
            marked(&["Verdict. [[{}]]"]),
        ];
        scores.into_iter().chain(format::all()).collect()
    });

    fn score() -> Arc<Format> {
        Arc::new(Format::score(1.0, 10.0, false, Vec::new()).unwrap())
    }

    /// Last words of a format that has them wherever the machine finds them fast.
    fn new(format: &Format) -> Option<LastWords> {
        let new = LastWords::new(format, Mode::Lenient);
        assert_eq!(Scan::new().is_some(), new.is_some(), "{}", format.id());
        new
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn replies_with_the_same_last_words_have_one_reading((one, other) in texts()) {
            for format in FORMATS.iter() {
                let Some(last_words) = LastWords::new(format, Mode::Lenient) else { continue };
                let (Some((start, words)), Some((other_start, other_words))) =
                    (last_words.find(&one), last_words.find(&other)) else { continue };
                let Ok(reading) = read(&one, format, Mode::Lenient, false) else { continue };
                if words != other_words || !last_words.decide(&one, reading.rule, &reading.span) {
                    continue;
                }

                let got = read(&other, format, Mode::Lenient, false);

                let Ok(got) = got else { return Err(TestCaseError::fail(format!("{one:?} {other:?} {got:?}"))) };
                prop_assert_eq!((&reading.value, reading.rule), (&got.value, got.rule), "{:?} {:?}", one, other);
                prop_assert_eq!(reading.span.start - start, got.span.start - other_start, "{:?} {:?}", one, other);
                prop_assert_eq!(reading.span.len(), got.span.len(), "{:?} {:?}", one, other);
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn they_are_found_where_the_machine_has_wide_registers() {
        let is_wide = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");

        assert_eq!(is_wide, LastWords::new(&FORMATS[0], Mode::Lenient).is_some());
    }

    #[test]
    fn what_judges_end_with_decides() {
        for (id, replies) in [
            (
                "mt_bench.single",
                ["Clear. Rating: [[8]]", "It's \"good\" (8 of 10 facts).\n\nRating: [[8]].", "Fine!\n[[8]]\n"],
            ),
            (
                "arena_hard",
                [
                    "Both work. [[A>B]]",
                    "It says 'A' in _few_ words, 5 lines.\nMy verdict: [[B>>A]].",
                    "Fine!\n[[A=B]]\n",
                ],
            ),
            ("mt_bench.pair", ["Both work. [[A]]", "The **first** is 'shorter'. Verdict: [[B]]", "Fine!\n\n[[C]]\n"]),
            ("", ["Clear. Score: 8", "One of the best, isn't it?\n\nFinal score: 8.5.", "Good. I give it 8/10.\n"]),
        ] {
            let format = if id.is_empty() { score() } else { format::get(id).unwrap() };
            let Some(last_words) = new(&format) else { continue };
            for reply in replies {
                let reading = read(reply, &format, Mode::Lenient, false).unwrap();
                assert!(last_words.decide(reply, reading.rule, &reading.span), "{reply:?} {reading:?}");
                assert!(!last_words.decide(reply, reading.rule, &(0..reading.span.end)), "{reply:?}");
            }
        }
    }

    #[test]
    fn every_number_in_words_may_be_spelled() {
        for word in ["zero", "One", "two", "THREE", "four", "five", "sIx", "seven", "eight", "nine", "ten"] {
            for before in ["", " ", "\"", "'", "(", "["] {
                let text = format!("a score of {before}{word} ");
                assert!(spelled_behind(&text, "a score of ".len()).is_some(), "{text}");
                assert!(may_be_spelled(text.as_bytes(), "a score ".len()), "{text}");
            }
        }
        assert!(!may_be_spelled(b"the length of the answer", "the length ".len()));
    }

    #[test]
    fn nothing_is_taken_for_last_words_that_others_could_change() {
        let formats = &*FORMATS;
        let Some(last_words) = new(&formats[0]) else { return };
        for reply in [
            "8. It is good. Score: 8",
            "A score of eight. Score: 8",
            "Score: eight. Score: 8",
            "*Good*. Score: 8",
            "Score: 8",
            "Good Score: 8",
            "Good.Score: 8",
            "<b>. Score: 8",
            "été. Score: 8",
            "analysisIt is good. Score: 8",
            "",
        ] {
            assert_eq!(last_words.find(reply), None, "{reply:?}");
        }
    }

    #[test]
    fn last_words_are_of_whole_lenient_replies_whose_evidence_begins_with_a_sign() {
        let marked = |marker: &str| Arc::new(Format::score(1.0, 10.0, false, vec![marker.to_owned()]).unwrap());
        let named = |id: &str| format::get(id).unwrap();
        let with = |table: &str, entry: &str| {
            let toml = score().to_toml().unwrap().replace(table, &format!("{table}\n{entry}"));
            assert!(toml.contains(entry), "{toml}");
            Format::from_toml("with.toml", &toml, None).unwrap()
        };
        let with_stop = || {
            Arc::new(
                Format::choice(
                    [("A", "Good. A"), ("B", "B")]
                        .map(|(label, word)| (label.to_owned(), vec![word.to_owned()]))
                        .into(),
                )
                .unwrap(),
            )
        };
        for format in [
            named("llama_guard.3"),
            named("harmbench"),
            with("[formats.words]", "Fine = 8.0"),
            with("[formats.entries]", "feedback = \"Feedback:\""),
            marked("{\"score\": {}}"),
            marked("Verdict. [[{}]]"),
            marked("Mark {}"),
            with_stop(),
        ] {
            assert!(LastWords::new(&format, Mode::Lenient).is_none(), "{}", format.id());
        }
        assert!(LastWords::new(&named("mt_bench.single"), Mode::Strict).is_none());
    }

    #[test]
    fn last_words_that_are_no_lone_bracket_and_no_lone_number_decide_nothing() {
        let (bracket, pair) = (format::get("mt_bench.single").unwrap(), format::get("mt_bench.pair").unwrap());
        for (format, reply) in [
            (&bracket, "Good. \"So\" be it: [[8]]"),
            (&bracket, "Good. *Rating*: [[8]]"),
            (&bracket, "Good. Rating (final) [1]: [[8]]"),
            (&bracket, "Good. Not [[3]] but Rating: [[8]]"),
            (&pair, "Good. [[A]], so [[A]]"),
            (&score(), "Good. It is 'so' a Score: 8"),
            (&score(), "Good. Of 3 facts all are right, Score: 8"),
            (&score(), "Good. Final\nScore: 8"),
            (&score(), "Good. (Score: 8/10"),
            (&score(), "Good. Score = 8"),
        ] {
            let Some(last_words) = new(format) else { continue };
            let reading = read(reply, format, Mode::Lenient, false).unwrap();
            assert!(!last_words.decide(reply, reading.rule, &reading.span), "{reply:?} {reading:?}");
        }
    }
}
