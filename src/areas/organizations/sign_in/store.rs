//! Requests and assertions in the database. They are found by what only the identity provider or the browser knows.

use chrono::{DateTime, Utc};
use entity::{
    ids::{SamlProviderId, SamlRequestId, UserId},
    saml_providers::{Entity as Providers, Model as Provider, assertions, requests},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use saml::Assertion;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter,
    sea_query::{Expr, OnConflict},
};

use super::hash;
use crate::app::App;

pub async fn provider(db: &impl ConnectionTrait, provider: SamlProviderId) -> Result<Option<Provider>, DbErr> {
    Providers::find_by_id(provider).one(db).await
}

/// A request that has not been answered.
pub async fn open_request(
    db: &impl ConnectionTrait,
    provider: SamlProviderId,
    request: SamlRequestId,
    now: Timestamp,
) -> Result<Option<requests::Model>, DbErr> {
    use requests::{Column, Entity};
    let query = Entity::find_by_id(request)
        .filter(Column::ProviderId.eq(provider))
        .filter(Column::CodeHash.is_null())
        .filter(Column::ExpiresAt.gt(now));
    query.one(db).await
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

/// Notes who answered a request, once. Returns whether the request was still open.
pub async fn answer(
    db: &impl ConnectionTrait,
    request: SamlRequestId,
    user: UserId,
    code: Vec<u8>,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, DbErr> {
    use requests::{Column, Entity};
    let answered = Entity::update_many()
        .col_expr(Column::UserId, Expr::value(user))
        .col_expr(Column::CodeHash, Expr::value(code))
        .col_expr(Column::ExpiresAt, Expr::value(until))
        .filter(Column::Id.eq(request))
        .filter(Column::CodeHash.is_null())
        .filter(Column::ExpiresAt.gt(now))
        .exec(db)
        .await?;
    Ok(answered.rows_affected > 0)
}

/// Takes the answered request with this code out of the database. `None`: there is none, or another browser made it; then it
/// is gone as well.
pub async fn take_answered(
    db: &impl ConnectionTrait,
    code: Vec<u8>,
    browser: Vec<u8>,
    now: Timestamp,
) -> Result<Option<requests::Model>, DbErr> {
    use requests::{Column, Entity};
    let Some(request) = Entity::find().filter(Column::CodeHash.eq(code)).one(db).await? else {
        return Ok(None);
    };
    Entity::delete_by_id(request.id).exec(db).await?;
    let valid = request.browser_hash == browser && request.expires_at > now;
    Ok(valid.then_some(request))
}

/// Deletes what has expired.
pub async fn purge(app: &App) -> Result<(), DbErr> {
    let now = app.clock.now();
    let work = move |tx| async move {
        let requests = requests::Entity::delete_many().filter(requests::Column::ExpiresAt.lte(now));
        requests.exec(&tx).await?;
        let used = assertions::Entity::delete_many().filter(assertions::Column::ExpiresAt.lte(now));
        used.exec(&tx).await?;
        super::sessions::purge(&tx, now).await
    };
    app.db.write(work).await
}
