//! Search in one or several spaces.

use std::collections::{HashMap, HashSet};

use entity::{
    ids::{NodeId, PageId},
    search::{
        pages::{self, Sections},
        spaces,
    },
};
use platform::db::Page;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, SelectStatement},
};

pub use super::ranking::Rank;
pub use super::sections::SectionHit;
use super::{
    postings,
    ranking::{self, RankedPage, Ranking},
    sections,
};
use crate::parse::SearchQuery;

/// The most spaces of one search.
const MAX_SPACES: u64 = 5_000;

/// The most pages of each space in a search of several spaces.
const MAX_PAGES_OF_SPACE: usize = 5;

/// The most bytes of text that are read to choose sections; further pages are returned without sections.
const MAX_TEXT_BYTES: i64 = 4 << 20;

/// A page in the results.
#[derive(Debug, Clone, PartialEq)]
pub struct PageHit {
    pub page: PageId,
    /// The indexed title.
    pub title: String,
    /// Best first.
    pub sections: Vec<SectionHit>,
    /// The score, comparable within one search.
    pub score: f64,
}

/// A space in the results, with its best pages.
#[derive(Debug, Clone, PartialEq)]
pub struct SpaceHit {
    pub space: NodeId,
    pub pages: Vec<PageHit>,
}

/// One page of the results, best first, and the number of all results.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResults<T> {
    pub page: Page<T, Rank>,
    pub count: u64,
}

/// Searches one space.
pub async fn search_space(
    db: &impl ConnectionTrait,
    space: NodeId,
    text: &str,
    after: Option<Rank>,
    limit: u64,
) -> Result<SearchResults<PageHit>, DbErr> {
    let search = Search::run(db, spaces::Column::SpaceId.eq(space), text).await?;
    let ranks = search.ranking.pages.iter().map(|page| page.rank).collect();
    let selected = select_page(ranks, after, limit);
    let mut hits = search.load_hits(db, &selected.items).await?;
    let items = selected.items.iter().filter_map(|rank| hits.remove(&rank.id()));
    Ok(SearchResults {
        count: search.count(),
        page: Page {
            items: items.collect(),
            next: selected.next,
        },
    })
}

/// Searches all spaces whose ids `scope` selects. The results are spaces, in the order of their best pages.
pub async fn search_spaces(
    db: &impl ConnectionTrait,
    scope: SelectStatement,
    text: &str,
    after: Option<Rank>,
    limit: u64,
) -> Result<SearchResults<SpaceHit>, DbErr> {
    let search = Search::run(db, spaces::Column::SpaceId.in_subquery(scope), text).await?;
    let mut of_space: HashMap<i64, Vec<Rank>> = HashMap::new();
    let mut ranks = Vec::new();
    for RankedPage { rank, space } in &search.ranking.pages {
        let pages = of_space.entry(*space).or_default();
        if pages.is_empty() {
            ranks.push(rank.for_space(*space));
        }
        if pages.len() < MAX_PAGES_OF_SPACE {
            pages.push(*rank);
        }
    }
    let count = u64::try_from(ranks.len()).unwrap_or(u64::MAX);
    // Spaces of equal score are ordered by their numbers, not by those of their pages.
    ranks.sort_unstable_by_key(|rank| rank.sort_key());
    let selected = select_page(ranks, after, limit);
    let pages = |space: &Rank| of_space.get(&space.id()).cloned().unwrap_or_default();
    let page_ranks: Vec<Rank> = selected.items.iter().flat_map(pages).collect();
    let mut hits = search.load_hits(db, &page_ranks).await?;
    let mut items = Vec::new();
    for space in &selected.items {
        if let Some(id) = search.spaces.get(&space.id()) {
            let pages = pages(space).iter().filter_map(|rank| hits.remove(&rank.id())).collect();
            items.push(SpaceHit { space: *id, pages });
        }
    }
    let next = selected.next;
    Ok(SearchResults {
        count,
        page: Page { items, next },
    })
}

/// A query with its ranking.
struct Search {
    query: SearchQuery,
    spaces: HashMap<i64, NodeId>,
    ranking: Ranking,
}

