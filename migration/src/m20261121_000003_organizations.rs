use sea_orm_migration::{prelude::*, schema::*};

use crate::{
    columns::time,
    tables::{NewTable, table, tables},
};

const ORGANIZATIONS: &str = "organizations";
const EMAIL_DOMAINS: &str = "organization_email_domains";
const AGENT_INSTRUCTIONS: &str = "agent_instructions";

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

tables![organizations, email_domains, agent_instructions];

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
        .counter("members_count")
        .col(time("created_at"))
}

fn email_domains() -> NewTable {
    table(EMAIL_DOMAINS)
        .col(uuid("organization_id"))
        .col(string_len("domain", 253))
        .col(integer("position"))
        .primary_key(&["organization_id", "domain"])
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .index(&["domain"])
}

fn agent_instructions() -> NewTable {
    table(AGENT_INSTRUCTIONS)
        .col(pk_uuid("organization_id"))
        .col(json("instructions"))
        .col(time("updated_at"))
        .col(uuid("updated_by"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .foreign_key(
            ForeignKey::create()
                .name("fk_agent_instructions_users")
                .from(AGENT_INSTRUCTIONS, "updated_by")
                .to("users", "id"),
        )
}
