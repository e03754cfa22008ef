//! The structure of a site in the database.

use std::collections::{HashMap, HashSet};

use entity::{library::nodes, publishing::sites};
use openapi::error::ApiError;
use platform::db::Tx;
use sea_orm::{
    ActiveModelBehavior, ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait,
    IntoActiveModel, Iterable, ModelTrait, PrimaryKeyToColumn, QueryFilter,
};
use serde_json::Value;
use uuid::Uuid;

use super::{
    shown_space::ShownSpace,
    site::{lock, note_change, spaces_of, target},
};

use crate::{
    areas::publishing::{guard::SiteAccess, layout::Layout},
    kernel::{Kernel, audit::Changed},
};

/// Changes the structure of a site in one transaction. The edit may run again.
///
/// `shown`: the space that the change publishes. An existing one has to be published by an admin of it.
pub async fn change<T, F>(
    kernel: &Kernel,
    access: &SiteAccess,
    shown: Option<ShownSpace>,
    payload: Value,
    edit: F,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    F: FnOnce(&mut Layout, Option<nodes::Model>) -> Result<T, ApiError> + Clone + Send + 'static,
{
    let (member, site) = (access.member, access.row.id);
    let hooks = kernel.hooks.clone();
    let work = move |tx: Tx| async move {
        let site = lock(&tx, member.organization, site).await?;
        let space = match &shown {
            Some(shown) => shown.publish(&tx, &member).await?,
            None => None,
        };
        let before = Layout::load(&tx, site.id).await?;
        let mut after = before.clone();
        let spaces = spaces_of(site.id, space.as_ref().map(|space| space.id));
        let visibilities = hooks.visibility_changes(&tx, member.organization, &spaces).await?;
        let result = edit(&mut after, space)?;
        if !save(&tx, &site, &before, &after).await? {
            return Ok(Changed::nothing(result));
        }
        hooks.visibility_changed(&tx, visibilities).await?;
        Changed::of(target(&site), result).with(payload)
    };
    let changed = kernel.write(&access.caller, work).await?;
    // The content of a new space is indexed by a job, and jobs deliver events.
    kernel.jobs.wake();
    Ok(changed)
}

/// Writes what differs, with the paths of all site spaces. Returns whether anything does.
pub async fn save(
    db: &impl ConnectionTrait,
    site: &sites::Model,
    before: &Layout,
    after: &Layout,
) -> Result<bool, DbErr> {
    let after = &after.with_published_paths();
    // What refers to other rows goes first and comes last.
    let mut changed = delete_missing(db, &before.site_spaces, &after.site_spaces, |row| *row.id.as_uuid()).await?;
    changed |= delete_missing(db, &before.sections, &after.sections, |row| *row.id.as_uuid()).await?;
    changed |= delete_missing(db, &before.links, &after.links, |row| *row.id.as_uuid()).await?;
    changed |= write_changed(db, &before.groups, &after.groups, |row| *row.id.as_uuid()).await?;
    changed |= write_changed(db, &before.sections, &after.sections, |row| *row.id.as_uuid()).await?;
    changed |= write_changed(db, &before.links, &after.links, |row| *row.id.as_uuid()).await?;
    changed |= delete_missing(db, &before.groups, &after.groups, |row| *row.id.as_uuid()).await?;
    changed |= write_changed(db, &before.site_spaces, &after.site_spaces, |row| *row.id.as_uuid()).await?;
    if changed {
        note_change(db, site, after.site_spaces.len()).await?;
    }
    Ok(changed)
}

async fn delete_missing<M: ModelTrait>(
    db: &impl ConnectionTrait,
    before: &[M],
    after: &[M],
    id: impl Fn(&M) -> Uuid,
) -> Result<bool, DbErr> {
    let kept: HashSet<Uuid> = after.iter().map(&id).collect();
    let gone: Vec<Uuid> = before.iter().map(&id).filter(|old| !kept.contains(old)).collect();
    if gone.is_empty() {
        return Ok(false);
    }
    let key = <M::Entity as EntityTrait>::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column);
    let is_gone = key.fold(Condition::all(), |condition, column| {
        condition.add(column.is_in(gone.iter().copied()))
    });
    M::Entity::delete_many().filter(is_gone).exec(db).await?;
    Ok(true)
}

async fn write_changed<M, A>(
    db: &impl ConnectionTrait,
    before: &[M],
    after: &[M],
    id: impl Fn(&M) -> Uuid,
) -> Result<bool, DbErr>
where
    M: ModelTrait + PartialEq + IntoActiveModel<A>,
    M::Entity: EntityTrait<Model = M, ActiveModel = A>,
    A: ActiveModelTrait<Entity = M::Entity> + ActiveModelBehavior + Send,
{
    let known: HashMap<Uuid, &M> = before.iter().map(|row| (id(row), row)).collect();
    let mut new = Vec::new();
    let mut changed = false;
    for row in after {
        match known.get(&id(row)) {
            Some(old) if *old == row => continue,
            Some(_) => {
                row.clone().into_active_model().reset_all().update(db).await?;
            }
            None => new.push(row.clone().into_active_model().reset_all()),
        }
        changed = true;
    }
    if !new.is_empty() {
        M::Entity::insert_many(new).exec_without_returning(db).await?;
    }
    Ok(changed)
}
