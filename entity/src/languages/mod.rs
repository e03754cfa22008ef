//! Translations and their glossary.

pub mod glossary_entries;
pub mod translations;
