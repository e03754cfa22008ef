//! Inline nodes other than text.

use std::collections::hash_map::Entry;

use openapi::error::ErrorRule;
use openapi::models::{
    AnnotationBodyFragment, Inline, InlineAnnotation, InlineButton, InlineEmoji, InlineIcon, InlineImage, InlineLink,
    InlineMention, LinkNode,
};

use super::{
    MarkdownRenderer,
    attributes::{attribute, format_length},
    runs,
};
use crate::{
    error::DocumentError,
    nodes::{
        digest,
        emoji::{emoji_characters, emoji_code},
        enum_names::enum_name,
        node::AsNode as _,
    },
    resolver::{ReferenceRole, from_media},
    syntax::{
        entities,
        escape::{self, EscapeContext, EscapeMode},
    },
};

/// A footnote to render at the end of the document.
pub struct PendingFootnote<'d> {
    pub fragment: &'d AnnotationBodyFragment,
    pub pointer: Vec<(&'static str, usize)>,
    pub depth: usize,
}

impl<'d> MarkdownRenderer<'d, '_> {
    /// Renders an inline between the text `before` and the character `after`.
    pub(super) fn inline(
        &mut self,
        inline: &'d Inline,
        mode: EscapeMode,
        before: &str,
        after: Option<char>,
    ) -> Result<String, DocumentError> {
        let edges = [before.chars().next_back(), after];
        Ok(match inline {
            Inline::InlineLink(link) => self.link(link, mode)?,
            Inline::InlineEmoji(it) => emoji_markdown(it, edges.into_iter().flatten().any(char::is_alphanumeric)),
            Inline::InlineIcon(icon) => icon_html(icon),
            Inline::InlineExpression(it) => {
                between_tags("<code class=\"expression\">", &it.data.expression, "</code>", mode)
            }
            Inline::InlineMath(math) => math_markdown(&math.data.formula, mode, before),
            Inline::InlineImage(image) => self.inline_image(image, mode)?,
            Inline::InlineMention(it) => self.mention(it, mode)?,
            Inline::InlineButton(it) => self.button(it, mode)?,
            Inline::InlineAnnotation(annotation) => self.annotation(annotation, mode)?,
        })
    }

    fn link(&mut self, link: &'d InlineLink, mode: EscapeMode) -> Result<String, DocumentError> {
        let target = self.format_target(ReferenceRole::Link, &link.data.r#ref)?;
        let title = link.data.title.as_deref().filter(|title| !title.is_empty());
        if mode == EscapeMode::Paragraph && title.is_none() && is_address(link, &target) {
            return Ok(format!("<{target}>"));
        }
        let text = self.render_runs(&runs::from_link(link), mode)?;
        Ok(match mode {
            EscapeMode::Html => {
                let title = title.map(|title| format!(" {}", attribute("title", title)));
                format!(
                    "<a {}{}>{text}</a>",
                    attribute("href", &target),
                    title.unwrap_or_default()
                )
            }
            EscapeMode::Paragraph | EscapeMode::Heading | EscapeMode::PipeCell | EscapeMode::ImageAlt => {
                let mut written = format!("[{text}](");
                escape::escape_destination(&target, &mut written);
                if let Some(title) = title {
                    written.push(' ');
                    escape::escape_title(title, &mut written);
                }
                written.push(')');
                written
            }
        })
    }

    fn mention(&mut self, mention: &InlineMention, mode: EscapeMode) -> Result<String, DocumentError> {
        let target = self.format_target(ReferenceRole::Link, &mention.data.r#ref)?;
        let words = mention.data.text.as_deref().unwrap_or(&target);
        if mode == EscapeMode::Html {
            let open = format!("<a data-mention {}>", attribute("href", &target));
            return Ok(between_tags(&open, words, "</a>", mode));
        }
        let mut written = between_tags("[", words, "](", mode);
        escape::escape_destination(&target, &mut written);
        written.push_str(" \"mention\")");
        Ok(written)
    }

    fn button(&mut self, button: &InlineButton, mode: EscapeMode) -> Result<String, DocumentError> {
        let data = &button.data;
        let class = format!("class=\"button {}\"", enum_name(data.kind));
        let (mut open, close) = match (&data.r#ref, &data.action) {
            (Some(reference), None) => {
                let target = self.format_target(ReferenceRole::Link, reference)?;
                match target.is_empty() {
                    true => (format!("<a {class}"), "</a>"),
                    false => (format!("<a {} {class}", attribute("href", &target)), "</a>"),
                }
            }
            (None, Some(action)) => {
                let name = enum_name(action.action);
                let mut open = format!("<button type=\"button\" {class} {}", attribute("data-action", &name));
                for (name, value) in [("data-query", &action.query), ("data-slug", &action.slug)] {
                    if let Some(value) = value {
                        open.push_str(&format!(" {}", attribute(name, value)));
                    }
                }
                (open, "</button>")
            }
            _ => return Err(self.error(ErrorRule::Exclusive, "`data` must contain either `ref` or `action`.")),
        };
        if let Some(icon) = &data.icon {
            open.push_str(&format!(" {}", attribute("data-icon", icon)));
        }
        if let Some(size) = data.size {
            open.push_str(&format!(" {}", attribute("data-size", &enum_name(size))));
        }
        open.push('>');
        Ok(between_tags(&open, &data.label, close, mode))
    }

    pub(super) fn inline_image(&mut self, image: &InlineImage, mode: EscapeMode) -> Result<String, DocumentError> {
        let data = &image.data;
        let target = self.format_target(ReferenceRole::Media, &from_media(&data.r#ref))?;
        let alt = data.alt.as_deref().unwrap_or_default();
        let caption = data.caption.as_deref().unwrap_or_default();
        let is_plain = data.size.is_none() && data.width.is_none() && data.height.is_none();
        if mode != EscapeMode::Html && data.ref_dark.is_none() && is_plain {
            return Ok(image_markdown(&target, alt, caption));
        }
        let mut html = format!("<img {} {}", attribute("src", &target), attribute("alt", alt));
        if !caption.is_empty() {
            html.push_str(&format!(" {}", attribute("title", caption)));
        }
        if let Some(size) = data.size {
            html.push_str(&format!(" data-size=\"{}\"", enum_name(size)));
        }
        for (name, value) in [("width", &data.width), ("height", &data.height)] {
            if let Some(value) = value {
                html.push_str(&format!(" {}", attribute(name, &format_length(value))));
            }
        }
        html.push('>');
        match &data.ref_dark {
            Some(dark) => Ok(with_dark_variant(
                &self.format_target(ReferenceRole::Media, &from_media(dark))?,
                &html,
            )),
            None => Ok(html),
        }
    }

    fn annotation(&mut self, annotation: &'d InlineAnnotation, mode: EscapeMode) -> Result<String, DocumentError> {
        let [fragment] = annotation.fragments.as_slice() else {
            return Err(self.error(
                ErrorRule::Annotation,
                "`fragments` must contain exactly one annotation body.",
            ));
        };
        let number = self.add_footnote(fragment);
        let texts = annotation.nodes.as_deref().unwrap_or_default();
        let text = self.render_runs(&runs::from_texts(texts), mode)?;
        Ok(match mode {
            EscapeMode::Html => format!("<a data-footnote-ref href=\"#user-content-fn-{number}\">{text}</a>"),
            EscapeMode::Paragraph | EscapeMode::Heading | EscapeMode::PipeCell | EscapeMode::ImageAlt => {
                format!("[{text}](#user-content-fn-{number})[^{number}]")
            }
        })
    }

    /// Queues a footnote for the end of the document, unless there is one with the same content. Returns its number.
    pub(super) fn add_footnote(&mut self, fragment: &'d AnnotationBodyFragment) -> usize {
        if let Some(numbers) = &mut self.footnote_numbers {
            match numbers.entry(digest::hash_node(fragment.as_node())) {
                Entry::Occupied(number) => return *number.get(),
                Entry::Vacant(free) => free.insert(self.footnote_count + 1),
            };
        }
        let mut pointer = self.path.clone();
        pointer.push(("fragments", 0));
        self.footnotes.push_back(PendingFootnote {
            fragment,
            pointer,
            depth: self.depth,
        });
        self.footnote_count += 1;
        self.footnote_count
    }
}

/// Renders escaped text between two tags.
fn between_tags(open: &str, text: &str, close: &str, mode: EscapeMode) -> String {
    let mut written = open.to_owned();
    escape::escape_text(text, EscapeContext { mode, is_last: false }, &mut written);
    written.push_str(close);
    written
}

/// `![alt](target "caption")`
pub fn image_markdown(target: &str, alt: &str, caption: &str) -> String {
    let context = EscapeContext {
        mode: EscapeMode::ImageAlt,
        is_last: true,
    };
    let mut text = String::new();
    escape::escape_text(alt, context, &mut text);
    let mut written = format!("![{text}](");
    escape::escape_destination(target, &mut written);
    if !caption.is_empty() {
        written.push(' ');
        escape::escape_title(caption, &mut written);
    }
    written.push(')');
    written
}

pub fn with_dark_variant(dark: &str, image: &str) -> String {
    let source = attribute("srcset", dark);
    format!("<picture><source {source} media=\"(prefers-color-scheme: dark)\">{image}</picture>")
}

/// Returns whether a link is an address whose words are the address, and that is a link between angle brackets.
fn is_address(link: &InlineLink, target: &str) -> bool {
    let [LinkNode::Text(text)] = link.nodes.as_deref().unwrap_or_default() else {
        return false;
    };
    let [leaf] = text.leaves.as_slice() else {
        return false;
    };
    let is_plain = leaf.marks.is_empty() && leaf.source.is_none() && leaf.text == target;
    let allowed = |c: char| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '&' | '\\' | '|' | '{');
    is_plain && (target.starts_with("http://") || target.starts_with("https://")) && target.chars().all(allowed)
}

/// The shortcode of an emoji is text within a word.
fn emoji_markdown(emoji: &InlineEmoji, within_word: bool) -> String {
    let code = &emoji.data.code;
    let characters = emoji_characters(code);
    let known = characters.as_deref().and_then(emojis::get);
    let name = known.filter(|known| emoji_code(known.as_str()) == *code);
    match name.and_then(|known| known.shortcode()).filter(|_| !within_word) {
        Some(name) => format!(":{name}:"),
        None => {
            let mut encoded = String::new();
            entities::encode(&characters.unwrap_or_default(), &mut encoded);
            format!(
                "<span data-tag=\"emoji\" {}>{encoded}</span>",
                attribute("data-code", code)
            )
        }
    }
}

fn icon_html(icon: &InlineIcon) -> String {
    let class = attribute("class", &format!("fa-{}", icon.data.icon));
    let style = icon
        .data
        .color
        .map(|color| format!(" style=\"color:{};\"", enum_name(color)));
    // The name is a fallback for renderers without icons.
    let simple = icon.data.icon.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let characters = if simple {
        format!(":{}:", icon.data.icon)
    } else {
        String::new()
    };
    format!("<i {class}{}>{characters}</i>", style.unwrap_or_default())
}

fn math_markdown(formula: &str, mode: EscapeMode, before: &str) -> String {
    let separated = !before.ends_with('$') || before.ends_with("\\$");
    let simple = !formula.is_empty() && !formula.contains(['$', '\n', '\r', '|', '`']) && !formula.ends_with('\\');
    match mode != EscapeMode::Html && separated && simple {
        true => format!("$${formula}$$"),
        false => between_tags("<span class=\"math\">", formula, "</span>", mode),
    }
}

/// Renders a link with these words.
pub fn fallback_link(words: &str, target: &str) -> String {
    let mut written = between_tags("[", words, "](", EscapeMode::Heading);
    escape::escape_destination(target, &mut written);
    written.push(')');
    written
}
