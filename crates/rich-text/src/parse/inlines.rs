//! Inline nodes from inline tokens.

use comrak::Node;
use openapi::models::{Inline, InlineLink, InlineLinkData, InlineNode};

use super::{
    MarkdownParser,
    inline_builder::{self, InlineBuilder},
    inline_elements::{self, InlineElement},
    inline_tokens::{self, InlineToken, MarkdownSpan},
};
use crate::{
    nodes::{
        builders, emoji,
        marks::{MarkColors, MarkStyle},
        plain_text,
    },
    resolver::ReferenceRole,
    syntax::html::{HtmlElement, HtmlToken},
};

/// The effect of an open token until its closing token.
enum SpanEffect {
    Style(MarkStyle),
    Colors,
    /// A link or an annotation, with the nodes before it.
    Capture(Capture, Vec<InlineNode>),
    /// None: the closing tag keeps its source, like the opening one.
    Source {
        is_word: bool,
    },
}

enum Capture {
    Link { target: String, title: String },
    Footnote(String),
}

/// The next token to process.
enum NextToken {
    Next,
    /// The token after this one.
    SkipTo(usize),
}

impl<'a> MarkdownParser<'a, '_> {
    pub(super) fn inlines(&mut self, node: Node<'a>, depth: usize) -> Vec<InlineNode> {
        let items = self.items(node);
        self.inlines_of(items, depth)
    }

    pub(super) fn inlines_of(&mut self, items: Vec<InlineToken>, depth: usize) -> Vec<InlineNode> {
        let pairs = inline_tokens::match_pairs(&items);
        let mut inlines = InlineParser {
            parser: self,
            pairs,
            effects: Vec::new(),
            capturing: false,
            depth,
            builder: InlineBuilder::default(),
            items,
        };
        let mut at = 0;
        while at < inlines.items.len() {
            at = match inlines.item(at) {
                NextToken::Next => at + 1,
                NextToken::SkipTo(last) => last + 1,
            };
        }
        inlines.builder.finish()
    }
}

struct InlineParser<'l, 'a, 'r> {
    parser: &'l mut MarkdownParser<'a, 'r>,
    items: Vec<InlineToken>,
    pairs: Vec<Option<usize>>,
    /// By the index of the closing token.
    effects: Vec<(usize, SpanEffect)>,
    /// A link or an annotation is open: they cannot be nested.
    capturing: bool,
    depth: usize,
    builder: InlineBuilder,
}

