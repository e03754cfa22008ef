//! The id of a visitor's browser. Renderers of sites ask for it from their own hosts, so that a visitor who comes again is the same.

use entity::base32;
use openapi::error::ApiError;
use poem::{
    Request, Response,
    http::{HeaderValue, header},
};
use serde_json::json;
use url::{Url, form_urlencoded};

use crate::{app::App, areas::publishing::published_content::address, kernel::cookies::cookie};

pub const PATH: &str = "/__session/2/";

const COOKIE: &str = "__session";

/// The longest time for which browsers keep a cookie: 400 days.
const SECONDS: u32 = 400 * 24 * 3600;

/// As long as the `visitorId` of events.
const MAX_ID: usize = 256;

/// The id in the cookie, or else the one that the renderer proposes.
pub async fn answer(app: &App, is_secure: bool, request: &Request) -> Result<Response, ApiError> {
    let query = request.uri().query().unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let proposed = pairs.find_map(|(name, value)| (name == "proposed").then(|| value.into_owned()));
    let known = cookie(request, COOKIE, MAX_ID).map(str::to_owned);
    let id = match [known, proposed].into_iter().flatten().find(|id| is_id(id)) {
        Some(id) => id,
        None => generate()?,
    };
    let mut response = Response::builder()
        .content_type("application/json")
        .header(header::CACHE_CONTROL, "no-store")
        .header(header::VARY, "origin")
        .body(json!({ "deviceId": id }).to_string());
    let headers = response.headers_mut();
    if let Some(origin) = request.headers().get(header::ORIGIN) {
        if !is_of_site(app, origin).await? {
            return Ok(response);
        }
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
            HeaderValue::from_static("true"),
        );
    }
    // Pages of other hosts send cookies only to servers with TLS. Browsers that refuse cookies of other hosts keep one for each host.
    let rules = match is_secure {
        true => "SameSite=None; Secure; Partitioned",
        false => "SameSite=Lax",
    };
    let cookie = format!("{COOKIE}={id}; Path=/; Max-Age={SECONDS}; HttpOnly; {rules}");
    let cookie = HeaderValue::try_from(cookie).map_err(|e| ApiError::internal(e.to_string()))?;
    headers.insert(header::SET_COOKIE, cookie);
    Ok(response)
}

async fn is_of_site(app: &App, origin: &HeaderValue) -> Result<bool, ApiError> {
    let origin = origin.to_str().ok().and_then(|origin| Url::parse(origin).ok());
    match origin {
        Some(origin) => address::is_host_of_sites(&app.kernel, &origin).await,
        None => Ok(false),
    }
}

/// Returns whether a text can be an id: it needs no escape in a cookie.
fn is_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=MAX_ID).contains(&text.len()) && text.bytes().all(is_plain)
}

fn generate() -> Result<String, ApiError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|e| ApiError::internal(e.to_string()))?;
    Ok(base32::encode(&bytes))
}
