//! The bytes of files: which there are, which spaces hold them, and which are to be removed from the store.

use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, index, named, time};

const BLOBS: &str = "blobs";
const SPACE_BLOBS: &str = "space_blobs";
const DROPPED: &str = "dropped_blobs";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(blobs()).await?;
        // What may be dropped, by its age.
        manager.create_index(index(BLOBS, &["claimed_at"])).await?;
        manager.create_table(space_blobs()).await?;
        // Whether any space holds a blob.
        manager.create_index(index(SPACE_BLOBS, &["hash"])).await?;
        manager.create_table(dropped()).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [DROPPED, SPACE_BLOBS, BLOBS] {
            manager.drop_table(Table::drop().table(table).take()).await?;
        }
        Ok(())
    }
}

fn blobs() -> TableCreateStatement {
    let counted = named(BLOBS, "size", "not_negative", Expr::col("size").gte(0));
    Table::create()
        .table(BLOBS)
        .col(binary_len("hash", 32).primary_key())
        .col(uuid("id"))
        .col(big_integer("size").check(counted))
        .col(time("claimed_at"))
        .take()
}

fn space_blobs() -> TableCreateStatement {
    let mut blob = ForeignKey::create();
    blob.name("fk_space_blobs_blobs")
        .from(SPACE_BLOBS, "hash")
        .to(BLOBS, "hash");
    Table::create()
        .table(SPACE_BLOBS)
        .col(uuid("space_id"))
        .col(binary_len("hash", 32))
        .primary_key(Index::create().col("space_id").col("hash"))
        .foreign_key(&mut cascading(SPACE_BLOBS, &["space_id"], "spaces", &["id"]))
        .foreign_key(&mut blob)
        .take()
}

fn dropped() -> TableCreateStatement {
    Table::create()
        .table(DROPPED)
        .col(pk_uuid("id"))
        .col(binary_len("hash", 32))
        .take()
}
