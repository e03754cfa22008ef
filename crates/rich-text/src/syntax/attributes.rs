//! Tag attributes. A parser takes the attributes that it knows; a tag with any other attribute is unknown.

use std::ops::Range;

use super::entities;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes(Vec<Attribute>);

#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    pub name: String,
    pub value: AttributeValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    None,
    /// Without quotes.
    Bare(String),
    Quoted(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeSyntax {
    Html,
    BlockTag,
}

/// The attributes of HTML that often have no value.
const MAY_HAVE_NO_VALUE: &[&str] = &[
    "allowfullscreen",
    "alt",
    "async",
    "autofocus",
    "autoplay",
    "checked",
    "class",
    "compact",
    "contenteditable",
    "controls",
    "crossorigin",
    "default",
    "defer",
    "disabled",
    "download",
    "draggable",
    "formnovalidate",
    "hidden",
    "href",
    "id",
    "inert",
    "ismap",
    "itemscope",
    "loop",
    "multiple",
    "muted",
    "nomodule",
    "noresize",
    "noshade",
    "novalidate",
    "nowrap",
    "open",
    "playsinline",
    "readonly",
    "required",
    "reversed",
    "selected",
    "spellcheck",
    "src",
    "style",
];

impl AttributeValue {
    pub fn into_text(self) -> String {
        match self {
            Self::None => String::new(),
            Self::Bare(text) | Self::Quoted(text) => text,
        }
    }
}

impl Attributes {
    pub fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|attribute| attribute.name == name)?;
        Some(self.0.remove(at).value.into_text())
    }

    /// Takes a boolean: `true`, `false`, or only the name. Any other value stays.
    pub fn take_flag(&mut self, name: &str) -> Option<bool> {
        let at = self.0.iter().position(|attribute| attribute.name == name)?;
        let value = match &self.0.get(at)?.value {
            AttributeValue::None => true,
            AttributeValue::Bare(text) | AttributeValue::Quoted(text) => match text.as_str() {
                "true" | "" => true,
                "false" => false,
                _ => return None,
            },
        };
        self.0.remove(at);
        Some(value)
    }

    /// Takes a value that `parse` accepts; any other value stays.
    pub fn take_parsed<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let at = self.0.iter().position(|attribute| attribute.name == name)?;
        let value = match &self.0.get(at)?.value {
            AttributeValue::None => parse(""),
            AttributeValue::Bare(text) | AttributeValue::Quoted(text) => parse(text),
        }?;
        self.0.remove(at);
        Some(value)
    }

    /// Takes a text of at most `limit` characters; a longer one stays.
    pub fn take_bounded(&mut self, name: &str, limit: usize) -> Option<String> {
        self.take_parsed(name, |text| (text.chars().count() <= limit).then(|| text.to_owned()))
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|attribute| attribute.name == name)
    }

    /// Returns whether all attributes were taken, apart from those that only tell a browser how to load or open
    /// something.
    pub fn all_consumed(&self) -> bool {
        let harmless = |name: &str| matches!(name, "target" | "rel" | "loading" | "decoding");
        self.0.iter().all(|attribute| harmless(&attribute.name))
    }

    /// Returns whether no attribute has a value.
    pub fn have_no_values(&self) -> bool {
        self.0.iter().all(|attribute| attribute.value == AttributeValue::None)
    }

    /// Returns whether there are attributes, and all are words that HTML does not have as attributes without values.
    pub fn are_words(&self) -> bool {
        let is_attribute = |attribute: &Attribute| {
            let name = attribute.name.to_ascii_lowercase();
            MAY_HAVE_NO_VALUE.contains(&name.as_str()) || name.starts_with("data-")
        };
        !self.0.is_empty() && self.have_no_values() && !self.0.iter().any(is_attribute)
    }

    /// Converts names to lower case: in HTML they are case-insensitive.
    pub fn with_lower_case_names(mut self) -> Self {
        for attribute in &mut self.0 {
            attribute.name.make_ascii_lowercase();
        }
        self
    }

    pub fn into_rest(self) -> Vec<Attribute> {
        self.0
    }

    /// Parses attributes and returns the rest of the text. In block tags a backslash escapes a quote.
    pub fn parse(mut text: &str, syntax: AttributeSyntax) -> Option<(Self, &str)> {
        let mut all = Self::default();
        loop {
            let trimmed = text.trim_start_matches(SPACE);
            let end = trimmed.find(|c: char| !is_name(c)).unwrap_or(trimmed.len());
            let (name, rest) = trimmed.split_at(end);
            if name.is_empty() {
                return Some((all, trimmed));
            }
            if trimmed.len() == text.len() && !all.0.is_empty() {
                return None;
            }
            let (value, rest) = parse_value(rest, syntax)?;
            all.0.push(Attribute {
                name: name.to_owned(),
                value,
            });
            text = rest;
        }
    }
}

/// Returns the range of the value of the first attribute with this name, including its quotes.
pub fn value_range(text: &str, name: &str, syntax: AttributeSyntax) -> Option<Range<usize>> {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start_matches(SPACE);
        let end = trimmed.find(|c: char| !is_name(c)).unwrap_or(trimmed.len());
        let (attribute_name, after) = trimmed.split_at(end);
        let same = match syntax {
            AttributeSyntax::Html => attribute_name.eq_ignore_ascii_case(name),
            AttributeSyntax::BlockTag => attribute_name == name,
        };
        if attribute_name.is_empty() {
            return None;
        }
        let (value, left) = parse_value(after, syntax)?;
        if same {
            let from = text.len() - after.len() + 1;
            return (value != AttributeValue::None).then_some(from..text.len() - left.len());
        }
        rest = left;
    }
}

const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')
}

fn find_value_end(text: &str, quote: char, syntax: AttributeSyntax) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == quote && !escaped;
        escaped = syntax == AttributeSyntax::BlockTag && c == '\\';
        ends.then_some(at)
    })
}

fn parse_value(text: &str, syntax: AttributeSyntax) -> Option<(AttributeValue, &str)> {
    let Some(rest) = text.strip_prefix('=') else {
        return Some((AttributeValue::None, text));
    };
    for quote in ['"', '\''] {
        if let Some(rest) = rest.strip_prefix(quote) {
            let (value, rest) = rest.split_at(find_value_end(rest, quote, syntax)?);
            let value = match syntax {
                AttributeSyntax::Html => entities::decode_attribute(value),
                AttributeSyntax::BlockTag => {
                    entities::decode(&value.replace(&format!("\\{quote}"), &quote.to_string())).into_owned()
                }
            };
            return Some((AttributeValue::Quoted(value), rest.get(1..)?));
        }
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '=' | '<' | '>' | '`' | '%');
    let end = rest.find(ends).unwrap_or(rest.len());
    let (value, rest) = rest.split_at(end);
    // A percent sign belongs to the value unless it ends the tag.
    let (value, rest) = match rest.strip_prefix('%') {
        Some(after) if !after.starts_with('}') => (format!("{value}%"), after),
        _ => (value.to_owned(), rest),
    };
    let decoded = match syntax {
        AttributeSyntax::Html => entities::decode_attribute(&value),
        AttributeSyntax::BlockTag => entities::decode(&value).into_owned(),
    };
    (!value.is_empty()).then_some((AttributeValue::Bare(decoded), rest))
}
