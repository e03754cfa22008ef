//! Backups in the database: which one runs, and when the last one was completed.

use std::time::Duration;

use chrono::TimeDelta;
use entity::{
    ids::BackupId,
    platform::backups::{ActiveModel, Column, Entity, Model},
    timestamp::Timestamp,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};
use tokio::{task::JoinSet, time::sleep};

use crate::db::{Clock, Db, IdSource, Tx};

/// The time for which a killed backup counts as running.
const LEASE: TimeDelta = TimeDelta::minutes(10);

/// Interval of renewing the lease of a running backup.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(60);

/// The backups of this database: a cheap handle.
#[derive(Clone)]
pub struct Backups {
    db: Db,
    clock: Clock,
    ids: IdSource,
}

/// A backup in progress. Blobs are not dropped until it is finished, or its lease has ended after it was dropped.
pub struct RunningBackup {
    backups: Backups,
    id: BackupId,
    pub started_at: Timestamp,
    /// Ends with this value.
    _renewal: JoinSet<()>,
}

impl Backups {
    pub fn new(db: Db, clock: Clock, ids: IdSource) -> Self {
        Self { db, clock, ids }
    }

    /// Records that a backup begins. `None`: another one runs.
    pub async fn start(&self) -> Result<Option<RunningBackup>, DbErr> {
        let now = self.clock.now();
        let row = Model {
            id: self.ids.next(),
            started_at: now,
            lease_ends_at: now.plus(LEASE),
            finished_at: None,
        };
        let id = row.id;
        let begin = move |tx: Tx| async move {
            if Entity::find().filter(is_running(now)).count(&tx).await? > 0 {
                return Ok(false);
            }
            let dead = Entity::delete_many().filter(Column::FinishedAt.is_null());
            dead.exec(&tx).await?;
            let insert = Entity::insert(ActiveModel::from(row));
            insert.exec_without_returning(&tx).await?;
            Ok::<_, DbErr>(true)
        };
        if !self.db.write(begin).await? {
            return Ok(None);
        }
        let mut renewal = JoinSet::new();
        renewal.spawn(self.clone().renew(id));
        Ok(Some(RunningBackup {
            backups: self.clone(),
            id,
            started_at: now,
            _renewal: renewal,
        }))
    }

    async fn renew(self, id: BackupId) {
        loop {
            sleep(RENEWAL_INTERVAL).await;
            let end = self.clock.now().plus(LEASE);
            let renew = Entity::update_many()
                .col_expr(Column::LeaseEndsAt, Expr::value(end))
                .filter(Column::Id.eq(id));
            let renewed = self.db.write(move |tx| async move { renew.exec(&tx).await }).await;
            if let Err(error) = renewed {
                tracing::warn!(%error, "the lease of the backup cannot be renewed");
            }
        }
    }

    /// Returns when the last completed backup began: the state that a restore would bring back.
    pub async fn last(&self) -> Result<Option<Timestamp>, DbErr> {
        Entity::find()
            .select_only()
            .column(Column::StartedAt)
            .filter(Column::FinishedAt.is_not_null())
            .order_by_desc(Column::StartedAt)
            .into_tuple()
            .one(self.db.read())
            .await
    }
}

impl RunningBackup {
    /// Records that the backup is complete, in place of the one before.
    pub async fn finish(self) -> Result<(), DbErr> {
        let (id, now) = (self.id, self.backups.clock.now());
        let finish = move |tx: Tx| async move {
            let others = Entity::delete_many().filter(Column::Id.ne(id));
            others.exec(&tx).await?;
            let finished = Entity::update_many()
                .col_expr(Column::FinishedAt, Expr::value(now))
                .filter(Column::Id.eq(id));
            finished.exec(&tx).await.map(drop)
        };
        self.backups.db.write(finish).await
    }

    /// Records that the backup failed, so that the next one need not wait.
    pub async fn abandon(self) -> Result<(), DbErr> {
        let delete = Entity::delete_many().filter(Column::Id.eq(self.id));
        let delete = move |tx| async move { delete.exec(&tx).await.map(drop) };
        self.backups.db.write(delete).await
    }
}

fn is_running(now: Timestamp) -> Expr {
    Column::FinishedAt.is_null().and(Column::LeaseEndsAt.gt(now))
}

/// The condition that no backup runs.
pub(crate) fn none_runs(now: Timestamp) -> Expr {
    let running = Query::select()
        .expr(Expr::value(1))
        .from(Entity)
        .and_where(is_running(now))
        .take();
    Expr::exists(running).not()
}

/// Makes a backup that begins now wait for the end of the transaction, whose first statement this has to be. Otherwise the snapshot of
/// that backup could be older than the transaction, which does not see the backup: PostgreSQL orders only transactions that are
/// serializable. SQLite has one writer.
pub(crate) async fn lock(tx: &Tx) -> Result<(), DbErr> {
    if tx.get_database_backend() == sea_orm::DbBackend::Postgres {
        tx.execute_unprepared("LOCK TABLE backups IN SHARE MODE").await?;
    }
    Ok(())
}
