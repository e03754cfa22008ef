//! What is derived of events when they are received.

use std::{collections::HashMap, mem, net::IpAddr};

use chrono::TimeDelta;
use entity::{ids::SiteId, timestamp::Timestamp};
use insights::{Event, Field};
use openapi::{
    enums::Enumeration,
    error::{ApiError, ErrorRule},
    models::{ErrorDetail, SiteInsightsLocation, SiteInsightsSession},
    skipped,
    values::{Inner, Maybe},
};
use serde_json::{Map, Value};
use visitors::Agent;

use super::parts::Parts;
use crate::areas::{
    insights::Insights,
    publishing::visits::{Visit, VisitorKeys},
};

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
    /// The visit whose token the request is sent with.
    pub visit: Option<Visit>,
    /// The number of the key that signs the tokens of the visitors.
    pub key_number: i32,
    pub now: Timestamp,
}

/// A rule that an event breaks.
struct Broken {
    /// The place in the event.
    member: &'static str,
    rule: ErrorRule,
    message: &'static str,
}

impl Received<'_> {
    /// The events that break no rule. If there are none, the refusal lists what is wrong with them.
    pub fn readable(&self, parts: Vec<Parts>) -> Result<Vec<Parts>, ApiError> {
        let sent = parts.len();
        let mut problems = Vec::new();
        let numbered = parts.into_iter().enumerate();
        let readable: Vec<Parts> = numbered
            .filter_map(|(index, part)| match self.check(&part) {
                Ok(()) => Some(part),
                Err(Broken { member, rule, message }) => {
                    problems.push(ErrorDetail {
                        pointer: format!("/body/events/{index}/{member}"),
                        code: rule,
                        message: message.to_owned(),
                    });
                    None
                }
            })
            .collect();
        if readable.is_empty() {
            ApiError::refuse(problems)?;
        }
        skipped::note(sent - readable.len());
        Ok(readable)
    }

    /// The events as they are stored.
    pub fn events(&self, parts: &[Parts]) -> Vec<Event> {
        let (mut agents, mut claims) = (HashMap::new(), HashMap::new());
        let mut events = Vec::with_capacity(parts.len());
        for part in parts {
            let mut values = vec![(Field::Type, part.kind.to_owned())];
            add_location(&part.location, &mut values);
            add_referrer(&part.session, &mut values);
            self.add_place(self.address_of(&part.session), &mut values);
            add_agent(&part.session, &mut agents, &mut values);
            if let Some(claims) = self.claims(&part.session, &mut claims) {
                values.push((Field::Claims, claims));
            }
            values.extend(part.values.iter().cloned());
            // Who reads insights may not see the keys of share links.
            let keys = self.insights.visits.keys();
            values
                .iter_mut()
                .for_each(|(_, value)| *value = keys.hide_share_keys(mem::take(value)));
            events.push(Event {
                time: self.time_of(part).as_millis(),
                visitor: self.insights.hashes.visitor(self.site, &part.session.visitor_id),
                session: self.insights.hashes.session(self.site, &part.session.session_id),
                values: values.into_iter().map(|(field, text)| (field, text.into())).collect(),
            });
        }
        events
    }

    /// Checks what the contract cannot say.
    fn check(&self, part: &Parts) -> Result<(), Broken> {
        let time = self.time_of(part);
        if !(self.now.plus(-TOLERANCE)..=self.now.plus(TOLERANCE)).contains(&time) {
            return Err(Broken {
                member: "timestamp",
                rule: ErrorRule::EventTime,
                message: "The time of an event is within five minutes of the time of the request.",
            });
        }
        let address = part.session.ip.as_deref().filter(|_| self.is_trusted);
        if address.is_some_and(|sent| sent.parse::<IpAddr>().is_err()) {
            return Err(Broken {
                member: "session/ip",
                rule: ErrorRule::IpAddress,
                message: "The text is not an IP address.",
            });
        }
        let mut values = part.values.iter();
        if values.any(|(field, value)| *field == Field::AskRating && value == "0") {
            return Err(Broken {
                member: "rating",
                rule: ErrorRule::Rating,
                message: "The rating is `1` or `-1`.",
            });
        }
        Ok(())
    }

    fn time_of(&self, part: &Parts) -> Timestamp {
        part.timestamp.as_ref().map_or(self.now, |sent| Timestamp::from(sent.0))
    }

    /// The address of the visitor: what a trusted caller says, or the address of the request.
    pub fn address_of(&self, session: &SiteInsightsSession) -> Option<IpAddr> {
        match session.ip.as_deref().filter(|_| self.is_trusted) {
            Some(sent) => sent.parse().ok(),
            None => self.address,
        }
    }

    fn add_place(&self, address: Option<IpAddr>, values: &mut Vec<(Field, String)>) {
        let (Some(geoip), Some(address)) = (&self.insights.geoip, address) else {
            return;
        };
        let place = geoip.find(address);
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
            return self.visit.as_ref().and_then(|visit| of_visitor(visit.claims.clone()));
        };
        if let Some(claims) = known.get(token) {
            return claims.clone();
        }
        let claims = self.claims_of(token).and_then(of_visitor);
        known.insert(token.clone(), claims.clone());
        claims
    }

    /// The claims of a token that the site signed for a visitor, or of the token of a visit. `None`: the token is not valid.
    fn claims_of(&self, token: &str) -> Option<Map<String, Value>> {
        let keys = self.insights.visits.keys();
        if !VisitorKeys::is_token(token) {
            let claims = keys.claims(token, self.site, self.key_number, self.now);
            return claims.map(|(claims, _)| claims);
        }
        let visit = keys.read(token, self.now).filter(|visit| visit.site == self.site)?;
        let is_signed = visit.key_number.is_none_or(|number| number == self.key_number);
        is_signed.then_some(visit.claims)
    }
}

/// Claims without those of the token itself, as JSON.
fn of_visitor(mut claims: Map<String, Value>) -> Option<String> {
    claims.retain(|name, _| !OF_TOKEN.contains(&name.as_str()));
    json_of(claims)
}

fn add_location(location: &SiteInsightsLocation, values: &mut Vec<(Field, String)>) {
    let url = location.url.0.as_deref();
    add(Field::Url, url, values);
    values.push((Field::DisplayContext, location.display_context.as_str().to_owned()));
    for (field, value) in [
        (Field::SiteSection, &location.site_section),
        (Field::SiteSpace, &location.site_space),
        (Field::SiteShareKey, &location.site_share_key),
        (Field::Space, &location.space),
        (Field::Revision, &location.revision),
        (Field::Page, &location.page),
    ] {
        add(field, value.inner().map(String::as_str), values);
    }
    let campaign = visitors::campaign(url.unwrap_or_default());
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
