//! Points in time as they are stored.

use chrono::{DateTime, Utc};
use sea_orm::DeriveValueType;
use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch, UTC.
///
/// An integer in both databases: it decodes without parsing, compares exactly, and a value read back equals the value
/// written, which keyset paging relies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, DeriveValueType)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The calendar form. Values outside the calendar's range, which no clock produces, become its last instant.
    pub fn to_utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Returns whether less than `duration` has passed until `now`. Nothing that lies ahead is recent: a clock may be set back.
    pub fn is_recent(self, now: Self, duration: chrono::TimeDelta) -> bool {
        self <= now && now < self.plus(duration)
    }

    /// This point in time moved by `duration`, held at the ends of the range.
    #[must_use]
    pub fn plus(self, duration: chrono::TimeDelta) -> Self {
        Self(self.0.saturating_add(duration.num_milliseconds()))
    }
}

impl From<DateTime<Utc>> for Timestamp {
    /// Parts below a millisecond are cut off.
    fn from(time: DateTime<Utc>) -> Self {
        Self(time.timestamp_millis())
    }
}
