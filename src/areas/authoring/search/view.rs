//! Wire types of search results.

use std::collections::HashMap;

use entity::ids::{NodeId, PageId};
use expressions::VisitorClaims;
use openapi::{
    error::ApiError,
    models::{SearchAncestor, SearchPageResult, SearchSectionResult, SearchUrls},
};
use search::query::{PageHit, RankedSpaces, SpaceHit};

use super::{
    found::{self, FoundPage, FoundPages},
    visibility,
};
use crate::areas::authoring::Authoring;

/// The results by space, with the current path of each page. Pages that were deleted meanwhile are left out.
pub async fn pages(
    authoring: &Authoring,
    found: Vec<(NodeId, Vec<PageHit>)>,
) -> Result<HashMap<NodeId, Vec<SearchPageResult>>, ApiError> {
    let ids = found
        .iter()
        .map(|(space, hits)| (*space, hits.iter().map(|hit| hit.page).collect()));
    let ids: Vec<(NodeId, Vec<PageId>)> = ids.collect();
    let loaded = found::load(&authoring.contents, &ids, false).await?;
    Ok(results(authoring, found, loaded))
}

/// The best results that the conditions of pages and blocks leave for a visitor.
pub async fn pages_for_visitor(
    authoring: &Authoring,
    found: &RankedSpaces,
    query: &str,
    claims: &VisitorClaims,
) -> Result<HashMap<NodeId, Vec<SearchPageResult>>, ApiError> {
    let candidates = found.candidates(authoring.kernel.db.read()).await?;
    let (seen, loaded) = visibility::seen(authoring, candidates, (query, claims)).await?;
    let mut excerpts = seen.excerpts;
    let hits = found.hits_of(authoring.kernel.db.read(), &seen.pages).await?;
    let hits = hits.into_iter().map(|SpaceHit { space, mut pages }| {
        for hit in &mut pages {
            if let Some(sections) = excerpts.remove(&(space, hit.page)) {
                hit.sections = sections;
            }
        }
        (space, pages)
    });
    Ok(results(authoring, hits.collect(), loaded))
}

fn results(
    authoring: &Authoring,
    found: Vec<(NodeId, Vec<PageHit>)>,
    mut loaded: FoundPages,
) -> HashMap<NodeId, Vec<SearchPageResult>> {
    let found = found.into_iter().map(|(space, hits)| {
        let hits = hits.into_iter();
        let results = hits.filter_map(|hit| {
            let app_url = authoring.kernel.urls.page_page(space, hit.page);
            Some(result(loaded.pages.remove(&(space, hit.page))?, hit, &app_url))
        });
        (space, results.collect())
    });
    found.collect()
}

/// Ranks pages by their scores, from 0; equal ones in their order.
pub fn set_ranks<'p>(pages: impl Iterator<Item = &'p mut SearchPageResult>) {
    let mut pages: Vec<&mut SearchPageResult> = pages.collect();
    pages.sort_by(|one, other| other.score.total_cmp(&one.score));
    for (rank, page) in (0..).zip(pages) {
        page.rank = rank;
    }
}

fn result(found_page: FoundPage, hit: PageHit, app: &str) -> SearchPageResult {
    let urls = || SearchUrls { app: app.to_owned() };
    let sections = hit.sections.into_iter().map(|section| {
        let anchor = section.anchor.unwrap_or_default();
        SearchSectionResult {
            path: if anchor.is_empty() {
                found_page.path.clone()
            } else {
                format!("{}#{anchor}", found_page.path)
            },
            id: anchor,
            title: section.title,
            score: hit.score * section.share,
            body: section.body,
            urls: urls(),
        }
    });
    SearchPageResult {
        id: found_page.page.id.to_string(),
        title: found_page.page.title,
        description: found_page.page.description.unwrap_or_default(),
        sections: sections.collect(),
        path: found_page.path,
        ancestors: found_page
            .above
            .into_iter()
            .map(|page| SearchAncestor { title: page.title })
            .collect(),
        score: hit.score,
        rank: 0,
        urls: urls(),
    }
}
