//! Requests and assertions in the database. They are found by what only the identity provider or the browser knows.

use chrono::{DateTime, Utc};
use entity::{
    ids::{SamlProviderId, SamlRequestId, UserId},
    organizations::saml_providers::{Entity as Providers, Model as Provider, assertions, requests},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::rows;
use saml::Assertion;
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
    sea_query::{Expr, OnConflict},
};

use super::hash;

use crate::kernel::Kernel;

pub async fn provider(db: &impl ConnectionTrait, provider: SamlProviderId) -> Result<Option<Provider>, DbErr> {
    Providers::find_by_id(provider).one(db).await
}

/// Returns whether a request was answered.
pub async fn is_answered(db: &impl ConnectionTrait, request: SamlRequestId) -> Result<bool, DbErr> {
    Ok(requests::Entity::find_by_id(request).one(db).await?.is_some())
}

/// Notes that an assertion is used. Returns whether it is the first time.
pub async fn use_assertion(
    db: &impl ConnectionTrait,
    provider: &Provider,
    assertion: &Assertion,
) -> Result<bool, ApiError> {
    use assertions::{ActiveModel, Column, Entity};
    let row = ActiveModel {
        provider_id: Set(provider.id),
        hash: Set(hash(&assertion.id)),
        expires_at: Set(timestamp(assertion.usable_until)),
    };
    let once = OnConflict::columns([Column::ProviderId, Column::Hash])
        .do_nothing()
        .to_owned();
    match Entity::insert(row).on_conflict(once).exec_without_returning(db).await {
        Ok(0) | Err(DbErr::RecordNotInserted) => Ok(false),
        Ok(_) => Ok(true),
        Err(e) => Err(e.into()),
    }
}

fn timestamp(time: DateTime<Utc>) -> Timestamp {
    Timestamp::from(time)
}

/// Notes the answer to a request, once. Returns whether it is the first one.
pub async fn answer(db: &impl ConnectionTrait, request: requests::Model) -> Result<bool, DbErr> {
    let once = OnConflict::column(requests::Column::Id).do_nothing().to_owned();
    let row = request.into_active_model().reset_all();
    match requests::Entity::insert(row)
        .on_conflict(once)
        .exec_without_returning(db)
        .await
    {
        Ok(0) | Err(DbErr::RecordNotInserted) => Ok(false),
        Ok(_) => Ok(true),
        Err(e) => Err(e),
    }
}

/// The answered request with this code, while the code is valid.
pub async fn answered(
    db: &impl ConnectionTrait,
    code: Vec<u8>,
    now: Timestamp,
) -> Result<Option<requests::Model>, DbErr> {
    use requests::{Column, Entity};
    let query = Entity::find().filter(Column::CodeHash.eq(code));
    query.filter(Column::CodeExpiresAt.gt(now)).one(db).await
}

/// Takes a code away, or puts another one in its place. Returns whether the request still had it.
pub async fn replace_code(
    db: &impl ConnectionTrait,
    request: &requests::Model,
    code: Option<Vec<u8>>,
    until: Timestamp,
) -> Result<bool, DbErr> {
    use requests::{Column, Entity};
    let replaced = Entity::update_many()
        .col_expr(Column::CodeHash, Expr::value(code))
        .col_expr(Column::CodeExpiresAt, Expr::value(until))
        .filter(Column::Id.eq(request.id))
        .filter(Column::CodeHash.eq(request.code_hash.clone()))
        .exec(db)
        .await?;
    Ok(replaced.rows_affected > 0)
}

/// The number of codes that were mailed to a user, as far as their requests are still kept.
pub async fn mailed_to(db: &impl ConnectionTrait, user: UserId) -> Result<u64, DbErr> {
    use requests::{Column, Entity};
    let mailed = Entity::find().filter(Column::UserId.eq(user));
    mailed.filter(Column::Mailed.eq(true)).count(db).await
}

/// Notes that a code is mailed for a request. Returns whether it is the first one.
pub async fn note_mail(db: &impl ConnectionTrait, request: SamlRequestId) -> Result<bool, DbErr> {
    use requests::{Column, Entity};
    let noted = Entity::update_many()
        .col_expr(Column::Mailed, Expr::value(true))
        .filter(Column::Id.eq(request))
        .filter(Column::Mailed.eq(false))
        .exec(db)
        .await?;
    Ok(noted.rows_affected > 0)
}

/// Deletes what has expired.
pub async fn purge(kernel: &Kernel) -> Result<(), DbErr> {
    let now = kernel.clock.now();
    let requests = requests::Entity::find().filter(requests::Column::ExpiresAt.lte(now));
    rows::remove_in_steps(&kernel.db, requests).await?;
    let used = assertions::Entity::find().filter(assertions::Column::ExpiresAt.lte(now));
    rows::remove_in_steps(&kernel.db, used).await?;
    super::sessions::purge(&kernel.db, now).await
}
