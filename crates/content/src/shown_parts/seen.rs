//! The parts that one visitor sees.

use std::{collections::HashSet, sync::Arc};

use entity::ids::PageId;
use uuid::Uuid;

use super::{Conditions, Group, ShownParts, index};
use crate::objects::Hash;

/// The parts that pages show, as one visitor sees them.
pub struct SeenParts {
    shown: Arc<ShownParts>,
    /// Of the conditions that were evaluated, those that hold.
    holding: Conditions,
    /// The reusable contents that the visitor sees.
    contents: HashSet<Uuid>,
}

impl SeenParts {
    /// `holding` are those that hold of the conditions on which it depends what the visitor sees of the wanted parts.
    pub fn of(shown: Arc<ShownParts>, holding: Conditions) -> Self {
        let mut seen = Self {
            shown,
            holding,
            contents: HashSet::new(),
        };
        seen.contents = seen.seen_contents();
        seen
    }

    /// The reusable contents that pages show, by themselves or through others.
    fn seen_contents(&self) -> HashSet<Uuid> {
        let all = self.shown.reusable.iter().map(|(id, _)| *id);
        let mut waiting: Vec<Uuid> = all.filter(|id| self.is_on_page(*id)).collect();
        let mut seen = HashSet::new();
        while let Some(id) = waiting.pop() {
            if seen.insert(id) {
                let held = self.shown.held.get(&id).into_iter().flatten();
                waiting.extend(held.filter(|(_, group)| self.sees(*group)).map(|(id, _)| *id));
            }
        }
        seen
    }

    pub fn has_text(&self, text: Hash) -> bool {
        self.is_seen(self.shown.texts.get(&text)) || self.shown.contents_with(text).any(|id| self.has_part(id))
    }

    /// Returns whether the visitor sees a file or a reusable content of the space, if there is one with this id.
    pub fn has_part(&self, id: Uuid) -> bool {
        !self.shown.is_conditional || self.is_on_page(id) || self.is_in_content(id)
    }

    /// Returns whether the visitor sees a placeholder for computed pages of the space, if there is one with this id.
    pub fn has_placeholder(&self, id: PageId) -> bool {
        let group = self.shown.placeholders.get(&id);
        !self.shown.is_conditional || group.is_some_and(|group| self.sees(*group))
    }

    /// Returns whether the visitor sees a block of a specification: where everybody sees all of the space, one in a reusable
    /// content.
    pub fn has_specification(&self, key: Uuid) -> bool {
        match self.shown.is_conditional {
            true => self.is_seen(self.shown.specifications.get(&key)) || self.is_in_content(key),
            false => self.shown.holders.contains_key(&key),
        }
    }

    /// These parts and the reusable contents that show them, also through others.
    pub fn with_holders(&self, ids: impl IntoIterator<Item = Uuid>) -> HashSet<Uuid> {
        self.shown.with_holders(ids, |group| self.sees(group)).0
    }

    /// The reusable contents that have a text, and those that show them, also through others.
    pub fn holders_of_text(&self, text: Hash) -> HashSet<Uuid> {
        self.with_holders(self.shown.contents_with(text))
    }

    /// Returns whether the visitor sees all files and reusable contents of the space.
    pub fn has_all_parts(&self) -> bool {
        !self.shown.is_conditional
    }

    fn is_on_page(&self, id: Uuid) -> bool {
        self.is_seen(self.shown.parts.get(&id))
    }

    fn is_in_content(&self, id: Uuid) -> bool {
        let mut holders = self.shown.holders.get(&id).into_iter().flatten();
        holders.any(|(holder, group)| self.contents.contains(holder) && self.sees(*group))
    }

    fn is_seen(&self, groups: Option<&Vec<Group>>) -> bool {
        groups.is_some_and(|groups| groups.iter().any(|group| self.sees(*group)))
    }

    fn sees(&self, group: Group) -> bool {
        let conditions = self.shown.groups.get(index(group));
        conditions.is_some_and(|conditions| conditions.hold(&self.holding))
    }
}
