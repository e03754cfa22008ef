//! Text edits.

use std::ops::Range;

use crate::syntax::prepare::PreparedSource;

pub struct TextEdits<'t> {
    text: &'t str,
    /// Offsets of the lines.
    line_offsets: Vec<usize>,
    edits: Vec<(Range<usize>, String)>,
}

impl<'t> TextEdits<'t> {
    pub fn new(text: &'t str) -> Self {
        let mut line_offsets = vec![0];
        let mut bytes = text.bytes().enumerate().peekable();
        while let Some((at, byte)) = bytes.next() {
            let ends = byte == b'\n' || (byte == b'\r' && bytes.peek().is_none_or(|(_, next)| *next != b'\n'));
            if ends {
                line_offsets.push(at + 1);
            }
        }
        Self {
            text,
            line_offsets,
            edits: Vec::new(),
        }
    }

    /// Replaces a range of the prepared source.
    pub fn replace(&mut self, source: &PreparedSource, at: Range<usize>, with: impl Into<String>) {
        let place = |at: usize| {
            let (line, column) = source.source_position(at)?;
            Some(self.line_offsets.get(line)? + column)
        };
        if let (Some(from), Some(to)) = (place(at.start), place(at.end)) {
            self.edits.push((from..to, with.into()));
        }
    }

    /// Replaces a range relative to the beginning of a line that is a placeholder in the prepared source.
    pub fn replace_in_placeholder(
        &mut self,
        source: &PreparedSource,
        start: usize,
        at: Range<usize>,
        with: impl Into<String>,
    ) {
        if let Some((line, column)) = source.source_position(start)
            && let Some(begin) = self.line_offsets.get(line).map(|begin| begin + column)
        {
            self.edits.push((begin + at.start..begin + at.end, with.into()));
        }
    }

    /// Returns the edited text. Of overlapping edits the first one counts.
    pub fn apply(mut self) -> String {
        self.edits.sort_by_key(|(at, _)| (at.start, at.end));
        let mut changed = String::with_capacity(self.text.len());
        let mut done = 0;
        for (at, with) in self.edits {
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
