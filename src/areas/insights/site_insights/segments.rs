//! Segments of visitors: those with the same claims.

use chrono::TimeDelta;
use entity::ids::SiteId;
use insights::{Column, Dimension, Field, Metric, Order, Query, Value, Zone};
use openapi::{
    error::ApiError,
    models::{SiteInsightsVisitorSegment, SiteInsightsVisitorSegmentList},
};
use serde_json::Map;

use crate::areas::insights::Insights;

/// The time that counts.
const RANGE: TimeDelta = TimeDelta::days(30);

const MAX_SEGMENTS: usize = 1000;

pub(super) async fn list(insights: &Insights, site: SiteId) -> Result<SiteInsightsVisitorSegmentList, ApiError> {
    let now = insights.kernel.clock.now();
    let claims = Dimension::Field(Field::Claims);
    let query = Query {
        from: now.plus(-RANGE).as_millis(),
        to: now.as_millis().saturating_add(1),
        zone: Zone::UTC,
        select: vec![
            Column::Dimension(claims.clone()),
            Column::Metric(Metric::Events),
            Column::Metric(Metric::Visitors),
            Column::Metric(Metric::Sessions),
        ],
        filters: Vec::new(),
        group_by: vec![claims],
        order: Some(Order {
            by: Column::Metric(Metric::Events),
            is_descending: true,
        }),
        limit: MAX_SEGMENTS,
    };
    let rows = insights.engine.aggregate(site, query).await?;
    let items: Vec<SiteInsightsVisitorSegment> = rows.iter().map(Vec::as_slice).map(view).collect();
    Ok(SiteInsightsVisitorSegmentList {
        count: i64::try_from(items.len()).unwrap_or(i64::MAX),
        items,
    })
}

fn view(row: &[Value]) -> SiteInsightsVisitorSegment {
    let claims: Map<String, serde_json::Value> = match row.first() {
        Some(Value::Text(claims)) => serde_json::from_str(claims).unwrap_or_default(),
        _ => Map::new(),
    };
    SiteInsightsVisitorSegment {
        title: title(&claims),
        events: number(row.get(1)),
        visitors: number(row.get(2)),
        sessions: number(row.get(3)),
        claims: claims.into_iter().collect(),
    }
}

fn title(claims: &Map<String, serde_json::Value>) -> String {
    if claims.is_empty() {
        return "Visitors without claims".to_owned();
    }
    let parts = claims.iter().map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name}: {text}"),
        None => format!("{name}: {value}"),
    });
    parts.collect::<Vec<_>>().join(", ")
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn number(value: Option<&Value>) -> i64 {
    match value {
        Some(Value::Number(number)) => *number as i64,
        _ => 0,
    }
}
