//! Schemas compared, for requests and responses at once.

use std::{cell::Cell, collections::BTreeMap};

use serde_json::Value;

use super::{
    Change, ChangeKind, Detail, MAX_DETAILS, Rule, Subject,
    view::{View, name_of_reference},
};
use crate::references::push;

/// Nesting of schemas without names.
const MAX_DEPTH: usize = 30;

/// Schemas that are compared; documents are far below it.
const MAX_STEPS: usize = 2_000_000;

/// Limits of which a larger value allows more, and those of which it allows less.
const UPPER_LIMITS: [&str; 6] = [
    "maxLength",
    "maximum",
    "exclusiveMaximum",
    "maxItems",
    "maxProperties",
    "maxContains",
];
const LOWER_LIMITS: [&str; 6] = [
    "minLength",
    "minimum",
    "exclusiveMinimum",
    "minItems",
    "minProperties",
    "minContains",
];

/// Rules of which any other value may refuse what was fine, and may bring what was not there.
const EXACT_LIMITS: [&str; 3] = ["pattern", "format", "multipleOf"];

/// Where a schema is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uses {
    pub in_requests: bool,
    pub in_responses: bool,
}

/// A detail, before it is known who uses the schema.
#[derive(Debug, Clone)]
pub struct SchemaDetail {
    pub rule: Rule,
    pub pointer: String,
    pub message: String,
    pub breaks: Uses,
}

/// The two documents, and how much was compared.
pub struct Comparison<'d> {
    pub before: &'d Value,
    pub after: &'d Value,
    steps: Cell<usize>,
}

impl<'d> Comparison<'d> {
    pub fn new(before: &'d Value, after: &'d Value) -> Self {
        Self {
            before,
            after,
            steps: Cell::new(0),
        }
    }

    /// Counts work; false when it is enough.
    pub fn step(&self) -> bool {
        self.steps.set(self.steps.get() + 1);
        self.is_complete()
    }

    pub fn is_complete(&self) -> bool {
        self.steps.get() <= MAX_STEPS
    }

    /// The details of a schema without a name, and of the schemas in it.
    pub fn schema(&self, before: &'d Value, after: &'d Value, pointer: &str) -> Vec<SchemaDetail> {
        let mut found = Details::default();
        self.compare(before, after, pointer, 0, &mut found);
        found.0
    }

    fn compare(&self, before: &'d Value, after: &'d Value, pointer: &str, depth: usize, found: &mut Details) {
        let name = name_of_reference(after);
        // What has a name is compared under it.
        if before == after || (name.is_some() && name == name_of_reference(before)) {
            return;
        }
        if depth > MAX_DEPTH || found.is_full() || !self.step() {
            return;
        }
        self.compare_views(
            (View::of(self.before, before), View::of(self.after, after)),
            pointer,
            depth,
            found,
        );
    }

    fn compare_views(&self, views: (View<'d>, View<'d>), pointer: &str, depth: usize, found: &mut Details) {
        let (before, after) = &views;
        found.types(before, after, pointer);
        found.values(before, after, pointer);
        found.limits(before, after, pointer);
        found.required(before, after, pointer);
        found.properties(before, after, pointer);
        found.alternatives((self, before, after), pointer);
        for (name, property) in &after.properties {
            if let Some(former) = before.properties.get(name) {
                self.compare(
                    former,
                    property,
                    &below(pointer, &["properties", name]),
                    depth + 1,
                    found,
                );
            }
        }
        if let (Some(former), Some(items)) = (before.items, after.items) {
            self.compare(former, items, &below(pointer, &["items"]), depth + 1, found);
        }
    }
}

pub fn below(pointer: &str, segments: &[&str]) -> String {
    let mut pointer = pointer.to_owned();
    for segment in segments {
        push(&mut pointer, segment);
    }
    pointer
}

#[derive(Default)]
struct Details(Vec<SchemaDetail>);

const REQUESTS: Uses = Uses {
    in_requests: true,
    in_responses: false,
};
const RESPONSES: Uses = Uses {
    in_requests: false,
    in_responses: true,
};
const BOTH: Uses = Uses {
    in_requests: true,
    in_responses: true,
};
const NONE: Uses = Uses {
    in_requests: false,
    in_responses: false,
};

impl Details {
    fn is_full(&self) -> bool {
        self.0.len() >= MAX_DETAILS
    }

    fn add(&mut self, rule: Rule, pointer: String, breaks: Uses, message: String) {
        if !self.is_full() {
            self.0.push(SchemaDetail {
                rule,
                pointer,
                message,
                breaks,
            });
        }
    }

