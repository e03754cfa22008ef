//! PDFs of spaces, change requests and pages.
//!
//! A request finds the export of what it asks for, or enqueues one, and waits a little. A job makes the PDF: it reads the
//! content as the caller of the request sees it, and has it typeset in another process. The same content is typeset once.

mod book;
pub mod export;
mod make_job;
mod parameters;
mod purge_job;
mod resolver;
pub mod store;

use std::sync::Arc;

use entity::{
    authoring::pdf_exports::PdfExportState,
    ids::{NodeId, PageId},
};
use openapi::{
    error::ApiError,
    models::PdfUrl,
    operations::pdf_exports::{GetChangeRequestPdfQuery, GetSpacePdfQuery, PdfExportsApi},
};

use self::parameters::{Parameters, part};
pub use self::{make_job::MakePdf, purge_job::PurgePdfExports};

use crate::{
    access::{
        Caller, ChangeRequestAccess, SiteReader, SpaceAccess,
        rows::{self, SpaceRow},
    },
    areas::authoring::Authoring,
};

impl PdfExportsApi for Authoring {
    async fn get_space_pdf(&self, access: SpaceAccess, query: GetSpacePdfQuery) -> Result<PdfUrl, ApiError> {
        if let Some(site) = &access.site
            && !site.offers_pdf(access.row.node.id).await?
        {
            return Err(ApiError::forbidden("The site does not offer its content as PDF."));
        }
        let parameters = Parameters::of(&access.row, part(query.only, query.page)?, access.claims().cloned());
        export::url(
            self,
            &access.caller,
            &access.row,
            access.row.space.revision_id,
            parameters,
        )
        .await
    }

    async fn get_change_request_pdf(
        &self,
        access: ChangeRequestAccess,
        query: GetChangeRequestPdfQuery,
    ) -> Result<PdfUrl, ApiError> {
        let of_space = Parameters::of(&access.row, part(query.only, query.page)?, None);
        let parameters = of_space.in_change_request(&access.request);
        export::url(
            self,
            &access.caller,
            &access.row,
            access.request.revision_id,
            parameters,
        )
        .await
    }
}

/// A PDF for readers of a site.
pub enum SitePdf {
    /// The address, which expires in an hour.
    Ready(String),
    /// A later request may find it ready.
    Queued,
}

impl Authoring {
    /// The PDF of a page, or of all pages of a space, as a visitor of a site sees them. `None`: the site offers none.
    pub async fn site_pdf(
        &self,
        caller: &Caller,
        site: &Arc<dyn SiteReader>,
        space: NodeId,
        page: Option<PageId>,
    ) -> Result<Option<SitePdf>, ApiError> {
        if !site.offers_pdf(space).await? {
            return Ok(None);
        }
        let row = rows::find_row::<SpaceRow>(self.kernel.db.read(), site.organization(), space).await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let part = part(page.map(|_| true), page)?;
        let parameters = Parameters::of(&row, part, Some(site.claims().clone()));
        let export = export::awaited(self, caller, &row, row.space.revision_id, parameters).await?;
        Ok(Some(match export.state {
            PdfExportState::Ready => SitePdf::Ready(self.kernel.urls.pdf(export.id, self.kernel.clock.now())),
            PdfExportState::Queued | PdfExportState::Failed => SitePdf::Queued,
        }))
    }
}
