//! Search in one or several spaces.

use std::collections::{HashMap, HashSet};

use entity::{
    content::search::{
        pages::{self, Sections},
        spaces,
    },
    ids::{NodeId, PageId},
};
use platform::db::Page;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, sea_query::Expr,
};

pub use super::ranking::Rank;
pub use super::sections::{SectionHit, matching};
use crate::{
    matcher::TermMatcher,
    parse::{Lookup, LookupSubject, SearchQuery},
    postings::{self, Posting, SearchedSpace},
    ranking::{self, RankedPage, Ranking},
    sections,
    stemmer::{WordStemmer, stemmer_of},
    words::{self, Replacement},
};

/// The most spaces of one search.
const MAX_SPACES: u64 = 5_000;

/// The most pages of each space in a search of several spaces.
pub const PAGES_OF_SPACE: usize = 5;

/// The most candidates of each space for callers who do not see all pages.
const CANDIDATES_OF_SPACE: usize = 10 * PAGES_OF_SPACE;

/// The most candidates of a search, unless it has so many spaces that each has no more than are shown.
const MAX_CANDIDATES: usize = 5_000;

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
    let search = Search::run(db, spaces::Column::SpaceId.eq(space), SearchQuery::parse(text)).await?;
    let selected = select_page(search.ranking.pages.clone(), |page| page.rank, after, limit);
    let mut hits = search.load_hits(db, &selected.items).await?;
    let items = selected.items.iter().filter_map(|page| hits.remove(&page.rank.id()));
    Ok(SearchResults {
        count: search.count(),
        page: Page {
            items: items.collect(),
            next: selected.next,
        },
    })
}

/// Searches all spaces for which `scope` holds, a condition on [`spaces::Entity`]. The results are spaces, in the order of their best pages.
pub async fn search_spaces(
    db: &impl ConnectionTrait,
    scope: Expr,
    text: &str,
    after: Option<Rank>,
    limit: u64,
) -> Result<SearchResults<SpaceHit>, DbErr> {
    let found = RankedSpaces::find(db, scope, SearchQuery::parse(text), after, limit).await?;
    let hits = found.load(db, &found.best(PAGES_OF_SPACE)).await?;
    Ok(SearchResults {
        count: found.count,
        page: Page {
            items: hits,
            next: found.next,
        },
    })
}

/// Spaces with matching pages, in the order of their best pages: one page of the results.
pub struct RankedSpaces {
    search: Search,
    /// With all their matching pages, in no order.
    spaces: Vec<(NodeId, Vec<RankedPage>)>,
    /// The last space, if there are further ones.
    pub next: Option<Rank>,
    /// The number of all spaces.
    pub count: u64,
}

/// A page that matches a search.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    number: i64,
    pub page: PageId,
}

impl RankedSpaces {
    /// Searches the published content of all spaces for which `scope` holds, a condition on [`spaces::Entity`].
    pub async fn find_published(
        db: &impl ConnectionTrait,
        scope: Expr,
        text: &str,
        after: Option<Rank>,
        limit: u64,
    ) -> Result<Self, DbErr> {
        Self::find(db, scope, SearchQuery::parse(text).of_published(), after, limit).await
    }

    async fn find(
        db: &impl ConnectionTrait,
        scope: Expr,
        query: SearchQuery,
        after: Option<Rank>,
        limit: u64,
    ) -> Result<Self, DbErr> {
        let search = Search::run(db, scope, query).await?;
        let mut of_space: HashMap<i64, Vec<RankedPage>> = HashMap::new();
        for page in &search.ranking.pages {
            of_space.entry(page.space).or_default().push(*page);
        }
        let best_of = |(space, pages): (&i64, &Vec<RankedPage>)| {
            let best = pages.iter().map(|page| page.rank).min_by_key(|rank| rank.sort_key())?;
            // Spaces of equal score are ordered by their numbers, not by those of their pages.
            Some(best.for_space(*space))
        };
        let ranks: Vec<Rank> = of_space.iter().filter_map(best_of).collect();
        let count = u64::try_from(ranks.len()).unwrap_or(u64::MAX);
        let Page { items, next } = select_page(ranks, |rank| *rank, after, limit);
        let spaces = items.into_iter().filter_map(|space| {
            let pages = of_space.remove(&space.id()).unwrap_or_default();
            Some((search.spaces.space(space.id())?, pages))
        });
        let spaces = spaces.collect();
        Ok(Self {
            search,
            spaces,
            next,
            count,
        })
    }

