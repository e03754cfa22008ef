//! Signing in by a SAML provider: requests on their way, what was used, who is who, and sessions.

use crate::tables::prelude::*;

tables![saml_requests, saml_assertions, saml_identities, sessions];

const PROVIDERS: &str = "saml_providers";

fn saml_requests() -> NewTable {
    table("saml_requests")
        .col(pk_uuid("id"))
        .col(uuid("provider_id"))
        .col(binary_len("browser_hash", 32))
        .col(string_len("return_to", 2048))
        .col(uuid_null("user_id"))
        .col(binary_len_null("code_hash", 32))
        .col(time("expires_at"))
        .cascading(&["provider_id"], PROVIDERS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        .unique_index(&["code_hash"])
        // What has expired.
        .index(&["expires_at"])
}

fn saml_assertions() -> NewTable {
    table("saml_assertions")
        .col(uuid("provider_id"))
        .col(binary_len("hash", 32))
        .col(time("expires_at"))
        .primary_key(&["provider_id", "hash"])
        .cascading(&["provider_id"], PROVIDERS, &["id"])
        // What has expired.
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
}

/// Whoever is no member any more has no session.
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
            "members",
            &["organization_id", "user_id"],
        )
        .cascading(&["provider_id"], PROVIDERS, &["id"])
        .unique_index(&["hash"])
        // The sessions of a person.
        .index(&["user_id", "id"])
        // What has expired.
        .index(&["expires_at"])
}
