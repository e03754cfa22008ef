//! YAML, with the scalars of its core schema and merge keys.

use std::{borrow::Cow, cell::Cell, collections::HashMap, rc::Rc, str::Chars};

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, Tag};
use serde_json::{Map, Number, Value};

use super::{SPELLING, TOO_MANY_VALUES};
use crate::{
    MAX_ALIASED_MEMORY, MAX_DEPTH,
    memory::{self, Exhausted, Memory},
    problem::Problem,
};

/// The most indicators between two events. The parser keeps all tokens of a collection in brackets or braces that could be a key.
const MAX_READ_AHEAD: usize = 100_000;

pub fn parse(text: &str, memory: &mut Memory) -> Result<Value, Problem> {
    let mut builder = Builder::new(memory);
    let read_ahead: Rc<Cell<usize>> = Rc::default();
    let characters = Characters {
        of: text.chars(),
        read_ahead: Rc::clone(&read_ahead),
    };
    for event in Parser::new_from_iter(characters) {
        let is_cut = read_ahead.get() > MAX_READ_AHEAD;
        if !is_cut {
            read_ahead.set(0);
        }
        let (event, span) = event.map_err(|error| match is_cut {
            true => problem("A value is too long for YAML. Use JSON.", *error.marker()),
            false => problem(format!("The YAML cannot be parsed: {}.", error.info()), *error.marker()),
        })?;
        builder.add(event, span)?;
    }
    builder.root.ok_or_else(|| Problem::new("The document is empty."))
}

/// The characters of a text, which ends where the parser would have to keep too much.
struct Characters<'t> {
    of: Chars<'t>,
    /// The indicators since the last event.
    read_ahead: Rc<Cell<usize>>,
}

impl Iterator for Characters<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let next = self.of.next()?;
        if matches!(next, '[' | ']' | '{' | '}' | ',' | ':') {
            self.read_ahead.update(|read| read + 1);
        }
        (self.read_ahead.get() <= MAX_READ_AHEAD).then_some(next)
    }
}

fn problem(message: impl Into<String>, at: Marker) -> Problem {
    Problem::at_position(message, at.line().max(1), at.col() + 1)
}

/// A value that an anchor names.
struct Anchored {
    value: Value,
    memory: usize,
    depth: usize,
}

/// An array or an object whose end has not come yet.
struct Open {
    anchor: usize,
    /// The memory that was left before it.
    left_before: usize,
    container: Container,
}

enum Container {
    Array(Vec<Value>),
    Object {
        members: Map<String, Value>,
        /// The key whose value is next.
        key: Option<String>,
        /// The values of merge keys.
        merged: Vec<Value>,
    },
}

const MERGE_KEY: &str = "<<";

struct Builder<'a> {
    memory: &'a mut Memory,
    aliased: usize,
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    documents: usize,
    root: Option<Value>,
}

impl<'a> Builder<'a> {
    fn new(memory: &'a mut Memory) -> Self {
        Self {
            memory,
            aliased: 0,
            open: Vec::new(),
            anchors: HashMap::new(),
            documents: 0,
            root: None,
        }
    }

