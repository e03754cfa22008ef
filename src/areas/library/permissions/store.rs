//! Permissions in the database.

use std::collections::HashMap;

use entity::{
    identity::users,
    ids::{NodeId, OrganizationId, PermissionId, TeamId, UserId},
    library::{
        nodes,
        permissions::{Column, Entity, Model},
    },
    organizations::{members::MemberRole, teams},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::{Keyset, Page, Range};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, DerivePartialModel, EntityTrait, QueryFilter, Select};

use super::{Subject, unknown_member, unknown_team};
use crate::areas::organizations::members;

/// A permission to insert.
pub fn new(id: PermissionId, node: &nodes::Model, to: Subject, role: MemberRole, now: Timestamp) -> Model {
    let (user_id, team_id) = to.columns();
    Model {
        id,
        organization_id: node.organization_id,
        node_id: node.id,
        user_id,
        team_id,
        role,
        created_at: now,
    }
}

/// Refuses users and teams that do not belong to the organization.
pub async fn require_known(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    subjects: &[Subject],
) -> Result<(), ApiError> {
    let (users, teams) = split(subjects);
    let known = members::store::existing(db, organization, users.clone()).await?;
    if users.iter().any(|user| !known.contains(user)) {
        return Err(unknown_member());
    }
    let known = crate::areas::organizations::teams::store::existing(db, organization, teams.clone()).await?;
    if teams.iter().any(|team| !known.contains(team)) {
        return Err(unknown_team());
    }
    Ok(())
}

/// The permissions of users and teams on the node itself.
pub fn of_subjects(node: NodeId, subjects: &[Subject]) -> Select<Entity> {
    Entity::find()
        .filter(Column::NodeId.eq(node))
        .filter(is_one_of(subjects))
}

/// The levels of users and teams by permissions on the node itself.
pub async fn granted_levels(
    db: &impl ConnectionTrait,
    node: NodeId,
    subjects: &[Subject],
) -> Result<HashMap<Subject, MemberRole>, DbErr> {
    let rows = of_subjects(node, subjects).all(db).await?;
    let level = |row: Model| Some((Subject::of_columns(row.user_id, row.team_id)?, row.role));
    Ok(rows.into_iter().filter_map(level).collect())
}

/// Deletes the permissions of users and teams on the node itself. Returns whether there were any.
pub async fn delete(db: &impl ConnectionTrait, node: NodeId, subjects: &[Subject]) -> Result<bool, DbErr> {
    let deleted = Entity::delete_many()
        .filter(Column::NodeId.eq(node))
        .filter(is_one_of(subjects))
        .exec(db)
        .await?;
    Ok(deleted.rows_affected > 0)
}

pub fn split(subjects: &[Subject]) -> (Vec<UserId>, Vec<TeamId>) {
    let (mut users, mut teams) = (Vec::new(), Vec::new());
    for subject in subjects {
        match subject {
            Subject::User(user) => users.push(*user),
            Subject::Team(team) => teams.push(*team),
        }
    }
    (users, teams)
}

fn is_one_of(subjects: &[Subject]) -> Condition {
    let (users, teams) = split(subjects);
    // An empty list among them would have the database read all permissions on the node.
    Condition::any()
        .add_option((!users.is_empty()).then(|| Column::UserId.is_in(users)))
        .add_option((!teams.is_empty()).then(|| Column::TeamId.is_in(teams)))
}

pub fn of_people(node: NodeId) -> Range<Entity> {
    of_node(node, Column::UserId)
}

pub fn of_teams(node: NodeId) -> Range<Entity> {
    of_node(node, Column::TeamId)
}

/// The permissions of one kind of subjects on the node itself.
fn of_node(node: NodeId, subject: Column) -> Range<Entity> {
    let of_subjects = Entity::find().filter(subject.is_not_null());
    Range::with_values(of_subjects, vec![(Column::NodeId, node.into())])
}

/// The latest first: ids grow with time.
pub fn order() -> Keyset {
    Keyset::descending([(Entity, Column::Id)])
}

/// A permission with its user.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct UserPermissionRow {
    pub id: PermissionId,
    pub role: MemberRole,
    #[sea_orm(nested)]
    pub user: crate::access::rows::UserColumns,
}

pub async fn people_page(
    db: &impl ConnectionTrait,
    node: NodeId,
    after: Option<PermissionId>,
    limit: u64,
) -> Result<Page<UserPermissionRow, PermissionId>, DbErr> {
    let order = order();
    let query = of_people(node).after(&order, after).inner_join(users::Entity);
    let run = |query: Select<Entity>| query.into_partial_model().all(db);
    order
        .page(query, None, limit, run, |row: &UserPermissionRow| row.id)
        .await
}

pub async fn teams_page(
    db: &impl ConnectionTrait,
    node: NodeId,
    after: Option<PermissionId>,
    limit: u64,
) -> Result<Page<(MemberRole, teams::Model), PermissionId>, DbErr> {
    let order = order();
    let query = of_teams(node).after(&order, after).inner_join(teams::Entity);
    let query = query.select_also(teams::Entity);
    let page = order
        .page(query, None, limit, |query| query.all(db), |(row, _)| row.id)
        .await?;
    Ok(page.filter_map(|(row, team)| Some((row.role, team?))))
}
