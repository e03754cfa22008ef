//! Merging and splitting of clusters.

use std::collections::{BTreeSet, HashMap};

use ::conversations::clusters::{Centroid, Change, Terms, merges, split};
use entity::{
    conversations::{
        clusters::{Column, Entity, IssuesClusterStatus as Status, Model, history, sources, weeks},
        conversations,
        issues::{self, Model as Issue},
    },
    ids::{ConversationId, ConversationIssueId, IssuesClusterId, OrganizationId},
    timestamp::Timestamp,
};
use platform::db::{Tx, rows};
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait},
};

use super::{clusters, counters::Counters, groupings, near::Near, save::save};
use crate::kernel::Kernel;

/// Clusters that are compared in one transaction.
const BATCH: u64 = 10;

/// The issues of a cluster that may be split.
const SPLIT_ISSUES: u64 = 400;

/// Takes some clusters that have changed. Returns `false` if there are none: the next change enqueues the next job.
pub async fn begin(kernel: &Kernel, organization: OrganizationId) -> Result<bool, DbErr> {
    let work = move |tx: Tx| async move {
        let grouping = groupings::lock(&tx, organization).await?;
        let of_status = |status: Status| clusters::of(organization).filter(Column::Status.eq(status));
        // What another process has left.
        if rows::is_any(&tx, of_status(Status::Analysing)).await? {
            return Ok::<_, DbErr>(true);
        }
        let some = of_status(Status::Pending)
            .select_only()
            .column(Column::Id)
            .order_by_asc(Column::Id)
            .limit(BATCH);
        let taken = Entity::update_many()
            .col_expr(Column::Status, Expr::value(Status::Analysing))
            .filter(Column::Id.in_subquery(some.into_query()));
        if taken.exec(&tx).await?.rows_affected > 0 {
            return Ok(true);
        }
        groupings::set(&tx, organization, grouping.issues, false).await?;
        Ok(false)
    };
    kernel.db.write(work).await
}

/// Compares the clusters that were taken.
pub async fn compare(kernel: &Kernel, organization: OrganizationId) -> Result<(), DbErr> {
    let shared = kernel.clone();
    let work = move |tx: Tx| async move {
        let grouping = groupings::lock(&tx, organization).await?;
        let taken = clusters::of(organization)
            .filter(Column::Status.eq(Status::Analysing))
            .order_by_asc(Column::Id)
            .limit(BATCH)
            .all(&tx)
            .await?;
        let ids: Vec<IssuesClusterId> = taken.iter().map(|row| row.id).collect();
        let terms = |row: &Model| Centroid::from_bytes(&row.centroid).map(|centroid| centroid.hashes().collect());
        let term_sets: Vec<Vec<u64>> = taken.iter().filter_map(terms).collect();
        let mut near = Near::load(&tx, &grouping, &term_sets, &ids).await?;
        for change in merges(&near.index, &ids, &near.frequencies) {
            if let Change::Merge { from, into } = change {
                merge(&tx, &shared, &mut near, (from, into)).await?;
            }
        }
        let mut settled = Vec::new();
        for id in ids {
            // The parts may have several subjects, too.
            if !split_if_mixed(&tx, &shared, &mut near, id).await? {
                settled.push(id);
            }
        }
        let settle = Entity::update_many()
            .col_expr(Column::Status, Expr::value(None::<Status>))
            .filter(Column::OrganizationId.eq(organization))
            .filter(Column::Id.is_in(settled));
        settle.exec(&tx).await.map(drop)
    };
    kernel.db.write(work).await
}

/// Moves everything of a cluster into another one. The former id leads to that one from now on.
async fn merge(
    tx: &Tx,
    kernel: &Kernel,
    near: &mut Near,
    (from, into): (IssuesClusterId, IssuesClusterId),
) -> Result<(), DbErr> {
    let (Some(former), Some(present)) = (near.rows.remove(&from), near.rows.get(&into).cloned()) else {
        return Ok(());
    };
    let mut centroid = near.index.get(&into).cloned().unwrap_or_default();
    if let Some(of_former) = near.index.get(&from) {
        centroid.merge(of_former, &near.frequencies);
    }
    issues::Entity::update_many()
        .col_expr(issues::Column::ClusterId, Expr::value(into))
        .filter(issues::Column::ClusterId.eq(from))
        .exec(tx)
        .await?;
    let mut counters = Counters::default();
    counters.move_all(tx, from, into).await?;
    counters.store(tx, |_| true).await?;
    keep_former_id(tx, &former, into, kernel.clock.now()).await?;
    kernel.hooks.clusters_merged(tx, from, into).await?;
    let row = Model {
        issues: present.issues.saturating_add(former.issues),
        conversations: count_conversations(tx, into).await?,
        updated_at: kernel.clock.now(),
        ..present
    };
    Entity::delete_by_id(from).exec(tx).await?;
    save(tx, row.clone(), &centroid, &near.frequencies).await?;
    near.index.remove(&from);
    near.index.remove(&into);
    near.index.insert(into, centroid, &near.frequencies);
    near.rows.insert(into, row);
    Ok(())
}

async fn keep_former_id(tx: &Tx, former: &Model, into: IssuesClusterId, now: Timestamp) -> Result<(), DbErr> {
    history::Entity::update_many()
        .col_expr(history::Column::ClusterId, Expr::value(into))
        .filter(history::Column::ClusterId.eq(former.id))
        .exec(tx)
        .await?;
    let row = history::Model {
        former_id: former.id,
        organization_id: former.organization_id,
        cluster_id: into,
        merged_at: now,
    };
    rows::insert(tx, &row).await
}

