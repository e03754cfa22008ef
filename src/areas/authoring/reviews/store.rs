//! Queries of reviews. Each is restricted to one change request.

use entity::{
    authoring::change_requests::{
        requested_reviewers,
        reviews::{Column, Entity, Model},
    },
    identity::users,
    ids::{ChangeRequestId, ReviewId, RevisionId, UserId},
    timestamp::Timestamp,
};
use platform::db::{Keyset, Page};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, DerivePartialModel, EntityTrait, IntoActiveModel, JoinType,
    QueryFilter, QuerySelect, RelationDef, Select, sea_query::OnConflict,
};

use crate::access::rows::UserColumns;

/// The aliases of the joined users.
const REVIEWER: &str = "reviewer";
const REQUESTER: &str = "requester";

/// A review with the users it names.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct ReviewRow {
    #[sea_orm(nested)]
    pub review: Model,
    #[sea_orm(nested, alias = "reviewer")]
    pub reviewer: UserColumns,
    #[sea_orm(nested, alias = "requester")]
    pub requester: Option<UserColumns>,
}

/// The reviews of a change request: all, only those of other revisions than `revision` (`true`), or only its own
/// (`false`).
pub fn of_request(request: ChangeRequestId, revision: RevisionId, outdated: Option<bool>) -> Select<Entity> {
    let found = Entity::find().filter(Column::ChangeRequestId.eq(request));
    match outdated {
        None => found,
        Some(true) => found.filter(Column::RevisionId.ne(revision)),
        Some(false) => found.filter(Column::RevisionId.eq(revision)),
    }
}

/// Newest first: ids are time-ordered.
pub async fn page(
    db: &impl ConnectionTrait,
    found: Select<Entity>,
    after: Option<ReviewId>,
    limit: u64,
) -> Result<Page<ReviewRow, ReviewId>, DbErr> {
    let order = Keyset::descending([(Entity, Column::Id)]);
    let run = |query: Select<Entity>| query.into_partial_model().all(db);
    order
        .page(with_people(found), after, limit, run, |row: &ReviewRow| row.review.id)
        .await
}

pub async fn find(
    db: &impl ConnectionTrait,
    request: ChangeRequestId,
    review: ReviewId,
) -> Result<Option<ReviewRow>, DbErr> {
    let found = Entity::find_by_id(review).filter(Column::ChangeRequestId.eq(request));
    with_people(found).into_partial_model().one(db).await
}

fn with_people(found: Select<Entity>) -> Select<Entity> {
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

/// A request for a review with the users it names.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "requested_reviewers::Entity")]
pub struct RequestedReviewerRow {
    #[sea_orm(nested)]
    pub request_row: requested_reviewers::Model,
    #[sea_orm(nested, alias = "reviewer")]
    pub reviewer: UserColumns,
    #[sea_orm(nested, alias = "requester")]
    pub requester: UserColumns,
}

type RequestKey = (Timestamp, UserId);

pub fn requests_of(request: ChangeRequestId) -> Select<requested_reviewers::Entity> {
    requested_reviewers::Entity::find().filter(requested_reviewers::Column::ChangeRequestId.eq(request))
}

/// Newest requests first.
pub async fn requests_page(
    db: &impl ConnectionTrait,
    found: Select<requested_reviewers::Entity>,
    after: Option<RequestKey>,
    limit: u64,
) -> Result<Page<RequestedReviewerRow, RequestKey>, DbErr> {
    use requested_reviewers::{Column, Entity};
    let order = Keyset::descending([Column::CreatedAt, Column::UserId].map(|column| (Entity, column)));
    let run = |query: Select<Entity>| query.into_partial_model().all(db);
    let key = |row: &RequestedReviewerRow| (row.request_row.created_at, row.request_row.user_id);
    order.page(with_request_people(found), after, limit, run, key).await
}

/// The requests for reviews by these users.
pub async fn find_requests(
    db: &impl ConnectionTrait,
    request: ChangeRequestId,
    users: &[UserId],
) -> Result<Vec<RequestedReviewerRow>, DbErr> {
    let found = requests_of(request).filter(requested_reviewers::Column::UserId.is_in(users.iter().copied()));
    with_request_people(found).into_partial_model().all(db).await
}

fn with_request_people(found: Select<requested_reviewers::Entity>) -> Select<requested_reviewers::Entity> {
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

/// Inserts requests for reviews and keeps existing ones. Returns the number of new ones.
pub async fn insert_requests(
    db: &impl ConnectionTrait,
    requests: Vec<requested_reviewers::Model>,
) -> Result<u64, DbErr> {
    use requested_reviewers::{Column, Entity};
    if requests.is_empty() {
        return Ok(0);
    }
    let rows = requests
        .into_iter()
        .map(|request_row| request_row.into_active_model().reset_all());
    let inserted = Entity::insert_many(rows)
        .on_conflict(
            OnConflict::columns([Column::ChangeRequestId, Column::UserId])
                .do_nothing()
                .to_owned(),
        )
        .exec_without_returning(db)
        .await;
    match inserted {
        Ok(new) => Ok(new),
        Err(DbErr::RecordNotInserted) => Ok(0),
        Err(e) => Err(e),
    }
}

/// Deletes the request for a review by a user. Returns the user who had made the request.
pub async fn delete_request(
    db: &impl ConnectionTrait,
    request: ChangeRequestId,
    user: UserId,
) -> Result<Option<UserId>, DbErr> {
    let found = requested_reviewers::Entity::find_by_id((request, user)).one(db).await?;
    let Some(request_row) = found else {
        return Ok(None);
    };
    requested_reviewers::Entity::delete_by_id((request, user))
        .exec(db)
        .await?;
    Ok(Some(request_row.requested_by))
}
