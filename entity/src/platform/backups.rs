//! The backup that runs, and the last one that was completed.

use sea_orm::entity::prelude::*;

use crate::{ids::BackupId, timestamp::Timestamp};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "backups")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: BackupId,
    pub started_at: Timestamp,
    /// Until then, the process that makes the backup counts as alive. Blobs are not dropped while one is.
    pub lease_ends_at: Timestamp,
    /// Null while the backup runs.
    pub finished_at: Option<Timestamp>,
}

impl ActiveModelBehavior for ActiveModel {}
