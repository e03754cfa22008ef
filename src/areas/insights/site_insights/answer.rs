//! Answers, column by column.

use chrono::DateTime;
use insights::{Column, Dimension, Field, Metric, Value};
use openapi::{
    enums::Enumeration,
    error::ApiError,
    models::{
        ContentRef, SiteInsightsAnswer, SiteInsightsAnswerCounts, SiteInsightsCountsName, SiteInsightsFeedbackCounts,
        SiteInsightsPage, SiteInsightsPoint, SiteInsightsTextsName, SiteInsightsValues, SiteInsightsValuesAnswerCounts,
        SiteInsightsValuesClaims, SiteInsightsValuesCounts, SiteInsightsValuesFeedbackCounts, SiteInsightsValuesLinks,
        SiteInsightsValuesPages, SiteInsightsValuesPoints, SiteInsightsValuesRatings, SiteInsightsValuesTexts,
        SiteInsightsValuesTimes,
    },
    values::{Nullable, Timestamp},
};

use super::columns::name_of;

pub(super) fn view(columns: Vec<Column>, rows: &[Vec<Value>]) -> Result<SiteInsightsAnswer, ApiError> {
    let columns = columns.into_iter().enumerate().map(|(index, column)| {
        let values: Vec<&Value> = rows.iter().filter_map(|row| row.get(index)).collect();
        values_of(column, &values)
    });
    Ok(SiteInsightsAnswer {
        columns: columns.collect::<Result<_, _>>()?,
    })
}

fn values_of(column: Column, values: &[&Value]) -> Result<SiteInsightsValues, ApiError> {
    Ok(match column {
        Column::Dimension(Dimension::Time { .. }) => {
            SiteInsightsValues::SiteInsightsValuesTimes(SiteInsightsValuesTimes {
                column: Default::default(),
                values: read(values, time)?,
            })
        }
        Column::Dimension(Dimension::Page) => SiteInsightsValues::SiteInsightsValuesPages(SiteInsightsValuesPages {
            column: Default::default(),
            values: nullable(values, page)?,
        }),
        Column::Dimension(Dimension::Point { .. }) => {
            SiteInsightsValues::SiteInsightsValuesPoints(SiteInsightsValuesPoints {
                column: Default::default(),
                values: nullable(values, point)?,
            })
        }
        Column::Dimension(Dimension::Claim(claim)) => {
            SiteInsightsValues::SiteInsightsValuesClaims(SiteInsightsValuesClaims {
                column: Default::default(),
                claim,
                values: nullable(values, text)?,
            })
        }
        Column::Dimension(Dimension::Field(Field::LinkTarget)) => {
            SiteInsightsValues::SiteInsightsValuesLinks(SiteInsightsValuesLinks {
                column: Default::default(),
                values: nullable(values, link)?,
            })
        }
        Column::Dimension(Dimension::Field(Field::AskRating)) => {
            SiteInsightsValues::SiteInsightsValuesRatings(SiteInsightsValuesRatings {
                column: Default::default(),
                values: nullable(values, rating)?,
            })
        }
        Column::Dimension(Dimension::Field(_) | Dimension::ClaimProperty) => {
            SiteInsightsValues::SiteInsightsValuesTexts(SiteInsightsValuesTexts {
                column: SiteInsightsTextsName::from_text(name_of(&column)).ok_or_else(unknown)?,
                values: nullable(values, text)?,
            })
        }
        Column::Metric(Metric::Events | Metric::Sessions | Metric::Visitors) => {
            SiteInsightsValues::SiteInsightsValuesCounts(SiteInsightsValuesCounts {
                column: SiteInsightsCountsName::from_text(name_of(&column)).ok_or_else(unknown)?,
                values: read(values, count)?,
            })
        }
        Column::Metric(Metric::PageFeedback) => {
            SiteInsightsValues::SiteInsightsValuesFeedbackCounts(SiteInsightsValuesFeedbackCounts {
                column: Default::default(),
                values: read(values, feedback)?,
            })
        }
        Column::Metric(Metric::AskRatings) => {
            SiteInsightsValues::SiteInsightsValuesAnswerCounts(SiteInsightsValuesAnswerCounts {
                column: Default::default(),
                values: read(values, ratings)?,
            })
        }
    })
}

/// The engine gave a column or a value that the contract does not have.
fn unknown() -> ApiError {
    ApiError::internal("the engine of insights gave an unexpected value")
}

fn read<T>(values: &[&Value], read: fn(&Value) -> Option<T>) -> Result<Vec<T>, ApiError> {
    values.iter().map(|value| read(value).ok_or_else(unknown)).collect()
}

fn nullable<T>(values: &[&Value], read: fn(&Value) -> Option<T>) -> Result<Vec<Nullable<T>>, ApiError> {
    let values = values.iter().map(|value| match value {
        Value::Null => Ok(Nullable(None)),
        value => read(value).map(|value| Nullable(Some(value))).ok_or_else(unknown),
    });
    values.collect()
}

fn time(value: &Value) -> Option<Timestamp> {
    let Value::Time(time) = value else {
        return None;
    };
    DateTime::from_timestamp_millis(*time).map(Timestamp)
}

fn text(value: &Value) -> Option<String> {
    let Value::Text(text) = value else {
        return None;
    };
    Some(text.to_string())
}

fn link(value: &Value) -> Option<ContentRef> {
    let Value::Text(text) = value else {
        return None;
    };
    serde_json::from_str(text).ok()
}

fn rating(value: &Value) -> Option<i64> {
    text(value)?.parse().ok()
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn count(value: &Value) -> Option<i64> {
    let Value::Number(number) = value else {
        return None;
    };
    Some(*number as i64)
}

fn page(value: &Value) -> Option<SiteInsightsPage> {
    let Value::Page { space, page } = value else {
        return None;
    };
    Some(SiteInsightsPage {
        page: Nullable(page.as_deref().map(str::to_owned)),
        space: space.to_string(),
    })
}

fn point(value: &Value) -> Option<SiteInsightsPoint> {
    let Value::Point {
        latitude,
        longitude,
        cell,
    } = value
    else {
        return None;
    };
    Some(SiteInsightsPoint {
        latitude: *latitude,
        longitude: *longitude,
        h3: cell.clone(),
    })
}

fn feedback(value: &Value) -> Option<SiteInsightsFeedbackCounts> {
    let Value::Feedback { ok, good, bad } = *value else {
        return None;
    };
    Some(SiteInsightsFeedbackCounts { ok, good, bad })
}

fn ratings(value: &Value) -> Option<SiteInsightsAnswerCounts> {
    let Value::Ratings { positive, negative } = *value else {
        return None;
    };
    Some(SiteInsightsAnswerCounts { positive, negative })
}
