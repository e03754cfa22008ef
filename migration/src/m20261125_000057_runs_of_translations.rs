//! Translations that run by themselves, runs that follow a running one, and what a run left untranslated.

use sea_orm_migration::{
    prelude::*,
    schema::{boolean, json_null},
};

use crate::columns::{drop_index, index, time_null};

const TRANSLATIONS: &str = "translations";
const RUN_AGAIN: &str = "run_again";
const AUTO_RUN: &str = "auto_run";
const NEXT_RUN: &str = "next_run_at";
const INCOMPLETE: &str = "incomplete";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column at a time.
        for column in [
            boolean(RUN_AGAIN).default(false).take(),
            boolean(AUTO_RUN).default(false).take(),
            time_null(NEXT_RUN),
            json_null(INCOMPLETE),
        ] {
            let with = Table::alter().table(TRANSLATIONS).add_column(column).take();
            manager.alter_table(with).await?;
        }
        manager.create_index(index(TRANSLATIONS, &[NEXT_RUN])).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(TRANSLATIONS, &[NEXT_RUN])).await?;
        for column in [INCOMPLETE, NEXT_RUN, AUTO_RUN, RUN_AGAIN] {
            let without = Table::alter().table(TRANSLATIONS).drop_column(column).take();
            manager.alter_table(without).await?;
        }
        Ok(())
    }
}
