use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, counter, index, one_of, time};

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

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(organizations()).await?;
        manager.create_table(email_domains()).await?;
        manager.create_index(index(EMAIL_DOMAINS, &["domain"])).await?;
        manager.create_table(agent_instructions()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [AGENT_INSTRUCTIONS, EMAIL_DOMAINS, ORGANIZATIONS] {
            manager.drop_table(Table::drop().table(table).take()).await?;
        }
        Ok(())
    }
}

fn organizations() -> TableCreateStatement {
    Table::create()
        .table(ORGANIZATIONS)
        .col(pk_uuid("id"))
        .col(string_len("title", 255))
        .col(string_len_null("hostname", 32).unique_key())
        .col(one_of(string_len("type", 16), ORGANIZATIONS, TYPES))
        .col(one_of(string_len_null("use_case", 32), ORGANIZATIONS, USE_CASES))
        .col(one_of(
            string_len_null("community_type", 16),
            ORGANIZATIONS,
            COMMUNITY_TYPES,
        ))
        .col(one_of(string_len_null("default_role", 16), ORGANIZATIONS, ROLES))
        .col(boolean("sso"))
        .col(boolean("ai"))
        .col(boolean("invite_links"))
        .col(one_of(string_len("plan", 16), ORGANIZATIONS, PLANS))
        .col(json("merge_rules"))
        .col(string_len_null("logo", 2048))
        .col(counter("members_count", ORGANIZATIONS))
        .col(time("created_at"))
        .take()
}

fn email_domains() -> TableCreateStatement {
    Table::create()
        .table(EMAIL_DOMAINS)
        .col(uuid("organization_id"))
        .col(string_len("domain", 253))
        .col(integer("position"))
        .primary_key(Index::create().col("organization_id").col("domain"))
        .foreign_key(&mut cascading(
            EMAIL_DOMAINS,
            &["organization_id"],
            ORGANIZATIONS,
            &["id"],
        ))
        .take()
}

fn agent_instructions() -> TableCreateStatement {
    Table::create()
        .table(AGENT_INSTRUCTIONS)
        .col(pk_uuid("organization_id"))
        .col(json("instructions"))
        .col(time("updated_at"))
        .col(uuid("updated_by"))
        .foreign_key(&mut cascading(
            AGENT_INSTRUCTIONS,
            &["organization_id"],
            ORGANIZATIONS,
            &["id"],
        ))
        .foreign_key(
            ForeignKey::create()
                .name("fk_agent_instructions_users")
                .from(AGENT_INSTRUCTIONS, "updated_by")
                .to("users", "id"),
        )
        .take()
}
