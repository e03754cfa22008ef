//! Teams in the database; the organization is always part of the query.

use std::collections::{HashMap, HashSet};

use entity::{
    identity::users,
    ids::{OrganizationId, TeamId, UserId},
    organizations::{
        members,
        teams::{
            Column, Entity, Model,
            members::{self as team_members, TeamMemberRole},
        },
    },
    timestamp::Timestamp,
};
use openapi::{error::ApiError, models::SCANNED_TO};
use platform::db::{Keyset, Page, Scan, contains, fold, rows};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, DerivePartialModel, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    QueryTrait, Select,
    sea_query::{Expr, ExprTrait},
};

use serde::Serialize;

use super::unknown;
use crate::{
    access::rows::TeamRef,
    kernel::{audit::AuditTarget, lists::List},
};

pub fn target(team: &TeamRef) -> AuditTarget {
    AuditTarget::in_organization(team.organization, "team", team.team)
}

/// The filters of a list of teams.
pub struct TeamFilters<'a> {
    /// Part of the title.
    pub title: Option<&'a str>,
    pub owner: Option<UserId>,
}

impl TeamFilters<'_> {
    fn rows(&self, organization: OrganizationId) -> Select<Entity> {
        let query = of(organization);
        match self.owner {
            None => query,
            Some(owner) => query.filter(Column::Id.in_subquery(managed_by(organization, owner).into_query())),
        }
    }
}

fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

fn managed_by(organization: OrganizationId, owner: UserId) -> Select<team_members::Entity> {
    use team_members::{Column, Entity};
    Entity::find()
        .select_only()
        .column(Column::TeamId)
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::UserId.eq(owner))
        .filter(Column::Role.eq(TeamMemberRole::Owner))
}

/// A page of the teams, the newest first, with the number of all of them if it is known.
pub async fn page<S: Serialize>(
    db: &impl ConnectionTrait,
    list: &List<'_, S>,
    organization: OrganizationId,
    filters: &TeamFilters<'_>,
) -> Result<(Page<Model, TeamId>, Option<u64>), ApiError> {
    let order = Keyset::descending([(Entity, Column::Id)]);
    let rows = filters.rows(organization);
    let run = |query: Select<Entity>| query.all(db);
    let key = |row: &Model| row.id;
    match filters.title {
        Some(title) => {
            let filter = |teams: Select<Entity>| teams.filter(contains((Entity, Column::TitleFolded), title));
            list.load_scan(&Scan::new(rows, order, filter, SCANNED_TO), run, key)
                .await
        }
        None => {
            let page = order.page(rows.clone(), list.after()?, list.limit, run, key).await?;
            let count = list.count(rows, &page).await?;
            Ok((page, count))
        }
    }
}

/// The teams of a member, the newest first, with the role in each.
pub async fn page_of_member(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    member: UserId,
    title: Option<&str>,
    after: Option<TeamId>,
    limit: u64,
) -> Result<Page<(Model, TeamMemberRole), TeamId>, DbErr> {
    let order = Keyset::descending([(team_members::Entity, team_members::Column::TeamId)]);
    let query = of_member(organization, member, title).select_also(Entity);
    let page = order
        .page(query, after, limit, |query| query.all(db), |(row, _)| row.team_id)
        .await?;
    Ok(page.filter_map(|(row, team)| Some((team?, row.role))))
}

pub fn of_member(organization: OrganizationId, member: UserId, title: Option<&str>) -> Select<team_members::Entity> {
    use team_members::{Column as MembershipColumn, Entity as Memberships};
    let query = Memberships::find()
        .inner_join(Entity)
        .filter(MembershipColumn::OrganizationId.eq(organization))
        .filter(MembershipColumn::UserId.eq(member));
    match title {
        None => query,
        Some(title) => query.filter(contains((Entity, Column::TitleFolded), title)),
    }
}

pub async fn find(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    team: TeamId,
) -> Result<Option<Model>, DbErr> {
    rows::find(db, of(organization), team).await
}

