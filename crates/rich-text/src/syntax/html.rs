//! HTML tokenizer, and matching of opening and closing tags.

use std::collections::HashMap;

use super::attributes::{AttributeSyntax, Attributes};

#[derive(Clone, Debug, PartialEq)]
pub enum HtmlToken {
    /// Boxed, because lists of tokens are mostly text.
    Open(Box<HtmlElement>),
    Close {
        name: String,
        raw: String,
    },
    /// A comment, a declaration or a processing instruction.
    Other(String),
    Text(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct HtmlElement {
    pub name: String,
    pub attributes: Attributes,
    pub raw: String,
}

impl HtmlToken {
    pub fn opens(&self, name: &str) -> bool {
        matches!(self, Self::Open(element) if element.name == name)
    }

    /// Returns whether readers see the token as it is: a word in angle brackets that is no element, or an element whose
    /// attributes are words, as in `<path to file>`.
    pub fn is_word(&self) -> bool {
        match self {
            Self::Open(element) if is_element(&element.name) => element.attributes.are_words(),
            Self::Open(element) => element.attributes.have_no_values(),
            Self::Close { name, .. } => !is_element(name),
            Self::Other(_) | Self::Text(_) => false,
        }
    }

    pub fn is_tag(&self) -> bool {
        matches!(self, Self::Open(_) | Self::Close { .. })
    }

    /// Returns the source of the token.
    pub fn raw(&self) -> &str {
        match self {
            Self::Open(element) => &element.raw,
            Self::Close { raw, .. } | Self::Other(raw) | Self::Text(raw) => raw,
        }
    }

    pub fn is_blank(&self) -> bool {
        matches!(self, Self::Text(text) if text.trim().is_empty())
    }
}

/// Returns whether an element has no content.
pub fn is_void(name: &str) -> bool {
    matches!(
        name,
        "br" | "img" | "hr" | "source" | "input" | "wbr" | "col" | "meta" | "link" | "track" | "area" | "embed"
    )
}

/// The elements that begin an HTML block wherever they are. Their content is laid out as blocks.
const BLOCK_NAMES: &[&str] = &[
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
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
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];

/// The elements whose content is no text of the page, or that only work as a whole.
const OPAQUE_NAMES: &[&str] = &[
    "script", "style", "textarea", "pre", "svg", "math", "iframe", "video", "audio", "object", "canvas", "template",
    "noscript", "select", "map",
];

/// Further elements of HTML.
const INLINE_NAMES: &[&str] = &[
    "a", "abbr", "acronym", "applet", "area", "b", "bdi", "bdo", "big", "br", "button", "cite", "code", "data",
    "datalist", "del", "dfn", "em", "embed", "font", "hgroup", "i", "img", "input", "ins", "kbd", "label", "mark",
    "meta", "meter", "nobr", "output", "path", "picture", "progress", "q", "rp", "rt", "ruby", "s", "samp", "slot",
    "small", "source", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];

/// Returns whether an element is laid out as a block, or only works as a whole.
pub fn is_block(name: &str) -> bool {
    BLOCK_NAMES.contains(&name) || is_opaque(name)
}

/// Returns whether the content of an element is no text of the page, or the element only works as a whole.
pub fn is_opaque(name: &str) -> bool {
    OPAQUE_NAMES.contains(&name)
}

/// Returns whether a source is that of a block, not of a tag in a line.
pub fn is_whole_block(source: &str) -> bool {
    let name = source.strip_prefix('<').and_then(parse_name);
    paragraph_end(source).is_some() || name.is_some_and(|(name, _)| is_block(&name))
}

/// Returns whether the text of an element is not part of the page.
pub fn is_hidden(name: &str) -> bool {
    matches!(name, "script" | "style" | "template" | "head" | "title")
}

/// Returns whether HTML has an element of this name.
pub fn is_element(name: &str) -> bool {
    is_block(name) || INLINE_NAMES.contains(&name)
}

/// Returns the texts of which one ends the HTML block that a line begins, if any. None of them: an empty line ends it.
pub fn block_end(line: &str) -> Option<&'static [&'static str]> {
    paragraph_end(line).or_else(|| {
        let (_, rest) = parse_tag(line)?;
        rest.trim().is_empty().then_some([].as_slice())
    })
}

/// Returns the end of an HTML block whose end is missing, unless an empty line ends it.
pub fn missing_end(block: &str) -> Option<String> {
    let ends = paragraph_end(block.lines().next()?)?;
    let lower = block.to_ascii_lowercase();
    if ends.is_empty() || ends.iter().any(|end| lower.contains(end)) {
        return None;
    }
    Some(match ends {
        [end] => (*end).to_owned(),
        _ => format!("</{}>", parse_name(block.get(1..)?)?.0),
    })
}

/// Returns the same for an HTML block that may follow the text of a paragraph.
pub fn paragraph_end(line: &str) -> Option<&'static [&'static str]> {
    let inner = line.strip_prefix('<')?;
    if inner.starts_with("!--") {
        return Some(&["-->"]);
    }
    if inner.starts_with('?') {
        return Some(&["?>"]);
    }
    if inner.starts_with("![CDATA[") {
        return Some(&["]]>"]);
    }
    if inner.starts_with('!') {
        return is_declaration(line).then_some(&[">"]);
    }
    let (name, rest) = parse_name(inner.strip_prefix('/').unwrap_or(inner))?;
    let is_separated = rest.is_empty() || rest.starts_with([' ', '\t', '>', '\n']) || rest.starts_with("/>");
    if is_separated && !inner.starts_with('/') && matches!(name.as_str(), "pre" | "script" | "style" | "textarea") {
        return Some(&["</pre>", "</script>", "</style>", "</textarea>"]);
    }
    if is_separated && BLOCK_NAMES.contains(&name.as_str()) {
        return Some(&[]);
    }
    None
}

