//! Sites, which publish spaces: their structure, their addresses, their appearance and their visitors.

use sea_orm_migration::prelude::{Expr, ExprTrait, ForeignKeyAction};

use crate::{
    columns::{cascading, named},
    tables::prelude::*,
};

const ORGANIZATIONS: &str = "organizations";
const SITES: &str = "sites";
const GROUPS: &str = "site_section_groups";
const SECTIONS: &str = "site_sections";
const SITE_SPACES: &str = "site_spaces";
const EXTERNAL_LINKS: &str = "site_external_links";
const AUTH: &str = "site_publishing_auth";
const FONTS: &str = "custom_fonts";
const PERMISSIONS: &str = "site_permissions";

const ROLES: &[&str] = &["read", "comment", "edit", "review", "create", "admin"];

const DEFAULT_LEVELS: &[&str] = &["inherit", "read", "comment", "edit", "review", "create", "admin"];

const PLANS: &[&str] = &[
    "basic",
    "premium",
    "ultimate",
    "sponsored",
    "legacy-basic",
    "legacy-premium",
];
const FONT_FORMATS: &[&str] = &["woff2", "woff"];
const UPLOAD_FORMATS: &[&str] = &["woff2", "woff", "zip", "markdown"];
const VISIBILITIES: &[&str] = &["public", "unlisted", "share-link", "visitor-auth"];
const BACKENDS: &[&str] = &["custom", "integration"];
const TRANSPORTS: &[&str] = &["sse", "http"];
const HOSTNAME_STATUSES: &[&str] = &[
    "dns_passed",
    "dns_wrong_cname",
    "dns_no_cname",
    "dns_cloudflare_proxied",
    "dns_wrong_caa",
    "live",
    "ssl_unknown",
    "ssl_pending",
    "ssl_failed",
    "ssl_retry_expired",
    "invalid_domain",
    "internal_error",
];

tables![
    sites,
    section_groups,
    external_links,
    sections,
    site_spaces,
    permissions,
    share_links,
    publishing_auth,
    adaptive_schemas,
    customizations,
    site_space_customizations,
    custom_hostnames,
    default_content,
    redirects,
    mcp_servers,
    custom_fonts,
    custom_font_faces,
    uploads,
];

