//! Spaces: the content of an organization, and its place in the tree.

pub mod copies;
mod create;
pub mod new_space;
pub mod store;
pub mod unfinished;
pub mod view;

use std::collections::HashMap;

use entity::{
    ids::{NodeId, OrganizationId, UserId},
    library::nodes,
    organizations::members::MemberRole,
};
use openapi::{
    answer::Created,
    error::ApiError,
    list,
    models::{
        CreateSpace, MemberContentPermission, MemberContentPermissionList, MoveContent, SortOrder, Space, SpaceList,
        TransferContent, UpdateSpace,
    },
    operations::spaces::{
        GetSpaceByIdQuery, ListSpacesForOrganizationMemberQuery, ListSpacesInOrganizationByIdQuery, SpacesApi,
    },
};
use platform::db::positional;
use sea_orm::{ColumnTrait, QueryFilter, QueryTrait, Select};

use crate::{
    access::{
        DeletableAccess, OrganizationAccess, RestorableSpaceAccess, SpaceAccess, TargetAccess,
        node_levels::{self, Member, visible},
        rows::{NodeRow, SpaceRow},
    },
    areas::{
        joins::space_details,
        library::{
            Library,
            tree::{
                self, deletion,
                node_lists::{self, Nodes, Order},
                operations, target,
            },
        },
        organizations::members,
    },
    kernel::{Kernel, audit::Changed, lists::List, wire::ToWire},
};

pub use create::new_row;

impl SpacesApi for Library {
    async fn list_spaces_in_organization_by_id(
        &self,
        access: OrganizationAccess,
        query: ListSpacesInOrganizationByIdQuery,
    ) -> Result<SpaceList, ApiError> {
        let member = access.member();
        let list = List::new(
            &self.kernel,
            ("spaces", member.organization, member.user),
            query.page,
            query.limit,
        );
        let spaces = Nodes::all_spaces(member.organization);
        let order = Order::Created(SortOrder::Desc);
        let page = node_lists::list(&self.kernel, list, spaces, order, [&member; 2]).await?;
        Ok(view_page(&self.kernel, page).await?.into())
    }

    async fn list_spaces_for_organization_member(
        &self,
        access: OrganizationAccess,
        user_id: UserId,
        query: ListSpacesForOrganizationMemberQuery,
    ) -> Result<MemberContentPermissionList, ApiError> {
        let ListSpacesForOrganizationMemberQuery { page, limit, order } = query;
        let member = members::of_organization(&self.kernel, access.organization, user_id).await?;
        let caller = access.member();
        let scope = ("member-spaces", member.organization, member.user, order, caller.user);
        let list = List::new(&self.kernel, scope, page, limit);
        let spaces = Nodes::all_spaces(member.organization);
        let page = node_lists::list(&self.kernel, list, spaces, Order::Created(order), [&member, &caller]).await?;
        let list::Page { items, count, next } = page;
        let ids = items.iter().map(|(row, _): &(SpaceRow, _)| row.node.id).collect();
        let own = node_levels::levels(self.kernel.db.read(), &caller, ids).await?;
        let of_caller = |(row, level): (SpaceRow, Option<MemberRole>)| {
            let own = own.on(&row.node);
            ((row, own), level)
        };
        let (rows, levels): (_, Vec<Option<MemberRole>>) = items.into_iter().map(of_caller).unzip();
        let spaces = view_all(&self.kernel, rows).await?.into_iter().zip(levels);
        let items = spaces.map(|(space, level)| MemberContentPermission {
            permission: level.unwrap_or(MemberRole::Read).to_wire(),
            space,
        });
        let items = items.collect();
        let page = list::Page { items, count, next };
        Ok(page.into())
    }

    async fn create_space(&self, access: TargetAccess, body: Option<CreateSpace>) -> Result<Created<Space>, ApiError> {
        let member = access.member;
        let space = create::create(self, access, body).await?;
        created(load(&self.kernel, &member, space).await?)
    }

    async fn get_space_by_id(&self, access: SpaceAccess, _: GetSpaceByIdQuery) -> Result<Space, ApiError> {
        match &access.site {
            Some(site) => {
                let published = site.address_of(access.row.node.id).await?;
                view::published_space(&self.kernel.urls, access.row, published, site.visibility())
            }
            None => view_one(&self.kernel, access.row, Some(access.level)).await,
        }
    }

    async fn delete_space_by_id(&self, access: DeletableAccess) -> Result<(), ApiError> {
        operations::delete(&self.kernel, access).await
    }

    async fn update_space_by_id(&self, access: SpaceAccess, body: UpdateSpace) -> Result<Space, ApiError> {
        let (node, now) = (access.row.node, self.kernel.clock.now());
        let payload = serde_json::to_value(&body)?;
        let space = node.id;
        let work = move |tx| async move {
            let node = tree::reload(&tx, &node).await?;
            let target = target(&node);
            store::update(&tx, node, body, now).await?;
            Changed::of(target, ()).with(payload)
        };
        self.kernel.write(&access.caller, work).await?;
        load(&self.kernel, &access.member, space).await
    }

