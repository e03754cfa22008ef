//! Lookups in the index of the database.

use std::collections::{BTreeSet, HashSet};

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};
use serde_json::json;

use crate::{
    parse::{Lookup, SPACE_PLACEHOLDER},
    terms::NO_INDEX,
};

/// The pages of a space that match a lookup.
pub struct Posting {
    pub space: i64,
    /// The index of the lookup.
    pub lookup: usize,
    pub pages: Vec<i64>,
    /// The lookup found as many pages as it may: there may be more.
    pub is_truncated: bool,
}

/// A searched space: its number, and the index of its lookups, which depend on its language.
pub type SearchedSpace = (i64, usize);

/// Runs all lookups in all spaces in one statement. `lookups` are those of each language: the same in all but the terms. The
/// pages of each lookup and space are returned as one text, because a row for each page would cost more than the lookup
/// itself.
pub async fn find(
    db: &impl ConnectionTrait,
    spaces: &[SearchedSpace],
    lookups: &[Vec<Lookup>],
) -> Result<Vec<Posting>, DbErr> {
    if spaces.is_empty() || lookups.iter().all(Vec::is_empty) {
        return Ok(Vec::new());
    }
    let backend = db.get_database_backend();
    let (sql, format): (_, fn(&Lookup) -> String) = match backend {
        DbBackend::Postgres => (postgres(), Lookup::postgres),
        _ => (sqlite(), Lookup::sqlite),
    };
    let limits = Limits::of(lookups);
    let spaces: Vec<_> = spaces
        .iter()
        .map(|(space, language)| json!([space.to_string(), language]))
        .collect();
    let terms = |of_language: &Vec<Lookup>| -> Vec<serde_json::Value> {
        let lookups = of_language.iter();
        lookups
            .map(|lookup| match lookup.terms.as_slice() {
                // Keeps the place of those that follow, which is the same in all languages.
                [] => serde_json::Value::Null,
                _ => json!([format(lookup), limits.index(lookup.limit)]),
            })
            .collect()
    };
    let terms: Vec<_> = lookups.iter().map(terms).collect();
    let [first, second, third] = limits.0;
    let values = [
        json!(spaces).to_string().into(),
        json!(terms).to_string().into(),
        first.into(),
        second.into(),
        third.into(),
    ];
    let rows = db
        .query_all_raw(Statement::from_sql_and_values(backend, sql, values))
        .await?;
    let mut postings = Vec::with_capacity(rows.len());
    for row in rows {
        let (space, lookup): (String, i64) = (row.try_get("", "space")?, row.try_get("", "lookup")?);
        let lookup = usize::try_from(lookup).map_err(|_| not_a_number())?;
        let pages: String = row.try_get("", "pages")?;
        let pages: Vec<i64> = numbers(&pages).collect();
        let of_language = lookups.first().and_then(|of_language| of_language.get(lookup));
        postings.push(Posting {
            space: space.parse().map_err(|_| not_a_number())?,
            lookup,
            is_truncated: of_language.is_some_and(|lookup| pages.len() >= lookup.limit),
            pages,
        });
    }
    // Scores are sums of floats: a fixed order keeps their rounding the same.
    postings.sort_unstable_by_key(|posting| (posting.lookup, posting.space));
    Ok(postings)
}

/// Finds the pages of a space that the search of published content leaves out.
pub async fn with_no_index(db: &impl ConnectionTrait, space: i64) -> Result<HashSet<i64>, DbErr> {
    let backend = db.get_database_backend();
    let (sql, quote) = match backend {
        DbBackend::Postgres => ("SELECT search_find($1::tsquery, $2) AS pages", "'"),
        _ => (
            "SELECT group_concat(page) AS pages FROM (
                SELECT rowid AS page FROM search_terms WHERE search_terms MATCH $1 LIMIT $2)",
            "\"",
        ),
    };
    let values = [format!("{quote}{space}.{NO_INDEX}{quote}").into(), i64::MAX.into()];
    let found = db
        .query_one_raw(Statement::from_sql_and_values(backend, sql, values))
        .await?;
    let pages: Option<String> = found.map(|row| row.try_get("", "pages")).transpose()?.flatten();
    Ok(pages.iter().flat_map(|pages| numbers(pages)).collect())
}

