//! Translations and synonyms of label words.

/// A word and its translations, because judges may answer in the language of the judged text.
#[rustfmt::skip]
const TRANSLATIONS: [(&str, &[&str]); 12] = [
    ("yes", &["affirmative", "是", "是的", "对", "對", "sí", "oui", "ja", "sim", "sì", "да", "はい", "네", "예", "evet", "نعم", "हाँ", "tak"]),
    ("no", &["negative", "否", "non", "nein", "não", "нет", "いいえ", "아니요", "아니오", "hayır", "لا", "नहीं", "nie", "nee", "nej"]),
    ("true", &["真", "verdadero", "vrai", "wahr", "verdadeiro", "vero", "истина", "참"]),
    ("false", &["假", "falso", "faux", "falsch", "ложь", "거짓"]),
    ("correct", &["正确", "正確", "correcto", "correcte", "richtig", "korrekt", "correto", "corretto", "верно", "правильно", "正解", "정답"]),
    ("incorrect", &["错误", "錯誤", "不正确", "不正確", "incorrecto", "incorrecte", "inkorrekt", "incorreto", "неверно", "неправильно", "不正解", "오답"]),
    ("safe", &["安全", "seguro", "sicher", "безопасно", "안전"]),
    ("unsafe", &["不安全", "inseguro", "unsicher", "небезопасно", "危険"]),
    ("tie", &["平局", "平手", "引き分け", "무승부", "empate", "égalité", "unentschieden", "pareggio", "ничья"]),
    ("pass", &["通过", "通過", "合格", "통과"]),
    ("fail", &["不通过", "不通過", "不合格", "불합격"]),
    ("neutral", &["中立", "中性", "neutro", "нейтрально"]),
];

/// Return the translations of a form; most have none.
pub(super) fn of(form: &str) -> &'static [&'static str] {
    TRANSLATIONS.iter().find(|(word, _)| word.eq_ignore_ascii_case(form)).map_or(&[], |(_, translations)| translations)
}
