//! Queries of requests.

use chrono::{DateTime, Days, Months, Utc};
use entity::timestamp::Timestamp;
use insights::{Column, Dimension, Field, Filter, Interval, Operator, Order, Place, Query, Refusal, Value, Zone};
use openapi::{
    enums::Enumeration,
    error::{ApiError, ErrorRule},
    models::{
        ContentRef, QuerySiteInsights, SiteInsightsColumn, SiteInsightsFilter, SiteInsightsInterval,
        SiteInsightsOperator, SiteInsightsOrderDirection, SiteInsightsPage, SiteInsightsPoint, SiteInsightsRange,
        SiteInsightsRangePreset,
    },
    values::Nullable,
};
use serde_json::json;

use super::columns::named;

/// The resolution of points that do not say theirs.
const PRECISION: u8 = 4;

/// The query as the engine takes it.
pub(super) fn read(body: QuerySiteInsights, now: Timestamp) -> Result<Query, ApiError> {
    let QuerySiteInsights {
        select,
        r#where,
        group_by,
        order,
        range,
        limit,
        timezone,
    } = body;
    let zone = Zone::parse(&timezone);
    let zone = zone.ok_or_else(|| {
        let message = "The name is not one of the IANA time zone database, such as `Europe/Lisbon`.";
        ApiError::invalid_member("/body/timezone", ErrorRule::TimeZone, message)
    })?;
    let (from, to) = range_of(range, now);
    let mut groups = Vec::new();
    for (index, sent) in group_by.unwrap_or_default().into_iter().enumerate() {
        let Column::Dimension(dimension) = column(sent)? else {
            let message = "A number cannot be a group.";
            return Err(refusal(Place::GroupBy(index), ErrorRule::Column, message));
        };
        groups.push(dimension);
    }
    let query = Query {
        from,
        to,
        zone,
        select: columns(select)?,
        filters: r#where
            .unwrap_or_default()
            .into_iter()
            .map(filter)
            .collect::<Result<_, _>>()?,
        group_by: groups,
        order: match order {
            None => None,
            Some(order) => Some(Order {
                by: column(order.by)?,
                is_descending: order.direction == SiteInsightsOrderDirection::Desc,
            }),
        },
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    };
    match query.check() {
        Ok(()) => Ok(query),
        Err((place, refused)) => Err(refusal(place, rule_of(refused), message_of(refused))),
    }
}

fn columns(sent: Option<Vec<SiteInsightsColumn>>) -> Result<Vec<Column>, ApiError> {
    sent.unwrap_or_default().into_iter().map(column).collect()
}

fn column(sent: SiteInsightsColumn) -> Result<Column, ApiError> {
    Ok(match sent {
        SiteInsightsColumn::SiteInsightsPlainColumn(column) => known(column.column.as_str())?,
        SiteInsightsColumn::SiteInsightsTimeColumn(column) => Column::Dimension(Dimension::Time {
            interval: column.interval.map(interval),
        }),
        SiteInsightsColumn::SiteInsightsPointColumn(column) => Column::Dimension(Dimension::Point {
            precision: u8::try_from(column.precision).unwrap_or(PRECISION),
        }),
        SiteInsightsColumn::SiteInsightsClaimColumn(column) => Column::Dimension(Dimension::Claim(column.claim)),
    })
}

/// The contract has no other names.
fn known(name: &str) -> Result<Column, ApiError> {
    named(name).ok_or_else(|| ApiError::internal(format!("no column is named {name}")))
}

fn interval(sent: SiteInsightsInterval) -> Interval {
    match sent {
        SiteInsightsInterval::Hour => Interval::Hour,
        SiteInsightsInterval::Day => Interval::Day,
        SiteInsightsInterval::Week => Interval::Week,
        SiteInsightsInterval::Month => Interval::Month,
    }
}

/// The range in milliseconds. What happens now is within the ranges until now.
fn range_of(range: SiteInsightsRange, now: Timestamp) -> (i64, i64) {
    let preset = match range {
        SiteInsightsRange::Object(range) => return (range.from.0.timestamp_millis(), range.to.0.timestamp_millis()),
        SiteInsightsRange::String(preset) => preset,
    };
    let end = now.to_utc();
    let from: Option<DateTime<Utc>> = match preset {
        SiteInsightsRangePreset::LastYear => end.checked_sub_months(Months::new(12)),
        SiteInsightsRangePreset::Last3Months => end.checked_sub_months(Months::new(3)),
        SiteInsightsRangePreset::Last30Days => end.checked_sub_days(Days::new(30)),
        SiteInsightsRangePreset::Last7Days => end.checked_sub_days(Days::new(7)),
        SiteInsightsRangePreset::Last24Hours => end.checked_sub_days(Days::new(1)),
    };
    (from.unwrap_or(end).timestamp_millis(), end.timestamp_millis() + 1)
}

