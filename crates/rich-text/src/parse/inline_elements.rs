//! Inline HTML elements.

use openapi::models::{
    AnnotationBlock, AnnotationBodyFragment, ButtonAction, ContentRef, Inline, InlineAnnotation, InlineButton,
    InlineButtonData, InlineButtonDataKind, InlineButtonDataSize, InlineEmoji, InlineEmojiData, InlineExpression,
    InlineExpressionData, InlineIcon, InlineIconData, InlineImage, InlineImageData, InlineMath, InlineMathData,
    InlineMention, InlineMentionData, Text, TextColor,
};

use super::{
    MarkdownParser,
    attribute_values::length,
    container_kind::ContainerKind,
    hoist,
    inline_tokens::{ImageToken, InlineToken},
};
use crate::{
    nodes::{
        builders, emoji,
        enum_names::parse_enum_name,
        marks::{MarkColors, MarkStyle},
    },
    resolver::{ReferenceRole, into_media},
    syntax::{
        attributes::Attributes,
        html::{HtmlElement, HtmlToken},
    },
};

/// Maximum lengths in the contract.
const MAX_EMOJI_CODE_LENGTH: usize = 50;
const MAX_ICON_LENGTH: usize = 50;
const MAX_EXPRESSION_LENGTH: usize = 1024;
const MAX_FORMULA_LENGTH: usize = 10_000;
const MAX_LABEL_LENGTH: usize = 1000;
const MAX_SLUG_LENGTH: usize = 320;
const MAX_ALT_LENGTH: usize = 10_000;

/// The meaning of an inline HTML element.
pub enum InlineElement {
    Style(MarkStyle),
    Colors(MarkColors),
    Link {
        target: String,
        title: String,
    },
    Footnote(String),
    /// A complete inline, including the content of the element.
    Inline(Inline),
    Unresolved(UnresolvedInline),
    Nothing,
}

/// An inline with unresolved references.
pub enum UnresolvedInline {
    ButtonElement(ButtonElement),
    /// An image with a dark variant.
    Image {
        image: HtmlElement,
        dark: String,
    },
    Mention {
        target: String,
        label: String,
    },
}

impl UnresolvedInline {
    /// Links accept images.
    pub fn is_image(&self) -> bool {
        matches!(self, Self::Image { .. })
    }
}

pub struct ButtonElement {
    /// Empty for an inactive button; `None` for one with an action.
    target: Option<String>,
    action: Option<ButtonAction>,
    label: String,
    kind: InlineButtonDataKind,
    icon: Option<String>,
    size: Option<InlineButtonDataSize>,
}

pub fn parse_element(element: &HtmlElement, inner: &[InlineToken]) -> InlineElement {
    let mut attributes = element.attributes.clone();
    let style = |style: MarkStyle| match element.attributes.all_consumed() {
        true => InlineElement::Style(style),
        false => InlineElement::Nothing,
    };
    match element.name.as_str() {
        "strong" | "b" => style(MarkStyle::Bold),
        "em" => style(MarkStyle::Italic),
        "i" if !attributes.has("class") => style(MarkStyle::Italic),
        "del" | "s" | "strike" => style(MarkStyle::Strikethrough),
        "kbd" => style(MarkStyle::Keyboard),
        "sup" => style(MarkStyle::Superscript),
        "sub" => style(MarkStyle::Subscript),
        "code" if !attributes.has("class") => style(MarkStyle::Code),
        "mark" => colors(&mut attributes).map_or(InlineElement::Nothing, InlineElement::Colors),
        "a" => link(attributes, inner),
        "button" => button(attributes, inner),
        "picture" => picture(attributes, inner),
        "i" => icon(attributes, inner).map_or(InlineElement::Nothing, InlineElement::Inline),
        "code" => expression(attributes, inner).map_or(InlineElement::Nothing, InlineElement::Inline),
        "span" => span(attributes, inner).map_or(InlineElement::Nothing, InlineElement::Inline),
        _ => InlineElement::Nothing,
    }
}

/// `style="color:red;background-color:yellow;"`
fn colors(attributes: &mut Attributes) -> Option<MarkColors> {
    let mut colors = MarkColors {
        text: TextColor::Default,
        background: TextColor::Default,
    };
    let style = attributes.take("style")?;
    for rule in style.split(';').filter(|rule| !rule.trim().is_empty()) {
        let (property, value) = rule.split_once(':')?;
        let color = parse_enum_name(value.trim())?;
        match property.trim() {
            "color" => colors.text = color,
            "background-color" => colors.background = color,
            _ => return None,
        }
    }
    attributes.all_consumed().then_some(colors)
}

