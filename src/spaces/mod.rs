//! Spaces: what holds content, and its place in an organization.

mod creation;
pub mod store;
mod values;
pub mod view;

use entity::{ids::NodeId, nodes};
use openapi::{
    answer::Created,
    error::ApiError,
    models::{
        CreateSpace, MemberContentPermission, MemberContentPermissionList, MoveContent, SortOrder, Space, SpaceList,
        TransferContent, UpdateSpace,
    },
    operations::spaces::{ListSpacesForOrganizationMemberQuery, ListSpacesInOrganizationByIdQuery, SpacesApi},
};
use sea_orm::{ColumnTrait, QueryFilter};
use serde_json::json;

use crate::{
    access::{
        DeletableAccess, OrganizationAccess, RestorableSpaceAccess, SpaceAccess,
        nodes::{self as levels, Member},
    },
    app::App,
    audit::{Changed, Target},
    errors::database,
    members,
    paging::List,
    tree::{
        deletion,
        listing::{self, Order},
        moving,
        transfer::{self, recipient_id},
    },
    views,
};

pub use creation::new_row;
use store::Row;

impl SpacesApi for App {
    async fn list_spaces_in_organization_by_id(
        &self,
        access: OrganizationAccess,
        query: ListSpacesInOrganizationByIdQuery,
    ) -> Result<SpaceList, ApiError> {
        let member = access.member();
        let list = List::new(
            self,
            ("spaces", member.organization, member.user),
            query.page,
            query.limit,
        );
        let found = levels::visible(store::living(member.organization), &member);
        let order = Order::Created(SortOrder::Desc);
        let view = |row: Row, level| view::space(&self.urls, row, level);
        Ok(listing::list(self, list, found, order, &member, view).await?.into())
    }

    async fn list_spaces_for_organization_member(
        &self,
        access: OrganizationAccess,
        user_id: String,
        query: ListSpacesForOrganizationMemberQuery,
    ) -> Result<MemberContentPermissionList, ApiError> {
        let ListSpacesForOrganizationMemberQuery { page, limit, order } = query;
        let member = members::of_organization(self, access.organization, &user_id).await?;
        let caller_is_admin = access.member().is_admin();
        let scope = (
            "member-spaces",
            member.organization,
            member.user,
            order,
            caller_is_admin,
        );
        let list = List::new(self, scope, page, limit);
        let found = levels::visible(store::living(member.organization), &member);
        let view = |row: Row, level| {
            // Whoever may ask is an admin or asks about themselves.
            let own = if caller_is_admin {
                Some(entity::members::MemberRole::Admin)
            } else {
                level
            };
            Ok(MemberContentPermission {
                permission: views::role(level.unwrap_or(entity::members::MemberRole::Read)),
                space: view::space(&self.urls, row, own)?,
            })
        };
        let page = listing::list(self, list, found, Order::Created(order), &member, view).await?;
        Ok(page.into())
    }

    async fn create_space(
        &self,
        access: OrganizationAccess,
        body: Option<CreateSpace>,
    ) -> Result<Created<Space>, ApiError> {
        let space = creation::create(self, &access, body).await?;
        created(load(self, &access.member(), space).await?)
    }

    async fn get_space_by_id(&self, access: SpaceAccess) -> Result<Space, ApiError> {
        view::space(&self.urls, access.row, Some(access.level))
    }

    async fn delete_space_by_id(&self, access: DeletableAccess) -> Result<(), ApiError> {
        let Some(node) = access.node else {
            return Ok(());
        };
        let now = self.clock.now();
        let work = move |tx| async move {
            let deleted = deletion::delete(&tx, node.id, now).await?;
            Ok(Changed::if_some(deleted.then(|| target(&node))))
        };
        self.write(&access.caller, work).await
    }

