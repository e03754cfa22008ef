//! Collections, which hold spaces and further collections.

pub mod store;
pub mod view;

use entity::{
    ids::NodeId,
    nodes::{self, NodeKind},
};
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
use sea_orm::{ColumnTrait, QueryFilter};
use serde_json::json;

use crate::{
    access::{
        CollectionAccess, DeletableAccess, OrganizationAccess, node_levels as levels, node_levels::Member,
        rows::CollectionRow,
    },
    app::{
        App,
        audit::{AuditTarget, Changed},
        lists::List,
    },
    areas::library::{
        spaces,
        tree::{
            self, deletion,
            listing::{self, Order},
            moving,
            store::NewNode,
            transfer::{self, recipient_id},
        },
    },
};

impl CollectionsApi for App {
    async fn list_collections_in_organization_by_id(
        &self,
        access: OrganizationAccess,
        query: ListCollectionsInOrganizationByIdQuery,
    ) -> Result<CollectionList, ApiError> {
        let ListCollectionsInOrganizationByIdQuery { page, limit, nested } = query;
        let member = access.member();
        let scope = ("collections", member.organization, member.user, nested);
        let list = List::new(self, scope, page, limit);
        let (held, order) = if nested {
            (store::living(member.organization), Order::Created(SortOrder::Desc))
        } else {
            let at_top = nodes::Column::ParentId.is_null();
            (store::living(member.organization).filter(at_top), Order::Position)
        };
        let found = levels::visible(held, &member);
        let page = listing::list(self, list, found, order, &member).await?;
        let view = |(row, level): (CollectionRow, _)| view::collection(&self.urls, row, level);
        Ok(page.map(view).into())
    }

    async fn create_collection(
        &self,
        access: OrganizationAccess,
        body: Option<CreateCollection>,
    ) -> Result<Created<Collection>, ApiError> {
        let (title, parent) = body.map_or((None, None), |CreateCollection { title, parent }| (title, parent));
        let parent = parent.as_deref().map(str::parse).transpose();
        let parent = parent.map_err(|_| ApiError::not_found("collection"))?;
        let new = NewNode::new(self, NodeKind::Collection, parent, title.unwrap_or_default());
        let member = access.member();
        let work = move |tx| async move {
            tree::require_create(&tx, &member, parent).await?;
            tree::require_depth(&tx, None, parent).await?;
            let node = tree::store::insert(&tx, &member, new).await?;
            store::insert(&tx, node.id).await?;
            Ok(Changed::of(target(&node), node.id))
        };
        let collection = self.write(&access.caller, work).await?;
        let body = load(self, &member, collection).await?;
        Ok(Created {
            location: body.urls.location.clone(),
            body,
        })
    }

    async fn get_collection_by_id(&self, access: CollectionAccess) -> Result<Collection, ApiError> {
        Ok(view::collection(&self.urls, access.row, Some(access.level)))
    }

    async fn delete_collection_by_id(&self, access: DeletableAccess) -> Result<(), ApiError> {
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

    async fn update_collection_by_id(
        &self,
        access: CollectionAccess,
        body: UpdateCollection,
    ) -> Result<Collection, ApiError> {
        let (node, now) = (access.row.node, self.clock.now());
        let payload = serde_json::to_value(&body)?;
        let collection = node.id;
        let UpdateCollection {
            title,
            description,
            default_level,
        } = body;
        let work = move |tx| async move {
            let node = moving::again(&tx, &node).await?;
            let target = target(&node);
            if let Some(description) = description {
                store::describe(&tx, node.id, description).await?;
            }
            tree::store::update(&tx, node, title, default_level.into_change(), now).await?;
            Changed::of(target, ()).with(payload)
        };
        self.write(&access.caller, work).await?;
        load(self, &access.member, collection).await
    }

    async fn list_spaces_in_collection_by_id(
        &self,
        access: CollectionAccess,
        query: ListSpacesInCollectionByIdQuery,
    ) -> Result<SpaceList, ApiError> {
        let ListSpacesInCollectionByIdQuery { page, limit } = query;
        spaces::list_of_collection(self, &access.member, access.row.node.id, page, limit).await
    }

    async fn move_collection(&self, access: CollectionAccess, body: MoveContent) -> Result<Collection, ApiError> {
        let (member, node, now) = (access.member, access.row.node, self.clock.now());
        let payload = serde_json::to_value(&body)?;
        let collection = node.id;
        let work = move |tx| async move {
            let node = moving::again(&tx, &node).await?;
            let moved = moving::relocate(&tx, &member, &node, body, now).await?;
            Changed::of(target(&moved), ()).with(payload)
        };
        self.write(&access.caller, work).await?;
        load(self, &member, collection).await
    }

    async fn transfer_collection(
        &self,
        access: CollectionAccess,
        body: TransferContent,
    ) -> Result<Collection, ApiError> {
        let (member, node, now) = (access.member, access.row.node, self.clock.now());
        let TransferContent { organization } = body;
        let (to, permission) = (recipient_id(&organization)?, self.ids.next());
        let collection = node.id;
        let work = move |tx| async move {
            let node = moving::again(&tx, &node).await?;
            let (_, member) = transfer::transfer(&tx, &member, &node, to, permission, now).await?;
            Changed::of(target(&node), member).with(json!({ "organization": to }))
        };
        let member = self.write(&access.caller, work).await?;
        load(self, &member, collection).await
    }
}

pub fn target(node: &nodes::Model) -> AuditTarget {
    AuditTarget::in_organization(node.organization_id, "collection", node.id).labelled(&node.title)
}

/// A collection as it is now, for a member.
pub async fn load(app: &App, member: &Member, collection: NodeId) -> Result<Collection, ApiError> {
    let db = app.db.read();
    let found = store::find(db, member.organization, collection).await;
    let row = found?.ok_or_else(|| ApiError::not_found("collection"))?;
    let level = levels::level(db, member, &row.node).await?;
    Ok(view::collection(&app.urls, row, level))
}
