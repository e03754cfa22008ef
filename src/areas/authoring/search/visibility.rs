//! Results for visitors of sites: without pages that the search of published content leaves out, and without the pages and the
//! blocks that conditions hide.

use std::collections::{BTreeSet, HashMap, VecDeque};

use content::reading::read_stored;
use entity::{
    content::search::pages::Section,
    ids::{NodeId, PageId},
};
use expressions::VisitorClaims;
use openapi::error::ApiError;
use rich_text::{DocumentLimits, IdPathResolver};
use search::query::{Candidate, PAGES_OF_SPACE, SectionHit, matching};
use serde_json::{Map, Value};

use super::found::{self, FoundPage, FoundPages};

use crate::areas::{
    authoring::{
        Authoring,
        reader::evaluation::{self, TextForm, page_variables, space_variables},
    },
    content::conditions::overloaded,
};

/// Pages whose texts are in memory at once.
const PAGES_AT_ONCE: usize = 16;

/// The pages that a visitor sees.
#[derive(Default)]
pub struct Seen {
    /// By space, best first.
    pub pages: Vec<(NodeId, Vec<Candidate>)>,
    /// Excerpts of pages of which the visitor sees a part.
    pub excerpts: HashMap<(NodeId, PageId), Vec<SectionHit>>,
}

/// A search of a visitor.
struct SearchAsVisitor<'a> {
    authoring: &'a Authoring,
    query: &'a str,
    claims: &'a VisitorClaims,
    loaded: FoundPages,
}

/// A space with candidates, best first.
type Candidates = (NodeId, VecDeque<Candidate>);

/// The candidates that the conditions of pages and blocks leave: as many of each space as are shown, if there are enough. Also
/// returns the pages that were loaded, of which these are some.
pub async fn seen(
    authoring: &Authoring,
    candidates: Vec<(NodeId, Vec<Candidate>)>,
    (query, claims): (&str, &VisitorClaims),
) -> Result<(Seen, FoundPages), ApiError> {
    let mut search = SearchAsVisitor {
        authoring,
        query,
        claims,
        loaded: FoundPages::default(),
    };
    let mut seen = Seen {
        pages: candidates.iter().map(|(space, _)| (*space, Vec::new())).collect(),
        excerpts: HashMap::new(),
    };
    let mut waiting: Vec<Candidates> = candidates
        .into_iter()
        .map(|(space, pages)| (space, pages.into()))
        .collect();
    // Most pages are seen by everybody. If a space needs further candidates, all of them are loaded together.
    for most in [PAGES_OF_SPACE, usize::MAX] {
        let mut loaded = search.load_visible(&mut waiting, &seen, most).await?;
        loop {
            let next = next_of_each(&mut loaded, &seen.pages);
            if next.is_empty() {
                break;
            }
            for batch in next.chunks(PAGES_AT_ONCE) {
                search.add_seen(batch, &mut seen).await?;
            }
        }
    }
    Ok((seen, search.loaded))
}

/// A page of a space with the place of the space among the results.
type Next = (usize, NodeId, Candidate);

/// As many pages of each space as are missing.
fn next_of_each(waiting: &mut [Candidates], seen: &[(NodeId, Vec<Candidate>)]) -> Vec<Next> {
    let mut next = Vec::new();
    for (index, ((space, pages), (_, seen))) in waiting.iter_mut().zip(seen).enumerate() {
        let missing = PAGES_OF_SPACE.saturating_sub(seen.len()).min(pages.len());
        next.extend(pages.drain(..missing).map(|page| (index, *space, page)));
    }
    next
}

