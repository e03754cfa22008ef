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

/// A page that a request names, and the space that has it.
#[derive(Clone, Copy)]
pub struct HomePage {
    page: Option<PageId>,
    /// `None`: the page was not found.
    space: Option<NodeId>,
}

impl HomePage {
    /// Looks for the page in a space that the caller may read.
    pub async fn find(
        publishing: &Publishing,
        access: &SiteAccess,
        space: Option<NodeId>,
        page: Option<PageId>,
    ) -> Result<Self, ApiError> {
        // A new space has no pages that a request could name.
        let (Some(id), Some(space)) = (page, space) else {
            return Ok(Self { page, space: None });
        };
        let Some(found) = load_node::<SpaceRow>(&publishing.access, &access.caller, space).await? else {
            return Ok(Self { page, space: None });
        };
        let revision = found.row.space.revision_id;
        let reader = RevisionReader::open(&publishing.authoring, space, revision, None).await?;
        let found = reader.page_without_text(|pages| pages.page(id)).await?;
        let exists = found.is_some_and(|page| matches!(page, PageWithPath::DocumentPage(_)));
        Ok(Self {
            page,
            space: exists.then_some(space),
        })
    }

    /// The page, in the transaction in which the site space shows this space: another request may have changed which one it is. A
    /// page that the space does not have is refused.
    pub fn require_in(self, shown: NodeId) -> Result<Option<PageId>, ApiError> {
        if self.page.is_none() || self.space == Some(shown) {
            return Ok(self.page);
        }
        let message = "The space has no page with this id that has a text.";
        Err(ApiError::invalid_member("/body/pageId", ErrorRule::Unknown, message))
    }
}
