//! Writing content: from the changes that a request asks for to a new state.

mod answer;
mod apply;
mod fields;
mod links;
mod prepare;
pub mod publish;
mod reverting;
mod slugs;
mod steps;
mod structure;
pub mod uploads;
mod writer;

pub use self::answer::{Touch, Touched, wire_files, wire_touched};
pub use self::apply::{Applied, apply};
pub use self::fields::{Fields, write_front_matter};
pub use self::links::{cover, has_scheme, joined};
pub use self::prepare::{Prepared, broken_rules, of_markdown, prepare};
pub use self::slugs::slug_of;
pub use self::steps::Text;
pub use self::writer::Base;
