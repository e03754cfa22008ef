//! Definitions of links that nothing refers to. The parser leaves them out of its tree; here they are kept as text.

use std::collections::HashSet;

use comrak::{Node, nodes::NodeValue};

use crate::rich_text::source::{Prepared, prefix_length};

#[derive(Default)]
pub struct Definitions {
    found: Vec<Definition>,
    /// The lines of blocks with text, from the first to the last of each.
    covered: Vec<(usize, usize)>,
    /// What links point to.
    targets: HashSet<String>,
    /// The footnotes that are defined, and the lines where one is defined again.
    notes: HashSet<String>,
    again: HashSet<usize>,
}

struct Definition {
    text: String,
    target: String,
}

impl Definitions {
    /// Notes what a node says about definitions: they stand where a paragraph begins.
    pub fn note(&mut self, node: Node<'_>, source: &Prepared) {
        let data = node.data();
        let position = data.sourcepos;
        match &data.value {
            NodeValue::Paragraph | NodeValue::Heading(_) => {
                self.covered.push((position.start.line, position.end.line));
                let lines =
                    (position.start.line..=position.end.line).filter_map(|line| source.line(line.checked_sub(1)?));
                let first = position.start.column.saturating_sub(1);
                self.read(lines.enumerate().map(|(at, line)| match at {
                    0 => line.get(first..).unwrap_or_default(),
                    _ => bare(line),
                }));
            }
            NodeValue::CodeBlock(_) | NodeValue::HtmlBlock(_) | NodeValue::Table(_) => {
                self.covered.push((position.start.line, position.end.line));
            }
            NodeValue::FootnoteDefinition(definition) if !self.notes.insert(definition.name.clone()) => {
                self.again.insert(position.start.line);
            }
            _ => {}
        }
    }

    /// The definitions that stand where nothing else has become of a paragraph.
    pub fn note_lone(&mut self, source: &Prepared) {
        let covered = std::mem::take(&mut self.covered);
        let mut next = 0;
        for (first, last) in covered.into_iter().chain([(source.lines() + 1, 0)]) {
            let mut lines = (next..first.saturating_sub(1))
                .filter_map(|line| source.line(line))
                .map(bare)
                .peekable();
            while lines.peek().is_some() {
                let paragraph: Vec<&str> = lines.by_ref().take_while(|line| !line.trim().is_empty()).collect();
                // An item without words may stand before them.
                self.read(paragraph.into_iter().skip_while(|line| !line.starts_with('[')));
            }
            next = next.max(last);
        }
    }

    fn read<'l>(&mut self, lines: impl Iterator<Item = &'l str>) {
        let mut lines = lines.peekable();
        if !lines.peek().is_some_and(|line| line.starts_with('[')) {
            return;
        }
        let text: String = lines.collect();
        let mut rest = text.as_str();
        while let Some((length, target)) = definition(rest) {
            let (definition, after) = rest.split_at(length);
            self.found.push(Definition {
                text: definition.split_whitespace().collect::<Vec<&str>>().join(" "),
                target: target.to_owned(),
            });
            rest = after;
        }
    }

    /// Whether this defines a footnote that another one defined before.
    pub fn is_again(&self, node: Node<'_>) -> bool {
        self.again.contains(&node.data().sourcepos.start.line)
    }

    /// Notes that something points there.
    pub fn used(&mut self, target: &str) {
        if !self.found.is_empty() {
            self.targets.insert(target.to_owned());
        }
    }

    /// Those to which nothing points.
    pub fn unused(&mut self) -> Vec<String> {
        let found = std::mem::take(&mut self.found);
        let unused = found
            .into_iter()
            .filter(|definition| !self.targets.contains(&definition.target));
        unused.map(|definition| definition.text).collect()
    }
}

/// A line without what containers want at its beginning.
fn bare(line: &str) -> &str {
    line.get(prefix_length(line)..).unwrap_or_default()
}

/// The length of a definition `[label]: target "title"` at the beginning of a text, and its target.
fn definition(text: &str) -> Option<(usize, &str)> {
    let inner = text.strip_prefix('[')?;
    let end = unescaped(inner, |c| matches!(c, '[' | ']'))?;
    let label = inner
        .get(..end)
        .filter(|label| !label.trim().is_empty() && !label.starts_with('^'))?;
    let rest = inner.get(label.len()..)?.strip_prefix("]:")?;
    let rest = over_space(rest)?;
    let (target, rest) = match rest.strip_prefix('<') {
        Some(inner) => {
            let end = unescaped(inner, |c| matches!(c, '<' | '>' | '\n'))?;
            (inner.get(..end)?, inner.get(end..)?.strip_prefix('>')?)
        }
        None => rest.split_at(
            rest.find(|c: char| c.is_ascii_whitespace() || c.is_ascii_control())
                .unwrap_or(rest.len()),
        ),
    };
    let untitled = end_of_line(rest);
    let titled = over_space(rest)
        .filter(|after| after.len() < rest.len())
        .and_then(title);
    let rest = titled.or(untitled)?;
    Some((text.len() - rest.len(), target))
}

/// What follows a title in quotes and the end of its line.
fn title(text: &str) -> Option<&str> {
    let close = match text.chars().next()? {
        '(' => ')',
        quote @ ('"' | '\'') => quote,
        _ => return None,
    };
    let inner = text.get(1..)?;
    let end = unescaped(inner, |c| c == close)?;
    end_of_line(inner.get(end + 1..)?)
}

fn end_of_line(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches([' ', '\t']);
    match rest.is_empty() {
        true => Some(rest),
        false => rest.strip_prefix('\n'),
    }
}

/// Over space with at most one end of a line.
fn over_space(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches([' ', '\t', '\n']);
    let space = text.get(..text.len() - rest.len())?;
    (space.matches('\n').count() <= 1 && !rest.is_empty()).then_some(rest)
}

fn unescaped(text: &str, is: impl Fn(char) -> bool) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let found = is(c) && !escaped;
        escaped = c == '\\' && !escaped;
        found.then_some(at)
    })
}
