//! The members who have commented.

use entity::{
    authoring::comments::commenters,
    identity::users,
    organizations::members::{Column, Entity},
};
use openapi::{error::ApiError, models::MemberList};
use platform::db::{Keyset, positional};
use sea_orm::{ColumnTrait, EntityTrait, JoinType, QueryFilter, QuerySelect, RelationDef, Select};

use super::scope::CommentScope;
use crate::{
    areas::organizations::members::{self, store::MemberColumns},
    kernel::{Kernel, lists::List},
};

/// The authors of comments and replies who are members of the organization, in the order of their ids.
pub async fn list(
    kernel: &Kernel,
    scope: CommentScope,
    page: Option<String>,
    limit: u32,
) -> Result<MemberList, ApiError> {
    let organization = scope.node.organization_id;
    let list = List::new(kernel, ("commenters", scope.place.list(), organization), page, limit);
    let member: RelationDef = commenters::Entity::belongs_to(Entity)
        .from(commenters::Column::UserId)
        .to(Column::UserId)
        .into();
    let found = commenters::Entity::find()
        .filter(commenters::Column::ContentId.eq(scope.place.list()))
        .join(JoinType::InnerJoin, member)
        .filter(Column::OrganizationId.eq(organization));
    let db = kernel.db.read();
    let order = Keyset::ascending([(commenters::Entity, commenters::Column::UserId)]);
    let load = |found: Select<commenters::Entity>, after, limit| {
        let found = found.inner_join(users::Entity);
        let key = |member: &MemberColumns| member.user.id;
        order.page(found, after, limit, |query| positional::all(db, query), key)
    };
    let views = async |found| members::views(kernel, organization, found).await;
    Ok(list.load(found, load, views).await?.into())
}
