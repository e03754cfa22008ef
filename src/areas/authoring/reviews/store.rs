//! Reviews in the database; the change request is always part of the question.

use entity::{
    change_requests::{
        requested_reviewers,
        reviews::{Column, Entity, Model},
    },
    ids::{ChangeRequestId, ReviewId, RevisionId, UserId},
    timestamp::Timestamp,
    users,
};
use platform::db::{Keyset, Page};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, DerivePartialModel, EntityTrait, IntoActiveModel, JoinType,
    QueryFilter, QuerySelect, RelationDef, Select, sea_query::OnConflict,
};

use crate::access::rows::UserColumns;

/// What the users that a row names are joined as.
const REVIEWER: &str = "reviewer";
const REQUESTER: &str = "requester";

/// What answers show of a review.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct Row {
    #[sea_orm(nested)]
    pub review: Model,
    #[sea_orm(nested, alias = "reviewer")]
    pub reviewer: UserColumns,
    #[sea_orm(nested, alias = "requester")]
    pub requester: Option<UserColumns>,
}

/// The reviews of a change request: all, or those of another content than `revision` (`true`), or of it (`false`).
pub fn of_request(request: ChangeRequestId, revision: RevisionId, outdated: Option<bool>) -> Select<Entity> {
    let found = Entity::find().filter(Column::ChangeRequestId.eq(request));
    match outdated {
        None => found,
        Some(true) => found.filter(Column::RevisionId.ne(revision)),
        Some(false) => found.filter(Column::RevisionId.eq(revision)),
    }
}

/// The latest first: ids grow with time.
pub async fn page(
    db: &impl ConnectionTrait,
    found: Select<Entity>,
    after: Option<ReviewId>,
    limit: u64,
) -> Result<Page<Row, ReviewId>, DbErr> {
    let order = Keyset::descending([(Entity, Column::Id)]);
    let run = |query: Select<Entity>| query.into_partial_model().all(db);
    order
        .page(shown(found), after, limit, run, |row: &Row| row.review.id)
        .await
}

pub async fn find(db: &impl ConnectionTrait, request: ChangeRequestId, review: ReviewId) -> Result<Option<Row>, DbErr> {
    let found = Entity::find_by_id(review).filter(Column::ChangeRequestId.eq(request));
    shown(found).into_partial_model().one(db).await
}

fn shown(found: Select<Entity>) -> Select<Entity> {
    let user = |column: Column| -> RelationDef {
        Entity::belongs_to(users::Entity)
            .from(column)
            .to(users::Column::Id)
            .into()
    };
    found
        .join_as(JoinType::InnerJoin, user(Column::ReviewerId), REVIEWER)
        .join_as(JoinType::LeftJoin, user(Column::RequestedBy), REQUESTER)
}

/// What answers show of somebody who was asked for a review.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "requested_reviewers::Entity")]
pub struct Requested {
    #[sea_orm(nested)]
    pub place: requested_reviewers::Model,
    #[sea_orm(nested, alias = "reviewer")]
    pub reviewer: UserColumns,
    #[sea_orm(nested, alias = "requester")]
    pub requester: UserColumns,
}

type Key = (Timestamp, UserId);

pub fn asked(request: ChangeRequestId) -> Select<requested_reviewers::Entity> {
    requested_reviewers::Entity::find().filter(requested_reviewers::Column::ChangeRequestId.eq(request))
}

/// Whoever was asked last comes first.
pub async fn asked_page(
    db: &impl ConnectionTrait,
    found: Select<requested_reviewers::Entity>,
    after: Option<Key>,
    limit: u64,
) -> Result<Page<Requested, Key>, DbErr> {
    use requested_reviewers::{Column, Entity};
    let order = Keyset::descending([Column::CreatedAt, Column::UserId].map(|column| (Entity, column)));
    let run = |query: Select<Entity>| query.into_partial_model().all(db);
    let key = |row: &Requested| (row.place.created_at, row.place.user_id);
    order.page(with_people(found), after, limit, run, key).await
}

/// Those of the users who were asked.
pub async fn asked_among(
    db: &impl ConnectionTrait,
    request: ChangeRequestId,
    users: &[UserId],
) -> Result<Vec<Requested>, DbErr> {
    let found = asked(request).filter(requested_reviewers::Column::UserId.is_in(users.iter().copied()));
    with_people(found).into_partial_model().all(db).await
}

fn with_people(found: Select<requested_reviewers::Entity>) -> Select<requested_reviewers::Entity> {
    use requested_reviewers::{Column, Entity};
    let user = |column: Column| -> RelationDef {
        Entity::belongs_to(users::Entity)
            .from(column)
            .to(users::Column::Id)
            .into()
    };
    found
        .join_as(JoinType::InnerJoin, user(Column::UserId), REVIEWER)
        .join_as(JoinType::InnerJoin, user(Column::RequestedBy), REQUESTER)
}

/// Asks people; who was asked before stays as they are. Answers how many are new.
pub async fn ask(db: &impl ConnectionTrait, places: Vec<requested_reviewers::Model>) -> Result<u64, DbErr> {
    use requested_reviewers::{Column, Entity};
    if places.is_empty() {
        return Ok(0);
    }
    let rows = places.into_iter().map(|place| place.into_active_model().reset_all());
    let asked = Entity::insert_many(rows)
        .on_conflict(
            OnConflict::columns([Column::ChangeRequestId, Column::UserId])
                .do_nothing()
                .to_owned(),
        )
        .exec_without_returning(db)
        .await;
    match asked {
        Ok(new) => Ok(new),
        Err(DbErr::RecordNotInserted) => Ok(0),
        Err(e) => Err(e),
    }
}

/// Somebody is not asked any more. Answers who had asked, if anybody did.
pub async fn take_back(
    db: &impl ConnectionTrait,
    request: ChangeRequestId,
    user: UserId,
) -> Result<Option<UserId>, DbErr> {
    let found = requested_reviewers::Entity::find_by_id((request, user)).one(db).await?;
    let Some(place) = found else {
        return Ok(None);
    };
    requested_reviewers::Entity::delete_by_id((request, user))
        .exec(db)
        .await?;
    Ok(Some(place.requested_by))
}
