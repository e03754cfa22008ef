//! OpenAPI specifications, their versions, and what pages that are computed from them need to know.

use crate::tables::prelude::*;

const SPECS: &str = "openapi_specs";
const VERSIONS: &str = "openapi_spec_versions";
const BLOBS: &str = "blobs";

const VISIBILITIES: &[&str] = &["private", "public"];
const STATES: &[&str] = &["pending", "progress", "complete"];
const ERROR_CODES: &[&str] = &["FETCH_TIMEOUT", "FETCH_ERROR", "PARSE_ERROR"];

tables![specs, versions, outlines];

fn specs() -> NewTable {
    table(SPECS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(string_len("slug", 100))
        .col(string_len_null("source_url", 2048))
        .col(binary_len_null("source_hash", 32))
        .col(integer("source_number"))
        .col(text_null("source_tag"))
        .one_of(string_len("visibility", 16), VISIBILITIES)
        .one_of(string_len("processing_state", 16), STATES)
        .col(uuid_null("last_version_id"))
        .col(time_null("last_processed_at"))
        .one_of(string_len_null("error_code", 16), ERROR_CODES)
        .col(json("errors"))
        .col(integer("error_count"))
        .col(time_null("next_fetch_at"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        .restricting("source_hash", BLOBS, "hash")
        .unique_index(&["organization_id", "slug"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
        // For finding the specifications of a blob.
        .index(&["source_hash"])
        // For fetching by time.
        .index(&["next_fetch_at"])
}

fn versions() -> NewTable {
    table(VERSIONS)
        .col(pk_uuid("id"))
        .col(uuid("spec_id"))
        .col(binary_len("hash", 32))
        .col(binary_len("content_hash", 32))
        .col(binary_len("source_hash", 32))
        .col(boolean("source_is_json"))
        .col(time("created_at"))
        .cascading(&["spec_id"], SPECS, &["id"])
        .restricting("hash", BLOBS, "hash")
        .restricting("content_hash", BLOBS, "hash")
        .restricting("source_hash", BLOBS, "hash")
        // Lists, the newest first.
        .index(&["spec_id", "id"])
        // For finding the versions of a blob.
        .index(&["hash"])
        .index(&["content_hash"])
        .index(&["source_hash"])
}

fn outlines() -> NewTable {
    table("openapi_spec_outlines")
        .col(pk_uuid("version_id"))
        .col(text("outline"))
        .cascading(&["version_id"], VERSIONS, &["id"])
}
