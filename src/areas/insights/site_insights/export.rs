//! Stored events as they are.

use chrono::DateTime;
use entity::{ids::SiteId, publishing::sites, timestamp::Timestamp};
use insights::{Column, Event, Field, Metric, Query, Value, Zone};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{SiteInsightsStoredEvent, SiteInsightsStoredEventList},
    operations::site_insights::ListSiteInsightsEventsQuery,
    values,
};
use platform::db::{Page, rows};
use sea_orm::{DbErr, EntityTrait};
use serde::de::DeserializeOwned;

use crate::{
    areas::insights::{
        Insights,
        engine::{EngineError, ExportRange},
    },
    kernel::{Kernel, lists::List},
};

/// The end of the year 9999.
pub const END: i64 = 253_402_300_799_999;

pub(super) async fn list(
    insights: &Insights,
    site: SiteId,
    query: ListSiteInsightsEventsQuery,
) -> Result<SiteInsightsStoredEventList, ApiError> {
    let ListSiteInsightsEventsQuery { page, limit, from, to } = query;
    let list = List::new(&insights.kernel, ("insight-events", site, from, to), page, limit);
    let time = |sent: Option<values::Timestamp>, default: i64| {
        let millis = sent.map_or(default, |time| time.0.timestamp_millis());
        Timestamp::from_millis(millis.clamp(0, END))
    };
    let (from, to) = (time(from, 0), time(to, END));
    if from > to {
        let message = "`to` is before `from`.";
        return Err(ApiError::invalid_member("/query/to", ErrorRule::TimeRange, message));
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let page = match limit {
        0 => Page {
            items: Vec::new(),
            next: None,
        },
        _ => read(insights, site, (from, to), list.after()?, limit).await?,
    };
    let count = count(insights, site, (from, to)).await?;
    Ok(list.answer(page, count, view)?.into())
}

/// Returns whether there is a site with this id.
pub async fn has_site(kernel: &Kernel, site: SiteId) -> Result<bool, DbErr> {
    rows::is_any(kernel.db.read(), sites::Entity::find_by_id(site)).await
}

/// A place among the events: the time of the last event before it, and the number of events of that time before it.
pub type Position = (i64, usize);

/// Reads a page of events that are not before `from`, and before `to`.
pub async fn read(
    insights: &Insights,
    site: SiteId,
    (from, to): (Timestamp, Timestamp),
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Event, Position>, EngineError> {
    let (start, skip) = match after {
        Some((last, skip)) => (Timestamp::from_millis(last), skip),
        None => (from, 0),
    };
    let range = ExportRange {
        from: start,
        to,
        skip,
        // One more, to know whether there is a next page.
        limit: limit.saturating_add(1),
    };
    let mut items = insights.engine.export(site, range).await?;
    let has_more = items.len() > limit;
    items.truncate(limit);
    let last = items.last().map(|event| event.time).filter(|_| has_more);
    let next = last.map(|last| {
        let of_page = items.iter().filter(|event| event.time == last).count();
        let before = if last == start.as_millis() { skip } else { 0 };
        (last, before.saturating_add(of_page))
    });
    Ok(Page { items, next })
}

/// The number of events of a range.
async fn count(insights: &Insights, site: SiteId, (from, to): (Timestamp, Timestamp)) -> Result<Option<u64>, ApiError> {
    let query = Query {
        from: from.as_millis(),
        to: to.as_millis(),
        zone: Zone::UTC,
        select: vec![Column::Metric(Metric::Events)],
        filters: Vec::new(),
        group_by: Vec::new(),
        order: None,
        limit: 1,
    };
    let rows = insights.engine.aggregate(site, query).await?;
    Ok(rows.first().and_then(|row| match row.first() {
        Some(Value::Number(number)) => Some(whole(*number)),
        _ => None,
    }))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn whole(number: f64) -> u64 {
    number as u64
}

pub fn view(event: Event) -> SiteInsightsStoredEvent {
    let text = |field: Field| event.get(field).map(str::to_owned);
    SiteInsightsStoredEvent {
        object: Default::default(),
        timestamp: DateTime::from_timestamp_millis(event.time)
            .unwrap_or(DateTime::UNIX_EPOCH)
            .into(),
        visitor: format!("{:016x}", event.visitor),
        session: format!("{:016x}", event.session),
        event_type: text(Field::Type).unwrap_or_default(),
        url: text(Field::Url),
        display_context: text(Field::DisplayContext),
        site_section: text(Field::SiteSection),
        site_space: text(Field::SiteSpace),
        site_share_key: text(Field::SiteShareKey),
        space: text(Field::Space),
        revision: text(Field::Revision),
        page: text(Field::Page),
        visitor_geo_country: text(Field::Country),
        visitor_geo_point: text(Field::Point),
        visitor_device: text(Field::Device),
        visitor_browser: text(Field::Browser),
        visitor_os: text(Field::Os),
        visitor_bot: text(Field::Bot),
        visitor_language: text(Field::Language),
        event_link_target_kind: text(Field::LinkKind),
        event_link_target_domain: text(Field::LinkDomain),
        event_link_position: text(Field::LinkPosition),
        event_api_operation_path: text(Field::OperationPath),
        event_api_operation_method: text(Field::OperationMethod),
        event_search_query: text(Field::SearchQuery),
        event_page_feedback_rating: text(Field::PageFeedbackRating),
        event_page_feedback_comment: text(Field::PageFeedbackComment),
        event_ask_response_rating: text(Field::AskRating),
        referrer: text(Field::Referrer),
        referrer_domain: text(Field::ReferrerDomain),
        utm_source: text(Field::UtmSource),
        utm_medium: text(Field::UtmMedium),
        utm_campaign: text(Field::UtmCampaign),
        utm_term: text(Field::UtmTerm),
        utm_content: text(Field::UtmContent),
        event_ad_domain: text(Field::AdDomain),
        event_ad_placement: text(Field::AdPlacement),
        event_trademark_placement: text(Field::TrademarkPlacement),
        event_llms_variant: text(Field::LlmsVariant),
        event_markdown_source: text(Field::MarkdownSource),
        event_search_result_record_id: text(Field::SearchRecord),
        event_link_target_value: json(&event, Field::LinkTarget),
        visitor_claims: json(&event, Field::Claims),
        rest: json(&event, Field::Rest),
    }
}

/// A field that holds JSON.
fn json<T: DeserializeOwned>(event: &Event, field: Field) -> Option<T> {
    serde_json::from_str(event.get(field)?).ok()
}
