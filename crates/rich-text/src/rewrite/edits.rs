//! Replacements in a text.

use std::ops::Range;

use crate::syntax::prepare::Prepared;

pub struct Edits<'t> {
    text: &'t str,
    /// Where the lines of the text begin.
    starts: Vec<usize>,
    all: Vec<(Range<usize>, String)>,
}

impl<'t> Edits<'t> {
    pub fn new(text: &'t str) -> Self {
        let mut starts = vec![0];
        let mut bytes = text.bytes().enumerate().peekable();
        while let Some((at, byte)) = bytes.next() {
            let ends = byte == b'\n' || (byte == b'\r' && bytes.peek().is_none_or(|(_, next)| *next != b'\n'));
            if ends {
                starts.push(at + 1);
            }
        }
        Self {
            text,
            starts,
            all: Vec::new(),
        }
    }

    /// Replaces what stands at these places of the prepared text.
    pub fn replace(&mut self, source: &Prepared, at: Range<usize>, with: impl Into<String>) {
        let place = |at: usize| {
            let (line, column) = source.origin(at)?;
            Some(self.starts.get(line)? + column)
        };
        if let (Some(from), Some(to)) = (place(at.start), place(at.end)) {
            self.all.push((from..to, with.into()));
        }
    }

    /// The same, where the first place is that of a line which was replaced by a stand-in.
    pub fn replace_after(&mut self, source: &Prepared, start: usize, at: Range<usize>, with: impl Into<String>) {
        if let Some((line, column)) = source.origin(start)
            && let Some(begin) = self.starts.get(line).map(|begin| begin + column)
        {
            self.all.push((begin + at.start..begin + at.end, with.into()));
        }
    }

    /// The text with all replacements; of two at the same place the first one counts.
    pub fn apply(mut self) -> String {
        self.all.sort_by_key(|(at, _)| (at.start, at.end));
        let mut changed = String::with_capacity(self.text.len());
        let mut done = 0;
        for (at, with) in self.all {
            let between = (at.start >= done && at.start <= at.end)
                .then(|| self.text.get(done..at.start))
                .flatten();
            if let (Some(between), Some(_)) = (between, self.text.get(at.start..at.end)) {
                changed.extend([between, &with]);
                done = at.end;
            }
        }
        changed.push_str(self.text.get(done..).unwrap_or_default());
        changed
    }
}
