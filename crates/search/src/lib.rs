//! Full-text search, the same on both databases.
//!
//! A page is indexed as a set of terms. A term is the number of the space, a letter for the field of the page and its
//! weight, and the stem of a normalized word: `12.acooki` is "cookie" or "cookies" in a short title of space 12. The
//! databases only look up the pages that have a term, or a term with a prefix: FTS5 on SQLite, a GIN index on PostgreSQL.
//! Each term belongs to one space, so the cost of a search depends on the searched spaces only, and the rarity of a word is
//! measured within them. A lookup returns a limited number of pages: words of more pages say little about any of them.
//!
//! Words that no page has are compared with the words of the space: they may be unfinished or misspelled, see [`words`].
//!
//! Tokenizing, matching and ranking are in Rust, so that both databases return the same results: see [`tokenizer`],
//! [`stemmer`], [`terms`], [`parse`], [`matcher`] and [`ranking`].

pub mod index;
mod matcher;
mod order;
mod parse;
mod postings;
pub mod query;
mod ranking;
mod sections;
mod snippet;
mod stemmer;
mod terms;
mod words;

use text_analysis::{normalize, tokenizer};

pub use self::order::scattered;
