//! Members of teams: adding, removing, roles and counters.

use std::collections::{BTreeMap, HashMap, HashSet};

use entity::{
    identity::users,
    ids::UserId,
    organizations::{
        members,
        teams::{
            Column as TeamColumn, Entity as Teams, Model as Team,
            members::{ActiveModel, Column, Entity, TeamMemberRole},
        },
    },
    timestamp::Timestamp,
};
use openapi::{
    error::ApiError,
    input::escape,
    models::{ErrorDetail, UpdateTeamMembers},
};
use platform::db::{fold, rows};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait},
};

use super::store;
use crate::{access::rows::TeamRef, areas::organizations::members::not_a_member, kernel::wire::ToStored};

/// Inserts a team with its first members.
pub async fn create(db: &impl ConnectionTrait, team: Team, members: Vec<String>) -> Result<Team, ApiError> {
    let of = TeamRef {
        organization: team.organization_id,
        team: team.id,
    };
    let known = find_members(db, of, &members).await?;
    let mut unknown = Vec::new();
    let users = resolve_names(&known, "/body/members", &members, &mut unknown);
    ApiError::refuse(unknown)?;
    rows::insert(db, &team).await?;
    let places = users.into_iter().map(|user| (user, None)).collect();
    let added = upsert(db, of, places, team.created_at).await?;
    Ok(Team {
        members_count: added,
        ..team
    })
}

/// Adds and removes members and sets roles; changes nothing if a user is unknown.
pub async fn update(
    db: &impl ConnectionTrait,
    team: TeamRef,
    body: UpdateTeamMembers,
    now: Timestamp,
) -> Result<(), ApiError> {
    let UpdateTeamMembers {
        add,
        remove,
        memberships,
    } = body;
    let (add, remove) = (add.unwrap_or_default(), remove.unwrap_or_default());
    let memberships = memberships.unwrap_or_default();
    let named: Vec<String> = add.iter().chain(&remove).chain(memberships.keys()).cloned().collect();
    let known = find_members(db, team, &named).await?;
    let mut unknown = Vec::new();
    let added = resolve_names(&known, "/body/add", &add, &mut unknown);
    let removed: HashSet<UserId> = resolve_names(&known, "/body/remove", &remove, &mut unknown)
        .into_iter()
        .collect();
    let mut roles: BTreeMap<UserId, Option<TeamMemberRole>> = added.into_iter().map(|user| (user, None)).collect();
    for (name, membership) in &memberships {
        match known.get(name) {
            Some(user) => drop(roles.insert(*user, Some(membership.role.to_stored()))),
            None => unknown.push(not_a_member(format!("/body/memberships/{}", escape(name)))),
        }
    }
    ApiError::refuse(unknown)?;
    // A user in both lists is removed.
    roles.retain(|user, _| !removed.contains(user));
    upsert(db, team, roles.into_iter().collect(), now).await?;
    remove_members(db, team, removed.into_iter().collect()).await?;
    Ok(())
}

/// Adds members of the organization to a team, or changes the role of those who are in it; without a role, new ones become
/// members and others stay what they are. Answers how many are new.
pub async fn upsert(
    db: &impl ConnectionTrait,
    team: TeamRef,
    places: Vec<(UserId, Option<TeamMemberRole>)>,
    now: Timestamp,
) -> Result<i32, ApiError> {
    let places: BTreeMap<UserId, Option<TeamMemberRole>> = places.into_iter().collect();
    let present = present(db, team, places.keys().copied().collect()).await?;
    let mut new = Vec::new();
    let mut changed: HashMap<TeamMemberRole, Vec<UserId>> = HashMap::new();
    for (user, role) in &places {
        match (present.get(user), role) {
            (None, role) => new.push((*user, role.unwrap_or(TeamMemberRole::Member))),
            (Some(old), Some(role)) if old != role => changed.entry(*role).or_default().push(*user),
            _ => {}
        }
    }
    for (role, users) in changed {
        set_role(db, team, users, role).await?;
    }
    let added = i32::try_from(new.len()).unwrap_or(i32::MAX);
    if new.is_empty() {
        return Ok(0);
    }
    // The counter is changed before the insert: of two transactions that add the same user, one waits here for the other,
    // and then runs again and finds the member.
    change_counts(db, team, new.iter().map(|(user, _)| *user).collect(), 1).await?;
    let rows = new.into_iter().map(|(user, role)| ActiveModel {
        team_id: Set(team.team),
        user_id: Set(user),
        organization_id: Set(team.organization),
        role: Set(role),
        added_at: Set(now),
    });
    Entity::insert_many(rows).exec_without_returning(db).await?;
    Ok(added)
}

