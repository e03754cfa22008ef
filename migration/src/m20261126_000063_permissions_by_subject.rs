//! The permissions of teams on a node are a range of an index, however many people have permissions on it, and those of people.

use sea_orm_migration::prelude::*;

use crate::columns::{drop_index, index, partial_index};

const PERMISSIONS: &str = "permissions";
const COLUMNS: [&str; 2] = ["node_id", "id"];
const INDEXES: [(&str, &str); 2] = [
    ("permissions_of_people_by_node_id_id", "user_id"),
    ("permissions_of_teams_by_node_id_id", "team_id"),
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, subject) in INDEXES {
            let of_subjects = Expr::col(subject).is_not_null();
            let index = partial_index(name, PERMISSIONS, &COLUMNS, of_subjects);
            manager.create_index(index).await?;
        }
        manager.drop_index(drop_index(PERMISSIONS, &COLUMNS)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_index(index(PERMISSIONS, &COLUMNS)).await?;
        for (name, _) in INDEXES {
            let index = Index::drop().name(name).table(PERMISSIONS).to_owned();
            manager.drop_index(index).await?;
        }
        Ok(())
    }
}
