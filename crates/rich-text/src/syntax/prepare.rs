//! Preprocessing of Markdown: lines with block tags and display math become placeholders.
//!
//! A placeholder is an HTML processing instruction, which ends every paragraph and list that it is not indented into.
//! So the tags become nodes of the syntax tree between the nodes that they enclose, and one parse per page is enough.

use std::borrow::Cow;

use comrak::nodes::LineColumn;

use super::{
    bare_addresses,
    block_tags::{self, BlockTag},
    entities,
    line_context::{LineContext, item_number_length},
};

/// The most tags at the beginning of a line that become lines of their own.
const MAX_SPLITS: usize = 8;

pub struct PreparedSource {
    pub text: String,
    placeholders: Vec<Placeholder>,
    /// Prefixes of the placeholders of blocks and of inlines, which do not occur in the source.
    block_prefix: String,
    inline_prefix: String,
    /// Offsets of the lines.
    line_offsets: Vec<u32>,
    /// Offsets in the text and in the source from which on both have the same bytes.
    segments: Vec<(usize, usize)>,
    /// Offsets of the lines of the source.
    source_lines: Vec<u32>,
    /// The text ends within display math or a code fence, to which the following text could belong.
    pub is_open: bool,
    /// The most lines of one block that takes its lines as they are.
    pub longest_literal: usize,
}

/// The source of a placeholder.
pub enum Placeholder {
    /// A tag on a line of its own, with trailing space. A parsed one takes many times the memory.
    BlockTag(Box<str>),
    Formula(Box<str>),
    /// A tag within a line, or nothing at the end of an address.
    InlineTag(Box<str>),
}

impl PreparedSource {
    pub fn new(markdown: &str) -> Self {
        let markdown = &normalize_line_ends(markdown);
        let (block_prefix, inline_prefix) = unused_prefixes(markdown);
        let mut prepared = Self {
            text: String::with_capacity(markdown.len()),
            placeholders: Vec::new(),
            block_prefix,
            inline_prefix,
            line_offsets: Vec::new(),
            segments: Vec::new(),
            source_lines: line_offsets(markdown),
            is_open: false,
            longest_literal: 0,
        };
        let mut context = LineContext::default();
        let (mut at, mut literal_lines) = (0, None);
        while let Some(line) = markdown.get(at..).and_then(|rest| rest.split_inclusive('\n').next()) {
            let (prefix, content) = line.split_at(prefix_length(line));
            let bare = content.trim_end_matches('\n');
            context.enter(line, prefix, bare);
            context.splits = 0;
            let after = at + line.len();
            let formula = match is_math_delimiter(bare) && !context.in_fence && !context.ends_with_placeholder() {
                true => parse_display_math(prefix, markdown.get(after..).unwrap_or_default()),
                false => DisplayMath::Text,
            };
            prepared.is_open |= matches!(formula, DisplayMath::Unclosed);
            let source = at;
            at = after;
            if let DisplayMath::Formula(formula, length) = formula {
                at += length;
                let lines = markdown.get(..at).unwrap_or_default();
                let end = lines.strip_suffix('\n').unwrap_or(lines).len();
                prepared.push_placeholder(prefix, Placeholder::Formula(formula.into()), source, end);
            } else {
                prepared.push_line(line, source, &mut context);
            }
            context.leave(bare);
            // The first line is no part of the code.
            literal_lines = context
                .has_literal()
                .then(|| literal_lines.map_or(0, |lines| lines + 1));
            prepared.longest_literal = prepared.longest_literal.max(literal_lines.unwrap_or_default());
        }
        prepared.is_open |= context.has_fence();
        // The parser reads no definition whose target in angle brackets ends the text.
        if prepared.text.ends_with('>') && has_definitions(&prepared.text) {
            prepared.text.push('\n');
        }
        prepared.line_offsets = line_offsets(&prepared.text);
        prepared
    }

