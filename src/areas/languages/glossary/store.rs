//! Queries of glossaries, each within an organization.

use entity::{
    ids::{GlossaryEntryId, OrganizationId},
    languages::glossary_entries::{Column, Entity, Model},
    organizations,
};
use openapi::error::ApiError;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, Select,
    sea_query::{BinOper, Expr, ExprTrait, Func, OnConflict},
};

/// Rows of one statement.
const BATCH_SIZE: usize = 500;
/// Entries of one statement that reads whole ones.
const ENTRIES_AT_ONCE: u64 = 100;

pub fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

/// Visits all entries of a glossary, with few of them in memory: they have words in many languages.
pub async fn for_each(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    mut visit: impl FnMut(Model),
) -> Result<(), DbErr> {
    let mut after: Option<GlossaryEntryId> = None;
    loop {
        let mut batch = of(organization).order_by_asc(Column::Id).limit(ENTRIES_AT_ONCE);
        if let Some(after) = after {
            batch = batch.filter(Column::Id.gt(after));
        }
        let entries = batch.all(db).await?;
        let Some(last) = entries.last() else {
            return Ok(());
        };
        after = Some(last.id);
        entries.into_iter().for_each(&mut visit);
    }
}

/// All entries with their words in one language, which is a value of `TranslationLanguage`, and with the lengths of all their words.
pub async fn words(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    language: &str,
) -> Result<Vec<(GlossaryEntryId, Option<String>, i32)>, DbErr> {
    let translations = || Expr::col(Column::Translations);
    let word = translations().binary(BinOper::Custom("->>"), Expr::cust(format!("'{language}'")));
    let length = Func::char_length(translations().cast_as("text"));
    let entries = of(organization).select_only().column(Column::Id);
    let entries = entries.expr_as(word, "word").expr_as(length, "length");
    entries.into_tuple().all(db).await
}

/// Makes other writers of the glossary wait.
pub async fn lock(db: &impl ConnectionTrait, organization: OrganizationId) -> Result<(), ApiError> {
    let found = organizations::Entity::find_by_id(organization)
        .select_only()
        .column(organizations::Column::Id)
        .lock_exclusive()
        .into_tuple::<OrganizationId>()
        .one(db)
        .await?;
    found.map(drop).ok_or_else(|| ApiError::not_found("organization"))
}

/// The number of entries. A glossary is small.
pub async fn size(db: &impl ConnectionTrait, organization: OrganizationId) -> Result<usize, DbErr> {
    let size = of(organization).count(db).await?;
    Ok(usize::try_from(size).unwrap_or(usize::MAX))
}

pub async fn find_all(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    ids: &[GlossaryEntryId],
) -> Result<Vec<Model>, DbErr> {
    let mut found = Vec::with_capacity(ids.len());
    for chunk in ids.chunks(BATCH_SIZE) {
        let these = of(organization).filter(Column::Id.is_in(chunk.iter().copied()));
        found.extend(these.all(db).await?);
    }
    Ok(found)
}

/// Inserts entries, or replaces those with the same ids.
pub async fn put(db: &impl ConnectionTrait, rows: &[Model]) -> Result<(), DbErr> {
    for chunk in rows.chunks(BATCH_SIZE) {
        let rows = chunk.iter().map(|row| row.clone().into_active_model().reset_all());
        Entity::insert_many(rows)
            .on_conflict(
                OnConflict::column(Column::Id)
                    .update_columns([Column::Translations, Column::UpdatedAt])
                    .to_owned(),
            )
            .exec_without_returning(db)
            .await?;
    }
    Ok(())
}

pub async fn remove(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    ids: &[GlossaryEntryId],
) -> Result<(), DbErr> {
    for chunk in ids.chunks(BATCH_SIZE) {
        Entity::delete_many()
            .filter(Column::OrganizationId.eq(organization))
            .filter(Column::Id.is_in(chunk.iter().copied()))
            .exec(db)
            .await?;
    }
    Ok(())
}
