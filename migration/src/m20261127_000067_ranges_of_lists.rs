//! What lists and jobs ask for is a range of an index, however many other rows there are.

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

/// PostgreSQL sorts the rows in which a column is null if it is a column of the index.
const WHERE_NULL: [(&str, &str, &[&str], &str); 4] = [
    (
        "revisions_of_spaces_by_space_id_id",
        REVISIONS,
        &["space_id", "id"],
        "change_request_id",
    ),
    (
        "guests_by_organization_id_joined_at_user_id",
        MEMBERS,
        &["organization_id", "joined_at", "user_id"],
        "role",
    ),
    (
        "guests_by_organization_id_sort_name_user_id",
        MEMBERS,
        &["organization_id", "sort_name", "user_id"],
        "role",
    ),
    (
        "invitations_to_organizations_by_organization_id_id",
        INVITATIONS,
        &["organization_id", "id"],
        "node_id",
    ),
];

const PROVEN: &str = "proven_domains_by_domain_organization_id";

/// What a collection holds of one kind. Those at the top have an index of their own.
const HELD: &str = "nodes_held_by_organization_id_parent_id_kind_position_id";

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
        for (name, table, columns, null) in WHERE_NULL {
            let rows = Expr::col(null).is_null();
            manager.create_index(partial_index(name, table, columns, rows)).await?;
        }
        let is_proven = Expr::col("verified_at").is_not_null();
        let proven = partial_index(PROVEN, DOMAINS, &["domain", "organization_id"], is_proven);
        manager.create_index(proven).await?;
        let columns = ["organization_id", "parent_id", "kind", "position", "id"];
        let is_held = Expr::col("parent_id").is_not_null();
        let held = partial_index(HELD, NODES, &columns, is_held.and(Expr::col("deleted_at").is_null()));
        manager.create_index(held).await?;
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
        let partial = WHERE_NULL.into_iter().map(|(name, table, ..)| (name, table));
        for (name, table) in partial.chain([(DELETED, NODES), (HELD, NODES), (PROVEN, DOMAINS)]) {
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
