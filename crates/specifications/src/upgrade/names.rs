//! Names of components, of which OpenAPI 3.1 allows letters, digits, `.`, `_` and `-`.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::moves::replace_references;
use crate::{
    position::Position,
    references::{is_mapping_reference, unescape},
};

const SCHEMAS: &str = "#/components/schemas/";

/// The most schemas in which the discriminator of a schema is looked for.
const MAX_BASES: usize = 20;

/// New names of components.
#[derive(Default)]
struct Renamed {
    /// By section and former name.
    new: HashMap<(String, String), String>,
    /// The former names of schemas, by their new ones.
    former_schemas: HashMap<String, String>,
}

impl Renamed {
    fn component(&self, section: &str, name: &str) -> Option<&String> {
        self.new.get(&(section.to_owned(), name.to_owned()))
    }

    fn reference(&self, text: &str) -> Option<String> {
        let mut segments = text.strip_prefix("#/components/")?.splitn(3, '/');
        let (section, name) = (segments.next()?, segments.next()?);
        let new = self.component(section, &unescape(name))?;
        let rest = segments.next().map(|rest| format!("/{rest}")).unwrap_or_default();
        Some(format!("#/components/{section}/{new}{rest}"))
    }
}

/// Returns whether a name is one that OpenAPI 3.1 allows.
pub fn is_allowed(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_allowed_character)
}

fn is_allowed_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// Gives components allowed names, which references, mappings and security requirements follow.
pub fn make_allowed(root: &mut Value) {
    let mut renamed = Renamed::default();
    let sections = root.get_mut("components").and_then(Value::as_object_mut);
    for (section, members) in sections.into_iter().flatten() {
        if let Value::Object(members) = members
            && !section.starts_with("x-")
            && members.keys().any(|name| !is_allowed(name))
        {
            rename(section, members, &mut renamed);
        }
    }
    if !renamed.new.is_empty() {
        replace_references(root, &|text| renamed.reference(text));
        follow(root, Position::Object, &renamed);
        map_inherited(root, &renamed);
    }
}

fn rename(section: &str, members: &mut Map<String, Value>, renamed: &mut Renamed) {
    let former = std::mem::take(members);
    let mut taken: HashMap<String, usize> = former.keys().map(|name| (name.clone(), 1)).collect();
    for (name, mut value) in former {
        if is_allowed(&name) {
            members.insert(name, value);
            continue;
        }
        let new = unused_name(&name, &mut taken);
        if section == "schemas" {
            renamed.former_schemas.insert(new.clone(), name.clone());
            if let Value::Object(schema) = &mut value {
                schema.entry("title").or_insert_with(|| json!(name));
            }
        }
        members.insert(new.clone(), value);
        renamed.new.insert((section.to_owned(), name), new);
    }
}

/// The former name without what is not allowed, with a number if another component has this name.
fn unused_name(name: &str, taken: &mut HashMap<String, usize>) -> String {
    let words = name.split(|c| !is_allowed_character(c)).filter(|word| !word.is_empty());
    let mut base = words.collect::<Vec<_>>().join("_");
    if base.is_empty() {
        base.push('_');
    }
    let mut number = taken.get(&base).copied().unwrap_or_default();
    let mut new = base.clone();
    while number > 0 {
        number += 1;
        new = format!("{base}_{number}");
        if !taken.contains_key(&new) {
            break;
        }
    }
    taken.insert(base, number.max(1));
    taken.insert(new.clone(), 1);
    new
}

/// Renames what names components otherwise than by `$ref`.
fn follow(value: &mut Value, position: Position, renamed: &Renamed) {
    match value {
        _ if position == Position::Literal => {}
        Value::Array(items) => items.iter_mut().for_each(|item| follow(item, position.item(), renamed)),
        Value::Object(object) => {
            if position == Position::Object {
                follow_mapping(object, renamed);
                follow_security(object, renamed);
            }
            for (name, value) in object {
                follow(value, position.member(name), renamed);
            }
        }
        _ => {}
    }
}

