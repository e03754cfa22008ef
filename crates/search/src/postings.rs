//! Lookups in the index of the database.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

use crate::parse::{Lookup, SPACE_PLACEHOLDER};

/// The most pages of one space that a lookup returns: in very large spaces, not all pages with the most common words are
/// ranked.
const MAX_POSTINGS: i64 = 50_000;

/// The pages of a space that match a lookup.
pub struct Posting {
    pub space: i64,
    /// The index of the lookup.
    pub lookup: usize,
    pub pages: Vec<i64>,
}

/// Runs all lookups in all spaces in one statement. The pages of each lookup and space are returned as one text, because a
/// row for each page would cost more than the lookup itself.
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
    let values = [spaces.into(), json(&terms)?.into(), MAX_POSTINGS.into()];
    let rows = db
        .query_all_raw(Statement::from_sql_and_values(backend, sql, values))
        .await?;
    let mut postings = Vec::with_capacity(rows.len());
    for row in rows {
        let (space, lookup): (String, i64) = (row.try_get("", "space")?, row.try_get("", "lookup")?);
        let pages: String = row.try_get("", "pages")?;
        postings.push(Posting {
            space: space.parse().map_err(|_| not_a_number())?,
            lookup: usize::try_from(lookup).map_err(|_| not_a_number())?,
            pages: pages.split(',').filter_map(|page| page.parse().ok()).collect(),
        });
    }
    // Scores are sums of floats: a fixed order keeps their rounding the same.
    postings.sort_unstable_by_key(|posting| (posting.lookup, posting.space));
    Ok(postings)
}

fn json(list: &[String]) -> Result<String, DbErr> {
    serde_json::to_string(list).map_err(|error| DbErr::Json(error.to_string()))
}

fn not_a_number() -> DbErr {
    DbErr::Type("the search index returned a value that is not a number".to_owned())
}

fn sqlite() -> String {
    format!(
        "WITH found AS MATERIALIZED (
            SELECT space.value AS space, lookup.key AS lookup, (
                SELECT group_concat(page) FROM (
                    SELECT rowid AS page FROM search_terms
                    WHERE search_terms MATCH replace(lookup.value, '{SPACE_PLACEHOLDER}', space.value) LIMIT $3)) AS pages
            FROM json_each($1) AS space CROSS JOIN json_each($2) AS lookup)
        SELECT space, lookup, pages FROM found WHERE pages IS NOT NULL"
    )
}

fn postgres() -> String {
    format!(
        "WITH found AS MATERIALIZED (
            SELECT space.value AS space, lookup.number - 1 AS lookup,
                search_find(replace(lookup.value, '{SPACE_PLACEHOLDER}', space.value)::tsquery, $3) AS pages
            FROM json_array_elements_text($1::json) AS space
                CROSS JOIN json_array_elements_text($2::json) WITH ORDINALITY AS lookup (value, number))
        SELECT space, lookup, pages FROM found WHERE pages IS NOT NULL"
    )
}
