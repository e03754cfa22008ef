//! The words of a space as they are written, for words of a query that no page has: they may be unfinished or misspelled.
//!
//! A word stays when no page has it any more; it leads to no page then. The words of a space go with the space.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};
use serde_json::json;

use crate::terms::MIN_WORD_LETTERS;

/// The most words that one word of a query stands for.
const MAX_REPLACEMENTS: usize = 20;

/// The most words that one search reads.
const MAX_READ: i64 = 20_000;

/// Words that one transaction removes with a space.
const REMOVED_WORDS: i64 = 2_000;

/// The least letters of an unfinished word.
const MIN_UNFINISHED_LETTERS: usize = 3;

/// The least letters of a word in which two letters may be wrong.
const MIN_TWO_ERRORS_LETTERS: usize = 8;

/// Words that a word of the query may stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    /// The word is their beginning.
    Completed(Vec<String>),
    /// They differ in a letter or two.
    Corrected(Vec<String>),
}

impl Replacement {
    pub fn words(&self) -> &[String] {
        match self {
            Self::Completed(words) | Self::Corrected(words) => words,
        }
    }
}

/// Deletes some words of a space that is gone, and returns how many.
pub async fn remove_some(tx: &impl ConnectionTrait, space: i64) -> Result<u64, DbErr> {
    let sql = "DELETE FROM search_words WHERE search_space_id = $1 AND word IN
        (SELECT word FROM search_words WHERE search_space_id = $1 ORDER BY word LIMIT $2)";
    let values = [space.into(), REMOVED_WORDS.into()];
    let removed = Statement::from_sql_and_values(tx.get_database_backend(), sql, values);
    Ok(tx.execute_raw(removed).await?.rows_affected())
}

/// Adds words to those of a space.
pub async fn insert<'w>(
    tx: &impl ConnectionTrait,
    space: i64,
    words: impl Iterator<Item = &'w str>,
) -> Result<(), DbErr> {
    // In one order, so that concurrent writers do not wait for each other in a circle.
    let words: BTreeSet<&str> = words.collect();
    if words.is_empty() {
        return Ok(());
    }
    let pairs: Vec<_> = words.into_iter().map(|word| json!([word, reversed(word)])).collect();
    let backend = tx.get_database_backend();
    let list = match backend {
        DbBackend::Postgres => "json_array_elements($2::json)",
        _ => "json_each($2)",
    };
    let sql = format!(
        "INSERT INTO search_words (search_space_id, word, reversed)
        SELECT $1, pair.value->>0, pair.value->>1 FROM {list} AS pair WHERE true ON CONFLICT DO NOTHING"
    );
    let values = [space.into(), json!(pairs).to_string().into()];
    tx.execute_raw(Statement::from_sql_and_values(backend, sql, values))
        .await?;
    Ok(())
}

/// Finds what words may stand for that no page of the spaces has. The result has the number of each word that may stand for
/// others.
pub async fn replacements(
    db: &impl ConnectionTrait,
    spaces: &[i64],
    unknown: &[(usize, &str)],
) -> Result<BTreeMap<usize, Replacement>, DbErr> {
    let unknown = unknown.iter().map(|(number, word)| (*number, Letters::of(word)));
    let unknown: Vec<(usize, Letters)> = unknown
        .filter(|(_, letters)| letters.0.len() >= MIN_UNFINISHED_LETTERS)
        .collect();
    if spaces.is_empty() || unknown.is_empty() {
        return Ok(BTreeMap::new());
    }
    let backend = db.get_database_backend();
    let sql = match backend {
        DbBackend::Postgres => find("json_array_elements_text($1::json)", "json_array_elements", "::json"),
        _ => find("json_each($1)", "json_each", ""),
    };
    let beginnings: Vec<_> = unknown.iter().map(|(_, letters)| letters.beginning()).collect();
    let endings: Vec<_> = unknown.iter().filter_map(|(_, letters)| letters.ending()).collect();
    let values = [
        json!(spaces.iter().map(i64::to_string).collect::<Vec<_>>())
            .to_string()
            .into(),
        json!(beginnings).to_string().into(),
        json!(endings).to_string().into(),
        MAX_READ.into(),
    ];
    let rows = db
        .query_all_raw(Statement::from_sql_and_values(backend, sql, values))
        .await?;
    let mut known = BTreeSet::new();
    for row in rows {
        known.insert(row.try_get::<String>("", "word")?);
    }
    let known: Vec<Letters> = known.iter().map(|word| Letters::of(word)).collect();
    let replacements = unknown
        .iter()
        .filter_map(|(number, letters)| Some((*number, letters.replacement(&known)?)));
    Ok(replacements.collect())
}

/// Ranges of words and of reversed words, each as its first text and the first one after it.
fn find(spaces: &str, each: &str, cast: &str) -> String {
    let range = |column: &str, ranges: &str| {
        format!(
            "SELECT word FROM (SELECT known.word FROM {spaces} AS space
                CROSS JOIN {each}({ranges}{cast}) AS range
                CROSS JOIN search_words AS known
            WHERE known.search_space_id = CAST(space.value AS bigint)
                AND known.{column} >= range.value->>0 AND known.{column} < range.value->>1 LIMIT $4) AS found"
        )
    };
    format!("{} UNION {}", range("word", "$2"), range("reversed", "$3"))
}

fn reversed(word: &str) -> String {
    word.chars().rev().collect()
}

/// The letters of a word.
struct Letters(Vec<char>);

impl Letters {
    fn of(word: &str) -> Self {
        Self(word.chars().collect())
    }

    fn text(&self) -> String {
        self.0.iter().collect()
    }

