//! The pages and files of a revision, and reading and changing them.

mod appearance;
mod changes;
mod edit;
mod files;
mod order;
mod page;
mod read;
mod snapshot;
#[cfg(test)]
mod tests;
mod wire;

pub use self::appearance::{Cover, Layout, usual_height};
pub use self::changes::{Change, Changes};
pub use self::files::File;
pub use self::order::{Order, spread};
pub use self::page::{MAX_DEPTH, MAX_SLUG, Page, PageContent, ReusableContent};
pub use self::read::Forest;
pub use self::snapshot::{Pages, Snapshot};
pub use self::wire::{wire_cover, wire_dimensions, wire_layout, wire_variables};
