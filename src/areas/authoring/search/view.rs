//! What was found, on the wire.

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

/// Pages that were found, by their space, with where they are now: a page that has gone meanwhile is left out.
pub async fn pages(
    app: &App,
    found: Vec<(NodeId, Vec<PageHit>)>,
) -> Result<HashMap<NodeId, Vec<SearchPageResult>>, ApiError> {
    let spaces: Vec<NodeId> = found.iter().map(|(space, _)| *space).collect();
    let snapshots = snapshots(app, &spaces).await?;
    let mut content = Content::of_spaces(app.db.read(), &app.content.objects, spaces);
    let places = content.run(|objects| {
        let mut places: HashMap<(NodeId, PageId), Place> = HashMap::new();
        let mut outcome = Ok(());
        for (space, hits) in &found {
            let Some(snapshot) = snapshots.get(space) else { continue };
            let pages = Pages::of(objects, *snapshot);
            for hit in hits {
                match place(&pages, hit.page) {
                    Ok(Some(place)) => drop(places.insert((*space, hit.page), place)),
                    Ok(None) => {}
                    Err(missing) => outcome = Err(missing),
                }
            }
        }
        outcome.map(|()| places)
    });
    let mut places = places.await?;
    let app_url = app.urls.operation_page("content", "getPageById");
    let found = found.into_iter().map(|(space, hits)| {
        let hits = hits.into_iter();
        let results = hits.filter_map(|hit| Some(result(places.remove(&(space, hit.page))?, hit, &app_url)));
        (space, results.collect())
    });
    Ok(found.collect())
}

/// A page and those above it.
struct Place {
    page: Page,
    path: String,
    above: Vec<Page>,
}

fn place(pages: &Pages<'_>, id: PageId) -> Result<Option<Place>, content::objects::Missing> {
    let Some(page) = pages.page(id)? else { return Ok(None) };
    let above = pages.ancestors(&page)?;
    let path = pages.path(&page)?;
    Ok(Some(Place { page, path, above }))
}

fn result(place: Place, hit: PageHit, app: &str) -> SearchPageResult {
    let urls = || SearchUrls { app: app.to_owned() };
    let sections = hit.sections.into_iter().map(|section| {
        let anchor = section.anchor.unwrap_or_default();
        SearchSectionResult {
            path: if anchor.is_empty() {
                place.path.clone()
            } else {
                format!("{}#{anchor}", place.path)
            },
            id: anchor,
            title: section.title,
            body: section.body,
            urls: urls(),
        }
    });
    SearchPageResult {
        id: place.page.id.to_string(),
        title: place.page.title,
        sections: sections.collect(),
        path: place.path,
        ancestors: place
            .above
            .into_iter()
            .map(|page| SearchAncestor { title: page.title })
            .collect(),
        score: hit.score,
        urls: urls(),
    }
}

/// What spaces hold now.
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
