//! Collections, which hold spaces and further collections.

pub mod store;
pub mod view;

use entity::{ids::NodeId, library::nodes::NodeKind};
use openapi::{
    answer::Created,
    error::ApiError,
    models::{
        Collection, CollectionList, CreateCollection, MoveContent, SortOrder, SpaceList, TransferContent,
        UpdateCollection,
    },
    operations::collections::{
        CollectionsApi, ListCollectionsInOrganizationByIdQuery, ListSpacesInCollectionByIdQuery,
    },
};

use crate::{
    access::{
        CollectionAccess, DeletableAccess, OrganizationAccess, TargetAccess, node_levels::Member, rows::CollectionRow,
    },
    areas::library::{
        Library, spaces,
        tree::{
            self,
            node_lists::{self, Nodes, Order},
            operations,
            store::NewNode,
            target,
        },
    },
    kernel::{Kernel, audit::Changed, lists::List},
};

impl CollectionsApi for Library {
    async fn list_collections_in_organization_by_id(
        &self,
        access: OrganizationAccess,
        query: ListCollectionsInOrganizationByIdQuery,
    ) -> Result<CollectionList, ApiError> {
        let ListCollectionsInOrganizationByIdQuery { page, limit, nested } = query;
        let member = access.member();
        let scope = ("collections", member.organization, member.user, nested);
        let list = List::new(&self.kernel, scope, page, limit);
        let (held, order) = if nested {
            (store::not_deleted(member.organization), Order::Created(SortOrder::Desc))
        } else {
            (store::at_top(member.organization), Order::Position)
        };
        let page = node_lists::list(&self.kernel, list, Nodes::these(held), order, [&member; 2]).await?;
        let view = |(row, level): (CollectionRow, _)| view::collection(&self.kernel.urls, row, level);
        Ok(page.map(view).into())
    }

    async fn create_collection(
        &self,
        access: TargetAccess,
        body: Option<CreateCollection>,
    ) -> Result<Created<Collection>, ApiError> {
        let TargetAccess {
            caller,
            member,
            node: place,
        } = access;
        let (title, parent) = (body.and_then(|body| body.title), place.as_ref().map(|place| place.id));
        let new = NewNode::new(&self.kernel, NodeKind::Collection, parent, title.unwrap_or_default());
        let work = move |tx| async move {
            tree::reload_parent(&tx, place.as_ref()).await?;
            tree::require_depth(&tx, None, parent).await?;
            let node = tree::store::insert(&tx, &member, new).await?;
            store::insert(&tx, node.id).await?;
            Ok(Changed::of(target(&node), node.id))
        };
        let collection = self.kernel.write(&caller, work).await?;
        let body = load(&self.kernel, &member, collection).await?;
        Ok(Created {
            location: body.urls.location.clone(),
            body,
        })
    }

    async fn get_collection_by_id(&self, access: CollectionAccess) -> Result<Collection, ApiError> {
        Ok(view::collection(&self.kernel.urls, access.row, Some(access.level)))
    }

    async fn delete_collection_by_id(&self, access: DeletableAccess) -> Result<(), ApiError> {
        operations::delete(&self.kernel, access).await
    }

    async fn update_collection_by_id(
        &self,
        access: CollectionAccess,
        body: UpdateCollection,
    ) -> Result<Collection, ApiError> {
        let (node, now) = (access.row.node, self.kernel.clock.now());
        let payload = serde_json::to_value(&body)?;
        let collection = node.id;
        let UpdateCollection {
            title,
            description,
            default_level,
        } = body;
        let work = move |tx| async move {
            let node = tree::reload(&tx, &node).await?;
            let target = target(&node);
            if let Some(description) = description {
                store::set_description(&tx, node.id, description).await?;
            }
            tree::store::update(&tx, node, title, default_level.into_change(), now).await?;
            Changed::of(target, ()).with(payload)
        };
        self.kernel.write(&access.caller, work).await?;
        load(&self.kernel, &access.member, collection).await
    }

    async fn list_spaces_in_collection_by_id(
        &self,
        access: CollectionAccess,
        query: ListSpacesInCollectionByIdQuery,
    ) -> Result<SpaceList, ApiError> {
        let ListSpacesInCollectionByIdQuery { page, limit } = query;
        spaces::list_of_collection(&self.kernel, &access.member, access.row.node.id, page, limit).await
    }

    async fn move_collection(&self, access: CollectionAccess, body: MoveContent) -> Result<Collection, ApiError> {
        let (member, node) = (access.member, access.row.node);
        let collection = node.id;
        operations::move_node(&self.kernel, &access.caller, member, node, body).await?;
        load(&self.kernel, &member, collection).await
    }

    async fn transfer_collection(
        &self,
        access: CollectionAccess,
        body: TransferContent,
    ) -> Result<Collection, ApiError> {
        let node = access.row.node;
        let collection = node.id;
        let member = operations::transfer_node(&self.kernel, &access.caller, access.member, node, body).await?;
        load(&self.kernel, &member, collection).await
    }
}

/// A collection as it is now, for a member.
pub async fn load(kernel: &Kernel, member: &Member, collection: NodeId) -> Result<Collection, ApiError> {
    let (row, level) = operations::load::<CollectionRow>(kernel, member, collection).await?;
    Ok(view::collection(&kernel.urls, row, level))
}
