//! Paths that name a section or a site space, and that pages of the default one have as well. A renderer that shows a page of the
//! default section links to the others by their paths alone.

use entity::{ids::UserId, publishing::sites::Model};
use expressions::VisitorClaims;
use openapi::error::ApiError;

use crate::{
    access::rows::{self, SpaceRow},
    areas::{
        authoring::reader::RevisionReader,
        content::content_urls::NamedPage,
        publishing::{
            Publishing,
            layout::{Layout, paths::Place},
        },
    },
};

/// The part of a path that pages elsewhere have as well.
pub enum SharedPath {
    /// The path of a page that is only elsewhere: this is its path with the names of the defaults.
    Page(String),
    /// The beginning of the path: an address below may be that of a page elsewhere.
    Beginning,
}

/// A site as a visitor sees it.
pub struct VisitorPages<'a> {
    pub publishing: &'a Publishing,
    pub site: &'a Model,
    pub layout: &'a Layout,
    pub preview_of: Option<UserId>,
    pub claims: &'a VisitorClaims,
}

impl VisitorPages<'_> {
    /// The part of the path to a place that pages of other places have as well.
    pub async fn sharing(&self, place: &Place<'_>, path: &str) -> Result<Option<SharedPath>, ApiError> {
        // A preview must not tell of spaces that its maker may not read.
        if self.preview_of.is_some() {
            return Ok(None);
        }
        let mut shared = None;
        for other in place.others(self.layout, path) {
            let (first, _) = other.rest.split_once('/').unwrap_or((&other.rest, ""));
            if !self.has_page(&other, first).await? {
                continue;
            }
            shared = Some(SharedPath::Beginning);
            let is_here = place.rest.is_empty() || self.has_page(place, &place.rest).await?;
            if !is_here && self.has_page(&other, &other.rest).await? {
                let path = self.layout.path_in_site_space(other.item, &other.rest);
                return Ok(Some(SharedPath::Page(path)));
            }
        }
        Ok(shared)
    }

    /// Returns whether the visitor sees a page of a place; the path is as it stands in the address.
    async fn has_page(&self, place: &Place<'_>, path: &str) -> Result<bool, ApiError> {
        let Some(NamedPage::Path(path)) = NamedPage::at(path) else {
            return Ok(false);
        };
        let (db, space) = (self.publishing.kernel.db.read(), place.item.space_id);
        let found = rows::find_row::<SpaceRow>(db, self.site.organization_id, space);
        let Some(SpaceRow { space, .. }) = found.await? else {
            return Ok(false);
        };
        let reader = RevisionReader::open(&self.publishing.authoring, space.id, space.revision_id, None).await?;
        let mut reader = reader.seen_by(Some(self.claims.clone()));
        match reader.compute(|pages| pages.page_by_path(&path)).await? {
            Some(page) => reader.sees(page.id).await,
            None => Ok(false),
        }
    }
}
