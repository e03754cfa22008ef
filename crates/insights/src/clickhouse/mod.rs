//! ClickHouse as the engine: its statements, and the reading of its answers. Nothing here talks to a server.
//!
//! All events are in one table, in weekly partitions. What a query derives from a value is stored beside it: the H3 cells of
//! a point, and the claims by their paths. So both engines have one definition of them.

mod expressions;
mod filter;
mod read;
mod select;
mod statement;
mod table;

pub use read::{Unreadable, read, read_events};
pub use select::select;
pub use statement::Statement;
pub use table::{Row, any_between, create, delete_before, delete_site, delete_visitors, insert, select_events};
