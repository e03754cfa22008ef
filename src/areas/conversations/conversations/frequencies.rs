//! In how many issues of an organization a term is.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ::conversations::clusters::{Frequencies, Terms};
use entity::{
    conversations::terms::{Column, Entity, Model},
    ids::OrganizationId,
};
use platform::db::count;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, OnConflict},
};

/// Terms of one statement.
const BATCH_SIZE: usize = 2_000;

/// Loads the numbers of some terms. `issues` is the number of all issues.
pub async fn load(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    terms: BTreeSet<u64>,
    issues: i64,
) -> Result<Frequencies, DbErr> {
    let terms: Vec<i64> = terms.into_iter().map(u64::cast_signed).collect();
    let mut of: HashMap<u64, u64> = HashMap::new();
    for batch in terms.chunks(BATCH_SIZE) {
        let rows: Vec<(i64, i32)> = Entity::find()
            .select_only()
            .columns([Column::Term, Column::Issues])
            .filter(Column::OrganizationId.eq(organization))
            .filter(Column::Term.is_in(batch.iter().copied()))
            // A term without a number counts as 1.
            .filter(Column::Issues.gt(1))
            .into_tuple()
            .all(db)
            .await?;
        of.extend(
            rows.into_iter()
                .map(|(term, issues)| (term.cast_unsigned(), count(issues))),
        );
    }
    Ok(Frequencies {
        issues: count(issues),
        of,
    })
}

/// The changes of the numbers by issues that are added and removed.
pub fn changes<'t>(
    added: impl Iterator<Item = &'t Terms>,
    removed: impl Iterator<Item = &'t Terms>,
) -> BTreeMap<i64, i32> {
    let mut changes: BTreeMap<i64, i32> = BTreeMap::new();
    for term in added.flat_map(Terms::hashes) {
        *changes.entry(term.cast_signed()).or_default() += 1;
    }
    for term in removed.flat_map(Terms::hashes) {
        *changes.entry(term.cast_signed()).or_default() -= 1;
    }
    changes.retain(|_, issues| *issues != 0);
    changes
}

pub async fn store(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    changes: &BTreeMap<i64, i32>,
) -> Result<(), DbErr> {
    if changes.is_empty() {
        return Ok(());
    }
    let rows = changes.iter().map(|(term, issues)| Model {
        organization_id: organization,
        term: *term,
        issues: *issues,
    });
    let sum = Expr::col((Entity, Column::Issues)).add(Expr::col(("excluded", Column::Issues)));
    let add = OnConflict::columns([Column::OrganizationId, Column::Term])
        .value(Column::Issues, sum)
        .to_owned();
    Entity::insert_many(rows.map(|row| row.into_active_model().reset_all()))
        .on_conflict(add)
        .exec_without_returning(db)
        .await?;
    let removed = changes.iter().filter(|(_, issues)| **issues < 0).map(|(term, _)| *term);
    let removed: Vec<i64> = removed.collect();
    if !removed.is_empty() {
        Entity::delete_many()
            .filter(Column::OrganizationId.eq(organization))
            .filter(Column::Term.is_in(removed))
            .filter(Column::Issues.lte(0))
            .exec(db)
            .await?;
    }
    Ok(())
}
