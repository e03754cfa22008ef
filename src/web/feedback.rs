//! What readers send to a page: whether it helps, with a comment, and which links to other sites they follow.

use openapi::error::ApiError;
use poem::{
    Request, Response,
    http::{StatusCode, header},
};
use serde_json::json;
use url::form_urlencoded;

use super::{
    content,
    events::{self, Seen},
    frame, not_found,
    site::Site,
    tree::{Entry, Tree},
};

use crate::{
    app::App,
    areas::publishing::published_content::{self, Here, Located},
};

/// Bytes of a form.
const MAX_FORM: usize = 16 * 1024;

/// Characters of a comment.
const MAX_COMMENT: usize = 512;

/// Takes a form that is sent to the address of a page.
pub async fn answer(app: &App, mut request: Request, site: &Site) -> Result<Response, ApiError> {
    // Pages of other sites do not answer for readers, and previews count nothing.
    if site.visit.visit.preview_of.is_some() || request.header("sec-fetch-site") == Some("cross-site") {
        return Ok(status(StatusCode::FORBIDDEN));
    }
    let Some(Located::Here(here)) = site.locate(app, &site.rest).await? else {
        return Ok(not_found::bare());
    };
    let mut reader = content::reader(app, site, &here).await?;
    let tree = Tree::new(reader.tree().await?, &site.paths(&here));
    let Some(page) = tree.at(&here) else {
        return Ok(not_found::bare());
    };
    let Ok(form) = request.take_body().into_bytes_limit(MAX_FORM).await else {
        return Ok(status(StatusCode::PAYLOAD_TOO_LARGE));
    };
    let value = |name: &str| {
        let mut pairs = form_urlencoded::parse(&form);
        pairs.find_map(|(key, value)| (key == name).then(|| value.trim().to_owned()))
    };
    if let Some(link) = value("link") {
        let target = json!({ "kind": "url", "url": link });
        let seen = Seen {
            kind: "link_click",
            context: "site",
            here: Some(&here),
            page: Some((&page.id, &page.href)),
            members: json!({ "link": { "target": target, "position": value("position") } }),
        };
        return Ok(status(match events::note(app, &request, site, seen) {
            true => StatusCode::NO_CONTENT,
            false => StatusCode::BAD_REQUEST,
        }));
    }
    answer_rating(app, &request, (site, &here), page, value).await
}

/// Keeps the answer of a reader, and leads back to the page.
async fn answer_rating(
    app: &App,
    request: &Request,
    (site, here): (&Site, &Here),
    page: &Entry,
    value: impl Fn(&str) -> Option<String>,
) -> Result<Response, ApiError> {
    let profile = published_content::profile(&app.publishing, &site.access()).await?;
    if !frame::settings(&profile, here).feedback.enabled {
        return Ok(not_found::bare());
    }
    let rating = value("rating").filter(|rating| matches!(rating.as_str(), "good" | "ok" | "bad"));
    let Some(rating) = rating else {
        return Ok(status(StatusCode::BAD_REQUEST));
    };
    let comment: String = value("comment").unwrap_or_default().chars().take(MAX_COMMENT).collect();
    let (kind, feedback) = match comment.is_empty() {
        true => ("page_post_feedback", json!({ "rating": rating })),
        false => (
            "page_post_feedback_comment",
            json!({ "rating": rating, "comment": comment }),
        ),
    };
    let seen = Seen {
        kind,
        context: "site",
        here: Some(here),
        page: Some((&page.id, &page.href)),
        members: json!({ "feedback": feedback }),
    };
    events::send(app, request, site, seen).await?;
    Ok(Response::builder()
        .status(StatusCode::SEE_OTHER)
        .header(header::LOCATION, format!("{}#~thanks", page.href.as_str()))
        .header(header::CACHE_CONTROL, "no-store")
        .finish())
}

fn status(status: StatusCode) -> Response {
    Response::builder().status(status).finish()
}
