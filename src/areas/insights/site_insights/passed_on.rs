//! The events that integrations on the site get.

use entity::{
    ids::{NodeId, PageId, SiteSpaceId},
    publishing::sites,
};
use insights::Field;
use openapi::{enums::Enumeration, error::ApiError, models::SiteInsightsFeedbackRating, values::Inner};

use super::{derive::Received, parts::Parts};
use crate::areas::{
    integrations::visitor_events::{Visitor, VisitorAction, VisitorEvent},
    publishing::layout::Drafts,
};

/// The views and the feedback among the events. Of what they name, only what is on the site is passed on.
pub(super) async fn events(
    received: &Received<'_>,
    site: &sites::Model,
    parts: &[Parts],
) -> Result<Vec<VisitorEvent>, ApiError> {
    let actions: Vec<(&Parts, VisitorAction)> = parts.iter().filter_map(|part| Some((part, action(part)?))).collect();
    if actions.is_empty() {
        return Ok(Vec::new());
    }
    let layout = received.insights.visits.layout(site, Drafts::With).await?;
    let event = |(part, action): (&Parts, VisitorAction)| {
        let (location, session) = (&part.location, &part.session);
        let site_space: Option<SiteSpaceId> = location.site_space.inner().and_then(|id| id.parse().ok());
        let space: Option<NodeId> = location.space.inner().and_then(|id| id.parse().ok());
        let space = space.filter(|space| layout.site_spaces.iter().any(|item| item.space_id == *space));
        let page: Option<PageId> = location.page.inner().and_then(|id| id.parse().ok());
        let address = received.address_of(session);
        VisitorEvent {
            action,
            space,
            site_space: site_space.filter(|id| layout.site_spaces.iter().any(|item| item.id == *id)),
            page: page.filter(|_| space.is_some()),
            url: location.url.0.clone().unwrap_or_default(),
            referrer: session.referrer.0.clone().unwrap_or_default(),
            visitor: Visitor {
                anonymous_id: session.visitor_id.clone(),
                cookies: session.cookies.clone(),
                user_agent: session.user_agent.clone(),
                ip: address.map(|address| address.to_string()).unwrap_or_default(),
                language: session.language.0.clone(),
            },
        }
    };
    Ok(actions.into_iter().map(event).collect())
}

fn action(part: &Parts) -> Option<VisitorAction> {
    let value = |wanted: Field| part.values.iter().find(|(field, _)| *field == wanted);
    let feedback = |comment: Option<String>| {
        let (_, rating) = value(Field::PageFeedbackRating)?;
        let rating = SiteInsightsFeedbackRating::from_text(rating)?.as_str().to_owned();
        Some(VisitorAction::PageFeedback { rating, comment })
    };
    match part.kind {
        "page_view" => Some(VisitorAction::SiteView),
        "page_post_feedback" => feedback(None),
        "page_post_feedback_comment" => feedback(value(Field::PageFeedbackComment).map(|(_, comment)| comment.clone())),
        _ => None,
    }
}
