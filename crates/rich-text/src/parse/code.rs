//! Code blocks and math blocks.

use comrak::nodes::NodeCodeBlock;
use openapi::models::{
    BlockCode, BlockCodeData, BlockCodeDataOverflow, BlockCodeLine, BlockCodeLineData, BlockMath, BlockMathData,
    CodeLineInline, CodeLineNode, DocumentBlock, Inline,
};

use super::{MarkdownParser, html_slice::HtmlSlice, inline_elements, inline_tokens, text_paragraph};
use crate::{
    nodes::{builders, enum_names::parse_enum_name, marks::MarkSet},
    syntax::{
        entities,
        fence_info::FenceInfo,
        html::{HtmlElement, HtmlToken},
    },
};

/// Maximum lengths in the contract.
const MAX_SYNTAX_LENGTH: usize = 100;
const MAX_TITLE_LENGTH: usize = 1000;
const MAX_INFO_LENGTH: usize = 1000;
const MAX_FORMULA_LENGTH: usize = 100_000;

pub fn default_data(syntax: Option<String>) -> BlockCodeData {
    BlockCodeData {
        syntax,
        title: None,
        info: None,
        overflow: BlockCodeDataOverflow::Scroll,
        line_numbers: None,
        full_width: None,
        expandable: None,
        collapsed_line_count: 10,
    }
}

impl MarkdownParser<'_, '_> {
    pub(super) fn code_block(&self, code: &NodeCodeBlock) -> DocumentBlock {
        let literal = self.source.restore(&code.literal);
        let (data, mut lines) = self.code_data(code);
        let text = literal.strip_suffix('\n').unwrap_or(&literal);
        if !literal.is_empty() {
            lines.reserve_exact(text.matches('\n').count() + 1);
            lines.extend(text.split('\n').map(text_line));
        }
        code_block_node(data, lines)
    }

    /// Returns the data of a block of code, and the lines before its text.
    pub(super) fn code_data(&self, code: &NodeCodeBlock) -> (BlockCodeData, Vec<BlockCodeLine>) {
        let info = self.source.restore_decoded(&code.info);
        let parts = FenceInfo::parse(&info);
        let fits = |text: &str, most: usize| text.chars().count() <= most;
        if !fits(parts.syntax, MAX_SYNTAX_LENGTH) || !fits(&info, MAX_INFO_LENGTH) {
            // Too long for a language: kept as the first line of code.
            return (default_data(None), vec![text_line(info.trim())]);
        }
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let data = BlockCodeData {
            title: parts.title.and_then(text),
            info: text(&parts.rest),
            ..default_data(text(parts.syntax))
        };
        (data, Vec::new())
    }

    pub(super) fn formula(&self, formula: &str) -> DocumentBlock {
        if formula.chars().count() > MAX_FORMULA_LENGTH {
            return text_paragraph(&format!("$$ {formula} $$"));
        }
        BlockMath {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: BlockMathData {
                formula: formula.to_owned(),
            },
        }
        .into()
    }

    /// Parses code with markup that a fence cannot express:
    /// `<pre class="language-sh"><code class="lang-sh"><strong>highlighted</strong>…</code></pre>`
    pub(super) fn html_code(
        &mut self,
        element: &HtmlElement,
        inner: HtmlSlice<'_>,
        depth: usize,
    ) -> Option<DocumentBlock> {
        let mut attributes = element.attributes.clone();
        let language = attributes.take("class");
        let mut data = default_data(None);
        data.title = attributes
            .take_bounded("data-title", MAX_TITLE_LENGTH)
            .filter(|title| !title.is_empty());
        data.info = attributes.take_bounded("data-info", MAX_INFO_LENGTH);
        data.line_numbers = attributes.take_flag("data-line-numbers");
        data.full_width = attributes.take_flag("data-full-width");
        data.expandable = attributes.take_flag("data-expandable");
        if let Some(overflow) = attributes.take_parsed("data-overflow", parse_enum_name) {
            data.overflow = overflow;
        }
        let (HtmlToken::Open(code), _) = inner.first()? else {
            return None;
        };
        let (text, rest) = inner.first_element("code")?;
        let mut code_attributes = code.attributes.clone();
        let syntax = code_attributes.take("class");
        let name = |class: &Option<String>, prefix: &str| match class {
            Some(class) => class.strip_prefix(prefix).map(|name| Some(name.to_owned())),
            None => Some(None),
        };
        let (outer, syntax) = (name(&language, "language-")?, name(&syntax, "lang-")?);
        let syntax = syntax.or(outer).filter(|syntax| !syntax.is_empty());
        let short = syntax
            .as_ref()
            .is_none_or(|syntax| syntax.chars().count() <= MAX_SYNTAX_LENGTH);
        (short && attributes.all_consumed() && code_attributes.all_consumed() && rest.is_blank()).then_some(())?;
        let is_within = text.tokens().iter().all(|token| self.count(token.raw(), '\n'));
        let lines = is_within.then(|| CodeLines::parse(self, text, depth))??;
        data.syntax = syntax;
        Some(code_block_node(data, lines))
    }
}

/// Builds code lines from text and elements.
struct CodeLines {
    done: Vec<BlockCodeLine>,
    nodes: Vec<CodeLineNode>,
    text: String,
    highlighted: bool,
    /// The highlighting ended within the current line, which is highlighted as a whole.
    ends: bool,
}

