//! The choices of a `oneOf` against the mapping of the discriminator.

use std::collections::BTreeSet;

use crate::{
    finding::Findings,
    model::{Api, DecidedBy, Kind, Shape},
};

pub fn check(api: &Api, findings: &mut Findings) {
    for (name, t) in &api.types {
        let Kind::Union(union) = &t.kind else {
            continue;
        };
        let DecidedBy::Member(member) = &union.decided_by else {
            continue;
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
