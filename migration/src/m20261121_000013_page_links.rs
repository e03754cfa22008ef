//! Links of the pages of spaces.

use sea_orm_migration::schema::*;

use crate::tables::{NewTable, table, tables};

const ROLES: &[&str] = &["link", "media", "file", "reusable", "specification"];

tables![links];

fn links() -> NewTable {
    table("page_links")
        .col(uuid("space_id"))
        .col(binary_len("source", 32))
        .col(uuid("page_id"))
        .col(integer("seq"))
        .col(uuid_null("target_space"))
        .col(uuid_null("target_id"))
        .one_of(string_len("role", 16), ROLES)
        .col(json("reference"))
        .col(string_len_null("node", 128))
        .primary_key(&["space_id", "source", "page_id", "seq"])
        .cascading(&["space_id"], "spaces", &["id"])
        // For backlinks: every page once, however many of its texts link.
        .index(&["target_id", "target_space", "space_id", "page_id"])
}
