//! Code blocks.

use openapi::error::ErrorRule;
use openapi::models::{BlockCode, BlockCodeData, BlockCodeDataOverflow, BlockCodeLine, CodeLineInline, CodeLineNode};

use super::{MarkdownRenderer, attributes::attribute, containers::TagBuilder, styled_text::longest_run};
use crate::{
    error::DocumentError,
    syntax::{entities, escape, fence_info::FenceInfo},
};

/// The default of `collapsedLineCount`.
const DEFAULT_COLLAPSED_LINES: u32 = 10;

impl<'d> MarkdownRenderer<'d, '_> {
    pub(super) fn code_block(&mut self, code: &'d BlockCode) -> Result<(), DocumentError> {
        let data = &code.data;
        let lines = code.nodes.as_deref().unwrap_or_default();
        let overflow = (data.overflow == BlockCodeDataOverflow::Wrap).then_some("wrap");
        let count =
            (data.collapsed_line_count != DEFAULT_COLLAPSED_LINES).then(|| data.collapsed_line_count.to_string());
        let plain = TagBuilder::new("code").build();
        let tag = TagBuilder::new("code")
            .optional("title", data.title.as_deref())
            .optional("overflow", overflow);
        let tag = tag
            .flag("lineNumbers", data.line_numbers)
            .flag("fullWidth", data.full_width);
        let tag = tag
            .flag("expandable", data.expandable)
            .optional("collapsedLineCount", count.as_deref());
        let tag = Some(tag.build()).filter(|tag| *tag != plain);
        if let Some(tag) = &tag {
            self.out.tag(tag);
        }
        match fence_info(data).filter(|_| lines.iter().all(is_plain)) {
            Some(info) => self.fenced(&info, lines)?,
            None => self.html_code(data, lines)?,
        }
        if tag.is_some() {
            self.out.tag("{% endcode %}");
        }
        Ok(())
    }

    fn fenced(&mut self, info: &str, lines: &[BlockCodeLine]) -> Result<(), DocumentError> {
        let mut text = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let content = self.with_path("nodes", index, |renderer| renderer.line_text(line))?;
            text.push(content);
        }
        let longest = text.iter().map(|line| longest_run(line, '`')).max().unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        let mut escaped = String::new();
        escape::escape_info(info, &mut escaped);
        self.out.line(&format!("{fence}{escaped}"));
        for line in &text {
            self.out.line(line);
        }
        self.out.line(&fence);
        Ok(())
    }

    /// Returns the text of a code line without inlines.
    fn line_text(&self, line: &BlockCodeLine) -> Result<String, DocumentError> {
        let mut content = String::new();
        for node in line.nodes.iter().flatten() {
            if let CodeLineNode::Text(text) = node {
                for leaf in &text.leaves {
                    if !leaf.marks.is_empty() {
                        return Err(self.error(ErrorRule::MarksInCode, "Text in a code block cannot have marks."));
                    }
                    content.push_str(&leaf.text);
                }
            }
        }
        Ok(content)
    }

    /// Renders code that a fence cannot express as HTML.
    fn html_code(&mut self, data: &BlockCodeData, lines: &'d [BlockCodeLine]) -> Result<(), DocumentError> {
        let html = self.pre(data, "", lines)?;
        self.out.lines(&html);
        Ok(())
    }

    /// Renders code with its options as HTML.
    pub(super) fn code_lines_html(
        &mut self,
        data: &BlockCodeData,
        lines: &'d [BlockCodeLine],
    ) -> Result<String, DocumentError> {
        let mut attributes = String::new();
        if let Some(title) = data.title.as_deref().filter(|title| !title.is_empty()) {
            attributes.push_str(&format!(" {}", attribute("data-title", title)));
        }
        if data.overflow == BlockCodeDataOverflow::Wrap {
            attributes.push_str(" data-overflow=\"wrap\"");
        }
        for (name, value) in [
            ("data-line-numbers", data.line_numbers),
            ("data-full-width", data.full_width),
            ("data-expandable", data.expandable),
        ] {
            if let Some(value) = value {
                attributes.push_str(&format!(" {name}=\"{value}\""));
            }
        }
        self.pre(data, &attributes, lines)
    }

    fn pre(
        &mut self,
        data: &BlockCodeData,
        attributes: &str,
        lines: &'d [BlockCodeLine],
    ) -> Result<String, DocumentError> {
        let info = data.info.as_deref().filter(|info| !info.is_empty());
        let info = info.map(|info| format!(" {}", attribute("data-info", info)));
        let info = info.unwrap_or_default();
        let class = |prefix: &str| match data.syntax.as_deref().filter(|syntax| !syntax.is_empty()) {
            Some(syntax) => format!(" {}", attribute("class", &format!("{prefix}{syntax}"))),
            None => String::new(),
        };
        let mut html = format!("<pre{}{attributes}{info}><code{}>", class("language-"), class("lang-"));
        for (index, line) in lines.iter().enumerate() {
            let text = self.with_path("nodes", index, |renderer| renderer.html_line(line))?;
            match line.data.highlighted {
                Some(true) => html.extend(["<strong>", &text, "\n</strong>"]),
                Some(false) | None => html.extend([&text, "\n"]),
            }
        }
        html.push_str("</code></pre>");
        Ok(html)
    }

    fn html_line(&mut self, line: &'d BlockCodeLine) -> Result<String, DocumentError> {
        let mut html = String::new();
        for (index, node) in line.nodes.iter().flatten().enumerate() {
            match node {
                CodeLineNode::Text(text) => {
                    for leaf in &text.leaves {
                        if !leaf.marks.is_empty() {
                            return Err(self.error(ErrorRule::MarksInCode, "Text in a code block cannot have marks."));
                        }
                        encode_code(&leaf.text, &mut html);
                    }
                }
                CodeLineNode::CodeLineInline(inline) => {
                    let written = self.with_path("nodes", index, |renderer| renderer.code_inline(inline))?;
                    html.push_str(&written);
                }
            }
        }
        Ok(html)
    }

    fn code_inline(&mut self, inline: &'d CodeLineInline) -> Result<String, DocumentError> {
        let mut html = String::new();
        match inline {
            CodeLineInline::InlineExpression(it) => {
                html.push_str("<code class=\"expression\">");
                encode_code(&it.data.expression, &mut html);
                html.push_str("</code>");
            }
            CodeLineInline::InlineAnnotation(annotation) => {
                let [fragment] = annotation.fragments.as_slice() else {
                    return Err(self.error(
                        ErrorRule::Annotation,
                        "`fragments` must contain exactly one annotation body.",
                    ));
                };
                let number = self.add_footnote(fragment);
                html.push_str(&format!("<a data-footnote-ref href=\"#user-content-fn-{number}\">"));
                let leaves = annotation.nodes.iter().flatten().flat_map(|text| &text.leaves);
                for leaf in leaves {
                    if !leaf.marks.is_empty() {
                        return Err(self.error(ErrorRule::MarksInCode, "Text in a code block cannot have marks."));
                    }
                    encode_code(&leaf.text, &mut html);
                }
                html.push_str("</a>");
            }
        }
        Ok(html)
    }
}

/// Returns the info string of a fence. `None`: as an info string the language and what follows it would be others.
fn fence_info(data: &BlockCodeData) -> Option<String> {
    let (syntax, rest) = (
        data.syntax.as_deref().unwrap_or_default(),
        data.info.as_deref().unwrap_or_default(),
    );
    let written = format!("{syntax} {rest}").trim_end().to_owned();
    let read = FenceInfo::parse(&written);
    (read.syntax == syntax && read.title.is_none() && read.rest == rest).then_some(written)
}

fn is_plain(line: &BlockCodeLine) -> bool {
    let only_text = line
        .nodes
        .iter()
        .flatten()
        .all(|node| matches!(node, CodeLineNode::Text(_)));
    only_text && line.data.highlighted != Some(true)
}

/// Escapes text in code. Fence and math characters become entities, because both are recognized line by line.
fn encode_code(text: &str, html: &mut String) {
    for c in text.chars() {
        match c {
            '`' | '~' | '$' => entities::encode_numeric(c, html),
            c => entities::encode(c.encode_utf8(&mut [0; 4]), html),
        }
    }
}