    /// The spaces in their order.
    pub fn spaces(&self) -> impl Iterator<Item = NodeId> {
        self.spaces.iter().map(|(space, _)| *space)
    }

    /// More pages of each space than are shown, best first, for callers who do not see all of them.
    pub async fn candidates(&self, db: &impl ConnectionTrait) -> Result<Vec<(NodeId, Vec<Candidate>)>, DbErr> {
        let each = MAX_CANDIDATES / self.spaces.len().max(1);
        let best = self.best(each.clamp(PAGES_OF_SPACE, CANDIDATES_OF_SPACE));
        let numbers = best.iter().flat_map(|(_, pages)| pages).map(|page| page.rank.id());
        let ids: HashMap<i64, PageId> = page_ids(db, numbers.collect()).await?.into_iter().collect();
        let candidate = |page: RankedPage| {
            let number = page.rank.id();
            ids.get(&number).map(|page| Candidate { number, page: *page })
        };
        let candidates = best
            .into_iter()
            .map(|(space, pages)| (space, pages.into_iter().filter_map(candidate).collect()));
        Ok(candidates.collect())
    }

    /// Loads the best of the candidates that the caller sees.
    pub async fn hits_of(
        &self,
        db: &impl ConnectionTrait,
        seen: &[(NodeId, Vec<Candidate>)],
    ) -> Result<Vec<SpaceHit>, DbErr> {
        let numbers = seen.iter().flat_map(|(_, pages)| pages).map(|page| page.number);
        let numbers: HashSet<i64> = numbers.collect();
        let best = self.best_where(PAGES_OF_SPACE, |page| numbers.contains(&page.rank.id()));
        self.load(db, &best).await
    }

    fn best(&self, each: usize) -> Vec<(NodeId, Vec<RankedPage>)> {
        self.best_where(each, |_| true)
    }

    fn best_where(&self, each: usize, is_wanted: impl Fn(&RankedPage) -> bool) -> Vec<(NodeId, Vec<RankedPage>)> {
        let wanted = |pages: &[RankedPage]| pages.iter().filter(|page| is_wanted(page)).copied().collect();
        let spaces = self.spaces.iter();
        spaces
            .map(|(space, pages)| (*space, best(wanted(pages), |page| page.rank, each)))
            .collect()
    }

    async fn load(
        &self,
        db: &impl ConnectionTrait,
        selected: &[(NodeId, Vec<RankedPage>)],
    ) -> Result<Vec<SpaceHit>, DbErr> {
        let pages: Vec<RankedPage> = selected.iter().flat_map(|(_, pages)| pages).copied().collect();
        let mut hits = self.search.load_hits(db, &pages).await?;
        let spaces = selected.iter().map(|(space, pages)| {
            let pages = pages.iter().filter_map(|page| hits.remove(&page.rank.id()));
            SpaceHit {
                space: *space,
                pages: pages.collect(),
            }
        });
        Ok(spaces.collect())
    }
}

/// The ids of pages, with their numbers.
async fn page_ids(db: &impl ConnectionTrait, numbers: Vec<i64>) -> Result<Vec<(i64, PageId)>, DbErr> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    use pages::{Column, Entity};
    Entity::find()
        .select_only()
        .columns([Column::Id, Column::PageId])
        .filter(Column::Id.is_in(numbers))
        .into_tuple()
        .all(db)
        .await
}

/// A query with its ranking.
struct Search {
    query: SearchQuery,
    spaces: SearchedSpaces,
    ranking: Ranking,
}

/// The searched spaces.
#[derive(Default)]
struct SearchedSpaces {
    /// By their numbers.
    spaces: HashMap<i64, Searched>,
    /// In the order of their numbers.
    numbers: Vec<i64>,
    /// One for each language of the spaces.
    stemmers: Vec<WordStemmer>,
    /// The number of all pages.
    pages: u64,
}

