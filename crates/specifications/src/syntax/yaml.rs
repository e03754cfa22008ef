//! YAML, with the scalars of its core schema and merge keys.

use std::{borrow::Cow, collections::HashMap};

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, Tag};
use serde_json::{Map, Number, Value};

use super::Budget;
use crate::{MAX_ALIASED_WEIGHT, MAX_DEPTH, problem::Problem};

pub fn parse(text: &str, budget: &mut Budget) -> Result<Value, Problem> {
    let mut builder = Builder::new(budget);
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| problem(format!("The YAML cannot be parsed: {}.", error.info()), *error.marker()))?;
        builder.add(event, span)?;
    }
    builder.root.ok_or_else(|| Problem::new("The document is empty."))
}

fn problem(message: impl Into<String>, at: Marker) -> Problem {
    Problem::at_position(message, at.line().max(1), at.col() + 1)
}

/// A value that an anchor names.
struct Anchored {
    value: Value,
    weight: usize,
    depth: usize,
}

/// An array or an object whose end has not come yet.
struct Open {
    anchor: usize,
    /// The budget before it.
    budget_before: usize,
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
    budget: &'a mut Budget,
    aliased: usize,
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    documents: usize,
    root: Option<Value>,
}

impl<'a> Builder<'a> {
    fn new(budget: &'a mut Budget) -> Self {
        Self {
            budget,
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
        let budget_before = self.budget.left;
        self.budget.take(0).map_err(|message| problem(message, at))?;
        self.open.push(Open {
            anchor,
            budget_before,
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
        let budget_before = self.budget.left;
        self.budget.take(text.len()).map_err(|message| problem(message, at))?;
        if self.awaits_key() {
            return self.key(text.into_owned(), at);
        }
        let is_text = style != ScalarStyle::Plain || tag.is_some_and(|tag| tag.suffix == "str");
        let value = match is_text {
            true => Value::String(text.into_owned()),
            false => plain(text),
        };
        self.keep(anchor, &value, budget_before, at)?;
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
        self.aliased += anchored.weight;
        if self.aliased > MAX_ALIASED_WEIGHT {
            return Err(problem("Aliases make the document too large.", at));
        }
        let taken = self.budget.take_weight(anchored.weight);
        taken.map_err(|message| problem(message, at))?;
        let value = anchored.value.clone();
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
            Container::Array(items) => Value::Array(items),
            Container::Object {
                mut members, merged, ..
            } => {
                for value in merged {
                    merge(&mut members, value, at)?;
                }
                Value::Object(members)
            }
        };
        self.keep(open.anchor, &value, open.budget_before, at)?;
        self.put(value, at)
    }

    /// Keeps a copy for aliases, which counts like one.
    fn keep(&mut self, anchor: usize, value: &Value, budget_before: usize, at: Marker) -> Result<(), Problem> {
        if anchor == 0 {
            return Ok(());
        }
        let weight = budget_before.saturating_sub(self.budget.left);
        let taken = self.budget.take_weight(weight);
        taken.map_err(|message| problem(message, at))?;
        let anchored = Anchored {
            depth: depth(value),
            value: value.clone(),
            weight,
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
            Some(number) => Value::Number(number),
            None => Value::String(text.into_owned()),
        },
    }
}

fn number(text: &str) -> Option<Number> {
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
