//! The copies in the database, each query within an organization.

use entity::{
    exchange::pulled_objects::{Column, Entity, Model},
    ids::OrganizationId,
};
use openapi::error::ApiError;
use platform::db::rows;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use crate::areas::exchange::Exchange;

/// The organizations that have copies from a source.
pub async fn organizations(exchange: &Exchange, source: &str) -> Result<Vec<OrganizationId>, DbErr> {
    let found = Entity::find().filter(Column::Source.eq(source)).select_only();
    let found = found.column(Column::OrganizationId).distinct().into_tuple();
    found.all(exchange.kernel.db.read()).await
}

/// All copies that an organization has from a source.
pub async fn all(exchange: &Exchange, organization: OrganizationId, source: &str) -> Result<Vec<Model>, DbErr> {
    let found = Entity::find().filter(Column::OrganizationId.eq(organization));
    found
        .filter(Column::Source.eq(source))
        .all(exchange.kernel.db.read())
        .await
}

/// Inserts copies, or replaces what is known of them.
pub async fn put(exchange: &Exchange, copies: Vec<Model>) -> Result<(), ApiError> {
    let work = move |tx| async move {
        for copy in &copies {
            rows::put(&tx, copy).await?;
        }
        Ok(())
    };
    exchange.kernel.db.write(work).await
}