struct Searched {
    space: NodeId,
    /// The index of its stemmer.
    stemmer: usize,
}

/// The spaces for which a condition holds, as many as are searched.
pub fn searched(scope: Expr) -> Select<spaces::Entity> {
    spaces::Entity::find()
        .filter(scope)
        .filter(spaces::Column::PagesCount.gt(0))
        .order_by_asc(spaces::Column::Id)
        .limit(MAX_SPACES)
}

impl SearchedSpaces {
    async fn of(db: &impl ConnectionTrait, scope: Expr) -> Result<Self, DbErr> {
        let found = searched(scope).all(db).await?;
        let mut searched = Self::default();
        for found in found {
            let stemmer = searched.stemmer(stemmer_of(found.language));
            let space = found.space_id;
            searched.spaces.insert(found.id, Searched { space, stemmer });
            searched.numbers.push(found.id);
            searched.pages += u64::try_from(found.pages_count).unwrap_or_default();
        }
        Ok(searched)
    }

    /// Returns the index of a stemmer.
    fn stemmer(&mut self, stemmer: WordStemmer) -> usize {
        let index = self.stemmers.iter().position(|known| *known == stemmer);
        index.unwrap_or_else(|| {
            self.stemmers.push(stemmer);
            self.stemmers.len() - 1
        })
    }

    /// Returns the lookups of each language.
    fn lookups(&self, of_language: impl Fn(WordStemmer) -> Vec<Lookup>) -> Vec<Vec<Lookup>> {
        self.stemmers.iter().copied().map(of_language).collect()
    }

    async fn find(&self, db: &impl ConnectionTrait, lookups: &[Vec<Lookup>]) -> Result<Vec<Posting>, DbErr> {
        let with_language = |number: &i64| Some((*number, self.spaces.get(number)?.stemmer));
        let spaces: Vec<SearchedSpace> = self.numbers.iter().filter_map(with_language).collect();
        postings::find(db, &spaces, lookups).await
    }

    fn space(&self, number: i64) -> Option<NodeId> {
        self.spaces.get(&number).map(|searched| searched.space)
    }
}

impl Search {
    async fn run(db: &impl ConnectionTrait, scope: Expr, mut query: SearchQuery) -> Result<Self, DbErr> {
        let spaces = if query.is_empty() {
            SearchedSpaces::default()
        } else {
            SearchedSpaces::of(db, scope).await?
        };
        let lookups = spaces.lookups(|stemmer| query.lookups(stemmer));
        let mut postings = spaces.find(db, &lookups).await?;
        let mut lookups = lookups.into_iter().next().unwrap_or_default();
        let unknown = unknown_terms(&query, &lookups, &postings);
        let mut replacements = words::replacements(db, &spaces.numbers, &unknown).await?;
        // A word that compounds end with is no typing error.
        let found = terms_of(&lookups, &postings, LookupSubject::term_index);
        replacements
            .retain(|index, replacement| matches!(replacement, Replacement::Completed(_)) || !found.contains(index));
        if !replacements.is_empty() {
            query.replace(replacements);
            let further = spaces.lookups(|stemmer| query.replacement_lookups(stemmer));
            let found = spaces.find(db, &further).await?;
            let before = lookups.len();
            postings.extend(found.into_iter().map(|posting| Posting {
                lookup: posting.lookup + before,
                ..posting
            }));
            lookups.extend(further.into_iter().next().unwrap_or_default());
        }
        let ranking = ranking::rank(&query, &lookups, &postings, spaces.pages);
        Ok(Self { query, spaces, ranking })
    }

    fn count(&self) -> u64 {
        u64::try_from(self.ranking.pages.len()).unwrap_or(u64::MAX)
    }

