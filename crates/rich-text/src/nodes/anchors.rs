//! Anchors: one for each heading and every other node that can be linked to.

use std::collections::{HashMap, HashSet};

use encoding_rs::GBK;

use super::{
    node::{AnchorSource, DocumentNode},
    transliteration::{latin, words_of_sign},
};

/// Sets the anchor of every node that has one, in document order. Keeps the anchors in use.
#[derive(Default)]
pub struct AnchorAssigner {
    taken: HashSet<String>,
    /// Next suffix for a slug that occurs more than once.
    next: HashMap<String, u32>,
}

/// Maximum length of a slug, which leaves room for a suffix.
const MAX_SLUG_LENGTH: usize = 100;

impl AnchorAssigner {
    pub fn assign(&mut self, node: &mut dyn DocumentNode) {
        let id = node.anchor().map(|source| match source {
            AnchorSource::Explicit(anchor) => {
                self.taken.insert(anchor.clone());
                anchor
            }
            AnchorSource::Derived(text) => self.derive_anchor(&text),
        });
        if let Some(id) = id {
            node.set_anchor(id);
        }
        // A heading in a cell is no heading of the page.
        if node.table().is_some() {
            return;
        }
        for child in node.children_mut() {
            self.assign(child);
        }
    }

    /// Derives an anchor from text; a slug in use gets a numeric suffix.
    fn derive_anchor(&mut self, text: &str) -> String {
        let base = slug(text);
        if self.taken.insert(base.clone()) {
            return base;
        }
        let next = self.next.entry(base.clone()).or_insert(1);
        loop {
            let numbered = format!("{base}-{next}");
            *next += 1;
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

/// Derives a slug from a heading as the public product does: in ASCII, `&` is "and", possessives lose their apostrophe, dots and
/// underscores stay, and a slug does not begin with a digit, because an id of HTML should not.
pub fn slug(text: &str) -> String {
    slug_of_words(&join_words(text).chars().flat_map(ascii_of).collect::<String>())
}

/// Returns the slug of a heading before letters of other scripts and signs were written as in the public product.
fn older_slug(text: &str) -> String {
    let signs = text.replace(|c| c != '&' && words_of_sign(c).is_some(), " ");
    slug_of_words(&join_words(&signs).chars().flat_map(older_ascii_of).collect::<String>())
}

fn slug_of_words(words: &str) -> String {
    let mut slug = String::new();
    if words.starts_with(|c: char| c.is_ascii_digit()) {
        slug.push_str("id-");
    }
    for c in words.chars() {
        if slug.len() == MAX_SLUG_LENGTH {
            break;
        }
        let c = if matches!(c, '.' | '_') { c } else { letter_or_dash(c) };
        if c != '-' || !(slug.is_empty() || slug.ends_with('-')) {
            slug.push(c);
        }
    }
    // Filters of advertisements hide elements with such an id.
    let words = slug.trim_end_matches('-').split('-');
    let words: Vec<&str> = words.map(|word| if word == "ad" { "a-d" } else { word }).collect();
    let slug = words.join("-");
    let has_words = slug.contains(|c: char| c.is_ascii_alphanumeric());
    if has_words { slug } else { "section".to_owned() }
}

/// Returns the ASCII characters that stand for a character: letters lose their marks, and a Han character is its syllable with a
/// blank after it. Symbols are blanks.
fn ascii_of(c: char) -> impl Iterator<Item = char> {
    let lower = c.to_lowercase().next().unwrap_or(c);
    let letters = latin(lower).map(str::chars);
    let others = letters.is_none().then(|| older_ascii_of(c));
    letters.into_iter().flatten().chain(others.into_iter().flatten())
}

fn older_ascii_of(c: char) -> impl Iterator<Item = char> {
    let letters = deunicode::deunicode_char(c).unwrap_or(" ");
    let stands_for_letters = c.is_alphanumeric() || letters.is_empty();
    let ascii = if stands_for_letters || c.is_ascii() {
        letters
    } else {
        " "
    };
    ascii.chars()
}

fn letter_or_dash(c: char) -> char {
    if c.is_ascii_alphanumeric() {
        c.to_ascii_lowercase()
    } else {
        '-'
    }
}

/// Returns the lower-case ASCII letters and digits that stand for a character, with `-` for all others.
pub fn slug_letters(c: char) -> impl Iterator<Item = char> {
    ascii_of(c).map(letter_or_dash)
}

/// Returns the letters and digits of an anchor, which older forms of it share: those with accents, without dots or without `id-`.
pub fn anchor_key(anchor: &str) -> String {
    let key: String = anchor.chars().flat_map(slug_letters).filter(|c| *c != '-').collect();
    match anchor.strip_prefix("id-") {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => key.chars().skip(2).collect(),
        _ => key,
    }
}

/// Returns the keys of older forms of the anchor of a heading. One is not cut, has nothing for signs, and nothing for Han characters
/// outside of GB 2312: those of traditional Chinese. The other has other letters for those of some scripts.
pub fn older_keys(heading: &str) -> [String; 2] {
    let known = heading
        .chars()
        .filter(|c| words_of_sign(*c).is_none() && !is_traditional(*c));
    let uncut = known.flat_map(slug_letters).filter(|c| *c != '-').collect();
    [uncut, anchor_key(&older_slug(heading))]
}

/// Returns whether a character is a Han character outside of GB 2312, the part of GBK with two high bytes.
fn is_traditional(c: char) -> bool {
    if !('\u{4e00}'..='\u{9fff}').contains(&c) {
        return false;
    }
    let mut buffer = [0; 4];
    let (bytes, ..) = GBK.encode(c.encode_utf8(&mut buffer));
    !matches!(*bytes, [0xb0..=0xf7, 0xa1..=0xfe])
}

/// Returns whether an anchor is that of a heading, or an older form of it.
pub fn is_anchor_of(heading: &str, anchor: &str) -> bool {
    let key = anchor_key(anchor);
    !key.is_empty() && key == anchor_key(&slug(heading))
}

/// Returns the text in lower case with words for signs such as `&`, and without the apostrophes of "isn't" and "Ann's".
fn join_words(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut rest = text.trim().chars().flat_map(char::to_lowercase).peekable();
    while let Some(c) = rest.next() {
        if let Some(sign) = words_of_sign(c) {
            words.extend([" ", sign, " "]);
            continue;
        }
        match c {
            '…' => words.push_str("..."),
            '\'' | '’' if words.ends_with(char::is_alphanumeric) => {
                let mut after = rest.clone();
                let is_ending =
                    matches!(after.next(), Some('s' | 't')) && after.next().is_none_or(|c| !c.is_alphanumeric());
                if !is_ending {
                    words.push(c);
                }
            }
            c => words.push(c),
        }
    }
    words
}
