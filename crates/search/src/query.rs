//! Searching.

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
    ranking::{self, Ranked, Ranking},
    sections,
};
use crate::parse::Question;

/// Spaces that are searched at once.
const MAX_SPACES: u64 = 5_000;

/// Pages of a space in a search of several.
const PAGES_OF_SPACE: usize = 5;

/// Bytes of text that are read and searched through for sections to show; pages after these have none.
const MAX_TEXT: i64 = 4 << 20;

/// A page that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct PageHit {
    pub page: PageId,
    /// As it was indexed.
    pub title: String,
    /// The best first.
    pub sections: Vec<SectionHit>,
    /// How well it fits, compared with the others of the same answer.
    pub score: f64,
}

/// A space with the best of the pages that were found in it.
#[derive(Debug, Clone, PartialEq)]
pub struct SpaceHit {
    pub space: NodeId,
    pub pages: Vec<PageHit>,
}

/// Some of the results, the best first, and how many there are on all pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Results<T> {
    pub page: Page<T, Rank>,
    pub count: u64,
}

/// Searches one space.
pub async fn in_space(
    db: &impl ConnectionTrait,
    space: NodeId,
    text: &str,
    after: Option<Rank>,
    limit: u64,
) -> Result<Results<PageHit>, DbErr> {
    let search = Search::run(db, spaces::Column::SpaceId.eq(space), text).await?;
    let ranks = search.ranking.pages.iter().map(|page| page.rank).collect();
    let chosen = choose(ranks, after, limit);
    let mut hits = search.show(db, &chosen.items).await?;
    let items = chosen.items.iter().filter_map(|rank| hits.remove(&rank.id()));
    Ok(Results {
        count: search.count(),
        page: Page {
            items: items.collect(),
            next: chosen.next,
        },
    })
}

/// Searches all spaces whose ids `scope` selects. The results are spaces, those with the best page first.
pub async fn in_spaces(
    db: &impl ConnectionTrait,
    scope: SelectStatement,
    text: &str,
    after: Option<Rank>,
    limit: u64,
) -> Result<Results<SpaceHit>, DbErr> {
    let search = Search::run(db, spaces::Column::SpaceId.in_subquery(scope), text).await?;
    let mut of_space: HashMap<i64, Vec<Rank>> = HashMap::new();
    let mut ranks = Vec::new();
    for Ranked { rank, space } in &search.ranking.pages {
        let pages = of_space.entry(*space).or_default();
        if pages.is_empty() {
            ranks.push(rank.of(*space));
        }
        if pages.len() < PAGES_OF_SPACE {
            pages.push(*rank);
        }
    }
    let count = u64::try_from(ranks.len()).unwrap_or(u64::MAX);
    // Spaces of equal score have the order of their numbers, not that of their pages.
    ranks.sort_unstable_by_key(|rank| rank.order());
    let chosen = choose(ranks, after, limit);
    let pages = |space: &Rank| of_space.get(&space.id()).cloned().unwrap_or_default();
    let shown: Vec<Rank> = chosen.items.iter().flat_map(pages).collect();
    let mut hits = search.show(db, &shown).await?;
    let mut items = Vec::new();
    for space in &chosen.items {
        if let Some(id) = search.spaces.get(&space.id()) {
            let pages = pages(space).iter().filter_map(|rank| hits.remove(&rank.id())).collect();
            items.push(SpaceHit { space: *id, pages });
        }
    }
    let next = chosen.next;
    Ok(Results {
        count,
        page: Page { items, next },
    })
}

/// A question with all that was found.
struct Search {
    question: Question,
    spaces: HashMap<i64, NodeId>,
    ranking: Ranking,
}

impl Search {
    async fn run(db: &impl ConnectionTrait, scope: Expr, text: &str) -> Result<Self, DbErr> {
        let question = Question::read(text);
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
        let lookups = question.lookups();
        let postings = postings::find(db, &numbers, &lookups).await?;
        let ranking = ranking::rank(&question, &lookups, &postings, pages.sum());
        Ok(Self {
            question,
            spaces: searched.into_iter().map(|space| (space.id, space.space_id)).collect(),
            ranking,
        })
    }

    fn count(&self) -> u64 {
        u64::try_from(self.ranking.pages.len()).unwrap_or(u64::MAX)
    }

    /// The pages of these ranks, by their numbers. One that went meanwhile is not among them.
    async fn show(&self, db: &impl ConnectionTrait, ranks: &[Rank]) -> Result<HashMap<i64, PageHit>, DbErr> {
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
        let mut sections = self.sections(db, within_bounds(ranks, &sizes)).await?;
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

    async fn sections(
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
        let mut found = HashMap::with_capacity(rows.len());
        for (id, text) in rows {
            found.insert(id, sections::best(&self.question, &self.ranking.weights, &text.0));
            // Others may run between two pages: this is work, not waiting.
            tokio::task::yield_now().await;
        }
        Ok(found)
    }
}

/// The first pages, until their text is too much.
fn within_bounds(ranks: &[Rank], sizes: &HashMap<i64, i32>) -> HashSet<i64> {
    let mut bytes = 0;
    let fitting = ranks.iter().map(|rank| rank.id()).take_while(|id| {
        bytes += sizes.get(id).copied().map_or(0, i64::from);
        bytes <= MAX_TEXT
    });
    fitting.collect()
}

/// The `limit` ranks after `after`.
fn choose(ranks: Vec<Rank>, after: Option<Rank>, limit: u64) -> Page<Rank, Rank> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut rest = ranks
        .into_iter()
        .skip_while(|rank| after.is_some_and(|after| !rank.is_after(after)));
    let items: Vec<Rank> = rest.by_ref().take(limit).collect();
    let more = rest.next().is_some();
    let next = if more { items.last().copied() } else { None };
    Page { items, next }
}
