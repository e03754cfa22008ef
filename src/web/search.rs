//! The search page of a site, and suggestions.

use openapi::{
    error::ApiError,
    models::{
        SearchPageResult, SearchSectionResult, SearchSite, SearchSiteInScope, SearchSiteWithoutMode, SiteSearchDefault,
        SiteSearchScope,
    },
    operations::site_search::{SearchSiteContentQuery, SiteSearchApi},
};
use poem::{Request, Response, http::StatusCode};
use serde_json::{Value, json};
use url::form_urlencoded;
use validator::Validate;
use web::{Body, Found, FrameLink, Href, SearchPage};

use super::{
    answer::{self, HTML},
    content,
    events::{self, Seen},
    frame,
    site::Site,
    tree::Tree,
};

use crate::{
    app::App,
    areas::publishing::published_content::{self, Here, Located},
};

const JSON: &str = "application/json";

/// Spaces with results on one page.
const LIMIT: u32 = 10;

pub async fn answer(app: &App, request: &Request, site: &Site) -> Result<Response, ApiError> {
    let parameter = |name: &str| {
        let mut pairs = site.url.query_pairs();
        pairs.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
    };
    let query = parameter("q").unwrap_or_default().trim().to_owned();
    let located = site.locate(app, "").await?;
    let here = match located {
        Some(Located::Here(here)) => Some(*here),
        Some(Located::Elsewhere(_)) | None => None,
    };
    let (found, next) = find(app, site, here.as_ref(), &query, parameter("page")).await?;
    if !query.is_empty() {
        let seen = Seen {
            kind: "search_type_query",
            context: "site",
            here: here.as_ref(),
            page: None,
            members: json!({ "query": query }),
        };
        events::note(app, request, site, seen);
    }
    if request.header("accept") == Some(JSON) {
        return Ok(answer::text(
            request,
            StatusCode::OK,
            JSON,
            suggestions(&found).to_string(),
        ));
    }
    let Some(here) = here else {
        return Ok(super::not_found::bare());
    };
    let mut reader = content::reader(app, site, &here).await?;
    let tree = Tree::new(reader.tree().await?, &site.paths(&here));
    let profile = published_content::profile(&app.publishing, &site.access()).await?;
    let frame = frame::make(site, &here, &profile, (&tree, ""));
    let more = next.map(|next| {
        let mut rest = form_urlencoded::Serializer::new(String::new());
        rest.append_pair("q", &query).append_pair("page", &next);
        site.href(&format!("~/search?{}", rest.finish()))
    });
    let page = SearchPage { query, found, more };
    let html = frame.page(&Body::Search(&page));
    Ok(answer::text(request, StatusCode::OK, HTML, html))
}

/// The first results in the site spaces that readers search by default.
pub async fn all(app: &App, site: &Site, query: &str) -> Result<Vec<Found>, ApiError> {
    let here = match site.locate(app, "").await? {
        Some(Located::Here(here)) => Some(*here),
        Some(Located::Elsewhere(_)) | None => None,
    };
    let (found, _) = find(app, site, here.as_ref(), query.trim(), None).await?;
    Ok(found)
}

async fn find(
    app: &App,
    site: &Site,
    here: Option<&Here>,
    query: &str,
    page: Option<String>,
) -> Result<(Vec<Found>, Option<String>), ApiError> {
    let body = SearchSiteInScope {
        query: query.to_owned(),
        scope: SiteSearchScope::SiteSearchDefault(SiteSearchDefault {
            mode: Default::default(),
            current_site_space: here.map(|here| here.item),
            restrict_to: None,
        }),
    };
    // Words that no page can have.
    if query.is_empty() || body.validate().is_err() {
        return Ok((Vec::new(), None));
    }
    let body = SearchSite::SearchSiteWithoutMode(SearchSiteWithoutMode::SearchSiteInScope(body));
    let query = SearchSiteContentQuery { page, limit: LIMIT };
    let list = app.publishing.search_site_content(site.access(), query, body).await?;
    let mut found = Vec::new();
    for space in &list.items {
        let Ok(id) = space.id.parse() else { continue };
        for page in &space.pages {
            let Some(href) = site.in_space(id, &page.path) else {
                continue;
            };
            found.push((page.rank, result(page, &space.title, &href)));
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    Ok((
        found.into_iter().map(|(_, found)| found).collect(),
        list.next.map(|next| next.page),
    ))
}

fn result(page: &SearchPageResult, space: &str, href: &Href) -> Found {
    let above = page.ancestors.iter().map(|ancestor| ancestor.title.as_str());
    let place: Vec<&str> = std::iter::once(space).chain(above).collect();
    let section = |section: &SearchSectionResult| {
        let anchor = section
            .path
            .split_once('#')
            .map(|(_, anchor)| anchor)
            .filter(|anchor| !anchor.is_empty());
        let to = anchor.map_or(href.clone(), |anchor| href.at(anchor));
        let text = Some(section.body.clone()).filter(|text| !text.trim().is_empty());
        (FrameLink::new(&section.title, Some(to)), text)
    };
    let (titled, untitled): (Vec<_>, Vec<_>) = page.sections.iter().partition(|section| !section.title.is_empty());
    Found {
        link: FrameLink::new(&page.title, Some(href.clone())),
        place: place.join(" / "),
        text: untitled
            .first()
            .map(|section| section.body.clone())
            .filter(|text| !text.is_empty()),
        sections: titled.into_iter().map(section).collect(),
    }
}

fn suggestions(found: &[Found]) -> Value {
    let pages = found.iter().map(|found| {
        let href = found.link.href.as_ref().map(Href::as_str);
        json!({ "title": found.link.title, "href": href })
    });
    json!({ "pages": pages.collect::<Vec<_>>() })
}
