//! {{Area_words}} of organizations.

use crate::tables::prelude::*;

tables![{{area}}];

fn {{area}}() -> NewTable {
    table("{{area}}")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(string_len("title", 100))
        .col(time("created_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
}
