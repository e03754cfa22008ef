//! Counts as the database returns and stores them.

/// A count of the database as the number that answers carry. Counts are never negative: check constraints keep stored ones
/// from it.
pub fn count(stored: impl Into<i64>) -> u64 {
    u64::try_from(stored.into()).unwrap_or_default()
}
