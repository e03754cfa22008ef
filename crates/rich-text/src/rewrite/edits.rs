//! Text edits.

use std::ops::Range;

use crate::syntax::prepare::PreparedSource;

pub struct TextEdits<'t> {
    text: &'t str,
    /// Offsets of the lines, if there are edits.
    line_offsets: Option<Vec<u32>>,
    edits: Vec<(Range<usize>, String)>,
}

impl<'t> TextEdits<'t> {
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            line_offsets: None,
            edits: Vec::new(),
        }
    }

    /// Returns the offset of a line.
    fn line_offset(&mut self, line: usize) -> Option<usize> {
        let offsets = self.line_offsets.get_or_insert_with(|| line_offsets(self.text));
        usize::try_from(*offsets.get(line)?).ok()
    }

    /// Returns the offset in the text of one in the prepared source.
    fn place(&mut self, source: &PreparedSource, at: usize) -> Option<usize> {
        let (line, column) = source.source_position(at)?;
        Some(self.line_offset(line)? + column)
    }

    /// Replaces a range of the prepared source.
    pub fn replace(&mut self, source: &PreparedSource, at: Range<usize>, with: impl Into<String>) {
        if let (Some(from), Some(to)) = (self.place(source, at.start), self.place(source, at.end)) {
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
        if let Some(begin) = self.place(source, start) {
            self.edits.push((begin + at.start..begin + at.end, with.into()));
        }
    }

    /// Returns a text with the prefix of a line of the prepared source before each line but the first.
    pub fn with_prefix_of(&mut self, source: &PreparedSource, start: usize, text: &str) -> String {
        let line = source
            .source_position(start)
            .and_then(|(line, _)| self.line_offset(line));
        let prefix = match (line, self.place(source, start)) {
            (Some(from), Some(to)) => self.text.get(from..to).unwrap_or_default(),
            _ => "",
        };
        continued(text, prefix)
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

/// Returns a text whose first line follows a prefix, with the prefix of its containers before each other line.
pub fn continued(text: &str, prefix: &str) -> String {
    // A list item goes on with blanks instead of its marker.
    let prefix: String = prefix
        .chars()
        .map(|c| if matches!(c, '>' | '\t') { c } else { ' ' })
        .collect();
    let mut lines = text.split('\n');
    let mut written = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let prefix = if line.is_empty() { prefix.trim_end() } else { &prefix };
        written.extend(["\n", prefix, line]);
    }
    written
}

fn line_offsets(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1));
    let mut offsets = Vec::with_capacity(text.matches(['\n', '\r']).count() + 1);
    offsets.extend(starts.map(|at| u32::try_from(at).unwrap_or(u32::MAX)));
    offsets
}