    async fn update_space_by_id(&self, access: SpaceAccess, body: UpdateSpace) -> Result<Space, ApiError> {
        let (node, now) = (access.row.node, self.clock.now());
        let payload = serde_json::to_value(&body).map_err(ApiError::internal)?;
        let space = node.id;
        let work = move |tx| async move {
            let node = moving::again(&tx, &node).await?;
            let target = target(&node);
            store::update(&tx, node, body, now).await?;
            Changed::of(target, ()).with(payload)
        };
        self.write(&access.caller, work).await?;
        load(self, &access.member, space).await
    }

    async fn duplicate_space(&self, access: SpaceAccess) -> Result<Created<Space>, ApiError> {
        let member = access.member;
        let copy = creation::duplicate(self, access).await?;
        created(load(self, &member, copy).await?)
    }

    async fn restore_space(&self, access: RestorableSpaceAccess) -> Result<Space, ApiError> {
        let (node, now) = (access.row.node, self.clock.now());
        if node.deleted_at.is_none() {
            return Err(ApiError::conflict("not-deleted", "The space is not deleted."));
        }
        let space = node.id;
        let work = move |tx| async move {
            deletion::restore(&tx, space, now).await?;
            Ok(Changed::of(target(&node), ()))
        };
        self.write(&access.caller, work).await?;
        load(self, &access.member, space).await
    }

    async fn move_space(&self, access: SpaceAccess, body: MoveContent) -> Result<Space, ApiError> {
        let (member, node, now) = (access.member, access.row.node, self.clock.now());
        let payload = serde_json::to_value(&body).map_err(ApiError::internal)?;
        let space = node.id;
        let work = move |tx| async move {
            let node = moving::again(&tx, &node).await?;
            let moved = moving::relocate(&tx, &member, &node, body, now).await?;
            store::adapt_visibility(&tx, &moved).await?;
            Changed::of(target(&moved), ()).with(payload)
        };
        self.write(&access.caller, work).await?;
        load(self, &member, space).await
    }

    async fn transfer_space(&self, access: SpaceAccess, body: TransferContent) -> Result<Space, ApiError> {
        let (member, node, now) = (access.member, access.row.node, self.clock.now());
        let TransferContent { organization } = body;
        let (to, permission) = (recipient_id(&organization)?, self.ids.next());
        let space = node.id;
        let work = move |tx| async move {
            let node = moving::again(&tx, &node).await?;
            let (moved, member) = transfer::transfer(&tx, &member, &node, to, permission, now).await?;
            store::adapt_visibility(&tx, &moved).await?;
            Changed::of(target(&node), member).with(json!({ "organization": to }))
        };
        let member = self.write(&access.caller, work).await?;
        load(self, &member, space).await
    }
}

pub fn target(node: &nodes::Model) -> Target {
    Target::in_organization(node.organization_id, "space", node.id).labelled(&node.title)
}

/// A space as it is now, for a member.
pub async fn load(app: &App, member: &Member, space: NodeId) -> Result<Space, ApiError> {
    let db = app.db.read();
    let found = store::find(db, member.organization, space).await.map_err(database)?;
    let row = found.ok_or_else(|| ApiError::not_found("space"))?;
    let level = levels::level(db, member, &row.node).await.map_err(database)?;
    view::space(&app.urls, row, level)
}

/// The spaces that a collection holds, in its order.
pub async fn list_of_collection(
    app: &App,
    member: &Member,
    collection: NodeId,
    page: Option<String>,
    limit: u32,
) -> Result<SpaceList, ApiError> {
    let list = List::new(app, ("collection-spaces", collection, member.user), page, limit);
    let held = store::living(member.organization).filter(nodes::Column::ParentId.eq(collection));
    let found = levels::visible(held, member);
    let view = |row: Row, level| view::space(&app.urls, row, level);
    let page = listing::list(app, list, found, Order::Position, member, view).await?;
    Ok(page.into())
}

fn created(body: Space) -> Result<Created<Space>, ApiError> {
    Ok(Created {
        location: body.urls.location.clone(),
        body,
    })
}
