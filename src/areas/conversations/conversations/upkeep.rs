//! The latest issues of an organization, clustered anew, and the clusters that change with that.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use ::conversations::clusters::{Centroid, Terms, communities, kept};
use entity::{
    conversations::{
        clusters::{Column, Entity, IssuesClusterStatus as Status, Model},
        conversations,
        issues::{self, Model as Issue},
    },
    ids::{ConversationId, ConversationIssueId, IssuesClusterId, OrganizationId},
};
use platform::{
    db::{IdSource, Tx, rows},
    jobs::JobError,
};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, sea_query::Expr};

use super::{changes::Change, clusters, groupings, near::Near};
use crate::kernel::Kernel;

/// The latest issues, which are clustered together. Older ones stay in their clusters.
const WINDOW: u64 = 10_000;

/// Issues that go over in one transaction.
const STEP_ISSUES: usize = 50;

/// Clusters whose status changes in one transaction.
const STEP_STATUSES: u64 = 200;

/// An issue of the window: its id, its cluster and its terms.
type WindowIssue = (ConversationIssueId, IssuesClusterId, Vec<u8>);

/// Some issues that go over from one cluster to another.
pub struct Move {
    from: IssuesClusterId,
    into: IssuesClusterId,
    /// Whether the cluster begins with these issues.
    is_new: bool,
    issues: Vec<ConversationIssueId>,
}

/// Changes the status of some of the clusters that have it. Returns whether there were any.
pub async fn change_status(
    kernel: &Kernel,
    organization: OrganizationId,
    from: Status,
    to: Option<Status>,
) -> Result<bool, DbErr> {
    let work = move |tx: Tx| async move {
        groupings::lock(&tx, organization).await?;
        let some = clusters::of(organization)
            .filter(Column::Status.eq(from))
            .select_only()
            .column(Column::Id)
            .order_by_asc(Column::Id)
            .limit(STEP_STATUSES);
        let changed = Entity::update_many()
            .col_expr(Column::Status, Expr::value(to))
            .filter(Column::Id.in_subquery(some.into_query()));
        Ok::<_, DbErr>(changed.exec(&tx).await?.rows_affected > 0)
    };
    kernel.db.write(work).await
}

/// Clusters the latest issues anew. Returns which go over to another cluster.
pub async fn find_moves(kernel: &Kernel, organization: OrganizationId) -> Result<Vec<Move>, JobError> {
    let window: Vec<WindowIssue> = issues::Entity::find()
        .select_only()
        .columns([issues::Column::Id, issues::Column::ClusterId, issues::Column::Terms])
        .filter(issues::Column::OrganizationId.eq(organization))
        .order_by_desc(issues::Column::Id)
        .limit(WINDOW)
        .into_tuple()
        .all(kernel.db.read())
        .await?;
    let (bytes, ids) = (window.iter().map(|(_, _, terms)| terms.len()).sum(), kernel.ids.clone());
    let found = kernel.work.run(bytes, move || moves(&ids, &window)).await;
    found.map_err(|error| JobError::Retryable(error.to_string()))
}

/// Returns the moves of each cluster together, those of the fewest issues first: the id of a cluster that ends then leads to where most of
/// its issues went, also if the job was killed in between.
fn moves(ids: &IdSource, window: &[WindowIssue]) -> Vec<Move> {
    let terms = window
        .iter()
        .map(|(_, _, terms)| Terms::from_bytes(terms).unwrap_or_default());
    let communities = communities(&terms.collect::<Vec<Terms>>());
    let clusters = window.iter().map(|(_, cluster, _)| *cluster);
    let kept = kept(communities.iter().copied().zip(clusters));
    let mut groups: BTreeMap<(IssuesClusterId, usize), Vec<ConversationIssueId>> = BTreeMap::new();
    for ((issue, cluster, _), community) in window.iter().zip(communities) {
        if kept.get(&community) != Some(cluster) {
            groups.entry((*cluster, community)).or_default().push(*issue);
        }
    }
    let mut groups: Vec<((IssuesClusterId, usize), Vec<ConversationIssueId>)> = groups.into_iter().collect();
    groups.sort_by_key(|((from, _), issues)| (*from, issues.len()));
    let (mut moves, mut new) = (Vec::new(), HashMap::new());
    for ((from, community), issues) in groups {
        let known = kept.get(&community).copied();
        let into = known.unwrap_or_else(|| *new.entry(community).or_insert_with(|| ids.next()));
        moves.extend(issues.chunks(STEP_ISSUES).map(|issues| Move {
            from,
            into,
            is_new: known.is_none(),
            issues: issues.to_vec(),
        }));
    }
    moves
}

