//! Clusters of issues in the database, and their lists.

use std::collections::{BTreeMap, HashMap};

use entity::{
    conversations::clusters::{Column, Entity, Model, history, sources, weeks},
    ids::{IssuesClusterId, OrganizationId},
    timestamp::Timestamp,
};
use openapi::{
    error::ApiError,
    models::{ConversationsIssuesCluster, ConversationsIssuesClusterList, IssuesClusterOrder, SortOrder},
    operations::conversations::ListConversationsIssuesClustersQuery,
};
use platform::db::{Keyset, count};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::IntoValueTuple,
};
use serde::{Serialize, de::DeserializeOwned};

use super::{counters::week_of, view};
use crate::kernel::{Kernel, lists::List, wire::ToStored};

/// The weeks of `weeklyPulse`.
const WEEKS: i32 = 13;

pub fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

/// Holds where a column names a cluster, or the one that it was merged into.
pub fn is_present(column: impl ColumnTrait, organization: OrganizationId, cluster: IssuesClusterId) -> Condition {
    let merged_into = history::Entity::find_by_id(cluster)
        .select_only()
        .column(history::Column::ClusterId)
        .filter(history::Column::OrganizationId.eq(organization));
    Condition::any()
        .add(column.eq(cluster))
        .add(column.in_subquery(merged_into.into_query()))
}

/// Finds a cluster, or the one that it was merged into.
pub async fn find(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    id: IssuesClusterId,
) -> Result<Option<Model>, DbErr> {
    of(organization)
        .filter(is_present(Column::Id, organization, id))
        .one(db)
        .await
}

/// The same without the rest of the row.
pub async fn present(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    id: IssuesClusterId,
) -> Result<Option<IssuesClusterId>, DbErr> {
    of(organization)
        .filter(is_present(Column::Id, organization, id))
        .select_only()
        .column(Column::Id)
        .into_tuple()
        .one(db)
        .await
}

pub async fn list(
    kernel: &Kernel,
    organization: OrganizationId,
    query: ListConversationsIssuesClustersQuery,
) -> Result<ConversationsIssuesClusterList, ApiError> {
    let found = match query.status {
        Some(status) => of(organization).filter(Column::Status.eq(status.to_stored())),
        None => of(organization),
    };
    let scope = (
        "issues-clusters",
        organization,
        query.order_by,
        query.order,
        query.status,
    );
    let list = List::new(kernel, scope, query.page, query.limit);
    let order = |columns: Vec<Column>| match query.order {
        SortOrder::Asc => Keyset::ascending(columns),
        SortOrder::Desc => Keyset::descending(columns),
    };
    match query.order_by {
        IssuesClusterOrder::UpdatedAt => {
            let order = order(vec![Column::UpdatedAt, Column::Id]);
            answer(kernel, list, found, order, |row| (row.updated_at, row.id)).await
        }
        IssuesClusterOrder::Issues => {
            let order = order(vec![Column::Issues, Column::Id]);
            answer(kernel, list, found, order, |row| (row.issues, row.id)).await
        }
        IssuesClusterOrder::Conversations => {
            let order = order(vec![Column::Conversations, Column::Id]);
            answer(kernel, list, found, order, |row| (row.conversations, row.id)).await
        }
        // All clusters have as many tasks.
        IssuesClusterOrder::TasksTotal | IssuesClusterOrder::TasksBacklog | IssuesClusterOrder::TasksStarted => {
            answer(kernel, list, found, order(vec![Column::Id]), |row| row.id).await
        }
    }
}

async fn answer<S, K>(
    kernel: &Kernel,
    list: List<'_, S>,
    found: Select<Entity>,
    order: Keyset,
    key: fn(&Model) -> K,
) -> Result<ConversationsIssuesClusterList, ApiError>
where
    S: Serialize,
    K: Serialize + DeserializeOwned + IntoValueTuple,
{
    let db = kernel.db.read();
    let load = |found, after, limit| order.page(found, after, limit, |query: Select<Entity>| query.all(db), key);
    let views = async |rows: Vec<Model>| views(kernel, rows).await;
    Ok(list.load(found, load, views).await?.into())
}

/// Wire types of clusters. Two queries.
pub async fn views(kernel: &Kernel, rows: Vec<Model>) -> Result<Vec<ConversationsIssuesCluster>, ApiError> {
    let ids: Vec<IssuesClusterId> = rows.iter().map(|row| row.id).collect();
    let mut pulses = pulses(kernel.db.read(), &ids, kernel.clock.now()).await?;
    let mut sources = sources(kernel.db.read(), &ids).await?;
    let view = |row: Model| {
        let pulse = pulses.remove(&row.id);
        let pulse = pulse.unwrap_or_else(|| (0..WEEKS).map(|_| 0).collect());
        let sources = sources.remove(&row.id).unwrap_or_default();
        view::cluster(&kernel.urls, row, pulse, sources)
    };
    Ok(rows.into_iter().map(view).collect())
}

/// The issues of the last weeks, the earliest first, for each cluster that has some.
async fn pulses(
    db: &impl ConnectionTrait,
    clusters: &[IssuesClusterId],
    now: Timestamp,
) -> Result<HashMap<IssuesClusterId, Vec<u64>>, DbErr> {
    let last = week_of(now);
    let first = last.saturating_sub(WEEKS - 1);
    let rows = weeks::Entity::find()
        .filter(weeks::Column::ClusterId.is_in(clusters.iter().copied()))
        .filter(weeks::Column::Week.between(first, last))
        .all(db)
        .await?;
    let mut by_week: HashMap<(IssuesClusterId, i32), u64> = HashMap::new();
    for row in rows {
        by_week.insert((row.cluster_id, row.week), count(row.issues));
    }
    let pulse = |cluster: &IssuesClusterId| {
        let issues = |week| by_week.get(&(*cluster, week)).copied().unwrap_or_default();
        (*cluster, (first..=last).map(issues).collect())
    };
    Ok(clusters.iter().map(pulse).collect())
}

async fn sources(
    db: &impl ConnectionTrait,
    clusters: &[IssuesClusterId],
) -> Result<HashMap<IssuesClusterId, BTreeMap<String, u64>>, DbErr> {
    let rows = sources::Entity::find()
        .filter(sources::Column::ClusterId.is_in(clusters.iter().copied()))
        .all(db)
        .await?;
    let mut by_cluster: HashMap<IssuesClusterId, BTreeMap<String, u64>> = HashMap::new();
    for row in rows {
        let of_cluster = by_cluster.entry(row.cluster_id).or_default();
        of_cluster.insert(row.source, count(row.issues));
    }
    Ok(by_cluster)
}