fn sites() -> NewTable {
    table(SITES)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .one_of(string_len("plan", 16), PLANS)
        .col(string_len("title", 128))
        .col(text("title_folded"))
        .one_of(string_len("visibility", 16), VISIBILITIES)
        .col(string_len("basename", 100))
        .col(string_len_null("proxy", 512))
        .col(string_len_null("active_proxy", 512))
        .col(time_null("proxy_failing_since"))
        .col(time_null("proxy_next_check_at"))
        // A copy of the active one in `custom_hostnames`.
        .col(string_len_null("hostname", 512))
        .col(boolean("published"))
        .col(boolean("adaptive_content"))
        .col(boolean("in_agents_context"))
        .counter("site_spaces_count")
        .col(big_integer("version"))
        .col(time("created_at"))
        .col(time_null("published_at"))
        .col(json_null("favicon"))
        .one_of(string_len_null("default_level", 16), DEFAULT_LEVELS)
        .col(string_len_null("styleguide", 320))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .unique_key(&["id", "organization_id"])
        // The names in addresses are those of the installation.
        .unique_index(&["basename"])
        .unique_index(&["active_proxy"])
        .unique_index(&["hostname"])
        .unique_index(&["organization_id", "proxy"])
        // The proxies whose DNS records are due.
        .index(&["proxy_next_check_at"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
}

fn section_groups() -> NewTable {
    let mut parent = cascading(GROUPS, &["parent_id"], GROUPS, &["id"]);
    table(GROUPS)
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(uuid_null("parent_id"))
        .col(integer("position"))
        .col(string_len("title", 100))
        .col(json_null("localized_title"))
        .col(string_len_null("icon", 50))
        .col(boolean("draft"))
        .cascading(&["site_id"], SITES, &["id"])
        .unique_key(&["id", "site_id"])
        .foreign_key(parent.name("fk_site_section_groups_parent"))
        .index(&["site_id", "parent_id"])
        .index(&["parent_id"])
}

fn external_links() -> NewTable {
    table(EXTERNAL_LINKS)
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(uuid_null("group_id"))
        .col(integer("position"))
        .col(string_len("title", 128))
        .col(json_null("localized_title"))
        .col(string_len_null("description", 256))
        .col(json_null("localized_description"))
        .col(string_len_null("icon", 50))
        .col(string_len("url", 2048))
        .col(string_len_null("condition", 1024))
        .col(boolean("draft"))
        .cascading(&["site_id"], SITES, &["id"])
        .cascading(&["site_id", "group_id"], GROUPS, &["site_id", "id"])
        .index(&["site_id", "group_id"])
}

fn sections() -> NewTable {
    table(SECTIONS)
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(uuid_null("group_id"))
        .col(integer("position"))
        .col(string_len("title", 128))
        .col(json_null("localized_title"))
        .col(string_len_null("description", 256))
        .col(json_null("localized_description"))
        .col(string_len("path", 100))
        .col(string_len_null("condition", 1024))
        .col(string_len_null("icon", 50))
        .col(boolean("is_default"))
        .col(boolean("draft"))
        .cascading(&["site_id"], SITES, &["id"])
        .cascading(&["site_id", "group_id"], GROUPS, &["site_id", "id"])
        .unique_key(&["id", "site_id"])
        .unique_index(&["site_id", "path"])
        .index(&["site_id", "group_id"])
}

fn site_spaces() -> NewTable {
    table(SITE_SPACES)
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(uuid_null("section_id"))
        // The section, or the site: null would make equal paths distinct.
        .col(uuid("level_id"))
        .col(uuid("space_id"))
        .col(integer("position"))
        .col(string_len("path", 100))
        // Below the address of the site.
        .col(string_len_null("published_path", 202))
        .col(string_len_null("condition", 1024))
        .col(boolean("is_default"))
        .col(boolean("draft"))
        .col(boolean("hidden"))
        .col(uuid_null("page_id"))
        .col(string_len_null("title", 128))
        .col(json_null("localized_title"))
        .cascading(&["site_id"], SITES, &["id"])
        .cascading(&["site_id", "section_id"], SECTIONS, &["site_id", "id"])
        .cascading(&["space_id"], "nodes", &["id"])
        .unique_index(&["level_id", "path"])
        .index(&["site_id", "section_id"])
        // The sites of a space.
        .index(&["space_id", "site_id"])
}

fn permissions() -> NewTable {
    let one_subject = Expr::col("user_id").is_null().ne(Expr::col("team_id").is_null());
    table(PERMISSIONS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(uuid("site_id"))
        .col(uuid_null("user_id").check(named(PERMISSIONS, "subject", "single", one_subject)))
        .col(uuid_null("team_id"))
        .one_of(string_len("role", 16), ROLES)
        .col(time("created_at"))
        .cascading(&["site_id", "organization_id"], SITES, &["id", "organization_id"])
        .cascading(
            &["organization_id", "user_id"],
            "members",
            &["organization_id", "user_id"],
        )
        .cascading(&["organization_id", "team_id"], "teams", &["organization_id", "id"])
        .unique_index(&["site_id", "user_id"])
        .unique_index(&["site_id", "team_id"])
        // The lists of people and of teams.
        .partial_index(
            "site_permissions_of_people_by_site_id_id",
            &["site_id", "id"],
            "user_id IS NOT NULL",
        )
        .partial_index(
            "site_permissions_of_teams_by_site_id_id",
            &["site_id", "id"],
            "team_id IS NOT NULL",
        )
        .index(&["organization_id", "user_id", "site_id"])
        .index(&["organization_id", "team_id", "site_id"])
}

fn share_links() -> NewTable {
    table("site_share_links")
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(string_len("name", 50))
        .col(text("name_folded"))
        .col(boolean("active"))
        .col(time("created_at"))
        .cascading(&["site_id"], SITES, &["id"])
        // Lists, the newest first.
        .index(&["site_id", "id"])
}

/// Without a row, the first key and the custom backend are in force.
fn publishing_auth() -> NewTable {
    let mut provider = cascading(AUTH, &["saml_provider_id"], "saml_providers", &["id"]);
    table(AUTH)
        .col(pk_uuid("site_id"))
        .one_of(string_len("backend", 16), BACKENDS)
        .col(integer("key_number"))
        .col(string_len_null("fallback_url", 2048))
        .col(string_len_null("logout_url", 2048))
        .col(uuid_null("saml_provider_id"))
        .cascading(&["site_id"], SITES, &["id"])
        .foreign_key(provider.on_delete(ForeignKeyAction::SetNull))
        .index(&["saml_provider_id"])
}

/// The claims of visitors, as a JSON Schema.
fn adaptive_schemas() -> NewTable {
    table("site_adaptive_schemas")
        .col(pk_uuid("site_id"))
        .col(json("schema"))
        .col(time("updated_at"))
        .cascading(&["site_id"], SITES, &["id"])
}

/// Without a row, the default settings are in force.
fn customizations() -> NewTable {
    table("site_customizations")
        .col(pk_uuid("site_id"))
        .col(json("settings"))
        .cascading(&["site_id"], SITES, &["id"])
}

/// Without a row, the settings of the site are in force.
fn site_space_customizations() -> NewTable {
    table("site_space_customizations")
        .col(pk_uuid("site_space_id"))
        .col(json("overrides"))
        .cascading(&["site_space_id"], SITE_SPACES, &["id"])
}

fn custom_hostnames() -> NewTable {
    table("custom_hostnames")
        .col(string_len("hostname", 512))
        .col(uuid("organization_id"))
        // Without a site, the hostname is that of the organization.
        .col(uuid_null("site_id"))
        .one_of(string_len("status", 24), HOSTNAME_STATUSES)
        .col(string_len_null("active_hostname", 512))
        .col(time_null("failing_since"))
        .col(time_null("next_check_at"))
        .primary_key(&["hostname", "organization_id"])
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .cascading(&["site_id", "organization_id"], SITES, &["id", "organization_id"])
        .unique_index(&["active_hostname"])
        // The hostnames of a target.
        .index(&["organization_id", "site_id"])
        // The hostnames whose DNS records are due.
        .index(&["next_check_at"])
}

fn default_content() -> NewTable {
    table("organization_default_content")
        .col(pk_uuid("organization_id"))
        .col(uuid("site_id"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .cascading(&["site_id", "organization_id"], SITES, &["id", "organization_id"])
        .index(&["site_id"])
}

/// The destination refers to no other table: a redirect whose destination is deleted stays, so that it can be given another.
fn redirects() -> NewTable {
    table("site_redirects")
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(boolean("draft"))
        .col(string_len("source", 512))
        .col(string_len("source_folded", 512))
        .col(json("destination"))
        .col(boolean("capture_wildcard"))
        .col(boolean("permanent"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["site_id"], SITES, &["id"])
        // The redirects that match a path, and lists by source.
        .unique_index(&["site_id", "draft", "source"])
        // Lists, the newest first.
        .index(&["site_id", "draft", "id"])
        // Lists, the last changed first.
        .index(&["site_id", "draft", "updated_at", "id"])
}

fn mcp_servers() -> NewTable {
    table("site_mcp_servers")
        .col(pk_uuid("id"))
        .col(uuid("site_id"))
        .col(string_len("name", 100))
        .col(string_len("url", 2048))
        .one_of(string_len("transport", 16), TRANSPORTS)
        .col(blob("headers"))
        .col(string_len_null("condition", 1024))
        .cascading(&["site_id"], SITES, &["id"])
        // Lists, the newest first.
        .index(&["site_id", "id"])
}

fn custom_fonts() -> NewTable {
    table(FONTS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(string_len("font_family", 50))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
}

fn custom_font_faces() -> NewTable {
    table("custom_font_faces")
        .col(uuid("font_id"))
        .col(integer("weight"))
        .col(binary_len("hash", 32))
        .one_of(string_len("format", 8), FONT_FORMATS)
        .primary_key(&["font_id", "weight"])
        .cascading(&["font_id"], FONTS, &["id"])
        .restricting("hash", "blobs", "hash")
        // For finding the fonts of a blob.
        .index(&["hash"])
}

/// Files that a font may be made from, or that may be imported. Fonts refer to blobs, so that uploads can be dropped.
fn uploads() -> NewTable {
    table("uploads")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(binary_len("hash", 32))
        .one_of(string_len("format", 8), UPLOAD_FORMATS)
        .col(string_len("name", 512))
        .col(time("created_at"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .restricting("hash", "blobs", "hash")
        // Uploads that are dropped.
        .index(&["organization_id", "created_at"])
        // For finding the uploads of a blob.
        .index(&["hash"])
}
