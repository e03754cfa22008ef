//! The blocks that are open at a line of Markdown, as far as they take the line as it is: code, HTML and comments.

use super::html;

/// An open code fence.
struct Fence {
    marker: char,
    length: usize,
    in_quote: bool,
    /// Column of the content of its list item.
    column: usize,
}

impl Fence {
    fn begin(column: usize, prefix: &str, line: &str) -> Option<Self> {
        let marker = ['`', '~'].into_iter().find(|marker| run_length(line, *marker) >= 3)?;
        let begins = marker == '~' || !line.trim_start_matches('`').contains('`');
        begins.then(|| Self {
            marker,
            length: run_length(line, marker),
            in_quote: prefix.contains('>'),
            column,
        })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let marks = run_length(line, self.marker);
        marks >= self.length && marks == line.chars().count()
    }

    /// Returns whether a line is outside of the container of the fence.
    fn is_left_by(&self, whole: &str, prefix: &str) -> bool {
        (self.in_quote && !prefix.contains('>')) || column(whole, self.in_quote).is_some_and(|at| at < self.column)
    }
}

/// Returns the offset of the content of a line; `None` for an empty one. In a quote the marks of the quote are no content.
fn column(line: &str, in_quote: bool) -> Option<usize> {
    line.find(|c| !(matches!(c, ' ' | '\t' | '\n') || (in_quote && c == '>')))
}

fn run_length(line: &str, marker: char) -> usize {
    line.chars().take_while(|c| *c == marker).count()
}

/// The blocks that are open at a line, as far as they take the line as it is.
#[derive(Default)]
pub struct LineContext {
    /// Tags before the rest of the line.
    pub splits: usize,
    pub in_fence: bool,
    /// The line before is text, or could be.
    after_text: bool,
    fence: Option<Fence>,
    html: HtmlContext,
    /// The least column of a line of the HTML block.
    html_column: usize,
    html_in_quote: bool,
    /// Columns of the content of the open list items and footnotes, as far as lines tell.
    items: Vec<usize>,
    /// The line before is the marker of an item and nothing else.
    in_empty_item: bool,
    /// Marks of quotes before the last line.
    quotes: usize,
    table: TableContext,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum HtmlContext {
    #[default]
    None,
    /// An HTML block up to the next empty line.
    UntilBlank,
    /// A comment, code or a script up to a line that contains one of these.
    Until(&'static [&'static str]),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TableContext {
    /// The line before, which may be the header of a table, has so many cells.
    Outside(usize),
    Inside,
}

impl Default for TableContext {
    fn default() -> Self {
        Self::Outside(0)
    }
}

impl LineContext {
    /// Enters a line, which consists of a prefix, the line without it, and the line end.
    pub fn enter(&mut self, whole: &str, prefix: &str, line: &str) {
        let ends = match column(whole, self.html_in_quote) {
            None => self.html == HtmlContext::UntilBlank,
            // The container of the HTML block ends.
            Some(column) => column < self.html_column,
        };
        let was_html = self.in_html();
        if ends || (self.html_in_quote && !prefix.contains('>')) {
            self.html = HtmlContext::None;
        }
        self.fence.take_if(|fence| fence.is_left_by(whole, prefix));
        self.in_fence = self.fence.is_some();
        if self.in_html() {
            return;
        }
        if self.in_fence {
            self.fence.take_if(|fence| fence.is_closed_by(line));
            return;
        }
        let end = match self.continues_paragraph(whole, prefix) {
            true => html::paragraph_end(line),
            false => html::block_end(line),
        };
        match column(whole, true) {
            Some(column) => self.enter_items(column, prefix, line, was_html || end.is_some()),
            // An item begins with one empty line at most.
            None if self.in_empty_item => drop(self.items.pop()),
            None => {}
        }
        self.in_empty_item = begins_lone_item(line) || (line.trim().is_empty() && has_marker(prefix));
        // Indentation alone can be that of the HTML.
        let content = match prefix.trim() {
            "" => self.items.last().copied().unwrap_or_default(),
            _ => prefix.trim_end().len(),
        };
        self.fence = Fence::begin(content, prefix, line);
        self.in_fence = self.fence.is_some();
        if self.in_fence {
            return;
        }
        self.html_column = content;
        self.html_in_quote = prefix.contains('>');
        self.html = match end {
            None => HtmlContext::None,
            Some([]) => HtmlContext::UntilBlank,
            Some(ends) => HtmlContext::Until(ends),
        };
    }

    /// Returns whether the paragraph of the line before takes a line if it begins no block. Text outside of the containers of
    /// a paragraph continues it as well, but there HTML begins a block.
    fn continues_paragraph(&mut self, whole: &str, prefix: &str) -> bool {
        let quotes = prefix.matches('>').count();
        let is_within = quotes >= std::mem::replace(&mut self.quotes, quotes)
            && column(whole, true).is_some_and(|column| self.items.last().is_none_or(|item| column >= *item));
        self.after_text && is_within && self.table != TableContext::Inside
    }

    /// Enters the rest of a line after a tag, which becomes a line of its own.
    pub fn enter_rest(&mut self, whole: &str, prefix: &str, line: &str) {
        self.after_text = false;
        self.enter(whole, prefix, line);
    }

