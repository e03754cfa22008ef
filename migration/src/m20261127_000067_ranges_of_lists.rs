//! Indexes of which lists and jobs read one range, however many other rows there are.

use sea_orm_migration::prelude::*;

use crate::columns::{drop_index, index, partial_index};

const DOMAINS: &str = "organization_email_domains";
const INVITATIONS: &str = "invitations";
const MEMBERS: &str = "members";
const NODES: &str = "nodes";
const REVISIONS: &str = "revisions";

const ADDED: [(&str, &[&str]); 7] = [
    (DOMAINS, &["domain", "owned", "organization_id"]),
    (MEMBERS, &["organization_id", "role", "last_seen_at", "user_id"]),
    ("reviews", &["change_request_id", "revision_id", "id"]),
    ("saml_requests", &["user_id"]),
    ("saml_requests", &["provider_id"]),
    ("sessions", &["provider_id"]),
    ("site_section_groups", &["parent_id"]),
];

const REPLACED: [(&str, &[&str]); 2] = [(DOMAINS, &["domain"]), (NODES, &["deleted_at"])];

/// Names, tables, columns and conditions. PostgreSQL sorts the rows in which a column is null if it is a column of the index.
const PARTIAL: [(&str, &str, &[&str], &str); 6] = [
    (
        "revisions_of_spaces_by_space_id_id",
        REVISIONS,
        &["space_id", "id"],
        "change_request_id IS NULL",
    ),
    (
        "guests_by_organization_id_joined_at_user_id",
        MEMBERS,
        &["organization_id", "joined_at", "user_id"],
        "role IS NULL",
    ),
    (
        "guests_by_organization_id_sort_name_user_id",
        MEMBERS,
        &["organization_id", "sort_name", "user_id"],
        "role IS NULL",
    ),
    (
        "invitations_to_organizations_by_organization_id_id",
        INVITATIONS,
        &["organization_id", "id"],
        "node_id IS NULL",
    ),
    (
        "proven_domains_by_domain_organization_id",
        DOMAINS,
        &["domain", "organization_id"],
        "verified_at IS NOT NULL",
    ),
    // The nodes at the top have an index of their own.
    (
        "nodes_held_by_organization_id_parent_id_kind_position_id",
        NODES,
        &["organization_id", "parent_id", "kind", "position", "id"],
        "parent_id IS NOT NULL AND deleted_at IS NULL",
    ),
];

/// Of nodes that were deleted together, the last ones come first: most of them have nothing below them.
const DELETED: &str = "nodes_by_deleted_at_id_desc";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, columns) in ADDED {
            manager.create_index(index(table, columns)).await?;
        }
        for (name, table, columns, condition) in PARTIAL {
            let partial = partial_index(name, table, columns, Expr::cust(condition));
            manager.create_index(partial).await?;
        }
        let deleted = Index::create()
            .name(DELETED)
            .table(NODES)
            .col("deleted_at")
            .col(("id", IndexOrder::Desc))
            .and_where(Expr::col("deleted_at").is_not_null())
            .take();
        manager.create_index(deleted).await?;
        for (table, columns) in REPLACED {
            manager.drop_index(drop_index(table, columns)).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, columns) in REPLACED {
            manager.create_index(index(table, columns)).await?;
        }
        let partial = PARTIAL.into_iter().map(|(name, table, ..)| (name, table));
        for (name, table) in partial.chain([(DELETED, NODES)]) {
            manager
                .drop_index(Index::drop().name(name).table(table).to_owned())
                .await?;
        }
        for (table, columns) in ADDED {
            manager.drop_index(drop_index(table, columns)).await?;
        }
        Ok(())
    }
}
