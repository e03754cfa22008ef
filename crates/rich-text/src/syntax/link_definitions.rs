//! Link reference definitions of a piece of a text.

use std::{collections::HashMap, ops::Range};

use comrak::{Node, nodes::NodeValue};

use super::{
    entities,
    prepare::{PreparedSource, prefix_length},
};

#[derive(Default)]
pub struct LinkDefinitions {
    definitions: Vec<LinkDefinition>,
    /// First and last line of each block with text.
    block_lines: Vec<(usize, usize)>,
    /// Number of lines with definitions before the text of a paragraph, by the first line of the paragraph.
    lines_before: HashMap<usize, usize>,
}

pub struct LinkDefinition {
    pub target: String,
    /// Range of the definition, without its last line end.
    pub at: Range<usize>,
    /// Range of the target, including `<` and `>`, if any.
    pub target_at: Range<usize>,
}

impl LinkDefinitions {
    /// Collects the definitions at the beginning of a paragraph.
    pub fn collect(&mut self, node: Node<'_>, source: &PreparedSource) {
        let data = node.data();
        let position = data.sourcepos;
        match &data.value {
            NodeValue::Paragraph | NodeValue::Heading(_) => {
                self.block_lines.push((position.start.line, position.end.line));
                let first = position.start.column.saturating_sub(1);
                let lines = (position.start.line..=position.end.line).filter_map(|line| {
                    let (at, text) = source.line(line.checked_sub(1)?)?;
                    let skipped = if line == position.start.line {
                        first
                    } else {
                        prefix_length(text)
                    };
                    Some((at + skipped, text.get(skipped..).unwrap_or_default()))
                });
                let before = self.parse_lines(lines, source);
                if before > 0 {
                    self.lines_before.insert(position.start.line, before);
                }
            }
            NodeValue::CodeBlock(_) | NodeValue::HtmlBlock(_) | NodeValue::Table(_) => {
                self.block_lines.push((position.start.line, position.end.line));
            }
            _ => {}
        }
    }

    /// Collects definitions in lines without any other block.
    pub fn collect_between_blocks(&mut self, source: &PreparedSource) {
        let block_lines = std::mem::take(&mut self.block_lines);
        let mut next = 0;
        for (first, last) in block_lines.into_iter().chain([(source.line_count() + 1, 0)]) {
            let lines = (next..first.saturating_sub(1)).filter_map(|line| source.line(line));
            let mut lines = lines
                .map(|(at, line)| {
                    let skipped = prefix_length(line);
                    (at + skipped, line.get(skipped..).unwrap_or_default())
                })
                .peekable();
            while lines.peek().is_some() {
                let paragraph = lines.by_ref().take_while(|(_, line)| !line.trim().is_empty());
                let paragraph: Vec<(usize, &str)> = paragraph.collect();
                // An empty list item may precede the definitions.
                self.parse_lines(
                    paragraph.into_iter().skip_while(|(_, line)| !line.starts_with('[')),
                    source,
                );
            }
            next = next.max(last);
        }
    }

    /// Parses the definitions at the beginning of these lines. Returns the number of their lines.
    fn parse_lines<'l>(&mut self, lines: impl Iterator<Item = (usize, &'l str)>, source: &PreparedSource) -> usize {
        let mut lines = lines.peekable();
        if !lines.peek().is_some_and(|(_, line)| line.starts_with('[')) {
            return 0;
        }
        let mut text = String::new();
        let mut starts = Vec::new();
        for (at, line) in lines {
            starts.push((text.len(), at));
            text.push_str(line);
        }
        let place = |at: usize| {
            let line = starts.partition_point(|(start, _)| *start <= at).saturating_sub(1);
            starts.get(line).map_or(0, |(start, from)| from + at - start)
        };
        let mut done = 0;
        while let Some((length, target)) = text.get(done..).and_then(parse_definition) {
            let whole = text.get(done..done + length).unwrap_or_default();
            let bare = whole.get(target.clone()).unwrap_or_default();
            let inner = bare.strip_prefix('<').and_then(|bare| bare.strip_suffix('>'));
            let decoded = entities::unescape(inner.unwrap_or(bare));
            self.definitions.push(LinkDefinition {
                target: source.restore_decoded(&decoded).into_owned(),
                at: place(done)..place(done + whole.trim_end().len()),
                target_at: place(done + target.start)..place(done + target.end),
            });
            done += length;
        }
        text.get(..done).map_or(0, |read| read.lines().count())
    }

    /// Returns the number of lines with definitions before the text of a paragraph.
    pub fn lines_before(&self, line: usize) -> usize {
        self.lines_before.get(&line).copied().unwrap_or_default()
    }

    pub fn all(&self) -> &[LinkDefinition] {
        &self.definitions
    }
}

/// Parses a definition `[label]: target "title"`. Returns its length and the range of the target.
fn parse_definition(text: &str) -> Option<(usize, Range<usize>)> {
    let inner = text.strip_prefix('[')?;
    let end = find_unescaped(inner, |c| matches!(c, '[' | ']'))?;
    let label = inner
        .get(..end)
        .filter(|label| !label.trim().is_empty() && !label.starts_with('^'))?;
    let rest = inner.get(label.len()..)?.strip_prefix("]:")?;
    let rest = skip_space(rest)?;
    let from = text.len() - rest.len();
    let rest = match rest.strip_prefix('<') {
        Some(inner) => {
            let end = find_unescaped(inner, |c| matches!(c, '<' | '>' | '\n'))?;
            inner.get(end..)?.strip_prefix('>')?
        }
        None => {
            let end = rest.find(|c: char| c.is_ascii_whitespace() || c.is_ascii_control());
            rest.get(end.unwrap_or(rest.len())..)?
        }
    };
    let target = from..text.len() - rest.len();
    let untitled = skip_line_end(rest);
    let titled = skip_space(rest)
        .filter(|after| after.len() < rest.len())
        .and_then(parse_title);
    let rest = titled.or(untitled)?;
    Some((text.len() - rest.len(), target))
}

/// Parses a title and the line end. Returns the rest.
fn parse_title(text: &str) -> Option<&str> {
    let close = match text.chars().next()? {
        '(' => ')',
        quote @ ('"' | '\'') => quote,
        _ => return None,
    };
    let inner = text.get(1..)?;
    let end = find_unescaped(inner, |c| c == close)?;
    skip_line_end(inner.get(end + 1..)?)
}

fn skip_line_end(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches([' ', '\t']);
    match rest.is_empty() {
        true => Some(rest),
        false => rest.strip_prefix('\n'),
    }
}

/// Skips white space with at most one line end.
fn skip_space(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches([' ', '\t', '\n']);
    let space = text.get(..text.len() - rest.len())?;
    (space.matches('\n').count() <= 1 && !rest.is_empty()).then_some(rest)
}

fn find_unescaped(text: &str, is: impl Fn(char) -> bool) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let matches = is(c) && !escaped;
        escaped = c == '\\' && !escaped;
        matches.then_some(at)
    })
}
