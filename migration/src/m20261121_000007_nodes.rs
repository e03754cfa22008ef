//! Spaces and collections, and who may do what to them.

use sea_orm_migration::{prelude::*, schema::*};

use crate::{
    columns::{cascading, named, time, time_null},
    tables::{NewTable, table, tables},
};

const NODES: &str = "nodes";
const ANCESTORS: &str = "node_ancestors";
const COLLECTIONS: &str = "collections";
const SPACES: &str = "spaces";
const PERMISSIONS: &str = "permissions";

const ROLES: &[&str] = &["read", "comment", "edit", "review", "create", "admin"];
const DEFAULT_LEVELS: &[&str] = &["inherit", "read", "comment", "edit", "review", "create", "admin"];
const VISIBILITIES: &[&str] = &[
    "public",
    "unlisted",
    "share-link",
    "visitor-auth",
    "in-collection",
    "private",
];
const LANGUAGES: &[&str] = &[
    "en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "yue", "ko", "ar", "hi", "nl", "pl", "tr", "sv",
    "no", "da", "fi", "el", "cs", "hu", "ro", "th", "vi", "id", "ms", "he", "uk", "sk", "bg", "hr", "lt", "lv", "et",
    "sl",
];

tables![nodes, ancestors, collections, spaces, permissions];

fn nodes() -> NewTable {
    let mut parent = cascading(
        NODES,
        &["organization_id", "parent_id"],
        NODES,
        &["organization_id", "id"],
    );
    table(NODES)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .one_of(string_len("kind", 16), &["space", "collection"])
        .col(uuid_null("parent_id"))
        .col(big_integer("position"))
        .col(string_len("title", 50))
        .one_of(string_len_null("default_level", 16), DEFAULT_LEVELS)
        .one_of(string_len_null("effective_default", 16), DEFAULT_LEVELS)
        .col(time("created_at"))
        .col(time("updated_at"))
        .col(time_null("deleted_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        // The content of a collection moves to another organization with it.
        .foreign_key(parent.name("fk_nodes_parent").on_update(ForeignKeyAction::Cascade))
        .unique_key(&["id", "organization_id"])
        // Lists of an organization, the newest first.
        .index(&["organization_id", "kind", "id"])
        // For listing the content of a collection in its order.
        .index(&["organization_id", "parent_id", "position", "id"])
        // For purging.
        .index(&["deleted_at"])
}

fn ancestors() -> NewTable {
    let mut above = cascading(ANCESTORS, &["ancestor_id"], NODES, &["id"]);
    table(ANCESTORS)
        .col(uuid("node_id"))
        .col(uuid("ancestor_id"))
        .col(integer("depth"))
        .primary_key(&["node_id", "ancestor_id"])
        .cascading(&["node_id"], NODES, &["id"])
        .foreign_key(above.name("fk_node_ancestors_ancestor"))
        .index(&["ancestor_id", "node_id"])
}

fn collections() -> NewTable {
    table(COLLECTIONS)
        .col(pk_uuid("id"))
        .col(string_len_null("description", 100))
        .cascading(&["id"], NODES, &["id"])
}

fn spaces() -> NewTable {
    table(SPACES)
        .col(pk_uuid("id"))
        .col(string_len_null("emoji", 50))
        .col(string_len_null("icon", 2048))
        .one_of(string_len("visibility", 16), VISIBILITIES)
        .one_of(string_len("edit_mode", 8), &["live", "locked"])
        .one_of(string_len_null("language", 8), LANGUAGES)
        .col(json("merge_rules"))
        .col(uuid("revision_id"))
        .cascading(&["id"], NODES, &["id"])
}

fn permissions() -> NewTable {
    let one_subject = Expr::col("user_id").is_null().ne(Expr::col("team_id").is_null());
    table(PERMISSIONS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(uuid("node_id"))
        .col(uuid_null("user_id").check(named(PERMISSIONS, "subject", "single", one_subject)))
        .col(uuid_null("team_id"))
        .one_of(string_len("role", 16), ROLES)
        .col(time("created_at"))
        .cascading(&["organization_id", "node_id"], NODES, &["organization_id", "id"])
        .cascading(
            &["organization_id", "user_id"],
            "members",
            &["organization_id", "user_id"],
        )
        .cascading(&["organization_id", "team_id"], "teams", &["organization_id", "id"])
        .unique_index(&["node_id", "user_id"])
        .unique_index(&["node_id", "team_id"])
        .index(&["node_id", "id"])
        .index(&["organization_id", "user_id", "node_id"])
        .index(&["organization_id", "team_id", "node_id"])
}
