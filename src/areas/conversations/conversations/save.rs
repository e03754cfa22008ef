//! Clusters as they are stored after a change of their issues.

use std::collections::BTreeSet;

use ::conversations::{
    FoundIssue,
    clusters::{Centroid, Frequencies, Label, label},
};
use entity::{
    conversations::{
        clusters::{Model, terms},
        issues,
    },
    ids::IssuesClusterId,
};
use platform::db::{Tx, rows};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
    sea_query::OnConflict,
};

/// The latest issues of a cluster, of which one gives the label.
const LABEL_ISSUES: u64 = 50;

/// Stores a cluster with its centroid, and with the label and the terms that follow from it.
pub async fn save(tx: &Tx, row: Model, centroid: &Centroid, frequencies: &Frequencies) -> Result<(), DbErr> {
    let latest = latest_issues(tx, row.id).await?;
    let row = match label(&latest, centroid, frequencies) {
        Some(Label { label, summary, icon }) => Model {
            label,
            summary,
            icon: icon.to_owned(),
            ..row
        },
        None => row,
    };
    let row = Model {
        centroid: centroid.to_bytes(),
        ..row
    };
    rows::put(tx, &row).await?;
    save_terms(tx, &row, centroid).await
}

async fn latest_issues(tx: &Tx, cluster: IssuesClusterId) -> Result<Vec<FoundIssue>, DbErr> {
    let rows: Vec<(String, String)> = issues::Entity::find()
        .select_only()
        .columns([issues::Column::Title, issues::Column::Summary])
        .filter(issues::Column::ClusterId.eq(cluster))
        .order_by_desc(issues::Column::Id)
        .limit(LABEL_ISSUES)
        .into_tuple()
        .all(tx)
        .await?;
    let found = |(title, summary)| FoundIssue { title, summary };
    Ok(rows.into_iter().map(found).collect())
}

async fn save_terms(tx: &Tx, row: &Model, centroid: &Centroid) -> Result<(), DbErr> {
    use terms::{Column, Entity};
    let present: BTreeSet<i64> = centroid.hashes().map(u64::cast_signed).collect();
    Entity::delete_many()
        .filter(Column::ClusterId.eq(row.id))
        .filter(Column::Term.is_not_in(present.iter().copied()))
        .exec(tx)
        .await?;
    if present.is_empty() {
        return Ok(());
    }
    let rows = present.into_iter().map(|term| terms::Model {
        organization_id: row.organization_id,
        term,
        cluster_id: row.id,
    });
    Entity::insert_many(rows.map(|row| row.into_active_model().reset_all()))
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .exec_without_returning(tx)
        .await?;
    Ok(())
}