    /// Returns the letters that are right if the error is behind them: half of the word. With one error, or two letters in
    /// the wrong order, the letters of the beginning or those of the ending are right.
    fn right_beginning(&self) -> usize {
        match self.0.len() {
            ..MIN_WORD_LETTERS => self.0.len(),
            letters => letters / 2,
        }
    }

    fn beginning(&self) -> [String; 2] {
        range(self.0.iter().take(self.right_beginning()).collect())
    }

    fn ending(&self) -> Option<[String; 2]> {
        let length = self.0.len().checked_sub(self.right_beginning() + 1)?;
        (length > 0).then(|| range(self.0.iter().rev().take(length).collect()))
    }

    fn replacement(&self, known: &[Letters]) -> Option<Replacement> {
        let completed = known.iter().filter(|word| word.0.starts_with(&self.0));
        let mut completed: Vec<&Letters> = completed.collect();
        if !completed.is_empty() {
            completed.sort_by_key(|word| word.0.len());
            return Some(Replacement::Completed(texts(completed)));
        }
        if self.0.len() < MIN_WORD_LETTERS {
            return None;
        }
        let most = 1 + usize::from(self.0.len() >= MIN_TWO_ERRORS_LETTERS);
        (1..=most).find_map(|errors| {
            let near = known.iter().filter(|word| self.is_within(errors, word));
            let mut near: Vec<&Letters> = near.collect();
            // The first letter is rarely wrong.
            near.sort_by_key(|word| Reverse(word.0.first() == self.0.first()));
            (!near.is_empty()).then(|| Replacement::Corrected(texts(near)))
        })
    }

    /// Returns whether so many letters that are wrong, missing, needless or swapped make one word of the other.
    fn is_within(&self, errors: usize, other: &Self) -> bool {
        if self.0.len().abs_diff(other.0.len()) > errors {
            return false;
        }
        // The optimal string alignment distance, row by row.
        let width = other.0.len() + 1;
        let (mut before, mut last): (Vec<usize>, Vec<usize>) = (vec![usize::MAX; width], (0..width).collect());
        let mut letter_before = None;
        for (row, letter) in self.0.iter().enumerate() {
            let mut current = vec![row + 1];
            let mut other_before = None;
            for (column, other_letter) in other.0.iter().enumerate() {
                let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX);
                let changed = at(&last, column) + usize::from(letter != other_letter);
                let needless = at(&last, column + 1).saturating_add(1);
                let missing = at(&current, column).saturating_add(1);
                let mut least = changed.min(needless).min(missing);
                if letter_before == Some(other_letter) && other_before == Some(letter) {
                    least = least.min(at(&before, column - 1).saturating_add(1));
                }
                current.push(least);
                other_before = Some(other_letter);
            }
            if current.iter().all(|distance| *distance > errors) {
                return false;
            }
            before = std::mem::replace(&mut last, current);
            letter_before = Some(letter);
        }
        last.last().is_some_and(|distance| *distance <= errors)
    }
}

fn texts(words: Vec<&Letters>) -> Vec<String> {
    words.into_iter().take(MAX_REPLACEMENTS).map(Letters::text).collect()
}

/// Returns the range of the texts that begin so.
fn range(beginning: String) -> [String; 2] {
    let end = format!("{beginning}{}", char::MAX);
    [beginning, end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Letters> {
        let words = [
            "authenticate",
            "authentication",
            "certificate",
            "certificates",
            "cookie",
            "cookies",
            "curl",
            "install",
            "installation",
            "upload",
            "verified",
        ];
        words.iter().map(|word| Letters::of(word)).collect()
    }

    fn replaced(word: &str) -> Vec<String> {
        let found = Letters::of(word).replacement(&known());
        found.map_or_else(Vec::new, |found| found.words().to_vec())
    }

    #[test]
    fn words_are_completed_before_they_are_corrected() {
        assert_eq!(replaced("instal"), ["install", "installation"]);
        assert_eq!(replaced("ver"), ["verified"]);
        assert_eq!(replaced("cookei"), ["cookie"]);
        assert_eq!(replaced("cokies"), ["cookies"]);
        assert_eq!(replaced("uplaod"), ["upload"]);
        assert_eq!(replaced("ocokie"), ["cookie"]);
        assert_eq!(replaced("authentification"), ["authentication"]);
        assert_eq!(replaced("crul"), ["curl"]);
    }

    #[test]
    fn other_words_are_left_alone() {
        for word in ["crl", "cram", "uplink", "downloads", "tificate", "instillment"] {
            assert_eq!(replaced(word), [""; 0], "{word}");
        }
    }

    /// Each error leaves the letters of the beginning or those of the ending as they are.
    #[test]
    fn the_ranges_contain_every_word_with_one_error() {
        for word in ["curl", "token", "upload", "certificate"] {
            let right: Vec<char> = word.chars().collect();
            let mut wrong: Vec<Vec<char>> = Vec::new();
            for place in 0..right.len() {
                let mut changed = right.clone();
                changed[place] = 'x';
                let mut missing = right.clone();
                missing.remove(place);
                let mut needless = right.clone();
                needless.insert(place, 'x');
                let mut swapped = right.clone();
                swapped.swap(place, (place + 1).min(right.len() - 1));
                wrong.extend([changed, missing, needless, swapped]);
            }
            let (forward, backward) = (word.to_owned(), reversed(word));
            for typed in wrong
                .into_iter()
                .map(Letters)
                .filter(|typed| typed.0.len() >= MIN_WORD_LETTERS)
            {
                let contains = |range: [String; 2], text: &String| range[0] <= *text && *text < range[1];
                let found = contains(typed.beginning(), &forward)
                    || typed.ending().is_some_and(|range| contains(range, &backward));
                assert!(
                    found && typed.is_within(1, &Letters::of(word)),
                    "{} {word}",
                    typed.text()
                );
            }
        }
    }
}
