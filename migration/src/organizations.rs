//! Organizations, their members and teams, how people sign in, and audit events.

use crate::tables::prelude::*;

const ORGANIZATIONS: &str = "organizations";
const DOMAINS: &str = "organization_email_domains";
const MEMBERS: &str = "members";
const TEAMS: &str = "teams";
const PROVIDERS: &str = "saml_providers";
const TOKENS: &str = "api_tokens";

const TYPES: &[&str] = &["business", "community"];
const USE_CASES: &[&str] = &[
    "internalDocs",
    "docsSite",
    "audienceControlledSite",
    "productDocs",
    "teamKnowledgeBase",
    "designSystem",
    "openSourceDocs",
    "notes",
    "other",
];
const COMMUNITY_TYPES: &[&str] = &["nonProfit", "openSource", "education"];
const ROLES: &[&str] = &["read", "comment", "edit", "review", "create", "admin"];
const PLANS: &[&str] = &[
    "free_2024",
    "plus_2024",
    "pro_2024",
    "enterprise_2024",
    "community_2024",
    "free",
    "plus",
    "pro",
    "internal",
];
/// The default levels of spaces; empty for spaces without one.
const COUNTED_LEVELS: &[&str] = &["", "inherit", "read", "comment", "edit", "review", "create", "admin"];

tables![
    organizations,
    email_domains,
    agent_instructions,
    space_counts,
    members,
    removed_members,
    teams,
    team_members,
    saml_providers,
    saml_requests,
    saml_assertions,
    saml_identities,
    sessions,
    audit_events,
];

fn organizations() -> NewTable {
    table(ORGANIZATIONS)
        .col(pk_uuid("id"))
        .col(string_len("title", 255))
        .col(string_len_null("hostname", 32).unique_key())
        .one_of(string_len("type", 16), TYPES)
        .one_of(string_len_null("use_case", 32), USE_CASES)
        .one_of(string_len_null("community_type", 16), COMMUNITY_TYPES)
        .one_of(string_len_null("default_role", 16), ROLES)
        .col(boolean("sso"))
        .col(boolean("ai"))
        .col(boolean("invite_links"))
        .one_of(string_len("plan", 16), PLANS)
        .col(json("merge_rules"))
        .col(string_len_null("logo", 2048))
        // A copy of the active one in `custom_hostnames`.
        .col(string_len_null("custom_hostname", 512))
        .counter("members_count")
        .counter("sites_count")
        .col(time("created_at"))
        .unique_index(&["custom_hostname"])
}

fn email_domains() -> NewTable {
    table(DOMAINS)
        .col(uuid("organization_id"))
        .col(string_len("domain", 253))
        .col(integer("position"))
        .col(time_null("verified_at"))
        .col(boolean("owned").default(false).take())
        .col(time_null("asked_at"))
        .col(time_null("next_check_at"))
        .primary_key(&["organization_id", "domain"])
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .index(&["domain", "owned", "organization_id"])
        .partial_index(
            "proven_domains_by_domain_organization_id",
            &["domain", "organization_id"],
            "verified_at IS NOT NULL",
        )
        // The domains whose DNS records are due.
        .index(&["next_check_at"])
}

