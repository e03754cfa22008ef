//! Asking the index.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

use crate::parse::{Lookup, SPACE};

/// Pages of one space that one lookup finds at most: of very large spaces, not all pages with the most common words take part.
const MAX_FOUND: i64 = 50_000;

/// The pages that a lookup found in a space.
pub struct Posting {
    pub space: i64,
    /// The number of the lookup.
    pub lookup: usize,
    pub pages: Vec<i64>,
}

/// Answers all lookups in all spaces by one statement. Lists of pages come as text, one for each lookup and space: a row for each page
/// would cost more than to find it.
pub async fn find(db: &impl ConnectionTrait, spaces: &[i64], lookups: &[Lookup]) -> Result<Vec<Posting>, DbErr> {
    if spaces.is_empty() || lookups.is_empty() {
        return Ok(Vec::new());
    }
    let backend = db.get_database_backend();
    let (sql, terms): (_, Vec<String>) = match backend {
        DbBackend::Postgres => (postgres(), lookups.iter().map(Lookup::postgres).collect()),
        _ => (sqlite(), lookups.iter().map(Lookup::sqlite).collect()),
    };
    let spaces = json(&spaces.iter().map(i64::to_string).collect::<Vec<_>>())?;
    let values = [spaces.into(), json(&terms)?.into(), MAX_FOUND.into()];
    let rows = db
        .query_all_raw(Statement::from_sql_and_values(backend, sql, values))
        .await?;
    let mut postings = Vec::with_capacity(rows.len());
    for row in rows {
        let (space, lookup): (String, i64) = (row.try_get("", "space")?, row.try_get("", "lookup")?);
        let pages: String = row.try_get("", "pages")?;
        postings.push(Posting {
            space: space.parse().map_err(|_| unreadable())?,
            lookup: usize::try_from(lookup).map_err(|_| unreadable())?,
            pages: pages.split(',').filter_map(|page| page.parse().ok()).collect(),
        });
    }
    // Scores are sums: in another order they could differ by what is rounded.
    postings.sort_unstable_by_key(|posting| (posting.lookup, posting.space));
    Ok(postings)
}

fn json(list: &[String]) -> Result<String, DbErr> {
    serde_json::to_string(list).map_err(|error| DbErr::Json(error.to_string()))
}

fn unreadable() -> DbErr {
    DbErr::Type("the search index answered no number".to_owned())
}

fn sqlite() -> String {
    format!(
        "WITH found AS MATERIALIZED (
            SELECT space.value AS space, lookup.key AS lookup, (
                SELECT group_concat(page) FROM (
                    SELECT rowid AS page FROM search_terms
                    WHERE search_terms MATCH replace(lookup.value, '{SPACE}', space.value) LIMIT $3)) AS pages
            FROM json_each($1) AS space CROSS JOIN json_each($2) AS lookup)
        SELECT space, lookup, pages FROM found WHERE pages IS NOT NULL"
    )
}

fn postgres() -> String {
    format!(
        "WITH found AS MATERIALIZED (
            SELECT space.value AS space, lookup.number - 1 AS lookup,
                search_find(replace(lookup.value, '{SPACE}', space.value)::tsquery, $3) AS pages
            FROM json_array_elements_text($1::json) AS space
                CROSS JOIN json_array_elements_text($2::json) WITH ORDINALITY AS lookup (value, number))
        SELECT space, lookup, pages FROM found WHERE pages IS NOT NULL"
    )
}
