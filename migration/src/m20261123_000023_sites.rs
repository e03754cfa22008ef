//! Sites, which publish spaces: their structure, their share links and their keys for visitors.

use sea_orm_migration::schema::*;

use crate::{
    columns::{cascading, time, time_null},
    tables::{NewTable, table, tables},
};

const SITES: &str = "sites";
const GROUPS: &str = "site_section_groups";
const SECTIONS: &str = "site_sections";
const SITE_SPACES: &str = "site_spaces";

const PLANS: &[&str] = &[
    "basic",
    "premium",
    "ultimate",
    "sponsored",
    "legacy-basic",
    "legacy-premium",
];
const VISIBILITIES: &[&str] = &["public", "unlisted", "share-link", "visitor-auth"];
const BACKENDS: &[&str] = &["custom", "integration"];

tables![
    sites,
    groups,
    sections,
    site_spaces,
    share_links,
    publishing_auth,
    adaptive_schemas
];

fn sites() -> NewTable {
    table(SITES)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .one_of(string_len("plan", 16), PLANS)
        .col(string_len("title", 128))
        .col(text("title_folded"))
        .one_of(string_len("visibility", 16), VISIBILITIES)
        .col(string_len("basename", 100))
        .col(string_len_null("proxy", 512))
        .col(boolean("published"))
        .col(boolean("adaptive_content"))
        .col(boolean("in_agents_context"))
        .counter("site_spaces_count")
        .col(big_integer("version"))
        .col(time("created_at"))
        .col(time_null("published_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        .unique_key(&["id", "organization_id"])
        // The names in addresses are those of the installation.
        .unique_index(&["basename"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
}

fn groups() -> NewTable {
    let mut parent = cascading(GROUPS, &["parent_id"], GROUPS, &["id"]);
    table(GROUPS)
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(uuid_null("parent_id"))
        .col(integer("position"))
        .col(string_len("title", 100))
        .col(string_len_null("icon", 50))
        .cascading(&["site_id"], SITES, &["id"])
        .unique_key(&["id", "site_id"])
        .foreign_key(parent.name("fk_site_section_groups_parent"))
        .index(&["site_id", "parent_id"])
}

fn sections() -> NewTable {
    table(SECTIONS)
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(uuid_null("group_id"))
        .col(integer("position"))
        .col(string_len("title", 128))
        .col(string_len_null("description", 256))
        .col(string_len("path", 100))
        .col(string_len_null("condition", 1024))
        .col(string_len_null("icon", 50))
        .col(boolean("is_default"))
        .cascading(&["site_id"], SITES, &["id"])
        .cascading(&["site_id", "group_id"], GROUPS, &["site_id", "id"])
        .unique_key(&["id", "site_id"])
        .unique_index(&["site_id", "path"])
        .index(&["site_id", "group_id"])
}

fn site_spaces() -> NewTable {
    table(SITE_SPACES)
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(uuid_null("section_id"))
        // The section, or the site: null would make equal paths distinct.
        .col(uuid("level_id"))
        .col(uuid("space_id"))
        .col(integer("position"))
        .col(string_len("path", 100))
        .col(string_len_null("condition", 1024))
        .col(boolean("is_default"))
        .cascading(&["site_id"], SITES, &["id"])
        .cascading(&["site_id", "section_id"], SECTIONS, &["site_id", "id"])
        .cascading(&["space_id"], "nodes", &["id"])
        .unique_index(&["level_id", "path"])
        .index(&["site_id", "section_id"])
        // The sites of a space.
        .index(&["space_id", "site_id"])
}

fn share_links() -> NewTable {
    table("site_share_links")
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(string_len("name", 50))
        .col(boolean("active"))
        .col(time("created_at"))
        .cascading(&["site_id"], SITES, &["id"])
        // Lists, the newest first.
        .index(&["site_id", "id"])
}

/// The claims of visitors, as a JSON Schema.
fn adaptive_schemas() -> NewTable {
    table("site_adaptive_schemas")
        .col(pk_uuid("site_id"))
        .col(json("schema"))
        .col(time("updated_at"))
        .cascading(&["site_id"], SITES, &["id"])
}

/// Without a row, the first key and the custom backend are in force.
fn publishing_auth() -> NewTable {
    table("site_publishing_auth")
        .col(pk_uuid("site_id"))
        .one_of(string_len("backend", 16), BACKENDS)
        .col(integer("key_number"))
        .col(string_len_null("fallback_url", 2048))
        .cascading(&["site_id"], SITES, &["id"])
}