fn link(mut attributes: Attributes, inner: &[InlineToken]) -> InlineElement {
    let target = attributes.take("href");
    if attributes.take_flag("data-footnote-ref") == Some(true) {
        let note = target.and_then(|target| target.strip_prefix("#user-content-fn-").map(str::to_owned));
        return note
            .filter(|_| attributes.all_consumed())
            .map_or(InlineElement::Nothing, InlineElement::Footnote);
    }
    let class = attributes.take("class");
    let is_mention = attributes.take_flag("data-mention") == Some(true) || class.as_deref() == Some("mention");
    match (class.as_deref(), target) {
        (None | Some("mention"), Some(target)) if is_mention => match mention_text(inner) {
            Some(label) if attributes.all_consumed() => {
                InlineElement::Unresolved(UnresolvedInline::Mention { target, label })
            }
            _ => InlineElement::Nothing,
        },
        (None, Some(target)) => {
            let title = attributes.take_bounded("title", MAX_LABEL_LENGTH).unwrap_or_default();
            match attributes.all_consumed() {
                true => InlineElement::Link { target, title },
                false => InlineElement::Nothing,
            }
        }
        (Some(class), target) => button_element(class, Some(target.unwrap_or_default()), None, attributes, inner),
        (None, None) => InlineElement::Nothing,
    }
}

/// `<button type="button" class="button primary" data-action="ask" data-query="…" data-icon="…">Ask</button>`
fn button(mut attributes: Attributes, inner: &[InlineToken]) -> InlineElement {
    attributes.take_parsed("type", |kind| (kind == "button").then_some(()));
    let action = attributes
        .take_parsed("data-action", parse_enum_name)
        .map(|action| ButtonAction {
            action,
            query: attributes.take_bounded("data-query", MAX_ALT_LENGTH),
            slug: attributes.take_bounded("data-slug", MAX_SLUG_LENGTH),
        });
    match (attributes.take("class"), action) {
        (Some(class), Some(action)) => button_element(&class, None, Some(action), attributes, inner),
        _ => InlineElement::Nothing,
    }
}

fn button_element(
    class: &str,
    target: Option<String>,
    action: Option<ButtonAction>,
    mut attributes: Attributes,
    inner: &[InlineToken],
) -> InlineElement {
    let kind = match class {
        "button primary" | "button" => InlineButtonDataKind::Primary,
        "button secondary" => InlineButtonDataKind::Secondary,
        _ => return InlineElement::Nothing,
    };
    let button = plain_text(inner)
        .filter(|label| fits(label, MAX_LABEL_LENGTH))
        .map(|label| ButtonElement {
            target,
            action,
            label,
            kind,
            icon: attributes.take_bounded("data-icon", MAX_ICON_LENGTH),
            size: attributes.take_parsed("data-size", parse_enum_name),
        });
    match button {
        Some(button) if attributes.all_consumed() => InlineElement::Unresolved(UnresolvedInline::ButtonElement(button)),
        _ => InlineElement::Nothing,
    }
}

/// Returns the words of a mention.
pub fn mention_text(inner: &[InlineToken]) -> Option<String> {
    plain_text(inner).filter(|label| fits(label, MAX_ALT_LENGTH))
}

/// `<picture><source srcset="dark.png" media="(prefers-color-scheme: dark)"><img src="light.png" alt=""></picture>`
fn picture(attributes: Attributes, inner: &[InlineToken]) -> InlineElement {
    let tokens = inner
        .iter()
        .filter(|item| !matches!(item, InlineToken::SoftBreak))
        .filter(|item| !matches!(item, InlineToken::Text(text) if text.trim().is_empty()));
    let tokens: Vec<&InlineToken> = tokens.collect();
    let [
        InlineToken::Html(HtmlToken::Open(source)),
        InlineToken::Html(HtmlToken::Open(image)),
    ] = tokens.as_slice()
    else {
        return InlineElement::Nothing;
    };
    match dark_source(source) {
        Some(dark) if image.name == "img" && attributes.all_consumed() => {
            InlineElement::Unresolved(UnresolvedInline::Image {
                image: (**image).clone(),
                dark,
            })
        }
        _ => InlineElement::Nothing,
    }
}

