//! The content whose links a request asks for, and the member who asks.

use std::sync::Arc;

use content::revisions::Revision;
use content::{
    objects::{Content, Missing},
    pages::{Page, Pages, Snapshot},
};
use entity::{
    change_requests,
    ids::{ChangeRequestId, NodeId, PageId},
};
use openapi::error::ApiError;
use platform::db::Reads;

use crate::{
    access::{ChangeRequestAccess, SpaceAccess, node_levels::Member},
    app::{App, computed::is_computed},
    areas::authoring::editor::write::load_revision,
};

pub struct LinkScope<'a> {
    pub app: &'a App,
    pub member: Member,
    pub space: NodeId,
    pub revision: Arc<Revision>,
    /// The change request that has this content, with the current revision of its space.
    pub request: Option<(change_requests::Model, Arc<Revision>)>,
}

impl<'a> LinkScope<'a> {
    /// The current content of a space.
    pub async fn of_space(app: &'a App, access: SpaceAccess) -> Result<Self, ApiError> {
        let space = access.row.node.id;
        Ok(Self {
            app,
            member: access.member,
            space,
            revision: load_revision(app, space, access.row.space.revision_id).await?,
            request: None,
        })
    }

    /// The current content of a change request.
    pub async fn of_request(app: &'a App, access: ChangeRequestAccess) -> Result<Self, ApiError> {
        let space = access.row.node.id;
        let current = load_revision(app, space, access.row.space.revision_id).await?;
        Ok(Self {
            app,
            member: access.member,
            space,
            revision: load_revision(app, space, access.request.revision_id).await?,
            request: Some((access.request, current)),
        })
    }

    pub fn content(&self) -> Content<'a, Reads> {
        Content::new(self.app.db.read(), &self.app.content.objects, self.space)
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
                let tree = self.app.computed_tree(&self.revision).await?;
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