    /// Pushes a line of the source. A tag at its beginning or end becomes a line of its own.
    fn push_line(&mut self, line: &str, source: usize, context: &mut LineContext) {
        let (prefix, content) = line.split_at(prefix_length(line));
        let bare = content.trim_end_matches('\n');
        if BlockTag::parse(bare).is_some() && !context.ends_with_placeholder() {
            if context.in_html() && !context.is_literal() {
                self.push_blank_line(prefix, source);
                context.end_html();
            }
            self.push_tag(prefix, bare, source);
            return;
        }
        if context.is_literal() {
            self.mark(source);
            self.text.push_str(line);
            return;
        }
        let opening = block_tags::split_opening(bare).filter(|_| context.splits < MAX_SPLITS);
        if let Some((tag, rest)) = opening {
            context.splits += 1;
            let used = bare.len() - rest.len();
            let prefix_of_rest = continuation_prefix(prefix);
            let inner = format!("{prefix_of_rest}{rest}\n");
            self.push_tag(prefix, &tag.raw, source);
            context.enter_rest(&inner, &prefix_of_rest, rest);
            // The rest of the line begins within its prefix.
            let shift = source + prefix.len() + used;
            return self.push_line(&inner, shift.saturating_sub(inner.len() - rest.len() - 1), context);
        }
        if let Some((text, tag)) = block_tags::split_closing(bare) {
            let from = source + prefix.len() + text.len();
            self.push_text(&format!("{prefix}{text}\n"), source, context);
            if context.in_html() {
                self.push_blank_line(prefix, from);
                context.end_html();
            }
            let prefix = continuation_prefix(prefix);
            self.push_tag(&prefix, &tag.raw, from.saturating_sub(prefix.len()));
            return;
        }
        self.push_text(line, source, context);
    }

    /// Pushes a line with placeholders for the tags in it. At the end of an address an empty one ends it for the parser too.
    fn push_text(&mut self, line: &str, source: usize, context: &LineContext) {
        self.mark(source);
        let mut done = 0;
        if !context.in_html() {
            let mut ends = bare_addresses::ends(line).into_iter().peekable();
            let mut tag = block_tags::find_inline(line, done);
            loop {
                while ends.next_if(|end| *end < done).is_some() {}
                let is_first = |end: &usize| tag.as_ref().is_none_or(|tag| *end <= tag.start);
                let range = match ends.next_if(is_first) {
                    Some(end) => end..end,
                    None => match tag.take() {
                        Some(found) => {
                            tag = block_tags::find_inline(line, found.end);
                            found
                        }
                        None => break,
                    },
                };
                self.text.push_str(line.get(done..range.start).unwrap_or_default());
                let number = self.placeholders.len();
                let raw = line.get(range.clone()).unwrap_or_default();
                self.placeholders.push(Placeholder::InlineTag(raw.into()));
                self.text.push_str(&format!("{}{number}>", self.inline_prefix));
                self.mark(source + range.end);
                done = range.end;
            }
        }
        self.text.push_str(line.get(done..).unwrap_or_default());
    }

    /// Only an empty line ends an HTML block.
    fn push_blank_line(&mut self, prefix: &str, source: usize) {
        if prefix.chars().all(|c| matches!(c, ' ' | '\t' | '>')) {
            self.mark(source);
            self.text.push_str(prefix.trim_end());
            self.text.push('\n');
        }
    }

    fn push_tag(&mut self, prefix: &str, raw: &str, source: usize) {
        let end = source + prefix.len() + raw.len();
        self.push_placeholder(prefix, Placeholder::BlockTag(raw.into()), source, end);
    }

    /// Pushes a line for the range of the source from `source` to `end`.
    fn push_placeholder(&mut self, prefix: &str, placeholder: Placeholder, source: usize, end: usize) {
        let number = self.placeholders.len();
        self.placeholders.push(placeholder);
        self.mark(source);
        self.text.push_str(prefix);
        self.text.push_str(&format!("{}{number}?>", self.block_prefix));
        self.mark(end);
        self.text.push('\n');
    }

    /// Records the offset in the source of the text that follows.
    fn mark(&mut self, source: usize) {
        let at = self.text.len();
        let follows = |(text, begin): &(usize, usize)| begin + (at - text) == source;
        if !self.segments.last().is_some_and(follows) {
            self.segments.push((at, source));
        }
    }

    pub fn line_count(&self) -> usize {
        self.line_offsets.len()
    }

