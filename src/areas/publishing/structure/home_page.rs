//! The page that the address of a site space shows.

use entity::ids::{NodeId, PageId};
use openapi::{
    error::{ApiError, ErrorRule},
    models::PageWithPath,
};

use crate::{
    access::{load_node, rows::SpaceRow},
    areas::{
        authoring::reader::RevisionReader,
        publishing::{Publishing, guard::SiteAccess},
    },
};

/// A page that a request names, and whether the space has it.
#[derive(Clone, Copy)]
pub struct HomePage {
    page: Option<PageId>,
    exists: bool,
}

impl HomePage {
    /// Looks for the page in a space that the caller may read.
    pub async fn find(
        publishing: &Publishing,
        access: &SiteAccess,
        space: Option<NodeId>,
        page: Option<PageId>,
    ) -> Result<Self, ApiError> {
        let Some(id) = page else {
            return Ok(Self { page, exists: true });
        };
        // A new space has no pages that a request could name.
        let Some(space) = space else {
            return Ok(Self { page, exists: false });
        };
        let Some(found) = load_node::<SpaceRow>(&publishing.access, &access.caller, space).await? else {
            return Ok(Self { page, exists: false });
        };
        let revision = found.row.space.revision_id;
        let reader = RevisionReader::open(&publishing.authoring, space, revision, None).await?;
        let found = reader.page_without_text(|pages| pages.page(id)).await?;
        let exists = found.is_some_and(|page| matches!(page, PageWithPath::DocumentPage(_)));
        Ok(Self { page, exists })
    }

    /// The page; one that does not exist is refused, after the space itself has been checked.
    pub fn require(self) -> Result<Option<PageId>, ApiError> {
        if self.exists {
            return Ok(self.page);
        }
        let message = "The space has no page with this id that has a text.";
        Err(ApiError::invalid_member("/body/pageId", ErrorRule::Unknown, message))
    }
}
