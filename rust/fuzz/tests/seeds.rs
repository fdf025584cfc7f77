//! Replays the seeds without a fuzzer.

use std::io;

use judgecore_fuzz::read::Input;
use judgecore_fuzz::{json, json_agreement, seed, table};

#[test]
fn every_seed_reads_within_the_domain_of_every_format() -> io::Result<()> {
    let seeds = seed::all("read")?;

    assert!(!seeds.is_empty());
    for (name, reply) in &seeds {
        println!("{name}");
        Input::every(reply).for_each(|input| input.check());
    }
    Ok(())
}

#[test]
fn every_seed_gives_a_document_inside_the_reply() -> io::Result<()> {
    let seeds = seed::all("json")?;

    assert!(!seeds.is_empty());
    for (name, reply) in &seeds {
        println!("{name}");
        json::Input::every(reply).for_each(|input| input.check());
    }
    Ok(())
}

#[test]
fn every_seed_is_read_alike_by_all_readers() -> io::Result<()> {
    let seeds = seed::all("json_agreement")?;

    assert!(!seeds.is_empty());
    for (name, text) in &seeds {
        println!("{name}");
        json_agreement::check(text.as_bytes());
    }
    Ok(())
}

#[test]
fn every_seed_is_covered_by_its_records_wherever_it_is_damaged() -> io::Result<()> {
    let seeds = seed::all("table")?;

    assert!(!seeds.is_empty());
    for (name, text) in &seeds {
        println!("{name}");
        table::Input::every(text.as_bytes()).for_each(|input| input.check());
        for at in 0..text.len() {
            for damage in [b"\"".as_slice(), b"\"\"", b"\r", b"\n", b",", b"\0", b"\xff", b"{", b"\\"] {
                let bytes = [&text.as_bytes()[..at], damage, &text.as_bytes()[at..]].concat();
                table::Input::every(&bytes).take(8).for_each(|input| input.check());
            }
            table::Input::every(&text.as_bytes()[..at]).take(8).for_each(|input| input.check());
        }
    }
    Ok(())
}

#[test]
fn a_reply_and_its_knobs_survive_their_bytes() {
    for input in json::Input::every("{'score': ８}") {
        let bytes = input.encode();

        assert_eq!(json::Input::decode(&bytes).map(|decoded| decoded.encode()), Some(bytes));
    }
}

#[test]
fn an_input_survives_its_bytes() {
    let inputs: Vec<Input> = Input::every("Rating: [[８]]").collect();

    for input in inputs {
        let bytes = input.encode();

        assert_eq!(Input::decode(&bytes).map(|decoded| decoded.encode()), Some(bytes));
    }
}

#[test]
fn bytes_that_are_not_text_end_the_reply() {
    let decoded = Input::decode(b"\x00\x01Yes\xff\xfe").map(|input| input.encode());

    assert_eq!(decoded.as_deref(), Some(b"\x00\x01Yes".as_slice()));
}
