//! Inline runs with nested marks.

use openapi::models::{InlineNode, TextColor};

use super::{
    MarkdownRenderer,
    runs::{self, InlineRun, MARK_LEVELS, MarkLevel, RunContent},
};
use crate::{
    error::DocumentError,
    nodes::{
        enum_names::enum_name,
        marks::{MarkColors, MarkStyle},
    },
    syntax::{
        escape::{self, EscapeContext, EscapeMode},
        flanking::Flanking,
        html,
    },
};

impl<'d> MarkdownRenderer<'d, '_> {
    pub(super) fn inlines(&mut self, nodes: &'d [InlineNode], mode: EscapeMode) -> Result<String, DocumentError> {
        self.render_runs(&runs::from_inlines(nodes), mode)
    }

    pub(super) fn render_runs(&mut self, runs: &[InlineRun<'d>], mode: EscapeMode) -> Result<String, DocumentError> {
        let mut line = StyledLine {
            renderer: self,
            runs,
            mode,
            text: String::new(),
        };
        line.level(0, runs.len(), 0)?;
        Ok(line.text)
    }
}

struct StyledLine<'w, 'd, 'r, 'l> {
    renderer: &'w mut MarkdownRenderer<'d, 'r>,
    runs: &'l [InlineRun<'d>],
    mode: EscapeMode,
    text: String,
}

