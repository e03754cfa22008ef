//! Paths in sites that lead elsewhere.

use crate::tables::prelude::*;

tables![site_redirects];

/// The destination refers to no other table: a redirect whose destination is deleted stays, so that it can be given another.
fn site_redirects() -> NewTable {
    table("site_redirects")
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(boolean("draft"))
        .col(string_len("source", 512))
        .col(string_len("source_folded", 512))
        .col(json("destination"))
        .col(boolean("capture_wildcard"))
        .col(boolean("permanent"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["site_id"], "sites", &["id"])
        // The redirects that match a path, and lists by source.
        .unique_index(&["site_id", "draft", "source"])
        // Lists, the newest first.
        .index(&["site_id", "draft", "id"])
        // Lists, the last changed first.
        .index(&["site_id", "draft", "updated_at", "id"])
}
