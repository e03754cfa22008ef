//! The parts of events that all types have, and what is stored of the others.

use insights::Field;
use openapi::{
    enums::Enumeration,
    models::{
        ContentRef, SiteInsightsAd, SiteInsightsApiOperation, SiteInsightsEvent, SiteInsightsFeedbackRating,
        SiteInsightsLink, SiteInsightsLocation, SiteInsightsSearchResult, SiteInsightsSession,
    },
    values::Timestamp,
};
use serde_json::json;

/// An event of a request.
pub struct Parts {
    pub kind: &'static str,
    pub session: SiteInsightsSession,
    pub location: SiteInsightsLocation,
    pub timestamp: Option<Timestamp>,
    /// What only this type of event has.
    pub values: Vec<(Field, String)>,
}

macro_rules! parts {
    ($event:ident, $kind:literal, $values:expr) => {
        Parts {
            kind: $kind,
            values: $values,
            session: $event.session,
            location: $event.location,
            timestamp: $event.timestamp,
        }
    };
}

impl From<SiteInsightsEvent> for Parts {
    fn from(event: SiteInsightsEvent) -> Self {
        use SiteInsightsEvent as Sent;
        let words = |query: String| vec![(Field::SearchQuery, query)];
        match event {
            Sent::SiteInsightsEventPageView(event) => parts!(event, "page_view", vec![]),
            Sent::SiteInsightsEventSearchOpen(event) => parts!(event, "search_open", vec![]),
            Sent::SiteInsightsEventSearchTypeQuery(event) => parts!(event, "search_type_query", words(event.query)),
            Sent::SiteInsightsEventSearchOpenResult(event) => {
                parts!(event, "search_open_result", opened(event.query, event.result))
            }
            Sent::SiteInsightsEventPagePostFeedback(event) => {
                parts!(event, "page_post_feedback", vec![rating(event.feedback.rating)])
            }
            Sent::SiteInsightsEventPagePostFeedbackComment(event) => {
                let comment = (Field::PageFeedbackComment, event.feedback.comment);
                let values = vec![rating(event.feedback.rating), comment];
                parts!(event, "page_post_feedback_comment", values)
            }
            Sent::SiteInsightsEventAskQuestion(event) => {
                parts!(event, "ask_question", question(event.query, event.goal))
            }
            Sent::SiteInsightsEventAskView(event) => parts!(event, "ask_view", vec![]),
            Sent::SiteInsightsEventAskRateResponse(event) => {
                let rest = json!({ "responseId": event.response_id }).to_string();
                let rated = [(Field::AskRating, event.rating.to_string()), (Field::Rest, rest)];
                let values = words(event.query).into_iter().chain(rated).collect();
                parts!(event, "ask_rate_response", values)
            }
            Sent::SiteInsightsEventLinkClick(event) => parts!(event, "link_click", link(event.link)),
            Sent::SiteInsightsEventApiClientOpen(event) => {
                parts!(event, "api_client_open", operation(event.operation))
            }
            Sent::SiteInsightsEventApiClientRequest(event) => {
                parts!(event, "api_client_request", operation(event.operation))
            }
            Sent::SiteInsightsEventTrademarkClick(event) => {
                let placement = event.placement.as_str().to_owned();
                parts!(event, "trademark_click", vec![(Field::TrademarkPlacement, placement)])
            }
            Sent::SiteInsightsEventAdClick(event) => parts!(event, "ad_click", ad(event.ad)),
            Sent::SiteInsightsEventAdDisplay(event) => parts!(event, "ad_display", ad(event.ad)),
            Sent::SiteInsightsEventLlmsRequest(event) => {
                let variant = event.llms_variant.as_str().to_owned();
                parts!(event, "llms_request", vec![(Field::LlmsVariant, variant)])
            }
            Sent::SiteInsightsEventMcpRequest(event) => parts!(event, "mcp_request", vec![]),
            Sent::SiteInsightsEventRssRequest(event) => parts!(event, "rss_request", vec![]),
            Sent::SiteInsightsEventPageMarkdownRequest(event) => {
                let source = event.markdown_source.map(|source| source.as_str().to_owned());
                let values = source.map(|source| (Field::MarkdownSource, source)).into_iter();
                parts!(event, "page_markdown_request", values.collect())
            }
            Sent::SiteInsightsEventAgentFeedback(event) => parts!(event, "agent_feedback", vec![]),
        }
    }
}

fn rating(rating: SiteInsightsFeedbackRating) -> (Field, String) {
    (Field::PageFeedbackRating, rating.as_str().to_owned())
}

fn opened(query: String, result: SiteInsightsSearchResult) -> Vec<(Field, String)> {
    let result = match result {
        SiteInsightsSearchResult::SiteInsightsPageResult(page) => (Field::Rest, json!({ "result": page }).to_string()),
        SiteInsightsSearchResult::SiteInsightsRecordResult(record) => (Field::SearchRecord, record.record_id),
    };
    vec![(Field::SearchQuery, query), result]
}

fn question(query: String, goal: Option<String>) -> Vec<(Field, String)> {
    let goal = goal.map(|goal| (Field::Rest, json!({ "goal": goal }).to_string()));
    [(Field::SearchQuery, query)].into_iter().chain(goal).collect()
}

fn link(SiteInsightsLink { target, position }: SiteInsightsLink) -> Vec<(Field, String)> {
    let json = json!(target);
    let mut values = vec![
        (Field::LinkTarget, json.to_string()),
        (Field::LinkPosition, position.as_str().to_owned()),
    ];
    if let Some(kind) = json.get("kind").and_then(|kind| kind.as_str()) {
        values.push((Field::LinkKind, kind.to_owned()));
    }
    if let ContentRef::ContentRefUrl(target) = target
        && let Some(domain) = visitors::domain(&target.url)
    {
        values.push((Field::LinkDomain, domain));
    }
    values
}

fn operation(SiteInsightsApiOperation { path, method }: SiteInsightsApiOperation) -> Vec<(Field, String)> {
    vec![(Field::OperationPath, path), (Field::OperationMethod, method)]
}

fn ad(ad: SiteInsightsAd) -> Vec<(Field, String)> {
    vec![
        (Field::Rest, json!({ "zoneId": ad.zone_id }).to_string()),
        (Field::AdDomain, ad.domain),
        (Field::AdPlacement, ad.placement.as_str().to_owned()),
    ]
}
