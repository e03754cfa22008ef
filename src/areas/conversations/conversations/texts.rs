//! Messages, which are Markdown or HTML: as they are stored, and as plain text.

use ::conversations::{mail_parts, own_text};
use specifications::{HtmlRenderer, is_safe_as_tag, is_tag, split_tag};

/// Elements whose end is the end of a line.
const LINES: &[&str] = &[
    "blockquote",
    "br",
    "dd",
    "div",
    "dt",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "table",
    "td",
    "th",
    "tr",
    "ul",
];

/// The line that stands for a quotation.
const QUOTATION: &str = ">\n";

/// Elements whose content no reader sees.
const HIDDEN: &[&str] = &["head", "script", "style", "template", "title"];

/// Returns a message as it is stored: Markdown without tags and without addresses that might be unsafe as it is, and everything else as
/// HTML without scripts, styles, forms and frames.
pub fn sanitized(renderer: &mut HtmlRenderer, body: String) -> String {
    if is_harmless(&body) {
        return body;
    }
    if is_html(&body) {
        return renderer.clean(&body).unwrap_or_else(|| escaped(&visible_text(&body)));
    }
    let parts = mail_parts(&body);
    let html = parts.iter().map(|part| {
        let html = renderer.render(part.text);
        match part.is_own || html.starts_with("<blockquote>") {
            true => html,
            false => format!("<blockquote>\n{html}\n</blockquote>"),
        }
    });
    html.collect::<Vec<String>>().join("\n")
}

/// Returns the text of a stored message, without quotations of earlier mails and without a signature.
pub fn plain(renderer: &mut HtmlRenderer, stored: &str) -> String {
    match is_harmless(stored) {
        // The signs of quotations are gone in HTML.
        true => visible_text(&renderer.render(&own_text(stored))),
        false => own_text(&visible_text(stored)),
    }
}

/// Returns whether a text can be nothing but Markdown without tags and with addresses of known kinds.
fn is_harmless(text: &str) -> bool {
    let is_harmful = |(at, _): (usize, &str)| {
        let (before, rest) = text.split_at_checked(at).unwrap_or(("", text));
        let rest = rest.get(1..).unwrap_or_default();
        rest.starts_with(['!', '?'])
            || rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
                && (is_tag(rest, before.chars().next_back()) || !is_safe_as_tag(rest))
    };
    !text.match_indices('<').any(is_harmful) && !has_unsafe_address(text)
}

/// Returns whether a text has a link whose address may run in a browser. Entities and escapes may hide one.
fn has_unsafe_address(text: &str) -> bool {
    if !text.contains("](") && !text.contains("]:") {
        return false;
    }
    let text = text.to_ascii_lowercase();
    text.contains("script:") || text.contains("data:") || text.contains(['&', '\\'])
}

/// Returns whether a text begins with a tag, and not with a word or an address in angle brackets.
fn is_html(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix('<');
    rest.is_some_and(|rest| rest.starts_with('!') || is_tag(rest, None))
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<p>{text}</p>")
}

/// Returns the text between the tags of HTML, with the sign of a quotation in place of the text of each one.
fn visible_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let (mut rest, mut quotations) = (html, 0_usize);
    while let Some((before, tag)) = rest.split_once('<') {
        if quotations == 0 {
            push_decoded(&mut text, before);
        }
        if !tag.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            if quotations == 0 {
                text.push('<');
            }
            rest = tag;
            continue;
        }
        let (tag, after) = split_tag(tag);
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        rest = match HIDDEN.contains(&name.as_str()) && !tag.starts_with('/') {
            true => after_end_of(&name, after),
            false => after,
        };
        if LINES.contains(&name.as_str()) && !text.ends_with('\n') {
            text.push('\n');
        }
        if name == "blockquote" {
            quotations = match tag.starts_with('/') {
                true => quotations.saturating_sub(1),
                false => quotations + 1,
            };
            if quotations == 1 && !tag.starts_with('/') {
                text.push_str(QUOTATION);
            }
        }
    }
    if quotations == 0 {
        push_decoded(&mut text, rest);
    }
    text.trim().to_owned()
}

/// What follows the end of a hidden element; nothing if it does not end.
fn after_end_of<'t>(name: &str, text: &'t str) -> &'t str {
    let mut rest = text;
    while let Some((_, end)) = rest.split_once("</") {
        let is_end = end
            .get(..name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name));
        if is_end {
            return split_tag(end).1;
        }
        rest = end;
    }
    ""
}

/// Appends a text in which entities stand for the characters that HTML itself uses.
fn push_decoded(text: &mut String, encoded: &str) {
    let mut rest = encoded;
    while let Some((before, entity)) = rest.split_once('&') {
        text.push_str(before);
        let known = [
            ("amp;", "&"),
            ("lt;", "<"),
            ("gt;", ">"),
            ("quot;", "\""),
            ("#39;", "'"),
            ("nbsp;", " "),
        ];
        let found = known
            .iter()
            .find_map(|(name, character)| Some((entity.strip_prefix(name)?, character)));
        let (after, character) = found.unwrap_or((entity, &"&"));
        text.push_str(character);
        rest = after;
    }
    text.push_str(rest);
}
