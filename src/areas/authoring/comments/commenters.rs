//! Who has commented.

use entity::{
    comments,
    members::{Column, Entity},
    users,
};
use openapi::{error::ApiError, models::MemberList};
use platform::db::{Keyset, positional};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect, QueryTrait};

use crate::{
    access::space_counts,
    app::{App, lists::List},
    areas::organizations::members::{store::Shown, view},
};

use super::{scope::Scope, store};

/// The authors of comments and replies who are members of the organization, in the order of their ids.
pub async fn list(app: &App, scope: Scope, page: Option<String>, limit: u32) -> Result<MemberList, ApiError> {
    let organization = scope.node.organization_id;
    let list = List::new(app, ("commenters", scope.place.list(), organization), page, limit);
    let authors = store::within(comments::Entity::find(), &scope.place)
        .select_only()
        .column(comments::Column::AuthorId);
    let found = Entity::find()
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::UserId.in_subquery(authors.into_query()));
    let db = app.db.read();
    let page = Keyset::ascending([(Entity, Column::UserId)])
        .page(
            found.clone().inner_join(users::Entity),
            list.after()?,
            list.limit,
            |query| positional::all(db, query),
            |member: &Shown| member.user.id,
        )
        .await?;
    let count = found.count(db).await?;
    let people = page.items.iter().map(|member| (member.user.id, member.role));
    let spaces = space_counts::spaces_seen(db, organization, people).await?;
    let view = |member: Shown| {
        let spaces = spaces.get(&member.user.id).copied().unwrap_or_default();
        view::member(&app.urls, member, spaces)
    };
    Ok(list.answer(page, count, view)?.into())
}
