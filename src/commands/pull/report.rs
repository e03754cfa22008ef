//! What a pull did, in numbers, and what could not be copied, line by line.

use std::collections::BTreeMap;

use crate::commands::output::plain;

/// What an object of the source became.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Became {
    New,
    Changed,
    Unchanged,
    NotCopied,
}

#[derive(Debug, Default)]
pub struct Report {
    counts: BTreeMap<&'static str, Counts>,
    /// The kinds in the order of their first object.
    kinds: Vec<&'static str>,
    pub lines: Vec<String>,
    /// What the next pull tries again.
    pub losses: usize,
    /// The kinds whose lists could not be read whole.
    pub unread: Vec<&'static str>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    new: usize,
    changed: usize,
    unchanged: usize,
    not_copied: usize,
}

impl Report {
    pub fn count(&mut self, kind: &'static str, became: Became) {
        self.count_many(kind, became, 1);
    }

    pub fn count_many(&mut self, kind: &'static str, became: Became, number: usize) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        let counts = self.counts.entry(kind).or_default();
        *match became {
            Became::New => &mut counts.new,
            Became::Changed => &mut counts.changed,
            Became::Unchanged => &mut counts.unchanged,
            Became::NotCopied => &mut counts.not_copied,
        } += number;
    }

    /// Counts the new objects of a kind.
    pub fn new_ones(&self, kind: &str) -> usize {
        self.counts.get(kind).map_or(0, |counts| counts.new)
    }

    /// Adds a line about something that was not copied, or not as it is.
    pub fn note(&mut self, line: impl AsRef<str>) {
        self.lines.push(plain(line.as_ref()));
    }

    pub fn not_copied(&mut self, kind: &'static str, name: &str, why: impl std::fmt::Display) {
        self.count(kind, Became::NotCopied);
        self.note(format!("{} {name}: {why}", shown(kind)));
    }

    /// Adds an object of content that the next pull tries again.
    pub fn lost(&mut self, kind: &'static str, name: &str, why: impl std::fmt::Display) {
        self.losses += 1;
        self.not_copied(kind, name, why);
    }

    /// The number of objects that were written, and how many of them are new and changed.
    pub fn total(&self) -> String {
        let [new, changed] = self
            .counts
            .values()
            .fold([0, 0], |[new, changed], it| [new + it.new, changed + it.changed]);
        format!("{} ({new} new, {changed} changed)", new + changed)
    }

    pub fn table(&self) -> String {
        let mut text = format!(
            "{:<26}{:>10}{:>10}{:>11}{:>12}\n",
            "KIND", "NEW", "CHANGED", "UNCHANGED", "NOT COPIED"
        );
        for kind in &self.kinds {
            let counts = self.counts.get(kind).copied().unwrap_or_default();
            let kind = shown(kind);
            text += &format!(
                "{kind:<26}{:>10}{:>10}{:>11}{:>12}\n",
                counts.new, counts.changed, counts.unchanged, counts.not_copied
            );
        }
        text
    }
}

/// The name of a kind in the report. Some names in the database say too little for operators.
fn shown(kind: &'static str) -> &'static str {
    match kind {
        "changes" => "pages of change request",
        "comment of change" => "comment of change request",
        "content" => "content of space",
        "openapi" => "specification",
        "permission" => "access level",
        "publication" => "published site",
        "reply of change" => "reply of change request",
        kind => kind,
    }
}