impl Search {
    async fn run(db: &impl ConnectionTrait, scope: Expr, text: &str) -> Result<Self, DbErr> {
        let query = SearchQuery::parse(text);
        let searched = spaces::Entity::find()
            .filter(scope)
            .filter(spaces::Column::PagesCount.gt(0))
            .order_by_asc(spaces::Column::Id)
            .limit(MAX_SPACES)
            .all(db)
            .await?;
        let numbers: Vec<i64> = searched.iter().map(|space| space.id).collect();
        let pages = searched
            .iter()
            .map(|space| u64::try_from(space.pages_count).unwrap_or_default());
        let lookups = query.lookups();
        let postings = postings::find(db, &numbers, &lookups).await?;
        let ranking = ranking::rank(&query, &lookups, &postings, pages.sum());
        Ok(Self {
            query,
            spaces: searched.into_iter().map(|space| (space.id, space.space_id)).collect(),
            ranking,
        })
    }

    fn count(&self) -> u64 {
        u64::try_from(self.ranking.pages.len()).unwrap_or(u64::MAX)
    }

    /// Loads the pages of these ranks, by their numbers. Pages that were deleted meanwhile are missing.
    async fn load_hits(&self, db: &impl ConnectionTrait, ranks: &[Rank]) -> Result<HashMap<i64, PageHit>, DbErr> {
        if ranks.is_empty() {
            return Ok(HashMap::new());
        }
        use pages::{Column, Entity};
        let rows: Vec<(i64, PageId, String, i32)> = Entity::find()
            .select_only()
            .columns([Column::Id, Column::PageId, Column::Title, Column::Size])
            .filter(Column::Id.is_in(ranks.iter().map(|rank| rank.id())))
            .into_tuple()
            .all(db)
            .await?;
        let sizes: HashMap<i64, i32> = rows.iter().map(|(id, _, _, size)| (*id, *size)).collect();
        let mut sections = self.load_sections(db, within_bounds(ranks, &sizes)).await?;
        let scores: HashMap<i64, f64> = ranks.iter().map(|rank| (rank.id(), rank.score())).collect();
        let hit = |(id, page, title, _)| {
            let hit = PageHit {
                page,
                title,
                sections: sections.remove(&id).unwrap_or_default(),
                score: scores.get(&id).copied().unwrap_or_default(),
            };
            (id, hit)
        };
        Ok(rows.into_iter().map(hit).collect())
    }

    async fn load_sections(
        &self,
        db: &impl ConnectionTrait,
        pages: HashSet<i64>,
    ) -> Result<HashMap<i64, Vec<SectionHit>>, DbErr> {
        use pages::{Column, Entity};
        let rows: Vec<(i64, Sections)> = Entity::find()
            .select_only()
            .columns([Column::Id, Column::Sections])
            .filter(Column::Id.is_in(pages))
            .into_tuple()
            .all(db)
            .await?;
        let mut best = HashMap::with_capacity(rows.len());
        for (id, text) in rows {
            best.insert(id, sections::best(&self.query, &self.ranking.weights, &text.0));
            // Lets other tasks run: scoring a page computes without waiting.
            tokio::task::yield_now().await;
        }
        Ok(best)
    }
}

/// Returns the first pages whose text fits into the limit.
fn within_bounds(ranks: &[Rank], sizes: &HashMap<i64, i32>) -> HashSet<i64> {
    let mut bytes = 0;
    let fitting = ranks.iter().map(|rank| rank.id()).take_while(|id| {
        bytes += sizes.get(id).copied().map_or(0, i64::from);
        bytes <= MAX_TEXT_BYTES
    });
    fitting.collect()
}

/// Returns the `limit` ranks after `after`.
fn select_page(ranks: Vec<Rank>, after: Option<Rank>, limit: u64) -> Page<Rank, Rank> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut rest = ranks
        .into_iter()
        .skip_while(|rank| after.is_some_and(|after| !rank.is_after(after)));
    let items: Vec<Rank> = rest.by_ref().take(limit).collect();
    let more = rest.next().is_some();
    let next = if more { items.last().copied() } else { None };
    Page { items, next }
}
