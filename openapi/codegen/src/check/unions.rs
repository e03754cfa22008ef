//! The choices of a `oneOf` against the mapping of the discriminator, or against each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    finding::Findings,
    model::{Additional, Api, DecidedBy, Field, Kind, Shape, Type, Union},
};

pub fn check(api: &Api, findings: &mut Findings) {
    for (name, t) in &api.types {
        let Kind::Union(union) = &t.kind else {
            continue;
        };
        let member = match &union.decided_by {
            DecidedBy::Member(member) => member,
            DecidedBy::Presence if t.request => {
                check_presence(api, name, t, union, findings);
                continue;
            }
            DecidedBy::Presence | DecidedBy::JsonType => continue,
        };
        for variant in &union.variants {
            let Shape::Named(choice) = &variant.shape else {
                continue;
            };
            let mapped: BTreeSet<&str> = variant.tags.iter().map(String::as_str).collect();
            let said = values_of(api, choice, member, &mut Vec::new());
            if mapped != said {
                findings.add(
                    &t.place,
                    format!("`{name}` maps {mapped:?} to `{choice}`, whose member `{member}` allows {said:?}"),
                    "Use the same value in the mapping and as the constant of the member, and make the member required.",
                );
            }
        }
    }
}

/// The choices are read at once: a member means the same in each, and no choice allows members of another.
fn check_presence(api: &Api, name: &str, t: &Type, union: &Union, findings: &mut Findings) {
    let objects = union.variants.iter().filter_map(|variant| match &variant.shape {
        Shape::Named(name) => match api.types.get(name).map(|t| &t.kind) {
            Some(Kind::Struct(object)) => Some((name, object)),
            _ => None,
        },
        _ => None,
    });
    let mut known: BTreeMap<&str, &Field> = BTreeMap::new();
    for (choice, object) in objects {
        if object.additional != Additional::Refused {
            findings.add(
                &t.place,
                format!("`{choice}`, a choice of `{name}`, allows further members"),
                "Add `additionalProperties: false` to the choice, or a discriminator to the oneOf.",
            );
        }
        if !object.at_most_one.is_empty() {
            findings.add(
                &t.place,
                format!("`{choice}`, a choice of `{name}`, has members that exclude each other"),
                "Make a choice of each of these members.",
            );
        }
        for field in &object.fields {
            let other = known.entry(&field.name).or_insert(field);
            let is_same =
                other.shape == field.shape && (!field.shape.is_nullable() || other.required == field.required);
            if !is_same {
                findings.add(
                    &field.place,
                    format!("two choices of `{name}` have different members `{}`", field.name),
                    "Give the member the same schema in all choices, or add a discriminator to the oneOf.",
                );
            }
        }
    }
}

/// The values that a choice allows for the member; empty if the choice has no such member.
fn values_of<'a>(api: &'a Api, choice: &'a str, member: &str, seen: &mut Vec<&'a str>) -> BTreeSet<&'a str> {
    if seen.contains(&choice) {
        return BTreeSet::new();
    }
    seen.push(choice);
    match api.types.get(choice).map(|t| &t.kind) {
        Some(Kind::Struct(s)) => {
            let field = s.fields.iter().find(|field| field.name == member && field.required);
            match field.map(|field| &field.shape) {
                Some(Shape::Named(name)) => match api.types.get(name).map(|t| &t.kind) {
                    Some(Kind::Enum(values)) => values.iter().map(String::as_str).collect(),
                    _ => BTreeSet::new(),
                },
                _ => BTreeSet::new(),
            }
        }
        Some(Kind::Union(u)) => u
            .variants
            .iter()
            .filter_map(|variant| match &variant.shape {
                Shape::Named(name) => Some(name.as_str()),
                _ => None,
            })
            .flat_map(|name| values_of(api, name, member, seen))
            .collect(),
        _ => BTreeSet::new(),
    }
}
