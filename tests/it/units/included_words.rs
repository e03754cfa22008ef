//! The words of reusable contents in place of their tags.

use std::collections::BTreeSet;

use bindery::areas::authoring::included_words::{ExpandedText, expand};
use entity::ids::ReusableContentId;
use rich_text::DocumentLimits;

fn id(number: u128) -> ReusableContentId {
    ReusableContentId::from_uuid(uuid::Uuid::from_u128(number))
}

fn tag(number: u128) -> String {
    format!("{{% include \"/reusable-contents/{}\" %}}", id(number))
}

/// Expands a text with contents that have these numbers, from 1.
fn expanded(markdown: &str, texts: &[&str]) -> ExpandedText {
    let all: Vec<ReusableContentId> = (1..).map(id).take(texts.len()).collect();
    let mut load = |id| all.iter().position(|it| *it == id).map(|at| texts[at].to_owned());
    expand(markdown, &mut load)
}

#[test]
fn contents_include_contents() {
    let text = format!("{}\n\n* {}\n", tag(1), tag(1));
    let outer = format!("Outer.\n\n{}", tag(2));
    let found = expanded(&text, &[&outer, "Inner."]);
    assert_eq!(found.markdown, format!("{}\n\n* Outer.\n\n  Inner.\n", tag(1)));
    assert!(found.unseen.is_empty());
}

#[test]
fn contents_that_include_themselves_end() {
    let outer = format!("Outer.\n\n{}", tag(2));
    let inner = format!("Inner.\n\n{}", tag(1));
    let found = expanded(&format!("* {}\n", tag(1)), &[&outer, &inner]);
    assert_eq!(found.markdown, format!("* Outer.\n\n  Inner.\n\n  {}\n", tag(1)));
}

#[test]
fn words_that_a_condition_holds_back_stay_unseen() {
    let text = format!("* {}\n* {}\n* {}\n", tag(1), tag(2), tag(3));
    let found = expanded(&text, &["{% if visitor.claims.a %}\nSecret.\n{% endif %}", "Open."]);
    assert_eq!(found.markdown, format!("* {}\n* Open.\n* {}\n", tag(1), tag(3)));
    assert_eq!(found.unseen, BTreeSet::from([id(1), id(3)]));
}

#[test]
fn words_have_a_bounded_length() {
    let text = format!("* {}\n", tag(1)).repeat(40);
    let found = expanded(&text, &["Mind the air. ".repeat(3000).as_str()]);
    assert!(found.markdown.len() <= DocumentLimits::MAX_BYTES);
    assert_eq!(found.unseen, BTreeSet::from([id(1)]));
}