    fn types(&mut self, before: &View<'_>, after: &View<'_>, pointer: &str) {
        if before.types == after.types {
            return;
        }
        let allows = |view: &View<'_>, name: &str| {
            let allowed = |name: &str| view.types.as_ref().is_none_or(|types| types.contains(name));
            // Every integer is a number.
            allowed(name) || (name == "integer" && allowed("number"))
        };
        let lost = super::view::TYPES
            .iter()
            .any(|name| allows(before, name) && !allows(after, name));
        let gained = super::view::TYPES
            .iter()
            .any(|name| !allows(before, name) && allows(after, name));
        let shown = |view: &View<'_>| match &view.types {
            Some(types) => types
                .iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(" or "),
            None => "any".to_owned(),
        };
        let breaks = Uses {
            in_requests: lost,
            in_responses: gained,
        };
        let message = format!("The type was {}, and is {}.", shown(before), shown(after));
        self.add(Rule::Type, below(pointer, &["type"]), breaks, message);
    }

    fn values(&mut self, before: &View<'_>, after: &View<'_>, pointer: &str) {
        let pointer = below(pointer, &["enum"]);
        match (&before.values, &after.values) {
            (Some(former), Some(values)) => {
                for gone in former.difference(values) {
                    let message = format!("The value {} is not allowed any more.", shortened(gone));
                    self.add(Rule::Enum, pointer.clone(), REQUESTS, message);
                }
                for new in values.difference(former) {
                    let message = format!("There is another value, {}.", shortened(new));
                    self.add(Rule::Enum, pointer.clone(), RESPONSES, message);
                }
            }
            (Some(_), None) => self.add(Rule::Enum, pointer, RESPONSES, "All values are allowed.".to_owned()),
            (None, Some(_)) => self.add(
                Rule::Enum,
                pointer,
                REQUESTS,
                "Only some values are allowed.".to_owned(),
            ),
            (None, None) => {}
        }
    }

    fn limits(&mut self, before: &View<'_>, after: &View<'_>, pointer: &str) {
        for (names, upper) in [(UPPER_LIMITS, true), (LOWER_LIMITS, false)] {
            for name in names {
                self.limit(name, upper, (before, after), pointer);
            }
        }
        for name in EXACT_LIMITS {
            let (former, limit) = (before.keyword(name), after.keyword(name));
            if former == limit {
                continue;
            }
            let breaks = Uses {
                in_requests: limit.is_some(),
                in_responses: former.is_some() && name == "format",
            };
            let message = format!("`{name}` was {}, and is {}.", shown(former), shown(limit));
            self.add(Rule::Limit, below(pointer, &[name]), breaks, message);
        }
        let (former, default) = (before.keyword("default"), after.keyword("default"));
        if former != default {
            let message = format!("The default was {}, and is {}.", shown(former), shown(default));
            self.add(Rule::Default, below(pointer, &["default"]), NONE, message);
        }
    }

    fn limit(&mut self, name: &str, upper: bool, (before, after): (&View<'_>, &View<'_>), pointer: &str) {
        let (former, limit) = (before.keyword(name), after.keyword(name));
        let number = |value: Option<&Value>| value.and_then(Value::as_f64);
        if number(former) == number(limit) {
            return;
        }
        let is_tighter = match (number(former), number(limit)) {
            (Some(former), Some(limit)) => (limit < former) == upper,
            (former, _) => former.is_none(),
        };
        let breaks = if is_tighter { REQUESTS } else { NONE };
        let message = format!("`{name}` was {}, and is {}.", shown(former), shown(limit));
        self.add(Rule::Limit, below(pointer, &[name]), breaks, message);
    }

    fn required(&mut self, before: &View<'_>, after: &View<'_>, pointer: &str) {
        let has = |view: &View<'_>, name: &str| view.properties.contains_key(name);
        let pointer = || below(pointer, &["required"]);
        for name in after.required.difference(&before.required) {
            // A new property that is required is told as such.
            if has(before, name) || !has(after, name) {
                let message = format!("`{name}` is required.");
                self.add(Rule::Required, pointer(), REQUESTS, message);
            }
        }
        for name in before.required.difference(&after.required) {
            if has(after, name) || !has(before, name) {
                let message = format!("`{name}` is not required any more.");
                self.add(Rule::Required, pointer(), RESPONSES, message);
            }
        }
    }

    fn properties(&mut self, before: &View<'_>, after: &View<'_>, pointer: &str) {
        for name in before
            .properties
            .keys()
            .filter(|name| !after.properties.contains_key(**name))
        {
            let message = format!("The property `{name}` was removed.");
            self.add(Rule::Property, below(pointer, &["properties", name]), BOTH, message);
        }
        for name in after
            .properties
            .keys()
            .filter(|name| !before.properties.contains_key(**name))
        {
            let (breaks, required) = match after.required.contains(name) {
                true => (REQUESTS, ", which is required"),
                false => (NONE, ""),
            };
            let message = format!("There is another property, `{name}`{required}.");
            self.add(Rule::Property, below(pointer, &["properties", name]), breaks, message);
        }
        if before.is_closed != after.is_closed {
            let (breaks, message) = match after.is_closed {
                true => (REQUESTS, "Other properties are not allowed any more."),
                false => (NONE, "Other properties are allowed."),
            };
            let pointer = below(pointer, &["additionalProperties"]);
            self.add(Rule::Property, pointer, breaks, message.to_owned());
        }
    }

    /// Alternatives are the same if they have the same name or the same rules.
    fn alternatives<'d>(
        &mut self,
        (comparison, before, after): (&Comparison<'d>, &View<'d>, &View<'d>),
        pointer: &str,
    ) {
        let known = |list: &[&Value], one: &Value| {
            list.iter().any(|other| {
                let name = name_of_reference(one);
                comparison.step() && (*other == one || (name.is_some() && name == name_of_reference(other)))
            })
        };
        let names = |schema: &Value| {
            name_of_reference(schema)
                .map(|name| format!(" `{name}`"))
                .unwrap_or_default()
        };
        for gone in before
            .alternatives
            .iter()
            .filter(|one| !known(&after.alternatives, one))
        {
            let message = format!("The alternative{} was removed or changed.", names(gone));
            self.add(Rule::Alternative, pointer.to_owned(), REQUESTS, message);
        }
        for new in after
            .alternatives
            .iter()
            .filter(|one| !known(&before.alternatives, one))
        {
            let breaks = if before.alternatives.is_empty() {
                REQUESTS
            } else {
                RESPONSES
            };
            let message = format!("There is another alternative{}.", names(new));
            self.add(Rule::Alternative, pointer.to_owned(), breaks, message);
        }
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or("absent".to_owned(), |value| shortened(&value.to_string()))
}

