//! The updates of a page as a feed (RSS 2.0).

use openapi::{error::ApiError, models::PublishedContentSite};
use poem::{Request, Response, http::StatusCode};
use serde_json::Value;
use web::{Html, map_addresses, words};

use super::{
    answer,
    content::{self, Made},
    events::{self, Seen},
    frame,
    not_found::missing,
    site::Site,
    tree::{Entry, Tree},
};

use crate::{app::App, areas::publishing::published_content::Here, kernel::urls::Urls};

/// The last part of the address, after that of the page.
pub const NAME: &str = "rss.xml";

const RSS: &str = "application/rss+xml; charset=utf-8";

/// The page whose feed is at a place.
pub fn page_of<'t>(tree: &'t Tree, here: &Here) -> Option<&'t Entry> {
    let path = here.rest.strip_suffix(NAME)?;
    match path.strip_suffix('/') {
        Some(path) => tree.at_path(path),
        None => tree.home(here).filter(|_| path.is_empty()),
    }
}

pub async fn answer(
    app: &App,
    request: &Request,
    (site, here): (&Site, &Here),
    profile: &PublishedContentSite,
    (tree, entry): (&Tree, &Entry),
) -> Result<Response, ApiError> {
    let words = words(&frame::language(here, frame::settings(profile, here)));
    let reader = content::reader(app, site, here).await?;
    let made = content::make(app, (site, here), (tree, entry), words, reader).await?;
    let Some(made) = made.filter(|made| !made.content.updates.is_empty()) else {
        return missing(app, request, site, None).await;
    };
    let seen = Seen {
        kind: "rss_request",
        context: "server",
        here: Some(here),
        page: Some((&entry.id, &entry.href)),
        members: Value::Null,
    };
    events::note(app, request, site, seen);
    let feed = feed(&app.kernel.urls, site, entry, &made);
    Ok(answer::text(request, StatusCode::OK, RSS, feed.as_str().to_owned()))
}

fn feed(urls: &Urls, site: &Site, entry: &Entry, made: &Made<'_>) -> Html {
    let address = site.absolute(entry.href.as_str());
    let mut xml = Html::default();
    let element = |xml: &mut Html, (start, end): (&'static str, &'static str), text: &str| {
        xml.markup(start);
        // XML does not allow other control characters.
        let is_control = |c: char| c.is_control() && !"\t\n\r".contains(c);
        xml.text(&text.replace(is_control, "\u{fffd}"));
        xml.markup(end);
    };
    xml.markup("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel>");
    element(&mut xml, ("<title>", "</title>"), &made.page.title);
    element(&mut xml, ("<link>", "</link>"), &address);
    let about = entry.description.as_deref().unwrap_or(&made.page.title);
    element(&mut xml, ("<description>", "</description>"), about);
    for update in &made.content.updates {
        let at = format!("{address}#{}", update.id);
        xml.markup("<item>");
        element(&mut xml, ("<title>", "</title>"), &update.title);
        element(&mut xml, ("<link>", "</link>"), &at);
        element(&mut xml, ("<guid>", "</guid>"), &at);
        if let Some(date) = date(&update.day) {
            element(&mut xml, ("<pubDate>", "</pubDate>"), &date);
        }
        // Programs that read feeds do not know where relative addresses begin.
        let html = map_addresses(update.html.as_str(), |address| Some(site.whole(urls, address)));
        element(&mut xml, ("<description>", "</description>"), &html);
        xml.markup("</item>");
    }
    xml.markup("</channel></rss>\n");
    xml
}

/// A day in the form of RFC 2822.
fn date(day: &str) -> Option<String> {
    let day: chrono::NaiveDate = day.parse().ok()?;
    Some(day.and_hms_opt(0, 0, 0)?.and_utc().to_rfc2822())
}
