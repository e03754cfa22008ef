//! The violations of a request as details of the error body.

use std::{collections::HashSet, fmt::Write};

use jsonschema::{ValidationError, error::ValidationErrorKind as Rule};
use serde_json::{Map, Value, json};

use crate::{
    ignored,
    models::{ErrorDetail, ErrorRule},
    rules::{self, BrokenRule},
};

use super::{
    MAX_DETAILS,
    spec::{Place, Spec},
};

/// The most characters of a pointer or a message. What a client sent is in both, and may be long.
const MAX_LENGTH: usize = 500;

/// The longest name of a member, in bytes, of bodies whose violations are listed: the place of each violation has the names of all
/// objects around it.
const MAX_NAME: usize = 1000;

pub fn detail(pointer: &str, code: ErrorRule, message: impl Into<String>) -> ErrorDetail {
    ErrorDetail {
        pointer: cut(pointer),
        code,
        message: cut(&message.into()),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

pub fn has_long_name(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_long_name),
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| name.len() > MAX_NAME || has_long_name(member)),
        _ => false,
    }
}

pub fn nul(pointer: &str) -> ErrorDetail {
    detail(
        pointer,
        ErrorRule::NulCharacter,
        "May not contain the character U+0000.",
    )
}

/// The violations in the parameters of one place.
pub fn violations(spec: &Spec, place: Place, values: &Value) -> Vec<ErrorDetail> {
    errors(spec.validator(place), values, &format!("/{}", place.name()))
}

/// The violations in the value of one path parameter.
pub fn path(spec: &Spec, name: &str, value: &str) -> Vec<ErrorDetail> {
    errors(spec.path(), &json!({ name: value }), "/path")
}

/// The violations in parameters that were refused.
pub fn parameters(spec: &Spec, place: Place, values: &Value) -> Vec<ErrorDetail> {
    let at = format!("/{}", place.name());
    let found = violations(spec, place, values);
    if found.is_empty() {
        tracing::error!(at, "the generated rules refuse parameters that the contract accepts");
        return vec![detail(&at, ErrorRule::Invalid, "Does not fit the contract.")];
    }
    found
}

/// Reads a refused body again, against the contract's own schema. `problem` is what the fast way said; it is the answer where
/// the schema sees nothing wrong, such as for a member that is given twice.
pub fn body(spec: &Spec, bytes: &[u8], problem: &str) -> Vec<ErrorDetail> {
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(e) if bytes.iter().all(u8::is_ascii_whitespace) => {
            return vec![detail("/body", ErrorRule::Required, format!("Is required: {e}."))];
        }
        Err(e) => {
            return vec![detail(
                "/body",
                ErrorRule::MalformedJson,
                format!("Is not valid JSON: {e}."),
            )];
        }
    };
    let mut found = match has_long_name(&value) {
        true => Vec::new(),
        false => errors(spec.body(), &value, "/body"),
    };
    if may_have_nul(bytes) {
        collect_nul(&value, &At::Body, &mut found);
    }
    if found.is_empty() {
        found.push(detail("/body", ErrorRule::Invalid, problem));
    }
    found
}

/// A body in which nothing is wrong but unknown members, and unknown values of members that may be ignored, without these members;
/// and their names, each with those of the objects around it. `None`: something else is wrong.
pub fn without_unknown_members(spec: &Spec, bytes: &[u8]) -> Option<(Vec<u8>, Vec<String>)> {
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    if has_long_name(&value) {
        return None;
    }
    let mut unknown: Vec<(String, HashSet<String>)> = Vec::new();
    for error in spec.body()?.iter_errors(&value) {
        let pointer = error.instance_path().as_str();
        let (object, names) = match unknown_names(&value, &error) {
            Some(names) => (pointer, names),
            None => {
                let is_ignored = matches!(error.kind(), Rule::Enum { .. }) && spec.ignores_unknown_value(pointer);
                let (object, name) = pointer.rsplit_once('/').filter(|_| is_ignored)?;
                (object, vec![name.to_owned()])
            }
        };
        unknown.push((object.to_owned(), names.into_iter().collect()));
    }
    if unknown.is_empty() {
        return None;
    }
    let mut names = Vec::new();
    for (pointer, members) in &unknown {
        let object = value.pointer_mut(pointer).and_then(Value::as_object_mut)?;
        object.retain(|name, _| {
            let is_unknown = members.contains(name);
            if is_unknown && names.len() < MAX_DETAILS {
                names.push(dotted(pointer, name));
            }
            !is_unknown
        });
    }
    Some((serde_json::to_vec(&value).ok()?, names))
}

