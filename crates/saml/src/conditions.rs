//! The conditions of an assertion, and what it says about a person. The element comes from the bytes that were signed.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use roxmltree::Node;

use crate::{
    Expected, Refusal,
    xml::{self, ASSERTION, children, only_child},
};

/// The maximum difference between the clocks of the two servers.
const CLOCK_SKEW: TimeDelta = TimeDelta::minutes(2);

/// Longest time for which an assertion may be used: what has been used is remembered for as long.
const MAX_LIFETIME: TimeDelta = TimeDelta::hours(24);

const BEARER: &str = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
const ENTITY: &str = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity";
/// Formats of names that may be email addresses. A name without a format is of the first. SAML 2.0 kept the two of version 1.1, but
/// some providers send them with its own number.
const UNSPECIFIED: &str = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";
const EMAIL_FORMATS: [&str; 4] = [
    UNSPECIFIED,
    "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
    "urn:oasis:names:tc:SAML:2.0:nameid-format:unspecified",
    "urn:oasis:names:tc:SAML:2.0:nameid-format:emailAddress",
];
const TRANSIENT: &str = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";

const MAX_NAME: usize = 1024;

/// Names of attributes as [`normalized`], the best first.
const EMAIL_ATTRIBUTES: [&str; 6] = [
    "email",
    "mail",
    "emailaddress",
    "urn:oid:0.9.2342.19200300.100.1.3",
    "urn:oid:1.2.840.113549.1.9.1",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
];
const NAME_ATTRIBUTES: [&str; 7] = [
    "displayname",
    "urn:oid:2.16.840.1.113730.3.1.241",
    "http://schemas.microsoft.com/identity/claims/displayname",
    "name",
    "cn",
    "urn:oid:2.5.4.3",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name",
];

/// A verified statement of an identity provider about a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// The id, by which a second use is recognized.
    pub id: String,
    /// The name by which the identity provider knows the person. `None`: the name is another one at each sign-in.
    pub subject: Option<String>,
    pub email: Option<String>,
    pub display_name: Option<String>,
    /// By their names.
    pub attributes: BTreeMap<String, Attribute>,
    pub session_index: Option<String>,
    /// The time until which the assertion could be used again.
    pub usable_until: DateTime<Utc>,
}

/// An attribute of a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attribute {
    /// A name for people.
    pub friendly_name: Option<String>,
    pub values: Vec<String>,
}

pub fn check_issuer(issuer: Node<'_, '_>, expected: &Expected<'_>) -> Result<(), Refusal> {
    let entity = issuer.attribute("Format").is_none_or(|format| format == ENTITY);
    if entity && xml::text(issuer).as_deref() == Some(expected.identity_provider) {
        return Ok(());
    }
    Err(Refusal::Issuer)
}

/// Checks an assertion, and reads it.
pub fn check(assertion: Node<'_, '_>, expected: &Expected<'_>) -> Result<Assertion, Refusal> {
    let id = assertion
        .attribute("ID")
        .filter(|id| (1..=MAX_NAME).contains(&id.len()));
    let id = id.ok_or(Refusal::Structure("the assertion has no id"))?;
    if assertion.attribute("Version") != Some("2.0") {
        return Err(Refusal::Structure("the version is not 2.0"));
    }
    let issuer = only_child(assertion, ASSERTION, "Issuer").ok_or(Refusal::Issuer)?;
    check_issuer(issuer, expected)?;
    let issued = time(assertion, "IssueInstant")?.ok_or(Refusal::Condition("`IssueInstant` is missing"))?;
    if issued > expected.now + CLOCK_SKEW {
        return Err(Refusal::NotYetValid);
    }
    let subject = only_child(assertion, ASSERTION, "Subject").ok_or(Refusal::Subject("it is missing"))?;
    let confirmed_until = confirmed_until(subject, expected)?;
    check_conditions(assertion, expected)?;
    let session_index = check_statement(assertion, expected)?;
    let name = only_child(subject, ASSERTION, "NameID").ok_or(Refusal::Subject("it needs one `NameID`"))?;
    let name_text = xml::text(name).filter(|name| name.len() <= MAX_NAME);
    let name_text = name_text.ok_or(Refusal::Subject("its name is empty, too long, or not only text"))?;
    let attributes = attributes(assertion)?;
    let format = name
        .attribute("Format")
        .map(str::trim)
        .filter(|format| !format.is_empty());
    let format = format.unwrap_or(UNSPECIFIED);
    let email = first_of(&attributes, &EMAIL_ATTRIBUTES, is_email).or_else(|| {
        let is_address = EMAIL_FORMATS.contains(&format) && is_email(&name_text);
        is_address.then(|| name_text.clone())
    });
    Ok(Assertion {
        id: id.to_owned(),
        email,
        display_name: first_of(&attributes, &NAME_ATTRIBUTES, |_| true),
        subject: (format != TRANSIENT).then_some(name_text),
        attributes,
        session_index,
        usable_until: confirmed_until + CLOCK_SKEW,
    })
}

