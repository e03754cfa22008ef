//! Preprocessing of Markdown: lines with block tags and display math become placeholders.
//!
//! A placeholder is an HTML processing instruction, which ends every paragraph and list that it is not indented into.
//! So the tags become nodes of the syntax tree between the nodes that they enclose, and one parse per page is enough.

use std::borrow::Cow;

use comrak::nodes::LineColumn;

use super::block_tags::BlockTag;

pub struct PreparedSource {
    pub text: String,
    placeholders: Vec<Placeholder>,
    /// Prefix of all placeholders, which does not occur in the source.
    placeholder_prefix: String,
    /// Offsets of the lines.
    line_offsets: Vec<usize>,
    /// First source line of each line.
    source_lines: Vec<usize>,
    /// The text ends within display math or a code fence, to which the following text could belong.
    pub is_open: bool,
}

/// The source of a placeholder.
pub enum Placeholder {
    BlockTag(BlockTag),
    Formula(String),
}

impl PreparedSource {
    pub fn new(markdown: &str) -> Self {
        let markdown = &normalize_line_ends(markdown);
        let mut prepared = Self {
            text: String::with_capacity(markdown.len()),
            placeholders: Vec::new(),
            placeholder_prefix: unused_prefix(markdown),
            line_offsets: Vec::new(),
            source_lines: Vec::new(),
            is_open: false,
        };
        let lines: Vec<&str> = markdown.split_inclusive('\n').collect();
        let mut fence = None;
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            prepared.source_lines.push(at);
            let (prefix, content) = line.split_at(prefix_length(line));
            let bare = content.trim_end_matches('\n');
            let in_fence = Fence::track(&mut fence, prefix, bare);
            let formula = match is_math_delimiter(bare) && !in_fence {
                true => parse_display_math(prefix, lines.get(at + 1..).unwrap_or_default()),
                false => DisplayMath::Text,
            };
            prepared.is_open |= matches!(formula, DisplayMath::Unclosed);
            if let DisplayMath::Formula(formula, length) = formula {
                prepared.push_placeholder(prefix, Placeholder::Formula(formula));
                at += length + 1;
            } else if let Some(tag) = BlockTag::parse(bare) {
                prepared.push_placeholder(prefix, Placeholder::BlockTag(tag));
            } else {
                prepared.text.push_str(line);
            }
            at += 1;
        }
        prepared.source_lines.push(at);
        prepared.is_open |= fence.is_some();
        let ends = prepared.text.match_indices('\n').map(|(at, _)| at + 1);
        prepared.line_offsets = std::iter::once(0).chain(ends).collect();
        prepared
    }

    fn push_placeholder(&mut self, prefix: &str, placeholder: Placeholder) {
        let number = self.placeholders.len();
        self.placeholders.push(placeholder);
        self.text.push_str(prefix);
        self.text.push_str(&format!("{}{number}?>\n", self.placeholder_prefix));
    }

    pub fn line_count(&self) -> usize {
        self.line_offsets.len()
    }

    /// Returns a line and its offset, counted from 0.
    pub fn line(&self, number: usize) -> Option<(usize, &str)> {
        let from = *self.line_offsets.get(number)?;
        let to = self.line_offsets.get(number + 1).copied().unwrap_or(self.text.len());
        Some((from, self.text.get(from..to)?))
    }

    /// Returns the offset of a line and a column, both counted from 1.
    pub fn offset(&self, position: LineColumn) -> Option<usize> {
        let start = self.line_offsets.get(position.line.checked_sub(1)?)?;
        Some(start + position.column.checked_sub(1)?)
    }

    /// Returns the source line of an offset, counted from 0, and the offset within the line.
    pub fn source_position(&self, at: usize) -> Option<(usize, usize)> {
        let line = self.line_offsets.partition_point(|start| *start <= at).checked_sub(1)?;
        Some((*self.source_lines.get(line)?, at - self.line_offsets.get(line)?))
    }

    /// Returns the placeholder that an HTML block is, if any.
    pub fn placeholder(&self, html: &str) -> Option<&Placeholder> {
        let number = html.trim().strip_prefix(&self.placeholder_prefix)?.strip_suffix("?>")?;
        self.placeholders.get(number.parse::<usize>().ok()?)
    }

    /// Restores the source of placeholders, for text that only looks like tags, such as code.
    pub fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains(&self.placeholder_prefix) {
            return Cow::Borrowed(text);
        }
        let mut restored = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            self.restore_line(line, &mut restored);
        }
        Cow::Owned(restored)
    }

    fn restore_line(&self, line: &str, restored: &mut String) {
        let parts = line.split_once(&self.placeholder_prefix).and_then(|(indent, rest)| {
            let (number, rest) = rest.split_once("?>")?;
            let placeholder = self.placeholders.get(number.parse::<usize>().ok()?)?;
            Some((indent, placeholder, rest))
        });
        match parts {
            None => restored.push_str(line),
            Some((indent, Placeholder::BlockTag(tag), rest)) => {
                restored.extend([indent, &tag.raw, rest]);
            }
            Some((indent, Placeholder::Formula(formula), rest)) => {
                let original = format!("$$\n{formula}\n$$");
                let indented = original.replace('\n', &format!("\n{indent}"));
                restored.extend([indent, &indented, rest]);
            }
        }
    }
}

