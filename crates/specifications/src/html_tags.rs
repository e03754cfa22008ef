//! Tags of HTML, and texts in angle brackets that only look like tags: `<your api key>`, `List<String>`, `a<b and c>d`.

/// Elements of HTML, also obsolete ones.
const ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "applet",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "basefont",
    "bdi",
    "bdo",
    "bgsound",
    "big",
    "blink",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "datalist",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "link",
    "listing",
    "main",
    "map",
    "mark",
    "marquee",
    "math",
    "menu",
    "meta",
    "meter",
    "nav",
    "nobr",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "output",
    "p",
    "param",
    "picture",
    "plaintext",
    "pre",
    "progress",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "script",
    "search",
    "section",
    "select",
    "slot",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
    "xmp",
];

/// Attributes without values.
const FLAGS: &[&str] = &[
    "allowfullscreen",
    "async",
    "autofocus",
    "autoplay",
    "checked",
    "compact",
    "controls",
    "default",
    "defer",
    "disabled",
    "hidden",
    "inert",
    "ismap",
    "itemscope",
    "loop",
    "multiple",
    "muted",
    "noshade",
    "nowrap",
    "open",
    "readonly",
    "required",
    "reversed",
    "selected",
];

/// Prefixes of the elements that office programs put into mails: `<o:p>`.
const OFFICE_PREFIXES: &[&str] = &["m", "o", "st1", "u1", "v", "w"];

/// The most bytes of a tag that are read for its attributes.
const MAX_ATTRIBUTES: usize = 400;

/// Returns whether what follows a `<` is the rest of a tag of HTML, given the character before the `<`.
pub fn is_tag(rest: &str, before: Option<char>) -> bool {
    let is_end_tag = rest.starts_with('/');
    let (name, attributes) = split_name(rest);
    if let Some((prefix, _)) = name.split_once(':') {
        return OFFICE_PREFIXES.contains(&prefix.to_ascii_lowercase().as_str());
    }
    if !is_element(name) {
        return false;
    }
    if attributes.is_empty() {
        let is_type =
            name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(|c: char| c.is_ascii_lowercase());
        return is_end_tag || !(is_type && before.is_some_and(char::is_alphanumeric));
    }
    let is_flag = |word: &str| FLAGS.iter().any(|flag| flag.eq_ignore_ascii_case(word));
    attributes.contains('=') || attributes.split_ascii_whitespace().all(is_flag)
}

/// Returns whether Markdown with this text after a `<` is safe in a browser that takes it for a tag.
pub fn is_safe_as_tag(rest: &str) -> bool {
    let (name, _) = split_name(rest);
    let tag = rest.split(['<', '>']).next().unwrap_or_default();
    // Elements with one letter, such as `b`, only format their text.
    (!is_element(name) || name.len() == 1) && !tag.contains('=')
}

fn is_element(name: &str) -> bool {
    ELEMENTS.binary_search(&name.to_ascii_lowercase().as_str()).is_ok()
}

/// Splits what follows a `<` into the name of an element and what may be its attributes.
fn split_name(rest: &str) -> (&str, &str) {
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let ends_name = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '<' | '>');
    let end = rest.find(ends_name).unwrap_or(rest.len());
    let (name, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let end = rest.find(['<', '>']).unwrap_or(rest.len()).min(MAX_ATTRIBUTES);
    let attributes = rest.get(..rest.floor_char_boundary(end)).unwrap_or_default();
    (
        name,
        attributes.trim_matches(|c: char| c.is_ascii_whitespace() || c == '/'),
    )
}

/// Returns the parts of a text before and after the end of a tag, of which it is the rest. Quoted values may have a `>` in them.
pub fn split_tag(rest: &str) -> (&str, &str) {
    if let Some(comment) = rest.strip_prefix("!--") {
        return comment.split_once("-->").unwrap_or((comment, ""));
    }
    let mut quote = None;
    for (position, c) in rest.char_indices() {
        match (quote, c) {
            (None, '>') => {
                return (
                    rest.get(..position).unwrap_or(rest),
                    rest.get(position + 1..).unwrap_or(""),
                );
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    (rest, "")
}

/// Returns HTML in which what is no tag is text.
pub fn escape_texts(html: &str) -> String {
    let mut escaped = String::with_capacity(html.len());
    let (mut rest, mut in_drawing) = (html, false);
    while let Some((text, tag)) = rest.split_once('<') {
        escaped.push_str(text);
        let begins_tag = tag.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        let is_known = || tag.starts_with(['!', '?']) || is_tag(tag, escaped.chars().next_back());
        if !begins_tag || !in_drawing && !is_known() {
            escaped.push_str(if begins_tag { "&lt;" } else { "<" });
            rest = tag;
            continue;
        }
        // Pictures and formulas have elements of their own.
        let (name, _) = split_name(tag);
        if ["svg", "math"].iter().any(|root| root.eq_ignore_ascii_case(name)) {
            in_drawing = !tag.starts_with('/');
        }
        let after = split_tag(tag).1;
        escaped.push('<');
        escaped.push_str(tag.get(..tag.len() - after.len()).unwrap_or_default());
        rest = after;
    }
    escaped.push_str(rest);
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_brackets_are_text() {
        assert!(ELEMENTS.is_sorted());
        for text in [
            "Invalid token> when",
            "your api key>",
            "host>:<port>",
            "String> names",
            "b and c>d",
            "support@vendor.example> wrote",
            "/path>",
            "Error code=500>",
            "table and more",
        ] {
            assert!(!is_tag(text, Some(' ')), "{text}");
        }
        assert!(!is_tag("Object> list", Some('t')) && is_tag("Object>", Some(' ')));
        for tag in [
            "b>",
            "B>",
            "br/>",
            "br />",
            "/p>",
            "a href=x>",
            "img src='a>b'>",
            "input disabled>",
            "o:p>",
            "details open>",
        ] {
            assert!(is_tag(tag, Some('x')), "{tag}");
        }
    }

    #[test]
    fn tags_that_may_run_are_not_safe() {
        for unsafe_tag in ["x onclick=alert(1)>", "Script>", "Object>", "a href=x", "iframe x>"] {
            assert!(!is_safe_as_tag(unsafe_tag), "{unsafe_tag}");
        }
        for safe in ["Invalid token>", "b and c>d", "String>", "x"] {
            assert!(is_safe_as_tag(safe), "{safe}");
        }
    }

    #[test]
    fn non_tags_are_escaped() {
        for (html, expected) in [
            (
                "<p>Send <your key>, a<b and c>d</p>",
                "<p>Send &lt;your key>, a&lt;b and c>d</p>",
            ),
            ("<p>2 < 3 <a title='<x>'>y</a>", "<p>2 < 3 <a title='<x>'>y</a>"),
            ("<svg><path d='M0'></svg><path>", "<svg><path d='M0'></svg>&lt;path>"),
            ("<!-- <x> --><y>", "<!-- <x> -->&lt;y>"),
            ("<b", "<b"),
            ("<o:p></o:p>", "<o:p></o:p>"),
        ] {
            assert_eq!(escape_texts(html), expected);
        }
    }
}
