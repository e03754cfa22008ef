//! Access to translations: by their sources and results.

use entity::{
    ids::{NodeId, TranslationId},
    languages::translations::{Column, Entity, Model},
    library::nodes::{self, NodeKind},
    organizations::members::MemberRole,
};
use openapi::error::ApiError;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};

use crate::access::{
    Access, Caller, OrganizationAccess, basis::Basis, grants::name_caller, levels::Member, node_levels,
};

/// A translation that a member may read.
pub struct Readable {
    row: Model,
    /// The space by which the member may read the translation, with the level on the space.
    by: (NodeId, MemberRole),
    /// The result, or the source if the result is deleted, with the level of the member on it.
    edited: (NodeId, Option<MemberRole>),
}

/// Finds a translation. `None`: the member does not see it, or it does not exist.
pub async fn find(guard: &Access, within: &OrganizationAccess, id: TranslationId) -> Result<Option<Readable>, DbErr> {
    let (db, member) = (guard.db.read(), within.member());
    let of_organization = Entity::find().filter(Column::OrganizationId.eq(member.organization));
    let Some(row) = of_organization.filter(Column::Id.eq(id)).one(db).await? else {
        return Ok(None);
    };
    let spaces = nodes::Entity::find()
        .filter(nodes::Column::Id.is_in([row.source_space_id, row.result_space_id]))
        .filter(nodes::Column::OrganizationId.eq(member.organization))
        .filter(nodes::Column::DeletedAt.is_null())
        .all(db)
        .await?;
    let levels = node_levels::levels(db, &member, spaces.iter().map(|space| space.id).collect()).await?;
    let find = |id: NodeId| spaces.iter().find(|space| space.id == id);
    let (source, result) = (find(row.source_space_id), find(row.result_space_id));
    let on_result = result.and_then(|result| levels.on(result));
    // Whoever may not read an existing source does not see the translation.
    let by = match source {
        Some(source) => levels.on(source).map(|level| (source.id, level)),
        None => on_result.map(|level| (row.result_space_id, level)),
    };
    let edited = match (result, by) {
        (None, Some((source, level))) => (source, Some(level)),
        _ => (row.result_space_id, on_result),
    };
    Ok(by.map(|by| Readable { row, by, edited }))
}

pub fn unknown() -> ApiError {
    ApiError::not_found("translation")
}

impl Readable {
    fn may_edit(&self) -> bool {
        self.edited.1 >= Some(MemberRole::Edit)
    }

    pub fn for_reading(self, within: OrganizationAccess) -> TranslationAccess {
        let (node, level) = self.by;
        let basis = basis(within.member(), (node, level), None);
        TranslationAccess {
            caller: within.caller.allowed_by(basis),
            may_edit: self.may_edit(),
            row: self.row,
        }
    }

    /// Requires `edit` on the result.
    pub fn for_editing(self, within: OrganizationAccess) -> Result<TranslationAccess, ApiError> {
        if !self.may_edit() {
            return Err(ApiError::forbidden(
                "This needs the level edit on the result of the translation.",
            ));
        }
        let (edited, by) = (self.edited.0, self.by.0);
        let basis = basis(
            within.member(),
            (edited, MemberRole::Edit),
            (by != edited).then_some(by),
        );
        Ok(TranslationAccess {
            caller: within.caller.allowed_by(basis),
            may_edit: true,
            row: self.row,
        })
    }
}

fn basis(member: Member, (node, level): (NodeId, MemberRole), seen: Option<NodeId>) -> Basis {
    Basis::Node {
        kind: NodeKind::Space,
        member,
        node,
        level,
        seen,
    }
}

/// The caller may read the translation.
pub struct TranslationAccess {
    pub caller: Caller,
    pub row: Model,
    /// Whether the caller may change, run and delete the translation.
    pub may_edit: bool,
}

/// The caller may change the translation, or does not see one with this id.
pub struct DeletableTranslationAccess {
    pub caller: Caller,
    pub row: Option<Model>,
}

name_caller!(TranslationAccess, DeletableTranslationAccess);