/// Returns the time until which the bearer of the assertion is the subject.
fn confirmed_until(subject: Node<'_, '_>, expected: &Expected<'_>) -> Result<DateTime<Utc>, Refusal> {
    let mut refusal = Refusal::Subject("it needs a `SubjectConfirmation` of the bearer");
    for confirmation in children(subject, ASSERTION, "SubjectConfirmation") {
        if confirmation.attribute("Method") != Some(BEARER) {
            continue;
        }
        match only_child(confirmation, ASSERTION, "SubjectConfirmationData") {
            Some(data) => match confirm(data, expected) {
                Ok(until) => return Ok(until),
                Err(error) => refusal = error,
            },
            None => refusal = Refusal::Subject("it needs one `SubjectConfirmationData`"),
        }
    }
    Err(refusal)
}

fn confirm(data: Node<'_, '_>, expected: &Expected<'_>) -> Result<DateTime<Utc>, Refusal> {
    if data.attribute("Recipient") != Some(expected.acs_url) {
        return Err(Refusal::Recipient);
    }
    if data.attribute("InResponseTo") != expected.request {
        return Err(Refusal::Request);
    }
    check_start(data, expected)?;
    let until = check_end(data, expected)?.ok_or(Refusal::Condition("`NotOnOrAfter` is missing"))?;
    if until > expected.now + MAX_LIFETIME {
        return Err(Refusal::Condition("the assertion could be used for more than a day"));
    }
    Ok(until)
}

fn check_conditions(assertion: Node<'_, '_>, expected: &Expected<'_>) -> Result<(), Refusal> {
    let conditions = only_child(assertion, ASSERTION, "Conditions");
    let conditions = conditions.ok_or(Refusal::Condition("there need to be `Conditions`, once"))?;
    check_start(conditions, expected)?;
    check_end(conditions, expected)?;
    let mut restricted = false;
    for condition in conditions.children().filter(Node::is_element) {
        if xml::is(condition, ASSERTION, "AudienceRestriction") {
            let mut audiences = children(condition, ASSERTION, "Audience").filter_map(xml::text);
            if !audiences.any(|audience| audience == expected.audience) {
                return Err(Refusal::Audience);
            }
            restricted = true;
        } else if !xml::is(condition, ASSERTION, "OneTimeUse") && !xml::is(condition, ASSERTION, "ProxyRestriction") {
            return Err(Refusal::Condition("one of the conditions is unknown"));
        }
    }
    if restricted { Ok(()) } else { Err(Refusal::Audience) }
}

