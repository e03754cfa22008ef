//! Wire types of search results.

use std::collections::HashMap;

use content::{
    objects::Content,
    pages::{Page, Pages, Snapshot},
};
use entity::{
    ids::{NodeId, PageId, RevisionId},
    spaces,
};
use openapi::{
    error::ApiError,
    models::{SearchAncestor, SearchPageResult, SearchSectionResult, SearchUrls},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use search::query::PageHit;

use crate::app::App;

/// The results by space, with the current path of each page. Pages that were deleted meanwhile are left out.
pub async fn pages(
    app: &App,
    found: Vec<(NodeId, Vec<PageHit>)>,
) -> Result<HashMap<NodeId, Vec<SearchPageResult>>, ApiError> {
    let spaces: Vec<NodeId> = found.iter().map(|(space, _)| *space).collect();
    let snapshots = snapshots(app, &spaces).await?;
    let mut content = Content::of_spaces(app.db.read(), &app.content.objects, spaces);
    let found_pages = content.run(|objects| {
        let mut found_pages: HashMap<(NodeId, PageId), FoundPage> = HashMap::new();
        let mut outcome = Ok(());
        for (space, hits) in &found {
            let Some(snapshot) = snapshots.get(space) else { continue };
            let pages = Pages::of(objects, *snapshot);
            for hit in hits {
                match load_page(&pages, hit.page) {
                    Ok(Some(found_page)) => drop(found_pages.insert((*space, hit.page), found_page)),
                    Ok(None) => {}
                    Err(missing) => outcome = Err(missing),
                }
            }
        }
        outcome.map(|()| found_pages)
    });
    let mut found_pages = found_pages.await?;
    let found = found.into_iter().map(|(space, hits)| {
        let hits = hits.into_iter();
        let results = hits.filter_map(|hit| {
            let app_url = app.urls.page_page(space, hit.page);
            Some(result(found_pages.remove(&(space, hit.page))?, hit, &app_url))
        });
        (space, results.collect())
    });
    Ok(found.collect())
}

/// A page with its path and its ancestors.
struct FoundPage {
    page: Page,
    path: String,
    above: Vec<Page>,
}

fn load_page(pages: &Pages<'_>, id: PageId) -> Result<Option<FoundPage>, content::objects::Missing> {
    let Some(page) = pages.page(id)? else { return Ok(None) };
    let above = pages.ancestors(&page)?;
    let path = pages.path(&page)?;
    Ok(Some(FoundPage { page, path, above }))
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
            body: section.body,
            urls: urls(),
        }
    });
    SearchPageResult {
        id: found_page.page.id.to_string(),
        title: found_page.page.title,
        sections: sections.collect(),
        path: found_page.path,
        ancestors: found_page
            .above
            .into_iter()
            .map(|page| SearchAncestor { title: page.title })
            .collect(),
        score: hit.score,
        urls: urls(),
    }
}

/// The current content of spaces.
async fn snapshots(app: &App, of: &[NodeId]) -> Result<HashMap<NodeId, Snapshot>, ApiError> {
    let found = spaces::Entity::find()
        .select_only()
        .columns([spaces::Column::Id, spaces::Column::RevisionId])
        .filter(spaces::Column::Id.is_in(of.iter().copied()))
        .into_tuple::<(NodeId, RevisionId)>()
        .all(app.db.read())
        .await?;
    let revisions = found.iter().map(|(_, revision)| *revision).collect();
    let revisions = app.content.revisions(&app.db, revisions).await?;
    Ok(revisions
        .into_iter()
        .map(|revision| (revision.space, revision.snapshot))
        .collect())
}
