//! Insight events of sites.

use crate::tables::prelude::*;

const SEGMENTS: &str = "insight_segments";

tables![batches, digests, days, segments, columns, removals];

fn batches() -> NewTable {
    table("insight_batches")
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(uuid_null("chunk_id"))
        .col(time("received_at"))
        .col(integer("events"))
        .col(time("first_at"))
        .col(time("last_at"))
        .col(big_integer("bytes"))
        .col(blob("data"))
        .cascading(&["site_id"], "sites", &["id"])
        .index(&["site_id", "id"])
        // For the chunk that an earlier attempt has begun.
        .partial_index("insight_batches_of_chunk", &["chunk_id"], "chunk_id IS NOT NULL")
}

fn digests() -> NewTable {
    table("insight_digests")
        .col(uuid("site_id"))
        .col(binary_len("digest", 32))
        .col(time("received_at"))
        .primary_key(&["site_id", "digest"])
        .cascading(&["site_id"], "sites", &["id"])
        .index(&["received_at"])
}

fn days() -> NewTable {
    table("insight_days")
        .col(uuid("site_id"))
        .col(integer("day"))
        .col(big_integer("bytes"))
        .primary_key(&["site_id", "day"])
        .cascading(&["site_id"], "sites", &["id"])
}

fn segments() -> NewTable {
    table(SEGMENTS)
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(integer("day"))
        .col(integer("events"))
        .col(time("first_at"))
        .col(time("last_at"))
        .col(big_integer("bytes"))
        .index(&["site_id", "day"])
        // For the days whose retention has ended.
        .index(&["day"])
}

fn columns() -> NewTable {
    table("insight_columns")
        .col(uuid("segment_id"))
        .col(small_integer("number"))
        .col(blob("data"))
        .primary_key(&["segment_id", "number"])
        .cascading(&["segment_id"], SEGMENTS, &["id"])
}

fn removals() -> NewTable {
    table("insight_removals")
        .col(pk_uuid("job_id"))
        .col(uuid("site_id"))
        .col(big_integer("visitor"))
        .cascading(&["site_id"], "sites", &["id"])
        .index(&["site_id"])
}
