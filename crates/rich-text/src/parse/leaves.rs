//! What single elements within a line mean.

use openapi::models::{
    AnnotationBlock, AnnotationBodyFragment, ContentRef, Inline, InlineAnnotation, InlineButton, InlineButtonData,
    InlineButtonDataKind, InlineEmoji, InlineEmojiData, InlineExpression, InlineExpressionData, InlineIcon,
    InlineIconData, InlineImage, InlineImageData, InlineMath, InlineMathData, InlineMention, InlineMentionData, Text,
    TextColor,
};

use super::{
    Place, Reader, hoist,
    items::{Item, Picture},
};
use crate::{
    nodes::{
        emoji,
        enum_names::from_word,
        make,
        marks::{Colors, Style},
    },
    references::{Role, media},
    syntax::{
        attributes::Attributes,
        html::{Element, Token},
    },
};

/// What the contract allows for texts of inlines.
const CODE: usize = 50;
const ICON: usize = 50;
const EXPRESSION: usize = 1024;
const FORMULA: usize = 10_000;
const LABEL: usize = 1000;
const DESCRIPTION: usize = 10_000;

/// What an element around other items means.
pub enum Enclosing {
    Style(Style),
    Colors(Colors),
    Link(String),
    Note(String),
    /// With everything in it.
    Inline(Inline),
    Referring(Referring),
    Nothing,
}

/// An inline with references still to be resolved.
pub enum Referring {
    Button(Button),
    /// A picture with one for dark themes.
    Picture {
        image: Element,
        dark: String,
    },
    Mention(String),
}

impl Referring {
    /// A link may have pictures.
    pub fn is_picture(&self) -> bool {
        matches!(self, Self::Picture { .. })
    }
}

pub struct Button {
    target: String,
    label: String,
    kind: InlineButtonDataKind,
    icon: Option<String>,
}

pub fn enclosing(element: &Element, inner: &[Item]) -> Enclosing {
    let mut attributes = element.attributes.clone();
    let style = |style: Style| match element.attributes.done() {
        true => Enclosing::Style(style),
        false => Enclosing::Nothing,
    };
    match element.name.as_str() {
        "strong" | "b" => style(Style::Bold),
        "em" => style(Style::Italic),
        "i" if !attributes.has("class") => style(Style::Italic),
        "del" | "s" | "strike" => style(Style::Strikethrough),
        "kbd" => style(Style::Keyboard),
        "sup" => style(Style::Superscript),
        "sub" => style(Style::Subscript),
        "code" if !attributes.has("class") => style(Style::Code),
        "mark" => colors(&mut attributes).map_or(Enclosing::Nothing, Enclosing::Colors),
        "a" => link(attributes, inner),
        "picture" => picture(attributes, inner),
        "i" => icon(attributes, inner).map_or(Enclosing::Nothing, Enclosing::Inline),
        "code" => expression(attributes, inner).map_or(Enclosing::Nothing, Enclosing::Inline),
        "span" => span(attributes, inner).map_or(Enclosing::Nothing, Enclosing::Inline),
        _ => Enclosing::Nothing,
    }
}

/// `style="color:red;background-color:yellow;"`
fn colors(attributes: &mut Attributes) -> Option<Colors> {
    let mut colors = Colors {
        text: TextColor::Default,
        background: TextColor::Default,
    };
    let style = attributes.take("style")?;
    for rule in style.split(';').filter(|rule| !rule.trim().is_empty()) {
        let (property, value) = rule.split_once(':')?;
        let color = from_word(value.trim())?;
        match property.trim() {
            "color" => colors.text = color,
            "background-color" => colors.background = color,
            _ => return None,
        }
    }
    attributes.done().then_some(colors)
}

