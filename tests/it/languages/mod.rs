//! Translations of spaces, and the words that they use.

mod engines;
mod glossary;
mod meta_links;
mod translation_failures;
mod translation_kills;
mod translation_queue;
mod translation_runs;
mod translations;
