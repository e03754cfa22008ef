//! Queries of change requests. Each is restricted to a space or an organization.

use entity::{
    authoring::change_requests::{
        Column, Entity, Model,
        contributors::{self, ContributorAction},
        requested_reviewers,
    },
    identity::users,
    ids::{ChangeRequestId, IssuesClusterId, NodeId, OrganizationId, RevisionId, SiteId, UserId},
    library::{nodes, spaces},
    timestamp::Timestamp,
};
use openapi::error::{ApiError, ErrorRule, ErrorType};
use platform::db::{Keyset, Page, Range, Ranges, count};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, DerivePartialModel, EntityTrait, Iterable, JoinType, QueryFilter,
    QuerySelect, QueryTrait, RelationDef, Select, Value,
    sea_query::{Expr, IntoValueTuple},
};

use super::{Status, not_found};
use crate::{
    access::{
        node_levels::{Member, is_visible_space},
        rows::UserColumns,
    },
    areas::{
        conversations::conversations::clusters,
        joins::{open_comments, site_spaces},
        library::tree,
    },
};

/// The alias of the user who merged a change request.
const MERGER: &str = "merger";

/// A change request with its creator, the user who merged it, and the revision of its space.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct ChangeRequestWithCreator {
    #[sea_orm(nested)]
    pub request: Model,
    #[sea_orm(nested)]
    pub creator: UserColumns,
    #[sea_orm(nested, alias = "merger")]
    pub merger: Option<UserColumns>,
    /// The current revision of the space.
    #[sea_orm(from_expr = "spaces::Column::RevisionId")]
    pub current: RevisionId,
}

/// A change request with its number of open comments.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct ChangeRequestWithComments {
    #[sea_orm(nested)]
    pub row: ChangeRequestWithCreator,
    #[sea_orm(from_expr = "open_comments::sum((Entity, Column::Id))")]
    pub comments: i64,
}

/// A contributor with the user.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "contributors::Entity")]
pub struct ContributorRow {
    pub action: ContributorAction,
    pub count: i32,
    pub updated_at: Timestamp,
    #[sea_orm(nested)]
    pub user: UserColumns,
}

/// The filters of a list of change requests.
pub struct ChangeRequestFilters {
    /// Each status once.
    pub statuses: Vec<Status>,
    pub creator: Option<UserId>,
    pub contributor: Option<UserId>,
    pub reviewer: Option<UserId>,
    pub cluster: Option<IssuesClusterId>,
    pub space: Option<NodeId>,
    pub site: Option<SiteId>,
}

impl ChangeRequestFilters {
    /// The number of matching change requests of a space, if the space has a counter of them.
    pub fn kept_count(&self, space: &spaces::Model) -> Option<u64> {
        let by_people = self.creator.is_some() || self.contributor.is_some() || self.reviewer.is_some();
        if by_people || self.cluster.is_some() {
            return None;
        }
        if <Status as Iterable>::iter().all(|status| self.statuses.contains(&status)) {
            return Some(count(space.change_requests));
        }
        let counts = self.statuses.iter().map(|status| match status {
            Status::Draft => Some(count(space.change_requests_draft)),
            Status::Open => Some(count(space.change_requests_open)),
            Status::Archived | Status::Merged => None,
        });
        counts.sum()
    }

    /// The change requests that match, those with each status as a range. `column` with `value` selects the ones of a space or
    /// an organization.
    pub fn apply(&self, column: Column, value: Value) -> Ranges<Entity> {
        let with_status = |status: &Status| {
            let values = [
                Some((column, value.clone())),
                self.creator.map(|creator| (Column::CreatedBy, creator.into())),
                Some((Column::Status, (*status).into())),
            ];
            let values = values.into_iter().flatten().collect();
            let range = Range::with_values(self.apply_others(Entity::find()), values);
            if self.has_subset() {
                // Without bounds SQLite begins with the change requests of the person, the cluster or the spaces, not with all of them.
                return range.all().into();
            }
            range
        };
        Ranges::new(self.statuses.iter().map(with_status).collect())
    }

    /// Returns whether the change requests are among those of a person other than the creator, of a cluster or of spaces.
    fn has_subset(&self) -> bool {
        let of_person = self.contributor.is_some() || self.reviewer.is_some();
        of_person || self.cluster.is_some() || self.space.is_some() || self.site.is_some()
    }

    fn apply_others(&self, requests: Select<Entity>) -> Select<Entity> {
        let is_contributor = |user: UserId| Column::Id.in_subquery(contributed_to(user).into_query());
        let is_reviewer = |user: UserId| Column::Id.in_subquery(review_requested_from(user).into_query());
        let people = [self.contributor.map(is_contributor), self.reviewer.map(is_reviewer)];
        let found = people
            .into_iter()
            .flatten()
            .fold(requests, |found, holds| found.filter(holds));
        let conditions = [
            self.cluster
                .map(|cluster| Column::ConversationsIssuesClusterId.eq(cluster)),
            self.space.map(|space| Column::SpaceId.eq(space)),
            self.site
                .map(|site| Column::SpaceId.in_subquery(site_spaces::in_site(site))),
        ];
        conditions
            .into_iter()
            .flatten()
            .fold(found, |found, condition| found.filter(condition))
    }
}

/// Change requests whose content a user has edited.
fn contributed_to(user: UserId) -> Select<contributors::Entity> {
    use contributors::{Column, Entity};
    Entity::find()
        .select_only()
        .column(Column::ChangeRequestId)
        .filter(Column::UserId.eq(user))
        .filter(Column::Action.eq(ContributorAction::Edit))
}