fn link(mut attributes: Attributes, inner: &[Item]) -> Enclosing {
    let Some(target) = attributes.take("href") else {
        return Enclosing::Nothing;
    };
    if attributes.take_flag("data-footnote-ref") == Some(true) {
        let note = target.strip_prefix("#user-content-fn-").map(str::to_owned);
        return note
            .filter(|_| attributes.done())
            .map_or(Enclosing::Nothing, Enclosing::Note);
    }
    let class = attributes.take("class");
    let kind = match class.as_deref() {
        None if attributes.done() => return Enclosing::Link(target),
        Some("button primary" | "button") => InlineButtonDataKind::Primary,
        Some("button secondary") => InlineButtonDataKind::Secondary,
        Some("mention") if attributes.done() && plain(inner).is_some_and(|words| target.contains(&words)) => {
            return Enclosing::Referring(Referring::Mention(target));
        }
        _ => return Enclosing::Nothing,
    };
    let button = plain(inner).filter(|label| fits(label, LABEL)).map(|label| Button {
        target,
        label,
        kind,
        icon: attributes.take_short("data-icon", ICON),
    });
    match button {
        Some(button) if attributes.done() => Enclosing::Referring(Referring::Button(button)),
        _ => Enclosing::Nothing,
    }
}

/// `<picture><source srcset="dark.png" media="(prefers-color-scheme: dark)"><img src="light.png" alt=""></picture>`
fn picture(attributes: Attributes, inner: &[Item]) -> Enclosing {
    let tokens = inner
        .iter()
        .filter(|item| !matches!(item, Item::Text(text) if text.trim().is_empty()));
    let tokens: Vec<&Item> = tokens.collect();
    let [Item::Html(Token::Open(source)), Item::Html(Token::Open(image))] = tokens.as_slice() else {
        return Enclosing::Nothing;
    };
    match dark_source(source) {
        Some(dark) if image.name == "img" && attributes.done() => Enclosing::Referring(Referring::Picture {
            image: image.clone(),
            dark,
        }),
        _ => Enclosing::Nothing,
    }
}

pub fn dark_source(source: &Element) -> Option<String> {
    let mut attributes = source.attributes.clone();
    let media = attributes.take("media")?;
    let dark = attributes.take("srcset")?;
    (source.name == "source" && media == "(prefers-color-scheme: dark)" && attributes.done()).then_some(dark)
}

/// `<i class="fa-rocket" style="color:red;">:rocket:</i>`
fn icon(mut attributes: Attributes, inner: &[Item]) -> Option<Inline> {
    let icon = attributes.take("class")?.strip_prefix("fa-")?.to_owned();
    let color = match attributes.has("style") {
        true => Some(
            colors(&mut attributes)
                .filter(|colors| colors.background == TextColor::Default)?
                .text,
        ),
        false => None,
    };
    let shown = plain(inner)?;
    let repeated = shown.is_empty() || shown == format!(":{icon}:");
    (attributes.done() && repeated && fits(&icon, ICON)).then(|| {
        Inline::InlineIcon(InlineIcon {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: InlineIconData { icon, color },
        })
    })
}

/// `<code class="expression">space.vars.version</code>`
pub fn expression(mut attributes: Attributes, inner: &[Item]) -> Option<Inline> {
    let class = attributes.take("class")?;
    let expression = plain(inner)?;
    let understood = class == "expression" && attributes.done() && fits(&expression, EXPRESSION);
    understood.then(|| Inline::InlineExpression(expression_of(expression)))
}

pub fn expression_of(expression: String) -> InlineExpression {
    InlineExpression {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data: InlineExpressionData { expression },
    }
}

/// A formula or an emoji for which there is no shorter form.
fn span(mut attributes: Attributes, inner: &[Item]) -> Option<Inline> {
    let shown = plain(inner)?;
    if attributes.take("class").as_deref() == Some("math") {
        return attributes.done().then(|| formula(&shown))?;
    }
    let code = attributes.take("data-code")?;
    let is_emoji = attributes.take("data-tag").as_deref() == Some("emoji");
    let repeated = shown.is_empty() || emoji::characters(&code).is_some_and(|characters| characters == shown);
    attributes.take_flag("data-gb-custom-inline");
    (is_emoji && repeated && attributes.done()).then(|| emoji_of(&code))?
}

