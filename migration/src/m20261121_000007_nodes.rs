//! Spaces and collections, and who may do what to them.

use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, index, named, one_of, time, time_null};

const NODES: &str = "nodes";
const ANCESTORS: &str = "node_ancestors";
const COLLECTIONS: &str = "collections";
const SPACES: &str = "spaces";
const PERMISSIONS: &str = "permissions";

const ROLES: &[&str] = &["read", "comment", "edit", "review", "create", "admin"];
const DEFAULT_LEVELS: &[&str] = &["inherit", "read", "comment", "edit", "review", "create", "admin"];
const VISIBILITIES: &[&str] = &[
    "public",
    "unlisted",
    "share-link",
    "visitor-auth",
    "in-collection",
    "private",
];
const LANGUAGES: &[&str] = &[
    "en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "yue", "ko", "ar", "hi", "nl", "pl", "tr", "sv",
    "no", "da", "fi", "el", "cs", "hu", "ro", "th", "vi", "id", "ms", "he", "uk", "sk", "bg", "hr", "lt", "lv", "et",
    "sl",
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(nodes()).await?;
        for columns in [
            // Lists of an organization, the newest first.
            &["organization_id", "kind", "id"][..],
            // What a collection holds, in its order.
            &["organization_id", "parent_id", "position", "id"],
            // What is to be removed for good.
            &["deleted_at"],
        ] {
            manager.create_index(index(NODES, columns)).await?;
        }
        manager.create_table(ancestors()).await?;
        manager
            .create_index(index(ANCESTORS, &["ancestor_id", "node_id"]))
            .await?;
        manager.create_table(collections()).await?;
        manager.create_table(spaces()).await?;
        manager.create_table(permissions()).await?;
        for columns in [&["node_id", "user_id"][..], &["node_id", "team_id"]] {
            manager
                .create_index(index(PERMISSIONS, columns).unique().take())
                .await?;
        }
        for columns in [
            &["node_id", "id"][..],
            &["organization_id", "user_id", "node_id"],
            &["organization_id", "team_id", "node_id"],
        ] {
            manager.create_index(index(PERMISSIONS, columns)).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [PERMISSIONS, SPACES, COLLECTIONS, ANCESTORS, NODES] {
            manager.drop_table(Table::drop().table(table).take()).await?;
        }
        Ok(())
    }
}

fn nodes() -> TableCreateStatement {
    let mut parent = cascading(
        NODES,
        &["organization_id", "parent_id"],
        NODES,
        &["organization_id", "id"],
    );
    Table::create()
        .table(NODES)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(one_of(string_len("kind", 16), NODES, &["space", "collection"]))
        .col(uuid_null("parent_id"))
        .col(big_integer("position"))
        .col(string_len("title", 50))
        .col(one_of(string_len_null("default_level", 16), NODES, DEFAULT_LEVELS))
        .col(one_of(string_len_null("effective_default", 16), NODES, DEFAULT_LEVELS))
        .col(time("created_at"))
        .col(time("updated_at"))
        .col(time_null("deleted_at"))
        .foreign_key(&mut cascading(NODES, &["organization_id"], "organizations", &["id"]))
        // What a collection holds moves to another organization with it.
        .foreign_key(parent.name("fk_nodes_parent").on_update(ForeignKeyAction::Cascade))
        .index(
            Index::create()
                .unique()
                .name("nodes_by_id_organization_id")
                .col("id")
                .col("organization_id"),
        )
        .take()
}

fn ancestors() -> TableCreateStatement {
    let mut above = cascading(ANCESTORS, &["ancestor_id"], NODES, &["id"]);
    Table::create()
        .table(ANCESTORS)
        .col(uuid("node_id"))
        .col(uuid("ancestor_id"))
        .col(integer("depth"))
        .primary_key(Index::create().col("node_id").col("ancestor_id"))
        .foreign_key(&mut cascading(ANCESTORS, &["node_id"], NODES, &["id"]))
        .foreign_key(above.name("fk_node_ancestors_ancestor"))
        .take()
}

fn collections() -> TableCreateStatement {
    Table::create()
        .table(COLLECTIONS)
        .col(pk_uuid("id"))
        .col(string_len_null("description", 100))
        .foreign_key(&mut cascading(COLLECTIONS, &["id"], NODES, &["id"]))
        .take()
}

fn spaces() -> TableCreateStatement {
    Table::create()
        .table(SPACES)
        .col(pk_uuid("id"))
        .col(string_len_null("emoji", 50))
        .col(string_len_null("icon", 2048))
        .col(one_of(string_len("visibility", 16), SPACES, VISIBILITIES))
        .col(one_of(string_len("edit_mode", 8), SPACES, &["live", "locked"]))
        .col(one_of(string_len_null("language", 8), SPACES, LANGUAGES))
        .col(json("merge_rules"))
        .col(uuid("revision_id"))
        .foreign_key(&mut cascading(SPACES, &["id"], NODES, &["id"]))
        .take()
}

fn permissions() -> TableCreateStatement {
    let one_subject = Expr::col("user_id").is_null().ne(Expr::col("team_id").is_null());
    Table::create()
        .table(PERMISSIONS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(uuid("node_id"))
        .col(uuid_null("user_id").check(named(PERMISSIONS, "subject", "single", one_subject)))
        .col(uuid_null("team_id"))
        .col(one_of(string_len("role", 16), PERMISSIONS, ROLES))
        .col(time("created_at"))
        .foreign_key(&mut cascading(
            PERMISSIONS,
            &["organization_id", "node_id"],
            NODES,
            &["organization_id", "id"],
        ))
        .foreign_key(&mut cascading(
            PERMISSIONS,
            &["organization_id", "user_id"],
            "members",
            &["organization_id", "user_id"],
        ))
        .foreign_key(&mut cascading(
            PERMISSIONS,
            &["organization_id", "team_id"],
            "teams",
            &["organization_id", "id"],
        ))
        .take()
}
