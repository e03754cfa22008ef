//! Integrations, and where they are installed.

use crate::tables::prelude::*;

const INTEGRATIONS: &str = "integrations";
const INSTALLATIONS: &str = "integration_installations";
const CONTENT_INSTALLATIONS: &str = "content_installations";
const WEBHOOKS: &str = "webhooks";

const RUNTIMES: &[&str] = &["v1", "v2"];
const VISIBILITIES: &[&str] = &["public", "private", "unlisted"];
const TARGETS: &[&str] = &["all", "site", "space", "organization"];
const STATUSES: &[&str] = &["active", "pending"];
const SELECTIONS: &[&str] = &["all", "selected"];
const DELIVERY_STATUSES: &[&str] = &["pending", "success", "failed"];

tables![
    integrations,
    integration_blobs,
    scripts,
    installations,
    content_installations,
    external_ids,
    webhooks,
    content_changes,
    visitor_batches,
    delivery_queues,
    deliveries,
];

fn integrations() -> NewTable {
    table(INTEGRATIONS)
        .col(pk_uuid("id"))
        .col(string_len_uniq("name", 100))
        .col(string_len_uniq("name_key", 100))
        .col(uuid("organization_id"))
        .col(integer("version"))
        .one_of(string_len("runtime", 8), RUNTIMES)
        .one_of(string_len("visibility", 16), VISIBILITIES)
        .one_of(string_len("target", 16), TARGETS)
        .col(boolean("verified"))
        .col(string_len("title", 30))
        .col(text("search_text"))
        .col(string_len_null("description", 100))
        .col(string_len_null("summary", 2048))
        .col(json("scopes"))
        .col(json("categories"))
        .col(boolean("has_blocks"))
        .col(boolean("has_content_sources"))
        .col(boolean("works_unconfigured_on_spaces"))
        .col(boolean("works_unconfigured_on_sites"))
        .col(text("block_domains"))
        .col(json("manifest"))
        .col(string_len_null("icon", 64))
        .col(json("preview_images"))
        .col(blob("secrets"))
        .col(string_len_null("tunnel_url", 256))
        .col(boolean("tunnel_all"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        // Lists of an organization, and of what everybody sees, the newest first.
        .index(&["organization_id", "id"])
        .index(&["visibility", "id"])
}

fn integration_blobs() -> NewTable {
    table("integration_blobs")
        .col(uuid("integration_id"))
        .col(binary_len("hash", 32))
        .primary_key(&["integration_id", "hash"])
        .cascading(&["integration_id"], INTEGRATIONS, &["id"])
        .restricting("hash", "blobs", "hash")
        // For finding the integrations of a blob.
        .index(&["hash"])
}

fn scripts() -> NewTable {
    table("integration_scripts")
        .col(pk_uuid("integration_id"))
        .col(text("script"))
        .cascading(&["integration_id"], INTEGRATIONS, &["id"])
}

fn installations() -> NewTable {
    table(INSTALLATIONS)
        .col(pk_uuid("id"))
        .col(uuid("integration_id"))
        .col(uuid("organization_id"))
        .one_of(string_len("status", 16), STATUSES)
        .one_of(string_len("space_selection", 16), SELECTIONS)
        .one_of(string_len("site_selection", 16), SELECTIONS)
        .col(json("approved_scopes"))
        .col(blob("configuration"))
        .col(json("external_ids"))
        .counter("space_count")
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["integration_id"], INTEGRATIONS, &["id"])
        .cascading(&["organization_id"], "organizations", &["id"])
        .unique_index(&["integration_id", "organization_id"])
        // Lists, the newest first.
        .index(&["integration_id", "id"])
        .index(&["organization_id", "id"])
}

fn content_installations() -> NewTable {
    table(CONTENT_INSTALLATIONS)
        .col(pk_uuid("id"))
        .col(uuid("installation_id"))
        .col(uuid("integration_id"))
        .col(uuid_null("space_id"))
        .col(uuid_null("site_id"))
        .one_of(string_len("status", 16), STATUSES)
        .col(blob("configuration"))
        .col(json("external_ids"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["installation_id"], INSTALLATIONS, &["id"])
        .cascading(&["integration_id"], INTEGRATIONS, &["id"])
        .cascading(&["space_id"], "spaces", &["id"])
        .cascading(&["site_id"], "sites", &["id"])
        .unique_index(&["installation_id", "space_id"])
        .unique_index(&["installation_id", "site_id"])
        // Lists of an integration, the newest spaces and sites first; those of an installation have the unique indexes.
        .index(&["integration_id", "space_id"])
        .index(&["integration_id", "site_id"])
        // The installations of a space and of a site.
        .index(&["space_id", "id"])
        .index(&["site_id", "id"])
}

fn external_ids() -> NewTable {
    table("integration_external_ids")
        .col(uuid("integration_id"))
        .col(string_len("external_id", 256))
        .col(uuid("installation_id"))
        // The nil id: the installation on the organization.
        .col(uuid("content_installation_id"))
        .primary_key(&[
            "integration_id",
            "external_id",
            "installation_id",
            "content_installation_id",
        ])
        .cascading(&["installation_id"], INSTALLATIONS, &["id"])
        .index(&["installation_id", "content_installation_id"])
}

fn webhooks() -> NewTable {
    table(WEBHOOKS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(string_len("url", 2048))
        .col(json("event_types"))
        .col(boolean("enabled"))
        .col(blob("secret"))
        .col(json("previous_secrets"))
        .col(time_null("failing_since"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
}

fn content_changes() -> NewTable {
    // Written with each change: there are no foreign keys and no further indexes, and rows leave within a second.
    table("content_changes")
        .col(pk_uuid("id"))
        .col(uuid("space_id"))
        .col(uuid("revision_id"))
        .col(uuid_null("author_id"))
        .col(time("changed_at"))
        .col(string_len_null("request_id", 128))
}

fn visitor_batches() -> NewTable {
    // Like content changes.
    table("visitor_batches")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(uuid("site_id"))
        .col(integer("size"))
        .col(integer("next_event"))
        .col(blob("events"))
        // Organizations take turns.
        .index(&["organization_id", "id"])
}

fn delivery_queues() -> NewTable {
    table("delivery_queues")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(uuid_null("integration_id"))
        .col(uuid_null("webhook_id"))
        .col(boolean("ordered"))
        .col(time_null("slow_at"))
        .col(uuid_null("job_id"))
        .cascading(&["organization_id"], "organizations", &["id"])
        .cascading(&["integration_id"], INTEGRATIONS, &["id"])
        .cascading(&["webhook_id"], WEBHOOKS, &["id"])
        .index(&["organization_id"])
        .index(&["integration_id"])
        .index(&["webhook_id"])
}

fn deliveries() -> NewTable {
    table("deliveries")
        .col(pk_uuid("id"))
        .col(uuid_null("queue_id"))
        .col(uuid_null("integration_id"))
        .col(uuid_null("installation_id"))
        .col(string_len("event_type", 40))
        .col(blob("payload"))
        .one_of(string_len("status", 16), DELIVERY_STATUSES)
        .col(integer("attempts"))
        .col(time_null("due_at"))
        .col(time_null("attempted_at"))
        .col(integer_null("response_status"))
        .col(integer_null("duration_ms"))
        .col(string_len_null("failure", 200))
        .col(json_null("logs"))
        .col(string_len_null("request_id", 128))
        .col(time("created_at"))
        // There are no foreign keys: what is deleted has too many events for one transaction.
        // Lists of a webhook and of an integration, the newest first: those of an integration have the events that were tried, or those
        // that are pending.
        .index(&["queue_id", "id"])
        .partial_index(
            "idx_deliveries_tried",
            &["integration_id", "id"],
            "attempted_at IS NOT NULL",
        )
        .partial_index(
            "idx_deliveries_waiting",
            &["integration_id", "id"],
            "status = 'pending'",
        )
        // The next events of a queue, and those of its events that wait for another attempt.
        .partial_index("idx_deliveries_pending", &["queue_id", "id"], "status = 'pending'")
        .partial_index(
            "idx_deliveries_retries",
            &["queue_id", "due_at"],
            "status = 'pending' AND attempts > 0",
        )
        // The oldest are removed.
        .index(&["created_at"])
}
