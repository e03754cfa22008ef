//! The site of a visitor, with the addresses of its spaces.

use std::sync::Arc;

use entity::{ids::NodeId, publishing::sites::Model};
use openapi::error::ApiError;

use super::{site_layout::Layout, visible_layout::visible};

use crate::{
    access::{AccessGuard, VisitedPlace, visitors::Visit},
    kernel::urls::Urls,
};

pub struct VisitedSite<'a> {
    pub site: &'a Model,
    pub visit: &'a Visit,
    /// The part of the structure that the visitor sees.
    pub layout: Arc<Layout>,
    /// The part of addresses that is the key of a share link, with a slash at its end.
    pub share_path: String,
}

impl<'a> VisitedSite<'a> {
    pub fn new(access: &'a AccessGuard, site: &'a Model, visit: &'a Visit, layout: Arc<Layout>) -> Self {
        Self {
            site,
            visit,
            layout,
            share_path: access.visitors.share_path(visit),
        }
    }

    pub async fn of_place(access: &'a AccessGuard, place: &'a VisitedPlace) -> Result<Self, ApiError> {
        let VisitedPlace { site, visit, .. } = place;
        let whole = access.site_layouts.of(access.db.read(), site).await?;
        let layout = visible(access, site, &visit.claims_on(site), whole).await?;
        Ok(Self::new(access, site, visit, layout))
    }

    /// The address of the oldest place of a space. `None`: there is none, because the site is not published or the space is
    /// invisible.
    pub fn address_of(&self, urls: &Urls, space: NodeId) -> Option<String> {
        let places = self.layout.site_spaces.iter().filter(|item| item.space_id == space);
        let place = places.min_by_key(|item| item.id).filter(|_| self.site.published)?;
        let (site, path) = (
            urls.site_for_readers(self.site),
            self.layout.path_in_site_space(place, ""),
        );
        Some(format!("{site}{}{path}", self.share_path))
    }
}