fn filter(sent: SiteInsightsFilter) -> Result<Filter, ApiError> {
    let text = |text: String| Value::Text(text.into());
    let (column, operator, values) = match sent {
        SiteInsightsFilter::SiteInsightsFilterTimes(filter) => {
            let values = filter.values.iter().map(|time| Value::Time(time.0.timestamp_millis()));
            let column = Column::Dimension(Dimension::Time { interval: None });
            (column, filter.operator, values.collect())
        }
        SiteInsightsFilter::SiteInsightsFilterCounts(filter) => {
            // Exact up to the maximum of the contract.
            let values = filter.values.iter().map(|number| Value::Number(*number as f64));
            (known(filter.column.as_str())?, filter.operator, values.collect())
        }
        SiteInsightsFilter::SiteInsightsFilterTexts(filter) => {
            let column = known(filter.column.as_str())?;
            (column, filter.operator, nullable(filter.values, text))
        }
        SiteInsightsFilter::SiteInsightsFilterClaims(filter) => {
            let column = Column::Dimension(Dimension::Claim(filter.claim));
            (column, filter.operator, nullable(filter.values, text))
        }
        SiteInsightsFilter::SiteInsightsFilterPages(filter) => {
            let column = Column::Dimension(Dimension::Page);
            (column, filter.operator, nullable(filter.values, page))
        }
        SiteInsightsFilter::SiteInsightsFilterPoints(filter) => {
            let column = Column::Dimension(Dimension::Point { precision: PRECISION });
            (column, filter.operator, nullable(filter.values, point))
        }
        SiteInsightsFilter::SiteInsightsFilterLinks(filter) => {
            let column = Column::Dimension(Dimension::Field(Field::LinkTarget));
            let target = |target: ContentRef| Value::Text(json!(target).to_string().into());
            (column, filter.operator, nullable(filter.values, target))
        }
        SiteInsightsFilter::SiteInsightsFilterRatings(filter) => {
            let column = Column::Dimension(Dimension::Field(Field::AskRating));
            let rating = |rating: i64| Value::Text(rating.to_string().into());
            (column, filter.operator, nullable(filter.values, rating))
        }
        SiteInsightsFilter::SiteInsightsFilterFeedbackCounts(filter) => {
            let values = filter.values.iter().map(|counts| Value::Feedback {
                ok: counts.ok,
                good: counts.good,
                bad: counts.bad,
            });
            (known("pageFeedbackRating")?, filter.operator, values.collect())
        }
        SiteInsightsFilter::SiteInsightsFilterAnswerCounts(filter) => {
            let values = filter.values.iter().map(|counts| Value::Ratings {
                positive: counts.positive,
                negative: counts.negative,
            });
            (known("askResponseRating")?, filter.operator, values.collect())
        }
    };
    Ok(Filter {
        column,
        operator: operator_of(operator),
        values,
    })
}

fn nullable<T>(values: Vec<Nullable<T>>, value: impl Fn(T) -> Value) -> Vec<Value> {
    let values = values.into_iter().map(|sent| sent.0.map_or(Value::Null, &value));
    values.collect()
}

fn page(SiteInsightsPage { page, space }: SiteInsightsPage) -> Value {
    Value::Page {
        space: space.into(),
        page: page.0.map(Into::into),
    }
}

fn point(
    SiteInsightsPoint {
        latitude,
        longitude,
        h3,
    }: SiteInsightsPoint,
) -> Value {
    Value::Point {
        latitude,
        longitude,
        cell: h3,
    }
}

fn operator_of(sent: SiteInsightsOperator) -> Operator {
    match sent {
        SiteInsightsOperator::In => Operator::In,
        SiteInsightsOperator::NotIn => Operator::NotIn,
        SiteInsightsOperator::GreaterThan => Operator::GreaterThan,
        SiteInsightsOperator::GreaterThanOrEqual => Operator::GreaterThanOrEqual,
        SiteInsightsOperator::LessThan => Operator::LessThan,
        SiteInsightsOperator::LessThanOrEqual => Operator::LessThanOrEqual,
    }
}

fn refusal(place: Place, rule: ErrorRule, message: &'static str) -> ApiError {
    let pointer = match place {
        Place::Range => "/body/range".to_owned(),
        Place::Select(index) => format!("/body/select/{index}"),
        Place::Where(index) if rule == ErrorRule::ColumnValues => format!("/body/where/{index}/values"),
        Place::Where(index) => format!("/body/where/{index}"),
        Place::GroupBy(index) => format!("/body/groupBy/{index}"),
        Place::Order => "/body/order/by".to_owned(),
    };
    ApiError::invalid_member(pointer, rule, message)
}

fn rule_of(refused: Refusal) -> ErrorRule {
    match refused {
        Refusal::Range | Refusal::TooManyIntervals => ErrorRule::TimeRange,
        Refusal::NotGrouped | Refusal::NotOrdered | Refusal::NotComparable | Refusal::Precision => ErrorRule::Column,
        Refusal::OneValue | Refusal::NullValue | Refusal::ValueType(_) | Refusal::Cell(_) => ErrorRule::ColumnValues,
    }
}

fn message_of(refused: Refusal) -> &'static str {
    match refused {
        Refusal::Range => "`from` is after `to`, or a time is outside of the years 1 to 9999.",
        Refusal::TooManyIntervals => "The range has more than a million intervals. Ask for a longer interval.",
        Refusal::NotGrouped => "With `groupBy`, only its columns and numbers can be selected or ordered by.",
        Refusal::NotOrdered => "These numbers have no order.",
        Refusal::NotComparable => "This column takes only the operators `in` and `notIn`.",
        Refusal::OneValue => "This operator takes exactly one value.",
        Refusal::NullValue => "This operator does not take `null`.",
        Refusal::ValueType(_) => "The values are not of the type of the column.",
        Refusal::Cell(_) => "`h3` is not a cell of H3.",
        Refusal::Precision => "H3 has the resolutions 0 to 15.",
    }
}
