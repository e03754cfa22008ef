//! What a member sees of the targets of references, in the database.

use entity::{
    ids::{NodeId, OpenapiSpecId, RevisionId, UserId},
    library::{
        nodes::{self, NodeKind},
        spaces,
    },
    organizations::members,
    specifications::openapi_specs,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect, RelationDef, Select,
    sea_query::Expr,
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
    let mut found = Vec::new();
    for chunk in specifications.chunks(VALUES_PER_STATEMENT) {
        let these = openapi_specs::Column::Id.is_in(chunk.iter().copied());
        let Some(seen) = specifications_of(member, these) else {
            return Ok(found);
        };
        let seen = seen.column(openapi_specs::Column::Id).into_tuple::<OpenapiSpecId>();
        found.extend(seen.all(db).await?);
    }
    Ok(found)
}

/// The slugs, among these, of specifications that a member sees.
pub async fn slugs_seen(db: &impl ConnectionTrait, member: &Member, slugs: &[String]) -> Result<Vec<String>, DbErr> {
    let mut found = Vec::new();
    for chunk in slugs.chunks(VALUES_PER_STATEMENT) {
        // PostgreSQL refuses texts with NUL, which no slug has.
        let slugs = chunk.iter().filter(|slug| !slug.contains('\0'));
        let Some(seen) = specifications_of(member, openapi_specs::Column::Slug.is_in(slugs)) else {
            return Ok(found);
        };
        let seen = seen.column(openapi_specs::Column::Slug).into_tuple::<String>();
        found.extend(seen.all(db).await?);
    }
    Ok(found)
}

/// `None`: the member sees none.
fn specifications_of(member: &Member, these: Expr) -> Option<Select<openapi_specs::Entity>> {
    member.role?;
    let of_organization =
        openapi_specs::Entity::find().filter(openapi_specs::Column::OrganizationId.eq(member.organization));
    Some(of_organization.select_only().filter(these))
}