    /// Returns a line and its offset, counted from 0.
    pub fn line(&self, number: usize) -> Option<(usize, &str)> {
        let from = offset_at(&self.line_offsets, number)?;
        let to = offset_at(&self.line_offsets, number + 1).unwrap_or(self.text.len());
        Some((from, self.text.get(from..to)?))
    }

    /// Returns the offset of a line and a column, both counted from 1.
    pub fn offset(&self, position: LineColumn) -> Option<usize> {
        let start = offset_at(&self.line_offsets, position.line.checked_sub(1)?)?;
        Some(start + position.column.checked_sub(1)?)
    }

    /// Returns the offset of the line of an offset.
    pub fn line_start(&self, at: usize) -> usize {
        let start = line_of(&self.line_offsets, at).and_then(|line| offset_at(&self.line_offsets, line));
        start.unwrap_or_default()
    }

    /// Returns the offset in the source, where line ends are normalized.
    pub fn source_offset(&self, at: usize) -> Option<usize> {
        let segment = self
            .segments
            .partition_point(|(start, _)| *start <= at)
            .checked_sub(1)?;
        let (start, source) = self.segments.get(segment)?;
        Some(source + at - start)
    }

    /// Returns the source line of an offset, counted from 0, and the offset within the line.
    pub fn source_position(&self, at: usize) -> Option<(usize, usize)> {
        let source = self.source_offset(at)?;
        let line = line_of(&self.source_lines, source)?;
        Some((line, source - offset_at(&self.source_lines, line)?))
    }

    /// Returns the placeholder that an HTML block or tag is, if any.
    pub fn placeholder(&self, html: &str) -> Option<&Placeholder> {
        let html = html.trim();
        let number = match html.strip_prefix(&self.block_prefix) {
            Some(rest) => rest.strip_suffix("?>")?,
            None => html.strip_prefix(&self.inline_prefix)?.strip_suffix('>')?,
        };
        self.placeholders.get(number.parse::<usize>().ok()?)
    }

    /// Returns the tag that an HTML block stands for, if any.
    pub fn tag(&self, html: &str) -> Option<BlockTag> {
        match self.placeholder(html)? {
            Placeholder::BlockTag(raw) => BlockTag::parse(raw),
            Placeholder::Formula(_) | Placeholder::InlineTag(_) => None,
        }
    }

    /// Restores the source of placeholders, for text that only looks like tags, such as code.
    pub fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains(&self.block_prefix) && !text.contains(&self.inline_prefix) {
            return Cow::Borrowed(text);
        }
        let mut restored = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            match line.contains(&self.inline_prefix) {
                true => self.restore_line(&self.restore_inline(line, str::to_owned), &mut restored),
                false => self.restore_line(line, &mut restored),
            }
        }
        Cow::Owned(restored)
    }

    /// Restores the source of tags in a target or a title, in which the parser decoded everything else.
    pub fn restore_decoded<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match text.contains(&self.inline_prefix) {
            true => Cow::Owned(self.restore_inline(text, entities::unescape)),
            false => Cow::Borrowed(text),
        }
    }

    /// Replaces placeholders by as many bytes that are no syntax.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains(&self.block_prefix) {
            return Cow::Borrowed(text);
        }
        let mut masked = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(&self.block_prefix) {
            let (before, placeholder) = rest.split_at(at);
            masked.push_str(before);
            let end = placeholder.find("?>").map_or(self.block_prefix.len(), |end| end + 2);
            masked.extend(std::iter::repeat_n('x', end));
            rest = placeholder.get(end..).unwrap_or_default();
        }
        masked.push_str(rest);
        Cow::Owned(masked)
    }

    fn restore_inline(&self, line: &str, decode: impl Fn(&str) -> String) -> String {
        let mut restored = String::with_capacity(line.len());
        let mut rest = line;
        while let Some((before, after)) = rest.split_once(&self.inline_prefix) {
            restored.push_str(before);
            let tag = after.split_once('>').and_then(|(number, after)| {
                match self.placeholders.get(number.parse::<usize>().ok()?)? {
                    Placeholder::InlineTag(raw) => Some((raw, after)),
                    Placeholder::BlockTag(_) | Placeholder::Formula(_) => None,
                }
            });
            rest = match tag {
                Some((raw, after)) => {
                    restored.push_str(&decode(raw));
                    after
                }
                None => {
                    restored.push_str(&self.inline_prefix);
                    after
                }
            };
        }
        restored.push_str(rest);
        restored
    }

    fn restore_line(&self, line: &str, restored: &mut String) {
        let parts = line.split_once(&self.block_prefix).and_then(|(indent, rest)| {
            let (number, rest) = rest.split_once("?>")?;
            let placeholder = self.placeholders.get(number.parse::<usize>().ok()?)?;
            Some((indent, placeholder, rest))
        });
        match parts {
            None | Some((_, Placeholder::InlineTag(_), _)) => restored.push_str(line),
            Some((indent, Placeholder::BlockTag(raw), rest)) => {
                restored.extend([indent, raw, rest]);
            }
            Some((indent, Placeholder::Formula(formula), rest)) => {
                let original = format!("$$\n{formula}\n$$");
                let indented = original.replace('\n', &format!("\n{indent}"));
                restored.extend([indent, &indented, rest]);
            }
        }
    }
}