/// Checks that the person was let in, and returns the index of their session.
fn check_statement(assertion: Node<'_, '_>, expected: &Expected<'_>) -> Result<Option<String>, Refusal> {
    let mut statements = children(assertion, ASSERTION, "AuthnStatement");
    let statement = statements
        .next()
        .ok_or(Refusal::Condition("there needs to be an `AuthnStatement`"))?;
    if time(statement, "SessionNotOnOrAfter")?.is_some_and(|end| end <= expected.now - CLOCK_SKEW) {
        return Err(Refusal::Expired);
    }
    Ok(statement.attribute("SessionIndex").map(str::to_owned))
}

fn check_start(node: Node<'_, '_>, expected: &Expected<'_>) -> Result<(), Refusal> {
    match time(node, "NotBefore")? {
        Some(start) if start > expected.now + CLOCK_SKEW => Err(Refusal::NotYetValid),
        _ => Ok(()),
    }
}

fn check_end(node: Node<'_, '_>, expected: &Expected<'_>) -> Result<Option<DateTime<Utc>>, Refusal> {
    match time(node, "NotOnOrAfter")? {
        Some(end) if end <= expected.now - CLOCK_SKEW => Err(Refusal::Expired),
        end => Ok(end),
    }
}

fn time(node: Node<'_, '_>, name: &str) -> Result<Option<DateTime<Utc>>, Refusal> {
    let Some(text) = node.attribute(name) else {
        return Ok(None);
    };
    let time = DateTime::parse_from_rfc3339(text).map_err(|_| Refusal::Condition("a time is not a time"))?;
    Ok(Some(time.to_utc()))
}

fn attributes(assertion: Node<'_, '_>) -> Result<BTreeMap<String, Attribute>, Refusal> {
    let mut attributes: BTreeMap<String, Attribute> = BTreeMap::new();
    let statements = children(assertion, ASSERTION, "AttributeStatement");
    for attribute in statements.flat_map(|statement| children(statement, ASSERTION, "Attribute")) {
        let name = attribute
            .attribute("Name")
            .ok_or(Refusal::Structure("an attribute has no name"))?;
        let values = children(attribute, ASSERTION, "AttributeValue").filter_map(xml::text);
        let friendly_name = attribute.attribute("FriendlyName").map(str::to_owned);
        let known = attributes.entry(name.to_owned()).or_default();
        known.friendly_name = friendly_name.or(known.friendly_name.take());
        for value in values {
            if !known.values.contains(&value) {
                known.values.push(value);
            }
        }
    }
    Ok(attributes)
}

/// The value of the first attribute of these names that has exactly one, and an acceptable one. Friendly names come after names.
fn first_of(
    attributes: &BTreeMap<String, Attribute>,
    names: &[&str],
    is_acceptable: impl Fn(&str) -> bool,
) -> Option<String> {
    let value = |attribute: &Attribute| match attribute.values.as_slice() {
        [value] if is_acceptable(value) => Some(value.clone()),
        _ => None,
    };
    let by_name = |wanted: &&str| {
        let mut named = attributes.iter().filter(|(name, _)| normalized(name) == *wanted);
        named.find_map(|(_, attribute)| value(attribute))
    };
    let by_friendly_name = |wanted: &&str| {
        let is_named =
            |attribute: &&Attribute| attribute.friendly_name.as_deref().map(normalized).as_deref() == Some(wanted);
        attributes.values().filter(is_named).find_map(value)
    };
    let named = names.iter().find_map(by_name);
    named.or_else(|| names.iter().find_map(by_friendly_name))
}

/// The name of an attribute without what differs between identity providers: `E-Mail` and `User.email` are `email`.
fn normalized(name: &str) -> String {
    let name = name.to_ascii_lowercase().replace(['-', '_', ' '], "");
    name.strip_prefix("user.").unwrap_or(&name).to_owned()
}

/// Returns whether a text has the form of an email address. The service decides whether the address may be used.
fn is_email(text: &str) -> bool {
    let (local, domain) = text.rsplit_once('@').unwrap_or_default();
    !local.is_empty() && domain.contains('.') && !text.contains(char::is_whitespace)
}
