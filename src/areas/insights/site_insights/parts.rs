//! The parts of events that all types have, and what is stored of the others.

use insights::Field;
use openapi::{
    enums::Enumeration,
    models::{
        ContentRef, SiteInsightsAd, SiteInsightsApiOperation, SiteInsightsEvent, SiteInsightsLink,
        SiteInsightsLocation, SiteInsightsSession,
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
        match event {
            Sent::SiteInsightsEventPageView(event) => parts!(event, "page_view", vec![]),
            Sent::SiteInsightsEventSearchOpen(event) => parts!(event, "search_open", vec![]),
            Sent::SiteInsightsEventSearchTypeQuery(event) => {
                parts!(event, "search_type_query", vec![(Field::SearchQuery, event.query)])
            }
            Sent::SiteInsightsEventSearchOpenResult(event) => {
                let rest = json!({ "result": event.result }).to_string();
                let values = vec![(Field::SearchQuery, event.query), (Field::Rest, rest)];
                parts!(event, "search_open_result", values)
            }
            Sent::SiteInsightsEventPagePostFeedback(event) => {
                let rating = event.feedback.rating.as_str().to_owned();
                parts!(event, "page_post_feedback", vec![(Field::PageFeedbackRating, rating)])
            }
            Sent::SiteInsightsEventPagePostFeedbackComment(event) => {
                let rating = event.feedback.rating.as_str().to_owned();
                let values = vec![
                    (Field::PageFeedbackRating, rating),
                    (Field::PageFeedbackComment, event.feedback.comment),
                ];
                parts!(event, "page_post_feedback_comment", values)
            }
            Sent::SiteInsightsEventAskQuestion(event) => {
                parts!(event, "ask_question", vec![(Field::SearchQuery, event.query)])
            }
            Sent::SiteInsightsEventAskView(event) => parts!(event, "ask_view", vec![]),
            Sent::SiteInsightsEventAskRateResponse(event) => {
                let values = vec![
                    (Field::SearchQuery, event.query),
                    (Field::AskRating, event.rating.to_string()),
                    (Field::Rest, json!({ "responseId": event.response_id }).to_string()),
                ];
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
        }
    }
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