/// Values may be long.
fn shortened(json: &str) -> String {
    const MAX: usize = 60;
    match json.char_indices().nth(MAX) {
        Some((end, _)) => format!("`{}…`", json.get(..end).unwrap_or_default()),
        None => format!("`{json}`"),
    }
}

/// What became of a schema with a name.
pub enum NamedChange {
    Added,
    Removed,
    Changed(Vec<SchemaDetail>),
}

impl NamedChange {
    /// Returns whether it breaks those who use the schema so.
    pub fn breaks(&self, used: Uses) -> bool {
        match self {
            Self::Added => false,
            // Whoever refers to something else instead has a change of its own.
            Self::Removed => false,
            Self::Changed(details) => details.iter().any(|detail| detail.breaks.meets(used)),
        }
    }

    pub fn of_subject(self, subject: Subject, used: Uses) -> Change {
        let is_breaking = self.breaks(used);
        let (kind, details) = match self {
            Self::Added => (ChangeKind::Added, Vec::new()),
            Self::Removed => (ChangeKind::Removed, Vec::new()),
            Self::Changed(details) => (ChangeKind::Changed, details),
        };
        let details = details.into_iter().map(|detail| detail.used(used)).collect();
        Change {
            subject,
            kind,
            is_breaking,
            details,
        }
    }
}

impl Uses {
    pub fn meets(self, other: Self) -> bool {
        (self.in_requests && other.in_requests) || (self.in_responses && other.in_responses)
    }
}

impl SchemaDetail {
    pub fn used(self, uses: Uses) -> Detail {
        Detail {
            is_breaking: self.breaks.meets(uses),
            rule: self.rule,
            pointer: self.pointer,
            message: self.message,
        }
    }
}

/// The schemas with names that changed.
pub fn of_names(comparison: &Comparison<'_>) -> BTreeMap<String, NamedChange> {
    let (before, after) = (named(comparison.before), named(comparison.after));
    let mut changes = BTreeMap::new();
    for (name, schema) in &after {
        let Some(former) = before.get(name) else {
            changes.insert((*name).to_owned(), NamedChange::Added);
            continue;
        };
        let details = comparison.schema(former, schema, &below("", &["components", "schemas", name]));
        if !details.is_empty() {
            changes.insert((*name).to_owned(), NamedChange::Changed(details));
        }
    }
    for name in before.keys().filter(|name| !after.contains_key(**name)) {
        changes.insert((*name).to_owned(), NamedChange::Removed);
    }
    changes
}

fn named(document: &Value) -> BTreeMap<&str, &Value> {
    let schemas = document["components"]["schemas"].as_object();
    schemas
        .into_iter()
        .flatten()
        .map(|(name, schema)| (name.as_str(), schema))
        .collect()
}