fn normalize_line_ends(text: &str) -> Cow<'_, str> {
    match text.contains('\r') {
        true => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
        false => Cow::Borrowed(text),
    }
}

/// Returns whether a line begins or ends display math.
fn is_math_delimiter(line: &str) -> bool {
    line.trim_end_matches([' ', '\t']) == "$$"
}

/// Returns a prefix longer than anything similar in the text.
fn unused_prefix(markdown: &str) -> String {
    let mut longest = 0;
    for (at, _) in markdown.match_indices("<?t") {
        let after = markdown.get(at + 2..).unwrap_or_default();
        longest = longest.max(after.bytes().take_while(|byte| *byte == b't').count());
    }
    format!("<?{}", "t".repeat(longest + 1))
}

/// Returns the length of the indentation and the markers of quotes, lists and footnotes at the beginning of a line.
pub fn prefix_length(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut at = 0;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        at += match rest {
            [b' ' | b'\t' | b'>', ..] => 1,
            [b'-' | b'*' | b'+', b' ' | b'\t', ..] => 2,
            [b'0'..=b'9', ..] => match item_number_length(rest) {
                0 => return at,
                length => length,
            },
            [b'[', b'^', ..] => match label_length(rest) {
                0 => return at,
                length => length,
            },
            _ => return at,
        };
    }
}

/// Returns the length of a footnote label: `[^1]:`
fn label_length(bytes: &[u8]) -> usize {
    let end = bytes
        .iter()
        .position(|byte| matches!(byte, b']' | b' ' | b'\t' | b'\n'));
    match end.and_then(|end| bytes.get(end..end + 2)) {
        Some(b"]:") => end.map_or(0, |end| end + 2),
        _ => 0,
    }
}

fn item_number_length(bytes: &[u8]) -> usize {
    let digits = bytes.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    match bytes.get(digits..) {
        Some([b'.' | b')', b' ' | b'\t', ..]) if digits < 10 => digits + 2,
        _ => 0,
    }
}

/// An open code fence.
struct Fence {
    marker: char,
    length: usize,
    in_quote: bool,
}

impl Fence {
    /// Tracks code fences; returns whether the line is part of one. The end of a list item can end a fence too; missing
    /// that only turns display math after it into text.
    fn track(open: &mut Option<Self>, prefix: &str, line: &str) -> bool {
        let in_quote = prefix.contains('>');
        let length = |marker: char| line.chars().take_while(|c| *c == marker).count();
        if open.as_ref().is_some_and(|fence| fence.in_quote && !in_quote) {
            *open = None;
        }
        if let Some(fence) = open {
            let marks = length(fence.marker);
            if marks >= fence.length && marks == line.chars().count() {
                *open = None;
            }
            return true;
        }
        let begun = ['`', '~'].into_iter().find(|marker| length(*marker) >= 3);
        let begun = begun.filter(|marker| *marker == '~' || !line.trim_start_matches('`').contains('`'));
        *open = begun.map(|marker| Self {
            marker,
            length: length(marker),
            in_quote,
        });
        open.is_some()
    }
}

/// The block that a line with `$$` begins.
enum DisplayMath {
    /// The formula up to its closing line, without prefixes, and the number of its lines.
    Formula(String, usize),
    Text,
    /// Text, because the closing line is missing.
    Unclosed,
}

/// The next line with `$$` decides, so that many of them take one pass.
fn parse_display_math(prefix: &str, lines: &[&str]) -> DisplayMath {
    let inner = continuation_prefix(prefix);
    let mut formula = Vec::new();
    for line in lines {
        let bare = line.trim_end_matches('\n');
        let content = match bare.strip_prefix(&inner) {
            Some(content) => content,
            None if bare.trim_end() == inner.trim_end() => "",
            None => return DisplayMath::Text,
        };
        if is_math_delimiter(content.trim_start_matches(' ')) {
            return DisplayMath::Formula(formula.join("\n"), formula.len());
        }
        if content.contains("$$") {
            return DisplayMath::Text;
        }
        formula.push(content);
    }
    DisplayMath::Unclosed
}

/// Returns the prefix of the following lines of the same block: list markers become spaces, a footnote label four
/// spaces.
fn continuation_prefix(prefix: &str) -> String {
    let spaced = |c: char| if matches!(c, '>' | '\t') { c } else { ' ' };
    match prefix
        .split_once("[^")
        .and_then(|(before, label)| Some((before, label.split_once("]:")?.1)))
    {
        Some((before, after)) => {
            let after = after.trim_start_matches([' ', '\t']);
            format!("{}    {}", continuation_prefix(before), continuation_prefix(after))
        }
        None => prefix.chars().map(spaced).collect(),
    }
}
