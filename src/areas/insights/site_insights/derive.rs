//! What is derived of events when they are received.

use std::{collections::HashMap, net::IpAddr};

use chrono::TimeDelta;
use entity::{ids::SiteId, timestamp::Timestamp};
use insights::{Event, Field};
use openapi::{
    enums::Enumeration,
    error::{ApiError, ErrorRule},
    models::{ErrorDetail, SiteInsightsLocation, SiteInsightsSession},
    values::Maybe,
};
use serde_json::{Map, Value};
use visitors::Agent;

use super::parts::Parts;
use crate::areas::insights::Insights;

/// How far the time of an event may be from that of the request.
const TOLERANCE: TimeDelta = TimeDelta::minutes(5);

/// Claims of the token itself, which say nothing of a visitor.
const OF_TOKEN: [&str; 5] = ["aud", "iat", "iss", "jti", "nbf"];

/// The fields of campaigns, in the order of [`visitors::CAMPAIGN`].
const CAMPAIGN: [Field; 5] = [
    Field::UtmSource,
    Field::UtmMedium,
    Field::UtmCampaign,
    Field::UtmTerm,
    Field::UtmContent,
];

/// What all events of a request share.
pub struct Received<'a> {
    pub insights: &'a Insights,
    pub site: SiteId,
    /// Whether the caller may say the address and the claims of visitors.
    pub is_trusted: bool,
    /// The address of the request.
    pub address: Option<IpAddr>,
    /// The number of the key that signs the tokens of the visitors.
    pub key_number: i32,
    pub now: Timestamp,
}

impl Received<'_> {
    /// The events as they are stored, or a refusal that lists what is wrong with them.
    pub fn events(&self, parts: &[Parts]) -> Result<Vec<Event>, ApiError> {
        let mut problems = Vec::new();
        let (mut agents, mut claims) = (HashMap::new(), HashMap::new());
        let mut events = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            let time = self.time(index, part, &mut problems);
            let address = self.address_of(index, &part.session, &mut problems);
            check_rating(index, part, &mut problems);
            let mut values = vec![(Field::Type, part.kind.to_owned())];
            add_location(&part.location, &mut values);
            add_referrer(&part.session, &mut values);
            self.add_place(address, &mut values);
            add_agent(&part.session, &mut agents, &mut values);
            if let Some(claims) = self.claims(&part.session, &mut claims) {
                values.push((Field::Claims, claims));
            }
            values.extend(part.values.iter().cloned());
            events.push(Event {
                time: time.as_millis(),
                visitor: self.insights.hashes.visitor(self.site, &part.session.visitor_id),
                session: self.insights.hashes.session(self.site, &part.session.session_id),
                values: values.into_iter().map(|(field, text)| (field, text.into())).collect(),
            });
        }
        ApiError::refuse(problems)?;
        Ok(events)
    }

    fn time(&self, index: usize, part: &Parts, problems: &mut Vec<ErrorDetail>) -> Timestamp {
        let Some(sent) = &part.timestamp else {
            return self.now;
        };
        let time = Timestamp::from(sent.0);
        if !(self.now.plus(-TOLERANCE)..=self.now.plus(TOLERANCE)).contains(&time) {
            problems.push(ErrorDetail {
                pointer: format!("/body/events/{index}/timestamp"),
                code: ErrorRule::EventTime,
                message: "The time of an event is within five minutes of the time of the request.".to_owned(),
            });
        }
        time
    }

    /// The address of the visitor: what a trusted caller says, or the address of the request.
    pub fn address_of(
        &self,
        index: usize,
        session: &SiteInsightsSession,
        problems: &mut Vec<ErrorDetail>,
    ) -> Option<IpAddr> {
        let Some(sent) = session.ip.as_deref().filter(|_| self.is_trusted) else {
            return self.address;
        };
        let parsed = sent.parse().ok();
        if parsed.is_none() {
            problems.push(ErrorDetail {
                pointer: format!("/body/events/{index}/session/ip"),
                code: ErrorRule::IpAddress,
                message: "The text is not an IP address.".to_owned(),
            });
        }
        parsed
    }

    fn add_place(&self, address: Option<IpAddr>, values: &mut Vec<(Field, String)>) {
        let (Some(places), Some(address)) = (&self.insights.places, address) else {
            return;
        };
        let place = places.find(address);
        if let Some(country) = place.country {
            values.push((Field::Country, country));
        }
        if let Some((latitude, longitude)) = place.point {
            values.push((Field::Point, format!("{latitude},{longitude}")));
        }
    }

    /// The claims of a visitor as JSON. Each token is read once.
    fn claims(&self, session: &SiteInsightsSession, known: &mut HashMap<String, Option<String>>) -> Option<String> {
        if let Some(claims) = session.visitor_auth_claims.as_ref().filter(|_| self.is_trusted) {
            let claims = claims.iter().map(|(name, value)| (name.clone(), value.clone()));
            return json_of(claims.collect());
        }
        let Maybe::Value(token) = &session.visitor_auth_token else {
            return None;
        };
        if let Some(claims) = known.get(token) {
            return claims.clone();
        }
        let keys = self.insights.visits.keys();
        let found = keys.claims(token, self.site, self.key_number, self.now);
        let claims = found.and_then(|(mut claims, _)| {
            claims.retain(|name, _| !OF_TOKEN.contains(&name.as_str()));
            json_of(claims)
        });
        known.insert(token.clone(), claims.clone());
        claims
    }
}

