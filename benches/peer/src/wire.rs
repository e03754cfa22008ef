//! How ids and times look.

use chrono::{DateTime, SecondsFormat};
use data_encoding::BASE32HEX_NOPAD;
use uuid::Uuid;

pub fn id(id: Uuid) -> String {
    let mut text = BASE32HEX_NOPAD.encode(id.as_bytes());
    text.make_ascii_lowercase();
    text
}

pub fn parse_id(text: &str) -> Option<Uuid> {
    let bytes = BASE32HEX_NOPAD.decode(text.to_ascii_uppercase().as_bytes()).ok()?;
    Uuid::from_slice(&bytes).ok()
}

pub fn time(millis: i64) -> String {
    let time = DateTime::from_timestamp_millis(millis).unwrap_or_default();
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
