//! Pages as PDF.

use openapi::{
    error::{ApiError, ErrorType},
    models::{PublishedContentSite, SiteCustomizationSettings},
};
use poem::{
    Request, Response,
    http::{HeaderValue, StatusCode, header},
};
use web::{Body, Notice};

use super::{
    answer::{self, HTML, redirect},
    frame,
    not_found::missing,
    site::Site,
    tree::Tree,
};

use crate::{
    app::App,
    areas::{authoring::pdf_exports::SitePdf, publishing::published_content::Here},
};

/// The path in a space of the PDF of all pages.
pub const BOOK: &str = "all-pages.pdf";

/// Seconds after which browsers ask again for a PDF that is being made.
const AGAIN: HeaderValue = HeaderValue::from_static("3");

/// Returns whether pages lead to their PDF. Previews and static sites have none.
pub fn is_offered(app: &App, site: &Site, settings: &SiteCustomizationSettings) -> bool {
    let is_enabled = settings.pdf.as_ref().is_some_and(|pdf| pdf.enabled);
    is_enabled && app.authoring.printer.is_there() && site.visit.visit.preview_of.is_none() && !site.is_static
}

/// Answers with the way to the PDF of a page, or of all pages of the space. `path`: that of the address, without `.pdf`.
pub async fn answer(
    app: &App,
    request: &Request,
    (site, here): (&Site, &Here),
    profile: &PublishedContentSite,
    (tree, path): (&Tree, &str),
) -> Result<Response, ApiError> {
    let page = match here.rest == BOOK {
        true => None,
        false => tree.at_path(path).map(|entry| entry.id.as_str()),
    };
    if (page.is_none() && here.rest != BOOK)
        || !is_offered(app, site, frame::settings(profile, here))
        || !here.content.is_empty()
    {
        return missing(app, request, site, None).await;
    }
    let page = page
        .map(str::parse)
        .transpose()
        .map_err(|_| ApiError::not_found("page"))?;
    let made = app
        .authoring
        .site_pdf(&site.access().caller, &site.reader(), here.space, page)
        .await;
    let frame = frame::make(site, here, profile, (tree, ""));
    let (status, text) = match made {
        Ok(Some(SitePdf::Ready(url))) => return redirect(&site.own_path(&url).unwrap_or(url)),
        Ok(Some(SitePdf::Queued)) => (StatusCode::ACCEPTED, frame.words.pdf_is_made),
        Ok(None) => return missing(app, request, site, None).await,
        Err(error) if error.kind() == ErrorType::PdfFailed => (StatusCode::PRECONDITION_FAILED, frame.words.pdf_failed),
        Err(error) => return Err(error),
    };
    let notice = Notice {
        title: "PDF".to_owned(),
        text: text.to_owned(),
    };
    let mut response = answer::text(request, status, HTML, frame.page(&Body::Notice(&notice)));
    if status == StatusCode::ACCEPTED {
        response.headers_mut().insert(header::REFRESH, AGAIN);
    }
    Ok(response)
}
