//! Users in the database.

use std::collections::HashMap;

use entity::{
    identity::users::{ActiveModel, Column, Entity, Model},
    ids::UserId,
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorType},
    models::UpdateUser,
};
use platform::db::{ReadRows, fold, is_unique_violation, positional, rows};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{BinOper, Expr, ExprTrait, Func, OnConflict, Query, SelectStatement},
};

use crate::access::rows::UserColumns;

/// The number of ids in one query: databases limit the parameters of a statement.
const IDS_PER_QUERY: usize = 10_000;

/// The domain in the addresses of the users in whose name integrations write. No mail can be sent there.
pub const INTEGRATIONS_DOMAIN: &str = "integrations.invalid";

pub async fn find(db: &impl ConnectionTrait, user: UserId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(user).one(db).await
}

pub async fn find_by_email(db: &impl ConnectionTrait, email: &str) -> Result<Option<Model>, DbErr> {
    Entity::find().filter(Column::Email.eq(fold(email))).one(db).await
}

/// The columns of these users in answers. One query for each [`IDS_PER_QUERY`] ids.
pub async fn of_ids(db: &impl ReadRows, ids: &[UserId]) -> Result<Vec<UserColumns>, DbErr> {
    let mut users = Vec::with_capacity(ids.len());
    for ids in ids.chunks(IDS_PER_QUERY) {
        let found = Entity::find().filter(Column::Id.is_in(ids.iter().copied()));
        users.extend(positional::all::<UserColumns, _>(db, found).await?);
    }
    Ok(users)
}

/// The users who have these addresses, which are in lower case.
pub async fn ids_by_email(db: &impl ConnectionTrait, emails: Vec<String>) -> Result<HashMap<String, UserId>, DbErr> {
    let query = Entity::find()
        .select_only()
        .columns([Column::Email, Column::Id])
        .filter(Column::Email.is_in(emails));
    Ok(query.into_tuple().all(db).await?.into_iter().collect())
}

/// Inserts users whose addresses nobody has.
pub async fn insert_new(db: &impl ConnectionTrait, users: Vec<Model>) -> Result<(), DbErr> {
    if users.is_empty() {
        return Ok(());
    }
    let rows = users.into_iter().map(|user| user.into_active_model().reset_all());
    // Skips nobody: somebody who has an address since it was looked up makes PostgreSQL run the transaction again, and
    // without this clause it would fail.
    let nobody_twice = OnConflict::column(Column::Email).do_nothing().to_owned();
    Entity::insert_many(rows)
        .on_conflict(nobody_twice)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// All people. The users in whose name integrations write are left out.
pub async fn all(db: &impl ConnectionTrait) -> Result<Vec<Model>, DbErr> {
    let people = Entity::find().filter(Column::Email.not_like(format!("%@{INTEGRATIONS_DOMAIN}")));
    people.order_by_asc(Column::Id).all(db).await
}

pub fn new(id: UserId, now: Timestamp, email: &str, display_name: &str) -> Model {
    let email = fold(email);
    Model {
        id,
        search_text: search_text(display_name, &email),
        email,
        email_verified: true,
        display_name: display_name.to_owned(),
        photo_url: None,
        created_at: now,
        suspended_at: None,
    }
}

fn search_text(display_name: &str, email: &str) -> String {
    format!("{}\n{email}", fold(display_name))
}

pub async fn insert(db: &impl ConnectionTrait, user: &Model) -> Result<(), ApiError> {
    match rows::insert(db, user).await {
        Err(e) if is_unique_violation(&e) => Err(ApiError::new(
            ErrorType::EmailTaken,
            "Another user has this email address.",
        )),
        done => Ok(done?),
    }
}

/// Gives an invited user what is known of the person whose address it is.
pub async fn take_over(db: &impl ConnectionTrait, invited: Model, person: Model) -> Result<Model, DbErr> {
    let mut row = invited.into_active_model();
    row.display_name = Set(person.display_name);
    row.search_text = Set(person.search_text);
    row.email_verified = Set(true);
    let user = row.update(db).await?;
    rename_member(db, user.id).await?;
    Ok(user)
}

/// Notes that the address of a user is theirs.
pub async fn verify(db: &impl ConnectionTrait, user: Model) -> Result<Model, DbErr> {
    if user.email_verified {
        return Ok(user);
    }
    let mut row = user.into_active_model();
    row.email_verified = Set(true);
    row.update(db).await
}

/// The folded display name of a user, by which members are sorted: the first line of the search text.
pub fn sort_name(user: UserId) -> SelectStatement {
    let text = Expr::col((Entity, Column::SearchText));
    let email = Expr::val("\n").binary(BinOper::Custom("||"), Expr::col((Entity, Column::Email)));
    let name = Func::cust("replace").args([text, email, Expr::val("")]);
    Query::select()
        .expr(name)
        .from(Entity)
        .and_where(Expr::col((Entity, Column::Id)).eq(user))
        .take()
}

/// Renames the user in lists of members.
async fn rename_member(db: &impl ConnectionTrait, user: UserId) -> Result<(), DbErr> {
    use entity::organizations::members::{Column, Entity};
    Entity::update_many()
        .col_expr(Column::SortName, sort_name(user).into())
        .filter(Column::UserId.eq(user))
        .exec(db)
        .await?;
    Ok(())
}

pub async fn update(db: &impl ConnectionTrait, user: UserId, change: UpdateUser) -> Result<Model, ApiError> {
    let stored = find(db, user).await?.ok_or_else(|| ApiError::not_found("user"))?;
    let UpdateUser {
        display_name,
        photo_url,
    } = change;
    if display_name.is_none() && photo_url.is_none() {
        return Ok(stored);
    }
    let email = stored.email.clone();
    let mut row = stored.into_active_model();
    let is_renamed = display_name.is_some();
    if let Some(name) = display_name {
        row.search_text = Set(search_text(&name, &email));
        row.display_name = Set(name);
    }
    if let Some(url) = photo_url {
        row.photo_url = Set(Some(url));
    }
    let updated = row.update(db).await?;
    if is_renamed {
        rename_member(db, user).await?;
    }
    Ok(updated)
}

pub async fn set_suspended(db: &impl ConnectionTrait, user: UserId, at: Option<Timestamp>) -> Result<(), ApiError> {
    let row = ActiveModel {
        id: Set(user),
        suspended_at: Set(at),
        ..Default::default()
    };
    match row.update(db).await {
        Ok(_) => Ok(()),
        Err(DbErr::RecordNotUpdated) => Err(ApiError::not_found("user")),
        Err(e) => Err(e.into()),
    }
}
