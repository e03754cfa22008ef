//! Whole pages: a sample with every kind of node, and a real book. `BINDERY_TEST_BOOK` names a directory of Markdown
//! files; without it no book is parsed.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use openapi::models::Document;
use serde_json::Value;

use super::{generated, parse_document, render, rewrite as rewrites};
use crate::{LinkChange, ReferenceRole, extract_links, rewrite_links, syntax::html};

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

/// Returns what is wrong with a page: the round trip, the words, tags that readers see.
fn findings(text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let document = parse_document(text);
    let again = match render(&document) {
        Ok(again) => again,
        Err(error) => return vec![format!("not written: {error}")],
    };
    if parse_document(&again) != document {
        findings.push("not stable".to_owned());
    }
    let words = words_of(&without_numbers(
        &text
            .replace("&#x3C;", " ")
            .replace("&#x20;", " ")
            .replace("&#x27;", " ")
            .replace("&#x26;", " "),
    ));
    for (what, has) in [("nodes", generated::plain_text_of(&document)), ("Markdown", again)] {
        let has = count(&has);
        for (word, times) in count(&words) {
            let kept = has.get(word).copied().unwrap_or_default();
            // The address of a link between angle brackets is also its text.
            if kept < if what == "Markdown" { times.div_ceil(2) } else { times } {
                findings.push(format!("{word} {kept} of {times} times in the {what}"));
            }
        }
    }
    let mut visible = String::new();
    visible_text(&serde_json::to_value(&document).expect("JSON"), &mut visible);
    findings.extend(tags(&visible).map(|tag| format!("{tag:?} is visible")));
    findings
}

/// Returns a text without front matter, and with nothing but the values of attributes in place of tags.
fn words_of(text: &str) -> String {
    let body = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let mut rest = body.map_or(text, |(_, body)| body);
    let mut words = String::new();
    while let Some(at) = rest.find(['<', '{']) {
        let (before, tag) = rest.split_at(at);
        words.push_str(before);
        let end = match tag.strip_prefix("{%") {
            Some(inner) => inner.find("%}").map(|end| end + 4),
            None if tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') => {
                tag.find('>').map(|end| end + 1)
            }
            None => None,
        };
        let Some(end) = end else {
            words.push_str(&tag[..1]);
            rest = &tag[1..];
            continue;
        };
        for (number, value) in tag[..end].split('"').enumerate() {
            let is_class = value.starts_with("button ")
                || value.contains("(prefers-")
                || value.starts_with("fa-")
                || matches!(value, "button" | "#" | "true" | "false" | "cards" | "emoji")
                || value.parse::<f64>().is_ok();
            if number % 2 == 1 && !is_class {
                words.push(' ');
                words.push_str(value.trim_start_matches("language-").trim_start_matches("lang-"));
            }
        }
        words.push(' ');
        rest = &tag[end..];
    }
    words.push_str(rest);
    words
}

/// Appends the text that readers see, without code.
pub fn visible_text(value: &Value, found: &mut String) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| visible_text(item, found)),
        Value::Object(members) => {
            if value["type"] == "code" {
                return;
            }
            let is_code = |mark: &Value| mark["type"] == "code";
            if let Some(text) = members.get("text").and_then(Value::as_str) {
                let marks = members.get("marks").and_then(Value::as_array);
                if !marks.is_some_and(|marks| marks.iter().any(is_code)) {
                    found.push_str(text);
                }
            }
            for name in ["label", "title"] {
                found.push_str(members.get(name).and_then(Value::as_str).unwrap_or_default());
            }
            members.values().for_each(|value| visible_text(value, found));
            found.push(if value["object"] == "block" { '\n' } else { ' ' });
        }
        _ => {}
    }
}

/// Returns everything that looks like a tag of a block or of an HTML element.
pub fn tags(visible: &str) -> impl Iterator<Item = &str> {
    let starts = visible
        .match_indices(['<', '{'])
        .map(|(at, _)| visible.get(at..).unwrap_or_default());
    starts.filter_map(|rest| {
        let name = rest.strip_prefix('<').map(|name| name.trim_start_matches('/'));
        let is_element = name.is_some_and(|name| {
            let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
            html::is_element(&name[..end]) && name[end..].starts_with([' ', '>', '/'])
        });
        (is_element || rest.starts_with("{%")).then(|| rest.get(..40.min(rest.len())).unwrap_or("<"))
    })
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

#[test]
fn a_page_with_everything() {
    let (document, _) = check("everything.md", include_str!("samples/everything.md"));
    assert_eq!(extract_links(&document).len(), 21);
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
    let mut wrong = 0;
    for path in &found {
        let text = fs::read_to_string(path).expect("text");
        let findings = findings(&text);
        wrong += usize::from(!findings.is_empty());
        for finding in findings {
            println!("{}: {finding}", path.display());
        }
    }
    println!("{wrong} of {} files", found.len());
    assert_eq!(wrong, 0);
}
