//! Numbers of issues that are kept beside clusters: by week, and by source.

use std::{collections::HashMap, hash::Hash};

use entity::{
    conversations::clusters::{sources, weeks},
    ids::IssuesClusterId,
    timestamp::Timestamp,
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    sea_query::{Expr, ExprTrait, OnConflict},
};

const DAY: i64 = 24 * 60 * 60 * 1000;

/// The day of a time, counted from the Unix epoch.
pub fn day_of(time: Timestamp) -> i32 {
    let day = time.as_millis().div_euclid(DAY);
    i32::try_from(day).unwrap_or(if day < 0 { i32::MIN } else { i32::MAX })
}

/// The week of a time, from Monday to Sunday. The Unix epoch is on a Thursday.
pub fn week_of(time: Timestamp) -> i32 {
    day_of(time).saturating_add(3).div_euclid(7)
}

/// Changes of the numbers.
#[derive(Default)]
pub struct Counters {
    weeks: HashMap<(IssuesClusterId, i32), i32>,
    sources: HashMap<(IssuesClusterId, String), i32>,
}

impl Counters {
    /// Adds issues of a conversation that took place at a time; a negative number removes them.
    pub fn add(&mut self, cluster: IssuesClusterId, (created_at, source): (Timestamp, &str), issues: i32) {
        *self.weeks.entry((cluster, week_of(created_at))).or_default() += issues;
        *self.sources.entry((cluster, source.to_owned())).or_default() += issues;
    }

    /// Stores the changes of the clusters that `exists` holds for.
    pub async fn store(self, db: &impl ConnectionTrait, exists: impl Fn(IssuesClusterId) -> bool) -> Result<(), DbErr> {
        let rows = changed(self.weeks, |(cluster, _)| exists(*cluster));
        let rows = rows.map(|((cluster_id, week), issues)| weeks::Model {
            cluster_id,
            week,
            issues,
        });
        let rows: Vec<_> = rows.map(|row| row.into_active_model().reset_all()).collect();
        if !rows.is_empty() {
            let add = OnConflict::columns([weeks::Column::ClusterId, weeks::Column::Week])
                .value(weeks::Column::Issues, sum(weeks::Entity, weeks::Column::Issues))
                .to_owned();
            let insert = weeks::Entity::insert_many(rows).on_conflict(add);
            insert.exec_without_returning(db).await?;
        }
        let rows = changed(self.sources, |(cluster, _)| exists(*cluster));
        let rows = rows.map(|((cluster_id, source), issues)| sources::Model {
            cluster_id,
            source,
            issues,
        });
        let rows: Vec<_> = rows.map(|row| row.into_active_model().reset_all()).collect();
        if !rows.is_empty() {
            let add = OnConflict::columns([sources::Column::ClusterId, sources::Column::Source])
                .value(sources::Column::Issues, sum(sources::Entity, sources::Column::Issues))
                .to_owned();
            let insert = sources::Entity::insert_many(rows).on_conflict(add);
            insert.exec_without_returning(db).await?;
        }
        Ok(())
    }
}

fn changed<K: Eq + Hash>(changes: HashMap<K, i32>, exists: impl Fn(&K) -> bool) -> impl Iterator<Item = (K, i32)> {
    changes
        .into_iter()
        .filter(move |(key, issues)| *issues != 0 && exists(key))
}

/// The stored number and the one that is inserted.
fn sum<E: EntityTrait>(entity: E, column: E::Column) -> Expr {
    Expr::col((entity, column)).add(Expr::col(("excluded", column)))
}

/// Removes the numbers of clusters that are 0.
pub async fn remove_empty(db: &impl ConnectionTrait, clusters: &[IssuesClusterId]) -> Result<(), DbErr> {
    let empty = weeks::Entity::delete_many()
        .filter(weeks::Column::ClusterId.is_in(clusters.iter().copied()))
        .filter(weeks::Column::Issues.lte(0));
    empty.exec(db).await?;
    let empty = sources::Entity::delete_many()
        .filter(sources::Column::ClusterId.is_in(clusters.iter().copied()))
        .filter(sources::Column::Issues.lte(0));
    empty.exec(db).await?;
    Ok(())
}
