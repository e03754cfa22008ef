//! Events of visitors in columns, and what is asked of them.
//!
//! [`encode`] makes a segment of events, [`Evaluation`] answers a [`Query`] from segments. Nothing here knows a database:
//! callers store the columns of a segment and give back those that [`Query::columns`] or [`Query::rollup_of`] names.

pub mod clickhouse;
mod evaluation;
mod event;
mod query;
mod segment;
#[cfg(feature = "testing")]
pub mod testing;
mod zone;

pub use evaluation::{AddError, Evaluation, MAX_GROUPS};
pub use event::{Event, Field};
pub use query::{Column, Dimension, Filter, Metric, Operator, Order, Place, Query, Refusal, Value};
pub use segment::{
    Columns, Damaged, Encoded, EventKey, SESSION, TIME, VISITOR, decode, encode, events_at, has_visitors, keys, merge,
    remove_visitors, times,
};
pub use zone::{Buckets, Interval, MAX_INTERVALS, OffsetSpan, Zone};
