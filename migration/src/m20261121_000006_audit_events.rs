use crate::tables::prelude::*;

const EVENTS: &str = "audit_events";

tables![events];

fn events() -> NewTable {
    table(EVENTS)
        .col(pk_uuid("id"))
        .col(uuid_null("organization_id"))
        .col(time("occurred_at"))
        .col(string_len("action", 128))
        .one_of(string_len("actor_type", 16), &["user", "system"])
        .col(string_len("actor_id", 64))
        .col(text_null("actor_label"))
        .col(string_len("target_type", 32))
        .col(string_len("target_id", 64))
        .col(text_null("target_label"))
        .col(string_len_null("request_id", 128))
        .col(json("payload"))
        .cascading(&["organization_id"], "organizations", &["id"])
        // Lists are the newest first, with at most a few filters: each has the index that answers it alone.
        .index(&["organization_id", "occurred_at", "id"])
        .index(&["organization_id", "action", "occurred_at", "id"])
        .index(&["organization_id", "actor_id", "occurred_at", "id"])
        .index(&["organization_id", "target_id", "occurred_at", "id"])
}
