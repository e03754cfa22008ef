//! Access to import runs, by their spaces.

use entity::{
    exchange::import_runs::{Column, Entity, Model},
    ids::ImportRunId,
    library::nodes::{self, NodeKind},
    organizations::members::MemberRole,
};
use openapi::error::ApiError;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::access::{Access, Caller, OrganizationAccess, basis::Basis, grants::name_caller, node_levels};

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
    let (db, member) = (guard.db.read(), within.member());
    let unknown = || ApiError::not_found("import run");
    let run = Entity::find_by_id(id).filter(Column::OrganizationId.eq(member.organization));
    let row = run.one(db).await?.ok_or_else(unknown)?;
    let space = nodes::Entity::find_by_id(row.space_id)
        .filter(nodes::Column::OrganizationId.eq(member.organization))
        .filter(nodes::Column::DeletedAt.is_null());
    let space = space.one(db).await?.ok_or_else(unknown)?;
    let level = node_levels::level(db, &member, &space).await?.ok_or_else(unknown)?;
    if level < needed {
        return Err(ApiError::forbidden(
            "This needs the level edit on the space of the import run.",
        ));
    }
    let basis = Basis::Node {
        kind: NodeKind::Space,
        member,
        node: space.id,
        level: needed,
        seen: None,
    };
    Ok(ImportRunAccess {
        caller: within.caller.allowed_by(basis),
        row,
    })
}
