//! Tokens in the database; the user is always part of the question.

use entity::{
    ids::{TokenId, UserId},
    tokens::{Column, Entity, Model},
};
use openapi::error::ApiError;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    Select,
};

use crate::{db::is_unique_violation, errors::WriteError};

pub fn of(user: UserId) -> Select<Entity> {
    Entity::find().filter(Column::UserId.eq(user))
}

pub async fn all(db: &impl ConnectionTrait, user: UserId) -> Result<Vec<Model>, DbErr> {
    of(user).order_by_asc(Column::Id).all(db).await
}

pub async fn insert(db: &impl ConnectionTrait, token: Model) -> Result<Model, WriteError> {
    match token.into_active_model().reset_all().insert(db).await {
        Ok(token) => Ok(token),
        Err(e) if is_unique_violation(&e) => {
            Err(ApiError::conflict("token-taken", "This token is in use already.").into())
        }
        Err(e) => Err(e.into()),
    }
}

/// Removes a token of the user and returns it, if there was one.
pub async fn remove(db: &impl ConnectionTrait, user: UserId, token: TokenId) -> Result<Option<Model>, WriteError> {
    let query = Entity::find_by_id(token).filter(Column::UserId.eq(user));
    let Some(row) = query.one(db).await? else {
        return Ok(None);
    };
    Entity::delete_by_id(token).exec(db).await?;
    Ok(Some(row))
}
