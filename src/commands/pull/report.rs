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

    /// Adds a line about something that was not copied, or not as it is.
    pub fn note(&mut self, line: impl AsRef<str>) {
        self.lines.push(plain(line.as_ref()));
    }

    pub fn not_copied(&mut self, kind: &'static str, name: &str, why: impl std::fmt::Display) {
        self.count(kind, Became::NotCopied);
        self.note(format!("{kind} {name}: {why}"));
    }

    /// Adds an object of content that the next pull tries again.
    pub fn lost(&mut self, kind: &'static str, name: &str, why: impl std::fmt::Display) {
        self.losses += 1;
        self.not_copied(kind, name, why);
    }

    /// The objects that were written.
    pub fn written(&self) -> usize {
        self.counts.values().map(|counts| counts.new + counts.changed).sum()
    }

    pub fn table(&self) -> String {
        let mut text = format!(
            "{:<20}{:>10}{:>10}{:>11}{:>12}\n",
            "KIND", "NEW", "CHANGED", "UNCHANGED", "NOT COPIED"
        );
        for kind in &self.kinds {
            let counts = self.counts.get(kind).copied().unwrap_or_default();
            text += &format!(
                "{kind:<20}{:>10}{:>10}{:>11}{:>12}\n",
                counts.new, counts.changed, counts.unchanged, counts.not_copied
            );
        }
        text
    }
}
