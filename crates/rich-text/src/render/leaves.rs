//! What stands between texts.

use openapi::models::{
    AnnotationBodyFragment, ContentRef, Inline, InlineAnnotation, InlineButton, InlineEmoji, InlineIcon, InlineImage,
    InlineLink,
};

use super::{Writer, runs};
use crate::{
    nodes::{
        emoji::{characters, code_of},
        enum_names::word,
    },
    references::{Role, of_media},
    refusal::Refusal,
    syntax::{
        entities,
        escape::{self, Around, Mode},
    },
};

/// A footnote to be written at the end.
pub struct Note<'d> {
    pub fragment: &'d AnnotationBodyFragment,
    pub pointer: Vec<(&'static str, usize)>,
    pub depth: usize,
}

impl<'d> Writer<'d, '_> {
    /// An inline after this text.
    pub(super) fn inline(&mut self, inline: &'d Inline, mode: Mode, before: &str) -> Result<String, Refusal> {
        Ok(match inline {
            Inline::InlineLink(link) => self.link(link, mode)?,
            Inline::InlineEmoji(it) => emoji(it),
            Inline::InlineIcon(icon) => of_icon(icon),
            Inline::InlineExpression(it) => {
                enclosed("<code class=\"expression\">", &it.data.expression, "</code>", mode)
            }
            Inline::InlineMath(math) => formula(&math.data.formula, mode, before),
            Inline::InlineImage(image) => self.inline_image(image, mode)?,
            Inline::InlineMention(mention) => self.mention(&mention.data.r#ref, mode)?,
            Inline::InlineButton(it) => self.button(it, mode)?,
            Inline::InlineAnnotation(annotation) => self.annotation(annotation, mode)?,
        })
    }

    fn link(&mut self, link: &'d InlineLink, mode: Mode) -> Result<String, Refusal> {
        let target = self.target(Role::Link, &link.data.r#ref)?;
        let text = self.line_of(&runs::of_link(link), mode)?;
        Ok(match mode {
            Mode::Html => format!("<a {}>{text}</a>", attribute("href", &target)),
            Mode::Lines | Mode::Line | Mode::Cell | Mode::Description => {
                let mut written = format!("[{text}](");
                escape::destination(&target, &mut written);
                written.push(')');
                written
            }
        })
    }

    fn mention(&mut self, reference: &ContentRef, mode: Mode) -> Result<String, Refusal> {
        let target = self.target(Role::Link, reference)?;
        if mode == Mode::Html {
            let open = format!("<a {} class=\"mention\">", attribute("href", &target));
            return Ok(enclosed(&open, &target, "</a>", mode));
        }
        let mut written = enclosed("[", &target, "](", mode);
        escape::destination(&target, &mut written);
        written.push_str(" \"mention\")");
        Ok(written)
    }

    fn button(&mut self, button: &InlineButton, mode: Mode) -> Result<String, Refusal> {
        let target = self.target(Role::Link, &button.data.r#ref)?;
        let kind = word(button.data.kind);
        let mut open = format!("<a {} class=\"button {kind}\"", attribute("href", &target));
        if let Some(icon) = &button.data.icon {
            open.push_str(&format!(" {}", attribute("data-icon", icon)));
        }
        open.push('>');
        Ok(enclosed(&open, &button.data.label, "</a>", mode))
    }

    pub(super) fn inline_image(&mut self, image: &InlineImage, mode: Mode) -> Result<String, Refusal> {
        let data = &image.data;
        let target = self.target(Role::Media, &of_media(&data.r#ref))?;
        let alt = data.alt.as_deref().unwrap_or_default();
        let caption = data.caption.as_deref().unwrap_or_default();
        if mode != Mode::Html && data.ref_dark.is_none() && data.size.is_none() {
            return Ok(picture(&target, alt, caption));
        }
        let mut html = format!("<img {} {}", attribute("src", &target), attribute("alt", alt));
        if !caption.is_empty() {
            html.push_str(&format!(" {}", attribute("title", caption)));
        }
        if let Some(size) = data.size {
            html.push_str(&format!(" data-size=\"{}\"", word(size)));
        }
        html.push('>');
        match &data.ref_dark {
            Some(dark) => Ok(with_dark(&self.target(Role::Media, &of_media(dark))?, &html)),
            None => Ok(html),
        }
    }

    fn annotation(&mut self, annotation: &'d InlineAnnotation, mode: Mode) -> Result<String, Refusal> {
        let [fragment] = annotation.fragments.as_slice() else {
            return Err(self.refuse("annotation", "An annotation has one explanation."));
        };
        let number = self.note(fragment);
        let texts = annotation.nodes.as_deref().unwrap_or_default();
        let text = self.line_of(&runs::of_texts(texts), mode)?;
        Ok(match mode {
            Mode::Html => format!("<a data-footnote-ref href=\"#user-content-fn-{number}\">{text}</a>"),
            Mode::Lines | Mode::Line | Mode::Cell | Mode::Description => {
                format!("[{text}](#user-content-fn-{number})[^{number}]")
            }
        })
    }

    /// Keeps a footnote for the end. Gives its number.
    pub(super) fn note(&mut self, fragment: &'d AnnotationBodyFragment) -> usize {
        let mut pointer = self.path.clone();
        pointer.push(("fragments", 0));
        self.notes.push_back(Note {
            fragment,
            pointer,
            depth: self.depth,
        });
        self.numbered += 1;
        self.numbered
    }
}

/// Text between two tags.
fn enclosed(open: &str, text: &str, close: &str, mode: Mode) -> String {
    let mut written = open.to_owned();
    escape::text(text, Around { mode, ends: false }, &mut written);
    written.push_str(close);
    written
}

pub fn attribute(name: &str, value: &str) -> String {
    let mut written = format!("{name}=\"");
    entities::encode(value, &mut written);
    written.push('"');
    written
}

/// `![alt](target "caption")`
pub fn picture(target: &str, alt: &str, caption: &str) -> String {
    let around = Around {
        mode: Mode::Description,
        ends: true,
    };
    let mut text = String::new();
    escape::text(alt, around, &mut text);
    let mut written = format!("![{text}](");
    escape::destination(target, &mut written);
    if !caption.is_empty() {
        written.push(' ');
        escape::title(caption, &mut written);
    }
    written.push(')');
    written
}

pub fn with_dark(dark: &str, image: &str) -> String {
    let source = attribute("srcset", dark);
    format!("<picture><source {source} media=\"(prefers-color-scheme: dark)\">{image}</picture>")
}

fn emoji(emoji: &InlineEmoji) -> String {
    let code = &emoji.data.code;
    let shown = characters(code);
    let known = shown.as_deref().and_then(emojis::get);
    let name = known.filter(|known| code_of(known.as_str()) == *code);
    match name.and_then(|known| known.shortcode()) {
        Some(name) => format!(":{name}:"),
        None => {
            let mut encoded = String::new();
            entities::encode(&shown.unwrap_or_default(), &mut encoded);
            format!(
                "<span data-tag=\"emoji\" {}>{encoded}</span>",
                attribute("data-code", code)
            )
        }
    }
}

fn of_icon(icon: &InlineIcon) -> String {
    let class = attribute("class", &format!("fa-{}", icon.data.icon));
    let style = icon
        .data
        .color
        .map(|color| format!(" style=\"color:{};\"", word(color)));
    // The name is shown where icons are not known.
    let simple = icon.data.icon.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let shown = if simple {
        format!(":{}:", icon.data.icon)
    } else {
        String::new()
    };
    format!("<i {class}{}>{shown}</i>", style.unwrap_or_default())
}

fn formula(formula: &str, mode: Mode, before: &str) -> String {
    let apart = !before.ends_with('$') || before.ends_with("\\$");
    let tame = !formula.is_empty() && !formula.contains(['$', '\n', '\r', '|', '`']) && !formula.ends_with('\\');
    match mode != Mode::Html && apart && tame {
        true => format!("$${formula}$$"),
        false => enclosed("<span class=\"math\">", formula, "</span>", mode),
    }
}

/// A link that shows its own target.
pub fn plain_link(target: &str) -> String {
    let mut written = enclosed("[", target, "](", Mode::Line);
    escape::destination(target, &mut written);
    written.push(')');
    written
}