impl<'d> StyledLine<'_, 'd, '_, '_> {
    /// Renders the runs `from..to` with the marks from `level` on.
    fn level(&mut self, from: usize, to: usize, level: usize) -> Result<(), DocumentError> {
        let Some(mark_level) = MARK_LEVELS.get(level).copied() else {
            return (from..to).try_for_each(|at| self.run(at));
        };
        let mut at = from;
        while let Some(run) = self.runs.get(at).filter(|_| at < to) {
            let marks = mark_level.select(run.marks);
            let rest = self.runs.get(at..to).unwrap_or_default();
            let end = at
                + rest
                    .iter()
                    .take_while(|run| mark_level.select(run.marks) == marks)
                    .count();
            match marks.is_empty() {
                true => self.level(at, end, level + 1)?,
                false => {
                    let (open, close) = self.delimiters(mark_level, marks.colors, at, end, level);
                    self.text.push_str(&open);
                    self.level(at, end, level + 1)?;
                    self.text.push_str(&close);
                }
            }
            at = end;
        }
        Ok(())
    }

    fn delimiters(
        &self,
        level: MarkLevel,
        colors: Option<MarkColors>,
        from: usize,
        to: usize,
        depth: usize,
    ) -> (String, String) {
        let short = self.mode != EscapeMode::Html;
        let (name, delimiter) = match level {
            MarkLevel::Colors => return colors.map(color_tags).unwrap_or_default(),
            MarkLevel::Style(MarkStyle::Bold) => ("strong", "**"),
            MarkLevel::Style(MarkStyle::Italic) => ("em", "_"),
            MarkLevel::Style(MarkStyle::Strikethrough) => ("del", "~~"),
            MarkLevel::Style(MarkStyle::Superscript) => ("sup", ""),
            MarkLevel::Style(MarkStyle::Subscript) => ("sub", ""),
            MarkLevel::Style(MarkStyle::Keyboard) => ("kbd", ""),
            MarkLevel::Style(MarkStyle::Code) => ("code", ""),
        };
        match short && !delimiter.is_empty() && self.can_delimit(delimiter, from, to, depth) {
            true => (delimiter.to_owned(), delimiter.to_owned()),
            false => (format!("<{name}>"), format!("</{name}>")),
        }
    }

    /// Returns whether delimiters around these runs would parse as a mark, which depends on the adjacent characters.
    fn can_delimit(&self, delimiter: &str, from: usize, to: usize, level: usize) -> bool {
        let (Some(first), Some(last)) = (self.runs.get(from), self.runs.get(to.saturating_sub(1))) else {
            return false;
        };
        let before = from
            .checked_sub(1)
            .and_then(|at| self.runs.get(at))
            .map_or(' ', InlineRun::last);
        let after = self.runs.get(to).map_or(' ', InlineRun::first);
        if first.first().is_whitespace() || last.last().is_whitespace() {
            return false;
        }
        let apart = |c: char| c == ' ' || c == '\n' || c.is_ascii_punctuation();
        if apart(before) && apart(after) {
            return true;
        }
        // Within a word delimiters work only around text without further marks.
        let bare = |run: &InlineRun<'_>| {
            let inner = MARK_LEVELS
                .iter()
                .skip(level + 1)
                .all(|level| level.select(run.marks).is_empty());
            inner && !run.marks.has(MarkStyle::Code) && matches!(run.content, RunContent::Text(_))
        };
        let sign = delimiter.chars().next().unwrap_or_default();
        bare(first)
            && bare(last)
            && Flanking::of(sign, before, first.first()).can_open
            && Flanking::of(sign, last.last(), after).can_close
    }

    fn run(&mut self, at: usize) -> Result<(), DocumentError> {
        let Some(run) = self.runs.get(at) else {
            return Ok(());
        };
        match &run.content {
            RunContent::Text(text) if run.marks.has(MarkStyle::Code) => self.code(text),
            RunContent::Text(text) => {
                let context = EscapeContext {
                    mode: self.mode,
                    is_last: at + 1 == self.runs.len(),
                };
                escape::escape_text(text, context, &mut self.text);
            }
            RunContent::Source(source) => {
                // At the beginning of a line the source would be a block.
                let is_block = source.starts_with("{%") || html::paragraph_end(source).is_some();
                if is_block && self.text.ends_with("\\\n") {
                    self.text.truncate(self.text.len() - 2);
                    self.text.push_str("<br>");
                }
                match run.marks.has(MarkStyle::Code) {
                    true => self.text.extend(["<code>", source, "</code>"]),
                    false => self.text.push_str(source),
                }
            }
            RunContent::Inline(inline, index) => {
                let after = self.runs.get(at + 1).map(InlineRun::first);
                let written = self.renderer.with_path("nodes", *index, |renderer| {
                    renderer.inline(inline, self.mode, &self.text, after)
                })?;
                self.text.push_str(&written);
            }
            RunContent::Image(image, index) => {
                let written = self
                    .renderer
                    .with_path("nodes", *index, |renderer| renderer.inline_image(image, self.mode))?;
                self.text.push_str(&written);
            }
        }
        Ok(())
    }

    fn code(&mut self, text: &str) {
        let longest = longest_run(text, '`');
        let plain = self.mode != EscapeMode::Html
            && longest < MAX_FENCE_LENGTH
            && !text.contains(['\n', '\r'])
            && !(self.mode == EscapeMode::PipeCell && text.contains('|'));
        if !plain {
            self.text.push_str("<code>");
            let context = EscapeContext {
                mode: self.mode,
                is_last: false,
            };
            escape::escape_text(text, context, &mut self.text);
            self.text.push_str("</code>");
            return;
        }
        let fence = "`".repeat(longest + 1);
        let spaced = text.starts_with(' ') && text.ends_with(' ') && text.chars().any(|c| c != ' ');
        let pad = if spaced || text.starts_with('`') || text.ends_with('`') {
            " "
        } else {
            ""
        };
        self.text.extend([&fence, pad, text, pad, &fence]);
    }
}

/// Longest code fence that the parser recognizes in a line.
const MAX_FENCE_LENGTH: usize = 70;

pub fn longest_run(text: &str, delimiter: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == delimiter { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn color_tags(colors: MarkColors) -> (String, String) {
    let mut style = String::new();
    if colors.text != TextColor::Default || colors.background == TextColor::Default {
        style.push_str(&format!("color:{};", enum_name(colors.text)));
    }
    if colors.background != TextColor::Default {
        style.push_str(&format!("background-color:{};", enum_name(colors.background)));
    }
    (format!("<mark style=\"{style}\">"), "</mark>".to_owned())
}
