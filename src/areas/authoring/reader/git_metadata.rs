//! Commits and blobs of the Git repository of the space, in responses.

use content::pages::{Forest, Page};
use entity::{ids::PageId, library::spaces};
use openapi::{error::ApiError, models::GitSyncCommit};
use uuid::Uuid;

use super::RevisionReader;
use crate::areas::joins::git_state::{self, GitBlobs};

/// Below this number of pages, files or reusable contents, their blobs are looked up one by one.
const MAX_NAMED: usize = 100;

#[derive(Default)]
pub struct GitMetadata {
    is_wanted: bool,
    /// Changes with the blobs, if they are asked for. `None`: there are none.
    pub tag: Option<Vec<u8>>,
    /// The commit with the content of the revision.
    pub commit: Option<GitSyncCommit>,
    pub blobs: GitBlobs,
    /// The address of the files for people, if pages link to it.
    tree_url: Option<String>,
}

impl RevisionReader<'_> {
    /// Tells of the Git repository of the space, if it is asked for.
    pub fn with_metadata(self, space: &spaces::Model, wanted: bool) -> Self {
        let git = GitMetadata {
            is_wanted: wanted,
            tag: space.git_tag.clone().filter(|_| wanted),
            ..GitMetadata::default()
        };
        Self { git, ..self }
    }

    /// Reads the addresses at which pages are edited at the host of the repository.
    pub async fn with_edit_links(mut self) -> Result<Self, ApiError> {
        let found = git_state::tree_url(self.authoring.kernel.db.read(), self.revision.space).await?;
        (self.git.tree_url, self.git.tag) = found.unzip();
        Ok(self)
    }

    /// The address at which a page is edited at the host of the repository.
    pub async fn edit_url(&mut self, page: PageId) -> Result<Option<String>, ApiError> {
        let Some(tree_url) = self.git.tree_url.clone() else {
            return Ok(None);
        };
        self.load_blobs(Some(vec![*page.as_uuid()])).await?;
        let blob = self.git.blobs.get(page.as_uuid());
        Ok(blob.and_then(|blob| git_state::edit_url(&tree_url, &blob.path)))
    }

    pub(super) async fn load_commit(&mut self) -> Result<(), ApiError> {
        if self.git.is_wanted {
            self.git.commit = git_state::commit(self.authoring.kernel.db.read(), self.revision.id).await?;
        }
        Ok(())
    }

    /// Loads the blobs of objects. `None`: of all of the space.
    pub(super) async fn load_blobs(&mut self, ids: Option<Vec<Uuid>>) -> Result<(), ApiError> {
        if self.git.tag.is_some() {
            let ids = ids.filter(|ids| ids.len() <= MAX_NAMED);
            self.git.blobs = git_state::blobs(self.authoring.kernel.db.read(), self.revision.space, ids).await?;
        }
        Ok(())
    }

    /// Loads the blobs of a page and of the pages below it.
    pub(super) async fn load_page_blobs(&mut self, page: &Page, forest: &Forest) -> Result<(), ApiError> {
        let mut ids = vec![*page.id.as_uuid()];
        add_below(forest, page.id, &mut ids);
        self.load_blobs(Some(ids)).await
    }
}

fn add_below(forest: &Forest, parent: PageId, ids: &mut Vec<Uuid>) {
    for page in forest.below(Some(parent)) {
        ids.push(*page.id.as_uuid());
        add_below(forest, page.id, ids);
    }
}
