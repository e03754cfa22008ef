//! Targets in inline links, images and HTML tags.

use std::ops::Range;

use comrak::{
    Node,
    nodes::{LineColumn, NodeLink, NodeValue, Sourcepos},
};

use super::{
    LinkChange, LinkRewriter, escape_destination, escape_markdown,
    html_links::{HtmlTags, TextSyntax},
    link_syntax::{self, LinkParts, LinkTail},
};
use crate::{
    resolver::ReferenceRole,
    syntax::{entities, html, prepare::prefix_length},
};

/// A reference link: its target is in a link definition.
pub struct ReferenceLink {
    pub target: String,
    pub role: ReferenceRole,
    /// Ranges before and after the label; `None` if the link was not found in the source.
    pub delimiters: Option<(Range<usize>, Range<usize>)>,
}

/// A block of inline content, with corrections for the positions of the parser.
pub struct TextBlock {
    at: Range<usize>,
    start: LineColumn,
    /// Link definitions before the text, which the parser removed before it counted lines.
    lines_before: usize,
    /// Offset of a table cell, and offsets of the characters before which the parser removed a backslash.
    cell: Option<usize>,
    escaped: Vec<usize>,
    /// The text is the link that belongs to a tag.
    is_fallback: bool,
}

impl<'a> LinkRewriter<'a, '_> {
    pub(super) fn inline_content(&mut self, node: Node<'a>) {
        let Some(mut block) = self.block(node) else {
            return;
        };
        let repeats = self.fallback.take_if(|(paragraph, _)| paragraph.same_node(node));
        let repeats = repeats.map(|(_, follows)| follows);
        if repeats == Some(false) {
            return;
        }
        block.is_fallback = repeats == Some(true);
        let mut tags = HtmlTags::of_line(&self.source.text);
        for inner in node.descendants().skip(1) {
            let data = inner.data();
            match &data.value {
                NodeValue::Link(link) => self.link(inner, &block, link, ReferenceRole::Link),
                NodeValue::Image(link) => self.link(inner, &block, link, ReferenceRole::Media),
                NodeValue::HtmlInline(html) => {
                    if let Some(at) = self.tag_in_line(&block, data.sourcepos, html) {
                        tags.push(at);
                    }
                }
                _ => {}
            }
        }
        self.elements(&tags, TextSyntax::Markdown);
    }

    fn block(&self, node: Node<'a>) -> Option<TextBlock> {
        let data = node.data();
        let position = data.sourcepos;
        let (from, _) = self.source.line(position.start.line.checked_sub(1)?)?;
        let (last, line) = self.source.line(position.end.line.checked_sub(1)?)?;
        let mut block = TextBlock {
            at: from..last + line.len(),
            start: position.start,
            lines_before: self.definitions.lines_before(position.start.line),
            cell: None,
            escaped: Vec::new(),
            is_fallback: false,
        };
        if matches!(data.value, NodeValue::TableCell) {
            let start = self.source.offset(position.start)?;
            let cell = self.source.text.get(start..block.at.end)?;
            let end = self.source.offset(position.end)?.saturating_sub(start);
            let escapes = cell.match_indices("\\|").map(|(at, _)| at);
            let escapes = escapes.take_while(|at| *at <= end).enumerate();
            block.escaped = escapes.map(|(before, at)| at - before).collect();
            block.cell = Some(start);
        }
        Some(block)
    }

    /// Returns the possible ranges of an inline in the prepared source.
    fn candidate_ranges(&self, block: &TextBlock, position: Sourcepos) -> Vec<Range<usize>> {
        let range = |start: LineColumn, end: LineColumn| {
            let range = self.source.offset(start)?..self.source.offset(end)? + 1;
            (range.start < range.end).then_some(range)
        };
        let caption_end = range(position.start, position.end);
        if let Some(cell) = block.cell {
            let shifted = |at: usize| {
                let inner = at.saturating_sub(cell);
                at + block.escaped.partition_point(|escaped| *escaped < inner)
            };
            let moved = caption_end.map(|range| shifted(range.start)..shifted(range.end.saturating_sub(1)) + 1);
            return moved.into_iter().collect();
        }
        if block.lines_before == 0 {
            return caption_end.into_iter().collect();
        }
        let below = |place: LineColumn| {
            let counted = match place.line == block.start.line {
                true => block.start.column.saturating_sub(1),
                false => self.indentation(place.line),
            };
            let line = place.line + block.lines_before;
            LineColumn {
                line,
                column: (place.column + self.indentation(line)).saturating_sub(counted),
            }
        };
        range(below(position.start), below(position.end)).into_iter().collect()
    }

    fn indentation(&self, line: usize) -> usize {
        let line = line.checked_sub(1).and_then(|line| self.source.line(line));
        line.map_or(0, |(_, line)| prefix_length(line))
    }

    fn link(&mut self, node: Node<'a>, block: &TextBlock, link: &NodeLink, role: ReferenceRole) {
        let source = self.source;
        let text = &source.text;
        let ranges = self.candidate_ranges(block, node.data().sourcepos);
        let exact = ranges.iter().find_map(|at| link_syntax::parse_exact(text, at, link));
        let is_reference = |at: &&Range<usize>| {
            let written = text.get((*at).clone()).unwrap_or_default();
            link_syntax::opening_length(written).is_some() && written.ends_with(']')
        };
        let parts = match exact {
            Some(parts) => parts,
            None => {
                if let Some(at) = ranges.iter().find(is_reference) {
                    return self.reference(at.clone(), link, role);
                }
                if let Some(at) = ranges.first().filter(|at| self.is_address(at, link)) {
                    return self.address(at.clone(), link, role);
                }
                match self.search(block, link) {
                    Some(parts) => parts,
                    None => {
                        let (target, delimiters) = (source.restore_decoded(&link.url).into_owned(), None);
                        self.references.push(ReferenceLink {
                            target,
                            role,
                            delimiters,
                        });
                        return;
                    }
                }
            }
        };
        let target = source.restore_decoded(&link.url);
        let change = self.change_of(&target, role);
        if change == LinkChange::Unlink {
            let open = match role {
                ReferenceRole::Media => 2,
                _ => 1,
            };
            let from = parts.label.start.saturating_sub(open);
            return self.unlink(from..parts.label.start, parts.label.end..parts.end);
        }
        if let Some(new) = change.new_target(&target) {
            self.edits
                .replace(self.source, parts.target.clone(), escape_destination(new));
        }
        let label = text.get(parts.label.clone()).unwrap_or_default();
        let names_target = block.is_fallback || link.title == "mention";
        if names_target && let Some(words) = change.new_words(&entities::unescape(label)) {
            self.edits.replace(self.source, parts.label, escape_markdown(words));
        }
    }

    /// Removes the link around a label. A label at the beginning of a line is escaped where it would begin a block.
    pub(super) fn unlink(&mut self, before: Range<usize>, after: Range<usize>) {
        let source = self.source;
        let text = &source.text;
        let line = text
            .get(source.line_start(before.start)..before.start)
            .unwrap_or_default();
        let label = text.get(before.end..after.start).unwrap_or_default();
        let digits = label.bytes().take_while(u8::is_ascii_digit).count();
        let begins = prefix_length(line) == line.len();
        let sign = label.get(digits..).unwrap_or_default().chars().next();
        match sign {
            Some('.' | ')') if begins && (1..10).contains(&digits) => {
                self.edits.replace(self.source, before, "");
                let at = after.start - label.len() + digits;
                self.edits.replace(self.source, at..at, "\\");
            }
            Some('#' | '>' | '+' | '-' | '=' | '|' | ':') if begins && digits == 0 => {
                self.edits.replace(self.source, before, "\\");
            }
            _ => self.edits.replace(self.source, before, ""),
        }
        self.edits.replace(self.source, after, "");
    }

    /// Searches the block for a link whose position is not exact.
    fn search(&mut self, block: &TextBlock, link: &NodeLink) -> Option<LinkParts> {
        let source = self.source;
        let text = source.text.get(block.at.clone())?;
        let mut from = 0;
        while let Some(distance) = text.get(from..)?.find("](") {
            let close = from + distance;
            self.scan_budget = self.scan_budget.checked_sub(distance + 2)?;
            from = close + 2;
            let tail = LinkTail::parse(text.get(from..)?, link);
            if let Some(tail) = tail.filter(|tail| {
                !self
                    .found_targets
                    .contains(&(block.at.start + from + tail.target.start))
            }) {
                let label = self.label(text, close)?;
                return Some(LinkParts {
                    label: block.at.start + label..block.at.start + close,
                    target: block.at.start + from + tail.target.start..block.at.start + from + tail.target.end,
                    end: block.at.start + from + tail.length,
                });
            }
        }
        None
    }

    /// Returns the beginning of the label that ends at `close`.
    fn label(&mut self, text: &str, close: usize) -> Option<usize> {
        let mut open = 0_usize;
        let bytes = text.as_bytes();
        for at in (0..close).rev() {
            self.scan_budget = self.scan_budget.checked_sub(1)?;
            let escaped = at > 0 && bytes.get(at - 1) == Some(&b'\\');
            match bytes.get(at) {
                Some(b']') if !escaped => open += 1,
                Some(b'[') if !escaped && open == 0 => return Some(at + 1),
                Some(b'[') if !escaped => open -= 1,
                _ => {}
            }
        }
        None
    }

    /// `<https://example.com>`
    fn is_address(&self, at: &Range<usize>, link: &NodeLink) -> bool {
        let written = self.source.text.get(at.clone()).unwrap_or_default();
        let inner = written.strip_prefix('<').and_then(|inner| inner.strip_suffix('>'));
        inner.is_some_and(|inner| link.url == inner || link.url.strip_prefix("mailto:") == Some(inner))
    }

    fn address(&mut self, at: Range<usize>, link: &NodeLink, role: ReferenceRole) {
        let inner = at.start + 1..at.end.saturating_sub(1);
        let label = escape_markdown(self.source.text.get(inner).unwrap_or_default());
        match self.change_of(&self.source.restore_decoded(&link.url), role) {
            LinkChange::Keep | LinkChange::ReplaceTag(_) => {}
            LinkChange::Replace(new) | LinkChange::ReplaceNamed { target: new, .. } => {
                let written = format!("[{label}]({})", escape_destination(&new));
                self.edits.replace(self.source, at, written);
            }
            LinkChange::Unlink => self.edits.replace(self.source, at, label),
        }
    }

    /// `[label]`, `[label][]` or `[label][name]`
    fn reference(&mut self, at: Range<usize>, link: &NodeLink, role: ReferenceRole) {
        let written = self.source.text.get(at.clone()).unwrap_or_default();
        let open = link_syntax::opening_length(written).unwrap_or_default();
        let close = written.rfind("][").unwrap_or(written.len().saturating_sub(1));
        let delimiters = (at.start..at.start + open, at.start + close.max(open)..at.end);
        self.references.push(ReferenceLink {
            target: self.source.restore_decoded(&link.url).into_owned(),
            role,
            delimiters: Some(delimiters),
        });
    }

    /// Returns the range of an HTML tag.
    fn tag_in_line(&mut self, block: &TextBlock, position: Sourcepos, html: &str) -> Option<Range<usize>> {
        let source = self.source;
        let text = &source.text;
        let is_tag = |at: &Range<usize>| {
            let written = text.get(at.clone()).unwrap_or_default();
            written == html
                || (html.contains('\n') && matches!(html::tokenize(written).as_slice(), [token] if token.is_tag()))
        };
        let ranges = self.candidate_ranges(block, position);
        if let Some(at) = ranges.into_iter().find(is_tag) {
            return Some(at);
        }
        let from = block.at.start;
        self.scan_budget = self.scan_budget.checked_sub(block.at.len())?;
        let at = from + text.get(block.at.clone())?.find(html)?;
        Some(at..at + html.len())
    }
}