pub fn formula(formula: &str) -> Option<Inline> {
    fits(formula, FORMULA).then(|| {
        Inline::InlineMath(InlineMath {
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

pub fn emoji_of(code: &str) -> Option<Inline> {
    fits(code, CODE).then(|| {
        Inline::InlineEmoji(InlineEmoji {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: InlineEmojiData { code: code.to_owned() },
        })
    })
}

pub fn mention(reference: ContentRef) -> Inline {
    Inline::InlineMention(InlineMention {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data: InlineMentionData { r#ref: reference },
    })
}

fn fits(text: &str, most: usize) -> bool {
    text.chars().count() <= most
}

/// The text of items that are nothing else; emoji and marks count as they were written.
pub fn plain(items: &[Item]) -> Option<String> {
    let mut plain = String::new();
    for item in items {
        match item {
            Item::Text(text) => plain.push_str(text),
            Item::Break => plain.push('\n'),
            Item::Emoji { name, .. } => plain.extend([":", name, ":"]),
            Item::Html(Token::Open(element)) if element.name == "br" && element.attributes.done() => plain.push('\n'),
            _ => return None,
        }
    }
    Some(plain)
}

impl Reader<'_, '_> {
    pub(super) fn referring(&mut self, referring: Referring) -> Option<Inline> {
        match referring {
            Referring::Picture { image, dark } => self.image_of_html(&image, Some(&dark)),
            Referring::Mention(target) => self.reference(Role::Link, &target).map(mention),
            Referring::Button(button) => Some(Inline::InlineButton(InlineButton {
                object: Default::default(),
                r#type: Default::default(),
                key: None,
                is_void: Default::default(),
                data: InlineButtonData {
                    label: button.label,
                    kind: button.kind,
                    icon: button.icon,
                    r#ref: self.reference(Role::Link, &button.target)?,
                },
            })),
        }
    }

    pub(super) fn inline_image(&mut self, picture: &Picture) -> Option<Inline> {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        (fits(&picture.alt, DESCRIPTION) && fits(&picture.title, DESCRIPTION)).then_some(())?;
        Some(image(InlineImageData {
            r#ref: media(self.reference(Role::Media, &picture.target)?)?,
            ref_dark: None,
            caption: text(&picture.title),
            alt: text(&picture.alt),
            size: None,
        }))
    }

    pub(super) fn image_of_html(&mut self, element: &Element, dark: Option<&str>) -> Option<Inline> {
        let mut attributes = element.attributes.clone();
        let target = attributes.take("src")?;
        let text = |text: String| Some(text).filter(|text| !text.is_empty());
        let alt = attributes.take_short("alt", DESCRIPTION).and_then(text);
        let caption = attributes.take_short("title", DESCRIPTION).and_then(text);
        let size = attributes.take_as("data-size", from_word);
        attributes.done().then_some(())?;
        Some(image(InlineImageData {
            r#ref: media(self.reference(Role::Media, &target)?)?,
            ref_dark: match dark {
                Some(dark) => Some(media(self.reference(Role::Media, dark)?)?),
                None => None,
            },
            caption,
            alt,
            size,
        }))
    }

    /// Whether a footnote can be put in: it is there, has not been used, and would not lie too deep.
    pub(super) fn has_note(&self, name: &str, depth: usize) -> bool {
        self.notes.contains_key(name) && depth + NOTE_DEPTH <= self.limits.depth
    }

    /// Text with the footnote of this name as its explanation.
    pub(super) fn annotation(&mut self, name: &str, nodes: Vec<Text>, depth: usize) -> Inline {
        let definition = self.notes.remove(name);
        let blocks = definition.map(|node| self.blocks(node, Place::Annotation, depth + NOTE_DEPTH));
        let (mut body, outside) = hoist::split(blocks.unwrap_or_default());
        self.spilled.extend(outside);
        if body.is_empty() {
            body.push(AnnotationBlock::BlockParagraph(make::paragraph(Vec::new())));
        }
        Inline::InlineAnnotation(InlineAnnotation {
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

/// The levels that an annotation adds: its own and that of its body.
const NOTE_DEPTH: usize = 2;

fn image(data: InlineImageData) -> Inline {
    Inline::InlineImage(InlineImage {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data,
    })
}
