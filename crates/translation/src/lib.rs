//! Translation of rich text.
//!
//! A text is translated segment by segment: the inline content of a block, a caption, a title. A segment is text with tags
//! for what has to stay as it is, such as links, marks, code and expressions ([`tagged`]). [`document`] finds the segments
//! of a document, and puts translations in their places. [`engine`] has the protocols of translation services, and
//! [`translate`] checks their answers: an answer that loses a tag is asked for once more, and then left out. What was paid for
//! before a failure is kept.

pub mod document;
pub mod engine;
pub mod glossary;
pub mod memory_key;
pub mod segment;
mod tagged;
pub mod translate;

pub use document::{SpaceMove, TranslatedDocument, segments_of, translate_document};
pub use glossary::{Glossary, Term};
pub use memory_key::{MemoryKey, memory_key};
pub use segment::Segment;

#[cfg(test)]
mod tests;
