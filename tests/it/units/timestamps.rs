//! Times as they are stored.

use chrono::{DateTime, Utc};
use entity::timestamp::Timestamp;

#[test]
fn calendar_form_round_trips() {
    let time = Timestamp::from_millis(1_795_000_000_123);
    assert_eq!(time.to_utc().to_rfc3339(), "2026-11-18T11:06:40.123+00:00");
    assert_eq!(Timestamp::from(time.to_utc()), time);
    assert_eq!(Timestamp::from_millis(i64::MAX).to_utc(), DateTime::<Utc>::MAX_UTC);
}
