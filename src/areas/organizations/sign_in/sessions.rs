//! Sessions of people who signed in. A session lets a person see their account, and never authorizes an operation.

use chrono::TimeDelta;
use entity::{
    identity::users,
    ids::{SessionId, UserId},
    organizations::{
        self, members,
        saml_providers::{self, Entity as Providers, requests},
        sessions::{Column, Entity, Model},
    },
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::{Db, Tx, rows};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, sea_query::Expr};

use super::hash;

use crate::{
    access::tokens::derive,
    areas::{identity::tokens, organizations::Organizations},
    kernel::Kernel,
};

/// A session ends after this time, however it is used.
pub const LIFETIME: TimeDelta = TimeDelta::days(7);

/// A session ends when nobody has used it for this time.
const IDLE: TimeDelta = TimeDelta::hours(12);

/// The token of a session expires after this time, unless it is asked for again.
const TOKEN_LIFETIME: TimeDelta = TimeDelta::hours(1);

const TOKEN_LABEL: &str = "Documentation page";

/// How exactly it is known when a session was last used.
const PRECISION: TimeDelta = TimeDelta::minutes(5);

/// Rows of a table on the page of a person.
pub const MAX_LISTED: usize = 100;

/// A session with its person.
pub struct Session {
    pub row: Model,
    pub user: users::Model,
}

/// A session to begin.
#[derive(Clone)]
pub struct NewSession {
    pub id: SessionId,
    pub hash: Vec<u8>,
    /// The hash of the session that the browser had before, which ends.
    pub replaced: Option<Vec<u8>>,
}

/// Begins the session of an answered request. Returns false if the person is not let in.
pub async fn begin(tx: &Tx, new: NewSession, request: &requests::Model, now: Timestamp) -> Result<bool, ApiError> {
    let provider = Providers::find_by_id(request.provider_id).one(tx).await?;
    let Some(provider) = provider.filter(saml_providers::Model::is_active) else {
        return Ok(false);
    };
    let user_id = request.user_id;
    let member = members::Entity::find_by_id((provider.organization_id, user_id))
        .one(tx)
        .await?;
    if member.is_none_or(|member| member.disabled) {
        return Ok(false);
    }
    let row = Model {
        id: new.id,
        hash: new.hash,
        user_id,
        organization_id: provider.organization_id,
        provider_id: provider.id,
        created_at: now,
        last_seen_at: now,
        expires_at: now.plus(LIFETIME),
    };
    rows::insert(tx, &row).await?;
    if let Some(replaced) = new.replaced {
        let ended = Entity::delete_many().filter(Column::Hash.eq(replaced));
        ended.exec(tx).await?;
    }
    Ok(true)
}

/// The session with a secret, while its person may use it.
pub async fn find(kernel: &Kernel, secret: &str) -> Result<Option<Session>, ApiError> {
    let (db, now) = (kernel.db.read(), kernel.clock.now());
    let Some(row) = valid(now).filter(Column::Hash.eq(hash(secret))).one(db).await? else {
        return Ok(None);
    };
    let user = users::Entity::find_by_id(row.user_id).one(db).await?;
    let member = members::Entity::find_by_id((row.organization_id, row.user_id))
        .one(db)
        .await?;
    let enabled = member.is_some_and(|member| !member.disabled);
    let Some(user) = user.filter(|user| enabled && user.suspended_at.is_none()) else {
        return Ok(None);
    };
    if row.last_seen_at.plus(PRECISION) <= now {
        let id = row.id;
        let work = move |tx: Tx| async move {
            let seen = Entity::update_many().col_expr(Column::LastSeenAt, Expr::value(now));
            seen.filter(Column::Id.eq(id)).exec(&tx).await
        };
        kernel.db.write(work).await?;
    }
    Ok(Some(Session { row, user }))
}

fn valid(now: Timestamp) -> Select<Entity> {
    Entity::find()
        .filter(Column::ExpiresAt.gt(now))
        .filter(Column::LastSeenAt.gt(now.plus(-IDLE)))
}

/// The sessions of a user with the labels of the providers, the newest first.
pub async fn list(kernel: &Kernel, user: UserId) -> Result<Vec<(Model, String)>, ApiError> {
    let query = valid(kernel.clock.now())
        .find_also_related(Providers)
        .filter(Column::UserId.eq(user))
        .order_by_desc(Column::Id);
    let rows = query.limit(MAX_LISTED as u64).all(kernel.db.read()).await?;
    let label = |provider: Option<saml_providers::Model>| provider.map(|row| row.label).unwrap_or_default();
    Ok(rows.into_iter().map(|(row, provider)| (row, label(provider))).collect())
}

/// The organizations of a user, by title.
pub async fn organizations(kernel: &Kernel, user: UserId) -> Result<Vec<organizations::Model>, ApiError> {
    let query = members::Entity::find()
        .find_also_related(organizations::Entity)
        .filter(members::Column::UserId.eq(user))
        .filter(members::Column::Disabled.eq(false))
        .order_by_asc(organizations::Column::Title);
    let rows = query.limit(MAX_LISTED as u64).all(kernel.db.read()).await?;
    Ok(rows.into_iter().filter_map(|(_, organization)| organization).collect())
}

/// A token of a session.
pub struct SessionToken {
    pub secret: String,
    pub expires_at: Timestamp,
}

/// The token with which the documentation page sends requests, which is the same as long as the session lasts. `None`: the
/// session has ended.
pub async fn token(organizations: &Organizations, session: &Model) -> Result<Option<SessionToken>, ApiError> {
    let key = organizations.kernel.secrets.derive("tokens of sessions");
    let secret = derive(key, &session.id.to_string());
    let expires_at = session
        .expires_at
        .min(organizations.kernel.clock.now().plus(TOKEN_LIFETIME));
    let kept = tokens::keep_of_session(&organizations.identity, session, TOKEN_LABEL, &secret, expires_at).await?;
    Ok(kept.then_some(SessionToken { secret, expires_at }))
}

/// Ends one session of a user, or all.
pub async fn end(organizations: &Organizations, user: UserId, session: Option<SessionId>) -> Result<(), ApiError> {
    let work = move |tx: Tx| async move {
        let mut ended = Entity::delete_many().filter(Column::UserId.eq(user));
        if let Some(session) = session {
            ended = ended.filter(Column::Id.eq(session));
        }
        ended.exec(&tx).await
    };
    organizations.kernel.db.write(work).await?;
    // Their tokens have ended with them.
    organizations.access.forget_tokens();
    Ok(())
}

/// Deletes sessions that have ended.
pub async fn purge(db: &Db, now: Timestamp) -> Result<(), DbErr> {
    rows::remove_in_steps(db, Entity::find().filter(Column::ExpiresAt.lte(now))).await
}
