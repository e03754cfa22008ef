//! Translations of spaces, and the words that they use.

pub mod glossary;
pub mod translations;