impl SearchAsVisitor<'_> {
    /// Loads candidates of the spaces of which pages are missing, and returns those whose conditions hold.
    async fn load_visible(
        &mut self,
        waiting: &mut [Candidates],
        seen: &Seen,
        most: usize,
    ) -> Result<Vec<Candidates>, ApiError> {
        let mut taken: Vec<(NodeId, Vec<Candidate>)> = Vec::with_capacity(waiting.len());
        for ((space, pages), (_, seen)) in waiting.iter_mut().zip(&seen.pages) {
            let count = if seen.len() < PAGES_OF_SPACE { most } else { 0 };
            taken.push((*space, pages.drain(..count.min(pages.len())).collect()));
        }
        let some = taken.iter().filter(|(_, pages)| !pages.is_empty());
        let ids = some.map(|(space, pages)| (*space, pages.iter().map(|candidate| candidate.page).collect()));
        let ids: Vec<(NodeId, Vec<PageId>)> = ids.collect();
        if !ids.is_empty() {
            self.loaded
                .extend(found::load(&self.authoring.contents, &ids, true).await?);
        }
        let mut visible = Vec::with_capacity(taken.len());
        for (space, pages) in taken {
            visible.push((space, self.visible(space, pages).await?.into()));
        }
        Ok(visible)
    }

    /// The pages of a space that are to be found and whose conditions hold.
    async fn visible(&self, space: NodeId, mut pages: Vec<Candidate>) -> Result<Vec<Candidate>, ApiError> {
        let page_of = |candidate: &Candidate| self.loaded.pages.get(&(space, candidate.page));
        // The index leaves them out, but may not know yet what has changed.
        pages.retain(|candidate| !page_of(candidate).is_some_and(|found| found.page.no_index));
        let conditions: BTreeSet<&String> = pages.iter().filter_map(page_of).flat_map(conditions_of).collect();
        if conditions.is_empty() {
            return Ok(pages);
        }
        let data = self.claims.data(&self.variables(space), &Map::new());
        let holding = self.authoring.contents.expressions.holding(conditions, &data).await;
        let holding = holding.map_err(overloaded)?;
        let is_visible = |found: &FoundPage| conditions_of(found).all(|condition| holding.contains(condition));
        pages.retain(|candidate| page_of(candidate).is_some_and(is_visible));
        Ok(pages)
    }

    fn variables(&self, space: NodeId) -> Map<String, Value> {
        space_variables(self.loaded.variables.get(&space).cloned().unwrap_or_default())
    }

    /// Adds those of these pages whose visible text matches.
    async fn add_seen(&self, batch: &[Next], seen: &mut Seen) -> Result<(), ApiError> {
        let keys: Vec<(NodeId, PageId)> = batch.iter().map(|(_, space, it)| (*space, it.page)).collect();
        let texts = self.loaded.texts(&self.authoring.contents, &keys).await?;
        for (index, space, candidate) in batch {
            let key = (*space, candidate.page);
            let Some(found) = self.loaded.pages.get(&key) else {
                continue;
            };
            if let Some(text) = texts.get(&key).filter(|text| may_have_conditions(text)) {
                let Some(sections) = self.in_visible_text(*space, found, text).await? else {
                    continue;
                };
                seen.excerpts.insert(key, sections);
            }
            if let Some((_, pages)) = seen.pages.get_mut(*index) {
                pages.push(*candidate);
            }
        }
        Ok(())
    }

    /// Excerpts of the text that the visitor sees. `None`: nothing of it matches.
    async fn in_visible_text(
        &self,
        space: NodeId,
        found: &FoundPage,
        text: &str,
    ) -> Result<Option<Vec<SectionHit>>, ApiError> {
        let work = &self.authoring.kernel.work;
        let data = self.claims.data(&self.variables(space), &page_variables(&found.page));
        let evaluated =
            evaluation::for_visitor(self.authoring, text.to_owned(), &data, TextForm::Deterministic).await?;
        let markdown = evaluated.into_markdown(work).await?;
        let extract = |limits: &DocumentLimits| rich_text::extract(&markdown, limits, &IdPathResolver, &mut drop);
        let sections = read_stored(work, &markdown, extract)
            .await?
            .map_err(ApiError::internal)?;
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
        let language = self.loaded.languages.get(&space).copied().flatten();
        Ok(matching(self.query, language, &found.page.title, &sections))
    }
}

fn conditions_of(found: &FoundPage) -> impl Iterator<Item = &String> {
    let pages = found.above.iter().chain([&found.page]);
    pages.filter_map(|page| page.condition.as_ref())
}

/// Only tags have conditions.
fn may_have_conditions(text: &str) -> bool {
    text.contains("{%")
}
