//! What is found in one part of both documents, and to which other parts it refers.

use super::{
    ChangeKind, MAX_DETAILS, Rule,
    effects::{Effect, Impact, Impacts, Uses},
    node::Place,
};

/// Bytes of all texts and pointers that are kept.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// Bytes of one pointer.
pub const MAX_POINTER_BYTES: usize = 2 * 1024;

/// The bytes that may still be kept for what is listed.
#[derive(Debug)]
pub struct TextBudget(usize);

impl TextBudget {
    /// Returns whether there is room for so much more.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        left.inspect(|left| self.0 = *left).is_some()
    }
}

impl Default for TextBudget {
    fn default() -> Self {
        Self(MAX_TEXT_BYTES)
    }
}

#[derive(Debug, Default)]
pub struct Frame<'d> {
    /// Those of all details, listed or not.
    pub impacts: Impacts,
    pub count: usize,
    /// Those that may break something; others are kept apart, so that they do not take their room.
    pub details: Vec<FoundDetail>,
    pub harmless: Vec<FoundDetail>,
    pub edges: Vec<Edge<'d>>,
}

#[derive(Debug)]
pub struct FoundDetail {
    pub rule: Rule,
    pub kind: ChangeKind,
    pub pointer: String,
    pub message: String,
    pub impacts: Impacts,
}

/// A reference to a part that is compared once for all who refer to it.
#[derive(Debug)]
pub struct Edge<'d> {
    pub unit: usize,
    pub uses: Uses,
    pub place: Place<'d>,
}

/// What is found.
pub struct Finding<'p, 'd> {
    pub rule: Rule,
    pub kind: ChangeKind,
    pub effect: Effect,
    /// In the document after the change; of what was removed, in the one before.
    pub place: &'p Place<'d>,
    pub uses: Uses,
}

impl<'d> Frame<'d> {
    pub fn tell(&mut self, text: &mut TextBudget, finding: &Finding<'_, 'd>, message: impl FnOnce() -> String) {
        let impacts = Impacts::of(finding.effect, finding.uses);
        self.impacts = self.impacts.and(impacts);
        self.count += 1;
        let list = match impacts.requests.max(impacts.responses) {
            Impact::Compatible => &mut self.harmless,
            Impact::Unknown | Impact::Breaking => &mut self.details,
        };
        if list.len() >= MAX_DETAILS || finding.place.length() > MAX_POINTER_BYTES {
            return;
        }
        let (pointer, message) = (finding.place.pointer(), message());
        if !text.take(pointer.len() + message.len()) {
            return;
        }
        list.push(FoundDetail {
            rule: finding.rule,
            kind: finding.kind,
            pointer,
            message,
            impacts,
        });
    }

    /// Takes over what was found apart.
    pub fn absorb(&mut self, other: Self) {
        self.impacts = self.impacts.and(other.impacts);
        self.count += other.count;
        self.edges.extend(other.edges);
        for (list, more) in [(&mut self.details, other.details), (&mut self.harmless, other.harmless)] {
            let room = MAX_DETAILS.saturating_sub(list.len());
            list.extend(more.into_iter().take(room));
        }
    }
}

/// A name or value for a message.
pub fn shown(text: &str) -> String {
    const MAX: usize = 60;
    match text.char_indices().nth(MAX) {
        Some((end, _)) => format!("`{}…`", text.get(..end).unwrap_or_default()),
        None => format!("`{text}`"),
    }
}
