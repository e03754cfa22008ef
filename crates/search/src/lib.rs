//! Full-text search, the same on both databases.
//!
//! A page is indexed as a set of terms. A term is the number of the space, a letter for the field of the page and its
//! weight, and the normalized token: `12.acookies` is the word "cookies" in a short title of space 12. The databases only
//! look up the pages that have a term, or a term with a prefix: FTS5 on SQLite, a GIN index on PostgreSQL. Each term
//! belongs to one space, so the cost of a search depends on the searched spaces only, and the rarity of a word is measured
//! within them.
//!
//! Tokenizing, matching and ranking are in Rust, so that both databases return the same results: see [`tokenizer`],
//! [`terms`], [`parse`] and [`ranking`].

pub mod index;
mod normalize;
mod parse;
mod postings;
pub mod query;
mod ranking;
mod sections;
mod snippet;
mod terms;
mod tokenizer;
