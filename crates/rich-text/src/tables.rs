//! Tables as readers see them: their columns, their records in order, and their cells.

pub use crate::nodes::{
    table_cells::title,
    table_layout::{FragmentIndexes, sorted_records, text_fragment_name, value},
};
