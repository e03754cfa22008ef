//! What a member sees of the targets of references, in the database.

use entity::{
    ids::{NodeId, OpenapiSpecId, RevisionId, UserId},
    members,
    nodes::{self, NodeKind},
    spaces,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect, RelationDef, Select,
};

use crate::{
    access::node_levels::{Member, visible},
    areas::library::tree,
};

/// The number of values in one statement: SQLite binds at most 32,766.
const VALUES_PER_STATEMENT: usize = 500;

fn with_space(found: Select<nodes::Entity>) -> Select<nodes::Entity> {
    let of_node: RelationDef = nodes::Entity::belongs_to(spaces::Entity)
        .from(nodes::Column::Id)
        .to(spaces::Column::Id)
        .into();
    found.join(JoinType::InnerJoin, of_node)
}

/// The spaces that a member may see, with their current revisions.
pub async fn spaces_seen(
    db: &impl ConnectionTrait,
    member: &Member,
    ids: &[NodeId],
) -> Result<Vec<(NodeId, RevisionId)>, DbErr> {
    let mut found = Vec::new();
    for chunk in ids.chunks(VALUES_PER_STATEMENT) {
        let seen = visible(
            with_space(tree::store::not_deleted(member.organization, NodeKind::Space)),
            member,
        )
        .select_only()
        .column(nodes::Column::Id)
        .column(spaces::Column::RevisionId)
        .filter(nodes::Column::Id.is_in(chunk.iter().copied()));
        found.extend(seen.into_tuple::<(NodeId, RevisionId)>().all(db).await?);
    }
    Ok(found)
}

/// The collections that a member may see.
pub async fn collections_seen(
    db: &impl ConnectionTrait,
    member: &Member,
    ids: &[NodeId],
) -> Result<Vec<NodeId>, DbErr> {
    let mut found = Vec::new();
    for chunk in ids.chunks(VALUES_PER_STATEMENT) {
        let collections = tree::store::not_deleted(member.organization, NodeKind::Collection);
        let seen = visible(collections, member)
            .select_only()
            .column(nodes::Column::Id)
            .filter(nodes::Column::Id.is_in(chunk.iter().copied()));
        found.extend(seen.into_tuple::<NodeId>().all(db).await?);
    }
    Ok(found)
}

/// The users who are members of the organization. Disabled members are included, because they are still listed.
pub async fn members_of(db: &impl ConnectionTrait, member: &Member, users: &[UserId]) -> Result<Vec<UserId>, DbErr> {
    use members::{Column, Entity};
    let mut found = Vec::new();
    for chunk in users.chunks(VALUES_PER_STATEMENT) {
        let members = Entity::find()
            .select_only()
            .column(Column::UserId)
            .filter(Column::OrganizationId.eq(member.organization))
            .filter(Column::UserId.is_in(chunk.iter().copied()));
        found.extend(members.into_tuple::<UserId>().all(db).await?);
    }
    Ok(found)
}

/// Those of these OpenAPI specifications that a member sees: guests see none.
pub async fn specifications_seen(
    db: &impl ConnectionTrait,
    member: &Member,
    specifications: &[OpenapiSpecId],
) -> Result<Vec<OpenapiSpecId>, DbErr> {
    use entity::openapi_specs::{Column, Entity};
    let mut found = Vec::new();
    if member.role.is_none() {
        return Ok(found);
    }
    for chunk in specifications.chunks(VALUES_PER_STATEMENT) {
        let seen = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::OrganizationId.eq(member.organization))
            .filter(Column::Id.is_in(chunk.iter().copied()));
        found.extend(seen.into_tuple::<OpenapiSpecId>().all(db).await?);
    }
    Ok(found)
}
