//! Words of organizations in several languages.

use crate::tables::prelude::*;

tables![glossary_entries];

fn glossary_entries() -> NewTable {
    table("glossary_entries")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(json("translations"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
}
