//! Spaces that are templates.

use crate::tables::prelude::*;

tables![templates];

fn templates() -> NewTable {
    table("templates")
        .col(pk_uuid("space_id"))
        .col(uuid("organization_id"))
        .col(uuid("revision_id"))
        .col(integer("pages"))
        .col(json("parameters"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["space_id"], "spaces", &["id"])
        .cascading(&["organization_id"], "organizations", &["id"])
        // Lists, the newest spaces first.
        .index(&["organization_id", "space_id"])
}