    fn add(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let at = span.start;
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                match self.documents {
                    1 => Ok(()),
                    _ => Err(problem("The file has more than one YAML document.", at)),
                }
            }
            Event::Scalar(text, style, anchor, tag) => self.scalar(text, style, (anchor, tag), at),
            Event::Alias(anchor) => self.alias(anchor, at),
            Event::SequenceStart(anchor, _) => self.start(anchor, Container::Array(Vec::new()), at),
            Event::MappingStart(anchor, _) => {
                let members = Map::new();
                let container = Container::Object {
                    members,
                    key: None,
                    merged: Vec::new(),
                };
                self.start(anchor, container, at)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(at),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn take(&mut self, bytes: usize, at: Marker) -> Result<(), Problem> {
        let taken = self.memory.take(bytes);
        taken.map_err(|Exhausted| problem(TOO_MANY_VALUES, at))
    }

    fn awaits_key(&self) -> bool {
        matches!(
            self.open.last(),
            Some(Open {
                container: Container::Object { key: None, .. },
                ..
            })
        )
    }

    fn start(&mut self, anchor: usize, container: Container, at: Marker) -> Result<(), Problem> {
        if self.awaits_key() {
            return Err(problem("A key is not a text.", at));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(problem("The document is nested too deeply.", at));
        }
        let left_before = self.memory.left();
        self.take(memory::of_container(), at)?;
        self.open.push(Open {
            anchor,
            left_before,
            container,
        });
        Ok(())
    }

    fn scalar(
        &mut self,
        text: Cow<'_, str>,
        style: ScalarStyle,
        (anchor, tag): (usize, Option<Cow<'_, Tag>>),
        at: Marker,
    ) -> Result<(), Problem> {
        let left_before = self.memory.left();
        if self.awaits_key() {
            self.take(memory::of_name(&text), at)?;
            return self.key(text.into_owned(), at);
        }
        self.take(memory::of_scalar(text.len() + SPELLING.len()), at)?;
        let is_text = style != ScalarStyle::Plain || tag.is_some_and(|tag| tag.suffix == "str");
        let value = match is_text {
            true => Value::String(text.into_owned()),
            false => plain(text),
        };
        self.keep(anchor, &value, left_before, at)?;
        self.put(value, at)
    }

    fn key(&mut self, name: String, at: Marker) -> Result<(), Problem> {
        if let Some(Open {
            container: Container::Object { members, key, .. },
            ..
        }) = self.open.last_mut()
        {
            if members.contains_key(&name) {
                return Err(problem(format!("The member `{name}` occurs twice."), at));
            }
            *key = Some(name);
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, at: Marker) -> Result<(), Problem> {
        let Some(anchored) = self.anchors.get(&anchor) else {
            return Err(problem("An alias refers to a value that contains the alias.", at));
        };
        if self.open.len() + anchored.depth > MAX_DEPTH {
            return Err(problem("The document is nested too deeply.", at));
        }
        self.aliased += anchored.memory;
        if self.aliased > MAX_ALIASED_MEMORY {
            return Err(problem("Aliases make the document too large.", at));
        }
        let (value, bytes) = (anchored.value.clone(), anchored.memory);
        self.take(bytes, at)?;
        if self.awaits_key() {
            return match value {
                Value::String(name) => self.key(name, at),
                _ => Err(problem("A key is not a text.", at)),
            };
        }
        self.put(value, at)
    }

    fn end(&mut self, at: Marker) -> Result<(), Problem> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let value = match open.container {
            Container::Array(mut items) => {
                items.shrink_to_fit();
                Value::Array(items)
            }
            Container::Object {
                mut members, merged, ..
            } => {
                for value in merged {
                    merge(&mut members, value, at)?;
                }
                Value::Object(memory::shrunk(members))
            }
        };
        self.keep(open.anchor, &value, open.left_before, at)?;
        self.put(value, at)
    }

    /// Keeps a copy for aliases, which counts like one.
    fn keep(&mut self, anchor: usize, value: &Value, left_before: usize, at: Marker) -> Result<(), Problem> {
        if anchor == 0 {
            return Ok(());
        }
        let bytes = left_before.saturating_sub(self.memory.left());
        self.take(bytes, at)?;
        let anchored = Anchored {
            depth: depth(value),
            value: value.clone(),
            memory: bytes,
        };
        self.anchors.insert(anchor, anchored);
        Ok(())
    }

    fn put(&mut self, value: Value, at: Marker) -> Result<(), Problem> {
        match self.open.last_mut().map(|open| &mut open.container) {
            None => self.root = Some(value),
            Some(Container::Array(items)) => items.push(value),
            Some(Container::Object { members, key, merged }) => match key.take() {
                Some(name) if name == MERGE_KEY => merged.push(value),
                Some(name) => {
                    members.insert(name, value);
                }
                None => return Err(problem("A key is not a text.", at)),
            },
        }
        Ok(())
    }
}

/// Adds the members of an object, or of several, that are not there yet.
fn merge(members: &mut Map<String, Value>, merged: Value, at: Marker) -> Result<(), Problem> {
    match merged {
        Value::Object(others) => {
            for (name, value) in others {
                members.entry(name).or_insert(value);
            }
            Ok(())
        }
        Value::Array(items) => items.into_iter().try_for_each(|item| match item {
            Value::Object(_) => merge(members, item, at),
            _ => Err(problem("A merge key needs objects.", at)),
        }),
        _ => Err(problem("A merge key needs an object.", at)),
    }
}

fn depth(value: &Value) -> usize {
    let deepest = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(members) => members.values().map(depth).max(),
        _ => return 0,
    };
    1 + deepest.unwrap_or_default()
}

fn plain(text: Cow<'_, str>) -> Value {
    match text.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        other => match number(other) {
            Some(number) if number.to_string() == text => Value::Number(number),
            Some(_) => Value::String(format!("{SPELLING}{text}")),
            None => Value::String(text.into_owned()),
        },
    }
}

pub fn number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16)
            .ok()
            .filter(|_| !digits.starts_with('+'))
            .map(Number::from);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return u64::from_str_radix(digits, 8)
            .ok()
            .filter(|_| !digits.starts_with('+'))
            .map(Number::from);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let starts_well = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let digits = unsigned.chars().any(|c| c.is_ascii_digit());
    let known = unsigned
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    if !(starts_well && digits && known) {
        return None;
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let signed = text.strip_prefix('+').unwrap_or(text);
        if let Ok(number) = signed.parse::<u64>() {
            return Some(number.into());
        }
        if let Ok(number) = signed.parse::<i64>() {
            return Some(number.into());
        }
    }
    Number::from_f64(text.parse().ok()?)
}
