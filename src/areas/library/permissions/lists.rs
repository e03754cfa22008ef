//! Lists of permissions on a node, and of the people with access to it.

use entity::organizations::teams;
use openapi::{
    error::ApiError,
    list,
    models::{MemberRole, TeamContentPermission, UserContentPermission},
};

use super::{NodeAccess, store, view};
use crate::{
    access::people::{PeopleWithAccess, UserWithLevel},
    areas::organizations::teams::TeamDetailsById,
    kernel::{Kernel, lists::List, wire::ToStored},
};

/// The people with a level on the node itself.
pub async fn people(
    kernel: &Kernel,
    on: NodeAccess,
    page: Option<String>,
    limit: u32,
) -> Result<list::Page<UserContentPermission>, ApiError> {
    let (db, node) = (kernel.db.read(), on.node.id);
    let list = List::new(kernel, ("people-permissions", node), page, limit);
    let found = store::people_page(db, node, list.after()?, list.limit).await?;
    let count = list.count(store::of_people(node).all(), &found).await?;
    let view = |row: store::UserPermissionRow| view::of_person(&kernel.urls, row.role, row.user);
    list.answer(found, count, view)
}

/// The teams with a level on the node itself.
pub async fn teams(
    kernel: &Kernel,
    on: NodeAccess,
    page: Option<String>,
    limit: u32,
) -> Result<list::Page<TeamContentPermission>, ApiError> {
    let (db, node) = (kernel.db.read(), on.node.id);
    let list = List::new(kernel, ("team-permissions", node), page, limit);
    let found = store::teams_page(db, node, list.after()?, list.limit).await?;
    let count = list.count(store::of_teams(node).all(), &found).await?;
    let teams = found.items.iter().map(|(_, team)| team.id).collect();
    let details = TeamDetailsById::of(kernel, &on.member, teams).await?;
    let view = |(role, team): (_, teams::Model)| view::of_team(role, &team, details.team(team.id));
    list.answer(found, count, view)
}

/// Everybody with access, or with exactly this level.
pub async fn everybody(
    kernel: &Kernel,
    on: NodeAccess,
    page: Option<String>,
    limit: u32,
    exactly: Option<MemberRole>,
) -> Result<list::Page<UserContentPermission>, ApiError> {
    let db = kernel.db.read();
    let list = List::new(kernel, ("everybody", on.node.id, exactly), page, limit);
    let people = match exactly {
        Some(level) => PeopleWithAccess::with_exactly(&on.node, level.to_stored()),
        None => PeopleWithAccess::to(&on.node),
    };
    let run = |page| people.load_page(db, page);
    let (found, count) = list
        .load_scan(&people.scan(), run, |row: &UserWithLevel| row.user.id)
        .await?;
    let view = |row: UserWithLevel| view::of_person(&kernel.urls, row.level, row.user);
    list.answer(found, count, view)
}
