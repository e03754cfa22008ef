//! Markdown as HTML that is safe to put into a page.

use std::cell::Cell;

use comrak::{
    Arena, Node, Options,
    arena_tree::NodeEdge,
    html,
    nodes::NodeValue,
    options::{Extension, Render},
    try_parse_document,
};

use crate::html_tags::escape_texts;

/// Bytes of one text that is read as Markdown.
const MAX_MARKDOWN_BYTES: usize = 256 * 1024;

/// Syntax nodes of one text, and their nesting.
const MAX_NODES: usize = 100_000;
const MAX_DEPTH: usize = 100;

/// Steps of the parser per byte, and for short texts. It reports every 256 steps.
const MAX_STEPS_PER_BYTE: usize = 32;
const STEPS_PER_REPORT: usize = 256;

/// Work for one text and for all texts: syntax nodes, and what an HTML parser may make of tags that are not closed as they
/// were opened. Texts beyond are not read as Markdown.
const MAX_WORK: usize = 2_000_000;
const MAX_TOTAL_WORK: usize = 40_000_000;

/// Elements without an end tag.
const VOID_ELEMENTS: [&str; 5] = ["br", "hr", "img", "input", "wbr"];

/// Renders texts within limits for all of them.
#[derive(Debug)]
pub struct HtmlRenderer {
    work_left: usize,
}

impl Default for HtmlRenderer {
    fn default() -> Self {
        Self {
            work_left: MAX_TOTAL_WORK,
        }
    }
}

impl HtmlRenderer {
    /// Returns a text as HTML without scripts, styles, forms and frames. Text that is too complex is shown as it is.
    pub fn render(&mut self, markdown: &str) -> String {
        self.render_markdown(markdown).unwrap_or_else(|| plain(markdown))
    }

    /// Returns HTML without scripts, styles, forms and frames. `None`: it is too complex to be cleaned.
    pub fn clean(&mut self, html: &str) -> Option<String> {
        if html.len() > MAX_MARKDOWN_BYTES || self.work_left == 0 {
            return None;
        }
        let mut raw = RawTags::default();
        raw.add(html);
        self.take(raw.work(html.matches('<').count()))?;
        Some(ammonia::clean(&escape_texts(html)).trim().to_owned())
    }

    fn render_markdown(&mut self, markdown: &str) -> Option<String> {
        if markdown.len() > MAX_MARKDOWN_BYTES || self.work_left == 0 {
            return None;
        }
        let reports_left = Cell::new(markdown.len() * MAX_STEPS_PER_BYTE / STEPS_PER_REPORT + 1_000);
        let arena = Arena::new();
        let is_over_limit = || {
            reports_left.set(reports_left.get().saturating_sub(1));
            reports_left.get() == 0 || arena.len() > MAX_NODES
        };
        let options = options();
        let parsed = try_parse_document(&arena, markdown, &options, &is_over_limit);
        self.take(arena.len())?;
        let root = parsed.ok().filter(|_| arena.len() <= MAX_NODES)?;
        let raw = RawTags::of(root)?;
        let mut unsafe_html = String::new();
        html::format_document(root, &options, &mut unsafe_html).ok()?;
        self.take(raw.work(unsafe_html.matches('<').count()))?;
        Some(ammonia::clean(&escape_texts(&unsafe_html)).trim().to_owned())
    }

    fn take(&mut self, work: usize) -> Option<()> {
        let is_too_much = work > MAX_WORK || work > self.work_left;
        self.work_left = self.work_left.saturating_sub(work);
        (!is_too_much).then_some(())
    }
}

fn options() -> Options<'static> {
    Options {
        extension: Extension {
            strikethrough: true,
            table: true,
            tasklist: true,
            autolink: true,
            ..Default::default()
        },
        render: Render {
            // Made safe afterwards.
            r#unsafe: true,
            ..Default::default()
        },
        ..Default::default()
    }
}

fn plain(text: &str) -> String {
    let mut escaped = "<p>".to_owned();
    // Writing to a text does not fail.
    html::escape(&mut escaped, text).ok();
    escaped.push_str("</p>");
    escaped
}

/// The tags of HTML within a text.
#[derive(Default)]
struct RawTags {
    opened: usize,
    /// The most characters that may separate attributes in one tag.
    separators: usize,
}

impl RawTags {
    /// `None`: the text is nested too deeply.
    fn of<'a>(root: Node<'a>) -> Option<Self> {
        let (mut tags, mut depth) = (Self::default(), 0_usize);
        for edge in root.traverse() {
            match edge {
                NodeEdge::End(_) => depth = depth.saturating_sub(1),
                NodeEdge::Start(node) => {
                    depth += 1;
                    if depth > MAX_DEPTH {
                        return None;
                    }
                    match &node.data().value {
                        NodeValue::HtmlBlock(block) => tags.add(&block.literal),
                        NodeValue::HtmlInline(literal) | NodeValue::Raw(literal) => tags.add(literal),
                        _ => {}
                    }
                }
            }
        }
        Some(tags)
    }

    fn add(&mut self, literal: &str) {
        for tag in literal.split('<').skip(1) {
            let name = tag
                .split(|c: char| !c.is_ascii_alphanumeric())
                .next()
                .unwrap_or_default();
            let is_void = VOID_ELEMENTS.iter().any(|void| void.eq_ignore_ascii_case(name));
            self.opened += usize::from(!name.is_empty() && !is_void);
            let is_separator = |c: &char| c.is_ascii_whitespace() || matches!(c, '/' | '"' | '\'');
            let tag = tag.split('>').next().unwrap_or_default();
            self.separators = self.separators.max(tag.chars().filter(is_separator).count());
        }
    }

    /// The most work of a parser. Elements that are not closed in order may be opened again within all others, and each
    /// attribute is compared with those before it.
    fn work(&self, tags: usize) -> usize {
        let of_elements = self.opened.saturating_mul(tags);
        of_elements.saturating_add(self.separators.saturating_mul(self.separators))
    }
}
