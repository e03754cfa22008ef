//! Tokens in the database; the user is always part of the query.

use entity::{
    identity::tokens::{Column, Entity, Model},
    ids::{SessionId, UserId},
    organizations::sessions,
};
use openapi::error::{ApiError, ErrorType};
use platform::db::{is_unique_violation, rows};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, Select,
    sea_query::{Expr, OnConflict},
};

pub fn of(user: UserId) -> Select<Entity> {
    Entity::find().filter(Column::UserId.eq(user))
}

pub async fn all(db: &impl ConnectionTrait, user: UserId) -> Result<Vec<Model>, DbErr> {
    of(user).order_by_asc(Column::Id).all(db).await
}

/// Deletes the tokens of a user, and returns them.
pub async fn remove_all(db: &impl ConnectionTrait, user: UserId) -> Result<Vec<Model>, DbErr> {
    let tokens = all(db, user).await?;
    Entity::delete_many().filter(Column::UserId.eq(user)).exec(db).await?;
    Ok(tokens)
}

pub async fn insert(db: &impl ConnectionTrait, token: &Model) -> Result<(), ApiError> {
    match rows::insert(db, token).await {
        Err(e) if is_unique_violation(&e) => {
            Err(ApiError::new(ErrorType::TokenTaken, "Another token has this secret."))
        }
        done => Ok(done?),
    }
}

/// Returns whether the session is there, and keeps it until the transaction ends.
pub async fn lock_session(db: &impl ConnectionTrait, session: SessionId) -> Result<bool, DbErr> {
    let found = sessions::Entity::find_by_id(session).lock_exclusive().one(db).await?;
    Ok(found.is_some())
}

pub async fn end_session(db: &impl ConnectionTrait, session: SessionId) -> Result<(), DbErr> {
    sessions::Entity::delete_by_id(session).exec(db).await?;
    Ok(())
}

/// Lets the stored token with the secret of this one expire as late as this one. Returns whether there is such a token.
pub async fn extend(db: &impl ConnectionTrait, token: &Model) -> Result<bool, DbErr> {
    let known = Entity::update_many()
        .col_expr(Column::ExpiresAt, Expr::value(token.expires_at))
        .filter(Column::Hash.eq(token.hash.clone()))
        .filter(Column::SessionId.eq(token.session_id));
    Ok(known.exec(db).await?.rows_affected > 0)
}

/// Inserts the token of a session. If another transaction has just done so, this one begins again.
pub async fn insert_of_session(db: &impl ConnectionTrait, token: &Model) -> Result<(), DbErr> {
    let known = OnConflict::column(Column::Hash)
        .update_column(Column::ExpiresAt)
        .to_owned();
    let row = token.clone().into_active_model().reset_all();
    Entity::insert(row)
        .on_conflict(known)
        .exec_without_returning(db)
        .await?;
    Ok(())
}