fn agent_instructions() -> NewTable {
    table("agent_instructions")
        .col(pk_uuid("organization_id"))
        .col(json("instructions"))
        .col(time("updated_at"))
        .col(uuid("updated_by"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .restricting("updated_by", "users", "id")
}

fn space_counts() -> NewTable {
    table("organization_space_counts")
        .col(uuid("organization_id"))
        .one_of(string_len("default_level", 16), COUNTED_LEVELS)
        .col(integer("spaces"))
        .primary_key(&["organization_id", "default_level"])
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
}

fn members() -> NewTable {
    table(MEMBERS)
        .col(uuid("organization_id"))
        .col(uuid("user_id"))
        .one_of(string_len_null("role", 16), ROLES)
        .col(boolean("disabled"))
        .col(boolean("sso"))
        .col(boolean("sso_exempt").default(false).take())
        .col(time("joined_at"))
        .col(time_null("last_seen_at"))
        .counter("teams_count")
        .col(text("sort_name").default("").take())
        .primary_key(&["organization_id", "user_id"])
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        // One for each order and filter that lists offer, ending in the key that makes the order total.
        .index(&["organization_id", "joined_at", "user_id"])
        .index(&["organization_id", "last_seen_at", "user_id"])
        .index(&["organization_id", "sort_name", "user_id"])
        .index(&["organization_id", "role", "joined_at", "user_id"])
        .index(&["organization_id", "role", "last_seen_at", "user_id"])
        .index(&["organization_id", "role", "sort_name", "user_id"])
        // PostgreSQL sorts the rows in which a column is null if it is a column of the index.
        .partial_index(
            "guests_by_organization_id_joined_at_user_id",
            &["organization_id", "joined_at", "user_id"],
            "role IS NULL",
        )
        .partial_index(
            "guests_by_organization_id_sort_name_user_id",
            &["organization_id", "sort_name", "user_id"],
            "role IS NULL",
        )
        .index(&["user_id", "organization_id"])
}

/// People removed from an organization by others.
fn removed_members() -> NewTable {
    table("removed_members")
        .col(uuid("organization_id"))
        .col(uuid("user_id"))
        .col(time("removed_at"))
        .primary_key(&["organization_id", "user_id"])
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        .index(&["user_id"])
}

fn teams() -> NewTable {
    table(TEAMS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(string_len("title", 64))
        .col(text("title_folded"))
        .counter("members_count")
        .col(time("created_at"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        // Referenced by memberships, so that a team can hold only members of its own organization.
        .unique_index(&["id", "organization_id"])
        // Lists. Ids increase even if the clock is set back, times of creation do not.
        .index(&["organization_id", "id"])
}

fn team_members() -> NewTable {
    table("team_members")
        .col(uuid("team_id"))
        .col(uuid("user_id"))
        .col(uuid("organization_id"))
        .one_of(string_len("role", 8), &["owner", "member"])
        .col(time("added_at"))
        .primary_key(&["team_id", "user_id"])
        .cascading(&["organization_id", "team_id"], TEAMS, &["organization_id", "id"])
        .cascading(
            &["organization_id", "user_id"],
            MEMBERS,
            &["organization_id", "user_id"],
        )
        .index(&["organization_id", "user_id", "team_id"])
        .index(&["team_id", "added_at", "user_id"])
}

/// No foreign key for the team: when it is deleted, the provider stays, without a team. Tokens end with the provider at which
/// their user had signed in.
fn saml_providers() -> NewTable {
    table(PROVIDERS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(string_len("label", 30))
        .col(string_len("entity_id", 1024))
        .col(string_len("certificate", 10_000))
        .col(string_len("sso_url", 2048))
        .col(uuid_null("default_team_id"))
        .one_of(string_len_null("default_role", 16), ROLES)
        .col(time("created_at"))
        .col(var_binary_null("encryption_key", 4096))
        .col(string_len_null("encryption_certificate", 4096))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .referred_by(TOKENS, "saml_provider_id")
        // Lists, the newest first.
        .index(&["organization_id", "id"])
}

/// Requests to identity providers that were answered.
fn saml_requests() -> NewTable {
    table("saml_requests")
        .col(pk_uuid("id"))
        .col(uuid("provider_id"))
        .col(uuid("user_id"))
        .col(binary_len_null("subject_hash", 32))
        .col(boolean("unproven"))
        .col(boolean("mailed").default(false).take())
        .col(binary_len_null("code_hash", 32))
        .col(time("code_expires_at"))
        .col(time("expires_at"))
        .cascading(&["provider_id"], PROVIDERS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        .unique_index(&["code_hash"])
        // Expired rows.
        .index(&["expires_at"])
        // For deleting with the referenced row.
        .index(&["user_id"])
        .index(&["provider_id"])
}

fn saml_assertions() -> NewTable {
    table("saml_assertions")
        .col(uuid("provider_id"))
        .col(binary_len("hash", 32))
        .col(time("expires_at"))
        .primary_key(&["provider_id", "hash"])
        .cascading(&["provider_id"], PROVIDERS, &["id"])
        // Expired rows.
        .index(&["expires_at"])
}

fn saml_identities() -> NewTable {
    table("saml_identities")
        .col(uuid("provider_id"))
        .col(binary_len("subject_hash", 32))
        .col(uuid("user_id"))
        .col(time("created_at"))
        .primary_key(&["provider_id", "subject_hash"])
        .cascading(&["provider_id"], PROVIDERS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        .index(&["user_id"])
}

/// Leaving the organization ends the session, and the session ends the tokens made in it.
fn sessions() -> NewTable {
    table("sessions")
        .col(pk_uuid("id"))
        .col(binary_len("hash", 32))
        .col(uuid("user_id"))
        .col(uuid("organization_id"))
        .col(uuid("provider_id"))
        .col(time("created_at"))
        .col(time("last_seen_at"))
        .col(time("expires_at"))
        .cascading(
            &["organization_id", "user_id"],
            MEMBERS,
            &["organization_id", "user_id"],
        )
        .cascading(&["provider_id"], PROVIDERS, &["id"])
        .referred_by(TOKENS, "session_id")
        .unique_index(&["hash"])
        // The sessions of a person.
        .index(&["user_id", "id"])
        // For deleting with the provider.
        .index(&["provider_id"])
        // Expired rows.
        .index(&["expires_at"])
}

fn audit_events() -> NewTable {
    table("audit_events")
        .col(pk_uuid("id"))
        .col(uuid_null("organization_id"))
        .col(time("occurred_at"))
        .col(string_len("action", 128))
        .one_of(
            string_len("actor_type", 16),
            &["user", "integration", "installation", "system"],
        )
        .col(string_len("actor_id", 64))
        .col(text_null("actor_label"))
        .col(string_len("target_type", 32))
        .col(string_len("target_id", 64))
        .col(text_null("target_label"))
        .col(string_len_null("request_id", 128))
        .col(json("payload"))
        .col(uuid_null("user_id"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        // Lists are the newest first, with at most a few filters: each has the index that answers it alone.
        .index(&["organization_id", "occurred_at", "id"])
        .index(&["organization_id", "action", "occurred_at", "id"])
        .index(&["organization_id", "actor_id", "occurred_at", "id"])
        .index(&["organization_id", "target_id", "occurred_at", "id"])
        .index(&["user_id", "occurred_at", "id"])
}