impl InlineParser<'_, '_, '_> {
    fn item(&mut self, at: usize) -> NextToken {
        let pair = self.pairs.get(at).copied().flatten();
        let Some(item) = self.items.get_mut(at) else {
            return NextToken::Next;
        };
        // The main loop visits a token once; only tokens within an open span are needed again, and they are still in
        // place.
        match std::mem::replace(item, InlineToken::Text(String::new())) {
            InlineToken::Text(text) => self.builder.text(&text),
            InlineToken::Source(source) => self.builder.source(&source, ""),
            InlineToken::SoftBreak => self.builder.text(" "),
            InlineToken::Break => self.builder.text("\n"),
            InlineToken::Delimiters { sign, length } => self.builder.text(&String::from(sign).repeat(length)),
            InlineToken::Code(text) => self.builder.code(&text),
            InlineToken::Formula(formula) => self.push(inline_elements::math_node(&formula), &format!("$${formula}$$")),
            InlineToken::Emoji { code, name } => {
                let fallback = emoji::emoji_characters(&code).unwrap_or(name);
                self.push(inline_elements::emoji_node(&code), &fallback);
            }
            InlineToken::Footnote(name) => self.footnote(&name),
            InlineToken::Image(picture) => match self.parser.inline_image(&picture) {
                Some(image) => self.builder.inline(image),
                None => self
                    .builder
                    .text(&format!("![{}]({} {})", picture.alt, picture.target, picture.title)),
            },
            InlineToken::Html(token) => return self.html(token, at, pair),
            InlineToken::Open(MarkdownSpan::Style(style)) => self.open_style(style, pair),
            InlineToken::Open(MarkdownSpan::Link { target, title }) => return self.link(target, title, pair),
            InlineToken::Close => self.end(at),
        }
        NextToken::Next
    }

    /// Adds an inline, or its text within a link, which accepts only text and images.
    fn push(&mut self, inline: Option<Inline>, fallback: &str) {
        match inline {
            Some(inline) if !self.capturing => self.builder.inline(inline),
            _ => self.builder.text(fallback),
        }
    }

    fn open_style(&mut self, style: MarkStyle, pair: Option<usize>) {
        if let Some(end) = pair {
            self.builder.open(style);
            self.effects.push((end, SpanEffect::Style(style)));
        }
    }

    fn end(&mut self, at: usize) {
        let Some((_, effect)) = self.effects.pop_if(|(end, _)| *end == at) else {
            return;
        };
        match effect {
            SpanEffect::Style(style) => self.builder.close(style),
            SpanEffect::Colors => self.builder.close_colors(),
            SpanEffect::Source { .. } => {}
            SpanEffect::Capture(capture, before) => {
                let nodes = self.builder.leave(before);
                self.capturing = false;
                self.finish_capture(capture, nodes);
            }
        }
    }

    fn finish_capture(&mut self, capture: Capture, nodes: Vec<InlineNode>) {
        match capture {
            Capture::Link { target, title } => match self.parser.resolve(ReferenceRole::Link, &target) {
                Some(reference) => {
                    self.builder.inline(Inline::from(InlineLink {
                        object: Default::default(),
                        r#type: Default::default(),
                        key: None,
                        is_void: None,
                        data: InlineLinkData {
                            r#ref: reference,
                            title: Some(title).filter(|title| !title.is_empty()),
                        },
                        nodes: Some(inline_builder::link_nodes(nodes)),
                    }));
                }
                None => {
                    let fallback = plain_text::of_inlines(&nodes);
                    let target = format!("{target} {title}");
                    self.builder.text(&format!("[{fallback}]({})", target.trim_end()));
                }
            },
            Capture::Footnote(name) => {
                let note = self.parser.annotation(&name, inline_builder::texts(nodes), self.depth);
                self.builder.inline(note);
            }
        }
    }

    fn capture(&mut self, end: usize, capture: Capture) {
        let before = self.builder.enter();
        self.capturing = true;
        self.effects.push((end, SpanEffect::Capture(capture, before)));
    }

    /// Opens a link, or an annotation if a footnote reference follows.
    fn link(&mut self, target: String, title: String, pair: Option<usize>) -> NextToken {
        let Some(end) = pair else {
            return NextToken::Next;
        };
        if self.capturing {
            // The link text stays as text, followed by the target.
            self.builder.text(&format!("({target} {title})"));
            return NextToken::Next;
        }
        if let Some(InlineToken::Footnote(name)) = self.items.get(end + 1)
            && target.strip_prefix("#user-content-fn-") == Some(name)
            && self.parser.has_footnote(name, self.depth)
        {
            let name = name.clone();
            if let Some(reference) = self.items.get_mut(end + 1) {
                *reference = InlineToken::Text(String::new());
            }
            self.capture(end, Capture::Footnote(name));
            return NextToken::Next;
        }
        if title == "mention"
            && let Some(label) = self.plain_text_before(end)
        {
            let mention = self.parser.resolve(ReferenceRole::Link, &target);
            if let Some(mention) = mention.map(|reference| inline_elements::mention_node(reference, label, &target)) {
                self.builder.inline(mention);
                return NextToken::SkipTo(end);
            }
        }
        self.capture(end, Capture::Link { target, title });
        NextToken::Next
    }

    /// Returns the words of a link that has nothing but text.
    fn plain_text_before(&self, end: usize) -> Option<String> {
        let begin = self.pairs.get(end).copied().flatten().unwrap_or(end);
        let inner = self.items.get(begin + 1..end).unwrap_or_default();
        inline_elements::mention_text(inner)
    }

    fn footnote(&mut self, name: &str) {
        if !self.capturing && self.parser.has_footnote(name, self.depth) {
            let text = builders::plain_text(name);
            let note = self.parser.annotation(name, vec![text], self.depth);
            self.builder.inline(note);
        } else {
            self.builder.text(&format!("[^{name}]"));
        }
    }

    fn html(&mut self, token: HtmlToken, at: usize, pair: Option<usize>) -> NextToken {
        let is_word = token.is_word();
        match (token, pair) {
            (HtmlToken::Open(element), Some(end)) if end > at => return self.element(&element, is_word, at, end),
            (HtmlToken::Open(element), _) => self.void_element(&element, is_word),
            (HtmlToken::Close { raw, .. }, Some(_)) => match self.effects.last() {
                Some((end, SpanEffect::Source { is_word })) if *end == at => {
                    let is_word = *is_word;
                    self.effects.pop();
                    self.tag_source(&raw, is_word);
                }
                Some((end, _)) if *end == at => self.end(at),
                _ => self.tag_source(&raw, false),
            },
            (HtmlToken::Close { raw, .. } | HtmlToken::Other(raw), _) => self.tag_source(&raw, is_word),
            (HtmlToken::Text(raw), _) => self.builder.text(&raw),
        }
        NextToken::Next
    }

    /// Adds an element with its content up to the token `end`.
    fn element(&mut self, element: &HtmlElement, is_word: bool, at: usize, end: usize) -> NextToken {
        let inner = self.items.get(at + 1..end).unwrap_or_default();
        match inline_elements::parse_element(element, inner) {
            InlineElement::Style(style) => self.open_style(style, Some(end)),
            InlineElement::Colors(colors) => self.open_colors(colors, end),
            InlineElement::Link { target, title } if !self.capturing => {
                self.capture(end, Capture::Link { target, title });
            }
            InlineElement::Footnote(name) if !self.capturing && self.parser.has_footnote(&name, self.depth) => {
                self.capture(end, Capture::Footnote(name));
            }
            InlineElement::Inline(inline) if !self.capturing => {
                self.builder.inline(inline);
                return NextToken::SkipTo(end);
            }
            InlineElement::Unresolved(unresolved) if !self.capturing || unresolved.is_image() => {
                if let Some(inline) = self.parser.resolve_inline(unresolved) {
                    self.builder.inline(inline);
                    return NextToken::SkipTo(end);
                }
                self.open_source(element, is_word, end);
            }
            _ => self.open_source(element, is_word, end),
        }
        NextToken::Next
    }

    fn open_source(&mut self, element: &HtmlElement, is_word: bool, end: usize) {
        self.tag_source(&element.raw, is_word);
        self.effects.push((end, SpanEffect::Source { is_word }));
    }

    /// Adds a tag that keeps its source. A word in angle brackets stands for itself.
    fn tag_source(&mut self, raw: &str, is_word: bool) {
        self.builder.source(raw, if is_word { raw } else { "" });
    }

    fn open_colors(&mut self, colors: MarkColors, end: usize) {
        self.builder.open_colors(colors);
        self.effects.push((end, SpanEffect::Colors));
    }

    fn void_element(&mut self, element: &HtmlElement, is_word: bool) {
        if element.name == "br" && element.attributes.all_consumed() {
            self.builder.text("\n");
            return;
        }
        let image = match element.name.as_str() {
            "img" => self.parser.image_of_html(element, None),
            _ => None,
        };
        match image {
            Some(image) => self.builder.inline(image),
            None => self.tag_source(&element.raw, is_word),
        }
    }
}
