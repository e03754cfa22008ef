//! Permissions on sites in the database.

use std::collections::HashMap;

use entity::{
    identity::users,
    ids::{PermissionId, SiteId},
    organizations::{members::MemberRole, teams},
    publishing::sites::permissions::{Column, Entity, Model},
};
use platform::db::{Keyset, Page, Range};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbErr, DerivePartialModel, EntityTrait, IntoActiveModel,
    QueryFilter, Select, sea_query::OnConflict,
};

use crate::areas::library::permissions::{Subject, store::split};

/// The levels of users and teams by permissions on the site.
pub async fn granted_levels(
    db: &impl ConnectionTrait,
    site: SiteId,
    subjects: &[Subject],
) -> Result<HashMap<Subject, MemberRole>, DbErr> {
    let rows = Entity::find().filter(of_subjects(site, subjects)).all(db).await?;
    let level = |row: Model| Some((Subject::of_columns(row.user_id, row.team_id)?, row.role));
    Ok(rows.into_iter().filter_map(level).collect())
}

/// Inserts permissions of users, or of teams, on a site, or replaces the level of existing ones; each subject occurs once.
pub async fn upsert(db: &impl ConnectionTrait, permissions: Vec<Model>) -> Result<(), DbErr> {
    let to_people = permissions.iter().all(|permission| permission.user_id.is_some());
    let subject = if to_people { Column::UserId } else { Column::TeamId };
    let rows = permissions.into_iter().map(|row| row.into_active_model().reset_all());
    Entity::insert_many(rows)
        .on_conflict(
            OnConflict::columns([Column::SiteId, subject])
                .update_column(Column::Role)
                .to_owned(),
        )
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Deletes the permissions of users and teams on the site. Returns whether there were any.
pub async fn delete(db: &impl ConnectionTrait, site: SiteId, subjects: &[Subject]) -> Result<bool, DbErr> {
    let deleted = Entity::delete_many()
        .filter(of_subjects(site, subjects))
        .exec(db)
        .await?;
    Ok(deleted.rows_affected > 0)
}

fn of_subjects(site: SiteId, subjects: &[Subject]) -> Condition {
    let (users, teams) = split(subjects);
    // An empty list among them would have the database read all permissions on the site.
    let is_one_of = Condition::any()
        .add_option((!users.is_empty()).then(|| Column::UserId.is_in(users)))
        .add_option((!teams.is_empty()).then(|| Column::TeamId.is_in(teams)));
    Condition::all().add(Column::SiteId.eq(site)).add(is_one_of)
}

pub fn of_people(site: SiteId) -> Range<Entity> {
    of_site(site, Column::UserId)
}

pub fn of_teams(site: SiteId) -> Range<Entity> {
    of_site(site, Column::TeamId)
}

/// The permissions of one kind of subjects on the site.
fn of_site(site: SiteId, subject: Column) -> Range<Entity> {
    let of_subjects = Entity::find().filter(subject.is_not_null());
    Range::with_values(of_subjects, vec![(Column::SiteId, site.into())])
}

/// The latest first: ids grow with time.
fn order() -> Keyset {
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
    site: SiteId,
    after: Option<PermissionId>,
    limit: u64,
) -> Result<Page<UserPermissionRow, PermissionId>, DbErr> {
    let order = order();
    let query = of_people(site).after(&order, after).inner_join(users::Entity);
    let run = |query: Select<Entity>| query.into_partial_model().all(db);
    order
        .page(query, None, limit, run, |row: &UserPermissionRow| row.id)
        .await
}

pub async fn teams_page(
    db: &impl ConnectionTrait,
    site: SiteId,
    after: Option<PermissionId>,
    limit: u64,
) -> Result<Page<(MemberRole, teams::Model), PermissionId>, DbErr> {
    let order = order();
    let query = of_teams(site).after(&order, after).inner_join(teams::Entity);
    let query = query.select_also(teams::Entity);
    let page = order
        .page(query, None, limit, |query| query.all(db), |(row, _)| row.id)
        .await?;
    Ok(page.filter_map(|(row, team)| Some((row.role, team?))))
}
