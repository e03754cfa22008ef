//! What a new area writes, and where. Paths and texts have the placeholders of [`super::Names::fill`]; `{{migration}}` is
//! the name of the step that makes the table.

use super::edit::Place;

pub const FILES: &[(&str, &str)] = &[
    (
        "openapi/components/{{area}}.yaml",
        include_str!("../../templates/components.yaml"),
    ),
    (
        "openapi/paths/{{area}}.yaml",
        include_str!("../../templates/paths.yaml"),
    ),
    (
        "migration/src/{{migration}}.rs",
        include_str!("../../templates/migration.rs"),
    ),
    ("entity/src/{{area}}.rs", include_str!("../../templates/entity.rs")),
    ("src/{{area}}/mod.rs", include_str!("../../templates/area.rs")),
    ("tests/it/{{area}}.rs", include_str!("../../templates/test.rs")),
];

/// The lines by which the rest of the code knows them.
pub const ENTRIES: &[(&str, Place<'static>, &str)] = &[
    (
        "openapi/openapi.yaml",
        Place::Inside("tags:"),
        "  - name: {{area}}\n    description: {{Area_words}} of an organization.",
    ),
    (
        "openapi/openapi.yaml",
        Place::Inside("paths:"),
        "  /v1/orgs/{organizationId}/{{area_kebab}}:\n    $ref: paths/{{area}}.yaml#/{{area_camel}}",
    ),
    (
        "openapi/openapi.yaml",
        Place::Inside("paths:"),
        "  /v1/orgs/{organizationId}/{{area_kebab}}/{{{one_camel}}Id}:\n    $ref: paths/{{area}}.yaml#/{{one_camel}}",
    ),
    ("migration/src/lib.rs", Place::Behind("mod m"), "mod {{migration}};"),
    (
        "migration/src/lib.rs",
        Place::Behind("            Box::new(m"),
        "            Box::new({{migration}}::Migration),",
    ),
    ("entity/src/lib.rs", Place::Sorted("pub mod "), "pub mod {{area}};"),
    (
        "entity/src/lib.rs",
        Place::Behind("        .register("),
        "        .register({{area}}::Entity)",
    ),
    (
        "entity/src/ids.rs",
        Place::Before("#[cfg(test)]"),
        "id!(\n    /// Names {{a_one}}.\n    {{One}}Id\n);\n",
    ),
    ("src/lib.rs", Place::Sorted("pub mod "), "pub mod {{area}};"),
    ("tests/it/main.rs", Place::Sorted("mod "), "mod {{area}};"),
    (
        "tests/it/support/places.rs",
        Place::Inside("const MADE"),
        "    (\"{{one_camel}}Id\", \"create{{One}}\"),",
    ),
    (
        "tests/it/schema.rs",
        Place::Inside("const ONLY_IN_MIGRATIONS"),
        "    \"{{area}} index (organization_id, id)\",",
    ),
];
