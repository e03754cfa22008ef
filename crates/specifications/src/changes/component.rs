//! The members of `components`.

use super::comparison::UnitKind;

/// The kinds of components that are compared as what they are.
pub const COMPONENTS: [(&str, UnitKind); 9] = [
    ("schemas", UnitKind::Schema),
    ("parameters", UnitKind::Parameter),
    ("headers", UnitKind::Header),
    ("requestBodies", UnitKind::RequestBody),
    ("responses", UnitKind::Response),
    ("callbacks", UnitKind::Callback { is_turned: true }),
    ("securitySchemes", UnitKind::SecurityScheme),
    ("links", UnitKind::Other),
    ("pathItems", UnitKind::Other),
];

/// The names of the members of `components` that are compared, for pointers.
pub fn component_name(pointer: &str) -> Option<&str> {
    let (member, name) = pointer.strip_prefix("/components/")?.split_once('/')?;

    // Links and path items have no subject of their own.
    let is_known = COMPONENTS.iter().any(|(known, _)| *known == member) && !matches!(member, "links" | "pathItems");
    (is_known && !name.contains('/')).then_some(name)
}
