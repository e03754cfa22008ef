//! The attributes of a tag, taken one by one: what is left over was not understood.

use std::ops::Range;

use super::entities;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes(Vec<Attribute>);

#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    pub name: String,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    None,
    /// Without quotes.
    Bare(String),
    Quoted(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Html,
    Tag,
}

impl Value {
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

    /// `true`, or `false`, or only the name; something else is left where it is.
    pub fn take_flag(&mut self, name: &str) -> Option<bool> {
        let at = self.0.iter().position(|attribute| attribute.name == name)?;
        let value = match &self.0.get(at)?.value {
            Value::None => true,
            Value::Bare(text) | Value::Quoted(text) => match text.as_str() {
                "true" | "" => true,
                "false" => false,
                _ => return None,
            },
        };
        self.0.remove(at);
        Some(value)
    }

    /// A value that `read` understands; another is left where it is.
    pub fn take_as<T>(&mut self, name: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let at = self.0.iter().position(|attribute| attribute.name == name)?;
        let value = match &self.0.get(at)?.value {
            Value::None => read(""),
            Value::Bare(text) | Value::Quoted(text) => read(text),
        }?;
        self.0.remove(at);
        Some(value)
    }

    /// A text of at most so many characters; a longer one is left where it is.
    pub fn take_short(&mut self, name: &str, most: usize) -> Option<String> {
        self.take_as(name, |text| (text.chars().count() <= most).then(|| text.to_owned()))
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|attribute| attribute.name == name)
    }

    /// Whether everything was understood. What only concerns how a browser loads or opens something may be there.
    pub fn done(&self) -> bool {
        let harmless = |name: &str| matches!(name, "target" | "rel" | "loading" | "decoding");
        self.0.iter().all(|attribute| harmless(&attribute.name))
    }

    /// Names in HTML have no case.
    pub fn lower(mut self) -> Self {
        for attribute in &mut self.0 {
            attribute.name.make_ascii_lowercase();
        }
        self
    }

    pub fn into_rest(self) -> Vec<Attribute> {
        self.0
    }

    /// Reads attributes up to where none begins; gives what follows. In tags a quote after `\` does not end a value.
    pub fn read(mut text: &str, syntax: Syntax) -> Option<(Self, &str)> {
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
            let (value, rest) = read_value(rest, syntax)?;
            all.0.push(Attribute {
                name: name.to_owned(),
                value,
            });
            text = rest;
        }
    }
}

/// Where the value of the first attribute of this name stands, with its quotes.
pub fn value_of(text: &str, name: &str, syntax: Syntax) -> Option<Range<usize>> {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start_matches(SPACE);
        let end = trimmed.find(|c: char| !is_name(c)).unwrap_or(trimmed.len());
        let (found, after) = trimmed.split_at(end);
        let same = match syntax {
            Syntax::Html => found.eq_ignore_ascii_case(name),
            Syntax::Tag => found == name,
        };
        if found.is_empty() {
            return None;
        }
        let (value, left) = read_value(after, syntax)?;
        if same {
            let from = text.len() - after.len() + 1;
            return (value != Value::None).then_some(from..text.len() - left.len());
        }
        rest = left;
    }
}

const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')
}

fn end_of_value(text: &str, quote: char, syntax: Syntax) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == quote && !escaped;
        escaped = syntax == Syntax::Tag && c == '\\';
        ends.then_some(at)
    })
}

fn read_value(text: &str, syntax: Syntax) -> Option<(Value, &str)> {
    let Some(rest) = text.strip_prefix('=') else {
        return Some((Value::None, text));
    };
    for quote in ['"', '\''] {
        if let Some(rest) = rest.strip_prefix(quote) {
            let (value, rest) = rest.split_at(end_of_value(rest, quote, syntax)?);
            let value = match syntax {
                Syntax::Html => entities::decode(value).into_owned(),
                Syntax::Tag => entities::decode(&value.replace(&format!("\\{quote}"), &quote.to_string())).into_owned(),
            };
            return Some((Value::Quoted(value), rest.get(1..)?));
        }
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '=' | '<' | '>' | '`' | '%');
    let end = rest.find(ends).unwrap_or(rest.len());
    let (value, rest) = rest.split_at(end);
    // A percentage: the sign belongs to it unless a tag ends there.
    let (value, rest) = match rest.strip_prefix('%') {
        Some(after) if !after.starts_with('}') => (format!("{value}%"), after),
        _ => (value.to_owned(), rest),
    };
    (!value.is_empty()).then(|| (Value::Bare(entities::decode(&value).into_owned()), rest))
}
