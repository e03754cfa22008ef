//! The issues of a conversation in their clusters: found, found again in a longer version, and removed with the conversation.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use ::conversations::{
    FoundIssue,
    clusters::{Centroid, Label, THRESHOLD, Terms, label, terms},
};
use entity::{
    conversations::{
        clusters::{self as stored_clusters, IssuesClusterStatus},
        conversations::{Column, Entity, Model},
        groupings::Model as Grouping,
        issues::{self, Model as Issue},
    },
    ids::{ConversationId, IssuesClusterId, OrganizationId},
    timestamp::Timestamp,
};
use platform::db::{Tx, rows};
use sea_orm::{ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, sea_query::Expr};

use super::{
    changes::Change,
    finding::Found,
    frequencies, groupings,
    near::Near,
    store::{self, ConversationToProcess},
    upkeep_job,
};
use crate::kernel::Kernel;

/// Stores the issues of a version of a conversation, unless it is processed or there is a longer one.
pub async fn store_found(kernel: &Kernel, conversation: ConversationToProcess, found: Found) -> Result<(), DbErr> {
    let (found, shared) = (Arc::new(found), kernel.clone());
    let work = move |tx: Tx| async move {
        let grouping = groupings::lock(&tx, conversation.organization).await?;
        let row = store::lock(&tx, conversation.organization, conversation.id).await?;
        let Some(row) = row.filter(|row| conversation.is_open(row)) else {
            return Ok::<_, DbErr>(());
        };
        replace_issues(&tx, &shared, grouping, &row, &found.issues).await?;
        Entity::update_many()
            .col_expr(Column::ProcessedAt, Expr::value(shared.clock.now()))
            .col_expr(Column::Method, Expr::value(found.method))
            .col_expr(Column::Model, Expr::value(found.model.clone()))
            .filter(Column::Id.eq(row.id))
            .exec(&tx)
            .await
            .map(drop)
    };
    kernel.db.write(work).await?;
    kernel.jobs.wake();
    Ok(())
}

/// Removes a conversation with its issues, their part in clusters, and clusters that have no other issue. Returns whether the
/// conversation was there.
pub async fn remove_conversation(
    tx: &Tx,
    kernel: &Kernel,
    organization: OrganizationId,
    id: ConversationId,
) -> Result<bool, DbErr> {
    let grouping = groupings::lock(tx, organization).await?;
    let Some(row) = store::lock(tx, organization, id).await? else {
        return Ok(false);
    };
    replace_issues(tx, kernel, grouping, &row, &[]).await?;
    Entity::delete_by_id(id).exec(tx).await?;
    Ok(true)
}

async fn replace_issues(
    tx: &Tx,
    kernel: &Kernel,
    grouping: Grouping,
    conversation: &Model,
    found: &[FoundIssue],
) -> Result<(), DbErr> {
    let now = kernel.clock.now();
    let old = issues::Entity::find().filter(issues::Column::ConversationId.eq(conversation.id));
    let old = old.all(tx).await?.into_iter().map(|issue| {
        let terms = Terms::from_bytes(&issue.terms).unwrap_or_default();
        (issue, terms)
    });
    let old: Vec<(Issue, Terms)> = old.collect();
    if old.is_empty() && found.is_empty() {
        return Ok(());
    }
    let found: Vec<(&FoundIssue, Terms)> = found.iter().map(|issue| (issue, terms(issue))).collect();
    let term_sets: Vec<Vec<u64>> = found.iter().map(|(_, terms)| terms.hashes().collect()).collect();
    let former: Vec<IssuesClusterId> = old.iter().map(|(issue, _)| issue.cluster_id).collect();
    let mut near = Near::load(tx, &grouping, &term_sets, &former).await?;
    let mut new = Vec::with_capacity(found.len());
    for (issue, terms) in found {
        // The former issues are still in their clusters: those of the same subject keep their cluster.
        let cluster_id = place(
            tx,
            kernel,
            &mut near,
            (conversation.organization_id, issue, &terms),
            now,
        )
        .await?;
        let row = Issue {
            id: kernel.ids.next(),
            organization_id: conversation.organization_id,
            conversation_id: conversation.id,
            cluster_id,
            title: issue.title.clone(),
            summary: issue.summary.clone(),
            terms: terms.to_bytes(),
        };
        new.push((row, terms));
    }
    let change = Change {
        conversations: HashMap::from([(conversation.id, conversation.clone())]),
        old,
        new,
        // All issues of the conversation are replaced.
        others: HashSet::new(),
        successor: None,
    };
    store_change(tx, kernel, grouping, &change, near).await
}

/// Puts an issue into the nearest cluster in memory, or into a new one, which is stored.
async fn place(
    tx: &Tx,
    kernel: &Kernel,
    near: &mut Near,
    (organization, issue, terms): (OrganizationId, &FoundIssue, &Terms),
    now: Timestamp,
) -> Result<IssuesClusterId, DbErr> {
    let nearest = near.index.nearest(terms, &near.frequencies);
    if let Some((cluster, _)) = nearest.filter(|(_, similarity)| *similarity >= THRESHOLD) {
        near.index.add(&cluster, terms, &near.frequencies);
        return Ok(cluster);
    }
    let mut centroid = Centroid::default();
    centroid.add(terms, &near.frequencies);
    let first = label(std::slice::from_ref(issue), &centroid, &near.frequencies);
    let Label { label, summary, icon } = first.unwrap_or(Label {
        label: issue.title.clone(),
        summary: issue.summary.clone(),
        icon: "message",
    });
    let row = stored_clusters::Model {
        id: kernel.ids.next(),
        organization_id: organization,
        label,
        summary,
        icon: icon.to_owned(),
        status: Some(IssuesClusterStatus::Pending),
        issues: 0,
        conversations: 0,
        centroid: centroid.to_bytes(),
        created_at: now,
        updated_at: now,
    };
    rows::insert(tx, &row).await?;
    let id = row.id;
    near.index.insert(id, centroid, &near.frequencies);
    near.rows.insert(id, row);
    Ok(id)
}

async fn store_change(
    tx: &Tx,
    kernel: &Kernel,
    grouping: Grouping,
    change: &Change,
    mut near: Near,
) -> Result<(), DbErr> {
    let organization = grouping.organization_id;
    if !change.old.is_empty() {
        let former = change.old.iter().map(|(issue, _)| issue.id);
        let former = issues::Entity::delete_many().filter(issues::Column::Id.is_in(former));
        former.exec(tx).await?;
    }
    if !change.new.is_empty() {
        let new = change.new.iter();
        let new = new.map(|(issue, _)| issue.clone().into_active_model().reset_all());
        issues::Entity::insert_many(new).exec_without_returning(tx).await?;
    }
    let (added, removed) = (
        change.new.iter().map(|(_, terms)| terms),
        change.old.iter().map(|(_, terms)| terms),
    );
    frequencies::store(tx, organization, &frequencies::changes(added, removed)).await?;
    for row in near.rows.values_mut() {
        row.status = Some(IssuesClusterStatus::Pending);
    }
    let remaining = change.store(tx, kernel, near).await?;
    let issues = grouping.issues + as_i64(change.new.len()) - as_i64(change.old.len());
    let upkeep_queued = grouping.upkeep_queued || !remaining.is_empty();
    if upkeep_queued && !grouping.upkeep_queued {
        upkeep_job::enqueue(tx, kernel, organization, issues).await?;
    }
    groupings::set(tx, organization, issues, upkeep_queued).await
}

fn as_i64(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
