//! Background work, backups, answered requests, and the bytes of files: which there are, which spaces hold them, and which are to be removed from the store.

use sea_orm_migration::prelude::*;

use crate::{columns::named, tables::prelude::*};

const BLOBS: &str = "blobs";

const STATES: &[&str] = &["queued", "running", "succeeded", "failed", "cancelled"];

tables![jobs, blobs, space_blobs, dropped_blobs, backups, idempotency_keys];

fn jobs() -> NewTable {
    table("jobs")
        .col(pk_uuid("id"))
        .col(string_len("kind", 64))
        .col(string_len_null("periodic_kind", 64).unique_key())
        .col(uuid_null("organization_id"))
        .col(json("payload"))
        .one_of(string_len("state", 16), STATES)
        .col(integer("attempts"))
        .col(time_null("next_attempt_at"))
        .col(uuid_null("lease_id"))
        .col(text_null("last_error"))
        .col(string_len_null("request_id", 128))
        .col(time("created_at"))
        .col(time_null("started_at"))
        .col(time_null("finished_at"))
        // The jobs of a kind that are due, the longest due first. With the organization, jobs that have no turn are passed over
        // without being read.
        .index(&["kind", "next_attempt_at", "id", "organization_id"])
        // The last turn of an organization.
        .index(&["kind", "organization_id", "started_at"])
        // The jobs that are removed after a while.
        .index(&["state", "finished_at"])
}

fn blobs() -> NewTable {
    let counted = named(BLOBS, "size", "not_negative", Expr::col("size").gte(0));
    table(BLOBS)
        .col(binary_len("hash", 32).primary_key())
        .col(uuid("id"))
        .col(big_integer("size").check(counted))
        .col(time("claimed_at"))
        // For dropping by age.
        .index(&["claimed_at"])
}

fn space_blobs() -> NewTable {
    table("space_blobs")
        .col(uuid("space_id"))
        .col(binary_len("hash", 32))
        .primary_key(&["space_id", "hash"])
        .cascading(&["space_id"], "spaces", &["id"])
        .restricting("hash", BLOBS, "hash")
        // For finding the spaces of a blob.
        .index(&["hash"])
}

fn dropped_blobs() -> NewTable {
    table("dropped_blobs").col(pk_uuid("id")).col(binary_len("hash", 32))
}

fn backups() -> NewTable {
    table("backups")
        .col(pk_uuid("id"))
        .col(time("started_at"))
        .col(time("lease_ends_at"))
        .col(time_null("finished_at"))
}

fn idempotency_keys() -> NewTable {
    table("idempotency_keys")
        .col(binary_len("id", 32).primary_key())
        .col(binary_len("request_hash", 32))
        .col(time("created_at"))
        .col(blob_null("answer"))
        // For removal by age.
        .index(&["created_at"])
}
