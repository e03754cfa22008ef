//! Invite links, and the mails that carry some of them.

use sea_orm_migration::{prelude::*, schema::*};

use crate::{
    columns::{named, time, time_null},
    tables::{NewTable, table, tables},
};

const INVITATIONS: &str = "invitations";
const OUTBOX: &str = "outbox";

const ROLES: &[&str] = &["read", "comment", "edit", "review", "create", "admin"];

tables![invitations, outbox];

fn invitations() -> NewTable {
    let personal = Expr::col("user_id").is_null().eq(Expr::col("email").is_null());
    let one_kind = Expr::col("user_id").is_null().or(Expr::col("node_id").is_null());
    table(INVITATIONS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .one_of(string_len_null("role", 16), ROLES)
        .col(uuid_null("node_id").check(named(INVITATIONS, "node_id", "not_personal", one_kind)))
        .col(uuid_null("user_id"))
        .col(string_len_null("email", 320).check(named(INVITATIONS, "email", "personal", personal)))
        .col(time("created_at"))
        .col(time("expires_at"))
        .col(uuid("created_by"))
        .cascading(&["organization_id"], "organizations", &["id"])
        .cascading(&["organization_id", "node_id"], "nodes", &["organization_id", "id"])
        .cascading(
            &["organization_id", "user_id"],
            "members",
            &["organization_id", "user_id"],
        )
        .cascading(&["created_by"], "users", &["id"])
        // One person has one personal invite.
        .unique_index(&["organization_id", "user_id"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
        // For deleting with a space or collection.
        .index(&["organization_id", "node_id"])
        .index(&["created_by"])
        // For purging.
        .index(&["expires_at"])
}

fn outbox() -> NewTable {
    table(OUTBOX)
        .col(pk_uuid("id"))
        .col(string_len("recipient", 320))
        .col(text("subject"))
        .col(text("body"))
        .col(time("created_at"))
        .col(time_null("next_attempt_at"))
        .col(integer("attempts"))
        .col(text_null("last_error"))
        .col(time_null("sent_at"))
        .index(&["next_attempt_at"])
        .index(&["sent_at"])
}
