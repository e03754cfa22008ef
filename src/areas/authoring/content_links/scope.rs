//! The content whose links a request asks for, and the member who asks.

use std::sync::Arc;

use content::revisions::Revision;
use content::{
    objects::{Content, Missing},
    pages::{Page, Pages, Snapshot},
};
use entity::{
    authoring::change_requests,
    ids::{ChangeRequestId, NodeId, PageId},
};
use openapi::error::ApiError;
use platform::db::Reads;

use crate::{
    access::{ChangeRequestAccess, SpaceAccess, node_levels::Member},
    areas::{
        authoring::{Authoring, editor::write::load_revision},
        content::computed::is_computed,
    },
};

pub struct LinkScope<'a> {
    pub authoring: &'a Authoring,
    pub member: Member,
    pub space: NodeId,
    pub revision: Arc<Revision>,
    /// The change request that has this content, with the current revision of its space.
    pub request: Option<(change_requests::Model, Arc<Revision>)>,
}

impl<'a> LinkScope<'a> {
    /// The current content of a space.
    pub async fn of_space(authoring: &'a Authoring, access: SpaceAccess) -> Result<Self, ApiError> {
        let space = access.row.node.id;
        Ok(Self {
            authoring,
            member: access.member,
            space,
            revision: load_revision(&authoring.contents, space, access.row.space.revision_id).await?,
            request: None,
        })
    }

    /// The current content of a change request.
    pub async fn of_request(authoring: &'a Authoring, access: ChangeRequestAccess) -> Result<Self, ApiError> {
        let space = access.row.node.id;
        let current = load_revision(&authoring.contents, space, access.row.space.revision_id).await?;
        Ok(Self {
            authoring,
            member: access.member,
            space,
            revision: load_revision(&authoring.contents, space, access.request.revision_id).await?,
            request: Some((access.request, current)),
        })
    }

    pub fn content(&self) -> Content<'a, Reads> {
        Content::new(
            self.authoring.kernel.db.read(),
            &self.authoring.contents.state.objects,
            self.space,
        )
    }

    /// Runs a computation on a snapshot of the space.
    pub async fn compute<T>(
        &self,
        snapshot: Snapshot,
        compute: impl Fn(&Pages<'_>) -> Result<T, Missing>,
    ) -> Result<T, ApiError> {
        let mut content = self.content();
        let found = content.run(|objects| compute(&Pages::of(objects, snapshot))).await;
        Ok(found?)
    }

    /// The page that the path parameter names.
    pub async fn page(&self, id: PageId) -> Result<Page, ApiError> {
        let stored = self.compute(self.revision.snapshot, |pages| pages.page(id)).await?;
        let found = match stored {
            None if is_computed(id) => {
                let tree = self.authoring.contents.computed_tree(&self.revision).await?;
                tree.and_then(|tree| tree.overlay.get(id).cloned())
            }
            stored => stored,
        };
        found.ok_or_else(|| ApiError::not_found("page"))
    }

    /// The part of a cursor's scope that names the content. It stays the same while the content of a space changes.
    pub fn list_key(&self) -> (NodeId, Option<ChangeRequestId>) {
        (self.space, self.request.as_ref().map(|(request, _)| request.id))
    }
}
