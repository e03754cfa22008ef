//! Clusters in memory, of which one may be the nearest to an issue.

use std::collections::{BTreeSet, HashMap, HashSet};

use ::conversations::clusters::{Centroid, Frequencies, Index};
use entity::{
    conversations::{
        clusters::{Column, Model, terms},
        groupings,
    },
    ids::{IssuesClusterId, OrganizationId},
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{clusters, frequencies};

/// Terms by which clusters are found: the rarest ones.
const TERMS: usize = 32;

/// Clusters that are compared with one issue: those that share the most of these terms.
const CANDIDATES: u64 = 12;

/// Clusters with their centroids.
pub struct Near {
    pub rows: HashMap<IssuesClusterId, Model>,
    pub index: Index<IssuesClusterId>,
    pub frequencies: Frequencies,
}

impl Near {
    /// Loads the clusters that share terms with any of the given ones, and the `known` clusters.
    pub async fn load(
        db: &impl ConnectionTrait,
        grouping: &groupings::Model,
        term_sets: &[Vec<u64>],
        known: &[IssuesClusterId],
    ) -> Result<Self, DbErr> {
        let (organization, issues) = (grouping.organization_id, grouping.issues);
        let mut terms: BTreeSet<u64> = term_sets.iter().flatten().copied().collect();
        let of_terms = frequencies::load(db, organization, terms.clone(), issues).await?;
        let mut ids: HashSet<IssuesClusterId> = known.iter().copied().collect();
        for set in term_sets {
            ids.extend(candidates(db, organization, set, &of_terms).await?);
        }
        let rows = clusters::of(organization).filter(Column::Id.is_in(ids)).all(db).await?;
        let centroid = |row: &Model| Centroid::from_bytes(&row.centroid).unwrap_or_default();
        let centroids: Vec<(IssuesClusterId, Centroid)> = rows.iter().map(|row| (row.id, centroid(row))).collect();
        terms.extend(centroids.iter().flat_map(|(_, centroid)| centroid.hashes()));
        let frequencies = frequencies::load(db, organization, terms, issues).await?;
        Ok(Self {
            rows: rows.into_iter().map(|row| (row.id, row)).collect(),
            index: Index::new(centroids, &frequencies),
            frequencies,
        })
    }
}

/// The clusters that share the most of the rarest terms.
async fn candidates(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    set: &[u64],
    frequencies: &Frequencies,
) -> Result<Vec<IssuesClusterId>, DbErr> {
    let mut rarest = set.to_vec();
    rarest.sort_by_key(|term| (frequencies.of.get(term).copied().unwrap_or(1), *term));
    rarest.truncate(TERMS);
    terms::Entity::find()
        .select_only()
        .column(terms::Column::ClusterId)
        .filter(terms::Column::OrganizationId.eq(organization))
        .filter(terms::Column::Term.is_in(rarest.into_iter().map(u64::cast_signed)))
        .group_by(terms::Column::ClusterId)
        .order_by_desc(terms::Column::Term.count())
        .order_by_asc(terms::Column::ClusterId)
        .limit(CANDIDATES)
        .into_tuple()
        .all(db)
        .await
}
