//! Anchors: one for each heading and every other node that can be linked to.

use std::collections::{HashMap, HashSet};

use super::node::{AnchorSource, DocumentNode};

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

fn slug(text: &str) -> String {
    let mut slug = String::new();
    let mut length = 0;
    for c in text.chars().flat_map(char::to_lowercase) {
        if length == MAX_SLUG_LENGTH {
            break;
        }
        let c = if c.is_alphanumeric() { c } else { '-' };
        if c != '-' || (length > 0 && !slug.ends_with('-')) {
            slug.push(c);
            length += 1;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "section" } else { slug }.to_owned()
}
