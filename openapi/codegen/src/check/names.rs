//! Names that make the code of common client generators invalid.

use crate::{
    finding::Findings,
    model::{Api, Field, Kind, Shape, Type},
};

/// Types of values with a format, in Python. In the body of a class, a member hides a type of the same name from the members
/// after the member.
const FORMAT_TYPES: [&str; 4] = ["date", "datetime", "time", "uuid"];
const FORMATS: [&str; 4] = ["date", "date-time", "time", "uuid"];

/// Go creates an object `Shelf` with the function `NewShelf`.
const CONSTRUCTOR: &str = "New";

pub fn check(api: &Api, findings: &mut Findings) {
    for (name, t) in &api.types {
        check_constructor(api, name, t, findings);
        check_members(name, t, findings);
    }
}

fn check_constructor(api: &Api, name: &str, t: &Type, findings: &mut Findings) {
    let made = name.strip_prefix(CONSTRUCTOR);
    if let Some(made) = made.filter(|made| api.types.contains_key(*made)) {
        findings.add(
            &t.place,
            format!("`{name}` has the name of the constructor of `{made}` in clients in Go"),
            format!("Rename the schema, such as to `{made}Input`."),
        );
    }
}

/// Members with these names are allowed in objects without formats: the public wire format has a member `date` in the data of
/// `Update`, which is a plain text.
fn check_members(name: &str, t: &Type, findings: &mut Findings) {
    let Kind::Struct(object) = &t.kind else {
        return;
    };
    if !object.fields.iter().any(has_format_type) {
        return;
    }
    for field in &object.fields {
        if FORMAT_TYPES.contains(&field.name.as_str()) {
            findings.add(
                &field.place,
                format!(
                    "the member `{}` of `{name}` has the name of the type of a format in clients in Python",
                    field.name
                ),
                "Rename the member, such as to `timestamp`.",
            );
        }
    }
}

fn has_format_type(field: &Field) -> bool {
    let shape = match field.shape.inner() {
        Shape::Array(item, _) => item.inner(),
        shape => shape,
    };
    matches!(shape, Shape::String(rules) if rules.format.as_deref().is_some_and(|format| FORMATS.contains(&format)))
}
