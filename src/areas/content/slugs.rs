//! Slugs derived from titles.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use content::{
    objects::Missing,
    pages::{MAX_SLUG, Pages},
};
use entity::ids::PageId;
use platform::db::fold;
use rich_text::{slug_letters, words_of_sign};
use unicode_normalization::UnicodeNormalization;

/// The slug of titles without letters and digits.
const DEFAULT_SLUG: &str = "page";

/// A slug derived from a title that no sibling has.
pub fn unique_slug(pages: &Pages<'_>, parent: Option<PageId>, title: &str, of: PageId) -> Result<String, Missing> {
    let made = slug_of(title);
    match pages.page_at(parent, &made)? {
        Some(other) if other.id != of => Ok(pages.free_slug(parent, &made, 2)?.0),
        _ => Ok(made),
    }
}

/// A slug derived from a title. A sibling may have the same slug.
pub fn slug_of(title: &str) -> String {
    let mut made = String::new();
    let mut rest = title.chars().peekable();
    while let Some(c) = rest.next() {
        if let Some(words) = words_of_sign(c) {
            made.extend(["-", words, "-"]);
            continue;
        }
        match c {
            '\'' | '’' if is_ending(&made, rest.clone()) => {}
            c if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+') => made.push(c.to_ascii_lowercase()),
            c => made.extend(slug_letters(c)),
        }
    }
    let words: Vec<&str> = made.split(['-', ' ']).filter(|word| !word.is_empty()).collect();
    let made = words.join("-");
    let made = made.get(..MAX_SLUG).unwrap_or(&made).trim_end_matches('-');
    let has_words = made.contains(|c: char| c.is_ascii_alphanumeric());
    if has_words { made } else { DEFAULT_SLUG }.to_owned()
}

/// The slug, or one derived from it as from a title if no path leads to it: a slash parts a path, and addresses drop dots.
pub fn reachable(slug: &str) -> Cow<'_, str> {
    match slug.contains('/') || matches!(slug, "." | "..") {
        true => Cow::Owned(slug_of(slug)),
        false => Cow::Borrowed(slug),
    }
}

/// A slug, or the path of a file, in the form in which those beside each other differ: without case and composition of characters.
pub fn folded(name: &str) -> String {
    fold(name).nfc().collect()
}

/// The slugs of siblings that have no other siblings.
#[derive(Default)]
pub struct SlugsInUse {
    slugs: HashSet<String>,
    /// The number that the next slug ends with, by the slug without a number.
    next: HashMap<String, usize>,
}

impl SlugsInUse {
    /// Takes a slug derived from a title that no sibling has.
    pub fn take(&mut self, title: &str) -> String {
        let base = slug_of(title);
        let mut slug = base.clone();
        while !self.slugs.insert(slug.clone()) {
            let number = self.next.entry(base.clone()).or_insert(2);
            let ending = format!("-{number}");
            *number += 1;
            let kept = MAX_SLUG.saturating_sub(ending.len());
            slug = base.chars().take(kept).chain(ending.chars()).collect();
        }
        slug
    }
}

/// Returns whether an apostrophe stands before the end of a word such as "isn't" or "Ann's".
fn is_ending(before: &str, mut after: impl Iterator<Item = char>) -> bool {
    let is_word = |c: char| c.is_alphanumeric();
    before.ends_with(is_word) && matches!(after.next(), Some('s' | 't')) && !after.next().is_some_and(is_word)
}
