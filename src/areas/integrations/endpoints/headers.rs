//! Headers on their way to scripts and from them.

use std::collections::BTreeMap;

use openapi::{error::ApiError, models::IntegrationContentSecurityPolicy};
use poem::http::{HeaderMap, HeaderName, HeaderValue, header};
use serde::Deserialize;
use serde_json::Value;

use super::cookies;

use crate::areas::integrations::{
    integrations::content_security_policy,
    running::requests::{header_text, header_value},
};

pub const COOKIE: &str = "cookie";
const SET_COOKIE: &str = "set-cookie";

/// Headers of a single connection, which scripts do not see.
const OF_CONNECTION: [&str; 13] = [
    "connection",
    "content-length",
    "date",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "x-request-id",
    "expect",
];

/// Headers of scripts that go to callers. Others speak to the proxy before the server, such as `X-Accel-Redirect`, count for the whole host,
/// such as `Clear-Site-Data`, or are those of the server itself, such as `WWW-Authenticate`.
const OF_ANSWER: [&str; 35] = [
    "accept-ranges",
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
    "access-control-expose-headers",
    "access-control-max-age",
    "allow",
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-location",
    "content-range",
    "content-security-policy",
    "content-security-policy-report-only",
    "content-type",
    "cross-origin-embedder-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "deprecation",
    "etag",
    "expires",
    "last-modified",
    "location",
    "permissions-policy",
    "pragma",
    "referrer-policy",
    "refresh",
    "retry-after",
    SET_COOKIE,
    "sunset",
    "timing-allow-origin",
    "vary",
    "x-content-type-options",
    "x-robots-tag",
];

/// Pages of scripts have an origin of their own, which is no origin of the server. The last directive of this name counts.
const SANDBOX: &str =
    "sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads";

/// The headers of a request, as an event has them: in lower case, each name once. Cookies of the server are left out.
pub fn of_request(headers: &HeaderMap) -> BTreeMap<&str, String> {
    let mut texts = BTreeMap::<&str, String>::new();
    for (name, value) in headers {
        if OF_CONNECTION.contains(&name.as_str()) && name != header::CONTENT_LENGTH {
            continue;
        }
        let separator = if name.as_str() == COOKIE { "; " } else { ", " };
        let text = header_text(value);
        match texts.get_mut(name.as_str()) {
            Some(before) => {
                before.push_str(separator);
                before.push_str(&text);
            }
            None => drop(texts.insert(name.as_str(), text)),
        }
    }
    if let Some(sent) = texts.remove(COOKIE)
        && let Some(others) = cookies::without_own(&sent)
    {
        texts.insert(COOKIE, others);
    }
    texts
}

/// The headers of an answer for a caller. `path`: that of the endpoint, for cookies; `manifest`: that of the integration, for its policy.
pub fn of_answer(sent: &[(String, String)], path: &str, manifest: &Value) -> Result<HeaderMap, ApiError> {
    let mut headers = HeaderMap::new();
    for (name, text) in sent {
        let name = name.to_ascii_lowercase();
        if !OF_ANSWER.contains(&name.as_str()) {
            continue;
        }
        let value = match name == SET_COOKIE {
            true => cookies::confine(text, path),
            false => header_value(text),
        };
        if let (Ok(name), Some(value)) = (HeaderName::try_from(name), value) {
            headers.append(name, value);
        }
    }
    if let Some(policy) = declared_policy(manifest)? {
        headers.append(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.append(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(SANDBOX));
    Ok(headers)
}

/// The policy that an integration declares. One that no header can hold allows nothing.
fn declared_policy(manifest: &Value) -> Result<Option<HeaderValue>, ApiError> {
    let Declared { policy } = Declared::deserialize(manifest)?;
    let Some(policy) = policy else {
        return Ok(None);
    };
    let policy = content_security_policy::header(&policy)?;
    let policy = HeaderValue::try_from(policy);
    Ok(Some(policy.unwrap_or(HeaderValue::from_static("default-src 'none'"))))
}

/// The member of a manifest that becomes a header.
#[derive(Deserialize)]
struct Declared {
    #[serde(rename = "contentSecurityPolicy")]
    policy: Option<IntegrationContentSecurityPolicy>,
}
