//! Spaces and the Git repositories with which they are synchronized, and imports from elsewhere.

use crate::tables::prelude::*;

const SPACES: &str = "spaces";

const PROVIDERS: &[&str] = &["github", "gitlab"];
const DIRECTIONS: &[&str] = &["import", "export"];
const STATES: &[&str] = &["queued", "success", "failure"];
const KINDS: &[&str] = &["page", "file", "content"];
const SOURCES: &[&str] = &["file", "website", "zip", "git"];
const STATUSES: &[&str] = &["pending", "in-progress", "completed", "failed", "cancelled"];

tables![
    git_syncs,
    git_operations,
    git_entries,
    git_commits,
    import_runs,
    pulled_objects
];

fn git_syncs() -> NewTable {
    table("git_syncs")
        .col(pk_uuid("space_id"))
        .col(uuid("organization_id"))
        .col(string_len_null("address", 2048))
        .col(string_len_null("reference", 255))
        .col(string_len("directory", 1024))
        .col(text_null("known_hosts"))
        .one_of(string_len_null("provider", 16), PROVIDERS)
        .col(string_len_null("tree_url", 2048))
        .col(binary_len_null("commit", 20))
        .col(uuid_null("revision_id"))
        .col(uuid_null("change_request_id"))
        .col(uuid_null("running_job_id"))
        .col(time_null("ordered_at"))
        .col(uuid_null("installation_id"))
        .col(uuid_null("installed_by"))
        .col(time_null("installed_at"))
        .col(blob_null("setup"))
        .col(time_null("next_poll_at"))
        .col(integer("failures"))
        .one_of(string_len_null("failed_direction", 16), DIRECTIONS)
        .col(text_null("problem"))
        .col(boolean("is_unauthenticated"))
        .col(time("updated_at"))
        .cascading(&["space_id"], SPACES, &["id"])
        .unique_index(&["installation_id"])
        // The branches to look at.
        .index(&["next_poll_at"])
}

fn git_operations() -> NewTable {
    table("git_operations")
        .col(pk_uuid("id"))
        .col(uuid("space_id"))
        .one_of(string_len("direction", 16), DIRECTIONS)
        .one_of(string_len("state", 16), STATES)
        .col(blob_null("request"))
        .col(uuid("requested_by"))
        .col(uuid_null("revision_id"))
        .col(text_null("problem"))
        .col(time("created_at"))
        .col(time_null("started_at"))
        .col(time_null("ended_at"))
        .cascading(&["space_id"], SPACES, &["id"])
        // The latest operation of a space, and those that wait.
        .index(&["space_id", "id"])
}

fn git_entries() -> NewTable {
    table("git_entries")
        .col(uuid("space_id"))
        .col(uuid("object_id"))
        .one_of(string_len("kind", 16), KINDS)
        .col(text("path"))
        .col(binary_len("oid", 20))
        .primary_key(&["space_id", "object_id"])
        .cascading(&["space_id"], SPACES, &["id"])
}

fn git_commits() -> NewTable {
    table("git_commits")
        .col(pk_uuid("revision_id"))
        .col(uuid("space_id"))
        .col(binary_len("oid", 20))
        .col(text("message"))
        .col(boolean("is_own"))
        .col(string_len_null("url", 2048))
        .col(string_len("reference", 255))
        .cascading(&["space_id"], SPACES, &["id"])
        // Spaces that are purged.
        .index(&["space_id"])
}

fn import_runs() -> NewTable {
    table("import_runs")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(uuid("space_id"))
        .one_of(string_len("kind", 16), SOURCES)
        .col(json_null("files"))
        .col(string_len("url", 2048))
        .col(string_len_null("reference", 255))
        .col(string_len_null("directory", 1024))
        .col(blob_null("secret"))
        .col(boolean("force"))
        .one_of(string_len("status", 16), STATUSES)
        .col(uuid("job_id"))
        .col(uuid("created_by"))
        .col(text_null("reason"))
        .col(json_null("outcome"))
        .col(time("created_at"))
        .col(time_null("started_at"))
        .col(time_null("ended_at"))
        .col(time("updated_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        .cascading(&["space_id"], SPACES, &["id"])
        // Lists, the newest first, and those that wait or run.
        .index(&["organization_id", "id"])
        .index(&["organization_id", "status"])
        // Lists of a space, and spaces that are purged.
        .index(&["space_id", "id"])
}

fn pulled_objects() -> NewTable {
    table("pulled_objects")
        .col(uuid("organization_id"))
        .col(string_len("source", 512))
        .col(string_len("object", 320))
        .col(text("own"))
        .col(string_len("state", 512))
        .primary_key(&["organization_id", "source", "object"])
        .cascading(&["organization_id"], "organizations", &["id"])
}
