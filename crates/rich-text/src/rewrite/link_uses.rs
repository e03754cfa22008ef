//! Link definitions and the references to them, which may be in different pieces of a text.

use std::collections::BTreeMap;

use super::{LinkChange, LinkRewriter, escape_destination};
use crate::resolver::ReferenceRole;

/// The references of a text to link definitions, by their target.
#[derive(Default)]
pub struct LinkUses(BTreeMap<String, LinkUse>);

#[derive(Clone, Copy, Default)]
struct LinkUse {
    is_defined: bool,
    has_links: bool,
    has_images: bool,
    /// A reference was not found in the source, so that it cannot be removed.
    has_unfound: bool,
}

impl LinkUse {
    /// Returns the role of the target. `None`: it has no definition, or no reference.
    fn role(self) -> Option<ReferenceRole> {
        match self {
            Self { is_defined: false, .. } => None,
            Self { has_links: true, .. } => Some(ReferenceRole::Link),
            Self { has_images: true, .. } => Some(ReferenceRole::Media),
            _ => None,
        }
    }
}

impl LinkUses {
    /// Adds the definitions and the references of a piece.
    pub fn add(&mut self, rewriter: &LinkRewriter<'_, '_>) {
        for definition in rewriter.definitions.all() {
            self.of(&definition.target).is_defined = true;
        }
        for reference in &rewriter.references {
            let found = self.of(&reference.target);
            found.has_links |= reference.role == ReferenceRole::Link;
            found.has_images |= reference.role != ReferenceRole::Link;
            found.has_unfound |= reference.delimiters.is_none();
        }
    }

    fn of(&mut self, target: &str) -> &mut LinkUse {
        self.0.entry(target.to_owned()).or_default()
    }

    fn get(&self, target: &str) -> Option<(ReferenceRole, LinkUse)> {
        let found = *self.0.get(target)?;
        Some((found.role()?, found))
    }
}

impl LinkRewriter<'_, '_> {
    /// Changes the link definitions of a piece of this length, and the reference links that use definitions.
    pub(super) fn rewrite_definitions(&mut self, uses: &LinkUses, length: usize) {
        for reference in std::mem::take(&mut self.references) {
            if let Some((role, used)) = uses.get(&reference.target)
                && !used.has_unfound
                && let Some((before, after)) = reference.delimiters
                && self.change_of(&reference.target, role) == LinkChange::Unlink
            {
                self.unlink(before, after);
            }
        }
        let definitions = std::mem::take(&mut self.definitions);
        for definition in definitions.all() {
            // Definitions of other pieces are below.
            let is_within = self
                .source
                .source_offset(definition.at.start)
                .is_some_and(|at| at < length);
            let Some((role, used)) = uses.get(&definition.target).filter(|_| is_within) else {
                continue;
            };
            match self.change_of(&definition.target, role) {
                LinkChange::Replace(new) | LinkChange::ReplaceNamed { target: new, .. } => {
                    self.edits
                        .replace(self.source, definition.target_at.clone(), escape_destination(&new));
                }
                LinkChange::Unlink if !used.has_unfound => {
                    self.edits.replace(self.source, definition.at.clone(), "");
                }
                LinkChange::Unlink | LinkChange::Keep | LinkChange::ReplaceTag(_) => {}
            }
        }
    }
}