fn numbers(pages: &str) -> impl Iterator<Item = i64> {
    pages.split(',').filter_map(|page| page.parse().ok())
}

fn not_a_number() -> DbErr {
    DbErr::Type("the search index returned a value that is not a number".to_owned())
}

/// The limits of lookups: there are few different ones.
struct Limits([i64; 3]);

impl Limits {
    fn of(lookups: &[Vec<Lookup>]) -> Self {
        let different: BTreeSet<usize> = lookups.iter().flatten().map(|lookup| lookup.limit).collect();
        let mut different = different
            .into_iter()
            .map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
        Self(std::array::from_fn(|_| different.next().unwrap_or(i64::MAX)))
    }

    fn index(&self, limit: usize) -> usize {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.0.iter().position(|known| *known >= limit).unwrap_or_default()
    }
}

impl Lookup {
    /// Formats the lookup as a query of FTS5.
    pub fn sqlite(&self) -> String {
        self.format(QuerySyntax {
            quote: '"',
            prefix: "*",
            or: " OR ",
            and_not: "NOT ",
        })
    }

    /// Formats the lookup as a `tsquery`.
    pub fn postgres(&self) -> String {
        self.format(QuerySyntax {
            quote: '\'',
            prefix: ":*",
            or: " | ",
            and_not: "& !",
        })
    }

    fn format(&self, syntax: QuerySyntax) -> String {
        let QuerySyntax {
            quote,
            prefix,
            or,
            and_not,
        } = syntax;
        let suffix = if self.is_prefix { prefix } else { "" };
        let terms = self.terms.iter().map(|term| format!("{quote}{term}{quote}{suffix}"));
        let terms = terms.collect::<Vec<_>>().join(or);
        match self.leaves_out_no_index {
            true => format!("({terms}) {and_not}{quote}{SPACE_PLACEHOLDER}.{NO_INDEX}{quote}"),
            false => terms,
        }
    }
}

/// The marks and operators of a query language.
struct QuerySyntax {
    quote: char,
    /// The mark behind a term that matches the beginning of words.
    prefix: &'static str,
    or: &'static str,
    and_not: &'static str,
}

/// SQLite takes limits from parameters, not from rows.
fn sqlite() -> String {
    let pages = |limit: &str| {
        format!(
            "(SELECT group_concat(page) FROM (
                SELECT rowid AS page FROM search_terms
                WHERE search_terms MATCH replace(lookup.value->>0, '{SPACE_PLACEHOLDER}', space.value->>0)
                LIMIT {limit}))"
        )
    };
    let (first, second, third) = (pages("$3"), pages("$4"), pages("$5"));
    format!(
        "WITH found AS MATERIALIZED (
            SELECT space.value->>0 AS space, lookup.key AS lookup,
                CASE lookup.value->>1 WHEN 0 THEN {first} WHEN 1 THEN {second} ELSE {third} END AS pages
            FROM json_each($1) AS space CROSS JOIN json_each($2, '$[' || (space.value->>1) || ']') AS lookup
            WHERE lookup.type = 'array')
        SELECT space, lookup, pages FROM found WHERE pages IS NOT NULL"
    )
}

fn postgres() -> String {
    format!(
        "WITH found AS MATERIALIZED (
            SELECT space.value->>0 AS space, lookup.number - 1 AS lookup,
                search_find(
                    replace(lookup.value->>0, '{SPACE_PLACEHOLDER}', space.value->>0)::tsquery,
                    (ARRAY[$3::bigint, $4::bigint, $5::bigint])[(lookup.value->>1)::int + 1]) AS pages
            FROM json_array_elements($1::json) AS space
                CROSS JOIN LATERAL json_array_elements($2::json->(space.value->>1)::int)
                    WITH ORDINALITY AS lookup (value, number)
            WHERE json_typeof(lookup.value) = 'array')
        SELECT space, lookup, pages FROM found WHERE pages IS NOT NULL"
    )
}
