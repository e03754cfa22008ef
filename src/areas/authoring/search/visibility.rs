//! Results for visitors of sites: without the pages and the blocks that conditions hide.

use std::collections::BTreeSet;

use entity::{ids::NodeId, search::pages::Section, spaces::Language};
use expressions::Data;
use openapi::error::ApiError;
use rich_text::{DocumentLimits, IdPathResolver};
use search::query::{PageHit, matching};
use serde_json::Map;

use super::found::{FoundPage, FoundPages};
use crate::{
    access::conditions::{VisitorClaims, overloaded},
    app::App,
    areas::authoring::reader::evaluation::{self, page_variables, space_variables},
};

/// Removes the hits in a space that the visitor must not see.
pub async fn retain_visible(
    app: &App,
    (space, hits): (NodeId, &mut Vec<PageHit>),
    loaded: &FoundPages,
    (query, claims): (&str, &VisitorClaims),
) -> Result<(), ApiError> {
    let page_of = |hit: &PageHit| loaded.pages.get(&(space, hit.page));
    let language = loaded.languages.get(&space).copied().flatten();
    let variables = space_variables(loaded.variables.get(&space).cloned().unwrap_or_default());
    let conditions: BTreeSet<&String> = hits.iter().filter_map(page_of).flat_map(conditions_of).collect();
    if !conditions.is_empty() {
        let data = claims.data(&variables, &Map::new());
        let holding = app.expressions.holding(conditions, &data).await.map_err(overloaded)?;
        let is_visible = |found: &FoundPage| conditions_of(found).all(|condition| holding.contains(condition));
        hits.retain(|hit| page_of(hit).is_some_and(is_visible));
    }
    let mut kept = Vec::with_capacity(hits.len());
    for hit in hits.drain(..) {
        let Some(found) = loaded.pages.get(&(space, hit.page)) else {
            continue;
        };
        let text = found.text.as_deref().filter(|text| may_have_conditions(text));
        match text {
            Some(text) => {
                let data = claims.data(&variables, &page_variables(&found.page));
                kept.extend(in_visible_text(app, hit, (found, text), (query, language), &data).await?);
            }
            None => kept.push(hit),
        }
    }
    *hits = kept;
    Ok(())
}

fn conditions_of(found: &FoundPage) -> impl Iterator<Item = &String> {
    let pages = found.above.iter().chain([&found.page]);
    pages.filter_map(|page| page.condition.as_ref())
}

/// Only tags have conditions.
fn may_have_conditions(text: &str) -> bool {
    text.contains("{%")
}

/// The hit with excerpts of the text that the visitor sees. `None`: nothing of it matches.
async fn in_visible_text(
    app: &App,
    hit: PageHit,
    (found, text): (&FoundPage, &str),
    (query, language): (&str, Option<Language>),
    data: &Data,
) -> Result<Option<PageHit>, ApiError> {
    let evaluated = evaluation::for_visitor(app, text.to_owned(), data).await?;
    let markdown = evaluated.into_markdown(&app.work).await?;
    let limits = DocumentLimits::default();
    let memory = limits.parse_memory(&markdown);
    let extract = move || rich_text::extract(&markdown, &limits, &IdPathResolver);
    let (_, sections) = app.work.run(memory, extract).await?.map_err(ApiError::internal)?;
    let description = found.page.description.iter().map(|body| Section {
        anchor: None,
        title: String::new(),
        body: body.clone(),
    });
    let sections = sections.into_iter().map(|section| Section {
        anchor: section.anchor,
        title: section.title,
        body: section.body,
    });
    let sections: Vec<Section> = description.chain(sections).collect();
    let found = matching(query, language, &found.page.title, &sections);
    Ok(found.map(|sections| PageHit { sections, ..hit }))
}