/// Change requests that a user was asked to review.
fn review_requested_from(user: UserId) -> Select<requested_reviewers::Entity> {
    use requested_reviewers::{Column, Entity};
    Entity::find()
        .select_only()
        .column(Column::ChangeRequestId)
        .filter(Column::UserId.eq(user))
}

pub fn of_space(space: NodeId) -> Select<Entity> {
    Entity::find().filter(Column::SpaceId.eq(space))
}

/// Narrows a query over change requests down to those of spaces that a member sees.
pub fn visible_to(member: &Member, requests: Select<Entity>) -> Select<Entity> {
    requests.filter(is_visible_space(member, (Entity, Column::SpaceId)))
}

/// Newest first: ids are time-ordered.
pub fn newest_first() -> Keyset {
    Keyset::descending([(Entity, Column::Id)])
}

pub fn last_changed_first() -> Keyset {
    Keyset::descending([(Entity, Column::UpdatedAt), (Entity, Column::Id)])
}

pub async fn page<K: IntoValueTuple + Clone>(
    db: &impl ConnectionTrait,
    found: &Ranges<Entity>,
    order: &Keyset,
    (after, limit): (Option<K>, u64),
    key: impl Fn(&ChangeRequestWithCreator) -> K,
) -> Result<Page<ChangeRequestWithCreator, K>, DbErr> {
    let run = |query: Select<Entity>| query.into_partial_model().all(db);
    // One row more than requested shows whether there is a next page.
    let first = found.first(order, after, limit.saturating_add(1));
    order.page(with_joins(first), None, limit, run, key).await
}

pub async fn find(
    db: &impl ConnectionTrait,
    space: NodeId,
    request: ChangeRequestId,
) -> Result<Option<ChangeRequestWithCreator>, DbErr> {
    let found = of_space(space).filter(Column::Id.eq(request));
    with_joins(found).into_partial_model().one(db).await
}

/// The change request of a space that a condition selects.
pub async fn find_named(db: &impl ConnectionTrait, space: NodeId, named: Condition) -> Result<Option<Model>, DbErr> {
    of_space(space).filter(named).one(db).await
}

/// Change requests of several spaces.
pub async fn find_all(
    db: &impl ConnectionTrait,
    wanted: &[(NodeId, ChangeRequestId)],
) -> Result<Vec<ChangeRequestWithCreator>, DbErr> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let (spaces, ids): (Vec<NodeId>, Vec<ChangeRequestId>) = wanted.iter().copied().unzip();
    let found = Entity::find()
        .filter(Column::SpaceId.is_in(spaces))
        .filter(Column::Id.is_in(ids));
    with_joins(found).into_partial_model().all(db).await
}

pub async fn find_counted(
    db: &impl ConnectionTrait,
    space: NodeId,
    request: ChangeRequestId,
) -> Result<Option<ChangeRequestWithComments>, DbErr> {
    let found = of_space(space).filter(Column::Id.eq(request));
    with_joins(found).into_partial_model().one(db).await
}

/// Joins the tables that a [`ChangeRequestWithCreator`] reads.
pub fn with_joins(found: Select<Entity>) -> Select<Entity> {
    let user = |column: Column| -> RelationDef {
        Entity::belongs_to(users::Entity)
            .from(column)
            .to(users::Column::Id)
            .into()
    };
    found
        .inner_join(spaces::Entity)
        .join(JoinType::InnerJoin, user(Column::CreatedBy))
        .join_as(JoinType::LeftJoin, user(Column::MergedBy), MERGER)
}

/// The present cluster of the one that a body names as `conversationsIssuesCluster`.
pub async fn present_cluster(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    named: Option<IssuesClusterId>,
) -> Result<Option<IssuesClusterId>, ApiError> {
    let Some(named) = named else {
        return Ok(None);
    };
    let unknown = || {
        let message = "`conversationsIssuesCluster` is not a cluster of issues of the organization.";
        ApiError::invalid_member("/body/conversationsIssuesCluster", ErrorRule::UnknownCluster, message)
    };
    let present = clusters::present(db, organization, named).await?;
    present.map(Some).ok_or_else(unknown)
}

/// Lets the change requests of a cluster follow it into the one that it is merged into.
pub async fn move_to_cluster(
    db: &impl ConnectionTrait,
    former: IssuesClusterId,
    present: IssuesClusterId,
) -> Result<(), DbErr> {
    let of_former = Entity::update_many()
        .col_expr(Column::ConversationsIssuesClusterId, Expr::value(present))
        .filter(Column::ConversationsIssuesClusterId.eq(former));
    of_former.exec(db).await.map(drop)
}

/// Locks the change request and returns its current row. Other writers wait.
pub async fn lock(db: &impl ConnectionTrait, node: &nodes::Model, request: &Model) -> Result<Model, ApiError> {
    tree::reload(db, node).await?;
    let found = of_space(request.space_id).filter(Column::Id.eq(request.id));
    let found = found.lock_exclusive().one(db).await?;
    found.ok_or_else(not_found)
}

/// Refuses changes to the content of a merged or archived change request, and to its reviews and conflicts.
pub fn require_active(request: &Model) -> Result<(), ApiError> {
    match request.status {
        Status::Draft | Status::Open => Ok(()),
        Status::Archived => {
            let message = "The change request is archived.";
            Err(ApiError::new(ErrorType::ChangeRequestArchived, message))
        }
        Status::Merged => Err(merged_error()),
    }
}

/// Refuses changes to a merged change request.
pub fn require_unmerged(request: &Model) -> Result<(), ApiError> {
    match request.status {
        Status::Draft | Status::Open | Status::Archived => Ok(()),
        Status::Merged => Err(merged_error()),
    }
}

pub fn merged_error() -> ApiError {
    ApiError::new(ErrorType::ChangeRequestMerged, "The change request is merged.")
}
