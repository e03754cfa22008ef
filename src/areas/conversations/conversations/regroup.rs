//! The issues of a conversation in their clusters: found, found again in a longer version, and removed with the conversation.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
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
use platform::{
    db::{Tx, rows},
    jobs::{NewJob, enqueue_at},
};
use sea_orm::{ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, sea_query::Expr};

use super::{
    counters::{Counters, remove_empty},
    finding::Found,
    frequencies, groupings,
    near::Near,
    save::save,
    store::{self, ConversationToProcess},
    upkeep_job::{ClustersToCompare, CompareClusters},
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

/// The former and the present issues of a conversation.
struct Change<'c> {
    conversation: &'c Model,
    old: Vec<(Issue, Terms)>,
    new: Vec<(Issue, Terms)>,
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
    let change = Change { conversation, old, new };
    change.store(tx, kernel, grouping, near).await
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

impl Change<'_> {
    async fn store(&self, tx: &Tx, kernel: &Kernel, grouping: Grouping, near: Near) -> Result<(), DbErr> {
        let organization = grouping.organization_id;
        if !self.old.is_empty() {
            let former = issues::Entity::delete_many().filter(issues::Column::ConversationId.eq(self.conversation.id));
            former.exec(tx).await?;
        }
        if !self.new.is_empty() {
            let new = self
                .new
                .iter()
                .map(|(issue, _)| issue.clone().into_active_model().reset_all());
            issues::Entity::insert_many(new).exec_without_returning(tx).await?;
        }
        let (added, removed) = (
            self.new.iter().map(|(_, terms)| terms),
            self.old.iter().map(|(_, terms)| terms),
        );
        frequencies::store(tx, organization, &frequencies::changes(added, removed)).await?;
        let remaining = self.store_clusters(tx, near, kernel.clock.now()).await?;
        self.store_counters(tx, &remaining).await?;
        let upkeep_queued = grouping.upkeep_queued || !remaining.is_empty();
        if upkeep_queued && !grouping.upkeep_queued {
            let now = kernel.clock.now();
            let job = NewJob {
                id: kernel.ids.next(),
                organization: Some(organization),
                payload: ClustersToCompare { organization },
            };
            enqueue_at::<CompareClusters>(tx, vec![job], groupings::upkeep_time(now), now).await?;
        }
        let issues = grouping.issues + as_i64(self.new.len()) - as_i64(self.old.len());
        groupings::set(tx, organization, issues, upkeep_queued).await
    }

    /// Stores the clusters with former or present issues. Returns those that have issues.
    async fn store_clusters(
        &self,
        tx: &Tx,
        mut near: Near,
        now: Timestamp,
    ) -> Result<BTreeSet<IssuesClusterId>, DbErr> {
        let mut remaining = BTreeSet::new();
        for (cluster, (issues, conversations)) in self.differences() {
            let Some(row) = near.rows.remove(&cluster) else {
                continue;
            };
            let row = stored_clusters::Model {
                issues: row.issues.saturating_add(issues),
                conversations: row.conversations.saturating_add(conversations),
                status: Some(IssuesClusterStatus::Pending),
                updated_at: now,
                ..row
            };
            if row.issues <= 0 {
                stored_clusters::Entity::delete_by_id(cluster).exec(tx).await?;
                continue;
            }
            let mut centroid = near.index.get(&cluster).cloned().unwrap_or_default();
            for (_, terms) in self.old.iter().filter(|(issue, _)| issue.cluster_id == cluster) {
                centroid.remove(terms);
            }
            save(tx, row, &centroid, &near.frequencies).await?;
            remaining.insert(cluster);
        }
        Ok(remaining)
    }

    /// By cluster: how many issues and how many conversations there are more than before.
    fn differences(&self) -> BTreeMap<IssuesClusterId, (i32, i32)> {
        let mut clusters: BTreeMap<IssuesClusterId, (i32, i32)> = BTreeMap::new();
        let count = |issues: &[(Issue, Terms)]| {
            let mut counts: HashMap<IssuesClusterId, i32> = HashMap::new();
            for (issue, _) in issues {
                *counts.entry(issue.cluster_id).or_default() += 1;
            }
            counts
        };
        for (cluster, issues) in count(&self.new) {
            let (of_issues, of_conversations) = clusters.entry(cluster).or_default();
            (*of_issues, *of_conversations) = (*of_issues + issues, *of_conversations + 1);
        }
        for (cluster, issues) in count(&self.old) {
            let (of_issues, of_conversations) = clusters.entry(cluster).or_default();
            (*of_issues, *of_conversations) = (*of_issues - issues, *of_conversations - 1);
        }
        clusters
    }

    async fn store_counters(&self, tx: &Tx, remaining: &BTreeSet<IssuesClusterId>) -> Result<(), DbErr> {
        let (mut counters, of) = (Counters::default(), self.conversation);
        for (issue, _) in &self.new {
            counters.add(issue.cluster_id, (of.created_at, &of.source), 1);
        }
        for (issue, _) in &self.old {
            counters.add(issue.cluster_id, (of.created_at, &of.source), -1);
        }
        counters.store(tx, |cluster| remaining.contains(&cluster)).await?;
        if self.old.is_empty() {
            return Ok(());
        }
        let former: Vec<IssuesClusterId> = self.old.iter().map(|(issue, _)| issue.cluster_id).collect();
        remove_empty(tx, &former).await
    }
}

fn as_i64(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