pub fn new(id: TeamId, organization: OrganizationId, title: String, now: Timestamp) -> Model {
    Model {
        id,
        organization_id: organization,
        title_folded: fold(&title),
        title,
        members_count: 0,
        created_at: now,
    }
}

pub async fn rename(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    team: TeamId,
    title: String,
) -> Result<Model, ApiError> {
    let mut row = find(db, organization, team)
        .await?
        .ok_or_else(unknown)?
        .into_active_model();
    row.title_folded = Set(fold(&title));
    row.title = Set(title);
    Ok(row.update(db).await?)
}

/// Removes a team and returns it, if there was one.
pub async fn remove(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    team: TeamId,
) -> Result<Option<Model>, ApiError> {
    use team_members::{Column as MembershipColumn, Entity as Memberships};
    // Locked before its members, in the same order as when members are added or removed, so that there is no deadlock.
    let query = Entity::find_by_id(team).filter(Column::OrganizationId.eq(organization));
    let Some(row) = query.lock_exclusive().one(db).await? else {
        return Ok(None);
    };
    let in_team = Memberships::find()
        .select_only()
        .column(MembershipColumn::UserId)
        .filter(MembershipColumn::TeamId.eq(team));
    change_teams_count(
        db,
        organization,
        members::Column::UserId.in_subquery(in_team.into_query()),
        -1,
    )
    .await?;
    // The foreign key deletes the memberships with the team.
    Entity::delete_by_id(team)
        .filter(Column::OrganizationId.eq(organization))
        .exec(db)
        .await?;
    Ok(Some(row))
}

pub async fn change_teams_count(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    which: Expr,
    by: i32,
) -> Result<(), DbErr> {
    use members::{Column, Entity};
    Entity::update_many()
        .col_expr(Column::TeamsCount, Expr::col(Column::TeamsCount).add(by))
        .filter(Column::OrganizationId.eq(organization))
        .filter(which)
        .exec(db)
        .await?;
    Ok(())
}

/// A membership in a team, with the member.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "team_members::Entity")]
pub struct TeamMemberRow {
    pub role: TeamMemberRole,
    pub added_at: Timestamp,
    #[sea_orm(nested)]
    pub member: crate::areas::organizations::members::store::MemberColumns,
}

/// The members of a team, the latest first.
pub async fn members_page(
    db: &impl ConnectionTrait,
    team: TeamId,
    after: Option<(Timestamp, UserId)>,
    limit: u64,
) -> Result<Page<TeamMemberRow, (Timestamp, UserId)>, DbErr> {
    use team_members::{Column, Entity};
    let order = Keyset::descending([Column::AddedAt, Column::UserId].map(|column| (Entity, column)));
    let query = Entity::find()
        .left_join(members::Entity)
        .left_join(users::Entity)
        .filter(Column::TeamId.eq(team));
    let run = |query: Select<Entity>| query.into_partial_model().all(db);
    let key = |row: &TeamMemberRow| (row.added_at, row.member.user.id);
    order.page(query, after, limit, run, key).await
}

/// The roles of a user in these teams.
pub async fn roles_in_teams(
    db: &impl ConnectionTrait,
    user: UserId,
    teams: Vec<TeamId>,
) -> Result<HashMap<TeamId, TeamMemberRole>, DbErr> {
    use team_members::{Column, Entity};
    if teams.is_empty() {
        return Ok(HashMap::new());
    }
    let query = Entity::find()
        .select_only()
        .columns([Column::TeamId, Column::Role])
        .filter(Column::UserId.eq(user))
        .filter(Column::TeamId.is_in(teams));
    Ok(query.into_tuple().all(db).await?.into_iter().collect())
}

/// The teams of a list that belong to the organization.
pub async fn existing(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    teams: Vec<TeamId>,
) -> Result<HashSet<TeamId>, DbErr> {
    if teams.is_empty() {
        return Ok(HashSet::new());
    }
    let query = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::Id.is_in(teams));
    Ok(query.into_tuple::<TeamId>().all(db).await?.into_iter().collect())
}