/// The names of unknown members. `None`: the error is about something else.
pub fn unknown_names(value: &Value, error: &ValidationError<'_>) -> Option<Vec<String>> {
    match error.kind() {
        Rule::AdditionalProperties { unexpected } | Rule::UnevaluatedProperties { unexpected } => {
            Some(unexpected.clone())
        }
        // The error of an object that allows no member at all.
        Rule::FalseSchema => {
            let object = value.pointer(error.instance_path().as_str()).and_then(Value::as_object);
            Some(object.into_iter().flat_map(Map::keys).cloned().collect())
        }
        _ => None,
    }
}

/// The name of a member with those of the objects around it.
pub fn dotted(pointer: &str, name: &str) -> String {
    let steps = pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"));
    let steps = steps.chain([name.to_owned()]);
    let encoded: Vec<String> = steps.map(|step| ignored::encode(&step)).collect();
    encoded.join(".")
}

fn errors(validator: Option<&jsonschema::Validator>, value: &Value, place: &str) -> Vec<ErrorDetail> {
    let errors = validator.into_iter().flat_map(|validator| validator.iter_errors(value));
    errors
        .flat_map(|error| details(place, value, &error))
        .take(MAX_DETAILS)
        .collect()
}

/// U+0000 is valid JSON, but no database text. A look at the bytes is enough for nearly every request.
pub fn nul_characters(bytes: &[u8]) -> Vec<ErrorDetail> {
    let mut found = Vec::new();
    if may_have_nul(bytes)
        && let Ok(value) = serde_json::from_slice(bytes)
    {
        collect_nul(&value, &At::Body, &mut found);
    }
    found
}

/// Returns whether a value has a text or a name with U+0000.
pub fn has_nul(value: &Value) -> bool {
    let mut found = Vec::new();
    collect_nul(value, &At::Body, &mut found);
    !found.is_empty()
}

fn may_have_nul(bytes: &[u8]) -> bool {
    const ESCAPED: &[u8] = b"\\u0000";
    bytes.windows(ESCAPED.len()).any(|window| window == ESCAPED)
}

/// A place in a body. Its pointer is written only if something is wrong there.
enum At<'a> {
    Body,
    Item(&'a At<'a>, usize),
    Member(&'a At<'a>, &'a str),
}

impl At<'_> {
    fn pointer(&self) -> String {
        match self {
            Self::Body => "/body".to_owned(),
            Self::Item(within, i) => format!("{}/{i}", within.pointer()),
            Self::Member(within, name) => cut(&format!("{}/{}", within.pointer(), escape(name))),
        }
    }
}

fn collect_nul(value: &Value, at: &At<'_>, found: &mut Vec<ErrorDetail>) {
    if found.len() >= MAX_DETAILS {
        return;
    }
    match value {
        Value::String(text) if text.contains('\0') => found.push(nul(&at.pointer())),
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                collect_nul(item, &At::Item(at, i), found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                if name.contains('\0') {
                    found.push(nul(&at.pointer()));
                }
                collect_nul(member, &At::Member(at, name), found);
            }
        }
        _ => {}
    }
}

/// A name as one step of a JSON pointer.
pub fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// One error of the schema validator; unknown members are one detail each.
fn details(place: &str, value: &Value, error: &ValidationError<'_>) -> Vec<ErrorDetail> {
    let at = format!("{place}{}", error.instance_path().as_str());
    if let Some(names) = unknown_names(value, error) {
        return unknown(&at, &names);
    }
    match error.kind() {
        Rule::Required { property } => {
            let name = escape(property.as_str().unwrap_or_default());
            vec![detail(&format!("{at}/{name}"), ErrorRule::Required, "Is required.")]
        }
        Rule::Pattern { pattern } => {
            let message = broken_pattern(pattern, error.instance().as_str());
            vec![detail(&at, ErrorRule::Pattern, message)]
        }
        kind => {
            let (code, message) = rule(kind);
            vec![detail(&at, code, message)]
        }
    }
}

