//! Time zones and the intervals of their local time.

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// Intervals that the answer to one query may have.
pub const MAX_INTERVALS: i64 = 1_000_000;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// A time zone of the IANA database.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone(TimeZone);

impl Zone {
    pub const UTC: Self = Self(TimeZone::UTC);

    /// The zone with this IANA name; `None` if there is none.
    pub fn parse(name: &str) -> Option<Self> {
        let zone = TimeZoneDatabase::bundled().get(name).ok()?;
        (!zone.is_unknown()).then_some(Self(zone))
    }

    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }
}

/// An interval of local time. Weeks begin on Monday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Interval {
    Hour,
    Day,
    Week,
    Month,
}

impl Interval {
    pub(crate) const fn shortest(self) -> i64 {
        match self {
            Self::Hour => HOUR,
            Self::Day => DAY,
            Self::Week => 7 * DAY,
            Self::Month => 28 * DAY,
        }
    }

    /// Start of the interval that contains the local time.
    fn truncate(self, local: i64) -> i64 {
        let day = local.div_euclid(DAY);
        match self {
            Self::Hour => local - local.rem_euclid(HOUR),
            Self::Day => day * DAY,
            // The first day of 1970 was a Thursday.
            Self::Week => (day - (day + 3).rem_euclid(7)) * DAY,
            Self::Month => first_of_month(day) * DAY,
        }
    }

    /// Start of the interval after the one that starts at the local time.
    fn next(self, local: i64) -> i64 {
        match self {
            Self::Hour => local + HOUR,
            Self::Day => local + DAY,
            Self::Week => local + 7 * DAY,
            Self::Month => first_of_month(local.div_euclid(DAY) + 31) * DAY,
        }
    }
}

/// The first day of the month that contains `day`, both as days since 1970 in the Gregorian calendar.
fn first_of_month(day: i64) -> i64 {
    // Years begin in March here, so that the leap day is the last one.
    let shifted = day + 719_468;
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    day - (day_of_year - (153 * month + 2) / 5)
}

/// A time in which the offset of a zone does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetSpan {
    /// First and last + 1 of the milliseconds since 1970, UTC.
    pub start: i64,
    pub end: i64,
    /// Milliseconds that local time is ahead of UTC.
    pub offset: i64,
}

/// The intervals of a zone in a range of times.
///
/// An interval is named by its first moment. Days, weeks and months are those of the calendar. An hour is at most an hour
/// of time at one offset: one that comes twice when clocks go back is two intervals.
#[derive(Debug, Clone)]
pub struct Buckets {
    interval: Interval,
    spans: Vec<OffsetSpan>,
    from: i64,
    to: i64,
}

/// The part of an interval that is at one offset, and the first moment of the interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BucketPart {
    pub bucket: i64,
    pub start: i64,
    pub end: i64,
}

impl BucketPart {
    pub fn contains(&self, time: i64) -> bool {
        self.start <= time && time < self.end
    }
}

impl Buckets {
    pub fn new(zone: &Zone, interval: Interval, from: i64, to: i64) -> Self {
        // A month that contains `from` began at most 31 days earlier.
        Self {
            interval,
            spans: offset_spans(&zone.0, from.saturating_sub(33 * DAY), to),
            from,
            to,
        }
    }

    /// The times of constant offset from 33 days before the range to its end.
    pub fn offset_spans(&self) -> &[OffsetSpan] {
        &self.spans
    }

    /// First moment of the interval that contains the time, which is in the range.
    pub fn start(&self, time: i64) -> i64 {
        self.part(time).bucket
    }

    /// The last interval that does not start after the time: the local time at which it begins, and its first moment. For an
    /// hour, both are the moment.
    pub(crate) fn last_start(&self, time: i64) -> (i64, i64) {
        let part = self.part(time);
        if self.interval == Interval::Hour {
            return (part.bucket, part.bucket);
        }
        let index = self.spans.partition_point(|span| span.end <= time);
        let offset = self.spans.get(index).map_or(0, |span| span.offset);
        let local = self.interval.truncate(time.saturating_add(offset));
        let next = self.interval.next(local);
        match self.first_moment(next) {
            // Clocks that go back at midnight return to a day after the next one has begun.
            Some(start) if start <= time => (next, start),
            _ => (local, part.bucket),
        }
    }

    /// First moments of all intervals that have a part in the range, in ascending order.
    pub fn starts(&self) -> Vec<i64> {
        let mut starts = Vec::new();
        for span in &self.spans {
            let (mut time, end) = (span.start.max(self.from), span.end.min(self.to));
            while time < end {
                let part = self.part(time);
                starts.push(part.bucket);
                time = part.end;
            }
        }
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    pub(crate) fn part(&self, time: i64) -> BucketPart {
        let index = self.spans.partition_point(|span| span.end <= time);
        let utc = OffsetSpan {
            start: i64::MIN,
            end: i64::MAX,
            offset: 0,
        };
        let span = self.spans.get(index).copied().unwrap_or(utc);
        let local = self.interval.truncate(time.saturating_add(span.offset));
        let start = span.start.max(local - span.offset);
        let end = span.end.min(self.interval.next(local) - span.offset);
        let bucket = match self.interval {
            Interval::Hour => start,
            Interval::Day | Interval::Week | Interval::Month => self.first_moment(local).unwrap_or(start),
        };
        BucketPart { bucket, start, end }
    }

    /// The first moment whose local time is not before `local`.
    fn first_moment(&self, local: i64) -> Option<i64> {
        let index = self.spans.partition_point(|span| span.end <= local - 2 * DAY);
        let moments = self
            .spans
            .iter()
            .skip(index)
            .map(|span| (span.start.max(local - span.offset), span.end));
        moments
            .filter(|(moment, end)| moment < end)
            .map(|(moment, _)| moment)
            .next()
    }
}

fn offset_spans(zone: &TimeZone, from: i64, to: i64) -> Vec<OffsetSpan> {
    let first = Timestamp::from_millisecond(from).unwrap_or(Timestamp::MIN);
    let offset_at = |timestamp| i64::from(zone.to_offset(timestamp).seconds()) * 1000;
    let mut open = OffsetSpan {
        start: i64::MIN,
        end: i64::MAX,
        offset: offset_at(first),
    };
    let mut spans = Vec::new();
    for transition in zone.following(first) {
        let start = transition.timestamp().as_millisecond();
        if start >= to {
            break;
        }
        let offset = i64::from(transition.offset().seconds()) * 1000;
        // Some transitions change the name only.
        if offset != open.offset {
            spans.push(OffsetSpan { end: start, ..open });
            open = OffsetSpan {
                start,
                end: i64::MAX,
                offset,
            };
        }
    }
    spans.push(open);
    spans
}
