//! Names of columns.

use insights::{Column, Dimension, Field, Metric};

/// Columns of the text of one field.
static FIELDS: [(&str, Field); 34] = [
    ("url", Field::Url),
    ("eventType", Field::Type),
    ("siteSection", Field::SiteSection),
    ("siteSpace", Field::SiteSpace),
    ("siteShareKey", Field::SiteShareKey),
    ("displayContext", Field::DisplayContext),
    ("visitorGeoCountry", Field::Country),
    ("visitorDevice", Field::Device),
    ("visitorBrowser", Field::Browser),
    ("visitorOS", Field::Os),
    ("visitorBot", Field::Bot),
    ("visitorLanguage", Field::Language),
    ("eventLinkTargetKind", Field::LinkKind),
    ("eventLinkTargetDomain", Field::LinkDomain),
    ("eventLinkPosition", Field::LinkPosition),
    ("eventAPIOperationPath", Field::OperationPath),
    ("eventAPIOperationMethod", Field::OperationMethod),
    ("eventSearchQuery", Field::SearchQuery),
    ("eventPageFeedbackRating", Field::PageFeedbackRating),
    ("eventPageFeedbackComment", Field::PageFeedbackComment),
    ("referrer", Field::Referrer),
    ("referrerDomain", Field::ReferrerDomain),
    ("utmSource", Field::UtmSource),
    ("utmMedium", Field::UtmMedium),
    ("utmCampaign", Field::UtmCampaign),
    ("utmTerm", Field::UtmTerm),
    ("utmContent", Field::UtmContent),
    ("eventAdDomain", Field::AdDomain),
    ("eventAdPlacement", Field::AdPlacement),
    ("eventTrademarkPlacement", Field::TrademarkPlacement),
    ("eventLinkTargetValue", Field::LinkTarget),
    ("eventLLMSVariant", Field::LlmsVariant),
    ("eventMarkdownSource", Field::MarkdownSource),
    ("eventSearchResultRecordId", Field::SearchRecord),
];

/// The other columns without further members.
static OTHERS: [(&str, Column); 8] = [
    (
        "eventAskResponseRating",
        Column::Dimension(Dimension::Field(Field::AskRating)),
    ),
    ("page", Column::Dimension(Dimension::Page)),
    ("visitorClaimProperty", Column::Dimension(Dimension::ClaimProperty)),
    ("eventsCount", Column::Metric(Metric::Events)),
    ("sessionsCount", Column::Metric(Metric::Sessions)),
    ("visitorsCount", Column::Metric(Metric::Visitors)),
    ("pageFeedbackRating", Column::Metric(Metric::PageFeedback)),
    ("askResponseRating", Column::Metric(Metric::AskRatings)),
];

/// The column with this name.
pub(super) fn named(name: &str) -> Option<Column> {
    if let Some((_, field)) = FIELDS.iter().find(|(known, _)| *known == name) {
        return Some(Column::Dimension(Dimension::Field(*field)));
    }
    let other = OTHERS.iter().find(|(known, _)| *known == name);
    other.map(|(_, column)| column.clone())
}

/// The name of a column; empty for those that have further members.
pub(super) fn name_of(column: &Column) -> &'static str {
    if let Column::Dimension(Dimension::Field(field)) = column
        && let Some((name, _)) = FIELDS.iter().find(|(_, known)| known == field)
    {
        return name;
    }
    let other = OTHERS.iter().find(|(_, known)| known == column);
    other.map_or("", |(name, _)| name)
}