/// Returns whether a text may have link or footnote definitions.
pub fn has_definitions(text: &str) -> bool {
    text.contains("]:")
}

pub fn normalize_line_ends(text: &str) -> Cow<'_, str> {
    match text.contains('\r') {
        true => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
        false => Cow::Borrowed(text),
    }
}

/// Returns whether a line begins or ends display math.
fn is_math_delimiter(line: &str) -> bool {
    line.trim_end_matches([' ', '\t']) == "$$"
}

/// Returns prefixes longer than anything similar in the text, or in what its character references stand for.
fn unused_prefixes(markdown: &str) -> (String, String) {
    let decoded = entities::decode(markdown);
    let longest_in = |text: &str, begin: &str| {
        let matches = text.match_indices(begin).map(|(at, _)| {
            let after = text.get(at + begin.len() - 1..).unwrap_or_default();
            after.bytes().take_while(|byte| *byte == b't').count()
        });
        matches.max().unwrap_or_default()
    };
    let longest = |begin: &str| longest_in(markdown, begin).max(longest_in(&decoded, begin));
    let (block, inline) = (longest("<?t") + 1, longest("<t") + 1);
    (format!("<?{}", "t".repeat(block)), format!("<{}-", "t".repeat(inline)))
}

/// Returns the offsets of the lines. A text is shorter than its offsets allow: the limits of documents are.
fn line_offsets(text: &str) -> Vec<u32> {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let starts = std::iter::once(0).chain(ends);
    // A text may consist of empty lines.
    let mut offsets = Vec::with_capacity(text.matches('\n').count() + 1);
    offsets.extend(starts.map(|at| u32::try_from(at).unwrap_or(u32::MAX)));
    offsets
}

fn offset_at(offsets: &[u32], line: usize) -> Option<usize> {
    usize::try_from(*offsets.get(line)?).ok()
}

/// Returns the line of an offset.
fn line_of(offsets: &[u32], at: usize) -> Option<usize> {
    let is_before = |start: &u32| usize::try_from(*start).is_ok_and(|start| start <= at);
    offsets.partition_point(is_before).checked_sub(1)
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

/// The block that a line with `$$` begins.
enum DisplayMath {
    /// The formula up to its closing line, without prefixes, and the length of its lines with the closing one.
    Formula(String, usize),
    Text,
    /// Text, because the closing line is missing.
    Unclosed,
}

/// The next line with `$$` decides, so that many of them take one pass.
fn parse_display_math(prefix: &str, following: &str) -> DisplayMath {
    let inner = continuation_prefix(prefix);
    let mut formula = Vec::new();
    let mut length = 0;
    for line in following.split_inclusive('\n') {
        length += line.len();
        let bare = line.trim_end_matches('\n');
        let content = match bare.strip_prefix(&inner) {
            Some(content) => content,
            None if bare.trim_end() == inner.trim_end() => "",
            None => return DisplayMath::Text,
        };
        if is_math_delimiter(content.trim_start_matches(' ')) {
            return DisplayMath::Formula(formula.join("\n"), length);
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
