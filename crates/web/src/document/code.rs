//! Blocks of code.

use openapi::models::{BlockCode, BlockCodeDataOverflow, BlockCodeLine, CodeLineInline, CodeLineNode};

use super::{Writer, blocks::apart};

use crate::{Html, code};

impl Writer<'_> {
    pub(super) fn code(&mut self, block: &BlockCode) {
        let data = &block.data;
        let lines = block.nodes.as_deref().unwrap_or_default();
        let title = data.title.as_deref().filter(|title| !title.trim().is_empty());
        self.html.markup("<figure class=\"code\">");
        if let Some(title) = title {
            self.html.markup("<figcaption>");
            self.html.text(title);
            self.html.markup("</figcaption>");
        }
        let is_folded = data.expandable == Some(true) && lines.len() > line_count(data.collapsed_line_count);
        if is_folded {
            self.html.markup("<details><summary>");
            self.html.text(self.words.show_all);
            self.html.markup("</summary>");
        }
        let mut classes = Vec::new();
        classes.extend((data.line_numbers == Some(true)).then_some("numbered"));
        classes.extend((data.overflow == BlockCodeDataOverflow::Wrap).then_some("wrap"));
        let class = Some(classes.join(" ")).filter(|class| !class.is_empty());
        let start = self.html.open("pre").attribute("dir", "ltr").attribute("tabindex", "0");
        drop(start.optional("class", class.as_deref()));
        let language = data.syntax.as_deref().unwrap_or_default();
        drop(
            self.html
                .open("code")
                .optional("data-language", Some(language).filter(|it| !it.is_empty())),
        );
        self.code_lines(language, lines);
        self.html.markup("</code></pre>");
        if is_folded {
            self.html.markup("</details>");
        }
        self.html.markup("</figure>");
    }

    fn code_lines(&mut self, language: &str, lines: &[BlockCodeLine]) {
        let plain: Option<Vec<String>> = lines.iter().map(plain_line).collect();
        let highlighted = plain.and_then(|plain| code::highlight(language, &plain));
        for (number, line) in lines.iter().enumerate() {
            let html = match highlighted.as_ref().and_then(|lines| lines.get(number)) {
                Some(html) => html.clone(),
                None => self.code_line(line),
            };
            let class = if line.data.highlighted == Some(true) {
                "line marked"
            } else {
                "line"
            };
            drop(self.html.open("span").attribute("class", class));
            self.html.append(&html);
            self.html.markup("\n</span>");
        }
    }

    fn code_line(&mut self, line: &BlockCodeLine) -> Html {
        apart(self, |writer| {
            for node in line.nodes.as_deref().unwrap_or_default() {
                match node {
                    CodeLineNode::Text(text) => text.leaves.iter().for_each(|leaf| writer.html.text(&leaf.text)),
                    CodeLineNode::CodeLineInline(CodeLineInline::InlineAnnotation(it)) => writer.annotation(it),
                    CodeLineNode::CodeLineInline(CodeLineInline::InlineExpression(it)) => {
                        writer.html.text(&it.data.expression);
                    }
                }
            }
        })
    }
}

fn line_count(count: impl TryInto<usize>) -> usize {
    count.try_into().unwrap_or(usize::MAX)
}

/// The text of a line. `None`: something else is in it.
fn plain_line(line: &BlockCodeLine) -> Option<String> {
    let nodes = line.nodes.as_deref().unwrap_or_default().iter();
    let texts = nodes.map(|node| match node {
        CodeLineNode::Text(text) => Some(text.leaves.iter().map(|leaf| leaf.text.as_str()).collect::<String>()),
        CodeLineNode::CodeLineInline(_) => None,
    });
    texts.collect()
}