/// The values of a discriminator are the former names, unless its mapping says otherwise.
fn follow_mapping(schema: &mut Map<String, Value>, renamed: &Renamed) {
    if !schema.get("discriminator").is_some_and(Value::is_object) {
        return;
    }
    let alternatives = ["oneOf", "anyOf"].into_iter();
    let alternatives = alternatives.filter_map(|name| schema.get(name)?.as_array()).flatten();
    let references = alternatives.filter_map(|schema| schema.get("$ref")?.as_str());
    let implied = references.filter_map(|reference| {
        let former = renamed.former_schemas.get(reference.strip_prefix(SCHEMAS)?)?;
        Some((former.clone(), reference.to_owned()))
    });
    let implied: Vec<(String, String)> = implied.collect();
    let discriminator = schema.get_mut("discriminator").and_then(Value::as_object_mut);
    let Some(discriminator) = discriminator else { return };
    let mut mapping = match discriminator.shift_remove("mapping") {
        Some(Value::Object(mapping)) => mapping,
        _ => Map::new(),
    };
    for value in mapping.values_mut() {
        let new = value.as_str().and_then(|text| match is_mapping_reference(text) {
            true => renamed.reference(text),
            false => renamed.component("schemas", text).cloned(),
        });
        if let Some(new) = new {
            *value = Value::String(new);
        }
    }
    add_implied(&mut mapping, implied);
    if !mapping.is_empty() {
        discriminator.insert("mapping".to_owned(), Value::Object(mapping));
    }
}

/// Adds values of a discriminator, unless the mapping has others for their schemas.
fn add_implied(mapping: &mut Map<String, Value>, implied: Vec<(String, String)>) {
    let mapped: HashSet<String> = mapping.values().filter_map(Value::as_str).map(str::to_owned).collect();
    for (former, reference) in implied {
        if !mapped.contains(&reference) {
            mapping.entry(former).or_insert(Value::String(reference));
        }
    }
}

/// The values for schemas that build on one with a discriminator are their former names too.
fn map_inherited(root: &mut Value, renamed: &Renamed) {
    let Some(schemas) = root.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else {
        return;
    };
    let mut inherited: HashMap<String, Vec<(String, String)>> = HashMap::new();
    for name in schemas.keys() {
        if let Some(former) = renamed.former_schemas.get(name)
            && let Some(base) = discriminated_base(schemas, name)
        {
            let implied = inherited.entry(base.to_owned()).or_default();
            implied.push((former.clone(), format!("{SCHEMAS}{name}")));
        }
    }
    for (base, implied) in inherited {
        let discriminator = schemas
            .get_mut(&base)
            .and_then(|schema| schema.get_mut("discriminator"));
        let Some(discriminator) = discriminator.and_then(Value::as_object_mut) else {
            continue;
        };
        let mapping = discriminator.entry("mapping").or_insert_with(|| json!({}));
        if let Value::Object(mapping) = mapping {
            add_implied(mapping, implied);
        }
    }
}

/// The nearest schema with a discriminator among those that a schema has in `allOf`, and those that these have.
fn discriminated_base<'s>(schemas: &'s Map<String, Value>, name: &'s str) -> Option<&'s str> {
    let mut bases = vec![name];
    let mut next = 0;
    while let Some(schema) = bases.get(next).and_then(|name| schemas.get(*name)) {
        if next > 0 && schema.get("discriminator").is_some_and(Value::is_object) {
            return bases.get(next).copied();
        }
        let all = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let all = all.take(MAX_BASES);
        let references = all.filter_map(|part| part.get("$ref")?.as_str()?.strip_prefix(SCHEMAS));
        for base in references {
            if bases.len() < MAX_BASES && !bases.contains(&base) && schemas.contains_key(base) {
                bases.push(base);
            }
        }
        next += 1;
    }
    None
}

fn follow_security(object: &mut Map<String, Value>, renamed: &Renamed) {
    let requirements = object.get_mut("security").and_then(Value::as_array_mut);
    for requirement in requirements.into_iter().flatten().filter_map(Value::as_object_mut) {
        let schemes = std::mem::take(requirement);
        requirement.extend(schemes.into_iter().map(|(name, scopes)| {
            let new = renamed.component("securitySchemes", &name).cloned();
            (new.unwrap_or(name), scopes)
        }));
    }
}