async fn count_conversations(tx: &Tx, cluster: IssuesClusterId) -> Result<i32, DbErr> {
    let count: Option<i64> = issues::Entity::find()
        .select_only()
        .column_as(
            Expr::col(issues::Column::ConversationId).count_distinct(),
            "conversations",
        )
        .filter(issues::Column::ClusterId.eq(cluster))
        .into_tuple()
        .one(tx)
        .await?;
    Ok(i32::try_from(count.unwrap_or_default()).unwrap_or(i32::MAX))
}

/// Splits a cluster whose issues have two subjects. The largest part keeps the id. Returns whether the cluster was split.
async fn split_if_mixed(tx: &Tx, kernel: &Kernel, near: &mut Near, id: IssuesClusterId) -> Result<bool, DbErr> {
    let Some(row) = near.rows.get(&id).cloned() else {
        return Ok(false);
    };
    if row.issues <= 1 || u64::try_from(row.issues).is_ok_and(|issues| issues > SPLIT_ISSUES) {
        return Ok(false);
    }
    let members = issues::Entity::find()
        .filter(issues::Column::ClusterId.eq(id))
        .order_by_asc(issues::Column::Id)
        .limit(SPLIT_ISSUES);
    let members: Vec<Issue> = members.all(tx).await?;
    let terms = members
        .iter()
        .map(|issue| Terms::from_bytes(&issue.terms).unwrap_or_default());
    let terms: Vec<Terms> = terms.collect();
    let Some(Change::Split { members: parts, .. }) = split(id, &terms, &near.frequencies) else {
        return Ok(false);
    };
    let conversations = conversations_of(tx, &members).await?;
    for (number, part) in parts.iter().enumerate() {
        let part = Part::of(part, (members.as_slice(), terms.as_slice()), near);
        match number {
            0 => part.keep(tx, &row, &conversations, near, kernel.clock.now()).await?,
            _ => part.move_to_new(tx, kernel, &row, &conversations, near).await?,
        }
    }
    Ok(true)
}

type Conversations = HashMap<ConversationId, conversations::Model>;

async fn conversations_of(tx: &Tx, issues: &[Issue]) -> Result<Conversations, DbErr> {
    let ids: BTreeSet<ConversationId> = issues.iter().map(|issue| issue.conversation_id).collect();
    let found = conversations::Entity::find().filter(conversations::Column::Id.is_in(ids));
    Ok(found.all(tx).await?.into_iter().map(|row| (row.id, row)).collect())
}

/// A part of the issues of a cluster.
struct Part<'i> {
    issues: Vec<&'i Issue>,
    centroid: Centroid,
}

impl<'i> Part<'i> {
    fn of(positions: &[usize], (issues, terms): (&'i [Issue], &[Terms]), near: &Near) -> Self {
        let mut centroid = Centroid::default();
        for terms in positions.iter().filter_map(|position| terms.get(*position)) {
            centroid.add(terms, &near.frequencies);
        }
        Self {
            issues: positions.iter().filter_map(|position| issues.get(*position)).collect(),
            centroid,
        }
    }

    /// The row of a cluster with these issues.
    fn row(&self, row: &Model, now: Timestamp) -> Model {
        let conversations: BTreeSet<ConversationId> = self.issues.iter().map(|issue| issue.conversation_id).collect();
        Model {
            issues: as_i32(self.issues.len()),
            conversations: as_i32(conversations.len()),
            status: Some(Status::Pending),
            updated_at: now,
            ..row.clone()
        }
    }

    /// Leaves the cluster to this part alone.
    async fn keep(
        &self,
        tx: &Tx,
        row: &Model,
        conversations: &Conversations,
        near: &Near,
        now: Timestamp,
    ) -> Result<(), DbErr> {
        weeks::Entity::delete_many()
            .filter(weeks::Column::ClusterId.eq(row.id))
            .exec(tx)
            .await?;
        sources::Entity::delete_many()
            .filter(sources::Column::ClusterId.eq(row.id))
            .exec(tx)
            .await?;
        self.count(tx, row.id, conversations).await?;
        save(tx, self.row(row, now), &self.centroid, &near.frequencies).await
    }

    /// Moves this part from the cluster to a new one.
    async fn move_to_new(
        &self,
        tx: &Tx,
        kernel: &Kernel,
        row: &Model,
        conversations: &Conversations,
        near: &Near,
    ) -> Result<(), DbErr> {
        let now = kernel.clock.now();
        let new = Model {
            id: kernel.ids.next(),
            created_at: now,
            ..self.row(row, now)
        };
        rows::insert(tx, &new).await?;
        let ids: Vec<ConversationIssueId> = self.issues.iter().map(|issue| issue.id).collect();
        issues::Entity::update_many()
            .col_expr(issues::Column::ClusterId, Expr::value(new.id))
            .filter(issues::Column::Id.is_in(ids))
            .exec(tx)
            .await?;
        self.count(tx, new.id, conversations).await?;
        save(tx, new, &self.centroid, &near.frequencies).await
    }

    async fn count(&self, tx: &Tx, cluster: IssuesClusterId, conversations: &Conversations) -> Result<(), DbErr> {
        let mut counters = Counters::default();
        for issue in &self.issues {
            if let Some(of) = conversations.get(&issue.conversation_id) {
                counters.add(cluster, (of.created_at, &of.source), 1);
            }
        }
        counters.store(tx, |_| true).await
    }
}

fn as_i32(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}
