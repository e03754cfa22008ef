//! Rules of the settings that the contract cannot express.

use openapi::{
    error::{ApiError, ErrorRule},
    models::{
        ContentRef, CustomizationContentLink, CustomizationFooterGroup, CustomizationHeaderItem, ErrorDetail,
        SiteCustomizationSettings, SiteSpaceCustomizationOverride,
    },
    values::Inner,
};
use serde::Serialize;
use serde_json::Value;
use url::Url;

use crate::kernel::{conditions, localized};

const MAX_BYTES: usize = 32_768;
const LINK_SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

pub fn settings(sent: &SiteCustomizationSettings) -> Result<(), ApiError> {
    let announced = sent.announcement.as_ref().and_then(|sent| sent.link.as_ref());
    let primary = sent.header.primary_link.as_ref();
    links(&sent.header.links, &sent.footer.groups, announced, primary)
}

pub fn overrides(sent: &SiteSpaceCustomizationOverride) -> Result<(), ApiError> {
    let primary = sent.header.as_ref().and_then(|header| header.primary_link.inner());
    let header = sent.header.as_ref().and_then(|header| header.links.inner());
    let footer = sent.footer.as_ref().and_then(|footer| footer.groups.inner());
    let announced = sent.announcement.inner().and_then(|sent| sent.link.as_ref());
    links(
        header.map_or(&[], Vec::as_slice),
        footer.map_or(&[], Vec::as_slice),
        announced,
        primary,
    )
}

/// Refuses texts in languages that do not exist.
pub fn languages(sent: &impl Serialize) -> Result<(), ApiError> {
    let mut unknown = Vec::new();
    find_unknown_languages(&serde_json::to_value(sent)?, "/body", &mut unknown);
    ApiError::refuse(unknown)
}

fn find_unknown_languages(value: &Value, pointer: &str, unknown: &mut Vec<ErrorDetail>) {
    match value {
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                find_unknown_languages(item, &format!("{pointer}/{number}"), unknown);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let pointer = format!("{pointer}/{name}");
                match member.as_object() {
                    Some(texts) if name.starts_with("localized") => {
                        unknown.extend(localized::unknown_languages(texts.keys(), &pointer));
                    }
                    _ => find_unknown_languages(member, &pointer, unknown),
                }
            }
        }
        _ => {}
    }
}

/// Refuses settings that would make every answer with them large.
pub fn size(settings: &Value) -> Result<(), ApiError> {
    if serde_json::to_vec(settings)?.len() <= MAX_BYTES {
        return Ok(());
    }
    let message = format!("The settings have at most {MAX_BYTES} bytes as JSON.");
    Err(ApiError::invalid_member("/body", ErrorRule::TooLong, message))
}

fn links(
    header: &[CustomizationHeaderItem],
    footer: &[CustomizationFooterGroup],
    announced: Option<&CustomizationContentLink>,
    primary: Option<&ContentRef>,
) -> Result<(), ApiError> {
    let mut problems = Vec::new();
    for (number, item) in header.iter().enumerate() {
        let pointer = format!("/body/header/links/{number}");
        if let Some(message) = item.condition.as_deref().and_then(conditions::problem) {
            problems.push(ErrorDetail {
                pointer: format!("{pointer}/condition"),
                code: ErrorRule::Condition,
                message,
            });
        }
        problems.extend(item.to.inner().and_then(|to| unsafe_target(&pointer, "to", to)));
        problems.extend(unsafe_links(&pointer, item.links.as_deref().unwrap_or_default()));
    }
    for (number, group) in footer.iter().enumerate() {
        problems.extend(unsafe_links(&format!("/body/footer/groups/{number}"), &group.links));
    }
    problems.extend(announced.and_then(|link| unsafe_target("/body/announcement/link", "to", &link.to)));
    problems.extend(primary.and_then(|link| unsafe_target("/body/header", "primaryLink", link)));
    ApiError::refuse(problems)
}

fn unsafe_links(parent: &str, links: &[CustomizationContentLink]) -> Vec<ErrorDetail> {
    let links = links.iter().enumerate();
    links
        .filter_map(|(number, link)| unsafe_target(&format!("{parent}/links/{number}"), "to", &link.to))
        .collect()
}

/// Browsers run addresses of some kinds as scripts of the site, and readers take a user name for the host.
fn unsafe_target(parent: &str, member: &str, target: &ContentRef) -> Option<ErrorDetail> {
    let ContentRef::ContentRefUrl(target) = target else {
        return None;
    };
    let address = target.url.to_ascii_lowercase();
    let message = if !LINK_SCHEMES.iter().any(|scheme| address.starts_with(scheme)) {
        "The address has to begin with `http://`, `https://` or `mailto:`."
    } else if Url::parse(&address).is_ok_and(|url| !url.username().is_empty() || url.password().is_some()) {
        "The address must not have a user name or a password."
    } else {
        return None;
    };
    Some(ErrorDetail {
        pointer: format!("{parent}/{member}"),
        code: ErrorRule::UnsafeTarget,
        message: message.to_owned(),
    })
}
