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
    library::{
        nodes::{self, NodeKind},
        spaces::{self, ContentVisibility},
    },
};
use openapi::error::ApiError;
use platform::db::{ReadRows, Tx, rows};
use poem::http::StatusCode;
use sea_orm::{ActiveModelTrait, IntoActiveModel};
use tokio::{runtime::Handle, sync::Mutex};

use super::{store, unfinished::UnfinishedSpace};

use crate::{
    access::node_levels::Member,
    areas::{
        content::{Contents, content_writes::retry_stale, search_jobs::IndexJobs},
        library::tree::{self, store::NewNode},
    },
    kernel::Kernel,
};

/// Makes the row of a copy from its original and that one's row; the id and the revision do not matter.
pub type CopiedSettings = dyn Fn(&nodes::Model, spaces::Model) -> spaces::Model + Send + Sync;

/// The settings of the original, for a space of its own.
pub fn copied_settings() -> Arc<CopiedSettings> {
    Arc::new(|original, row| spaces::Model {
        visibility: visibility(original.parent_id),
        change_requests: 0,
        change_requests_open: 0,
        change_requests_draft: 0,
        git_tag: None,
        ..row
    })
}

/// A copy that is to be made.
pub struct SpaceCopy<'a> {
    pub contents: &'a Contents,
    pub creator: Member,
    pub original: nodes::Model,
    /// The title, unless it is that of the original.
    pub title: Option<&'static str>,
    pub settings: Arc<CopiedSettings>,
}

/// The space of a large copy, and what it has so far. Unless the copy is finished, the space is removed when this is dropped.
struct Staged {
    kernel: Kernel,
    space: Option<UnfinishedSpace>,
    original: nodes::Model,
    copied: CopiedAhead,
}

impl Drop for Staged {
    fn drop(&mut self) {
        let (Some(space), Ok(runtime)) = (self.space.take(), Handle::try_current()) else {
            return;
        };
        let kernel = self.kernel.clone();
        runtime.spawn(async move {
            if let Err(error) = space.discard(&kernel).await {
                tracing::warn!(%error, "what was copied of a space is removed only in a week");
            }
        });
    }
}

/// A copy that is ready to be written.
#[derive(Clone)]
pub struct ReadyCopy {
    pub content: Arc<CopySource>,
    creator: Member,
    original: nodes::Model,
    new: NewNode,
    revision: RevisionId,
    settings: Arc<CopiedSettings>,
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
            if let (Some(_), Some(Staged { space, .. })) = (&written, staged.as_mut()) {
                *space = None;
            }
            Ok(written)
        });
        let made = made.await;
        self.contents.kernel.jobs.wake();
        made
    }

    async fn prepare(&self, staged: &mut Option<Staged>) -> Result<ReadyCopy, ApiError> {
        let contents = self.contents;
        let original = tree::reload(contents.kernel.db.read(), &self.original).await?;
        require_create(contents.kernel.db.read(), &self.creator, &original).await?;
        let content = CopySource::of(contents.kernel.db.read(), &contents.state.objects, original.id).await?;
        let mut new = NewNode {
            id: contents.kernel.ids.next(),
            kind: NodeKind::Space,
            parent: original.parent_id,
            after: Some(original.id),
            title: self.title.map_or_else(|| original.title.clone(), str::to_owned),
            default_level: original.default_level,
            now: contents.kernel.clock.now(),
            permission: contents.kernel.ids.next(),
        };
        if staged
            .as_ref()
            .is_some_and(|staged| !is_same_place(&staged.original, &original))
        {
            *staged = None;
        }
        let mut space = None;
        if content.is_large() {
            let unfinished = self.stage(staged, (&original, &new), &content).await?;
            new.id = unfinished.node.id;
            space = Some(unfinished);
        } else {
            *staged = None;
        }
        Ok(ReadyCopy {
            creator: self.creator,
            revision: contents.kernel.ids.next(),
            settings: Arc::clone(&self.settings),
            jobs: IndexJobs::of_copy(&contents.kernel, new.id, &content),
            staged: space,
            content: Arc::new(content),
            original,
            new,
        })
    }

    /// Copies large content ahead, besides what an earlier attempt has copied.
    async fn stage(
        &self,
        staged: &mut Option<Staged>,
        (original, new): (&nodes::Model, &NewNode),
        content: &CopySource,
    ) -> Result<UnfinishedSpace, ApiError> {
        let contents = self.contents;
        let current = match staged {
            Some(current) => current,
            None => {
                let source = store::row(contents.kernel.db.read(), original.id).await?;
                let row = spaces::Model {
                    id: new.id,
                    revision_id: contents.kernel.ids.next(),
                    ..(self.settings)(original, source)
                };
                staged.insert(Staged {
                    kernel: contents.kernel.clone(),
                    space: Some(UnfinishedSpace::create(&contents.kernel, self.creator, new.clone(), row).await?),
                    original: original.clone(),
                    copied: CopiedAhead::default(),
                })
            }
        };
        let space = current
            .space
            .clone()
            .ok_or_else(|| ApiError::internal("a copy was finished before"))?;
        content
            .copy_ahead(&contents.kernel.db, space.node.id, &mut current.copied)
            .await?;
        Ok(space)
    }
}

impl ReadyCopy {
    /// The first revision of the copy.
    pub fn revision(&self) -> RevisionId {
        self.revision
    }

    /// Inserts the copy. `None`: the original has changed since it was read.
    pub async fn insert(&self, tx: &Tx) -> Result<Option<nodes::Model>, ApiError> {
        let original = tree::reload(tx, &self.original).await?;
        if !self.content.is_current(tx).await? || original != self.original {
            return Ok(None);
        }
        require_create(tx, &self.creator, &original).await?;
        let row = spaces::Model {
            id: self.new.id,
            revision_id: self.revision,
            ..(self.settings)(&original, store::row(tx, original.id).await?)
        };
        let copy = match &self.staged {
            None => {
                let copy = tree::store::insert(tx, &self.creator, self.new.clone()).await?;
                rows::insert(tx, &row).await?;
                copy
            }
            Some(space) => {
                let copy = space.finish(tx, self.new.now).await?;
                row.into_active_model().reset_all().update(tx).await?;
                space.remove_empty_revision(tx).await?;
                copy
            }
        };
        let origin = Origin::edits(self.new.id, vec![], self.creator.user);
        self.content.copy(tx, self.revision, origin, self.new.now).await?;
        self.jobs.clone().store(tx).await?;
        Ok(Some(copy))
    }
}

/// Returns whether the copies of both belong in the same place, with the same title and levels.
fn is_same_place(one: &nodes::Model, other: &nodes::Model) -> bool {
    let level = |node: &nodes::Model| (node.default_level, node.effective_default);
    let place = |node: &nodes::Model| (node.parent_id, node.position, level(node));
    place(one) == place(other) && one.title == other.title
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

/// The visibility of a space that no site shows.
pub fn visibility(parent: Option<NodeId>) -> ContentVisibility {
    match parent {
        Some(_) => ContentVisibility::InCollection,
        None => ContentVisibility::Private,
    }
}