/// Splits HTML into tokens. Every character is part of exactly one token.
pub fn tokenize(html: &str) -> Vec<HtmlToken> {
    let mut tokens = Vec::new();
    let mut rest = html;
    let mut text = String::new();
    let mut unclosed = [false; OTHER_ENDS.len()];
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        text.push_str(before);
        match parse_tag(tag).or_else(|| parse_other(tag, &mut unclosed)) {
            Some((token, after)) => {
                if !text.is_empty() {
                    tokens.push(HtmlToken::Text(std::mem::take(&mut text)));
                }
                tokens.push(token);
                rest = after;
            }
            None => {
                text.push('<');
                rest = tag.get(1..).unwrap_or_default();
            }
        }
    }
    text.push_str(rest);
    if !text.is_empty() {
        tokens.push(HtmlToken::Text(text));
    }
    tokens
}

fn is_declaration(html: &str) -> bool {
    let name = html.strip_prefix("<!");
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// The beginnings and ends of comments, processing instructions and declarations.
const OTHER_ENDS: [(&str, &str); 4] = [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">")];

/// Parses a comment, a declaration or a processing instruction, and returns the rest. An end that was missing once is not
/// searched for again.
fn parse_other<'t>(html: &'t str, unclosed: &mut [bool; OTHER_ENDS.len()]) -> Option<(HtmlToken, &'t str)> {
    let kinds = OTHER_ENDS.iter().zip(unclosed.iter_mut());
    let ((open, close), unclosed) = kinds.into_iter().find(|((open, _), _)| html.starts_with(open))?;
    (*open != "<!" || is_declaration(html)).then_some(())?;
    let length = match *unclosed {
        true => None,
        false => html.get(open.len()..)?.find(close),
    };
    *unclosed = length.is_none();
    let (raw, rest) = html.split_at(open.len() + length? + close.len());
    Some((HtmlToken::Other(raw.to_owned()), rest))
}

/// Parses a tag and returns the rest.
fn parse_tag(html: &str) -> Option<(HtmlToken, &str)> {
    let inner = html.strip_prefix('<')?;
    if let Some(inner) = inner.strip_prefix('/') {
        let (name, rest) = parse_name(inner)?;
        let rest = rest.trim_start().strip_prefix('>')?;
        let raw = html.get(..html.len() - rest.len())?.to_owned();
        return Some((HtmlToken::Close { name, raw }, rest));
    }
    let (name, rest) = parse_name(inner)?;
    let (attributes, rest) = Attributes::parse(rest, AttributeSyntax::Html)?;
    let rest = rest.strip_prefix('/').unwrap_or(rest).strip_prefix('>')?;
    let raw = html.get(..html.len() - rest.len())?.to_owned();
    let attributes = attributes.with_lower_case_names();
    Some((HtmlToken::Open(Box::new(HtmlElement { name, attributes, raw })), rest))
}

fn parse_name(text: &str) -> Option<(String, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    let first = name.chars().next()?;
    first.is_ascii_alphabetic().then(|| (name.to_ascii_lowercase(), rest))
}

/// An item of a list of tokens, as far as matching needs it.
pub enum PairEdge<'a> {
    Open(&'a str),
    Close(&'a str),
    /// The boundaries of a balanced span, which pairs of tags do not cross.
    Enter,
    Leave,
    Neither,
}

/// Returns the index of the matching item for each opening and closing one, in linear time even with unclosed tags.
pub fn match_pairs<'a>(edges: impl Iterator<Item = PairEdge<'a>>) -> Vec<Option<usize>> {
    let mut pairs = Vec::new();
    let mut open: Vec<(Option<&str>, usize)> = Vec::new();
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut floors = Vec::new();
    for (at, edge) in edges.enumerate() {
        pairs.push(None);
        let closes = match edge {
            PairEdge::Neither => continue,
            PairEdge::Open(name) => {
                by_name.entry(name).or_default().push(open.len());
                open.push((Some(name), at));
                continue;
            }
            PairEdge::Enter => {
                floors.push(open.len());
                open.push((None, at));
                continue;
            }
            PairEdge::Close(name) => {
                let floor = floors.last().map_or(0, |floor| floor + 1);
                by_name
                    .get(name)
                    .and_then(|places| places.last().copied())
                    .filter(|place| *place >= floor)
            }
            PairEdge::Leave => floors.pop(),
        };
        let Some(place) = closes else {
            continue;
        };
        while open.len() > place {
            let Some((name, from)) = open.pop() else {
                break;
            };
            if let Some(places) = name.and_then(|name| by_name.get_mut(name)) {
                places.pop();
            }
            if open.len() == place {
                pair(&mut pairs, from, at);
            }
        }
    }
    pairs
}

fn pair(pairs: &mut [Option<usize>], from: usize, to: usize) {
    if let Some(index) = pairs.get_mut(from) {
        *index = Some(to);
    }
    if let Some(index) = pairs.get_mut(to) {
        *index = Some(from);
    }
}
