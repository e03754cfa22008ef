//! An open site as its visitor sees it.

use std::sync::Arc;

use entity::{
    ids::{FileId, NodeId, OrganizationId, RevisionId, SiteSpaceId, UserId},
    publishing::sites::{Model, SiteVisibility},
};
use expressions::VisitorClaims;
use futures_util::future::{BoxFuture, FutureExt};
use openapi::error::ApiError;
use platform::db::{Reads, Tx};

use super::{Visit, Visits, open_site};

use crate::{
    access::SiteReader,
    areas::publishing::{
        layout::{Drafts, Layout, live, visible},
        site_settings,
    },
};

pub struct OpenVisit {
    visits: Visits,
    pub site: Model,
    pub visit: Visit,
    claims: VisitorClaims,
}

impl OpenVisit {
    pub(super) fn new(visits: Visits, site: Model, visit: Visit) -> Self {
        Self {
            claims: visit.claims_on(&site),
            visits,
            site,
            visit,
        }
    }

    /// The part of the structure that the visitor sees.
    pub async fn layout(&self) -> Result<Arc<Layout>, ApiError> {
        let drafts = self.visit.drafts();
        self.visits.visible_layout(&self.site, &self.claims, drafts).await
    }

    /// The part of addresses that is the key of a share link, with a slash at its end.
    pub fn share_path(&self) -> String {
        self.visits.keys().share_path(&self.visit)
    }

    /// The address of the site for readers, which ends with a slash.
    pub fn published_base(&self) -> String {
        self.visits.0.kernel.urls.site_for_readers(&self.site)
    }

    /// The address of the oldest place of a space in the part of the structure that the visitor sees, without drafts.
    pub fn address_in(&self, layout: &Layout, space: NodeId) -> Option<String> {
        let places = layout.site_spaces.iter().filter(|item| item.space_id == space);
        let place = places.min_by_key(|item| item.id).filter(|_| self.site.published)?;
        Some(format!(
            "{}{}{}",
            self.published_base(),
            self.share_path(),
            layout.path_in_site_space(place, "")
        ))
    }

    /// The structure before conditions hide anything.
    async fn unconditional_layout(&self) -> Result<Arc<Layout>, ApiError> {
        self.visits.layout(&self.site, self.visit.drafts()).await
    }

    /// The places where the site shows a space.
    async fn places_of(&self, space: NodeId) -> Result<Vec<SiteSpaceId>, ApiError> {
        let layout = self.unconditional_layout().await?;
        let contents = &self.visits.0.contents;
        visible::places_of(contents, &layout, &self.claims, space).await
    }

    fn db(&self) -> &Reads {
        self.visits.0.kernel.db.read()
    }

    async fn find_all_spaces(&self) -> Result<Vec<NodeId>, ApiError> {
        Ok(self.unconditional_layout().await?.spaces())
    }

    async fn is_led_to(&self, file: FileId) -> Result<bool, ApiError> {
        let layout = self.unconditional_layout().await?;
        let items = layout.site_spaces.iter().map(|item| item.id);
        Ok(site_settings::leads_to(self.db(), self.site.id, items, &file.to_string()).await?)
    }
}

impl Visits {
    /// The structure of a site.
    pub async fn layout(&self, site: &Model, drafts: Drafts) -> Result<Arc<Layout>, ApiError> {
        Ok(self.0.layouts.of(self.0.kernel.db.read(), site, drafts).await?)
    }

    /// The structure as a visitor of a site with these claims sees it.
    pub async fn visible_layout(
        &self,
        site: &Model,
        claims: &VisitorClaims,
        drafts: Drafts,
    ) -> Result<Arc<Layout>, ApiError> {
        let layout = self.layout(site, drafts).await?;
        visible::layout(&self.0.contents, &self.0.layouts, site, claims, (layout, drafts)).await
    }
}

impl SiteReader for OpenVisit {
    fn organization(&self) -> OrganizationId {
        self.site.organization_id
    }

    fn visibility(&self) -> SiteVisibility {
        self.site.visibility
    }

    fn claims(&self) -> &VisitorClaims {
        &self.claims
    }

    fn preview_of(&self) -> Option<UserId> {
        self.visit.preview_of
    }

    fn shown_revision(&self, space: NodeId) -> Option<RevisionId> {
        let (of, revision) = self.visit.shown?;
        (of == space).then_some(revision)
    }

    fn spaces(&self) -> BoxFuture<'_, Result<Vec<NodeId>, ApiError>> {
        self.find_all_spaces().boxed()
    }

    fn shows(&self, space: NodeId) -> BoxFuture<'_, Result<bool, ApiError>> {
        async move { Ok(!self.places_of(space).await?.is_empty()) }.boxed()
    }

    fn address_of(&self, space: NodeId) -> BoxFuture<'_, Result<Option<String>, ApiError>> {
        async move { Ok(self.address_in(&live(&self.layout().await?), space)) }.boxed()
    }

    fn leads_to(&self, file: FileId) -> BoxFuture<'_, Result<bool, ApiError>> {
        self.is_led_to(file).boxed()
    }

    fn offers_pdf(&self, space: NodeId) -> BoxFuture<'_, Result<bool, ApiError>> {
        async move {
            let places = self.places_of(space).await?;
            Ok(site_settings::has_pdf(self.db(), self.site.id, &places).await?)
        }
        .boxed()
    }

    fn require_open<'a>(&'a self, tx: Option<&'a Tx>) -> BoxFuture<'a, Result<(), ApiError>> {
        async move {
            let site = match tx {
                Some(tx) => open_site(tx, &self.visit).await?,
                None => open_site(self.db(), &self.visit).await?,
            };
            site.map(drop).ok_or_else(|| ApiError::not_found("site"))
        }
        .boxed()
    }
}