/// Removes users from a team, except those who are not in it. Returns the number of removed ones.
pub async fn remove_members(db: &impl ConnectionTrait, team: TeamRef, users: Vec<UserId>) -> Result<usize, ApiError> {
    let present: Vec<UserId> = present(db, team, users).await?.into_keys().collect();
    let removed = present.len();
    if present.is_empty() {
        return Ok(0);
    }
    change_counts(db, team, present.clone(), -1).await?;
    Entity::delete_many()
        .filter(Column::TeamId.eq(team.team))
        .filter(Column::UserId.is_in(present))
        .exec(db)
        .await?;
    Ok(removed)
}

/// The users of a list who are in the team, with their roles.
async fn present(
    db: &impl ConnectionTrait,
    team: TeamRef,
    users: Vec<UserId>,
) -> Result<HashMap<UserId, TeamMemberRole>, DbErr> {
    if users.is_empty() {
        return Ok(HashMap::new());
    }
    let query = Entity::find()
        .filter(Column::TeamId.eq(team.team))
        .filter(Column::UserId.is_in(users));
    Ok(query
        .all(db)
        .await?
        .into_iter()
        .map(|row| (row.user_id, row.role))
        .collect())
}

async fn set_role(
    db: &impl ConnectionTrait,
    team: TeamRef,
    users: Vec<UserId>,
    role: TeamMemberRole,
) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::Role, Expr::value(role))
        .filter(Column::TeamId.eq(team.team))
        .filter(Column::UserId.is_in(users))
        .exec(db)
        .await?;
    Ok(())
}

async fn change_counts(
    db: &impl ConnectionTrait,
    team: TeamRef,
    users: Vec<UserId>,
    each: i32,
) -> Result<(), ApiError> {
    let by = each.saturating_mul(i32::try_from(users.len()).unwrap_or(i32::MAX));
    let counted = Teams::update_many()
        .col_expr(TeamColumn::MembersCount, Expr::col(TeamColumn::MembersCount).add(by))
        .filter(TeamColumn::Id.eq(team.team))
        .exec(db)
        .await?;
    if counted.rows_affected == 0 {
        // The team was deleted after the access check.
        return Err(super::unknown());
    }
    Ok(store::change_teams_count(db, team.organization, members::Column::UserId.is_in(users), each).await?)
}

/// The members of the organization that ids or email addresses name.
async fn find_members(
    db: &impl ConnectionTrait,
    team: TeamRef,
    named: &[String],
) -> Result<HashMap<String, UserId>, DbErr> {
    if named.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<UserId> = named.iter().filter_map(|name| name.parse().ok()).collect();
    let emails: Vec<String> = named
        .iter()
        .filter(|name| name.contains('@'))
        .map(|name| fold(name))
        .collect();
    let matching = users::Column::Id.is_in(ids).or(users::Column::Email.is_in(emails));
    let query = members::Entity::find()
        .inner_join(users::Entity)
        .select_only()
        .column(members::Column::UserId)
        .column(users::Column::Email)
        .filter(members::Column::OrganizationId.eq(team.organization))
        .filter(matching);
    let found: Vec<(UserId, String)> = query.into_tuple().all(db).await?;
    let by_id: HashSet<UserId> = found.iter().map(|(user, _)| *user).collect();
    let by_email: HashMap<String, UserId> = found.into_iter().map(|(user, email)| (email, user)).collect();
    let pairs = named.iter().filter_map(|name| {
        let id = name.parse().ok().filter(|user| by_id.contains(user));
        Some((name.clone(), id.or_else(|| by_email.get(&fold(name)).copied())?))
    });
    Ok(pairs.collect())
}

/// The users that a list of the body names; unknown ones are added to `unknown` with their pointers.
fn resolve_names(
    known: &HashMap<String, UserId>,
    pointer: &str,
    names: &[String],
    unknown: &mut Vec<ErrorDetail>,
) -> Vec<UserId> {
    let mut users = Vec::new();
    for (i, name) in names.iter().enumerate() {
        match known.get(name) {
            Some(user) => users.push(*user),
            None => unknown.push(not_a_member(format!("{pointer}/{i}"))),
        }
    }
    users
}
