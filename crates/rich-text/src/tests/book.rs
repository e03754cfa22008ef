//! Whole pages: a sample with every kind of node, and a real book. `BINDERY_TEST_BOOK` names a directory of Markdown
//! files; without it no book is parsed.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use openapi::models::Document;

use super::{generated, parse_document, render, rewrite as rewrites};
use crate::{LinkChange, ReferenceRole, extract_links, rewrite_links};

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// Counts the occurrences of each word.
fn count(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

/// Removes the numbers of list items.
fn without_numbers(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let rest = line.trim_start();
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        if after.len() < rest.len() && after.starts_with(['.', ')']) {
            after
        } else {
            line
        }
    });
    lines.collect::<Vec<&str>>().join("\n")
}

/// Checks the round trip of a text, and that every link target in it can be rewritten.
fn check(name: &str, text: &str) -> (Document, String) {
    let document = parse_document(text);
    let again = render(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(parse_document(&again) == document, "{name} is not stable");
    let mut change = |target: &str, _: ReferenceRole| LinkChange::Replace(rewrites::other(target));
    let changed = rewrite_links(text, &mut change).expect("is parsed");
    assert_eq!(rewrites::targets(&changed), rewrites::others(text), "{name}");
    (document, again)
}

/// Checks also that the parser keeps every word.
fn check_words(name: &str, text: &str) {
    let (document, again) = check(name, text);
    for (what, has) in [("nodes", generated::plain_text_of(&document)), ("Markdown", again)] {
        let has = count(&has);
        for (word, times) in count(&without_numbers(text)) {
            let kept = has.get(word).copied().unwrap_or_default();
            assert!(kept >= times, "{name}: {word} {kept} of {times} times in the {what}");
        }
    }
}

#[test]
fn a_page_with_everything() {
    let (document, _) = check("everything.md", include_str!("samples/everything.md"));
    assert_eq!(extract_links(&document).len(), 23);
}

#[test]
fn every_file_of_a_book() {
    let Some(directory) = std::env::var_os("BINDERY_TEST_BOOK") else {
        println!("BINDERY_TEST_BOOK names no directory: no book is read");
        return;
    };
    let mut found = Vec::new();
    files(Path::new(&directory), &mut found);
    assert!(!found.is_empty());
    for path in &found {
        check_words(&path.display().to_string(), &fs::read_to_string(path).expect("text"));
    }
    println!("{} files", found.len());
}
