//! Changes of the issues of clusters, and what is stored beside issues: numbers, centroids, labels.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ::conversations::clusters::Terms;
use entity::{
    conversations::{
        clusters::{Entity, Model, history},
        conversations::Model as Conversation,
        issues::Model as Issue,
    },
    ids::{ConversationId, IssuesClusterId},
    timestamp::Timestamp,
};
use platform::db::{Tx, rows};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, sea_query::Expr};

use super::{
    counters::{Counters, remove_empty},
    near::Near,
    save::save,
};
use crate::kernel::Kernel;

/// Issues that are in clusters no more, and issues that are in clusters from now on. One that goes over is among both.
pub struct Change {
    /// The conversations of the issues.
    pub conversations: HashMap<ConversationId, Conversation>,
    pub old: Vec<(Issue, Terms)>,
    pub new: Vec<(Issue, Terms)>,
    /// The clusters of the other issues of these conversations.
    pub others: HashSet<(IssuesClusterId, ConversationId)>,
    /// The cluster to which the id of one leads from now on that has no issues left.
    pub successor: Option<IssuesClusterId>,
}

impl Change {
    /// Stores the clusters, after their issues. `near` has them with the issues that they have got. Returns those that have issues.
    pub async fn store(&self, tx: &Tx, kernel: &Kernel, near: Near) -> Result<BTreeSet<IssuesClusterId>, DbErr> {
        let remaining = self.store_clusters(tx, kernel, near).await?;
        self.store_counters(tx, &remaining).await?;
        Ok(remaining)
    }

    async fn store_clusters(
        &self,
        tx: &Tx,
        kernel: &Kernel,
        mut near: Near,
    ) -> Result<BTreeSet<IssuesClusterId>, DbErr> {
        let (mut remaining, now) = (BTreeSet::new(), kernel.clock.now());
        for (cluster, (issues, conversations)) in self.differences() {
            let Some(row) = near.rows.remove(&cluster) else {
                continue;
            };
            let row = Model {
                issues: row.issues.saturating_add(issues),
                conversations: row.conversations.saturating_add(conversations),
                updated_at: now,
                ..row
            };
            if row.issues <= 0 {
                if let Some(successor) = self.successor {
                    keep_former_id(tx, &row, successor, now).await?;
                    kernel.hooks.clusters_merged(tx, cluster, successor).await?;
                }
                Entity::delete_by_id(cluster).exec(tx).await?;
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
        for (issues, one) in [(&self.new, 1), (&self.old, -1)] {
            let mut counted = self.others.clone();
            for (issue, _) in issues {
                let (of_issues, of_conversations) = clusters.entry(issue.cluster_id).or_default();
                *of_issues += one;
                if counted.insert((issue.cluster_id, issue.conversation_id)) {
                    *of_conversations += one;
                }
            }
        }
        clusters
    }

    async fn store_counters(&self, tx: &Tx, remaining: &BTreeSet<IssuesClusterId>) -> Result<(), DbErr> {
        let mut counters = Counters::default();
        for (issues, one) in [(&self.new, 1), (&self.old, -1)] {
            for (issue, _) in issues {
                if let Some(of) = self.conversations.get(&issue.conversation_id) {
                    counters.add(issue.cluster_id, (of.created_at, &of.source), one);
                }
            }
        }
        counters.store(tx, |cluster| remaining.contains(&cluster)).await?;
        if self.old.is_empty() {
            return Ok(());
        }
        let former: Vec<IssuesClusterId> = self.old.iter().map(|(issue, _)| issue.cluster_id).collect();
        remove_empty(tx, &former).await
    }
}

/// Makes the id of a cluster that ends lead to another one, with those that have led to it.
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
