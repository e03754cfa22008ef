//! Writing content: parsing the changes of a request, applying them, and publishing the new revision.

mod anchors;
mod apply;
mod fields;
mod links;
mod parse;
mod parsed;
mod placement;
mod revert;
pub mod uploads;
mod view;
pub mod write;
mod writer;

pub use self::apply::{AppliedChanges, apply};
pub use self::fields::{PageFields, apply_front_matter};
pub use self::links::cover;
pub use self::parse::{ParsedChanges, copied_text, invalid_members, parse_changes, parse_text};
pub use self::parsed::PageText;
pub use self::view::{AffectedPage, PageEffect, affected_pages, inserted_files};
pub use self::writer::EditBase;