fn check_rating(index: usize, part: &Parts, problems: &mut Vec<ErrorDetail>) {
    if part
        .values
        .iter()
        .any(|(field, value)| *field == Field::AskRating && value == "0")
    {
        problems.push(ErrorDetail {
            pointer: format!("/body/events/{index}/rating"),
            code: ErrorRule::Rating,
            message: "The rating is `1` or `-1`.".to_owned(),
        });
    }
}

fn add_location(location: &SiteInsightsLocation, values: &mut Vec<(Field, String)>) {
    let context = location.display_context;
    values.push((Field::Url, location.url.clone()));
    values.push((Field::DisplayContext, context.as_str().to_owned()));
    for (field, value) in [
        (Field::SiteSection, &location.site_section),
        (Field::SiteSpace, &location.site_space),
        (Field::SiteShareKey, &location.site_share_key),
        (Field::Space, &location.space),
        (Field::Revision, &location.revision),
        (Field::Page, &location.page),
    ] {
        add(field, value.0.as_deref(), values);
    }
    let campaign = visitors::campaign(&location.url);
    for (field, value) in CAMPAIGN.into_iter().zip(campaign) {
        add(field, value.as_deref(), values);
    }
}

fn add_referrer(session: &SiteInsightsSession, values: &mut Vec<(Field, String)>) {
    add(Field::Language, session.language.0.as_deref(), values);
    let Some(referrer) = session.referrer.0.as_deref().filter(|referrer| !referrer.is_empty()) else {
        return;
    };
    values.push((Field::Referrer, referrer.to_owned()));
    add(Field::ReferrerDomain, visitors::domain(referrer).as_deref(), values);
}

/// What the user agent says. Each is read once.
fn add_agent<'a>(
    session: &'a SiteInsightsSession,
    known: &mut HashMap<&'a str, Agent>,
    values: &mut Vec<(Field, String)>,
) {
    let user_agent = session.user_agent.as_str();
    let agent = *known.entry(user_agent).or_insert_with(|| visitors::read(user_agent));
    values.push((Field::Browser, agent.browser.to_owned()));
    values.push((Field::Device, agent.device.to_owned()));
    values.push((Field::Os, agent.os.to_owned()));
    add(Field::Bot, agent.bot, values);
}

fn add(field: Field, value: Option<&str>, values: &mut Vec<(Field, String)>) {
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        values.push((field, value.to_owned()));
    }
}

/// An object as JSON, with its keys in order: equal claims are equal texts. `None`: the object is empty.
fn json_of(claims: Map<String, Value>) -> Option<String> {
    (!claims.is_empty()).then(|| sorted(Value::Object(claims)).to_string())
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> = members.into_iter().collect();
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(members.into_iter().map(|(name, value)| (name, sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}
