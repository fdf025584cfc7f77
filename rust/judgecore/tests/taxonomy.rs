//! The build stops on a crosswalk that says what can't be.

#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use std::fs;
use std::path::Path;

use lexicon::names;
use taxonomy::{Categories, categories, family};

#[path = "../build/lexicon.rs"]
#[expect(dead_code, reason = "the build writes the lexicon, and this test needs a list of files")]
mod lexicon;
#[path = "../build/taxonomy.rs"]
#[expect(dead_code, reason = "the build writes the table, and the tests only check files")]
mod taxonomy;

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// What the build says of a crosswalk of a guard with the categories S1 and S2.
fn complaint(crosswalk: &str) -> String {
    let text = fs::read_to_string(folder("taxonomy").join("hazards.toml")).unwrap();
    let axis = taxonomy::axis(&text).unwrap();
    let codes = ["S1", "S2"].map(|code| (code.to_owned(), "Name".to_owned()));
    let known: Categories = [("a_guard".to_owned(), codes.into_iter().collect())].into_iter().collect();
    let text =
        format!("[[crosswalks]]\nformats = [\"a_guard\"]\nsources = [\"card\"]\n[crosswalks.categories]\n{crosswalk}");
    family("a_guard", &text, &axis, &known).err().unwrap_or_default()
}

#[test]
fn a_whole_crosswalk_is_taken() {
    assert_eq!(complaint("S1 = { same = [\"Hate\"] }\nS2 = { no_counterpart = \"rude words\" }"), "");
}

#[test]
fn the_build_names_an_unknown_hazard() {
    let said = complaint("S1 = { part_of = [\"Hatred\"] }\nS2 = { same = [\"Hate\"] }");

    assert!(said.contains("taxonomy/a_guard.toml: a_guard: \"S1\": no hazard \"Hatred\""), "{said}");
}

#[test]
fn the_build_names_a_category_that_is_not_mapped() {
    let said = complaint("S1 = { same = [\"Hate\"] }");

    assert!(said.contains("the category \"S2\" of a_guard is not mapped"), "{said}");
}

#[test]
fn the_build_names_a_mapping_of_a_category_that_does_not_exist() {
    let said = complaint("S1 = { same = [\"Hate\"] }\nS2 = { same = [\"Privacy\"] }\nS3 = { same = [\"Hate\"] }");

    assert!(said.contains("no category \"S3\" in the format's file"), "{said}");
}

#[test]
fn the_build_names_a_category_that_is_and_is_not_on_the_axis() {
    let both = complaint("S1 = { same = [\"Hate\"], no_counterpart = \"why\" }\nS2 = { same = [\"Hate\"] }");
    let neither = complaint("S1 = {}\nS2 = { same = [\"Hate\"] }");

    assert!(both.contains("\"S1\": say same, part_of or wider_than"), "{both}");
    assert!(neither.contains("\"S1\": say same, part_of or wider_than"), "{neither}");
}

#[test]
fn a_format_has_the_categories_of_the_one_that_it_is_like() {
    let known = categories(&folder("formats")).unwrap();

    assert_eq!(known.get("llama_guard.3_11b_vision"), known.get("llama_guard.3_1b"));
    assert!(!known.contains_key("shield_gemma"));
}
