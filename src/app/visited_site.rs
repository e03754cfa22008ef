//! Where a site shows its spaces to a visitor.

use std::sync::Arc;

use entity::{
    ids::NodeId,
    sites::{Model, SiteVisibility},
};
use openapi::error::ApiError;

use super::{App, site_layout::Layout, urls::Urls, visible_layout::visible};
use crate::access::{VisitedPlace, conditions::VisitorClaims, visitors::Visit};

pub struct VisitedSite<'a> {
    pub site: &'a Model,
    pub visit: &'a Visit,
    /// What the visitor sees of it.
    pub layout: Arc<Layout>,
    urls: &'a Urls,
    /// The part of addresses that is the key of a share link, with a slash at its end.
    pub share_path: String,
}

impl<'a> VisitedSite<'a> {
    pub fn new(app: &'a App, site: &'a Model, visit: &'a Visit, layout: Arc<Layout>) -> Self {
        Self {
            site,
            visit,
            layout,
            urls: &app.urls,
            share_path: app.visitors.share_path(visit),
        }
    }

    pub async fn of_place(app: &'a App, place: &'a VisitedPlace) -> Result<Self, ApiError> {
        let VisitedPlace { site, visit, .. } = place;
        let whole = app.guard.site_layouts.of(app.db.read(), site).await?;
        let layout = visible(app, site, &VisitorClaims::of(site, visit), whole).await?;
        Ok(Self::new(app, site, visit, layout))
    }

    pub fn visibility(&self) -> SiteVisibility {
        self.site.visibility
    }

    /// The address of the oldest place of a space. `None`: there is none, because the site is not published or the space is
    /// invisible.
    pub fn address_of(&self, space: NodeId) -> Option<String> {
        let places = self.layout.site_spaces.iter().filter(|item| item.space_id == space);
        let place = places.min_by_key(|item| item.id).filter(|_| self.site.published)?;
        let Model {
            proxy,
            hostname,
            basename,
            ..
        } = self.site;
        let site = self
            .urls
            .published_site(proxy.as_deref(), hostname.as_deref(), basename);
        Some(format!(
            "{site}{}{}",
            self.share_path,
            self.layout.path_in_site_space(place, "")
        ))
    }
}
