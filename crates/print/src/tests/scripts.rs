use std::{collections::BTreeSet, path::PathBuf};

use serde_json::{Value, json};

use super::{convert, parse};
use crate::{
    direction::{Direction, set_directions},
    fonts::{Families, fonts},
};

/// The directions of the blocks of a text, in a book that goes from left to right.
fn directions(markdown: &str) -> Vec<(String, String)> {
    let mut nodes = json!(convert(&parse(markdown)));
    set_directions(&mut nodes, Direction::of_language("en"));
    let nodes = nodes.as_array().unwrap().iter();
    let named = |node: &Value, name: &str| node[name].as_str().unwrap_or_default().to_owned();
    nodes.map(|node| (named(node, "k"), named(node, "dir"))).collect()
}

#[test]
fn a_block_has_the_direction_of_its_first_letter() {
    let found = directions(
        "Left\n\n\u{5e9}\u{5dc}\u{5d5}\u{5dd} one\n\n* 1. \u{639}\u{646}\u{635}\u{631}\n\n123\n\n`x` \u{5e9}\n",
    );
    let kinds: Vec<(&str, &str)> = found.iter().map(|(kind, dir)| (kind.as_str(), dir.as_str())).collect();
    assert_eq!(kinds, [("p", ""), ("dir", "rtl"), ("dir", "rtl"), ("p", ""), ("p", "")]);
    let mut nodes = json!(convert(&parse("Left\n")));
    set_directions(&mut nodes, Direction::of_language("he"));
    assert_eq!(nodes[0]["dir"], "ltr");
}

#[test]
fn folders_are_searched_only_for_characters_that_the_program_lacks() {
    let families = Families::of("ja", None);
    assert!(families.text.contains(&"Noto Serif CJK JP".to_owned()), "{families:?}");
    let folders = [PathBuf::from("/usr/share/fonts"), PathBuf::from("/nowhere")];
    let count = |text: &str| {
        let characters: BTreeSet<char> = text.chars().collect();
        fonts(&folders, &families, &characters).book().families().count()
    };
    let of_program = fonts(&[], &families, &BTreeSet::new()).book().families().count();
    assert_eq!(count("Latin \u{3b1} \u{43f} \u{5e9} \u{200b}\u{fe0f}"), of_program);
    assert!(count("\u{6f22}\u{10ffff}") >= of_program);
}

#[test]
fn a_footnote_has_one_number() {
    let body = |markdown: &str| convert(&parse(markdown))[0]["body"].as_array().unwrap()[1]["body"].clone();
    assert_eq!(body("A word[^1].\n\n[^1]: The note.\n"), json!([]));
    assert_eq!(body("A [^1].\n\n[^1]: The note.\n").as_array().unwrap().len(), 1);
}
