//! The node tree, shared by parsing and rendering: node types, unions, marks, keys, anchors and digests.

pub mod anchors;
pub mod builders;
pub mod digest;
pub mod emoji;
pub mod enum_names;
pub mod keys;
pub mod marks;
pub mod node;
mod node_types;
pub mod plain_text;
mod references;
pub mod table_cells;
pub mod table_layout;
pub mod transliteration;
pub mod unions;
