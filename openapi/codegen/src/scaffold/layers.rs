//! The files of a new area, and the lines added to existing files. Paths, prefixes and texts have the placeholders of
//! [`super::Names::fill`]; `{{migration}}` is the name of the migration that creates the table, `{{tag_before}}` the tag
//! before the new tag, `{{group_before}}` the tag group before the group of a new context.

use super::edit::Place;

/// The path of a file, a place in the file, and the lines for this place.
pub type Entry = (&'static str, Place<'static>, &'static str);

pub const FILES: &[(&str, &str)] = &[
    (
        "openapi/components/{{context}}/{{area}}.yaml",
        include_str!("../../templates/components.yaml"),
    ),
    (
        "openapi/paths/{{context}}/{{area}}.yaml",
        include_str!("../../templates/paths.yaml"),
    ),
    (
        "migration/src/{{migration}}.rs",
        include_str!("../../templates/migration.rs"),
    ),
    (
        "entity/src/{{context}}/{{area}}.rs",
        include_str!("../../templates/entity.rs"),
    ),
    (
        "src/areas/{{context}}/{{area}}/mod.rs",
        include_str!("../../templates/area.rs"),
    ),
    (
        "tests/it/{{context}}/{{area}}.rs",
        include_str!("../../templates/test.rs"),
    ),
];

/// The lines that register the new files in existing files.
pub const ENTRIES: &[Entry] = &[
    (
        "openapi/openapi.yaml",
        Place::Inside("  - name: {{tag_before}}"),
        "  - name: {{area}}\n    description: {{Area_words}} of an organization.",
    ),
    (
        "openapi/openapi.yaml",
        Place::Inside("paths:"),
        "  /v1/orgs/{organizationId}/{{area_kebab}}:\n    $ref: paths/{{context}}/{{area}}.yaml#/{{area_camel}}",
    ),
    (
        "openapi/openapi.yaml",
        Place::Inside("paths:"),
        "  /v1/orgs/{organizationId}/{{area_kebab}}/{{{one_camel}}Id}:\n    $ref: paths/{{context}}/{{area}}.yaml#/{{one_camel}}",
    ),
    ("migration/src/lib.rs", Place::Sorted("mod "), "mod {{migration}};"),
    (
        "migration/src/lib.rs",
        Place::Behind("            Box::new("),
        "            Box::new({{migration}}::Migration),",
    ),
    (
        "entity/src/lib.rs",
        Place::Inside("all_tables!["),
        "    {{context}}::{{area}}::Entity,",
    ),
    (
        "crates/ids/src/lib.rs",
        Place::Inside("ids! {"),
        "    /// Names {{a_one}}.\n    {{One}}Id,",
    ),
    (
        "tests/it/support/places.rs",
        Place::Inside("const MADE"),
        "    (\"{{one_camel}}Id\", \"create{{One}}\"),",
    ),
];

/// The line in the tag group of a context that has areas.
pub const IN_GROUP: &[Entry] = &[(
    "openapi/openapi.yaml",
    Place::Inside("  - name: {{Context}}"),
    "      - {{area}}",
)];

/// The lines for a context without areas: its tag group, and its service among those of the server.
pub const NEW_CONTEXT: &[Entry] = &[
    (
        "openapi/openapi.yaml",
        Place::Inside("  - name: {{group_before}}"),
        "  - name: {{Context}}\n    tags:\n      - {{area}}",
    ),
    (
        "src/app.rs",
        Place::Inside("    areas::{"),
        "        {{context}}::{{Service}},",
    ),
    (
        "src/app.rs",
        Place::Inside("pub struct App {"),
        "    pub {{context}}: Arc<{{Service}}>,",
    ),
    (
        "src/app.rs",
        Place::Behind("        Self {"),
        "            {{context}}: Arc::new({{Service}}::new(&kernel, &access)),",
    ),
    (
        "src/http/api.rs",
        Place::Sorted("        app."),
        "        app.{{context}},",
    ),
];

/// A folder with a module for each context.
pub struct Folder {
    pub path: &'static str,
    /// The file that declares the modules of the contexts.
    pub parent: &'static str,
    /// The forms of the declaration of a context and of an area.
    pub of_context: &'static str,
    pub of_area: &'static str,
    /// The module of a new context.
    pub template: &'static str,
}

pub const FOLDERS: &[Folder] = &[
    Folder {
        path: "entity/src",
        parent: "entity/src/lib.rs",
        of_context: "pub mod ",
        of_area: "pub mod ",
        template: "//! {{Context}}.\n\npub mod {{area}};\n",
    },
    Folder {
        path: "src/areas",
        parent: "src/areas/mod.rs",
        of_context: "pub mod ",
        of_area: "pub mod ",
        template: include_str!("../../templates/context.rs"),
    },
    Folder {
        path: "tests/it",
        parent: "tests/it/main.rs",
        of_context: "mod ",
        of_area: "mod ",
        template: "//! {{Context}}.\n\nmod {{area}};\n",
    },
];