    /// Ends the list items that a line is no part of, and begins those of the markers before it.
    fn enter_items(&mut self, column: usize, prefix: &str, line: &str, is_html: bool) {
        let markers = prefix.trim_start_matches([' ', '\t', '>']);
        // Text continues the paragraph before it wherever it begins.
        let is_text = prefix.trim().is_empty() && !begins_block(line);
        if !is_text || !self.after_text || is_html {
            while self.items.pop_if(|item| *item > column).is_some() {}
        }
        if is_divider(markers, line) {
            return;
        }
        let mut at = prefix.len() - markers.len();
        for marker in markers
            .split_inclusive([' ', '\t', '>'])
            .filter(|marker| !marker.is_empty())
        {
            let bare = marker.trim_end_matches([' ', '\t', '>']);
            at += marker.len();
            match (bare.is_empty(), bare.starts_with('[')) {
                // More space after a marker.
                (true, _) => self
                    .items
                    .last_mut()
                    .into_iter()
                    .for_each(|item| *item = (*item).max(at)),
                (false, true) => self.items.push(at - marker.len() + FOOTNOTE_INDENT),
                (false, false) => self.items.push(at),
            }
        }
        if begins_lone_item(line) && (!self.after_text || !self.items.is_empty()) {
            self.items.push(prefix.len() + line.trim_end().len() + 1);
        }
    }

    pub fn leave(&mut self, line: &str) {
        let is_tag = line.starts_with("{%") && line.trim_end().ends_with("%}");
        let has_content = !self.in_fence && !line.trim().is_empty() && !is_tag;
        self.table = match self.table {
            _ if !has_content || self.in_html() => TableContext::default(),
            TableContext::Inside => TableContext::Inside,
            TableContext::Outside(cells) if is_delimiter_row(line, cells) => TableContext::Inside,
            TableContext::Outside(_) => TableContext::Outside(cell_count(line)),
        };
        self.after_text = has_content && !ends_paragraph(line, self.after_text);
        if let HtmlContext::Until(ends) = self.html
            && ends.iter().any(|end| contains_ignore_case(line, end))
        {
            self.html = HtmlContext::None;
        }
    }

    pub fn end_html(&mut self) {
        self.html = HtmlContext::None;
    }

    pub fn has_fence(&self) -> bool {
        self.fence.is_some()
    }

    /// Returns whether the next line may be part of code or of a comment.
    pub fn has_literal(&self) -> bool {
        self.has_fence() || matches!(self.html, HtmlContext::Until(_))
    }

    pub fn in_html(&self) -> bool {
        self.html != HtmlContext::None
    }

    /// Returns whether a placeholder would end the HTML block: a processing instruction or a declaration.
    pub fn ends_with_placeholder(&self) -> bool {
        matches!(self.html, HtmlContext::Until(["?>" | ">"]))
    }

    /// Returns whether the line is part of code or of a comment.
    pub fn is_literal(&self) -> bool {
        self.in_fence || matches!(self.html, HtmlContext::Until(_))
    }
}

/// Columns by which the lines of a footnote are indented.
const FOOTNOTE_INDENT: usize = 4;

fn has_marker(prefix: &str) -> bool {
    !prefix.trim_matches([' ', '\t', '>']).is_empty()
}

/// Returns whether a line without its prefix is the marker of an item whose first line is empty.
fn begins_lone_item(line: &str) -> bool {
    let line = line.trim_end();
    matches!(line, "*" | "-" | "+") || item_number_length(format!("{line} ").as_bytes()) == line.len() + 1
}

/// Returns whether a line without its prefix is no text of the paragraph before it.
fn begins_block(line: &str) -> bool {
    let is_fence = ['`', '~'].into_iter().any(|marker| run_length(line, marker) >= 3);
    let is_html = line.starts_with("{%") || html::paragraph_end(line).is_some();
    is_fence || is_html || begins_lone_item(line) || ends_paragraph(line, true)
}

/// `* * *`
fn is_divider(markers: &str, line: &str) -> bool {
    let mut signs = markers.chars().chain(line.chars()).filter(|c| !c.is_whitespace());
    let first = signs.next();
    let is_sign = first.is_some_and(|first| matches!(first, '*' | '-' | '_'));
    is_sign && signs.by_ref().take(2).filter(|c| Some(*c) == first).count() == 2 && signs.all(|c| Some(c) == first)
}

/// Returns whether a line, after which no paragraph goes on, is a heading, the underline of one, or a divider.
fn ends_paragraph(line: &str, after_text: bool) -> bool {
    let bare = line.trim();
    let level = run_length(bare, '#');
    let rest = bare.get(level..).unwrap_or_default();
    let is_heading = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    let is_underline = after_text && ['=', '-'].into_iter().any(|sign| bare.chars().all(|c| c == sign));
    is_heading || is_underline || is_divider("", bare)
}

fn cell_count(line: &str) -> usize {
    let bare = line.trim();
    let inner = bare.strip_prefix('|').unwrap_or(bare);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner.matches('|').count() - inner.matches("\\|").count() + 1
}

/// Returns whether a line separates the header of a table with so many cells from its rows.
fn is_delimiter_row(line: &str, cells: usize) -> bool {
    let is_row = line.contains('-') && line.chars().all(|c| matches!(c, '|' | ':' | '-' | ' ' | '\t'));
    is_row && line.contains(['|', ':']) && cell_count(line) == cells
}

fn contains_ignore_case(text: &str, part: &str) -> bool {
    text.as_bytes()
        .windows(part.len())
        .any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

/// The length of the number of a list item with the space after it; 0 if there is none.
pub fn item_number_length(bytes: &[u8]) -> usize {
    let digits = bytes.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    match bytes.get(digits..) {
        Some([b'.' | b')', b' ' | b'\t', ..]) if digits < 10 => digits + 2,
        _ => 0,
    }
}
