//! Tokens in the database; the user is always part of the query.

use entity::{
    ids::UserId,
    tokens::{Column, Entity, Model},
};
use openapi::error::{ApiError, ErrorType};
use platform::db::{is_unique_violation, rows};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, Select};

pub fn of(user: UserId) -> Select<Entity> {
    Entity::find().filter(Column::UserId.eq(user))
}

pub async fn all(db: &impl ConnectionTrait, user: UserId) -> Result<Vec<Model>, DbErr> {
    of(user).order_by_asc(Column::Id).all(db).await
}

pub async fn insert(db: &impl ConnectionTrait, token: &Model) -> Result<(), ApiError> {
    match rows::insert(db, token).await {
        Err(e) if is_unique_violation(&e) => {
            Err(ApiError::new(ErrorType::TokenTaken, "Another token has this secret."))
        }
        done => Ok(done?),
    }
}
