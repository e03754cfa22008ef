//! Expressions of dimensions and names of metrics.

use super::statement::Parameters;
use super::table::column;
use crate::query::{Dimension, Metric, Query};
use crate::zone::{Buckets, Interval, OffsetSpan};

const DAY: i64 = 24 * 3_600_000;

/// The expression of a dimension with one value per event.
pub(super) fn scalar(dimension: &Dimension, parameters: &mut Parameters) -> String {
    match dimension {
        Dimension::Field(field) => column(*field).to_owned(),
        // Arrays begin at 1; 0 stands for the absence of a cell.
        Dimension::Point { precision } => format!("cells[{}]", precision + 1),
        Dimension::Claim(path) => {
            let path = parameters.text(path);
            format!("if(mapContains(claims_by_path, {path}), claims_by_path[{path}], NULL)")
        }
        Dimension::Time { .. } | Dimension::Page | Dimension::ClaimProperty => "time".to_owned(),
    }
}

/// The start of the interval of an event's time: for an hour the moment, otherwise the local time.
pub(super) fn interval_key(interval: Interval, query: &Query, parameters: &mut Parameters) -> String {
    let buckets = Buckets::new(&query.zone, interval, query.from, query.to);
    let (start, offset) = match buckets.offset_spans() {
        [OffsetSpan { offset, .. }] => (None, offset.to_string()),
        spans => {
            let starts = parameters.signed_list(spans.iter().map(|span| span.start));
            let offsets = parameters.signed_list(spans.iter().map(|span| span.offset));
            let start = format!("roundDown(time, {starts})");
            let offset = format!("transform({start}, {starts}, {offsets}, toInt64(0))");
            (Some(start), offset)
        }
    };
    let local = format!("(time + {offset})");
    let truncated = |unit: i64| format!("({local} - positiveModulo({local}, {unit}))");
    let hour = format!("({} - {offset})", truncated(DAY / 24));
    match (interval, start) {
        // An hour does not go on at another offset.
        (Interval::Hour, Some(start)) => format!("greatest({start}, {hour})"),
        (Interval::Hour, None) => hour,
        (Interval::Day, _) => truncated(DAY),
        // The first day of 1970 was a Thursday.
        (Interval::Week, _) => format!("({local} - positiveModulo({local} + {}, {}))", 3 * DAY, 7 * DAY),
        (Interval::Month, _) => {
            let day = truncated(DAY);
            format!("({day} - (toDayOfMonth(toDate32(toInt32(intDiv({day}, {DAY})))) - 1) * {DAY})")
        }
    }
}

/// The names of the columns of a metric.
pub(super) const fn metric_names(metric: Metric) -> &'static [&'static str] {
    match metric {
        Metric::Events => &["events"],
        Metric::Sessions => &["sessions"],
        Metric::Visitors => &["visitors"],
        Metric::PageFeedback => &["feedback_ok", "feedback_good", "feedback_bad"],
        Metric::AskRatings => &["ratings_positive", "ratings_negative"],
    }
}
