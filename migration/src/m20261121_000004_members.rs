use crate::tables::prelude::*;

const ROLES: &[&str] = &["read", "comment", "edit", "review", "create", "admin"];

tables![members];

fn members() -> NewTable {
    table("members")
        .col(uuid("organization_id"))
        .col(uuid("user_id"))
        .one_of(string_len_null("role", 16), ROLES)
        .col(boolean("disabled"))
        .col(boolean("sso"))
        .col(time("joined_at"))
        .col(time_null("last_seen_at"))
        .counter("teams_count")
        .primary_key(&["organization_id", "user_id"])
        .cascading(&["organization_id"], "organizations", &["id"])
        .cascading(&["user_id"], "users", &["id"])
        // One for each order and filter that lists offer, ending in the key that makes the order total.
        .index(&["organization_id", "joined_at", "user_id"])
        .index(&["organization_id", "last_seen_at", "user_id"])
        .index(&["organization_id", "role", "joined_at", "user_id"])
        .index(&["user_id", "organization_id"])
}
