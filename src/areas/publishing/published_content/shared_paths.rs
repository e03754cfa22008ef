//! Paths that can be read in several ways: parts that name a section or a site space can belong to the path of a page as well. A renderer
//! that shows a page of a site space links to the others by their paths below the address of the site space alone.

use std::iter;

use entity::{
    ids::UserId,
    publishing::sites::{Model, site_spaces},
};
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

/// The content at a path.
pub enum Resolved<'a> {
    /// A place in the site. `complete`: longer paths lead to pages of the same site space.
    Here { place: Place<'a>, complete: bool },
    /// A page of another site space: this is its path with the names of the defaults.
    Elsewhere(String),
}

/// A site as a visitor or a member sees it.
pub struct VisitorPages<'a> {
    pub publishing: &'a Publishing,
    pub site: &'a Model,
    pub layout: &'a Layout,
    pub preview_of: Option<UserId>,
    /// `None`: a member, who sees all pages.
    pub claims: Option<&'a VisitorClaims>,
}

impl<'a> VisitorPages<'a> {
    /// The content at a path. `place`: its reading in which all names count.
    pub async fn resolve(&self, place: Place<'a>, path: &str) -> Result<Resolved<'a>, ApiError> {
        let others = self.other_readings(&place, path).await?;
        if others.is_empty() {
            let complete = place.complete;
            return Ok(Resolved::Here { place, complete });
        }
        let item = place.item.id;
        let place = self.preferred(place, others).await?;
        if place.item.id == item {
            return Ok(Resolved::Here { place, complete: false });
        }
        Ok(Resolved::Elsewhere(self.path_of(place.item, &place.rest).await?))
    }

    /// The place to which a path leads, without a redirect.
    pub async fn find(&self, path: &str) -> Result<Option<Place<'a>>, ApiError> {
        let Some(place) = Place::find(self.layout, path) else {
            return Ok(None);
        };
        let others = self.other_readings(&place, path).await?;
        Ok(Some(self.preferred(place, others).await?))
    }

    /// The shortest path at which the reader finds a page.
    pub async fn path_of(&self, item: &site_spaces::Model, page: &str) -> Result<String, ApiError> {
        let [shorter @ .., whole] = self.layout.paths_in_site_space(item, page);
        for path in shorter {
            if let Some(place) = Place::find(self.layout, &path)
                && place.item.id == item.id
                && self.find(&path).await?.is_some_and(|place| place.is_page(item, page))
            {
                return Ok(path);
            }
        }
        Ok(whole)
    }

    /// The other readings of a path that pages begin with. A preview must not tell of spaces that its maker may not read.
    async fn other_readings(&self, place: &Place<'a>, path: &str) -> Result<Vec<Place<'a>>, ApiError> {
        let mut readings = Vec::new();
        for other in place.others(self.layout, path) {
            if self.preview_of.is_some() && other.item.id != place.item.id {
                continue;
            }
            let (first, _) = other.rest.split_once('/').unwrap_or((&other.rest, ""));
            if self.has_page(&other, first).await? {
                readings.push(other);
            }
        }
        Ok(readings)
    }

    /// The reading that leads to a page, first of all with the shortest name of its site space.
    async fn preferred(&self, place: Place<'a>, others: Vec<Place<'a>>) -> Result<Place<'a>, ApiError> {
        if others.is_empty() {
            return Ok(place);
        }
        let mut found = None;
        for reading in iter::once(&place).chain(&others) {
            if !reading.rest.is_empty() && !self.has_page(reading, &reading.rest).await? {
                continue;
            }
            if reading.has_shortest_name(self.layout) {
                return Ok(reading.clone());
            }
            found.get_or_insert(reading);
        }
        Ok(found.unwrap_or(&place).clone())
    }

    /// Returns whether the reader sees a page of a place; the path is as it stands in the address.
    async fn has_page(&self, place: &Place<'a>, path: &str) -> Result<bool, ApiError> {
        let Some(NamedPage::Path(path)) = NamedPage::at(path) else {
            return Ok(false);
        };
        let (db, space) = (self.publishing.kernel.db.read(), place.item.space_id);
        let found = rows::find_row::<SpaceRow>(db, self.site.organization_id, space);
        let Some(SpaceRow { space, .. }) = found.await? else {
            return Ok(false);
        };
        let reader = RevisionReader::open(&self.publishing.authoring, space.id, space.revision_id, None).await?;
        let mut reader = reader.seen_by(self.claims.cloned());
        match reader.compute(|pages| pages.page_by_path(&path)).await? {
            Some(page) => reader.sees(page.id).await,
            None => Ok(false),
        }
    }
}
