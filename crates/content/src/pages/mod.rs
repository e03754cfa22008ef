//! The pages and files of a revision, and reading and changing them.

mod appearance;
mod changes;
mod computed;
mod edit;
mod files;
mod order;
mod overlay;
mod page;
mod place;
mod read;
mod settings;
mod snapshot;
#[cfg(test)]
mod tests;
mod variables;
mod walk;
mod wire;

pub use self::appearance::{Cover, Layout, usual_height};
pub use self::changes::{Change, Changes};
pub use self::computed::{ComputedPages, PinnedVersion};
pub use self::files::File;
pub use self::order::{Order, spread};
pub use self::overlay::Overlay;
pub use self::page::{MAX_DEPTH, MAX_SLUG, Page, PageContent, ReusableContent};
pub use self::read::Forest;
pub use self::settings::front_matter;
pub use self::snapshot::{MAX_BYTES, Pages, Snapshot};
pub use self::variables::Variable;
pub use self::wire::{wire_cover, wire_dimensions, wire_layout, wire_tags, wire_variables};