pub fn dark_source(source: &HtmlElement) -> Option<String> {
    let mut attributes = source.attributes.clone();
    let media = attributes.take("media")?;
    let dark = attributes.take("srcset")?;
    (source.name == "source" && media == "(prefers-color-scheme: dark)" && attributes.all_consumed()).then_some(dark)
}

/// `<i class="fa-rocket" style="color:red;">:rocket:</i>`
fn icon(mut attributes: Attributes, inner: &[InlineToken]) -> Option<Inline> {
    let icon = attributes.take("class")?.strip_prefix("fa-")?.to_owned();
    let color = match attributes.has("style") {
        true => Some(
            colors(&mut attributes)
                .filter(|colors| colors.background == TextColor::Default)?
                .text,
        ),
        false => None,
    };
    let label = plain_text(inner)?;
    let repeated = label.is_empty() || label == format!(":{icon}:");
    (attributes.all_consumed() && repeated && fits(&icon, MAX_ICON_LENGTH)).then(|| {
        Inline::from(InlineIcon {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: InlineIconData { icon, color },
        })
    })
}

/// `<code class="expression">space.vars.version</code>`
pub fn expression(mut attributes: Attributes, inner: &[InlineToken]) -> Option<Inline> {
    let class = attributes.take("class")?;
    let expression = plain_text(inner)?;
    let understood = class == "expression" && attributes.all_consumed() && fits(&expression, MAX_EXPRESSION_LENGTH);
    understood.then(|| Inline::InlineExpression(expression_node(expression)))
}

pub fn expression_node(expression: String) -> InlineExpression {
    InlineExpression {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data: InlineExpressionData { expression },
    }
}

/// A math formula or an emoji in its long form.
fn span(mut attributes: Attributes, inner: &[InlineToken]) -> Option<Inline> {
    let label = plain_text(inner)?;
    if attributes.take("class").as_deref() == Some("math") {
        return attributes.all_consumed().then(|| math_node(&label))?;
    }
    let code = attributes.take("data-code")?;
    let is_emoji = attributes.take("data-tag").as_deref() == Some("emoji");
    let repeated = label.is_empty() || emoji::emoji_characters(&code).is_some_and(|characters| characters == label);
    attributes.take_flag("data-gb-custom-inline");
    (is_emoji && repeated && attributes.all_consumed()).then(|| emoji_node(&code))?
}

pub fn math_node(formula: &str) -> Option<Inline> {
    fits(formula, MAX_FORMULA_LENGTH).then(|| {
        Inline::from(InlineMath {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: InlineMathData {
                formula: formula.to_owned(),
            },
        })
    })
}

pub fn emoji_node(code: &str) -> Option<Inline> {
    fits(code, MAX_EMOJI_CODE_LENGTH).then(|| {
        Inline::from(InlineEmoji {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: InlineEmojiData { code: code.to_owned() },
        })
    })
}

/// Builds a mention. Words that only repeat the target are no words of the author.
pub fn mention_node(reference: ContentRef, label: String, target: &str) -> Inline {
    Inline::from(InlineMention {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data: InlineMentionData {
            r#ref: reference,
            text: Some(label).filter(|label| label != target && !label.is_empty()),
        },
    })
}

fn fits(text: &str, most: usize) -> bool {
    text.chars().count() <= most
}

/// Returns the text of tokens that contain nothing but text; emoji count as their shortcode.
pub fn plain_text(items: &[InlineToken]) -> Option<String> {
    let mut plain = String::new();
    for item in items {
        match item {
            InlineToken::Text(text) => plain.push_str(text),
            InlineToken::SoftBreak => plain.push(' '),
            InlineToken::Break => plain.push('\n'),
            InlineToken::Emoji { name, .. } => plain.extend([":", name, ":"]),
            InlineToken::Html(HtmlToken::Open(element))
                if element.name == "br" && element.attributes.all_consumed() =>
            {
                plain.push('\n')
            }
            _ => return None,
        }
    }
    Some(plain)
}

