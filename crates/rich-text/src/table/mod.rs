//! Tables: records under definitions, with the texts of cells beside them.

pub mod cells;
pub mod make;
pub mod order;
