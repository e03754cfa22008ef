//! Request schemas declare limits, and whether additional members are allowed.

use std::collections::BTreeMap;

use crate::{
    finding::{Findings, Place},
    model::{Additional, Api, Kind, Shape, Type},
};

pub fn check(api: &Api, findings: &mut Findings) {
    for (name, t) in api.types.iter().filter(|(_, t)| t.request) {
        match &t.kind {
            Kind::Struct(s) => {
                if s.additional == Additional::Unstated {
                    findings.add(
                        &t.place,
                        format!(
                            "`{name}` is part of a request and does not say whether additional members are allowed"
                        ),
                        "Add `additionalProperties: false` or `additionalProperties: true`.",
                    );
                }
                for field in &s.fields {
                    check_shape(&field.place, &format!("{name}.{}", field.name), &field.shape, findings);
                }
            }
            Kind::Union(u) => {
                for variant in &u.variants {
                    check_shape(&t.place, name, &variant.shape, findings);
                }
            }
            Kind::Enum(_) => {}
        }
    }
    let operations = api.areas.iter().flat_map(|area| &area.operations);
    for operation in operations {
        for field in operation.parameters() {
            let what = format!("{}: parameter `{}`", operation.id, field.name);
            check_shape(&field.place, &what, &field.shape, findings);
        }
    }
    check_recursion(&api.types, findings);
}

fn check_shape(place: &Place, what: &str, shape: &Shape, findings: &mut Findings) {
    let mut missing = |limit: &str| {
        findings.add(
            place,
            format!("{what} is part of a request and has no {limit}"),
            format!("Add {limit}."),
        );
    };
    match shape {
        // These formats limit the length of the string.
        Shape::String(rules) if matches!(rules.format.as_deref(), Some("date-time" | "uuid")) => {}
        Shape::String(rules) if rules.max.is_none() => missing("maxLength"),
        Shape::Integer(rules) => {
            if rules.min.is_none() {
                missing("minimum");
            }
            if rules.max.is_none() {
                missing("maximum");
            }
        }
        Shape::Array(item, rules) => {
            if rules.max.is_none() {
                missing("maxItems");
            }
            check_shape(place, what, item, findings);
        }
        Shape::Map(value, rules) => {
            if rules.max.is_none() {
                missing("maxProperties");
            }
            check_shape(place, what, value, findings);
        }
        Shape::Nullable(inner) => check_shape(place, what, inner, findings),
        _ => {}
    }
}

/// A type that contains itself, without an array or a map in between, would have infinite size.
fn check_recursion(types: &BTreeMap<String, Type>, findings: &mut Findings) {
    for (name, t) in types {
        let mut pending = direct(t);
        let mut seen: Vec<&str> = Vec::new();
        while let Some(next) = pending.pop() {
            if next == name {
                findings.add(
                    &t.place,
                    format!("`{name}` contains itself"),
                    "Put an array or a map in between.",
                );
                break;
            }
            if !seen.contains(&next) {
                seen.push(next);
                pending.extend(types.get(next).map(direct).unwrap_or_default());
            }
        }
    }
}

fn direct(t: &Type) -> Vec<&str> {
    let shapes = t.shapes().into_iter().map(Shape::inner);
    shapes
        .filter_map(|shape| match shape {
            Shape::Named(name) => Some(name.as_str()),
            _ => None,
        })
        .collect()
}