fn unknown(at: &str, names: &[String]) -> Vec<ErrorDetail> {
    let of_name = |name: &String| {
        detail(
            &format!("{at}/{}", escape(name)),
            ErrorRule::UnknownMember,
            "Is not a member of this object.",
        )
    };
    names.iter().take(MAX_DETAILS).map(of_name).collect()
}

/// The stable code and the message of a rule.
fn rule(kind: &Rule) -> (ErrorRule, String) {
    match kind {
        Rule::Type { .. } => (ErrorRule::Type, format!("Has the wrong type: {}.", expected(kind))),
        Rule::Enum { options } => (ErrorRule::Enum, format!("Has to be one of {}.", listed(options))),
        Rule::Constant { expected_value } => (ErrorRule::Const, format!("Has to be {expected_value}.")),
        Rule::MinLength { limit } => (
            ErrorRule::MinLength,
            format!("Has to have at least {limit} characters."),
        ),
        Rule::MaxLength { limit } => (ErrorRule::MaxLength, format!("May have at most {limit} characters.")),
        Rule::Format { format } => (ErrorRule::Format, format!("Is not a valid {format}.")),
        Rule::Minimum { limit } => (ErrorRule::Minimum, format!("Has to be at least {limit}.")),
        Rule::Maximum { limit } => (ErrorRule::Maximum, format!("May be at most {limit}.")),
        Rule::MinItems { limit } => (ErrorRule::MinItems, format!("Has to have at least {limit} items.")),
        Rule::MaxItems { limit } => (ErrorRule::MaxItems, format!("May have at most {limit} items.")),
        Rule::MinProperties { limit } => (
            ErrorRule::MinProperties,
            format!("Has to have at least {limit} members."),
        ),
        Rule::MaxProperties { limit } => (ErrorRule::MaxProperties, format!("May have at most {limit} members.")),
        Rule::Not { schema } => (ErrorRule::Exclusive, exclusive(schema)),
        // The only keyword of our own.
        Rule::Custom { .. } => (
            ErrorRule::Pattern,
            "Has a character that shows nothing, and changes no character before it.".to_owned(),
        ),
        Rule::UniqueItems => (ErrorRule::UniqueItems, "May not hold the same item twice.".to_owned()),
        other => (ErrorRule::Invalid, format!("Breaks the rule {}.", other.keyword())),
    }
}

/// The patterns of names are long, and say less than the character that they refuse.
fn broken_pattern(pattern: &str, text: Option<&str>) -> String {
    match text.map(|text| rules::broken_pattern(pattern, text)) {
        Some(BrokenRule::Character(c)) => format!("May not contain the character U+{:04X}.", u32::from(c)),
        Some(BrokenRule::NothingVisible) => "Has to have a visible character.".to_owned(),
        _ => format!("Does not match {pattern}."),
    }
}

/// The only negation in schemas is that of members that exclude each other: objects with two of them, and without any.
fn exclusive(schema: &Value) -> String {
    let wrong = schema.get("anyOf").and_then(Value::as_array);
    let wrong = wrong.map_or(std::slice::from_ref(schema), Vec::as_slice).iter();
    let pairs = wrong.map(|object| object.get("required").and_then(Value::as_array));
    let mut names: Vec<Value> = Vec::new();
    let mut needs_one = false;
    for pair in pairs {
        needs_one |= pair.is_none();
        for name in pair.into_iter().flatten() {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    let names = listed(&names.into());
    if needs_one {
        return format!("Has to have exactly one of {names}.");
    }
    format!("May have at most one of {names}.")
}

fn listed(options: &Value) -> String {
    let mut text = String::new();
    for (i, option) in options.as_array().into_iter().flatten().enumerate() {
        let separator = if i == 0 { "" } else { ", " };
        // Writing to a text cannot fail.
        let _ = write!(text, "{separator}{option}");
    }
    text
}

fn expected(kind: &Rule) -> String {
    use jsonschema::error::TypeKind;
    match kind {
        Rule::Type {
            kind: TypeKind::Single(one),
        } => format!("{one} is expected"),
        Rule::Type {
            kind: TypeKind::Multiple(several),
        } => {
            let names: Vec<String> = several.iter().map(|one| one.to_string()).collect();
            format!("{} is expected", names.join(" or "))
        }
        _ => String::new(),
    }
}