    /// Loads ranked pages, by their numbers. Pages that were deleted meanwhile are missing.
    async fn load_hits(
        &self,
        db: &impl ConnectionTrait,
        ranked: &[RankedPage],
    ) -> Result<HashMap<i64, PageHit>, DbErr> {
        if ranked.is_empty() {
            return Ok(HashMap::new());
        }
        use pages::{Column, Entity};
        let rows: Vec<(i64, PageId, String, i32)> = Entity::find()
            .select_only()
            .columns([Column::Id, Column::PageId, Column::Title, Column::Size])
            .filter(Column::Id.is_in(ranked.iter().map(|page| page.rank.id())))
            .into_tuple()
            .all(db)
            .await?;
        let sizes: HashMap<i64, i32> = rows.iter().map(|(id, _, _, size)| (*id, *size)).collect();
        let mut sections = self.load_sections(db, within_bounds(ranked, &sizes)).await?;
        let scores = ranked.iter().map(|page| (page.rank.id(), page.rank.score()));
        let scores: HashMap<i64, f64> = scores.collect();
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
        pages: HashMap<i64, i64>,
    ) -> Result<HashMap<i64, Vec<SectionHit>>, DbErr> {
        use pages::{Column, Entity};
        let rows: Vec<(i64, Sections)> = Entity::find()
            .select_only()
            .columns([Column::Id, Column::Sections])
            .filter(Column::Id.is_in(pages.keys().copied()))
            .into_tuple()
            .all(db)
            .await?;
        let matchers = self.spaces.stemmers.iter();
        let matchers: Vec<TermMatcher> = matchers.map(|stemmer| TermMatcher::of(&self.query, *stemmer)).collect();
        let mut best = HashMap::with_capacity(rows.len());
        for (id, text) in rows {
            let space = pages.get(&id).and_then(|space| self.spaces.spaces.get(space));
            let Some(matcher) = space.and_then(|space| matchers.get(space.stemmer)) else {
                continue;
            };
            best.insert(id, sections::best(matcher, &self.ranking.weights, &text.0));
            // Lets other tasks run: scoring a page computes without waiting.
            tokio::task::yield_now().await;
        }
        Ok(best)
    }
}

/// Returns the terms that some page has, by their indexes. `term`: the term of a match, if the match counts.
fn terms_of(lookups: &[Lookup], postings: &[Posting], term: fn(LookupSubject) -> Option<usize>) -> HashSet<usize> {
    let found = postings.iter().filter_map(|posting| lookups.get(posting.lookup));
    found.filter_map(|lookup| term(lookup.subject)).collect()
}

/// Returns the terms that no page has, by their indexes.
fn unknown_terms<'q>(query: &'q SearchQuery, lookups: &[Lookup], postings: &[Posting]) -> Vec<(usize, &'q str)> {
    let known = terms_of(lookups, postings, LookupSubject::exact_term);
    let terms = query.terms.iter().enumerate();
    terms
        .filter(|(index, term)| term.is_replaceable() && !known.contains(index))
        .map(|(index, term)| (index, term.text.as_str()))
        .collect()
}

/// Returns the first pages whose text fits into the limit, with their spaces.
fn within_bounds(ranked: &[RankedPage], sizes: &HashMap<i64, i32>) -> HashMap<i64, i64> {
    let mut bytes = 0;
    let fitting = ranked
        .iter()
        .map(|page| (page.rank.id(), page.space))
        .take_while(|(id, _)| {
            bytes += sizes.get(id).copied().map_or(0, i64::from);
            bytes <= MAX_TEXT_BYTES
        });
    fitting.collect()
}

/// Returns the `limit` items after `after`, best first.
fn select_page<T>(all: Vec<T>, rank: fn(&T) -> Rank, after: Option<Rank>, limit: u64) -> Page<T, Rank> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut rest = all;
    rest.retain(|item| after.is_none_or(|after| rank(item).is_after(after)));
    let more = rest.len() > limit;
    let items = best(rest, rank, limit);
    let next = if more { items.last().map(rank) } else { None };
    Page { items, next }
}

/// Returns the best items, best first, without sorting the others.
fn best<T>(mut all: Vec<T>, rank: fn(&T) -> Rank, limit: usize) -> Vec<T> {
    if limit < all.len() {
        all.select_nth_unstable_by_key(limit, |item| rank(item).sort_key());
        all.truncate(limit);
    }
    all.sort_unstable_by_key(|item| rank(item).sort_key());
    all
}