/// Lets issues go over, in a transaction of their own. Those that have changed since stay where they are.
pub async fn go_over(kernel: &Kernel, organization: OrganizationId, step: Move) -> Result<(), DbErr> {
    let (shared, step) = (kernel.clone(), Arc::new(step));
    let work = move |tx: Tx| async move {
        let grouping = groupings::lock(&tx, organization).await?;
        let mut near = Near::load(&tx, &grouping, &[], &[step.from, step.into]).await?;
        let found = issues::Entity::find()
            .filter(issues::Column::Id.is_in(step.issues.iter().copied()))
            .filter(issues::Column::ClusterId.eq(step.from))
            .order_by_asc(issues::Column::Id);
        let found: Vec<Issue> = found.all(&tx).await?;
        if found.is_empty() || !is_there(&tx, &shared, &mut near, &step).await? {
            return Ok::<_, DbErr>(());
        }
        issues::Entity::update_many()
            .col_expr(issues::Column::ClusterId, Expr::value(step.into))
            .filter(issues::Column::Id.is_in(found.iter().map(|issue| issue.id)))
            .exec(&tx)
            .await?;
        let change = change(&tx, &mut near, &step, found).await?;
        change.store(&tx, &shared, near).await.map(drop)
    };
    kernel.db.write(work).await
}

/// What changes with issues that go over. Adds them to their new cluster in memory.
async fn change(tx: &Tx, near: &mut Near, step: &Move, found: Vec<Issue>) -> Result<Change, DbErr> {
    let conversations: BTreeSet<ConversationId> = found.iter().map(|issue| issue.conversation_id).collect();
    let others: Vec<(IssuesClusterId, ConversationId)> = issues::Entity::find()
        .select_only()
        .columns([issues::Column::ClusterId, issues::Column::ConversationId])
        .filter(issues::Column::ConversationId.is_in(conversations.iter().copied()))
        .filter(issues::Column::Id.is_not_in(found.iter().map(|issue| issue.id)))
        .into_tuple()
        .all(tx)
        .await?;
    let conversations = conversations::Entity::find().filter(conversations::Column::Id.is_in(conversations));
    let conversations = conversations.all(tx).await?.into_iter().map(|row| (row.id, row));
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for issue in found {
        let terms = Terms::from_bytes(&issue.terms).unwrap_or_default();
        near.index.add(&step.into, &terms, &near.frequencies);
        let moved = Issue {
            cluster_id: step.into,
            ..issue.clone()
        };
        old.push((issue, terms.clone()));
        new.push((moved, terms));
    }
    Ok(Change {
        conversations: conversations.collect(),
        old,
        new,
        others: others.into_iter().collect(),
        successor: Some(step.into),
    })
}

/// Returns whether the cluster to which issues go over is there. A new one is stored now.
async fn is_there(tx: &Tx, kernel: &Kernel, near: &mut Near, step: &Move) -> Result<bool, DbErr> {
    if near.rows.contains_key(&step.into) {
        return Ok(true);
    }
    let Some(from) = near.rows.get(&step.from).filter(|_| step.is_new) else {
        return Ok(false);
    };
    let row = Model {
        id: step.into,
        issues: 0,
        conversations: 0,
        centroid: Centroid::default().to_bytes(),
        created_at: kernel.clock.now(),
        ..from.clone()
    };
    rows::insert(tx, &row).await?;
    near.index.insert(row.id, Centroid::default(), &near.frequencies);
    near.rows.insert(row.id, row);
    Ok(true)
}
