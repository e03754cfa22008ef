//! Spaces with the same content in other languages.

use std::collections::BTreeSet;

use entity::{
    ids::{NodeId, OrganizationId},
    languages::translations::{Column, Entity},
};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait};

/// The translations of a space; of a translation, also its source and the other translations of the source. One query.
pub async fn of_space(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    space: NodeId,
) -> Result<BTreeSet<NodeId>, DbErr> {
    let source = Entity::find()
        .select_only()
        .column(Column::SourceSpaceId)
        .filter(Column::ResultSpaceId.eq(space));
    let of_source = Condition::any()
        .add(Column::SourceSpaceId.eq(space))
        .add(Column::SourceSpaceId.in_subquery(source.into_query()));
    // Not by the organization, whose translations would all be read.
    let found: Vec<(NodeId, NodeId, OrganizationId)> = Entity::find()
        .select_only()
        .columns([Column::SourceSpaceId, Column::ResultSpaceId, Column::OrganizationId])
        .filter(of_source)
        .into_tuple()
        .all(db)
        .await?;
    let found = found.into_iter().filter(|(_, _, of)| *of == organization);
    let spaces = found.flat_map(|(source, result, _)| [source, result]);
    Ok(spaces.filter(|other| *other != space).collect())
}