impl CodeLines {
    fn parse(parser: &mut MarkdownParser<'_, '_>, html: HtmlSlice<'_>, depth: usize) -> Option<Vec<BlockCodeLine>> {
        let mut lines = Self {
            done: Vec::new(),
            nodes: Vec::new(),
            text: String::new(),
            highlighted: false,
            ends: false,
        };
        let mut rest = html;
        while let Some(token) = rest.tokens().first() {
            let after = rest.after();
            rest = match token {
                HtmlToken::Text(text) => {
                    lines.push(&entities::decode(text));
                    after
                }
                HtmlToken::Open(element) if element.name == "strong" && element.attributes.all_consumed() => {
                    lines.highlighted = true;
                    after
                }
                HtmlToken::Close { name, .. } if name == "strong" => {
                    lines.end_highlight();
                    after
                }
                HtmlToken::Open(element) => {
                    let (inner, after) = rest.first_element(&element.name)?;
                    lines.end_text();
                    lines.nodes.push(CodeLineNode::CodeLineInline(parse_code_inline(
                        parser, element, inner, depth,
                    )?));
                    after
                }
                HtmlToken::Close { .. } | HtmlToken::Other(_) => return None,
            };
        }
        if !lines.text.is_empty() || !lines.nodes.is_empty() {
            lines.end_line();
        }
        Some(lines.done)
    }

    fn push(&mut self, text: &str) {
        for part in text.split_inclusive('\n') {
            match part.strip_suffix('\n') {
                Some(part) => {
                    self.text.push_str(part);
                    self.end_line();
                }
                None => self.text.push_str(part),
            }
        }
    }

    fn end_text(&mut self) {
        if !self.text.is_empty() {
            self.nodes.push(CodeLineNode::Text(builders::plain_text(&std::mem::take(
                &mut self.text,
            ))));
        }
    }

    fn end_highlight(&mut self) {
        match self.text.is_empty() && self.nodes.is_empty() {
            true => self.highlighted = false,
            false => self.ends = true,
        }
    }

    fn end_line(&mut self) {
        self.end_text();
        let nodes = std::mem::take(&mut self.nodes);
        self.done.push(code_line(nodes, self.highlighted));
        self.highlighted &= !std::mem::take(&mut self.ends);
    }
}

fn parse_code_inline(
    parser: &mut MarkdownParser<'_, '_>,
    element: &HtmlElement,
    inner: HtmlSlice<'_>,
    depth: usize,
) -> Option<CodeLineInline> {
    let text = match inner.tokens() {
        [] => String::new(),
        [HtmlToken::Text(text)] => entities::decode(text).into_owned(),
        _ => return None,
    };
    match inline_elements::parse_element(element, &[inline_tokens::InlineToken::Text(text.clone())]) {
        inline_elements::InlineElement::Inline(Inline::InlineExpression(expression)) => {
            Some(CodeLineInline::InlineExpression(expression))
        }
        inline_elements::InlineElement::Footnote(name) if parser.has_footnote(&name, depth) => {
            match parser.annotation(&name, vec![builders::plain_text(&text)], depth) {
                Inline::InlineAnnotation(annotation) => Some(CodeLineInline::InlineAnnotation(annotation)),
                _ => None,
            }
        }
        _ => None,
    }
}

pub fn text_line(text: &str) -> BlockCodeLine {
    let nodes = match text.is_empty() {
        true => Vec::new(),
        false => vec![CodeLineNode::Text(builders::plain_text(text))],
    };
    code_line(nodes, false)
}

fn code_line(nodes: Vec<CodeLineNode>, highlighted: bool) -> BlockCodeLine {
    BlockCodeLine {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data: BlockCodeLineData {
            highlighted: highlighted.then_some(true),
        },
        nodes: Some(nodes),
    }
}

pub(super) fn code_block_node(data: BlockCodeData, lines: Vec<BlockCodeLine>) -> DocumentBlock {
    BlockCode {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data,
        nodes: Some(lines),
    }
    .into()
}

/// Builds a block of code from text.
pub fn plain_block(text: &str) -> BlockCode {
    BlockCode {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data: default_data(None),
        nodes: Some(text.split('\n').map(text_line).collect()),
    }
}

/// Returns the part of an info string that gives a title.
fn titled(title: &str) -> String {
    match title.contains(char::is_whitespace) {
        true => format!("title=\"{title}\""),
        false => format!("title={title}"),
    }
}

/// Applies the options of a `code` tag to the first code block in it that has none beyond its info string. A tag without such
/// a block keeps its source.
pub fn apply_options(
    options: BlockCodeData,
    mut blocks: Vec<DocumentBlock>,
    raw: &str,
    closing: Option<&str>,
) -> Vec<DocumentBlock> {
    let has_no_options = |data: &BlockCodeData| {
        let BlockCodeData {
            syntax, title, info, ..
        } = data.clone();
        let bare = BlockCodeData {
            title,
            info,
            ..default_data(syntax)
        };
        *data == bare
    };
    let code = blocks.iter_mut().find_map(|block| match block {
        DocumentBlock::BlockCode(code) if has_no_options(&code.data) => Some(code),
        _ => None,
    });
    match code {
        Some(code) => {
            let own = std::mem::replace(&mut code.data, options);
            code.data.syntax = own.syntax.or(code.data.syntax.take());
            // The title of the tag is the one that the public editor writes; that of the fence stays in the info string.
            let (title, further) = match code.data.title.take() {
                Some(title) => (Some(title), own.title.map(|title| titled(&title))),
                None => (own.title, None),
            };
            code.data.title = title;
            let info: Vec<String> = further.into_iter().chain(own.info).collect();
            code.data.info = Some(info.join(" ")).filter(|info| !info.is_empty());
        }
        None => {
            let marker = |raw: &str| builders::source_paragraph(raw.trim_end(), String::new(), MarkSet::default());
            blocks.insert(0, marker(raw));
            blocks.extend(closing.map(marker));
        }
    }
    blocks
}
