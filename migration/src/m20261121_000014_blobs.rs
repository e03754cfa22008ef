//! The bytes of files: which there are, which spaces hold them, and which are to be removed from the store.

use sea_orm_migration::{prelude::*, schema::*};

use crate::{
    columns::{named, time},
    tables::{NewTable, table, tables},
};

const BLOBS: &str = "blobs";
const SPACE_BLOBS: &str = "space_blobs";
const DROPPED: &str = "dropped_blobs";

tables![blobs, space_blobs, dropped];

fn blobs() -> NewTable {
    let counted = named(BLOBS, "size", "not_negative", Expr::col("size").gte(0));
    table(BLOBS)
        .col(binary_len("hash", 32).primary_key())
        .col(uuid("id"))
        .col(big_integer("size").check(counted))
        .col(time("claimed_at"))
        // For dropping by age.
        .index(&["claimed_at"])
}

fn space_blobs() -> NewTable {
    let mut blob = ForeignKey::create();
    blob.name("fk_space_blobs_blobs")
        .from(SPACE_BLOBS, "hash")
        .to(BLOBS, "hash");
    table(SPACE_BLOBS)
        .col(uuid("space_id"))
        .col(binary_len("hash", 32))
        .primary_key(&["space_id", "hash"])
        .cascading(&["space_id"], "spaces", &["id"])
        .foreign_key(&mut blob)
        // For finding the spaces of a blob.
        .index(&["hash"])
}

fn dropped() -> NewTable {
    table(DROPPED).col(pk_uuid("id")).col(binary_len("hash", 32))
}
