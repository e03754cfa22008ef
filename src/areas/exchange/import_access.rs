//! Access to import runs, by their spaces.

use entity::{
    exchange::import_runs::{Column, Entity, Model},
    ids::ImportRunId,
    organizations::members::MemberRole,
};
use openapi::error::ApiError;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::access::{Access, Caller, OrganizationAccess, authorize, grants::name_caller, rows::SpaceRow};

/// The caller has the level that was asked for on the space of the run.
pub struct ImportRunAccess {
    pub caller: Caller,
    pub row: Model,
}

name_caller!(ImportRunAccess);

/// Finds a run. Those into spaces that the caller does not see do not exist.
pub async fn find(
    guard: &Access,
    within: OrganizationAccess,
    id: ImportRunId,
    needed: MemberRole,
) -> Result<ImportRunAccess, ApiError> {
    let db = guard.db.read();
    let unknown = || ApiError::not_found("import run");
    let run = Entity::find_by_id(id).filter(Column::OrganizationId.eq(within.organization));
    let row = run.one(db).await?.ok_or_else(unknown)?;
    let found = authorize::load_node::<SpaceRow>(guard, &within.caller, row.space_id).await?;
    let found = found.filter(|found| found.row.node.organization_id == row.organization_id);
    let found = found.ok_or_else(unknown)?;
    let authorized = authorize::require(Some(found), &within.caller, needed, None, "space of the import run")?;
    Ok(ImportRunAccess {
        caller: within.caller.allowed_by(authorized.basis()),
        row,
    })
}
