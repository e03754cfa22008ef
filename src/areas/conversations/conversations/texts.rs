//! Messages, which are Markdown or HTML: as they are stored, and as plain text.

use specifications::HtmlRenderer;

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

/// Elements whose content no reader sees.
const HIDDEN: &[&str] = &["head", "script", "style", "template", "title"];

/// Returns a message as it is stored: Markdown without tags and without addresses that might be unsafe as it is, and everything else as
/// HTML without scripts, styles, forms and frames.
pub fn sanitized(renderer: &mut HtmlRenderer, body: String) -> String {
    if is_harmless(&body) {
        return body;
    }
    if !is_html(&body) {
        return renderer.render(&body);
    }
    renderer.clean(&body).unwrap_or_else(|| escaped(&visible_text(&body)))
}

/// Returns the text of a stored message.
pub fn plain(renderer: &mut HtmlRenderer, stored: &str) -> String {
    match is_harmless(stored) {
        true => visible_text(&renderer.render(stored)),
        false => visible_text(stored),
    }
}

/// Returns whether a text can be nothing but Markdown without tags and with addresses of known kinds.
fn is_harmless(text: &str) -> bool {
    let has_tag = text.split('<').skip(1).any(|rest| {
        let first = rest.chars().next();
        first.is_some_and(|first| first.is_ascii_alphabetic() || matches!(first, '/' | '!' | '?'))
    });
    !has_tag && !has_unsafe_address(text)
}

/// Returns whether a text has a link whose address may run in a browser. Entities and escapes may hide one.
fn has_unsafe_address(text: &str) -> bool {
    if !text.contains("](") && !text.contains("]:") {
        return false;
    }
    let text = text.to_ascii_lowercase();
    text.contains("script:") || text.contains("data:") || text.contains(['&', '\\'])
}

/// Returns whether a text begins with a tag, and not with an address in angle brackets.
fn is_html(text: &str) -> bool {
    let Some(rest) = text.trim_start().strip_prefix('<') else {
        return false;
    };
    let after_name = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    let ends_name = |c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/');
    rest.starts_with('!') || (after_name.len() < rest.len() && after_name.starts_with(ends_name))
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<p>{text}</p>")
}

/// Returns the text between the tags of HTML.
fn visible_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        push_decoded(&mut text, before);
        if !tag.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            text.push('<');
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
    }
    push_decoded(&mut text, rest);
    text.trim().to_owned()
}

/// Splits what follows a `<` at the end of the tag. Quoted values of attributes may have a `>` in them.
fn split_tag(tag: &str) -> (&str, &str) {
    if let Some(comment) = tag.strip_prefix("!--") {
        return comment.split_once("-->").unwrap_or((comment, ""));
    }
    let mut quote = None;
    for (position, c) in tag.char_indices() {
        match (quote, c) {
            (None, '>') => {
                return tag
                    .split_at_checked(position)
                    .map_or((tag, ""), |(tag, end)| (tag, end.get(1..).unwrap_or("")));
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    (tag, "")
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
