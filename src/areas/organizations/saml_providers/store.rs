//! Providers in the database; the organization is always part of the query, except where somebody signs in.

use entity::{
    ids::{OrganizationId, SamlProviderId, TeamId},
    organizations::{
        saml_providers::{Column, Entity, Model, requests},
        teams,
    },
};
use platform::db::{Keyset, Page};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    sea_query::Expr,
};

use crate::areas::organizations::members;

pub fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

pub async fn page(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    after: Option<SamlProviderId>,
    limit: u64,
) -> Result<Page<Model, SamlProviderId>, DbErr> {
    let keyset = Keyset::descending([(Entity, Column::Id)]);
    let key = |row: &Model| row.id;
    keyset
        .page(of(organization), after, limit, |query| query.all(db), key)
        .await
}

/// The providers of an organization by their labels.
pub async fn all(db: &impl ConnectionTrait, organization: OrganizationId, limit: u64) -> Result<Vec<Model>, DbErr> {
    let query = of(organization).order_by_asc(Column::Label).order_by_asc(Column::Id);
    query.limit(limit).all(db).await
}

/// Lets nobody else add a provider to the organization until the end of the transaction.
pub async fn lock(db: &impl ConnectionTrait, organization: OrganizationId) -> Result<(), DbErr> {
    members::store::change_members_count(db, organization, 0).await
}

pub async fn count(db: &impl ConnectionTrait, organization: OrganizationId) -> Result<u64, DbErr> {
    of(organization).count(db).await
}

/// Ends the sign-ins that a provider has answered, and that are not finished yet.
pub async fn forget_answers(db: &impl ConnectionTrait, provider: SamlProviderId) -> Result<(), DbErr> {
    let answered = requests::Entity::update_many()
        .col_expr(requests::Column::CodeHash, Expr::value(None::<Vec<u8>>))
        .filter(requests::Column::ProviderId.eq(provider));
    answered.exec(db).await?;
    Ok(())
}

pub async fn has_team(db: &impl ConnectionTrait, organization: OrganizationId, team: TeamId) -> Result<bool, DbErr> {
    let query = teams::Entity::find_by_id(team).filter(teams::Column::OrganizationId.eq(organization));
    Ok(query.one(db).await?.is_some())
}

/// The default teams of providers that still exist. No query if none has one.
pub async fn default_teams(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    ids: Vec<TeamId>,
) -> Result<Vec<teams::Model>, DbErr> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let query = teams::Entity::find()
        .filter(teams::Column::OrganizationId.eq(organization))
        .filter(teams::Column::Id.is_in(ids));
    query.all(db).await
}
