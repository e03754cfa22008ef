//! Positions of ids that generated code can parse, and one kind of id for each path parameter.

use std::collections::BTreeMap;

use heck::ToLowerCamelCase;

use crate::{
    finding::Findings,
    model::{Api, Field, Kind, Operation, Shape},
};

pub fn check(api: &Api, findings: &mut Findings) {
    let operations = || api.areas.iter().flat_map(|area| &area.operations);
    for field in operations().flat_map(Operation::parameters) {
        check_field(field, findings);
    }
    for t in api.types.values() {
        match &t.kind {
            Kind::Struct(s) => s.fields.iter().for_each(|field| check_field(field, findings)),
            Kind::Union(union) if union.variants.iter().any(|variant| variant.shape.ids().is_some()) => findings.add(
                &t.place,
                "an id cannot be a choice of a oneOf",
                "Move the id to a member of an object, or remove `x-id`.",
            ),
            Kind::Union(_) | Kind::Enum(_) => {}
        }
    }
    check_access(operations(), findings);
}

fn check_field(field: &Field, findings: &mut Findings) {
    let Some(kind) = field.shape.ids().and_then(|rules| rules.id.as_ref()) else {
        return;
    };
    if *kind != kind.to_lower_camel_case() {
        findings.add(
            &field.place,
            format!("`x-id: {kind}` is not in camelCase"),
            format!(
                "Write `x-id: {}`, the name of a type of crates/ids without `Id`.",
                kind.to_lower_camel_case()
            ),
        );
    }
    if !is_readable(&field.shape) {
        findings.add(
            &field.place,
            format!("`{}` has ids in a map or in an array with `uniqueItems`", field.name),
            "Remove `x-id`: all ids that cannot be parsed would be equal.",
        );
    }
}

fn is_readable(shape: &Shape) -> bool {
    match shape {
        Shape::Map(..) => false,
        Shape::Array(_, rules) if rules.unique => false,
        Shape::Array(inner, _) | Shape::Nullable(inner) => is_readable(inner),
        _ => true,
    }
}

/// Checks that a path parameter of a resource has the same kind of id in every operation: the guard has one type for each
/// path parameter.
fn check_access<'a>(operations: impl Iterator<Item = &'a Operation>, findings: &mut Findings) {
    let mut known: BTreeMap<(&str, Option<&str>), (&Operation, &Field)> = BTreeMap::new();
    for operation in operations {
        let access = &operation.access;
        let used = access.parameters.iter().map(|name| (name, Some(name.as_str())));
        // Path parameters for users share one parameter of the guard.
        let used = used.chain(access.or_self.iter().map(|name| (name, None)));
        for (name, key) in used {
            let Some(field) = operation.path_parameter(name) else {
                continue;
            };
            let (first, declared) = known.entry((&access.resource, key)).or_insert((operation, field));
            if declared.shape.ids().map(|rules| &rules.id) != field.shape.ids().map(|rules| &rules.id) {
                findings.add(
                    &field.place,
                    format!("{}: the kind of id of `{name}` differs from {}", operation.id, first.id),
                    "Use the same `x-id` in both operations.",
                );
            }
        }
    }
}