    async fn duplicate_space(&self, access: SpaceAccess) -> Result<Created<Space>, ApiError> {
        let member = access.member;
        let copy = create::duplicate(&self.contents, access).await?;
        created(load(&self.kernel, &member, copy).await?)
    }

    async fn restore_space(&self, access: RestorableSpaceAccess) -> Result<Space, ApiError> {
        let (node, now) = (access.row.node, self.kernel.clock.now());
        let space = node.id;
        let work = move |tx| async move {
            let node = tree::store::reload_deleted(&tx, &node, now).await?;
            deletion::restore(&tx, space, now).await?;
            Ok(Changed::of(target(&node), ()))
        };
        self.kernel.write(&access.caller, work).await?;
        load(&self.kernel, &access.member, space).await
    }

    async fn move_space(&self, access: SpaceAccess, body: MoveContent) -> Result<Space, ApiError> {
        let (member, node) = (access.member, access.row.node);
        let space = node.id;
        operations::move_node(&self.kernel, &access.caller, member, node, body).await?;
        load(&self.kernel, &member, space).await
    }

    async fn transfer_space(&self, access: SpaceAccess, body: TransferContent) -> Result<Space, ApiError> {
        let node = access.row.node;
        let space = node.id;
        let member = operations::transfer_node(&self.kernel, &access.caller, access.member, node, body).await?;
        load(&self.kernel, &member, space).await
    }
}

/// A space as it is now, for a member.
pub async fn load(kernel: &Kernel, member: &Member, space: NodeId) -> Result<Space, ApiError> {
    let (row, level) = operations::load(kernel, member, space).await?;
    view_one(kernel, row, level).await
}

/// A space in the view of a member with this level on it.
pub async fn view_one(kernel: &Kernel, row: SpaceRow, level: Option<MemberRole>) -> Result<Space, ApiError> {
    let details = space_details::load_one(kernel.db.read(), *row.node.id.as_uuid()).await?;
    view::space(&kernel.urls, row, level, &details)
}

/// Spaces in the view of a member with these levels on them. One query.
pub async fn view_all(kernel: &Kernel, rows: Vec<(SpaceRow, Option<MemberRole>)>) -> Result<Vec<Space>, ApiError> {
    let spaces = rows.iter().map(|(row, _)| *row.node.id.as_uuid()).collect();
    let mut details = space_details::load(kernel.db.read(), spaces).await?;
    let view = |(row, level): (SpaceRow, Option<MemberRole>)| {
        let details = details.remove(row.node.id.as_uuid()).unwrap_or_default();
        view::space(&kernel.urls, row, level, &details)
    };
    rows.into_iter().map(view).collect()
}

/// Those of these spaces that a member may read. Three queries.
pub async fn load_visible(
    kernel: &Kernel,
    member: &Member,
    spaces: Vec<NodeId>,
) -> Result<HashMap<NodeId, Space>, ApiError> {
    let db = kernel.db.read();
    let these = store::not_deleted(member.organization).filter(nodes::Column::Id.is_in(spaces));
    let rows: Vec<SpaceRow> = positional::rows(db, SpaceRow::of(visible(these, member)).as_query()).await?;
    let ids: Vec<NodeId> = rows.iter().map(|row| row.node.id).collect();
    let levels = node_levels::levels(db, member, ids.clone()).await?;
    let rows = rows.into_iter().map(|row| {
        let level = levels.on(&row.node);
        (row, level)
    });
    let views = view_all(kernel, rows.collect()).await?;
    Ok(ids.into_iter().zip(views).collect())
}

/// Spaces that visitors see; in the preview of a member, only those that the member may read.
pub async fn shown_to_visitor(
    kernel: &Kernel,
    organization: OrganizationId,
    preview_of: Option<UserId>,
    spaces: Select<nodes::Entity>,
) -> Result<Select<nodes::Entity>, ApiError> {
    let Some(user) = preview_of else {
        return Ok(spaces);
    };
    let member = members::of_organization(kernel, organization, user).await?;
    Ok(visible(spaces, &member))
}

/// The spaces of a page.
async fn view_page(
    kernel: &Kernel,
    page: list::Page<(SpaceRow, Option<MemberRole>)>,
) -> Result<list::Page<Space>, ApiError> {
    let list::Page { items, count, next } = page;
    let items = view_all(kernel, items).await?;
    Ok(list::Page { items, count, next })
}

/// The spaces that a collection holds, in its order.
pub async fn list_of_collection(
    kernel: &Kernel,
    member: &Member,
    collection: NodeId,
    page: Option<String>,
    limit: u32,
) -> Result<SpaceList, ApiError> {
    let list = List::new(kernel, ("collection-spaces", collection, member.user), page, limit);
    let held = store::not_deleted(member.organization).filter(nodes::Column::ParentId.eq(collection));
    let page = node_lists::list(kernel, list, Nodes::these(held), Order::Position, [member; 2]).await?;
    Ok(view_page(kernel, page).await?.into())
}

fn created(body: Space) -> Result<Created<Space>, ApiError> {
    Ok(Created {
        location: body.urls.location.clone(),
        body,
    })
}
