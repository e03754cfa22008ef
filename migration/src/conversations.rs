//! Conversations with customers, their issues, and clusters of similar issues.

use crate::tables::prelude::*;

const ORGANIZATIONS: &str = "organizations";
const CONVERSATIONS: &str = "conversations";
const CLUSTERS: &str = "issues_clusters";

tables![
    conversations,
    texts,
    clusters,
    issues,
    cluster_terms,
    cluster_weeks,
    cluster_sources,
    cluster_history,
    terms,
    groupings,
];

fn conversations() -> NewTable {
    table(CONVERSATIONS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(string_len("source", 255))
        .col(string_len("source_key", 255))
        .col(string_len_null("subject", 512))
        .col(string_len_null("url", 2048))
        .col(time("created_at"))
        .col(time("ingested_at"))
        .col(time_null("processed_at"))
        .col(big_integer("length"))
        .col(integer("version"))
        .one_of(string_len_null("method", 16), &["model", "extractive"])
        .col(string_len_null("model", 200))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .unique_index(&["organization_id", "source", "source_key"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
        .index(&["organization_id", "source", "id"])
}

/// The long part of conversations, which lists do not read.
fn texts() -> NewTable {
    table("conversation_texts")
        .col(pk_uuid("conversation_id"))
        .col(json("parts"))
        .col(json_null("attributes"))
        .cascading(&["conversation_id"], CONVERSATIONS, &["id"])
}

fn clusters() -> NewTable {
    table(CLUSTERS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(string_len("label", 100))
        .col(string_len("summary", 1000))
        .col(string_len("icon", 50))
        .one_of(string_len_null("status", 16), &["pending", "analysing"])
        .counter("issues")
        .counter("conversations")
        .col(blob("centroid"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        // Lists in their orders.
        .index(&["organization_id", "id"])
        .index(&["organization_id", "updated_at", "id"])
        .index(&["organization_id", "issues", "id"])
        .index(&["organization_id", "conversations", "id"])
        .index(&["organization_id", "status", "id"])
}

fn issues() -> NewTable {
    table("conversation_issues")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(uuid("conversation_id"))
        .col(uuid("cluster_id"))
        .col(string_len("title", 100))
        .col(string_len("summary", 1000))
        .col(blob("terms"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .cascading(&["conversation_id"], CONVERSATIONS, &["id"])
        .cascading(&["cluster_id"], CLUSTERS, &["id"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
        .index(&["conversation_id", "id"])
        .index(&["cluster_id", "id"])
}

/// The terms of centroids, by which clusters that may be near to an issue are found.
fn cluster_terms() -> NewTable {
    table("issues_cluster_terms")
        .col(uuid("organization_id"))
        .col(big_integer("term"))
        .col(uuid("cluster_id"))
        .primary_key(&["organization_id", "term", "cluster_id"])
        .cascading(&["cluster_id"], CLUSTERS, &["id"])
        .index(&["cluster_id"])
}

fn cluster_weeks() -> NewTable {
    table("issues_cluster_weeks")
        .col(uuid("cluster_id"))
        .col(integer("week"))
        .col(integer("issues"))
        .primary_key(&["cluster_id", "week"])
        .cascading(&["cluster_id"], CLUSTERS, &["id"])
}

fn cluster_sources() -> NewTable {
    table("issues_cluster_sources")
        .col(uuid("cluster_id"))
        .col(string_len("source", 255))
        .col(integer("issues"))
        .primary_key(&["cluster_id", "source"])
        .cascading(&["cluster_id"], CLUSTERS, &["id"])
}

/// The ids of clusters that were merged into others.
fn cluster_history() -> NewTable {
    table("issues_cluster_history")
        .col(pk_uuid("former_id"))
        .col(uuid("organization_id"))
        .col(uuid("cluster_id"))
        .col(time("merged_at"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .cascading(&["cluster_id"], CLUSTERS, &["id"])
        .index(&["cluster_id"])
}

/// In how many issues of an organization a term is.
fn terms() -> NewTable {
    table("conversation_terms")
        .col(uuid("organization_id"))
        .col(big_integer("term"))
        .col(integer("issues"))
        .primary_key(&["organization_id", "term"])
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
}

/// One row per organization with conversations: what the processing of all of them shares.
fn groupings() -> NewTable {
    table("conversation_groupings")
        .col(pk_uuid("organization_id"))
        .col(big_integer("issues"))
        .col(boolean("upkeep_queued"))
        .col(integer("model_day"))
        .col(big_integer("model_tokens"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
}
