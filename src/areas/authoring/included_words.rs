//! Words of reusable contents in texts. Tabs, steps, hints, columns, lists and quotes have no block that refers to a reusable
//! content, so its words stand there themselves.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use entity::ids::ReusableContentId;
use rich_text::{DocumentLimits, IdPathResolver, LinkResolver as _, ReferenceRole, check, expand_includes};

use super::page_links::{NamedTargets, included_content, with_included};

/// The most texts that include each other.
const MAX_LEVELS: usize = 4;

/// A text with the words of reusable contents.
#[derive(Debug, PartialEq, Eq)]
pub struct ExpandedText {
    pub markdown: String,
    /// The contents whose tags stay, so that readers do not see their words.
    pub unseen: BTreeSet<ReusableContentId>,
}

/// Puts the words of reusable contents in the places of their tags where no block refers to them. `load` returns the text of a
/// content.
pub fn expand(markdown: &str, load: &mut dyn FnMut(ReusableContentId) -> Option<String>) -> ExpandedText {
    let mut unseen = BTreeSet::new();
    let unchanged = |unseen| ExpandedText {
        markdown: markdown.to_owned(),
        unseen,
    };
    if !markdown.contains("/reusable-contents/") {
        return unchanged(unseen);
    }
    let mut words = Words {
        load,
        known: HashMap::new(),
    };
    let (mut room, mut all) = (
        DocumentLimits::MAX_BYTES.saturating_sub(markdown.len()),
        BTreeSet::new(),
    );
    let mut text = |target: &str| {
        let role = ReferenceRole::ReusableContent;
        let id = included_content(&IdPathResolver.parse_target(role, target), role)?;
        all.insert(id);
        // In these containers no condition would hold the words back.
        let text = words.of(id, &mut Vec::new()).filter(|text| !has_condition(text));
        let left = text.as_ref().and_then(|text| room.checked_sub(text.len()));
        match left {
            Some(left) => room = left,
            None => drop(unseen.insert(id)),
        }
        text.filter(|_| left.is_some())
    };
    let expanded = expand_includes(markdown, &DocumentLimits::default(), &mut text);
    match expanded {
        Ok(expanded) if expanded == markdown => unchanged(unseen),
        Ok(expanded) if check(&expanded, &DocumentLimits::of_new_texts()).is_ok() => ExpandedText {
            markdown: expanded,
            unseen,
        },
        _ => unchanged(all),
    }
}

struct Words<'l> {
    load: &'l mut dyn FnMut(ReusableContentId) -> Option<String>,
    known: HashMap<ReusableContentId, String>,
}

impl Words<'_> {
    /// Returns the words of a content with those that it includes itself.
    fn of(&mut self, id: ReusableContentId, above: &mut Vec<ReusableContentId>) -> Option<String> {
        if let Some(known) = self.known.get(&id) {
            return Some(known.clone());
        }
        if above.contains(&id) || above.len() >= MAX_LEVELS {
            return None;
        }
        let text = (self.load)(id)?;
        let mut named = NamedTargets::default();
        named.add(&text);
        above.push(id);
        let included: BTreeMap<_, _> = named
            .contents
            .into_iter()
            .filter_map(|inner| Some((inner, self.of(inner, above)?)))
            .collect();
        above.pop();
        let words = with_included(&text, included);
        self.known.insert(id, words.clone());
        Some(words)
    }
}

fn has_condition(markdown: &str) -> bool {
    markdown
        .split("{%")
        .skip(1)
        .any(|tag| tag.trim_start_matches([' ', '\t']).starts_with("if"))
}
