//! Copies of spaces, behind their originals.
//!
//! A large one is made in short transactions, as a space that nobody sees before it is complete, so that other writers do not wait for it.

use std::sync::Arc;

use content::{
    copy::{CopiedAhead, CopySource},
    revisions::Origin,
};
use entity::{
    ids::{NodeId, RevisionId},
    nodes::{self, NodeKind},
    spaces,
};
use openapi::error::ApiError;
use platform::db::{ReadRows, Tx, rows};
use poem::http::StatusCode;
use sea_orm::{ActiveModelTrait, IntoActiveModel};
use tokio::sync::Mutex;

use super::unfinished::UnfinishedSpace;
use crate::{
    access::node_levels::Member,
    app::{App, content_writes::retry_stale, search_jobs::IndexJobs},
    areas::library::tree::{self, store::NewNode},
};

/// A copy that is to be made.
pub struct SpaceCopy<'a> {
    pub app: &'a App,
    pub creator: Member,
    pub original: nodes::Model,
    /// The title, unless it is that of the original.
    pub title: Option<&'static str>,
    /// The settings. The id and the revision are those of the copy.
    pub row: spaces::Model,
}

/// The space of a large copy, and what it has so far.
struct Staged {
    space: UnfinishedSpace,
    copied: CopiedAhead,
}

/// A copy that is ready to be written.
#[derive(Clone)]
pub struct ReadyCopy {
    pub content: Arc<CopySource>,
    creator: Member,
    original: nodes::Model,
    new: NewNode,
    row: spaces::Model,
    jobs: IndexJobs,
    /// The space that holds large content already.
    staged: Option<UnfinishedSpace>,
}

impl SpaceCopy<'_> {
    /// Makes the copy. `write` writes it in one transaction. `None`: the original has changed since it was read.
    pub async fn make<T, F>(self, write: impl Fn(ReadyCopy) -> F) -> Result<T, ApiError>
    where
        F: Future<Output = Result<Option<T>, ApiError>>,
    {
        let staged = Mutex::new(None);
        let made = retry_stale(async || {
            let mut staged = staged.lock().await;
            let written = write(self.prepare(&mut staged).await?).await?;
            if written.is_some() {
                *staged = None;
            }
            Ok(written)
        });
        let made = made.await;
        if let Some(Staged { space, .. }) = staged.into_inner() {
            space.discard(self.app).await?;
        }
        self.app.jobs.wake();
        made
    }

    async fn prepare(&self, staged: &mut Option<Staged>) -> Result<ReadyCopy, ApiError> {
        let app = self.app;
        let original = tree::reload(app.db.read(), &self.original).await?;
        require_create(app.db.read(), &self.creator, &original).await?;
        let content = CopySource::of(app.db.read(), &app.content.objects, original.id).await?;
        let mut new = NewNode {
            id: app.ids.next(),
            kind: NodeKind::Space,
            parent: original.parent_id,
            after: Some(original.id),
            title: self.title.map_or_else(|| original.title.clone(), str::to_owned),
            default_level: original.default_level,
            now: app.clock.now(),
            permission: app.ids.next(),
        };
        if content.is_large() {
            let space = self.stage(staged, &new, &content).await?;
            new.id = space.node.id;
        }
        Ok(ReadyCopy {
            creator: self.creator,
            row: self.row(new.id, app.ids.next()),
            jobs: IndexJobs::of_copy(app, new.id, &content),
            staged: staged.as_ref().map(|staged| staged.space.clone()),
            content: Arc::new(content),
            original,
            new,
        })
    }

    /// Copies large content ahead. What an earlier attempt has copied stays, unless the copy has another place by now.
    async fn stage(
        &self,
        staged: &mut Option<Staged>,
        new: &NewNode,
        content: &CopySource,
    ) -> Result<UnfinishedSpace, ApiError> {
        if let Some(Staged { space, .. }) = staged.take_if(|staged| !is_at(&staged.space.node, new)) {
            space.discard(self.app).await?;
        }
        let mut current = match staged.take() {
            Some(current) => current,
            None => {
                let row = self.row(new.id, self.app.ids.next());
                Staged {
                    space: UnfinishedSpace::create(self.app, self.creator, new.clone(), row).await?,
                    copied: CopiedAhead::default(),
                }
            }
        };
        let space = current.space.clone();
        let copied = content
            .copy_ahead(&self.app.db, space.node.id, &mut current.copied)
            .await;
        *staged = Some(current);
        copied?;
        Ok(space)
    }

    fn row(&self, id: NodeId, revision_id: RevisionId) -> spaces::Model {
        spaces::Model {
            id,
            revision_id,
            ..self.row.clone()
        }
    }
}

impl ReadyCopy {
    /// The id of the copy.
    pub fn id(&self) -> NodeId {
        self.new.id
    }

    /// The first revision of the copy.
    pub fn revision(&self) -> RevisionId {
        self.row.revision_id
    }

    /// Inserts the copy. `None`: the original has changed since it was read.
    pub async fn insert(&self, tx: &Tx) -> Result<Option<nodes::Model>, ApiError> {
        let original = tree::reload(tx, &self.original).await?;
        if !self.content.is_current(tx).await? || original != self.original {
            return Ok(None);
        }
        require_create(tx, &self.creator, &original).await?;
        let copy = match &self.staged {
            None => {
                let copy = tree::store::insert(tx, &self.creator, self.new.clone()).await?;
                rows::insert(tx, &self.row).await?;
                copy
            }
            Some(space) => {
                let copy = space.finish(tx, self.new.now).await?;
                self.row.clone().into_active_model().reset_all().update(tx).await?;
                space.remove_empty_revision(tx).await?;
                copy
            }
        };
        let origin = Origin::edits(self.new.id, vec![], self.creator.user);
        self.content
            .copy(tx, self.row.revision_id, origin, self.new.now)
            .await?;
        self.jobs.clone().store(tx).await?;
        Ok(Some(copy))
    }
}

/// Returns whether a space is what a new one is to be.
fn is_at(space: &nodes::Model, new: &NewNode) -> bool {
    space.parent_id == new.parent && space.title == new.title && space.default_level == new.default_level
}

/// 403 instead of 404 for a collection that the member does not see: they see the space in it.
async fn require_create(db: &impl ReadRows, creator: &Member, original: &nodes::Model) -> Result<(), ApiError> {
    match tree::require_create(db, creator, original.parent_id).await {
        Err(error) if error.status() == StatusCode::NOT_FOUND => Err(ApiError::forbidden(
            "This needs the level create on the collection of the space.",
        )),
        required => required,
    }
}