impl MarkdownParser<'_, '_> {
    pub(super) fn resolve_inline(&mut self, unresolved: UnresolvedInline) -> Option<Inline> {
        match unresolved {
            UnresolvedInline::Image { image, dark } => self.image_of_html(&image, Some(&dark)),
            UnresolvedInline::Mention { target, label } => {
                let reference = self.resolve(ReferenceRole::Link, &target)?;
                Some(mention_node(reference, label, &target))
            }
            UnresolvedInline::ButtonElement(button) => Some(Inline::from(InlineButton {
                object: Default::default(),
                r#type: Default::default(),
                key: None,
                is_void: Default::default(),
                data: InlineButtonData {
                    label: button.label,
                    kind: button.kind,
                    icon: button.icon,
                    size: button.size,
                    r#ref: match button.target {
                        Some(target) => Some(self.resolve(ReferenceRole::Link, &target)?),
                        None => None,
                    },
                    action: button.action,
                },
            })),
        }
    }

    pub(super) fn inline_image(&mut self, picture: &ImageToken) -> Option<Inline> {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        (fits(&picture.alt, MAX_ALT_LENGTH) && fits(&picture.title, MAX_ALT_LENGTH)).then_some(())?;
        Some(image_node(InlineImageData {
            r#ref: into_media(self.resolve(ReferenceRole::Media, &picture.target)?)?,
            ref_dark: None,
            caption: text(&picture.title),
            alt: text(&picture.alt),
            size: None,
            width: None,
            height: None,
        }))
    }

    pub(super) fn image_of_html(&mut self, element: &HtmlElement, dark: Option<&str>) -> Option<Inline> {
        let mut attributes = element.attributes.clone();
        let target = attributes.take("src")?;
        let text = |text: String| Some(text).filter(|text| !text.is_empty());
        let alt = attributes.take_bounded("alt", MAX_ALT_LENGTH).and_then(text);
        let caption = attributes.take_bounded("title", MAX_ALT_LENGTH).and_then(text);
        let size = attributes.take_parsed("data-size", parse_enum_name);
        let width = attributes.take_parsed("width", length);
        let height = attributes.take_parsed("height", length);
        attributes.all_consumed().then_some(())?;
        Some(image_node(InlineImageData {
            r#ref: into_media(self.resolve(ReferenceRole::Media, &target)?)?,
            ref_dark: match dark {
                Some(dark) => Some(into_media(self.resolve(ReferenceRole::Media, dark)?)?),
                None => None,
            },
            caption,
            alt,
            size,
            width,
            height,
        }))
    }

    /// Returns whether a footnote can become an annotation: defined, no part of itself, and within the limits.
    pub(super) fn has_footnote(&self, name: &str, depth: usize) -> bool {
        let Some(node) = self.footnotes.get(name) else {
            return false;
        };
        let is_new = !self.definitions.is_footnote_used(name);
        depth + ANNOTATION_LEVELS <= self.limits.depth
            && !self.open_footnotes.iter().any(|open| open == name)
            && (is_new || self.definitions.may_repeat(self.length_of(node)))
    }

    /// Builds an annotation of `nodes` with the footnote of this name as its body.
    pub(super) fn annotation(&mut self, name: &str, nodes: Vec<Text>, depth: usize) -> Inline {
        let is_repeated = self.definitions.is_footnote_used(name);
        self.definitions.mark_footnote_used(name);
        let mut blocks = Vec::new();
        if let Some(node) = self.footnotes.get(name).copied() {
            if is_repeated {
                self.definitions.mark_repeated(self.length_of(node));
            }
            self.open_footnotes.push(name.to_owned());
            blocks = self.blocks(node, ContainerKind::Annotation, depth + ANNOTATION_LEVELS);
            self.open_footnotes.pop();
        }
        let (mut body, outside) = hoist::split_at_first(blocks);
        if !is_repeated {
            self.hoisted.extend(outside);
        }
        if body.is_empty() {
            body.push(AnnotationBlock::BlockParagraph(builders::paragraph(Vec::new())));
        }
        Inline::from(InlineAnnotation {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: None,
            nodes: Some(nodes),
            fragments: vec![AnnotationBodyFragment {
                object: Default::default(),
                key: None,
                fragment: None,
                r#type: Default::default(),
                nodes: body,
            }],
        })
    }
}

/// Nesting levels that an annotation adds: its own and that of its body.
const ANNOTATION_LEVELS: usize = 2;

fn image_node(data: InlineImageData) -> Inline {
    Inline::from(InlineImage {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data,
    })
}
