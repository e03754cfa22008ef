//! A line of text.

use openapi::models::{InlineNode, TextColor};

use super::{
    Writer,
    runs::{self, Content, LEVELS, Level, Run},
};
use crate::{
    nodes::{
        enum_names::word,
        marks::{Colors, Style},
    },
    refusal::Refusal,
    syntax::escape::{self, Around, Mode},
};

impl<'d> Writer<'d, '_> {
    pub(super) fn inlines(&mut self, nodes: &'d [InlineNode], mode: Mode) -> Result<String, Refusal> {
        self.line_of(&runs::of_nodes(nodes), mode)
    }

    pub(super) fn line_of(&mut self, runs: &[Run<'d>], mode: Mode) -> Result<String, Refusal> {
        let mut line = Line {
            writer: self,
            runs,
            mode,
            text: String::new(),
        };
        line.level(0, runs.len(), 0)?;
        Ok(line.text)
    }
}

struct Line<'w, 'd, 'r, 'l> {
    writer: &'w mut Writer<'d, 'r>,
    runs: &'l [Run<'d>],
    mode: Mode,
    text: String,
}

impl<'d> Line<'_, 'd, '_, '_> {
    /// Writes the runs from one place to another, with the marks from a level on.
    fn level(&mut self, from: usize, to: usize, level: usize) -> Result<(), Refusal> {
        let Some(what) = LEVELS.get(level).copied() else {
            return (from..to).try_for_each(|at| self.run(at));
        };
        let mut at = from;
        while let Some(run) = self.runs.get(at).filter(|_| at < to) {
            let marks = what.of(run.marks);
            let rest = self.runs.get(at..to).unwrap_or_default();
            let end = at + rest.iter().take_while(|run| what.of(run.marks) == marks).count();
            match marks.is_empty() {
                true => self.level(at, end, level + 1)?,
                false => {
                    let (open, close) = self.delimiters(what, marks.colors, at, end, level);
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
        level: Level,
        colors: Option<Colors>,
        from: usize,
        to: usize,
        depth: usize,
    ) -> (String, String) {
        let short = self.mode != Mode::Html;
        let (name, sign) = match level {
            Level::Colors => return colors.map(of_colors).unwrap_or_default(),
            Level::Style(Style::Bold) => ("strong", "**"),
            Level::Style(Style::Italic) => ("em", "_"),
            Level::Style(Style::Strikethrough) => ("del", "~~"),
            Level::Style(Style::Superscript) => ("sup", ""),
            Level::Style(Style::Subscript) => ("sub", ""),
            Level::Style(Style::Keyboard) => ("kbd", ""),
            Level::Style(Style::Code) => ("code", ""),
        };
        match short && !sign.is_empty() && self.can_delimit(sign, from, to, depth) {
            true => (sign.to_owned(), sign.to_owned()),
            false => (format!("<{name}>"), format!("</{name}>")),
        }
    }

    /// Whether signs around these runs would be read as a mark: what stands next to them decides.
    fn can_delimit(&self, sign: &str, from: usize, to: usize, level: usize) -> bool {
        let (Some(first), Some(last)) = (self.runs.get(from), self.runs.get(to.saturating_sub(1))) else {
            return false;
        };
        let before = from
            .checked_sub(1)
            .and_then(|at| self.runs.get(at))
            .map_or(' ', Run::last);
        let after = self.runs.get(to).map_or(' ', Run::first);
        if first.first().is_whitespace() || last.last().is_whitespace() {
            return false;
        }
        let apart = |c: char| c == ' ' || c == '\n' || c.is_ascii_punctuation();
        if apart(before) && apart(after) {
            return true;
        }
        // Within a word it works only around letters that nothing else encloses.
        let bare = |run: &Run<'_>| {
            let inner = LEVELS
                .iter()
                .skip(level + 1)
                .all(|level| level.of(run.marks).is_empty());
            inner && !run.marks.has(Style::Code) && matches!(run.content, Content::Text(_))
        };
        sign != "_" && bare(first) && bare(last) && first.first().is_alphanumeric() && last.last().is_alphanumeric()
    }

    fn run(&mut self, at: usize) -> Result<(), Refusal> {
        let Some(run) = self.runs.get(at) else {
            return Ok(());
        };
        match &run.content {
            Content::Text(text) if run.marks.has(Style::Code) => self.code(text),
            Content::Text(text) => {
                let around = Around {
                    mode: self.mode,
                    ends: at + 1 == self.runs.len(),
                };
                escape::text(text, around, &mut self.text);
            }
            Content::Inline(inline, index) => {
                let written = self
                    .writer
                    .within("nodes", *index, |writer| writer.inline(inline, self.mode, &self.text))?;
                self.text.push_str(&written);
            }
            Content::Image(image, index) => {
                let written = self
                    .writer
                    .within("nodes", *index, |writer| writer.inline_image(image, self.mode))?;
                self.text.push_str(&written);
            }
        }
        Ok(())
    }

    fn code(&mut self, text: &str) {
        let longest = longest_run(text, '`');
        let plain = self.mode != Mode::Html
            && longest < LONGEST_FENCE
            && !text.contains(['\n', '\r'])
            && !(self.mode == Mode::Cell && text.contains('|'));
        if !plain {
            self.text.push_str("<code>");
            let around = Around {
                mode: self.mode,
                ends: false,
            };
            escape::text(text, around, &mut self.text);
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

/// The parser knows no longer ones.
const LONGEST_FENCE: usize = 70;

pub fn longest_run(text: &str, sign: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == sign { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn of_colors(colors: Colors) -> (String, String) {
    let mut style = String::new();
    if colors.text != TextColor::Default || colors.background == TextColor::Default {
        style.push_str(&format!("color:{};", word(colors.text)));
    }
    if colors.background != TextColor::Default {
        style.push_str(&format!("background-color:{};", word(colors.background)));
    }
    (format!("<mark style=\"{style}\">"), "</mark>".to_owned())
}
