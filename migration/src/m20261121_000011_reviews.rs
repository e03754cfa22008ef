//! Reviews of change requests, and who was asked for one.

use crate::tables::prelude::*;

const CHANGE_REQUESTS: &str = "change_requests";
const REVIEWS: &str = "reviews";
const REQUESTED: &str = "requested_reviewers";

const STATUSES: &[&str] = &["changes-requested", "approved"];

tables![reviews, requested];

fn reviews() -> NewTable {
    table(REVIEWS)
        .col(pk_uuid("id"))
        .col(uuid("change_request_id"))
        .col(uuid("revision_id"))
        .col(uuid("reviewer_id"))
        .col(uuid_null("requested_by"))
        .one_of(string_len("status", 32), STATUSES)
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["change_request_id"], CHANGE_REQUESTS, &["id"])
        .cascading(&["reviewer_id"], "users", &["id"])
        .index(&["change_request_id", "id"])
}

fn requested() -> NewTable {
    table(REQUESTED)
        .col(uuid("change_request_id"))
        .col(uuid("user_id"))
        .col(uuid("requested_by"))
        .col(uuid("revision_id"))
        .col(time("created_at"))
        .primary_key(&["change_request_id", "user_id"])
        .cascading(&["change_request_id"], CHANGE_REQUESTS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        // The list, the latest first.
        .index(&["change_request_id", "created_at", "user_id"])
        .index(&["user_id", "change_request_id"])
}
